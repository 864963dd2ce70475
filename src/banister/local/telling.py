"""Which of several laws holds, from randomized reports: the likeliest one, and how often that is wrong."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from banister import need
from banister.core.exact.search import least_whole
from banister.core.programs.linear import Floats, Ints
from banister.errors import BadValue
from banister.local.channels.base import Channel
from banister.local.designs.priors import law, same_length
from banister.local.testing import MOST_EXACT, tail_between

_MOST_PEOPLE = 1 << 40


@dataclass(frozen=True, slots=True, kw_only=True)
class TellingErrors:
    """How often the likeliest law is another than the one that holds: a chance for each law.

    >>> from banister.local import RandomizedResponse
    >>> laws = [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]]
    >>> found = errors_of_telling(RandomizedResponse(2, categories=3), laws, people=12)
    >>> [round(chance, 3) for chance in found.wrong], found.method
    ([0.056, 0.056, 0.056], 'exact')
    """

    people: int
    wrong: tuple[float, ...]
    method: str
    """exact; or at most, the sum over all other laws of the chance that one is as likely."""

    @property
    def largest(self) -> float:
        return max(self.wrong)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldLaw:
    """The likeliest law, by how much each is less likely than it (in natural logarithms), and the errors."""

    law: int
    behind: tuple[float, ...]
    errors: TellingErrors


def tell(channel: Channel, laws: Sequence[ArrayLike], counts: Ints) -> ToldLaw:
    """The law under which these counts of reports are likeliest, with the errors of this rule.

    >>> from banister.local import RandomizedResponse
    >>> import numpy as np
    >>> laws = [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]]
    >>> tell(RandomizedResponse(2, categories=3), laws, np.array([11, 30, 19])).law
    1
    """
    logs = np.log(_reported(channel, laws))
    likelihoods = logs @ counts
    best = int(likelihoods.argmax())
    behind = tuple(float(likelihoods[best] - one) for one in likelihoods)
    return ToldLaw(law=best, behind=behind, errors=errors_of_telling(channel, laws, people=int(counts.sum())))


def errors_of_telling(channel: Channel, laws: Sequence[ArrayLike], *, people: int) -> TellingErrors:
    """How often the likeliest law is a wrong one with so many reports, whichever law holds.

    Exact:  by summing over all samples where they are few. Upper bound: else, the sum over all other laws of the chance
    that one is at least as likely, each exact or by the saddle point.
    """
    count = need.whole("people", people, least=1)
    reported = _reported(channel, laws)
    merged = _merged(reported)
    if math.comb(count + merged.shape[1] - 1, merged.shape[1] - 1) <= MOST_EXACT:
        return TellingErrors(people=count, wrong=_summed(merged, count), method="exact")
    wrong = tuple(
        min(1.0, sum(tail_between(channel, laws[i], laws[j], people=count) for j in range(len(laws)) if j != i))
        for i in range(len(laws))
    )
    return TellingErrors(people=count, wrong=wrong, method="at most")


def people_to_tell(channel: Channel, laws: Sequence[ArrayLike], *, power: float) -> int:
    """How many reports are enough for the likeliest law to be the right one with this chance, whichever holds.

    Upper bound:  at this number the sum over pairs of laws is small enough; to one part in 4096.

    >>> from banister.local import RandomizedResponse
    >>> laws = [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]]
    >>> people_to_tell(RandomizedResponse(2, categories=3), laws, power=0.9)
    10
    """
    if not 1 / len(laws) < power < 1:
        raise BadValue(f"power = {power} must be above 1/{len(laws)}, which a guess has, and below 1.")
    reported = _reported(channel, laws)
    for i, one in enumerate(reported):
        if any(float(np.abs(one - other).sum()) < 1e-12 for other in reported[:i]):
            raise BadValue("The reports have the same law under two of the hypotheses, so no number of them is enough.")

    def reached(people: int) -> bool:
        if people > _MOST_PEOPLE:
            raise BadValue("More than 10^12 reports would be needed. Raise epsilon, or ask for less power.")
        return all(
            sum(tail_between(channel, laws[i], laws[j], people=people) for j in range(len(laws)) if j != i) <= 1 - power
            for i in range(len(laws))
        )

    return least_whole(reached, above=0, start=1, within=Fraction(1, 4096))


def _reported(channel: Channel, laws: Sequence[ArrayLike]) -> Floats:
    """The law of reports under each hypothesis, a row each, over the reports that can come."""
    if len(laws) < 2:
        raise BadValue(f"There are {len(laws)} laws to tell apart; at least two are needed.")
    given = same_length([law(f"law {i + 1}", values) for i, values in enumerate(laws)])
    if given[0].size != channel.categories:
        raise BadValue(f"The laws have {given[0].size} shares each; the channel has {channel.categories} categories.")
    found = np.array([channel.output_law(one) for one in given])
    if np.any(found <= 0):
        raise BadValue("A report is impossible under one of the laws, so a single one decides. No test is needed.")
    return found


def _merged(reported: Floats) -> Floats:
    """Reports that no law tells apart count as one."""
    shape = (reported / reported.sum(axis=0)).round(12)
    _, place = np.unique(shape, axis=1, return_inverse=True)
    return np.array([np.bincount(place.ravel(), weights=row) for row in reported])


def _summed(merged: Floats, people: int) -> tuple[float, ...]:
    """The chance of a wrong choice under each law, over every way to split the people; a tie is wrong."""
    from scipy.special import gammaln

    laws, kinds = merged.shape
    left, logs = np.array([people]), np.zeros((laws, 1))
    ways = np.full(1, float(gammaln(people + 1)))
    for kind in range(kinds):
        last = kind == kinds - 1
        counts = left if last else np.concatenate([np.arange(n + 1) for n in left])
        source = np.arange(left.size) if last else np.repeat(np.arange(left.size), left + 1)
        logs = logs[:, source] + np.log(merged[:, kind])[:, None] * counts
        ways = ways[source] - gammaln(counts + 1)
        left = left[source] - counts
    ordered = np.sort(logs, axis=0)
    alone = ordered[-1] - ordered[-2] > 1e-9
    mass = np.exp(logs + ways)
    right = (logs.argmax(axis=0)[None, :] == np.arange(laws)[:, None]) & alone
    return tuple(max(0.0, 1 - float(found)) for found in np.where(right, mass, 0).sum(axis=1))
