"""Exact whole vectors from the staircase law of the sum of sizes, for every dimension.

The law on Z^d is P(x) ∝ b^k where j < step and b^(k+1) elsewhere, for |x₁| + … + |x_d| = k · period + j. It is a
mixture of uniform laws on balls: radius step - 1 + K · period, with

    P(K = k) ∝ b^k N(step - 1 + k · period),        N(n) = number of whole vectors within n.

N is a polynomial in k with positive coordinates c_j in the basis C(k, j), and Σ_k b^k C(k, j) = b^j / (1 - b)^(j+1). So
K is J + G₁ + … + G_(J+1), with P(J = j) ∝ c_j (b/(1-b))^j on 0 … d and geometric G: no table grows with anything.

A uniform point of a ball: the number of coordinates that are not 0, which ones, their signs, and a subset of
1 … radius whose gaps are their sizes. All in whole numbers.
"""

from bisect import bisect_right
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate

import numpy as np
from flint import arb, fmpz
from numpy.typing import NDArray

from banister.core.exact.numbers import exp_ball
from banister.core.laws.lattice import points_within, polynomial_differences, supports_within
from banister.errors import Undrawable
from banister.sampling.bernoulli import FILTER_MARGIN
from banister.sampling.bits import BitSource
from banister.sampling.geometric import GeometricDraw
from banister.sampling.table import ExactTable
from banister.sampling.uniform import uniform_below, uniform_below_each

Integers = NDArray[np.int64]

_FARTHEST = 1 << 61
_ROWS_AT_ONCE = 1 << 15
_BEYOND = np.iinfo(np.int64).max


class LatticeStaircaseDraw:
    """Draws of whole vectors from the staircase law with that epsilon, period and step."""

    __slots__ = ("_geometric", "_mixture", "dimension", "period", "step")

    def __init__(
        self, epsilon: Fraction, period: int, step: int, dimension: int, *, glance: int = 16, word: int = 64
    ) -> None:
        within_64_bits(epsilon, period, dimension)
        self.period, self.step, self.dimension = period, step, dimension
        self._geometric = GeometricDraw(epsilon, glance=glance, word=word)
        self._mixture = ExactTable(_terms_law(epsilon, period, step, dimension), glance=glance, word=word)

    def draw(self, bits: BitSource) -> list[int]:
        """One vector."""
        terms = self._mixture.draw(bits)
        periods = terms + sum(self._geometric.draw(bits) for _ in range(terms + 1))
        return uniform_in_ball(self.step - 1 + periods * self.period, self.dimension, bits)

    def draw_many(self, count: int, bits: BitSource) -> Integers:
        """Many vectors, one per row."""
        rows = [
            uniform_in_balls(self.radii(min(_ROWS_AT_ONCE, count - start), bits), self.dimension, bits)
            for start in range(0, count, _ROWS_AT_ONCE)
        ]
        return np.concatenate(rows) if rows else np.zeros((0, self.dimension), dtype=np.int64)

    def radii(self, count: int, bits: BitSource) -> Integers:
        """The radius of the ball for each vector."""
        terms = self._mixture.draw_many(count, bits).astype(np.int64)
        periods = terms.copy()
        for term in range(self.dimension + 1):
            places = np.flatnonzero(terms >= term)
            if not places.size:
                break
            periods[places] += self._geometric.draw_many(places.size, bits)
        return self.step - 1 + periods * self.period


def farthest_period(epsilon: Fraction, dimension: int) -> int:
    """The longest period that can be drawn: less than about e^-1000 of its law lies beyond 2^61."""
    return int(_FARTHEST * min(epsilon, Fraction(1))) // (1000 + 50 * dimension)


def within_64_bits(epsilon: Fraction, period: int, dimension: int) -> None:
    """Refuse a law that reaches beyond 64-bit integers."""
    if period > farthest_period(epsilon, dimension):
        raise Undrawable(
            f"A sensitivity of {period} grid steps at epsilon {float(epsilon):.3g} reaches beyond 64-bit integers. "
            "Take a coarser grid or a larger epsilon."
        )


@lru_cache(maxsize=64)
def lattice_staircase_draw(epsilon: Fraction, period: int, step: int, dimension: int) -> LatticeStaircaseDraw:
    """The sampler for that law, made once."""
    return LatticeStaircaseDraw(epsilon, period, step, dimension)


def uniform_in_ball(radius: int, dimension: int, bits: BitSource) -> list[int]:
    """A whole vector with |x₁| + … + |x_d| ≤ radius, all equally likely; see `uniform_in_balls`."""
    sums = list(accumulate(supports_within(dimension, radius)))
    support = bisect_right(sums, uniform_below(sums[-1], bits))
    places = sorted(_subset(dimension, support, bits))
    ends = sorted(_subset(radius, support, bits))
    vector, before = [0] * dimension, 0
    for place, end in zip(places, ends, strict=True):
        vector[place - 1] = before - end if bits.take(1) else end - before
        before = end
    return vector


def _subset(top: int, size: int, bits: BitSource) -> set[int]:
    """A subset of 1 … top of that size, all equally likely, by Floyd's method."""
    chosen: set[int] = set()
    for last in range(top - size + 1, top + 1):
        drawn = uniform_below(last, bits) + 1
        chosen.add(last if drawn in chosen else drawn)
    return chosen


