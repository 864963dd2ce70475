"""Blocks whose answers are made by least squares, with noise that is drawn before its periods have ended.

Where privacy is pure, noise is paid by how far a person moves what is measured, added up, and blocks of a few sizes are
all that can be measured well. An answer in the middle of a block is better put together from what is behind it *and*
before it: the block's own noise, less that of what is yet to come. So the noise of a block is drawn when it begins, and
what comes later is added to the measured sums when it comes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from banister.core.laws.factors import Factor, Floats, Row, causal_factors, check_periods, check_sizes

PARTS = 2**20
"""Weights are whole multiples of 1/PARTS, so that what has not come yet cancels out exactly."""

AT_ONCE = 128
"""So many answers are worked out at a time."""

FEW, MANY, FINALISTS = 48, 384, 12
"""All sizes are compared by a few answers, so many of each height by more."""

Whole = NDArray[np.int64]


@dataclass(frozen=True)
class AheadFactor:
    """R measures every block of every size, `sizes` begin with 1; L is the least-squares answer, and L R = A exactly.

    Weights of larger blocks are rounded, and those of single periods are what is then left, so that no rounding and no
    later period shows in an answer. Noise of the blocks within one of the largest size is drawn with its first period.

    Private:  for pure noise, also where later periods depend on answers (docs/math/streams.md).

    >>> year = AheadFactor(365, 365, (1, 9, 135))
    >>> year.sums(1), round(year.sums(1) * max(year.errors), 2)
    (3, 7.68)
    """

    periods: int
    window: int
    sizes: tuple[int, ...]

    def __post_init__(self) -> None:
        check_periods(self.periods, self.window)
        check_sizes(self.sizes)

    @property
    def name(self) -> str:
        first = ", ".join(str(size) for size in self.sizes[:-1])
        return f"blocks of {first} and {self.sizes[-1]} by least squares"

    @property
    def positive(self) -> bool:
        return True

    @property
    def ahead(self) -> bool:
        return True

    @cached_property
    def _blocks(self) -> tuple[tuple[int, int], ...]:
        """Every measured block, by its size and first period, in the order in which its noise is drawn."""
        return tuple(block for first in range(0, self.periods, self.sizes[-1]) for block in self._within(first))

    @cached_property
    def _order(self) -> NDArray[np.intp]:
        """The place of each block that `_whole` gives, which goes by sizes."""
        places = {block: place for place, block in enumerate(self._blocks)}
        by_size = [(size, first) for size in self.sizes for first in range(0, self.periods, size)]
        return np.array([places[block] for block in by_size], dtype=np.intp)

    def _within(self, first: int) -> Iterator[tuple[int, int]]:
        """The blocks within one of the largest size, itself among them."""
        end = min(first + self.sizes[-1], self.periods)
        return ((size, at) for size in self.sizes for at in range(first, end, size))

    def measured(self, period: int) -> tuple[Row, ...]:
        if period % self.sizes[-1]:
            return ()
        found = self._within(period)
        return tuple(tuple((at, 1) for at in range(first, min(first + size, self.periods))) for size, first in found)

    def later(self, period: int) -> Row:
        if period % self.sizes[-1] == 0:
            return ()
        return tuple((place, 1) for place, (size, at) in enumerate(self._blocks) if at <= period < at + size)

    def weights(self, period: int) -> tuple[tuple[int, float], ...]:
        return tuple((place, whole / PARTS) for place, whole in self._in_parts(period))

    def answer(self, period: int, measured: Sequence[Sequence[int]]) -> list[float]:
        """Exact until the last division: an answer must not show more of the measured sums than it says."""
        parts = self._in_parts(period)
        cells = range(len(measured[0]))
        return [sum(whole * measured[place][cell] for place, whole in parts) / PARTS for cell in cells]

    def _in_parts(self, period: int) -> list[tuple[int, int]]:
        (row,) = self._whole([period + 1])
        found = zip(self._order.tolist(), row.tolist(), strict=True)
        return sorted((place, whole) for place, whole in found if whole)

    def _whole(self, ends: Sequence[int]) -> Whole:
        """The weights of all blocks, by sizes, in the answers that end before some periods."""
        wanted = _wanted(self.periods, self.window, ends)
        blocks = [np.floor(part * PARTS + 0.5).astype(np.int64) for part in _least_squares(wanted, self.sizes)[1:]]
        single = wanted.astype(np.int64) * PARTS
        for size, part in zip(self.sizes[1:], blocks, strict=True):
            single -= np.repeat(part, _lengths(self.periods, size), axis=1)
        return np.concatenate([single, *blocks], axis=1)

    @cached_property
    def errors(self) -> tuple[float, ...]:
        found: list[float] = []
        for first in range(1, self.periods + 1, AT_ONCE):
            ends = range(first, min(first + AT_ONCE, self.periods + 1))
            found += np.sqrt(((self._whole(ends) / PARTS) ** 2).sum(axis=1)).tolist()
        return tuple(found)

    def squares(self, many: int) -> int:
        """Exact:  the first periods fill the blocks of all sizes one after the other, as in `TreeFactor`."""
        many = min(many, self.periods)
        return sum((many // size) * size**2 + (many % size) ** 2 for size in self.sizes)

    def sums(self, many: int) -> int:
        return len(self.sizes) * min(many, self.periods)


def candidates(periods: int, window: int) -> tuple[Factor, ...]:
    """Every way worth comparing: noise each period, trees, the square root, and blocks by least squares.

    >>> [way.name for way in candidates(365, 365) if way.ahead][1]
    'blocks of 1, 9 and 135 by least squares'
    """
    return (*causal_factors(periods, window), *ahead_factors(periods, window))


@lru_cache(maxsize=64)
def ahead_factors(periods: int, window: int) -> tuple[AheadFactor, ...]:
    """For two, three and four sizes the ones by which answers err least: a few answers of many, many of the best."""
    few, all_of_them = (_spread_out(periods, window, many) for many in (FEW, MANY))
    heights: dict[int, list[tuple[int, ...]]] = {}
    for sizes in _tried(periods):
        heights.setdefault(len(sizes), []).append(sizes)
    best = [sorted(found, key=lambda sizes: _largest_square(few, sizes))[:FINALISTS] for found in heights.values()]
    ours = [min(found, key=lambda sizes: _largest_square(all_of_them, sizes)) for found in best]
    return tuple(AheadFactor(periods, window, sizes) for sizes in ours)


def _spread_out(periods: int, window: int, many: int) -> Floats:
    """So many of the answers, spread over all periods."""
    return _wanted(periods, window, np.unique(np.linspace(1, periods, many).astype(int)).tolist())


def _largest_square(wanted: Floats, sizes: Sequence[int]) -> float:
    return float(max(sum((part**2).sum(axis=1) for part in _least_squares(wanted, sizes))))


def _tried(periods: int) -> Iterator[tuple[int, ...]]:
    """Sizes around those that were best for 12 to 4096 periods."""
    for a in _around(periods ** (1 / 2), 0.9, 2.6, 16):
        yield 1, a
    for a in _around(periods ** (1 / 3), 0.8, 1.9, 12):
        for b in _around(periods ** (1 / 3), 1.2, 2.6, 12):
            yield from _reaching(periods, (1, a, a * b))
    for a in _around(periods ** (1 / 4), 0.8, 1.8, 5):
        for b in _around(periods ** (1 / 4), 1.0, 2.2, 5):
            for c in _around(periods ** (1 / 4), 1.2, 2.6, 5):
                yield from _reaching(periods, (1, a, a * b, a * b * c))


def _reaching(periods: int, sizes: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Sizes where more than one block of the last but one is needed."""
    if sizes[-2] < periods:
        yield sizes


