"""Asked again: what a person gives away over all rounds, by how the answers of the rounds hang together.

A report is drawn once and kept, and what is sent is the kept report or a fresh second randomization of it. With the
kept report y drawn from Q(·|x) and c reports in all, the second step is randomized response of level r on the reports,
R(z|y) = s e^(r [z = y]) with s = 1/(e^r + c - 1). Proofs are in docs/math/repeated-answers.md.
"""

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

import numpy as np

from banister import need
from banister.core.exact.numbers import BALL_BITS, Bracket, Number, ball, exp_ball, float_up, precision
from banister.core.privacy.guarantee import Guarantee
from banister.core.programs.linear import Floats
from banister.errors import BadValue
from banister.local.channels.base import Channel
from banister.local.channels.response import RandomizedResponse

SHARED_BY = 20
"""People for each report that there is, from which on a report that is kept names nobody."""
MOST_KEPT = 4096
"""Reports up to which a second step is offered: randomized response on more of them would leave nothing."""
MOST_ROUNDS = 1_000_000
_SLACK = Fraction(1, 1 << 40)
"""Above the error of any double that a channel states its likeliest and its rarest entry by."""


class Repeat(Enum):
    """How the answers of several rounds hang together.

    >>> Repeat("permanent") is Repeat.PERMANENT
    True
    """

    ONCE = "once"
    """One round. The report is kept, so that whoever is asked again sends the same."""
    PERMANENT = "permanent"
    """For what does not change: one report is drawn and kept, and goes through the second step in each round."""
    MEMOISED = "memoised"
    """For what changes: one report is drawn and kept for each value, and goes through the second step in each round."""
    FRESH = "fresh"
    """Drawn anew in each round: the levels add up."""


