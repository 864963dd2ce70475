"""Make a campaign from what its owner writes: questions in words, answers with rough shares, a level."""

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import cast

import numpy as np

from banister import need
from banister.core.exact.numbers import Number
from banister.core.privacy.guarantee import Guarantee
from banister.core.programs.linear import Floats
from banister.errors import BadValue
from banister.foreign import parse_toml, read_text
from banister.local.channels import makers
from banister.local.channels.base import LARGEST_MATRIX, Channel
from banister.local.collect.campaign import KEEPS, Campaign, Hypotheses
from banister.local.collect.groups import PART
from banister.local.collect.repeat import MOST_KEPT, SHARED_BY, Repetition
from banister.local.collect.series import NumberSeries
from banister.local.collect.sharing import LevelShare, Shared, share_out, split
from banister.local.designing import DesignRequest
from banister.local.designs.estimation import ESTIMATION
from banister.local.designs.several import design_worst
from banister.local.document import Survey
from banister.local.telling import people_to_tell
from banister.local.testing import people_needed

_NAMES = {
    "title", "asked_by", "about", "keeps", "until", "people", "epsilon", "answered", "rounds", "second", "accuracy",
    "share", "question", "law", "size", "power",
}  # fmt: skip

FEW_REPORTS = ("randomized-response", "hadamard-response", "subset-selection")
"""Kinds that compete where the best one has too many reports to be kept."""


def read_request(path: Path) -> tuple[Campaign, Shared]:
    """The campaign that a TOML file asks for, and how its level was shared out."""
    text = read_text(path, "a campaign in TOML")
    return make_campaign(parse_toml(text, f"{path} is not a campaign"))


def make_campaign(given: Mapping[str, object]) -> tuple[Campaign, Shared]:
    """The campaign that these settings ask for: channels are designed, the level is shared out.

    >>> asked = {"text": "Do you smoke?", "answers": {"yes": 0.2, "no": 0.8}}
    >>> some = {"title": "Smoking", "asked_by": "A clinic", "until": "2030-01-01", "people": 1000, "epsilon": 1}
    >>> make_campaign({**some, "question": [asked]})[0].questions[0].labels
    ['yes', 'no']
    """
    unknown = sorted(set(given) - _NAMES)
    if unknown:
        raise BadValue(f"'{unknown[0][:40]}' is no setting of a campaign. There are: {', '.join(sorted(_NAMES))}.")
    asked, series = _questions(given.get("question"))
    epsilon = need.positive("epsilon", cast(Number, _there(given, "epsilon")), "At 0 a report says nothing.")
    repetition = Repetition(
        str(given.get("answered", "once")),
        rounds=cast(int, given.get("rounds", 1)),
        second=cast("Number | None", given.get("second")),
    )
    people = need.whole("people", cast(int, _there(given, "people")), least=1)
    laws = _laws(given)
    shared = share_out(epsilon, [prior for _, _, prior, _ in asked])
    chosen = given.get("share", LevelShare.ALL.value if repetition.rounds > 1 else shared.share.value)
    shared = _as_wished(shared, str(chosen), epsilon, [prior for _, _, prior, _ in asked])
    questions = []
    for (text, labels, prior, kind), level in zip(asked, shared.levels, strict=True):
        if laws is not None:
            channel: Channel = _for_a_test(level, laws)
        else:
            channel = _channel(kind, Guarantee(level), prior, repetition, people)
        questions.append(Survey(channel, labels, text, str(_there(given, "asked_by"))))
    campaign = Campaign(
        title=str(_there(given, "title")),
        asked_by=str(_there(given, "asked_by")),
        about=str(given.get("about", "")),
        keeps=str(given.get("keeps", KEEPS)),
        until=str(_there(given, "until")),
        people=people,
        repetition=repetition,
        share=shared.share,
        questions=tuple(questions),
        accuracy=float(cast(float, given.get("accuracy", 0.0))),
        hypotheses=laws,
        series=series,
    )
    return campaign, shared


@lru_cache(maxsize=16)
def needed(campaign: Campaign) -> int | None:
    """How many people the test between its laws needs; nothing where the campaign has none. Each look asks again."""
    asked = campaign.hypotheses
    if asked is None:
        return None
    if len(asked.laws) > 2:
        return people_to_tell(campaign.questions[0].channel, asked.laws, power=asked.power)
    return people_needed(
        campaign.questions[0].channel, asked.laws[0], asked.laws[1], power=asked.power, size=asked.size
    )


def _for_a_test(level: Fraction, asked: Hypotheses) -> Channel:
    """The channel that keeps most of what tells the laws apart: of the two, or of the two that are hardest to tell."""
    if len(asked.laws) > 2:
        return design_worst(level, asked.laws, utility="kl")
    one, other = asked.laws
    return DesignRequest(level, "kl", between=(one, other)).channel()


def _channel(kind: str, promise: Guarantee, prior: Floats, repetition: Repetition, people: int) -> Channel:
    """The channel that is asked for by name, or the one with the least error of what is sent in a round."""
    made = makers()
    if kind:
        return made[need.one_of("channel", kind, tuple(sorted(made)))](promise, prior.size)
    best: Channel = DesignRequest(promise.epsilon, ESTIMATION, prior=prior).channel()
    if not repetition.kept:
        return best
    # What is kept must be shared by many people, or pass a second step, which few reports survive best.
    usual = [made[name](promise, prior.size) for name in FEW_REPORTS]
    able = [each for each in (best, *usual) if _fits(each, repetition, people)]
    return min(able or [best], key=lambda each: error_of_matrix(repetition.sent_matrix(each), prior))


