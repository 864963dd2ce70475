"""Tables too wide to enumerate: which pairs of columns to measure, a tree fitted to noisy counts, and records from it.

Everything here works on released noisy counts, so it costs no privacy and may look at them as it likes.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banister.sampling.bits import BitSource

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Pair = tuple[int, int]

GROUPS = 12
"""How many groups of values a column has when it is measured together with another."""
_RAKES = 60


@dataclass(frozen=True, slots=True, eq=False)
class ColumnTree:
    """Columns in groups, joined by a forest of pairs: counts of each column, and of each joined pair."""

    ones: tuple[Floats, ...]
    pairs: Mapping[Pair, Floats]
    total: float


def on_simplex(noisy: Floats, total: float) -> Floats:
    """The nearest numbers, none negative, of that total: one common threshold."""
    ordered = np.sort(noisy.ravel())[::-1]
    excess = (np.cumsum(ordered) - total) / np.arange(1, ordered.size + 1)
    last = int(np.flatnonzero(ordered > excess)[-1]) if np.any(ordered > excess) else 0
    return np.asarray(np.maximum(noisy - excess[last], 0.0))


def grouped(counts: Floats, *, ordered: bool) -> Ints:
    """A group for each value: neighbours of about equal weight where values are ordered, else the rarest together."""
    if counts.size <= GROUPS:
        return np.arange(counts.size)
    if not ordered:
        ranks = np.empty(counts.size, dtype=np.int64)
        ranks[np.argsort(-counts, kind="stable")] = np.arange(counts.size)
        return np.minimum(ranks, GROUPS - 1)
    share = np.cumsum(counts) - counts / 2
    rough = np.floor(share / max(float(counts.sum()), 1e-9) * GROUPS).clip(0, GROUPS - 1)
    return np.unique(rough, return_inverse=True)[1].astype(np.int64)


def forest(scores: Mapping[Pair, float], columns: int, worth: Callable[[Pair], float]) -> list[Pair]:
    """Pairs that join columns without a circle, the highest scores first, as long as they are worth their noise."""
    root = list(range(columns))

    def find(column: int) -> int:
        while root[column] != column:
            column = root[column]
        return column

    chosen = []
    for pair in sorted(scores, key=lambda p: -scores[p]):
        first, second = find(pair[0]), find(pair[1])
        if first != second and scores[pair] > worth(pair):
            root[first] = second
            chosen.append(pair)
    return chosen


def fitted(
    ones: Sequence[Floats],
    pairs: Mapping[Pair, Floats],
    total: float,
    *,
    one_variance: Sequence[Floats],
    pair_variance: float,
) -> ColumnTree:
    """One consistent set of counts: columns averaged over all that measured them, pairs raked to fit them."""
    columns = []
    for place, counts in enumerate(ones):
        weight = 1 / one_variance[place]
        summed = counts * weight
        for pair, table in pairs.items():
            if place in pair:
                axis = 1 - pair.index(place)
                precision = 1 / (pair_variance * table.shape[axis])
                summed = summed + table.sum(axis=axis) * precision
                weight = weight + precision
        columns.append(on_simplex(summed / weight, total))
    joined = {p: _raked(on_simplex(t, total), columns[p[0]], columns[p[1]]) for p, t in pairs.items()}
    return ColumnTree(tuple(columns), joined, total)


def _raked(table: Floats, rows: Floats, columns: Floats) -> Floats:
    """The table scaled in turn to its row and column sums; a whiff of independence keeps empty rows alive."""
    whiff = np.outer(rows, columns) / max(float(rows.sum()), 1e-9)
    found = table + 1e-6 * whiff
    for _ in range(_RAKES):
        found = found * (rows / np.maximum(found.sum(axis=1), 1e-300))[:, None]
        found = found * (columns / np.maximum(found.sum(axis=0), 1e-300))
    return np.asarray(found)


def sampled(tree: ColumnTree, records: int, bits: BitSource) -> list[Ints]:
    """Groups of each column for so many records: shares rounded to whole records, so that sampling adds no noise."""
    columns: list[Ints | None] = [None] * len(tree.ones)
    edges = list(tree.pairs)
    for place in range(len(tree.ones)):
        if columns[place] is None:
            columns[place] = _dealt(tree.ones[place], records, bits)
            _follow(tree, edges, columns, place, bits)
    return [column for column in columns if column is not None]


def _follow(tree: ColumnTree, edges: list[Pair], columns: list[Ints | None], start: int, bits: BitSource) -> None:
    waiting = [start]
    while waiting:
        parent = waiting.pop()
        for pair in edges:
            if parent not in pair:
                continue
            child = pair[1 - pair.index(parent)]
            known = columns[parent]
            if columns[child] is not None or known is None:
                continue
            table = tree.pairs[pair] if pair[0] == parent else tree.pairs[pair].T
            columns[child] = spread_over(known, table, bits)
            waiting.append(child)


def spread_over(known: Ints, shares: Floats, bits: BitSource) -> Ints:
    """For every record a second code, dealt by the row of `shares` that its first code names."""
    found = np.empty(known.size, dtype=np.int64)
    order = np.argsort(known, kind="stable")
    counts = np.bincount(known, minlength=shares.shape[0])
    ends = np.cumsum(counts)
    for code, (end, count) in enumerate(zip(ends, counts, strict=True)):
        found[order[end - count : end]] = _dealt(shares[code], int(count), bits)
    return found


def _dealt(shares: Floats, records: int, bits: BitSource) -> Ints:
    """So many codes with counts as near to the shares as whole numbers can be, in random order."""
    total = float(shares.sum())
    exact = shares / total * records if total > 0 else np.full(shares.size, records / shares.size)
    counts = np.floor(exact).astype(np.int64)
    left = records - int(counts.sum())
    if left:
        # The places of what is left follow one random comb, so that each share keeps its mean.
        parts = np.cumsum(exact - counts)
        start = float(bits.take(53)) * 2.0**-53
        teeth = (np.arange(left) + start) * (parts[-1] / left)
        np.add.at(counts, np.searchsorted(parts, teeth, side="right").clip(0, shares.size - 1), 1)
    codes = np.repeat(np.arange(shares.size), counts)
    return codes[np.argsort(bits.words(records, 64), kind="stable")]
