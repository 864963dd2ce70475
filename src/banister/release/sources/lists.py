"""People's groups as arrays: from them a release takes its totals without looking at a row again.

One entry for each person and group, in the order of `rotation`: its cell, and what her rows there add up to. A release
turns each list by its keys, gathers the groups that count, holds her parts in their bounds and adds up by cell: whole
numbers all the way, the very ones that the engines' SQL gives.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banister.questions.measures import Counting, Measure
from banister.questions.question import cell_count
from banister.questions.terms import Leaf, Quantity
from banister.release.sources.compile import Listing
from banister.release.sources.part import HELD, hold
from banister.release.sources.rotation import first_places, turn_codes
from banister.release.work import HASH_PRIME, Totals, Work
from banister.tables.columns import Kind

EXACT = 2**53
"""Whole numbers up to this are exact as doubles, in which NumPy adds up by cell."""

HALF = 30
"""Half of the bits of a part; 2^22 such halves add up to an exact double."""

PEOPLE = 2**16
ROWS = 2**19
"""So many people, or sorted rows, at a time: arrays that stay in the processor's cache, in memory used again."""

Whole = NDArray[np.integer]


@dataclass(frozen=True, slots=True, eq=False)
class PersonLists:
    """Of person i the groups `starts[i]` to `starts[i + 1]`; `parts` by the text of what they add up."""

    codes: Whole
    starts: NDArray[np.int64]
    cells: Whole
    parts: Mapping[str, Whole]

    def add_to(self, sums: "Sums", work: Work, listing: Listing) -> "Sums":
        """Add the exact work for the groups that the keys of the work choose, some people at a time."""
        for first in range(0, len(self.codes), PEOPLE):
            for places in self._chosen(work, slice(first, first + PEOPLE)):
                cells, taken = self.cells[places].astype(np.intp), dict[str, NDArray[np.int64]]()
                for row, (measure, (part, rows)) in enumerate(zip(work.measures, listing.uses, strict=True)):
                    for name in (part, rows):
                        if name is not None and name not in taken:
                            taken[name] = self.parts[name][places].astype(np.int64)
                    held = hold(taken[part], measure, None if rows is None else taken[rows])
                    sums.add(row, cells, held, most=measure.sensitivity())
        return sums

    def totals(self, work: Work, listing: Listing) -> Totals:
        """The exact work."""
        return self.add_to(Sums.of(work), work, listing).totals()

    def _chosen(self, work: Work, people: slice) -> Iterator[NDArray[np.int64]]:
        """The places of the groups that count: each person's first, second and so on, as far as she has them."""
        assert work.groups is not None
        ends = self.starts[people.start : people.stop + 1]
        begins, sizes = ends[:-1], np.diff(ends)
        place = first_places(turn_codes(self.codes[people].astype(np.int64), work.hash_keys), sizes)
        yield begins + place
        most = min(work.groups, int(sizes.max(initial=0)))
        if most < 2:
            return
        # Those with most groups first, so that whoever has one more is found without looking; 16 bits sort quickest.
        capped = np.minimum(sizes, most).astype(np.uint16 if most < 2**16 else np.int64)
        order = np.argsort(capped, kind="stable")[::-1]
        begins, sizes, place, capped = begins[order], sizes[order], place[order], capped[order][::-1]
        everybody = len(sizes)
        for more in range(1, most):
            count = everybody - int(np.searchsorted(capped, more, side="right"))
            begins, sizes, place = begins[:count], sizes[:count], place[:count] + 1
            place[place == sizes] = 0
            yield begins + place


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


