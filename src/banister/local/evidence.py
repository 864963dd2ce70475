"""What a collector holds: counts whose law is known up to the frequencies, and what they say for certain.

Both kinds give bounds on each frequency that hold for every number of reports and every law of the answers. How they
are computed is settled by the channel and the number of reports, never by what the reports say.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from banister.core.programs.linear import Floats, Ints

_STEPS_AN_OCTAVE = 3
_OCTAVES = (-2, 3)
"""Tilts that are tried, in octaves around the one that is best for many reports; a step costs 0.3 % of a width."""

_LARGEST_EXPONENT = 600.0
_MOST_AT_ONCE = 2_000_000
"""Weights of all samples together, beyond which each sample is bounded for itself, so that memory stays small."""


class Evidence(Protocol):
    """Reports, counted in the way that their channel needs."""

    def bounds(self, tail: float) -> tuple[Floats, Floats]:
        """Lower and upper bounds on each frequency; each of them fails with a chance of at most `tail`."""

    def misfit(self) -> float:
        """A p-value for "each report was drawn from this channel": small when no law of answers explains them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """How often each category was supported, when a report supports its own with `keep` and others with `spill`."""

    counts: Ints
    keep: float
    spill: float
    people: int
    commonest: int
    """How often the most common report came."""
    likeliest: float
    """The largest chance that any answer gives any report."""

    def bounds(self, tail: float) -> tuple[Floats, Floats]:
        """Clopper-Pearson bounds on the chance of a support, mapped to the frequency.

        A count that no frequency explains is read as that of the nearest frequency, which only widens the interval
        and keeps it from being empty.
        """
        from scipy.special import betaincinv

        n, spread = self.people, self.keep - self.spill
        least, most = sorted((n * self.spill, n * self.keep))
        few, many = np.clip(self.counts, 0.0, most), np.clip(self.counts, least, n)
        some, rest = np.maximum(few, 1e-9), np.minimum(many, n * (1 - 1e-12))
        low = np.where(few > 0, betaincinv(some, n - some + 1, tail), 0.0)
        high = np.where(many < n, betaincinv(rest + 1, n - rest, 1 - tail), 1.0)
        ends = (low - self.spill) / spread, (high - self.spill) / spread
        return ends if spread > 0 else (ends[1], ends[0])

    def misfit(self) -> float:
        """The exact chance of a category supported so rarely or so often at the end of the possible range, or of a
        report repeated so often: Σ over all groups of people of the chance that they all sent the same.
        """
        range_of = sorted((self.spill, self.keep))
        repeated = _log_choices(self.people, self.commonest) + (self.commonest - 1) * math.log(
            max(self.likeliest, 1e-300)
        )
        return min(1.0, 2 * extremeness(self.counts, self.people, *range_of), 2 * math.exp(min(repeated, 0.0)))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Weighed:
    """How often each report came, the channel's matrix, and the weights of reports whose mean is each frequency."""

    counts: Ints
    matrix: Floats
    decoder: Floats

    def bounds(self, tail: float) -> tuple[Floats, Floats]:
        means = self.decoder @ (self.counts / self.counts.sum())
        return tilted_bounds(self.matrix, self.decoder, means, people=int(self.counts.sum()), tail=tail)

    def misfit(self) -> float:
        """The exact binomial chance of a report so frequent or so rare, at the answer that makes it most so."""
        return extremeness(self.counts, int(self.counts.sum()), self.matrix.min(axis=0), self.matrix.max(axis=0))


def bounds_of_all(found: Sequence[Evidence], tail: float) -> list[tuple[Floats, Floats]]:
    """The bounds of each, all at once where reports came through one matrix; the same to the last digits."""
    first = found[0] if found else None
    if not isinstance(first, Weighed) or first.decoder.size * len(found) > _MOST_AT_ONCE:
        return [each.bounds(tail) for each in found]
    same = [each for each in found if isinstance(each, Weighed) and each.decoder is first.decoder]
    if len(same) < len(found):
        return [each.bounds(tail) for each in found]
    counts = np.array([each.counts for each in same])
    people = counts.sum(axis=1, keepdims=True)
    low, high = tilted_bounds(first.matrix, first.decoder, counts / people @ first.decoder.T, people=people, tail=tail)
    return list(zip(low, high, strict=True))


