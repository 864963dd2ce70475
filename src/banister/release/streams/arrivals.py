"""What came since the last period, person by person, and how much of it counts.

A table may change in any way between two periods: rows come late, are mended or taken away. What was seen of each
person in each cell is remembered, and what she has more now counts in the period that is being released, held in the
bounds of one period, and only while she has counted in fewer periods than declared. So what she can move is bounded
whatever is done to the table. All of it is a function of her own rows, then and now, and of a key.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from banister.questions.measures import Measure
from banister.release.sources.sql.part import hold
from banister.release.work import Totals

Integers = NDArray[np.int64]
LOW_BITS = 32


@dataclass(frozen=True, slots=True, eq=False)
class Arrivals:
    """Whom a stream has seen, in how many periods each counted, and what it has seen of each in each cell."""

    people: tuple[str, ...]
    times: Integers
    keys: Integers
    """Person's place · number of cells + cell, in order."""
    seen: Integers
    """A column for each key: her rows, then for each measure her total and the rows behind it."""

    @classmethod
    def none(cls, measures: int) -> "Arrivals":
        """Before the first period."""
        empty = np.zeros(0, dtype=np.int64)
        return cls((), empty, empty, np.zeros((1 + 2 * measures, 0), dtype=np.int64))


def arrived(
    before: Arrivals, now: Totals, measures: Sequence[Measure], *, cells: int, groups: int, many: int, key: bytes
) -> tuple[Arrivals, list[list[int]]]:
    """What is seen now, and for each measure and cell how much is new and counts.

    What is taken away is not taken back: it was released. It is forgotten, so that rows that come again count again.
    """
    assert now.people is not None
    assert now.cells is not None
    places = {person: place for place, person in enumerate(before.people)}
    owners = np.array([places.setdefault(person, len(places)) for person in now.people], dtype=np.int64)
    order = np.argsort(owners * cells + now.cells, kind="stable")
    keys, values = (owners * cells + now.cells)[order], now.values[:, order]
    fresh = values - _seen(before, keys)
    times = np.concatenate([before.times, np.zeros(len(places) - len(before.times), dtype=np.int64)])
    people = tuple(places)
    new = np.flatnonzero((fresh[0] > 0) & (times[keys // cells] < many))
    new = new[_chosen(keys[new] // cells, people, groups, key)]
    times[np.unique(keys[new] // cells)] += 1
    increments = []
    for place, measure in enumerate(measures):
        parts = hold(fresh[1 + 2 * place, new], measure, fresh[2 + 2 * place, new])
        increments.append(_added(parts, keys[new] % cells, cells))
    return Arrivals(people, times, keys, values), increments


def _seen(before: Arrivals, keys: Integers) -> Integers:
    """What was seen under each key; 0 where nothing was."""
    found = np.zeros((len(before.seen), len(keys)), dtype=np.int64)
    if len(before.keys):
        at = np.minimum(np.searchsorted(before.keys, keys), len(before.keys) - 1)
        known = before.keys[at] == keys
        found[:, known] = before.seen[:, at[known]]
    return found


def _chosen(owners: Integers, people: Sequence[str], groups: int, key: bytes) -> NDArray[np.bool_]:
    """Of each person's new cells, in order, so many in a row, from a place that the key and her name say."""
    kept = np.ones(len(owners), dtype=np.bool_)
    starts = np.flatnonzero(np.r_[True, owners[1:] != owners[:-1]]) if len(owners) else owners
    sizes = np.diff(np.r_[starts, len(owners)])
    for start, size in zip(starts[sizes > groups].tolist(), sizes[sizes > groups].tolist(), strict=True):
        name = people[int(owners[start])].encode()
        first = int.from_bytes(blake2b(name, key=key, digest_size=16).digest()) % size
        kept[start : start + size] = (np.arange(size) - first) % size < groups
    return kept


def _added(parts: Integers, cells: Integers, count: int) -> list[int]:
    """Sums by cell that no number of people makes overflow: the high and the low bits by themselves."""
    high, low = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
    np.add.at(high, cells, parts >> LOW_BITS)
    np.add.at(low, cells, parts & ((1 << LOW_BITS) - 1))
    return [(a << LOW_BITS) + b for a, b in zip(high.tolist(), low.tolist(), strict=True)]