def _fits(channel: Channel, repetition: Repetition, people: int) -> bool:
    few = channel.outputs <= (MOST_KEPT if repetition.second is not None else people // SHARED_BY)
    return few and channel.categories * channel.outputs <= LARGEST_MATRIX  # What is sent is compared by its matrix.


def error_of_matrix(matrix: Floats, prior: Floats) -> float:
    """People times the least total squared error of unbiased frequencies at this law, plus Σ law², the same for all."""
    used = matrix[:, matrix.max(axis=0) > 0]
    return float(np.trace(np.linalg.inv((used / (prior @ used)) @ used.T)))


def _as_wished(shared: Shared, chosen: str, epsilon: Number, priors: list[Floats]) -> Shared:
    """The other way to share, where the owner says so."""
    wanted = LevelShare(need.one_of("share", chosen, tuple(each.value for each in LevelShare)))
    if wanted is shared.share:
        return shared
    level = need.positive("epsilon", epsilon)
    parts = split(level, priors)[0] if wanted is LevelShare.ALL else (level,) * len(priors)
    return Shared(wanted, parts, shared.error_all, shared.error_one)


Asked = tuple[str, list[str], Floats, str]
"""A question: its text, its answers, their rough shares, and the kind of channel where it is wished for."""


def _questions(given: object) -> tuple[list[Asked], tuple[NumberSeries, ...]]:
    if not isinstance(given, list) or not given:
        raise BadValue("A campaign needs a [[question]] with its text and its answers.")
    found: list[Asked] = []
    series: list[NumberSeries] = []
    for place, one in enumerate(given, start=1):
        if not isinstance(one, dict) or not isinstance(one.get("text"), str) or set(one) - _QUESTION:
            raise BadValue(
                f"Question {place} needs a text and answers (or numbers), and may have groups, a channel and times; "
                "nothing else."
            )
        if "numbers" in one:
            series.append(_numbers(place, one, len(found)))
            found += _at_times(one["text"], series[-1])
            continue
        labels, prior = _answers(place, one.get("answers"))
        groups = one.get("groups", [])
        if groups:
            if not isinstance(groups, list) or not all(isinstance(group, str) for group in groups):
                raise BadValue(f"The groups of question {place} are a list of names.")
            labels = [f"{group}{PART}{label}" for group in groups for label in labels]
            prior = np.tile(prior, len(groups)) / len(groups)
        found.append((one["text"], labels, prior, str(one.get("channel", ""))))
    return found, tuple(series)


_QUESTION = {"text", "answers", "groups", "channel", "numbers", "times"}


def _numbers(place: int, given: Mapping[str, object], first: int) -> NumberSeries:
    """A question about a number, at one time or several."""
    asked = given["numbers"]
    if not isinstance(asked, dict) or set(asked) - {"least", "most", "classes", "unit"} or set(given) & _OTHER:
        raise BadValue(
            f"Question {place} asks for numbers: it has a text, numbers with least, most, classes and unit, and times."
        )
    try:
        return NumberSeries(
            first,
            times=cast(int, given.get("times", 1)),
            least=cast(Number, asked["least"]),
            most=cast(Number, asked["most"]),
            classes=cast(int, asked["classes"]),
            unit=str(asked.get("unit", "")),
        )
    except KeyError as error:
        raise BadValue(f"The numbers of question {place} need {error.args[0]}.") from None


_OTHER = {"answers", "groups", "channel"}


def _at_times(text: str, series: NumberSeries) -> list[Asked]:
    law = np.full(series.classes, 1 / series.classes)
    words = [", ".join(part for part in (text, series.when(place)) if part) for place in range(series.times)]
    return [(one, series.labels, law, "randomized-response") for one in words]


def _answers(place: int, given: object) -> tuple[list[str], Floats]:
    """Answers with rough shares, or answers alone, which are then taken to be equally frequent."""
    if isinstance(given, list) and all(isinstance(one, str) for one in given):
        given = dict.fromkeys(given, 1)
    if not isinstance(given, dict) or len(given) < 2:
        raise BadValue(f"The answers of question {place} are a list of names, or a table of names with rough shares.")
    shares = [float(need.positive(f"The share of an answer to question {place}", share)) for share in given.values()]
    law = np.array(shares)
    return list(given), law / law.sum()


def _laws(given: Mapping[str, object]) -> Hypotheses | None:
    laws = given.get("law")
    if laws is None:
        return None
    if not isinstance(laws, list) or len(laws) < 2 or not all(isinstance(law, dict) for law in laws):
        raise BadValue("A campaign that tests has two or more [[law]] tables, each with a name and all shares.")
    try:
        shares = tuple(tuple(float(share) for share in law["shares"]) for law in laws)
        names = tuple(str(law["name"]) for law in laws)
    except (KeyError, TypeError, ValueError):
        raise BadValue("Each [[law]] needs a name and a list of shares, one for each answer.") from None
    size, power = (float(cast(float, given.get(name, usual))) for name, usual in (("size", 0.05), ("power", 0.9)))
    return Hypotheses(names=names, laws=shares, size=size, power=power)


def _there(given: Mapping[str, object], name: str) -> object:
    found = given.get(name)
    if found is None or found == "":
        raise BadValue(f"The campaign needs {name}.")
    return found
