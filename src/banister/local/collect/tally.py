"""Running totals of a question: what reports count for, added up as they come, and the estimate from it alone."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banister.core.programs.linear import Ints
from banister.errors import BadValue
from banister.local.channels.base import Channel, Values, commonest
from banister.local.collect.campaign import Campaign
from banister.local.collect.repeat import Repetition
from banister.local.estimates import Estimate, of_histogram
from banister.local.telling import ToldLaw, tell
from banister.local.testing import Verdict, verdict_of

_HEX = frozenset("0123456789abcdef")


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """Counts that add up over heaps of reports, how many reports there were, and how often the commonest came.

    `commonest` over several heaps is the largest of them: never too large.
    """

    counts: Ints
    reports: int
    commonest: int

    def plus(self, other: "Tally") -> "Tally":
        """Both heaps together."""
        return Tally(self.counts + other.counts, self.reports + other.reports, max(self.commonest, other.commonest))


def added(parts: Sequence[Tally]) -> Tally:
    """All heaps together; there is one at least."""
    counts = np.sum([part.counts for part in parts], axis=0)
    return Tally(counts, sum(part.reports for part in parts), max(part.commonest for part in parts))


def empty(channel: Channel, repetition: Repetition) -> Tally:
    """No report yet."""
    none = np.zeros((0, -(-channel.categories // 64)) if channel.packed else 0, dtype=np.int64)
    return tally(channel, repetition, none)


def tally(channel: Channel, repetition: Repetition, values: Values) -> Tally:
    """What these checked reports count for: after a second step each report is counted, else as the channel says."""
    if repetition.second is not None:
        counted: Ints = np.bincount(values, minlength=channel.outputs)
    else:
        counted = channel.tallied(values)
    return Tally(counted.astype(np.int64), len(values), commonest(values) if len(values) else 0)


def estimate(channel: Channel, repetition: Repetition, found: Tally) -> Estimate:
    """Frequencies with their errors, from the totals alone."""
    if not found.reports:
        raise BadValue("There are no reports yet, so there is nothing to estimate.")
    if repetition.second is not None:
        return of_histogram(found.counts, repetition.sent_matrix(channel))
    return channel.unbiased_from(found.counts, found.reports, found.commonest)


def told(campaign: Campaign, found: Tally) -> ToldLaw:
    """Which of the laws of the campaign is likeliest, with the errors of this rule."""
    asked = campaign.hypotheses
    if asked is None or not found.reports:
        raise BadValue("There are no laws to tell apart here, or no reports yet.")
    return tell(campaign.questions[0].channel, asked.laws, found.counts)


def verdict(campaign: Campaign, found: Tally) -> Verdict:
    """Which of the two laws of the campaign holds, with the true errors of the test."""
    asked = campaign.hypotheses
    if asked is None or len(asked.laws) != 2 or not found.reports:
        raise BadValue("There are no two laws to tell apart here, or no reports yet.")
    return verdict_of(found.counts, campaign.questions[0].channel, asked.laws[0], asked.laws[1], size=asked.size)


def read_values(channel: Channel, given: list[object]) -> Values:
    """Reports as they came, if this channel can have made every one of them.

    A report is a whole number, or the row of bits of a packed channel in hexadecimal.
    """
    if not channel.packed:
        if set(map(type, given)) != {int}:
            raise BadValue("A report of this question is a whole number. Nothing was counted.")
        smallest, largest = min(given), max(given)  # type: ignore[type-var]
        if not 0 <= smallest <= largest < channel.outputs:  # type: ignore[operator]
            raise BadValue(f"Reports of this question are from 0 to {channel.outputs - 1}. Nothing was counted.")
        return np.array(given, dtype=np.int64)
    words = -(-channel.categories // 64)
    if not all(isinstance(text, str) and len(text) == 16 * words and _HEX.issuperset(text) for text in given):
        raise BadValue(f"A report of this question has {16 * words} digits from 0 to f. Nothing was counted.")
    rows: NDArray[np.int64] = np.frombuffer(bytes.fromhex("".join(map(str, given))), dtype="<i8")
    return channel.checked(rows.reshape(len(given), words).astype(np.int64))


def write_value(channel: Channel, values: Values) -> list[int | str]:
    """Reports as they are sent."""
    if channel.packed:
        return [row.astype("<i8").tobytes().hex() for row in values]
    return [int(value) for value in values]