def extremeness(counts: Ints, people: int, least: Floats | float, most: Floats | float) -> float:
    """A p-value for "each count is binomial, its chance between least and most"; the counts may depend on each other.

    >>> extremeness(np.array([7, 3]), 10, 0.3, 0.7)
    1.0
    """
    from scipy.special import betainc

    rest = people - counts
    many = np.where(counts > 0, betainc(np.maximum(counts, 1), rest + 1, most), 1.0)
    few = np.where(rest > 0, betainc(np.maximum(rest, 1), counts + 1, 1 - np.asarray(least)), 1.0)
    return min(1.0, 2 * counts.size * float(min(many.min(), few.min())))


def _log_choices(people: int, some: int) -> float:
    return math.lgamma(people + 1) - math.lgamma(some + 1) - math.lgamma(people - some + 1)


def tilted_bounds(
    matrix: Floats, decoder: Floats, means: Floats, *, people: int | Ints, tail: float
) -> tuple[Floats, Floats]:
    """Bounds on each frequency from the mean weight of its reports, by inverting Chernoff's test.

    The weight Z of category v has mean 1 if the answer is v and 0 otherwise. With frequency p, for every tilt s,

        P(mean of Z ≥ z) ≤ e^(-s z n) (p E[e^(sZ)|v] + (1 - p) max_x≠v E[e^(sZ)|x])^n,

    whatever the other frequencies are. A p for which this is at most `tail` is rejected; it is linear in p, so each
    tilt gives a bound in closed form, and the best of all tilts is one. Means outside 0..1 are read as 0 or 1, which
    only widens. Holds for every number of people. `means` may have leading axes, one row of categories a sample, and
    `people` a number for each sample, with a last axis of 1.
    """
    k = decoder.shape[0]
    low, high = np.zeros_like(means), np.ones_like(means)
    if k == 1:  # There is nothing to be unsure of.
        return np.ones_like(means), high
    room = math.log(tail) / people
    spread = np.sqrt((decoder**2 @ matrix.T).max(axis=1))
    first, last = (_STEPS_AN_OCTAVE * octave for octave in _OCTAVES)
    for step in range(first, last + 1):
        tilt = np.sqrt(-2 * room) * 2.0 ** (step / _STEPS_AN_OCTAVE) / spread
        own, other = _grown(matrix, decoder, tilt)
        reached = np.expm1(tilt * np.minimum(means, 1) + room)
        low = np.maximum(low, np.where(own > other, (reached - other) / np.where(own > other, own - other, 1), 0))
        own, other = _grown(matrix, decoder, -tilt)
        reached = np.expm1(-tilt * np.maximum(means, 0) + room)
        high = np.minimum(high, np.where(own < other, (other - reached) / np.where(own < other, other - own, 1), 1))
    return low, high


def _grown(matrix: Floats, decoder: Floats, tilt: Floats) -> tuple[Floats, Floats]:
    """E[e^(sZ)] - 1 for the answer itself, and the largest of all other answers."""
    exponents = tilt[..., None] * decoder
    # Beyond that exponent the bound would be infinite; a category whose tilt is that large is left to smaller tilts.
    usable = exponents.max(axis=-1) < _LARGEST_EXPONENT
    grown = np.expm1(np.where(usable[..., None], exponents, 0.0)) @ matrix.T
    own = grown.diagonal(axis1=-2, axis2=-1).copy()
    itself = np.arange(decoder.shape[0])
    grown[..., itself, itself] = -np.inf
    return own, np.where(usable, grown.max(axis=-1), own)
