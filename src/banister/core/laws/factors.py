"""Ways to measure counts that go on: which sums of periods get noise, and how totals are made of them.

What is wanted are the sums A x of all periods so far, or of the last few, where x holds what came in each period. A
factor measures R x, row by row as periods end, with one noise a row, and gives L (R x + noise) with L R = A. What a
person can move in R x sets the noise, what L makes of it the error. R is whole, so that what is measured is a whole
number and its noise can be drawn exactly; L is post-processing, where doubles will do, but for factors that draw ahead.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from banister import need
from banister.errors import BadValue

MOST_PERIODS = 4096
"""More than eleven years of days. Whole numbers of 64 bits hold every norm below up to here."""

SCALE = 2**16
"""A square root is measured in so many parts of 1."""

WHOLE_GRAM = 1024
"""Up to so many periods every pair of columns with mixed signs is looked at."""

Floats = NDArray[np.float64]
Row = tuple[tuple[int, int], ...]
"""A sum that is measured: periods, from 0, each with its whole weight."""


class Factor(Protocol):
    """A way to measure, as a frozen value. `window` is how many periods an answer looks back on: all, for a total."""

    @property
    def periods(self) -> int: ...
    @property
    def window(self) -> int: ...
    @property
    def name(self) -> str:
        """What it is called, for people."""
        ...

    @property
    def positive(self) -> bool:
        """Whether no two columns of R point apart, so that people who only add up never cancel out."""
        ...

    @property
    def ahead(self) -> bool:
        """Whether noise is drawn before all periods that it is for have ended. For pure noise alone."""
        ...

    def measured(self, period: int) -> tuple[Row, ...]:
        """The sums whose noise is drawn when a period ends: of that period and others, later ones only where ahead."""
        ...

    def later(self, period: int) -> Row:
        """The sums that were drawn before a period and that it is a part of, by their places, each with its weight."""
        ...

    def weights(self, period: int) -> tuple[tuple[int, float], ...]:
        """How the answer for a period is put together: measured sums, by their places in order, and a weight each."""
        ...

    def answer(self, period: int, measured: Sequence[Sequence[int]]) -> list[float]:
        """The answer for a period, for every cell, from the measured sums so far."""
        ...

    @property
    def errors(self) -> tuple[float, ...]:
        """The standard deviation of each period's answer where each measured sum has noise of deviation 1."""
        ...

    def squares(self, many: int) -> int:
        """How far a person who counts in so many periods, whichever, by 1 each, moves R x: the squared distance."""
        ...

    def sums(self, many: int) -> int:
        """The same, added up over all measured sums."""
        ...


@dataclass(frozen=True)
class RootFactor:
    """A = B B with B the square root: the coefficients of (1 - x)^(-1/2), or of ((1 - x^w) / (1 - x))^(1/2).

    R is B in whole parts of 2^-16, and L = A / R, so that L R = A whatever was rounded.

    Optimal:  nearly, for running totals, one period a person and Gaussian noise: no factorisation of 365 periods is
              below 2.58 (the trace norm; docs/math/streams.md). The factor was found by [FHU23].

    >>> root = RootFactor(365, 365)
    >>> round(math.sqrt(root.squares(1)) * max(root.errors), 3)
    2.944
    """

    periods: int
    window: int

    def __post_init__(self) -> None:
        check_periods(self.periods, self.window)

    @property
    def name(self) -> str:
        return "square root"

    @property
    def positive(self) -> bool:
        return self.window >= self.periods

    @property
    def ahead(self) -> bool:
        return False

    @cached_property
    def column(self) -> NDArray[np.int64]:
        """The first column of R: every other one is the same, further down."""
        found = np.ones(self.periods)
        for n in range(1, self.periods):
            found[n] = found[n - 1] * (2 * n - 1) / (2 * n)
        if self.window < self.periods:
            found = np.convolve(found, _root_of_one_minus(self.window, self.periods))[: self.periods]
        return np.floor(found * SCALE + 0.5).astype(np.int64)

    @cached_property
    def _back(self) -> Floats:
        """The first column of L: A / R as power series."""
        wanted = (np.arange(self.periods) < self.window).astype(np.float64)
        column, found = self.column.astype(np.float64), np.zeros(self.periods)
        for n in range(self.periods):
            found[n] = (wanted[n] - float(found[:n] @ column[n:0:-1])) / column[0]
        return found

    def measured(self, period: int) -> tuple[Row, ...]:
        whole = self.column[period::-1].tolist()
        return (tuple((at, weight) for at, weight in enumerate(whole) if weight),)

    def weights(self, period: int) -> tuple[tuple[int, float], ...]:
        return tuple(enumerate(self._back[period::-1].tolist()))

    def later(self, period: int) -> Row:
        return ()

    def answer(self, period: int, measured: Sequence[Sequence[int]]) -> list[float]:
        return _in_doubles(self.weights(period), measured)

    @cached_property
    def errors(self) -> tuple[float, ...]:
        return tuple(np.sqrt(np.cumsum(self._back**2)).tolist())

    def squares(self, many: int) -> int:
        """Exact for running totals; else an upper bound where a person counts in several periods.

        Entries of a running total's root are above 0 and fall, so that of all choices of periods the first ones move
        it most: closer and earlier columns have larger products. With mixed signs all products are counted against
        us: at most `many` times the largest sum of so many products in a row.
        """
        many = min(many, self.periods)
        if self.positive or many == 1:
            upto = np.cumsum(self.column)
            moved = upto - np.concatenate([np.zeros(min(many, self.periods), np.int64), upto])[: self.periods]
            return int((moved**2).sum())
        alone = int((self.column**2).sum())
        if self.periods > WHOLE_GRAM:
            return many**2 * alone
        return min(many**2 * alone, many * max(_largest(row, many) for row in _products(self.column)))

    def sums(self, many: int) -> int:
        return min(many, self.periods) * int(np.abs(self.column).sum())


