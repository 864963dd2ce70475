"""People's groups without an index: each row as one number, sorted, and of the groups only those that count added up.

Sorted numbers bring a person's rows together, and in them those of a group. Many rows are first dealt to heaps by the
highest bits of the person: a heap fits into the processor's cache, and mostly into numbers of half the width. Where
groups begin is seen by comparing neighbours; what a group adds up to is the difference of two running totals, taken for
the groups that count alone. Each core takes heaps of its own; whole numbers add up to the same in any order.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from banister.questions.measures import Counting
from banister.questions.question import cell_count
from banister.questions.terms import Leaf, Quantity
from banister.release.sources.lists import MANY, PersonLists, Sums, Whole, all_of, chosen, narrow, threads_for
from banister.release.sources.sql.compile import Listing
from banister.release.work import HASH_PRIME, Totals, Work
from banister.tables.columns import Kind
from banister.work.threads import cores, on_threads

HEAP, ROWS = 2**16, 2**17
"""About so many rows make a heap, and at most so many sorted ones are looked at at a time: arrays that stay in the
processor's cache. Half as many cost a tenth more, for each heap is a round of Python; eight times as many take twice as
long."""

BLOCK = 2**19
"""So many rows are dealt to heaps at a time, by codes of one byte, which NumPy sorts by counting."""

HEAPS = 8
"""The most bits of a heap's number."""

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

        def added(heaps: "_Heaps", places: Iterator[int]) -> Sums:
            sums = Sums.of(work)
            for people in self._sorted(heaps, places):
                groups = people.at(chosen(people.codes, people.starts, work))
                sums.add_parts(groups.cells, groups.parts(self, work, listing).__getitem__, work, listing)
            return sums

        whole = Sums.of(work)
        for heaps in map(self._heaps, rows):
            parts = on_threads(partial(added, heaps), range(len(heaps)), threads_for(work, heaps.rows))
            whole = all_of([whole, *parts])
        return whole.totals()

    def lists(self, rows: Iterable[NDArray[np.int64]], work: Work, listing: Listing) -> PersonLists:
        """The lists of all people, for keeps: every group, by person and by cell."""
        found: dict[str, list[Whole]] = {}

        def made(heaps: "_Heaps", places: Iterator[int]) -> "dict[int, list[dict[str, Whole]]]":
            return {
                place: [self._listed(one, work, listing) for one in self._sorted(heaps, [place])] for place in places
            }

        for heaps in map(self._heaps, rows):
            threads = cores() if heaps.rows >= MANY else 1
            by_heap = on_threads(partial(made, heaps), range(len(heaps)), threads)
            for _, stretches in sorted(item for part in by_heap for item in part.items()):
                for arrays in stretches:
                    for name, array in arrays.items():
                        found.setdefault(name, []).append(array)
        whole = {name: narrow(np.concatenate(arrays)) for name, arrays in found.items()}
        code, size, cell = (whole.pop(name, NOTHING) for name in ("code", "size", "cell"))
        starts = np.append(0, np.cumsum(size, dtype=np.int64))
        return PersonLists(code, starts, cell, {part: whole.get(part, NOTHING) for part in listing.parts})

    def _listed(self, people: "_People", work: Work, listing: Listing) -> dict[str, Whole]:
        groups = people.at(np.arange(people.starts[-1]))
        arrays = {"code": people.codes, "size": np.diff(people.starts), "cell": groups.cells}
        return {name: narrow(array) for name, array in (arrays | groups.parts(self, work, listing)).items()}

    def _sorted(self, heaps: "_Heaps", places: Iterable[int]) -> "Iterator[_People]":
        """The whole people of some heaps, some at a time, in their order within each heap."""
        for place in places:
            heap, high = heaps.at(place)
            heap.sort()
            for stretch in self._stretches(heap):
                yield self._people(stretch, high)

    def _heaps(self, piece: NDArray[np.int64]) -> "_Heaps":
        """The rows in heaps of whole people, who ascend from heap to heap."""
        rows = piece if piece.min(initial=0) >= 0 else piece[piece >= 0]  # Rows that count nowhere are below 0.
        width = int(rows.max(initial=0)).bit_length()
        wanted = min(max((len(rows) // HEAP).bit_length(), width - 32), HEAPS)
        shift = max(width - wanted, self._above)
        if len(rows) <= HEAP or shift >= width:
            return _Heaps([rows], [[0, len(rows)]], shift=64, half=False)
        half = shift <= 32  # Then the rows of a heap differ in their low 32 bits alone.
        count = (int(rows.max()) >> shift) + 1
        blocks = [rows[first : first + BLOCK] for first in range(0, len(rows), BLOCK)]

        def dealt(places: Iterator[int]) -> dict[int, tuple[Whole, list[int]]]:
            return {place: _dealt(blocks[place], shift, count, half=half) for place in places}

        parts = on_threads(dealt, range(len(blocks)), cores() if len(rows) >= MANY else 1)
        found = dict(sorted(item for part in parts for item in part.items()))
        return _Heaps([r for r, _ in found.values()], [e for _, e in found.values()], shift=shift, half=half)

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
class _Heaps:
    """Rows by heap: of each block those of heap i are `ends[i]` to `ends[i + 1]`, where they are whole or the low half
    of what they were."""

    blocks: list[Whole]
    ends: list[list[int]]
    shift: int
    half: bool

    def __len__(self) -> int:
        return len(self.ends[0]) - 1

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return sum(map(len, self.blocks))

    def at(self, place: int) -> tuple[Whole, int]:
        """The rows of a heap, and what to put above its numbers."""
        there = [block[upto[place] : upto[place + 1]] for block, upto in zip(self.blocks, self.ends, strict=True)]
        return np.concatenate(there), (place << self.shift) >> 32 << 32 if self.half else 0


def _dealt(block: NDArray[np.int64], shift: int, count: int, *, half: bool) -> tuple[Whole, list[int]]:
    """A block of rows by heap, and where each heap begins, and the last one ends."""
    codes = (block >> shift).astype(np.uint8)
    kept = block.astype(np.uint32) if half else block
    upto = np.cumsum(np.bincount(codes, minlength=count))
    return kept[np.argsort(codes, kind="stable")], [0, *upto.tolist()]


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
