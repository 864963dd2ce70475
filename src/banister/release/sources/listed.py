"""Totals from lists of people's groups: kept ones that are fresh, else made on the spot where rows fit in a number.

Whoever has more groups than may count is treated the same on every path, for the same keys: `rotation` says how.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import prod
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from banister.errors import BadValue, EngineFailed
from banister.questions.measures import people
from banister.questions.question import Listed, Unknown, cell_count
from banister.questions.relation import Base
from banister.release.sources.kept import KeptLists
from banister.release.sources.lists import PersonLists, of_columns
from banister.release.sources.packed import Packing
from banister.release.sources.sql.compile import Compiler, Listing
from banister.release.work import Physical, Totals, Work, assemble
from banister.tables.reading import Value

PIECE = 2**25
"""So many rows at a time are held as numbers of 64 bits, twice."""

WRITTEN = 64
"""So many queries are remembered."""

FAR = 2**61
VALUES, CELLS = 2**16, 2**22
"""The most values of an unknown axis, and the most cells with them, for which lists are made."""

CANNOT_LIST = (
    "An index keeps the groups of people with many rows, of one table, grouped by declared values, where `groups` in "
    "[source] bounds in how many a person counts. This question needs none, or cannot have one."
)
NO_PLACE = (
    "An index lies beside the ledger's file and is about tables in files or on PostgreSQL. Name a file as ledger in "
    "[budget]; frames in memory have none here."
)

Fetch = Callable[[str], Mapping[str, Sequence[object] | NDArray[np.generic]]]


class Texts:
    """The queries of a compiler that were asked for last, so that a question which is asked often is written once."""

    __slots__ = ("listing", "packing", "span")

    def __init__(self, compiler: Compiler) -> None:
        self.listing: Callable[[Work], Listing] = lru_cache(maxsize=WRITTEN)(compiler.listing)
        self.packing = lru_cache(maxsize=WRITTEN)(compiler.packing)
        self.span: Callable[[Work], str] = lru_cache(maxsize=WRITTEN)(compiler.span)


def _unkeyed(work: Work) -> Work:
    """The same work without its secret numbers, which are new each time and stand in none of these queries."""
    return replace(work, hash_keys=())


@dataclass(frozen=True, slots=True)
class ListReader:
    """One engine's lists. `paths` are the files of all tables, or nothing where there are other tables than files."""

    compiler: Compiler
    fetch: Fetch
    kept: KeptLists | None
    paths: tuple[Path, ...] | None
    texts: "Texts" = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "texts", Texts(self.compiler))

    def totals(self, work: Work) -> Totals | None:
        """The exact work; nothing where it is not about people's lists, or where they have to be made in the engine."""
        if not _bounded(work):
            return None
        if any(isinstance(axis, Unknown) for axis in work.axes):
            return self._unknown(work)
        listing = self.texts.listing(_unkeyed(work))
        found = self._found(work, listing)
        return self._packed(work, listing) if found is None else found.totals(work, listing)

    def make(self, work: Work) -> bool:
        """Make and keep the list behind some work; whether the table held still for it."""
        if not listable(work):
            raise BadValue(CANNOT_LIST)
        if self.kept is None or self.paths is None:
            raise BadValue(NO_PLACE)
        listing = self.compiler.listing(work)
        return self.kept.find(listing, self.paths) is not None or self._made(work, listing) is not None

    def _found(self, work: Work, listing: Listing) -> PersonLists | None:
        if self.kept is None or self.paths is None:
            return None
        found = self.kept.find(listing, self.paths)
        return self._made(work, listing) if found is None and self.kept.making else found

    def _made(self, work: Work, listing: Listing) -> PersonLists | None:
        """A list for keeps; nothing where the files changed on the way, or their times are not to be trusted."""
        assert self.kept is not None
        assert self.paths is not None
        before = self.kept.settled(self.paths)
        if before is None:
            return None
        listing, lists = self._fresh(work, listing, before)
        return lists if self.kept.keep(listing, self.paths, before, lists) else None

    def _fresh(self, work: Work, listing: Listing, before: object) -> tuple[Listing, PersonLists]:
        """A list from the rows, with the parts besides that a fresh one for other questions about them has already."""
        assert self.kept is not None
        old = self.kept.fresh(listing, before)
        if (packing := self._packing(work)) is not None:
            lists = packing.lists(self._pieces(work, packing), work, listing)
            if old is None:
                return listing, lists
            if (both := lists.with_parts(old)) is not None:
                return replace(listing, parts=tuple(both.parts)), both
        listing = self.compiler.listing(work, also=() if old is None else tuple(old.parts))
        fetched = self.fetch(listing.query)
        columns = {name: np.asarray(values, dtype=np.int64) for name, values in fetched.items()}
        return listing, of_columns(columns, listing)

    def _packed(self, work: Work, listing: Listing) -> Totals | None:
        """Fetch each row as one number, sort these and add up."""
        packing = self._packing(work)
        return None if packing is None else packing.totals(self._pieces(work, packing), work, listing)

    def _packing(self, work: Work) -> Packing | None:
        """How rows become one number each, and how many rows there are; nothing where they do not fit."""
        assert isinstance(work.relation, Base)
        table = work.relation.table
        if self.compiler.types[table.name][table.person or ""] is not Physical.INTEGER:
            return None
        rows, lowest, highest = (_whole(values[0]) for values in self.fetch(self.texts.span(_unkeyed(work))).values())
        return Packing.of(work, lowest, highest, rows) if max(-lowest, highest) < FAR else None

    def _pieces(self, work: Work, packing: Packing) -> Iterator[NDArray[np.int64]]:
        """The rows as numbers, a piece of the people at a time."""
        pieces = max(1, -(-packing.rows // PIECE))
        for piece in range(pieces):
            query = self.texts.packing(
                _unkeyed(work), packing.lowest, packing.fields, packing.cell_bits, (piece, pieces)
            )
            yield np.array(self.fetch(query)["k"], dtype=np.int64, copy=None)

    def _unknown(self, work: Work) -> Totals | None:
        """The same with unknown values, once these are found; nothing where they are too many, or not for a list.

        Known axes come first and values in the order of their bytes, so that her groups stand in the usual order.
        """
        known = [axis for axis in work.axes if not isinstance(axis, Unknown)]
        open_axes = [axis for axis in work.axes if isinstance(axis, Unknown)]
        found = [self._values(work, axis) for axis in open_axes]
        if any(values is None for values in found) or cell_count(known) * prod(map(len, filter(None, found))) > CELLS:
            return None
        listed = [Listed(axis.leaf, values or (), axis.name) for axis, values in zip(open_axes, found, strict=True)]
        whole = replace(work, axes=(*known, *listed), measures=(*work.measures, people()))
        try:
            totals = self._packed(whole, self.compiler.listing(whole))
        except EngineFailed:  # A value that cannot be written into a query: the engine's own way needs no such thing.
            return None
        if totals is None:
            return None
        there = np.flatnonzero(totals.values[-1])
        places = np.unravel_index(there, [axis.size for axis in (*known, *listed)])
        columns = {"cell": np.zeros(len(there), dtype=np.int64)}
        for axis, place in zip(known, places, strict=False):
            columns["cell"] = columns["cell"] * axis.size + place
        values: dict[str, Sequence[object] | NDArray[np.generic]] = dict(columns)
        for number, (axis, place) in enumerate(zip(listed, places[len(known) :], strict=True)):
            values[f"x{number}"] = [axis.values[at] for at in place.tolist()]
        values |= {f"m{i}": row[there] for i, row in enumerate(totals.values[:-1])}
        return assemble(work, cell_count(known), values)

    def _values(self, work: Work, axis: Unknown) -> tuple[Value, ...] | None:
        """The values that an unknown axis has in the table, in their order; nothing where some are of another kind."""
        (found,) = self.fetch(self.compiler.distinct(work, axis)).values()
        values = [value.item() if isinstance(value, np.generic) else value for value in found]
        if len(values) > VALUES or not values:
            return None
        if all(isinstance(value, str) and "\0" not in value for value in values):
            return tuple(sorted((str(value) for value in values), key=lambda text: text.encode()))
        if all(isinstance(value, int) and not isinstance(value, bool) for value in values):
            return tuple(sorted(value for value in values if isinstance(value, int)))
        return None


def listable(work: Work) -> bool:
    """Whether some work is about the groups of people of one table, all of which are known beforehand."""
    return _bounded(work) and not any(isinstance(axis, Unknown) for axis in work.axes)


def _bounded(work: Work) -> bool:
    """Where a row's person is found in another table, one row may be several people's: the engine sees to it."""
    additive = work.ladder is None and not work.beyond and not work.distinct
    counted = work.personal and work.groups is not None and additive
    return counted and isinstance(work.relation, Base) and work.relation.table.through is None


def _whole(value: object) -> int:
    assert isinstance(value, int | np.integer)
    return int(value)
