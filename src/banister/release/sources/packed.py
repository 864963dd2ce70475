"""People's groups without an index: each row as one number, sorted, and of the groups only those that count added up.

Sorted numbers bring a person's rows together, and in them those of a group. Many rows are first dealt to heaps by the
highest bits of the person: a heap fits into the processor's cache, and mostly into numbers of half the width. Where
groups begin is seen by comparing neighbours; what a group adds up to is the difference of two running totals, taken for
the groups that count alone.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banister.questions.measures import Counting
from banister.questions.question import cell_count
from banister.questions.terms import Leaf, Quantity
from banister.release.sources.lists import PersonLists, Sums, Whole, chosen, narrow
from banister.release.sources.sql.compile import Listing
from banister.release.work import HASH_PRIME, Totals, Work
from banister.tables.columns import Kind

ROWS = 2**16
"""So many sorted rows at a time: arrays that stay in the processor's cache. Eight times as many take twice as long."""

BLOCK = 2**19
"""So many rows are dealt to heaps at a time, by codes of one byte, which NumPy sorts by counting."""

HEAPS = 8
"""The bits of a heap's number."""

NOTHING: Whole = np.zeros(0, dtype=np.uint8)


@dataclass(frozen=True, slots=True)
class Packing:
    """How rows become one number each, where they fit: the person above the cell, above the quantities."""

    rows: int
    lowest: int
    cell_bits: int
    fields: tuple[tuple[Quantity, int], ...]

    @classmethod
    def of(cls, work: Work, lowest: int, highest: int, rows: int) -> "Packing | None":
        """The packing of so many rows of people who are numbered from the lowest to the highest; nothing where 62 bits
        are too few."""
        quantities = list(dict.fromkeys(m.quantity for m in work.measures if m.quantity is not None))
        if any(isinstance(q.term, Leaf) and q.term.column.kind is Kind.CATEGORY for q in quantities):
            return None  # A category has no steps; it can only be there or not.
        fields = tuple((q, (q.high - q.low + 1).bit_length()) for q in quantities)
        cell_bits = (cell_count(work.axes) - 1).bit_length()
        bits = (highest - lowest).bit_length() + cell_bits + sum(bits for _, bits in fields)
        return cls(rows, lowest, cell_bits, fields) if bits <= 62 else None

    def totals(self, rows: Iterable[NDArray[np.int64]], work: Work, listing: Listing) -> Totals:
        """The exact work from pieces of the people."""
        sums = Sums.of(work)
        for people in self._sorted(rows):
            groups = people.at(chosen(people.codes, people.starts, work))
            sums.add_parts(groups.cells, groups.parts(self, work, listing).__getitem__, work, listing)
        return sums.totals()

    def lists(self, rows: Iterable[NDArray[np.int64]], work: Work, listing: Listing) -> PersonLists:
        """The lists of all people, for keeps: every group, by person and by cell."""
        found: dict[str, list[Whole]] = {}
        for people in self._sorted(rows):
            groups = people.at(np.arange(people.starts[-1]))
            arrays = {"code": people.codes, "size": np.diff(people.starts), "cell": groups.cells}
            for name, array in (arrays | groups.parts(self, work, listing)).items():
                found.setdefault(name, []).append(narrow(array))
        whole = {name: narrow(np.concatenate(arrays)) for name, arrays in found.items()}
        code, size, cell = (whole.pop(name, NOTHING) for name in ("code", "size", "cell"))
        starts = np.append(0, np.cumsum(size, dtype=np.int64))
        return PersonLists(code, starts, cell, {part: whole.get(part, NOTHING) for part in listing.parts})

    def _sorted(self, rows: Iterable[NDArray[np.int64]]) -> "Iterator[_People]":
        """Whole people, some at a time, in their order within each piece."""
        for piece in rows:
            there = piece if piece.min(initial=0) >= 0 else piece[piece >= 0]  # Rows that count nowhere are below 0.
            for heap, high in self._heaps(there):
                heap.sort()
                for stretch in self._stretches(heap):
                    yield self._people(stretch, high)

    def _heaps(self, rows: NDArray[np.int64]) -> Iterator[tuple[Whole, int]]:
        """The rows in heaps of whole people, who ascend from heap to heap, each with what to put above its numbers."""
        shift = max(int(rows.max(initial=0)).bit_length() - HEAPS, self._above)
        if len(rows) <= ROWS or int(rows.max()) >> shift == 0:
            yield rows, 0
            return
        half = shift <= 32  # Then the rows of a heap differ in their low 32 bits alone.
        dealt, ends = [], []
        for first in range(0, len(rows), BLOCK):
            block = rows[first : first + BLOCK]
            codes = (block >> shift).astype(np.uint8)
            kept = block.astype(np.uint32) if half else block
            dealt.append(kept[np.argsort(codes, kind="stable")])
            ends.append(np.append(0, np.cumsum(np.bincount(codes, minlength=2**HEAPS))).tolist())
        for heap in range(2**HEAPS):
            there = [block[upto[heap] : upto[heap + 1]] for block, upto in zip(dealt, ends, strict=True)]
            yield np.concatenate(there), (heap << shift) >> 32 << 32 if half else 0

    @property
    def _below(self) -> int:
        return sum(bits for _, bits in self.fields)

    @property
    def _above(self) -> int:
        return self.cell_bits + self._below

    def _stretches(self, rows: Whole) -> Iterator[Whole]:
        """Sorted rows in stretches that end with a person."""
        first = 0
        while first < len(rows):
            last = min(first + ROWS, len(rows))
            if last < len(rows):  # To the end of the person who is in the middle.
                most = rows[last - 1] | (2**self._above - 1)
                last = int(np.searchsorted(rows, most, side="right"))
            yield rows[first:last]
            first = last

    def _people(self, rows: Whole, high: int) -> "_People":
        """Where people and their groups begin among sorted rows."""
        hers = rows >> self._below
        people = hers >> self.cell_bits
        firsts = np.flatnonzero(_changes(hers))
        starts = np.flatnonzero(_changes(people)[firsts])
        numbers = (rows[firsts[starts[:-1]]].astype(np.int64) | high) >> self._above
        hers &= 2**self.cell_bits - 1
        return _People(rows, hers, firsts, starts, np.fmod(numbers + self.lowest, HASH_PRIME))