@dataclass(frozen=True, slots=True, init=False)
class Repetition:
    """How often people are asked, and how their answers hang together; `second` is the level of the second step.

    >>> from banister.local import RandomizedResponse
    >>> asked = Repetition("permanent", rounds=30, second="1/2")
    >>> channel = RandomizedResponse(1, categories=2)
    >>> round(asked.level(channel, rounds=1), 4), round(asked.level(channel), 4)
    (0.2273, 1.0)
    """

    kind: Repeat
    rounds: int
    second: Fraction | None

    def __init__(self, kind: Repeat | str, *, rounds: int = 1, second: Number | None = None) -> None:
        try:
            chosen = Repeat(kind)
        except ValueError:
            named = ", ".join(each.value for each in Repeat)
            raise BadValue(f"'{str(kind)[:40]}' is no way to answer again. There are: {named}.") from None
        object.__setattr__(self, "kind", chosen)
        object.__setattr__(self, "rounds", need.whole("rounds", rounds, least=1, most=MOST_ROUNDS))
        object.__setattr__(self, "second", None if second is None else need.positive("second", second))
        self._check()

    def _check(self) -> None:
        if self.kind is Repeat.ONCE and self.rounds != 1:
            raise BadValue(
                f"rounds = {self.rounds} with answers given once. Choose permanent, memoised or fresh answers."
            )
        if self.kind in (Repeat.ONCE, Repeat.FRESH) and self.second is not None:
            raise BadValue(f"Answers given {self.kind.value} have no second step. Leave its level out.")
        if self.kind is Repeat.MEMOISED and self.second is None:
            raise BadValue(
                "Memoised answers need a second step: without it two different reports can come from a history that "
                "changes and never from one that does not, so the loss is infinite. Give its level, e.g. second = 1/2."
            )

    def check(self, channel: Channel, people: int) -> None:
        """Refuse a channel whose kept reports would be name tags, or that cannot go through the second step."""
        if channel.guarantee.delta and self.kind is not Repeat.ONCE and self.kind is not Repeat.FRESH:
            raise BadValue(f"A channel with delta = {channel.guarantee.delta} can be answered once or fresh, not kept.")
        if self.second is not None and channel.outputs > MOST_KEPT:
            raise BadValue(
                f"The channel has {count_words(channel.outputs)} reports; a second step takes {MOST_KEPT} at most. "
                "Choose randomized response, or ask for fewer answers."
            )
        if self.second is not None and channel.packed:
            raise BadValue(
                "Rows of bits cannot go through a second step. Choose another channel, such as randomized response."
            )
        if self.kept and self.second is None and SHARED_BY * channel.outputs > people:
            raise BadValue(
                f"A kept report is a name tag: the channel has {count_words(channel.outputs)} reports for {people} "
                f"people, and sent again it needs {SHARED_BY} people a report. Give a level for the second step, or "
                "take a channel with fewer reports."
            )

    @property
    def kept(self) -> bool:
        """Whether a report is sent in more than one round."""
        return self.kind in (Repeat.PERMANENT, Repeat.MEMOISED)

    def takes_kept(self, channel: Channel, people: int) -> bool:
        """Whether a report that was drawn for another campaign may be sent in this one: blurred again, or as it is
        where enough people share it. Else two askers could tell by it that they ask the same person.

        >>> from banister.local import RandomizedResponse
        >>> channel = RandomizedResponse(1, categories=50)
        >>> Repetition("once").takes_kept(channel, 1000), Repetition("once").takes_kept(channel, 999)
        (True, False)
        """
        if self.kind not in (Repeat.ONCE, Repeat.PERMANENT):
            return False
        return self.second is not None or SHARED_BY * channel.outputs <= people

    def charge(self, channel: Channel) -> Guarantee:
        """What a person's ledger writes down before the first round, for all rounds: simple fractions, never too low.

        Private:  between any two histories of answers.
        """
        promise = channel.guarantee
        if self.kind is Repeat.FRESH:
            return Guarantee(promise.epsilon * self.rounds, min(Fraction(1), promise.delta * self.rounds))
        if self.kind is Repeat.MEMOISED:
            assert self.second is not None  # Checked when the value was made.
            once = promise.epsilon if self.rounds == 1 else self.second * self.rounds
            return Guarantee(min(once, self.second * self.rounds))
        return promise

    def level(self, channel: Channel, rounds: int | None = None) -> float:
        """The largest loss after so many rounds (all of them where none are said) between two values that stay.

        ln (1 + q E)/(1 + q e^-epsilon E) with q the likeliest entry of the channel and E = e^(r rounds) - 1: the worst
        is to see one report in every round.
        Exact:  for designed channels and those that count, up to 2^-40. Upper bound: for other matrices.
        """
        times = self.rounds if rounds is None else need.whole("rounds", rounds, least=1, most=self.rounds)
        epsilon = channel.guarantee.epsilon
        if self.kind is Repeat.FRESH:
            return float_up(epsilon * times)
        if self.second is None:
            return float_up(epsilon)
        peak = min(Fraction(1), Fraction(channel.likeliest) * (1 + _SLACK))
        with precision(BALL_BITS):
            grown = (ball(self.second * times)).expm1() * ball(peak)
            told = ((1 + grown) / (1 + grown * exp_ball(-epsilon))).log()
            return min(float_up(epsilon), Bracket.of_ball(told).up)

    def level_between_histories(self, channel: Channel, rounds: int | None = None) -> float:
        """The largest loss after so many rounds between any two histories, also one that changes and one that stays.

        For memoised answers r · rounds · (1 - the rarest entry of the channel), and after one round the same as
        `level`; for all others the same as `level`, since a permanent value has no history.
        Upper bound:  for memoised answers in more than one round; tests hold the truth below it by enumeration.
        """
        times = self.rounds if rounds is None else need.whole("rounds", rounds, least=1, most=self.rounds)
        if self.kind is not Repeat.MEMOISED or times == 1:
            return self.level(channel, times)
        assert self.second is not None
        rarest = max(Fraction(0), Fraction(float(channel.matrix.min())) * (1 - _SLACK))
        return float_up(self.second * times * (1 - rarest))

    def sent_matrix(self, channel: Channel) -> Floats:
        """The law of what is sent in one round, a row for each answer: Q, or Q after the second step."""
        if self.second is None:
            return channel.matrix
        step = self.step(channel)
        result: Floats = step.spill + (step.keep - step.spill) * channel.matrix
        return result

    def step(self, channel: Channel) -> RandomizedResponse:
        """The second step: randomized response on the reports of the channel."""
        if self.second is None:
            raise BadValue(f"Answers given {self.kind.value} have no second step here.")
        return RandomizedResponse(self.second, channel.outputs)

    def in_words(self, channel: Channel) -> str:
        """What all rounds give away, for a person."""
        same, any_history = self.level(channel), self.level_between_histories(channel)
        first = self.level(channel, 1)
        if self.kind is Repeat.ONCE:
            return f"epsilon {_up(first)}. Asked again, the same report is sent: that adds nothing."
        if self.kind is Repeat.FRESH:
            return f"epsilon {_up(first)} a round, epsilon {_up(same)} after {self.rounds} rounds: each report adds."
        kept = f"epsilon {_up(first)} in the first round, epsilon {_up(same)} after {self.rounds} rounds"
        if self.kind is Repeat.PERMANENT:
            return f"{kept}, and never more than epsilon {_up(float_up(channel.guarantee.epsilon))}."
        return (
            f"{kept} if your value stays; between a history that changes and any other at most epsilon "
            f"{_up(any_history)}: who sees all rounds can see that something changed."
        )


def people_a_report(channel: Channel, people: int) -> Fraction:
    """How many people share a report, on average.

    >>> from banister.local import RandomizedResponse
    >>> people_a_report(RandomizedResponse(1, categories=4), 100)
    Fraction(25, 1)
    """
    return Fraction(people, channel.outputs)


def count_words(outputs: int) -> str:
    """How many reports there are; a power of two where they are rows of bits."""
    return f"{outputs:,}" if outputs < 1 << 53 else f"2^{outputs.bit_length() - 1}"


def _up(level: float) -> str:
    """Four digits, rounded up."""
    if not np.isfinite(level):
        return "unbounded"
    scale = Fraction(10) ** 4
    return f"{float(Fraction(-((-Fraction(level) * scale) // 1)) / scale):g}"
