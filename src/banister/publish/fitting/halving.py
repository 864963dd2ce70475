"""Of many dealt records, the few whose counts of pairs and triples are nearest to those of all of them.

Records come from a law that was fitted to released counts, so this costs no privacy and may look at them as it likes.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import prod

import numpy as np
from numpy.typing import NDArray

from banister.sampling.bits import BitSource

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Singles = NDArray[np.float32]
POOL = 8
"""So many records are dealt for each that is kept, at most; a power of two."""
SETS = 500
"""The most sets of columns whose counts are looked after in one halving: pairs first, then triples, drawn anew each."""
WORK = 80_000_000
"""The most places that are looked up: dealt records times sets of columns."""
_AT_ONCE = 64
"""So many couples are decided by the same counts."""


def pool_for(records: int, columns: int) -> int:
    """How many records to deal for each that is kept: 1 where there are too many to choose among.

    >>> pool_for(20_000, 13), pool_for(100_000, 13), pool_for(1_000_000, 13), pool_for(20_000, 1)
    (8, 2, 1, 1)
    """
    sets = min(columns * (columns - 1) // 2 + columns * (columns - 1) * (columns - 2) // 6, SETS)
    copies = POOL
    while copies > 1 and (not sets or copies * records * sets > WORK):
        copies //= 2
    return copies


def halved(columns: Sequence[Ints], sizes: Sequence[int], bits: BitSource) -> list[Ints]:
    """Half of the records, such that counts of pairs and triples of columns are near to half of what they were.

    Records are sorted and taken two by two. Of each couple the one is kept that makes up for what was kept before: with
    d = counts of the kept less counts of the dropped, that which makes Σ d²/(1 + expected) the smaller. Records drawn
    one by one are off by about the root of a count; these by less than half of it where counts are large.
    """
    codes = np.stack([np.asarray(column) for column in columns])
    couples = codes.shape[1] // 2
    codes = codes[:, np.lexsort(codes)]
    strides, offsets, cells = _places(_sets(len(sizes), bits), sizes)
    weight = 2 / (2 + _counted(codes, strides, offsets, cells))
    off = np.zeros(cells, dtype=np.float32)
    order = np.argsort(bits.words(couples, 64), kind="stable")
    coins = (bits.words(couples, 64) & np.uint64(1)).astype(bool)
    kept = np.empty(couples, dtype=np.int64)
    for start in range(0, couples, _AT_ONCE):
        these = order[start : start + _AT_ONCE]
        first = _looked_up(codes[:, 2 * these], strides, offsets)
        second = _looked_up(codes[:, 2 * these + 1], strides, offsets)
        gain = off[first].sum(axis=1) - off[second].sum(axis=1)
        one = np.where(gain == 0, coins[these], gain < 0)
        kept[start : start + _AT_ONCE] = 2 * these + ~one
        sign = np.where(one, np.float32(1), np.float32(-1))[:, None]
        np.add.at(off, first, sign * weight[first])
        np.add.at(off, second, -sign * weight[second])
    return list(codes[:, kept])


def _sets(columns: int, bits: BitSource) -> list[tuple[int, ...]]:
    """All pairs and triples, or as many of them as there is time for, pairs first."""
    found: list[tuple[int, ...]] = []
    for count in (2, 3):
        some = list(combinations(range(columns), count))
        if some:
            found += [some[place] for place in np.argsort(bits.words(len(some), 64), kind="stable")]
    return found[:SETS]


def _places(sets: Sequence[tuple[int, ...]], sizes: Sequence[int]) -> tuple[Floats, Floats, int]:
    """How the codes of a record become one place for each set: a matrix, what is added, and how many places there are.

    Places stay far below 2^53, so that products of matrices of floats are exact.
    """
    strides, offsets, cells = np.zeros((len(sizes), len(sets))), np.zeros(len(sets)), 0
    for number, axes in enumerate(sets):
        offsets[number], step = cells, 1
        for axis in reversed(axes):
            strides[axis, number] = step
            step *= sizes[axis]
        cells += prod(sizes[axis] for axis in axes)
    return strides, offsets, cells


def _looked_up(codes: Ints, strides: Floats, offsets: Floats) -> Ints:
    return np.asarray(codes.T.astype(np.float64) @ strides + offsets).astype(np.int64)


def _counted(codes: Ints, strides: Floats, offsets: Floats, cells: int) -> Singles:
    found = np.zeros(cells, dtype=np.float32)
    for some in _parts(codes):
        np.add.at(found, _looked_up(some, strides, offsets).ravel(), np.float32(1))
    return found


def _parts(codes: Ints) -> Iterator[Ints]:
    for start in range(0, codes.shape[1], 1 << 12):
        yield codes[:, start : start + (1 << 12)]