@dataclass(frozen=True, slots=True, eq=False)
class _People:
    """Sorted rows of whole people: the cell of each row, the first rows of groups, the first groups of people, and who
    these are. Behind the last row, and behind the last group, the next one would begin."""

    rows: Whole
    cells: Whole
    firsts: NDArray[np.int64]
    starts: NDArray[np.int64]
    codes: NDArray[np.int64]

    def at(self, places: NDArray[np.int64]) -> "_Groups":
        """Some of the groups."""
        begins = self.firsts[places]
        return _Groups(self.rows, self.cells[begins], begins, self.firsts[places + 1])


@dataclass(frozen=True, slots=True, eq=False)
class _Groups:
    """Groups of sorted rows: the cell of each, its first row, and the one behind its last."""

    rows: Whole
    cells: Whole
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]

    def parts(self, packing: Packing, work: Work, listing: Listing) -> dict[str, Whole]:
        """What the groups add up to, by the texts of the listing."""
        counts = self.ends - self.begins
        totals: dict[Quantity, tuple[Whole, Whole]] = {}
        shift = 0
        for quantity, bits in reversed(packing.fields):
            steps = (self.rows >> shift if shift else self.rows) & (2**bits - 1)
            there = counts if steps.all() else self._added(steps != 0)
            totals[quantity] = (there, self._added(steps) + there * (quantity.low - 1))
            shift += bits
        parts: dict[str, Whole] = {}
        for measure, (part, number) in zip(work.measures, listing.uses, strict=True):
            of = (counts, counts) if measure.quantity is None else totals[measure.quantity]
            parts[part] = of[1] if measure.counting is Counting.TOTAL else of[0]
            if number is not None:
                parts[number] = of[0]
        return parts

    def _added(self, values: NDArray[np.generic]) -> NDArray[np.int64]:
        """The sums of the groups. A running total may leave 64 bits; the difference of two is right all the same."""
        upto = np.zeros(len(values) + 1, dtype=np.int64)
        np.cumsum(values, dtype=np.int64, out=upto[1:])
        found: NDArray[np.int64] = upto[self.ends]
        found -= upto[self.begins]
        return found


def _changes(values: Whole) -> NDArray[np.bool]:
    """Where a value is another than the one before it, the first one and the end included."""
    fresh = np.ones(len(values) + 1, dtype=np.bool)
    np.not_equal(values[1:], values[:-1], out=fresh[1 : len(values)])
    return fresh
