"""Exact draws of whole numbers z_1, …, z_K with sum 0 and P(z) ∝ e^(-rate · |z|₁/2).

z = X - Y, where X and Y are independent uniform weak compositions of one random total s into K parts, and
P(s) ∝ C(s+K-1, s)² θ^s with θ = e^-rate (docs/math/sanitize.md proves it). Let X_1, …, X_K be independent geometric
numbers of decay √θ. Their sum s has P(s) ∝ C(s+K-1, s) √θ^s and, given s, X is a uniform composition. So keep X with
probability p(s)/max p, about 71 times in 100, and s has the law above. Y is a uniform composition of the same s: a
uniform choice of K-1 bars among s+K-1 places. Every coin is decided in certified arithmetic; nothing is approximated.
"""

from fractions import Fraction
from functools import lru_cache

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from banister.core.exact.numbers import Computable, ball, exp_ball, precision, scaled_floor
from banister.errors import BadValue
from banister.sampling.bernoulli import bernoulli
from banister.sampling.bits import BitSource
from banister.sampling.geometric import GeometricDraw
from banister.sampling.uniform import uniform_below_many

Integers = NDArray[np.int64]

_WIDEST_TOTAL = 1 << 50
_DENSE = 12
"""Up to so many places a bar, a mask over all places is faster than sorting the bars."""
_MODE_BITS = 128


class LatticeDraw:
    """Draws of the noise vector for K cells; `rate` is the epsilon of replaced records."""

    __slots__ = ("_geometric", "_mode", "_width", "cells", "rate")

    def __init__(self, cells: int, rate: Fraction, *, glance: int = 16, word: int = 64) -> None:
        if cells * (2 / rate) > _WIDEST_TOTAL:
            raise BadValue(
                f"epsilon = {float(rate):.3g} is too small for {cells} cells: the noise would not fit 64-bit counts. "
                f"It must be at least {float(Fraction(2 * cells, _WIDEST_TOTAL)):.3g}."
            )
        self.cells, self.rate = cells, rate
        self._geometric = GeometricDraw(rate / 2, glance=glance, word=word)
        self._mode = total_mode(cells, rate)
        self._width = glance

    def draw(self, bits: BitSource) -> Integers:
        """One vector."""
        if self.cells == 1:
            return np.zeros(1, dtype=np.int64)
        while True:
            first = self._geometric.draw_many(self.cells, bits)
            total = int(first.sum())
            if bernoulli(keep_chance(self.cells, self.rate, total, self._mode), bits):
                return first - uniform_composition(total, self.cells, bits, width=self._width)


@lru_cache(maxsize=16)
def lattice_draw(cells: int, rate: Fraction) -> LatticeDraw:
    """The sampler for that many cells and that rate, made once."""
    return LatticeDraw(cells, rate)


def total_mode(cells: int, rate: Fraction) -> int:
    """The most likely sum of K geometric numbers of decay a = e^(-rate/2): ⌊(K-1) a/(1-a)⌋, never a near miss.

    The number under the floor is irrational, so enough bits always tell.
    """
    bits = _MODE_BITS
    while True:
        with precision(bits):
            a = exp_ball(-rate / 2)
            low, high = scaled_floor((cells - 1) * a / (1 - a), 0)
        if low == high:
            return low
        bits *= 2


def keep_chance(cells: int, rate: Fraction, total: int, mode: int) -> Computable:
    """p(total)/p(mode) for the sum of K geometric numbers of decay e^(-rate/2)."""

    def chance() -> arb:
        if total == mode:
            return arb(1)
        with precision(ctx.prec + 64 + 2 * cells.bit_length() + total.bit_length()):
            log = _log_ways(total, cells) - _log_ways(mode, cells) - ball(rate / 2) * (total - mode)
            return log.exp()

    return chance


def _log_ways(total: int, cells: int) -> arb:
    """log of (total+1)(total+2)…(total+K-1), which is C(total+K-1, total) times (K-1)!."""
    return arb(total + cells).lgamma() - arb(total + 1).lgamma()


def uniform_composition(total: int, cells: int, bits: BitSource, *, width: int = 16) -> Integers:
    """Whole numbers y_1, …, y_K ≥ 0 of that sum, all equally likely: K-1 bars among total + K - 1 places."""
    bars = uniform_subset(total + cells - 1, cells - 1, bits, width=width)
    edges = np.empty(cells + 1, dtype=np.int64)
    edges[0], edges[-1] = -1, total + cells - 1
    edges[1:-1] = bars
    return np.diff(edges) - 1


def uniform_subset(places: int, size: int, bits: BitSource, *, width: int = 16) -> Integers:
    """That many of the places 0, 1, …, in rising order, every subset equally likely."""
    if size == 0:
        return np.empty(0, dtype=np.int64)
    if places <= _DENSE * size:
        return _by_mask(places, size, bits, width)
    return _by_sorting(places, size, bits)


def _by_mask(places: int, size: int, bits: BitSource, width: int) -> Integers:
    """Toss a coin a place, then repair the surplus at random.

    Any mask whose law does not change when places change, repaired by a uniform choice among the places that are on
    (or off), is uniform among masks of its size; so the coin need not be exact, and it is not.
    """
    threshold = min(max((size << width) // places, 1), (1 << width) - 1)
    words = bits.words(places, width)
    mask = np.less(words, threshold)
    chosen = np.flatnonzero(mask)
    if chosen.size > size:
        surplus = _by_sorting(chosen.size, chosen.size - size, bits)
        return np.delete(chosen, surplus)
    if chosen.size < size:
        free = np.flatnonzero(~mask)
        added = free[_by_sorting(free.size, size - chosen.size, bits)]
        return np.sort(np.concatenate([chosen, added]))
    return chosen


def _by_sorting(places: int, size: int, bits: BitSource) -> Integers:
    """Draw places until enough are distinct, then drop a uniform choice of what is too many.

    Places play the same part in every step, so each set of the final size is equally likely.
    """
    if 2 * size > places:  # Choose what is left out: fewer repeats.
        rest = _by_sorting(places, places - size, bits) if size < places else np.empty(0, dtype=np.int64)
        return np.delete(np.arange(places), rest)
    distinct = np.empty(0, dtype=np.int64)
    while distinct.size < size:
        more = uniform_below_many(places, size - distinct.size + (size >> 6), bits)
        merged = np.sort(np.concatenate([distinct, more]))
        distinct = merged[np.concatenate([[True], merged[1:] != merged[:-1]])]
    if distinct.size == size:
        return distinct
    return np.delete(distinct, _by_sorting(distinct.size, distinct.size - size, bits))