@dataclass(frozen=True, slots=True)
class Packing:
    """How rows become one number each, where they fit: the person above the cell, above the quantities."""

    lowest: int
    cell_bits: int
    fields: tuple[tuple[Quantity, int], ...]

    @classmethod
    def of(cls, work: Work, lowest: int, highest: int) -> "Packing | None":
        """The packing for people who are numbered from the lowest to the highest; nothing where 62 bits are too few."""
        quantities = list(dict.fromkeys(m.quantity for m in work.measures if m.quantity is not None))
        if any(isinstance(q.term, Leaf) and q.term.column.kind is Kind.CATEGORY for q in quantities):
            return None  # A category has no steps; it can only be there or not.
        fields = tuple((q, (q.high - q.low + 1).bit_length()) for q in quantities)
        cell_bits = (cell_count(work.axes) - 1).bit_length()
        bits = (highest - lowest).bit_length() + cell_bits + sum(bits for _, bits in fields)
        return cls(lowest, cell_bits, fields) if bits <= 62 else None

    def totals(self, rows: Iterable[NDArray[np.int64]], work: Work, listing: Listing) -> Totals:
        """The exact work from pieces of the people; each is sorted in its place and added up, a stretch at a time."""
        sums = Sums.of(work)
        for piece in rows:
            piece.sort()
            there = piece[int(np.searchsorted(piece, 0, side="left")) :]  # Rows that count nowhere are below 0.
            for stretch in self._stretches(there):
                self.lists(stretch, work, listing).add_to(sums, work, listing)
        return sums.totals()

    def _stretches(self, rows: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
        """Sorted rows in stretches that end with a person."""
        above = self.cell_bits + sum(bits for _, bits in self.fields)
        first = 0
        while first < len(rows):
            last = min(first + ROWS, len(rows))
            if last < len(rows):  # To the end of the person who is in the middle.
                following = ((rows[last - 1] >> above) + 1) << above
                last = int(np.searchsorted(rows, following, side="left"))
            yield rows[first:last]
            first = last

    def lists(self, rows: NDArray[np.int64], work: Work, listing: Listing) -> PersonLists:
        """People's lists from sorted rows."""
        below = sum(bits for _, bits in self.fields)
        hers = rows >> below
        fresh = np.ones(len(rows), dtype=bool)
        np.not_equal(hers[1:], hers[:-1], out=fresh[1:])
        firsts = np.flatnonzero(fresh)
        hers = hers[firsts]
        people = hers >> self.cell_bits
        new = np.ones(len(people), dtype=bool)
        np.not_equal(people[1:], people[:-1], out=new[1:])
        starts = np.flatnonzero(new)
        codes = np.fmod(people[starts] + self.lowest, HASH_PRIME)
        cells = hers & (2**self.cell_bits - 1)
        counts = np.diff(np.append(firsts, len(rows)))
        return PersonLists(
            codes, np.append(starts, len(people)), cells, self._parts(rows, firsts, counts, work, listing)
        )

    def _parts(
        self,
        rows: NDArray[np.int64],
        firsts: NDArray[np.int64],
        counts: NDArray[np.int64],
        work: Work,
        listing: Listing,
    ) -> dict[str, Whole]:
        totals: dict[Quantity, tuple[Whole, Whole]] = {}
        shift = 0
        for quantity, bits in reversed(self.fields):
            steps = (rows >> shift) & (2**bits - 1) if shift else rows & (2**bits - 1)
            there = _reduced(steps != 0, firsts) if len(steps) and not steps.min() else counts
            totals[quantity] = (there, _reduced(steps, firsts) + there * (quantity.low - 1))
            shift += bits
        parts: dict[str, Whole] = {}
        for measure, (part, number) in zip(work.measures, listing.uses, strict=True):
            parts[part] = _part(measure, counts, totals)
            if number is not None and measure.quantity is not None:
                parts[number] = totals[measure.quantity][0]
        return parts


def _part(measure: Measure, counts: Whole, totals: Mapping[Quantity, tuple[Whole, Whole]]) -> Whole:
    if measure.quantity is None:
        return counts
    return totals[measure.quantity][1 if measure.counting is Counting.TOTAL else 0]


def _reduced(values: NDArray[np.generic], firsts: NDArray[np.int64]) -> NDArray[np.int64]:
    if not len(firsts):
        return np.zeros(0, dtype=np.int64)
    return np.add.reduceat(values, firsts, dtype=np.int64)