@dataclass(frozen=True)
class TreeFactor:
    """Sums of single periods and of blocks of them, each block a whole number of smaller ones: `sizes` begin with 1.

    With the size 1 alone every period has noise of its own, and totals add it up.

    >>> two = TreeFactor(365, 365, (1, 19))
    >>> two.sums(1), round(two.sums(1) * max(two.errors), 1)
    (2, 12.0)
    """

    periods: int
    window: int
    sizes: tuple[int, ...]

    def __post_init__(self) -> None:
        check_periods(self.periods, self.window)
        check_sizes(self.sizes)

    @property
    def name(self) -> str:
        if len(self.sizes) == 1:
            return "noise each period"
        if len(self.sizes) > 3:
            return f"tree by {self.sizes[1]}, {len(self.sizes)} levels"
        return "blocks of " + " and ".join(str(size) for size in self.sizes)

    @property
    def positive(self) -> bool:
        return True

    @property
    def ahead(self) -> bool:
        return False

    @cached_property
    def _places(self) -> dict[tuple[int, int], int]:
        """The place of each block, by its size and its first period, in the order in which blocks end."""
        found: dict[tuple[int, int], int] = {}
        for period in range(self.periods):
            for size in self.sizes:
                if (period + 1) % size == 0:
                    found[size, period + 1 - size] = len(found)
        return found

    def measured(self, period: int) -> tuple[Row, ...]:
        ended = [size for size in self.sizes if (period + 1) % size == 0]
        return tuple(tuple((at, 1) for at in range(period + 1 - size, period + 1)) for size in ended)

    def weights(self, period: int) -> tuple[tuple[int, float], ...]:
        blocks = _cover(max(0, period + 1 - self.window), period + 1, self.sizes)
        return tuple(sorted((self._places[block], 1.0) for block in blocks))

    def later(self, period: int) -> Row:
        return ()

    def answer(self, period: int, measured: Sequence[Sequence[int]]) -> list[float]:
        return _in_doubles(self.weights(period), measured)

    @cached_property
    def errors(self) -> tuple[float, ...]:
        ends = range(1, self.periods + 1)
        return tuple(math.sqrt(_blocks(max(0, end - self.window), end, self.sizes)) for end in ends)

    def squares(self, many: int) -> int:
        """Exact:  of each size whole blocks first, as squares of what falls into a block grow fastest in full ones;
        the first periods do so for all sizes at once, and no block has more than its size."""
        many = min(many, self.periods)
        return sum((many // size) * size**2 + (many % size) ** 2 for size in self.sizes)

    def sums(self, many: int) -> int:
        return len(self.sizes) * min(many, self.periods)


def causal_factors(periods: int, window: int) -> tuple[Factor, ...]:
    """Ways in which no noise is drawn ahead: noise each period, the best trees of each height, and the square root."""
    check_periods(periods, window)
    trees = [TreeFactor(periods, window, sizes) for sizes in _best_sizes(periods, window)]
    return (*trees, RootFactor(periods, window))


@lru_cache(maxsize=64)
def _best_sizes(periods: int, window: int) -> tuple[tuple[int, ...], ...]:
    """For each number of levels the sizes whose largest number of blocks in an answer is least; blocks of two too."""
    found: dict[int, tuple[int, tuple[int, ...]]] = {}
    for sizes in (sizes for sizes in _tried(periods) if sizes[-1] <= periods):
        most = max(_blocks(max(0, end - window), end, sizes) for end in _ends(periods))
        if len(sizes) not in found or most < found[len(sizes)][0]:
            found[len(sizes)] = (most, sizes)
    return tuple(sizes for _, sizes in found.values())


def _tried(periods: int) -> Iterator[tuple[int, ...]]:
    yield (1,)
    root = math.isqrt(periods)
    for size in range(max(2, root // 2), 2 * root + 2):
        yield (1, size)
    third = round(periods ** (1 / 3))
    for small in range(max(2, third - 2), third + 3):
        for more in range(max(2, third - 2), third + 3):
            yield (1, small, small * more)
    for base in (2, 3, 4, 5, 6):
        yield tuple(base**level for level in range(math.floor(math.log(max(periods, base), base) + 1e-9) + 1))


def _ends(periods: int) -> range:
    """Ends of answers that are looked at: all of them, or so many that trees can still be compared."""
    return range(1, periods + 1, max(1, periods // 1500))


def _blocks(start: int, end: int, sizes: Sequence[int]) -> int:
    """How many blocks the periods from start to before end are made of."""
    if not sizes or start >= end:
        return 0
    size = sizes[-1]
    first, last = -(-start // size), end // size
    if first >= last:
        return _blocks(start, end, sizes[:-1])
    inside = last - first
    return inside + _blocks(start, first * size, sizes[:-1]) + _blocks(last * size, end, sizes[:-1])


def _cover(start: int, end: int, sizes: Sequence[int]) -> list[tuple[int, int]]:
    """The blocks that the periods from start to before end are made of, by size and first period."""
    if not sizes or start >= end:
        return []
    size = sizes[-1]
    first, last = -(-start // size), end // size
    if first >= last:
        return _cover(start, end, sizes[:-1])
    inside = [(size, at * size) for at in range(first, last)]
    return [*_cover(start, first * size, sizes[:-1]), *inside, *_cover(last * size, end, sizes[:-1])]


def _root_of_one_minus(window: int, periods: int) -> Floats:
    """The coefficients of (1 - x^w)^(1/2)."""
    found, factor = np.zeros(periods), 1.0
    for n in range(0, periods, window):
        found[n] = factor
        k = n // window + 1
        factor *= (2 * k - 3) / (2 * k)
    return found


def _products(column: NDArray[np.int64]) -> NDArray[np.int64]:
    """The sizes of all products of two columns of R."""
    periods = len(column)
    found = np.zeros((periods, periods), dtype=np.int64)
    for apart in range(periods):
        upto = np.cumsum(column[: periods - apart] * column[apart:])[::-1]  # By the later column, the first ends last.
        places = np.arange(periods - apart)
        found[places, places + apart] = found[places + apart, places] = np.abs(upto)
    return found


def _largest(row: NDArray[np.int64], many: int) -> int:
    return int(np.sort(row)[-many:].sum())


def _in_doubles(weights: Sequence[tuple[int, float]], measured: Sequence[Sequence[int]]) -> list[float]:
    found: list[float] = sum(
        (weight * np.array(measured[at], dtype=np.float64) for at, weight in weights), np.zeros(1)
    ).tolist()
    return found


def check_periods(periods: int, window: int) -> None:
    """Refuse numbers of periods for which there is no factor."""
    need.whole("periods", periods, least=1)
    need.whole("window", window, least=1)
    if periods > MOST_PERIODS:
        raise BadValue(f"periods = {periods} must be at most {MOST_PERIODS}. Take longer periods, or begin anew later.")


def check_sizes(sizes: Sequence[int]) -> None:
    """Refuse sizes of blocks that do not nest."""
    nested = all(b > a and b % a == 0 for a, b in pairwise(sizes))
    if not (sizes and sizes[0] == 1 and nested):
        raise BadValue(f"sizes = {sizes} must begin with 1, and each must be a multiple of the one before.")
