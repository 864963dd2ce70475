"""The optimal channel between two hypotheses, for every f-divergence: cut, then randomize the cells.

Order the categories by likelihood ratio. Some optimal channel favours intervals of that order only; the linear
program over intervals is a circulation on a line, so its vertices are partitions of the line into cells with
randomized response on the cells. What is left is the best partition, found by dynamic programming:

    OPT = max over partitions of  Σ_cells gain(cell) / (number of cells + e^epsilon - 1)

Proof in docs/math/local-design.md.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from banister import need
from banister.core.exact.numbers import Number
from banister.core.laws.utility import Divergence, divergence
from banister.core.programs.linear import Floats, Ints
from banister.errors import BadValue, Uncertified
from banister.local.channels.base import Certificate
from banister.local.channels.response import RandomizedResponse
from banister.local.designs.priors import pair

MOST_EXACT = 6000
"""Categories up to which all intervals are looked at; beyond, likelihood ratios are binned first."""

BINS = 1500
MARGIN = 1e-11
"""Relative width by which values are widened for rounding; doubles are off by far less than this."""

_MOST_ROUNDS = 60
_STEEPEST = 600.0
"""Beyond this, what epsilon still adds is far below the margin, and e^epsilon overflows a double."""


@dataclass(frozen=True, slots=True)
class Cut:
    """The best partition of ordered atoms: where the cells end, its value, the bound, and the dual values."""

    ends: Ints
    value: float
    bound: float
    dual: Floats


def design_between(epsilon: Fraction, p0: Floats, p1: Floats, kind: Divergence) -> RandomizedResponse:
    """The channel that keeps most of a divergence between two hypotheses.

    Optimal:  docs/math/local-design.md, from [K16] Thm 3.3.4; certified by the dual values.
    """
    order, starts = _merged(p0, p1)
    q0, q1 = np.add.reduceat(p0[order], starts), np.add.reduceat(p1[order], starts)
    atom_of = np.empty(p0.size, dtype=np.int64)
    atom_of[order] = np.repeat(np.arange(starts.size), np.diff(np.append(starts, p0.size)))
    if q0.size <= MOST_EXACT:
        cut = best_cut(float(epsilon), q0, q1, kind)
        return _channel(epsilon, cut, cut.bound, atom_of, kind, "intervals")
    low, high = _ratio_bins(q0, q1)
    return design_binned(epsilon, q0, q1, low, high, kind, atom_of)


def design_binned(
    epsilon: Fraction, q0: Floats, q1: Floats, low: Ints, high: Ints, kind: Divergence, atom_of: Ints
) -> RandomizedResponse:
    """For huge alphabets: bins of ordered atoms, from `low` to before `high`, with bounds from both sides.

    Merging a bin is a channel, so its value is reached. Two atoms at the extreme ratios of a bin, with the bin's
    masses, tell more than the bin (Blackwell's order), so their optimum is an upper bound.
    """
    b0, b1 = np.add.reduceat(q0, low), np.add.reduceat(q1, low)
    lower = best_cut(float(epsilon), b0, b1, kind)
    with np.errstate(divide="ignore"):
        ratios = q0 / q1
    s0, s1 = split_bins(b0, b1, ratios[low], ratios[high - 1])
    upper = best_cut(float(epsilon), s0, s1, kind)
    bin_of = np.repeat(np.arange(low.size), high - low)
    return _channel(epsilon, lower, upper.bound, bin_of[atom_of], kind, "bins")


def design_ranges(
    epsilon: Fraction, b0: Floats, b1: Floats, low: Floats, high: Floats, kind: Divergence
) -> RandomizedResponse:
    """For continuous data in bins: their masses, and the least and greatest likelihood ratio inside each.

    The categories of the channel are the bins. Its upper bound holds for every channel that sees the data unbinned.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = b0 / b1
    order = np.argsort(ratios, kind="stable")
    atom_of = np.argsort(order, kind="stable")
    lower = best_cut(float(epsilon), b0[order], b1[order], kind)
    s0, s1 = split_bins(b0, b1, low, high)
    with np.errstate(divide="ignore"):
        ranked = np.argsort(s0 / s1, kind="stable")
    upper = best_cut(float(epsilon), s0[ranked], s1[ranked], kind)
    return _channel(epsilon, lower, upper.bound, atom_of, kind, "bins")


def design_bins(
    *,
    epsilon: Number,
    masses: tuple[ArrayLike, ArrayLike],
    ratios: tuple[ArrayLike, ArrayLike],
    utility: str | Divergence,
) -> RandomizedResponse:
    """For continuous data cut into bins: the best channel on the bins, and a bound on every channel of the data itself.

    `masses` are the probabilities of the bins under both hypotheses, `ratios` the least and the greatest likelihood
    ratio p0/p1 inside each bin (the greatest may be infinite).

    >>> bins = design_bins(epsilon=1, masses=([0.5, 0.5], [0.3, 0.7]), ratios=([1, 0], [2, 1]), utility="kl")
    >>> bins.categories, bins.utility <= bins.upper_bound
    (2, True)
    """
    p0, p1 = pair(masses)
    low, high = (np.asarray(ratio, dtype=np.float64) for ratio in ratios)
    with np.errstate(divide="ignore"):
        inside = p0 / p1
    if low.shape != p0.shape or high.shape != p0.shape:
        raise BadValue(f"ratios must give a least and a greatest ratio for each of the {p0.size} bins.")
    if not np.all((low >= 0) & (low <= inside * (1 + 1e-9) + 1e-300) & (inside <= high * (1 + 1e-9) + 1e-300)):
        raise BadValue("In each bin the ratio of the masses must lie between the least and the greatest ratio.")
    return design_ranges(need.non_negative("epsilon", epsilon), p0, p1, low, high, divergence(utility))


def split_bins(b0: Floats, b1: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Each bin as two atoms of its lowest and highest ratio, with the same two masses."""
    wide, open_end = high > low, np.isinf(high)
    with np.errstate(divide="ignore", invalid="ignore"):
        top1 = np.where(open_end, 0.0, (b0 - low * b1) / (high - low))
        top0 = np.where(open_end, b0 - low * b1, high * top1)
    top1 = np.where(wide, np.clip(top1, 0, b1), 0.0)
    top0 = np.where(wide, np.clip(top0, 0, b0), 0.0)
    pairs0 = np.stack((b0 - top0, top0), axis=1).ravel()
    pairs1 = np.stack((b1 - top1, top1), axis=1).ravel()
    used = (pairs0 > 0) | (pairs1 > 0)
    return pairs0[used], pairs1[used]


def best_cut(epsilon: float, q0: Floats, q1: Floats, kind: Divergence) -> Cut:
    """The best partition of atoms that are ordered by likelihood ratio.

    Newton's method on the ratio (Dinkelbach): for a price on cells, the best partition by dynamic programming;
    its ratio is the next price. The price where the optimum is 0 is the answer.
    """
    a = math.expm1(min(epsilon, _STEEPEST))
    k = q0.size
    if a == 0 or k == 1:
        return Cut(np.array([k]), 0.0, 0.0, np.zeros(k))
    gains = _Gains(a, q0, q1, kind)
    noise = 2.0**-46 * a / (1 + a)  # Differences of masses are a times probabilities, each a few last places off.
    price = gains.largest_pair() / (2 + a)
    for _ in range(_MOST_ROUNDS):
        best, back = _longest(gains, price)
        ends = _walk(back)
        value = gains.total(ends) / (ends.size + a)
        excess = float(best[-1]) - price * a
        # V(p) - price b_p <= best, so every ratio is at most price + excess/(b + a), and b is at least 1.
        bound = price + max(0.0, excess) / (1 + a)
        if bound <= value * (1 + 1e-13) + noise:
            kept = max(0.0, value * (1 - MARGIN) - noise)
            return Cut(ends, kept, max(kept, bound * (1 + MARGIN) + noise), np.diff(best) / a)
        if value <= price:
            break
        price = value
    raise Uncertified("The search for the best partition did not settle; check that the divergence is convex.")


class _Gains:
    """gain([i, j)) for all intervals of ordered atoms: kept for small alphabets, made again for large ones."""

    __slots__ = ("_a", "_c1", "_columns", "_diff", "_kind", "size")

    def __init__(self, a: float, q0: Floats, q1: Floats, kind: Divergence) -> None:
        self._a, self._kind, self.size = a, kind, q0.size
        # Long doubles keep the prefix sums far more exact than the margin.
        self._c1 = np.concatenate(([0.0], np.cumsum(q1.astype(np.longdouble))))
        self._diff = np.concatenate(([0.0], np.cumsum(q0.astype(np.longdouble) - q1.astype(np.longdouble))))
        self._columns = [self._make(j) for j in range(1, self.size + 1)] if self.size <= 2500 else None

    def column(self, j: int) -> Floats:
        """The gains of the intervals [i, j) for i = 0..j - 1."""
        return self._make(j) if self._columns is None else self._columns[j - 1]

    def total(self, ends: Ints) -> float:
        starts = np.concatenate(([0], ends[:-1]))
        return float(sum(self.column(int(j))[i] for i, j in zip(starts, ends, strict=True)))

    def largest_pair(self) -> float:
        """The best value of two cells, a price to start from."""
        head = np.array([self.column(j)[0] for j in range(1, self.size)])
        return max(0.0, float((head + self.column(self.size)[1:]).max()))

    def _make(self, j: int) -> Floats:
        base = (1 + self._a * (self._c1[j] - self._c1[:j])).astype(np.float64)
        return self._kind.gain(base, (self._a * (self._diff[j] - self._diff[:j])).astype(np.float64))


def _longest(gains: _Gains, price: float) -> tuple[Floats, Ints]:
    """The largest Σ (gain - price) over partitions of each prefix, and where the last cell of each starts."""
    best = np.zeros(gains.size + 1)
    back = np.zeros(gains.size + 1, dtype=np.int64)
    for j in range(1, gains.size + 1):
        values = best[:j] + gains.column(j)
        back[j] = values.argmax()
        best[j] = values[back[j]] - price
    return best, back


def _walk(back: Ints) -> Ints:
    ends = [back.size - 1]
    while back[ends[-1]] > 0:
        ends.append(int(back[ends[-1]]))
    return np.array(ends[::-1])


def _merged(p0: Floats, p1: Floats) -> tuple[Ints, Ints]:
    """The order by likelihood ratio, and where each group of equal ratios starts in it.

    Categories of equal ratio may be averaged without loss; randomized response needs it ([K16] Thm 3.4.4 is false
    without).
    """
    with np.errstate(divide="ignore"):
        ratios = p0 / p1
    order = np.argsort(ratios, kind="stable")
    ordered = ratios[order]
    fresh = np.concatenate(([True], ordered[1:] != ordered[:-1]))
    return order, np.flatnonzero(fresh)


def _ratio_bins(q0: Floats, q1: Floats) -> tuple[Ints, Ints]:
    """Bins of about equal width on the scale arctan √ratio, weighted by mass so that none is empty."""
    angle = np.arctan2(np.sqrt(q0), np.sqrt(q1))
    travelled = np.cumsum(np.diff(angle, prepend=angle[0])) / max(angle[-1] - angle[0], 1e-300)
    mass = np.cumsum(q0 + q1) / 2
    place = np.minimum((BINS * (travelled + mass) / 2).astype(np.int64), BINS - 1)
    low = np.flatnonzero(np.concatenate(([True], place[1:] != place[:-1])))
    return low, np.append(low[1:], q0.size)


def _channel(
    epsilon: Fraction, cut: Cut, bound: float, atom_of: Ints, kind: Divergence, method: str
) -> RandomizedResponse:
    cell_of = np.searchsorted(cut.ends, atom_of, side="right")
    certificate = Certificate(
        utility_name=kind.name, method=method, utility=cut.value, upper_bound=bound, dual=cut.dual
    )
    return RandomizedResponse(epsilon, atom_of.size, cell_of=cell_of, certificate=certificate)