def uniform_in_balls(radii: Integers, dimension: int, bits: BitSource, *, word: int = 64) -> Integers:
    """For each radius n a whole vector with |x₁| + … + |x_d| ≤ n, all equally likely.

    A vector with j nonzero coordinates is a set of j places, j signs, and a subset of 1 … n of size j: in order, its
    elements are the partial sums of the sizes.
    """
    supports = _support_sizes(radii, dimension, bits, word)
    used = np.arange(dimension) < supports[:, None]
    places = np.where(used, np.arange(dimension), dimension)
    some = np.flatnonzero((supports < dimension) & (supports > 0))
    if some.size:
        chosen = _subsets(np.full(some.size, dimension, dtype=np.int64), supports[some], dimension, bits, word)
        places[some] = np.minimum(chosen - 1, dimension)
    ends = np.sort(_subsets(radii, supports, dimension, bits, word), axis=1)
    starts = np.concatenate([np.zeros((radii.size, 1), dtype=np.int64), ends[:, :-1]], axis=1)
    sizes: Integers = np.where(used, ends - starts, 0)
    negative = _bits_for(used, bits, word)
    vectors: Integers = np.zeros((radii.size, dimension + 1), dtype=np.int64)
    np.put_along_axis(vectors, places, np.where(negative, -sizes, sizes), axis=1)
    return vectors[:, :dimension]


def _support_sizes(radii: Integers, dimension: int, bits: BitSource, word: int) -> Integers:
    """How many coordinates are not 0: P(j) ∝ 2^j C(d, j) C(n, j). Doubles decide unless the call is close."""
    shares = _support_shares(radii.astype(np.float64), dimension)
    words = bits.words(radii.size, word)
    uniform = words.astype(np.float64) * 2.0**-word
    supports: Integers = np.asarray(np.sum(shares <= uniform[:, None], axis=1), dtype=np.int64)
    close = np.any(np.abs(shares - uniform[:, None]) <= FILTER_MARGIN + 2.0**-word, axis=1)
    for place in np.flatnonzero(close):
        supports[place] = _support_exactly(int(radii[place]), dimension, int(words[place]), bits, word)
    return supports


def _support_shares(radii: NDArray[np.float64], dimension: int) -> NDArray[np.float64]:
    """P(at most j coordinates are not 0) for j = 0 … d - 1, in doubles with a relative error of about d · 2^-51."""
    weights = np.zeros((radii.size, dimension + 1))
    top = np.minimum(radii, dimension)
    weights[:, dimension] = top == dimension
    for j in range(dimension - 1, -1, -1):
        ratio = (j + 1) ** 2 / (2.0 * (dimension - j) * np.maximum(radii - j, 1))
        weights[:, j] = np.where(top == j, 1.0, np.where(top > j, weights[:, j + 1] * ratio, 0.0))
    sums = np.cumsum(weights, axis=1)
    return np.asarray(sums[:, :-1] / sums[:, -1:], dtype=np.float64)


def _support_exactly(radius: int, dimension: int, prefix: int, bits: BitSource, word: int) -> int:
    """The number of nonzero coordinates for a uniform number that begins with `prefix`, in whole numbers."""
    sums = list(accumulate(supports_within(dimension, radius)))
    length = word
    while True:
        least = sum(s << length <= prefix * sums[-1] for s in sums[:-1])
        most = sum(s << length < (prefix + 1) * sums[-1] for s in sums[:-1])
        if least == most:
            return least
        prefix = (prefix << word) | bits.take(word)
        length += word


def _subsets(tops: Integers, sizes: Integers, width: int, bits: BitSource, word: int) -> Integers:
    """For each row a subset of 1 … top of that size, all equally likely; unused columns hold the largest integer.

    Floyd's method: for t = top - size + 1 … top, take a uniform number up to t, or t itself if that one is taken.
    """
    chosen = np.full((tops.size, width), _BEYOND, dtype=np.int64)
    for column in range(int(sizes.max(initial=0))):
        rows = np.flatnonzero(sizes > column)
        last = tops[rows] - sizes[rows] + column + 1
        drawn = uniform_below_each(last, bits, word=word) + 1
        taken = np.any(chosen[rows, :column] == drawn[:, None], axis=1)
        chosen[rows, column] = np.where(taken, last, drawn)
    return chosen


def _bits_for(places: NDArray[np.bool_], bits: BitSource, word: int) -> NDArray[np.bool_]:
    """A fair bit for each place that is true, and false elsewhere."""
    count, width = int(np.count_nonzero(places)), min(word, 8)
    octets = bits.words(-(-count // width), width).astype(np.uint8)
    fair = np.zeros(places.shape, dtype=np.bool_)
    fair[places] = np.unpackbits(octets[:, None], axis=1)[:, 8 - width :].ravel()[:count].view(np.bool_)
    return fair


class _terms_law:  # noqa: N801  (a function with its parameters)
    """P(J ≤ j) for j = 0 … d - 1, with P(J = j) ∝ c_j (b/(1-b))^j."""

    def __init__(self, epsilon: Fraction, period: int, step: int, dimension: int) -> None:
        self.epsilon = epsilon
        self.heads = polynomial_differences(lambda k: points_within(dimension, step - 1 + k * period), dimension)

    def __call__(self) -> list[arb]:
        odds = 1 / (exp_ball(self.epsilon) - 1)
        sums = list(accumulate(arb(fmpz(head)) * odds**j for j, head in enumerate(self.heads)))
        return [share / sums[-1] for share in sums[:-1]]
