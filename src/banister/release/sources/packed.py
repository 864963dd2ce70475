"""People's groups without an index: each row as one number, sorted, and of the groups only those that count added up.

Sorted numbers bring a person's rows together, and in them those of a group. Where groups begin is seen by comparing
neighbours; what a group adds up to is the difference of two running totals, taken for the groups that count alone.
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
        """Whole people, some at a time, from pieces that are each sorted in their place."""
        for piece in rows:
            piece.sort()
            there = piece[int(np.searchsorted(piece, 0, side="left")) :]  # Rows that count nowhere are below 0.
            for stretch in self._stretches(there):
                yield self._people(stretch)

    @property
    def _below(self) -> int:
        return sum(bits for _, bits in self.fields)

    def _stretches(self, rows: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
        """Sorted rows in stretches that end with a person."""
        above = self.cell_bits + self._below
        first = 0
        while first < len(rows):
            last = min(first + ROWS, len(rows))
            if last < len(rows):  # To the end of the person who is in the middle.
                following = ((rows[last - 1] >> above) + 1) << above
                last = int(np.searchsorted(rows, following, side="left"))
            yield rows[first:last]
            first = last

    def _people(self, rows: NDArray[np.int64]) -> "_People":
        """Where people and their groups begin among sorted rows."""
        hers = rows >> self._below
        people = hers >> self.cell_bits
        firsts = np.flatnonzero(_changes(hers))
        starts = np.flatnonzero(_changes(people)[firsts])
        codes = np.fmod(people[firsts[starts[:-1]]] + self.lowest, HASH_PRIME)
        hers &= 2**self.cell_bits - 1
        return _People(rows, hers, firsts, starts, codes)


@dataclass(frozen=True, slots=True, eq=False)
class _People:
    """Sorted rows of whole people: the cell of each row, the first rows of groups, the first groups of people, and who
    these are. Behind the last row, and behind the last group, the next one would begin."""

    rows: NDArray[np.int64]
    cells: NDArray[np.int64]
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

    rows: NDArray[np.int64]
    cells: NDArray[np.int64]
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
        np.cumsum(values, out=upto[1:])
        found: NDArray[np.int64] = upto[self.ends]
        found -= upto[self.begins]
        return found


def _changes(values: NDArray[np.int64]) -> NDArray[np.bool]:
    """Where a value is another than the one before it, the first one and the end included."""
    fresh = np.ones(len(values) + 1, dtype=np.bool)
    np.not_equal(values[1:], values[:-1], out=fresh[1 : len(values)])
    return fresh