def _around(middle: float, low: float, high: float, count: int) -> list[int]:
    return sorted({max(2, round(middle * factor)) for factor in np.linspace(low, high, count).tolist()})


def _wanted(periods: int, window: int, ends: Sequence[int]) -> Floats:
    """Rows of A: which periods an answer adds up."""
    at, behind = np.arange(periods), np.array(ends)[:, np.newaxis]
    return ((at < behind) & (at >= behind - window)).astype(np.float64)


def _least_squares(wanted: Floats, sizes: Sequence[int]) -> list[Floats]:
    """A (RᵀR)⁻¹ Rᵀ, size by size: the weights of single periods, of the first blocks, and so on.

    RᵀR is the identity and, for each size, a block of ones on each block. They are added one size after the other,
    smaller ones first: (G + 1 1ᵀ)⁻¹ = G⁻¹ − v vᵀ / (1 + 1ᵀv) with v = G⁻¹ 1.
    """
    periods = wanted.shape[1]
    found, v = wanted.copy(), np.ones(periods)
    for size in sizes[1:]:
        starts, lengths = np.arange(0, periods, size), _lengths(periods, size)
        grown = 1 + np.add.reduceat(v, starts)
        found -= v * np.repeat(np.add.reduceat(found, starts, axis=1) / grown, lengths, axis=1)
        v = v / np.repeat(grown, lengths)
    return [found, *(np.add.reduceat(found, np.arange(0, periods, size), axis=1) for size in sizes[1:])]


def _lengths(periods: int, size: int) -> NDArray[np.int64]:
    """How many periods are in each block: the last one may be cut off."""
    starts = np.arange(0, periods, size)
    return np.diff(np.append(starts, periods))
