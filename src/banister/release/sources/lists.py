"""People's groups as arrays: from them a release takes its totals without looking at a row again.

One entry for each person and group, in the order of `rotation`: its cell, and what her rows there add up to. A release
turns each list by its keys, gathers the groups that count, holds her parts in their bounds and adds up by cell: whole
numbers all the way, the very ones that the engines' SQL gives.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial, reduce

import numpy as np
from numpy.typing import NDArray

from banister.questions.question import cell_count
from banister.release.sources.sql.compile import Listing
from banister.release.sources.sql.part import HELD, hold
from banister.release.sources.sql.rotation import first_places, turn_codes
from banister.release.work import Totals, Work
from banister.work.threads import cores, on_threads

EXACT = 2**53
"""Whole numbers up to this are exact as doubles, in which NumPy adds up by cell."""

HALF = 30
"""Half of the bits of a part; 2^22 such halves add up to an exact double."""

PEOPLE = 2**13
"""So many people at a time: arrays that stay in the processor's cache, in memory used again."""

WIDE, MANY = 2**16, 2**21
"""With more cells than the first one thread adds up, and with fewer rows or groups than the second as well: each thread
has sums of its own, and costs some time of the processor that short work does not gain."""

Whole = NDArray[np.integer]


@dataclass(frozen=True, slots=True, eq=False)
class PersonLists:
    """Of person i the groups `starts[i]` to `starts[i + 1]`; `parts` by the text of what they add up."""

    codes: Whole
    starts: NDArray[np.int64]
    cells: Whole
    parts: Mapping[str, Whole]

    def totals(self, work: Work, listing: Listing) -> Totals:
        """The exact work for the groups that the keys of the work choose, some people at a time."""

        def added(firsts: Iterator[int]) -> Sums:
            sums = Sums.of(work)
            for first in firsts:
                starts = self.starts[first : first + PEOPLE + 1]
                places = chosen(self.codes[first : first + PEOPLE].astype(np.int64), starts, work)
                sums.add_parts(self.cells[places], partial(self._at, places), work, listing)
            return sums

        firsts = range(0, len(self.codes), PEOPLE)
        return all_of(on_threads(added, firsts, threads_for(work, len(self.cells)))).totals()

    def with_parts(self, other: "PersonLists") -> "PersonLists | None":
        """These lists with the parts of others besides; nothing where those are about other groups, or in an order of
        their own."""
        mine, theirs = ((lists.codes, lists.starts, lists.cells) for lists in (self, other))
        same = all(map(np.array_equal, mine, theirs))
        return PersonLists(*mine, {**other.parts, **self.parts}) if same else None

    def _at(self, places: NDArray[np.int64], part: str) -> Whole:
        return self.parts[part][places]


def chosen(codes: NDArray[np.int64], starts: NDArray[np.int64], work: Work) -> NDArray[np.int64]:
    """The places of the groups that count, ascending; `starts` are the people's first places, and the end.

    Neighbours on the circle of her list are one run of places, or two where they go round: its beginning, and its end.
    """
    assert work.groups is not None
    begins, sizes = starts[:-1], np.diff(starts)
    first = first_places(turn_codes(codes, work.hash_keys), sizes)
    if work.groups == 1:
        return begins + first
    count = np.minimum(sizes, work.groups)
    lengths, runs = np.empty((len(begins), 2), dtype=np.int64), np.empty((len(begins), 2), dtype=np.int64)
    np.maximum(first + count - sizes, 0, out=lengths[:, 0])
    np.subtract(count, lengths[:, 0], out=lengths[:, 1])
    runs[:, 0] = begins
    np.add(begins, first, out=runs[:, 1])
    many, before = lengths.ravel(), np.cumsum(lengths).reshape(runs.shape) - lengths
    places = np.repeat((runs - before).ravel(), many)
    places += np.arange(len(places))
    return places


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """Whole numbers that grow beyond 64 bits, for each measure and cell: high · 2^30 + low."""

    high: NDArray[np.int64]
    low: NDArray[np.int64]

    @classmethod
    def of(cls, work: Work) -> "Sums":
        """Nothing yet."""
        shape = (len(work.measures), cell_count(work.axes))
        return cls(np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64))

    def add_parts(self, cells: Whole, take: Callable[[str], Whole], work: Work, listing: Listing) -> None:
        """Add the parts of groups that count, held in their bounds; `take` gives what such groups add up to."""
        wide, taken = cells.astype(np.intp, copy=False), dict[str, NDArray[np.int64]]()
        for row, (measure, (part, rows)) in enumerate(zip(work.measures, listing.uses, strict=True)):
            for name in (part, rows):
                if name is not None and name not in taken:
                    taken[name] = take(name).astype(np.int64, copy=False)
            held = hold(taken[part], measure, None if rows is None else taken[rows])
            self.add(row, wide, held, most=measure.sensitivity())

    def add(self, row: int, cells: Whole, values: NDArray[np.int64], *, most: int) -> None:
        """Add values within ±most to their cells, exactly: NumPy adds up in doubles, so large ones go in two halves."""
        if most * max(len(values), 1) < EXACT:
            found = self._by_cell(cells, values)
            self.high[row] += found >> HALF
            self.low[row] += found & (2**HALF - 1)
        else:
            self.high[row] += self._by_cell(cells, values >> HALF)
            self.low[row] += self._by_cell(cells, values & (2**HALF - 1))

    def _by_cell(self, cells: Whole, values: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.bincount(cells, weights=values, minlength=self.high.shape[1]).astype(np.int64)

    def totals(self) -> Totals:
        """The sums, held within the bounds that every engine holds them in."""
        high = self.high + (self.low >> HALF)
        room = HELD >> HALF
        held = np.clip(high, -room - 1, room) * 2**HALF + (self.low & (2**HALF - 1))
        return Totals(values=np.clip(held, -HELD, HELD), labels=None)


def all_of(sums: Iterable[Sums]) -> Sums:
    """Sums of the same work, added up."""
    return reduce(lambda a, b: Sums(a.high + b.high, a.low + b.low), sums)


def threads_for(work: Work, rows: int) -> int:
    """How many threads add up so many rows or groups."""
    return cores() if rows >= MANY and cell_count(work.axes) <= WIDE else 1


def narrow(values: Whole) -> Whole:
    """The same numbers in the narrowest type that holds them."""
    low, high = int(values.min(initial=0)), int(values.max(initial=0))
    kinds = (np.uint8, np.uint16, np.uint32) if low >= 0 else (np.int8, np.int16, np.int32)
    for kind in kinds:
        if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max:
            return values.astype(kind)
    return values.astype(np.int64)


def of_columns(columns: Mapping[str, Whole], listing: Listing) -> PersonLists:
    """Lists from the rows of `listing.query`, which come by person and by place in her list."""
    starts = np.flatnonzero(columns["j"] == 0)
    return PersonLists(
        codes=narrow(columns["code"][starts]),
        starts=np.append(starts, len(columns["j"])).astype(np.int64),
        cells=narrow(columns["cell"] if "cell" in columns else np.zeros(len(columns["j"]), dtype=np.int64)),
        parts={part: narrow(columns[f"p{i}"]) for i, part in enumerate(listing.parts)},
    )
