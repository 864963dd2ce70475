"""Two waves of different people, where nobody knows the shares beforehand.

The first wave answers through channels that treat all answers alike. The second, of other people, answers through
channels designed for what the first showed. Each person is in one wave, so neither wave adds to what the other took.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from banister.core.programs.linear import Floats
from banister.errors import BadValue
from banister.local.channels.base import Channel
from banister.local.channels.support import SupportChannel
from banister.local.collect.campaign import Campaign, SignedCampaign
from banister.local.collect.making import error_of_matrix, make_campaign
from banister.local.collect.repeat import Repetition
from banister.local.collect.sharing import LevelShare
from banister.local.collect.tally import Tally, estimate
from banister.local.estimates import Estimate

SURE = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class WaveGain:
    """How many people of the first wave one person of the second is worth, for a question.

    `expected` is the gain where the law is as the first wave estimated it; `least` and `most` where it is at the end of
    what the first wave leaves possible (each share at an end of its interval, all of which hold with 95 %).
    """

    question: str
    expected: float
    least: float
    most: float


def second_wave(
    first: SignedCampaign, totals: Sequence[Tally], *, people: int, until: str
) -> tuple[Campaign, tuple[WaveGain, ...]]:
    """The campaign of the second wave, and what its channels gain over those of the first.

    The level is that of the first wave, shared out anew.
    """
    asked = first.campaign
    if asked.hypotheses is not None or asked.after:
        raise BadValue("A second wave follows a first one that estimates shares, and there is no third.")
    if asked.series:
        raise BadValue(
            "Numbers go through randomized response whatever the shares are, so a second wave gains nothing. Ask the "
            "first wave longer, or more people."
        )
    if len(totals) != len(asked.questions) or not all(found.reports for found in totals):
        raise BadValue("The first wave has no reports to some question, so nothing can be designed from it.")
    seen = [estimate(one.channel, asked.repetition, found) for one, found in zip(asked.questions, totals, strict=True)]
    laws = [likely_law(found) for found in seen]
    questions = [
        {"text": one.question, "answers": dict(zip(one.labels, law.tolist(), strict=True))}
        for one, law in zip(asked.questions, laws, strict=True)
    ]
    repetition = asked.repetition
    second: dict[str, object] = {} if repetition.second is None else {"second": repetition.second}
    made, _ = make_campaign(
        {
            "title": asked.title,
            "asked_by": asked.asked_by,
            "keeps": asked.keeps,
            "until": until,
            "people": people,
            "epsilon": asked.once.epsilon,
            "answered": repetition.kind.value,
            "rounds": repetition.rounds,
            "share": asked.share.value,
            "accuracy": asked.accuracy,
            "question": questions,
            **second,
        }
    )
    wave = replace(made, about=asked.about, after=first.name)
    return wave, tuple(_gain(asked, wave, place, found) for place, found in enumerate(seen))


def likely_law(found: Estimate) -> Floats:
    """The nearest law to an estimate, with half an open answer more for each category, so that none is ruled out."""
    law = found.on_simplex()
    worth = min(found.effective_people, float(found.people))
    smoothed: Floats = (worth * law + 0.5) / (worth + 0.5 * law.size)
    return smoothed


def error_a_person(channel: Channel, repetition: Repetition, law: Floats) -> float:
    """People times the total squared error of the frequencies that are estimated, where the answers have this law."""
    if repetition.second is None and isinstance(channel, SupportChannel):
        spread = channel.keep - channel.spill
        hits = channel.spill + spread * law
        return float((hits * (1 - hits)).sum()) / spread**2
    return error_of_matrix(repetition.sent_matrix(channel), law) - float(law @ law)


@dataclass(frozen=True, slots=True, eq=False)
class BothWaves:
    """Frequencies from both waves together, with standard errors, and the weight of the second."""

    frequencies: Floats
    standard_errors: Floats
    weight: float


def both_waves(first: Estimate, second: Estimate, *, errors: tuple[float, float]) -> BothWaves:
    """Both estimates, weighed by how much each wave's reports can tell, never by what they said.

    `errors` is people times squared error of each wave's channel; the waves are of different people, so variances add.
    """
    one, other = first.people / errors[0], second.people / errors[1]
    weight = other / (one + other)
    mean: Floats = (1 - weight) * first.frequencies + weight * second.frequencies
    spread: Floats = np.sqrt(((1 - weight) * first.standard_errors) ** 2 + (weight * second.standard_errors) ** 2)
    return BothWaves(mean, spread, weight)


def _gain(first: Campaign, second: Campaign, place: int, found: Estimate) -> WaveGain:
    """One over m of the people answer a question that chance picks among m, in both waves alike."""
    old, new = first.questions[place].channel, second.questions[place].channel
    shares = Fraction(1) if first.share is second.share else Fraction(len(first.questions))
    scale = float(shares if second.share is LevelShare.ONE else 1 / shares)

    def gain(law: Floats) -> float:
        return error_a_person(old, first.repetition, law) / error_a_person(new, second.repetition, law) / scale

    gains = [gain(law) for law in _possible(found)]
    return WaveGain(
        question=first.questions[place].question,
        expected=gain(likely_law(found)),
        least=min(gains, default=math.nan),
        most=max(gains, default=math.nan),
    )


def _possible(found: Estimate) -> list[Floats]:
    """Laws at the ends of what is possible: one share at an end of its interval, the others as before."""
    held, centre = found.simultaneous_intervals(SURE), likely_law(found)
    laws = []
    for place in range(centre.size):
        for end in (held.lower[place], held.upper[place]):
            share = min(max(float(end), 1e-6), 1 - 1e-6)
            law = centre * (1 - share) / (1 - centre[place])
            law[place] = share
            laws.append(law)
    return laws
