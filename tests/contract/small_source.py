"""A second road to exact totals: people as lists of rows, added up by a few lines of Python in place of an engine.

It does what a `Work` asks and nothing else: a person counts in at most so many cells, what she contributes to a cell is
clamped to the measure's bounds, and a ladder takes at most so many of her rows in a cell. So a bound that is forgotten
in the work shows as a person who moves too much.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from banister.questions import terms
from banister.questions.measures import Counting, Measure
from banister.questions.question import Axis, Label, Listed, Unknown, cell_count
from banister.release.work import Physical, Totals, Work
from banister.tables.schema import Table

Row = Mapping[str, int | str | None]
Person = tuple[Row, ...]
Cell = tuple[Label, ...]
Part = tuple[Cell, list[Row], int]
"""What a person has in a cell, and how many people have the same."""


@dataclass(frozen=True)
class SmallSource:
    """The port `Source`, over people that a test has made up."""

    people: Sequence[Person]

    def describe(self, table: Table) -> Mapping[str, Physical]:
        raise NotImplementedError(table)

    def totals(self, work: Work) -> Totals:
        assert work.where == terms.Boolean(True)
        # People who are alike, such as a crowd behind one value, are looked at once.
        owners = Counter(self.people if work.personal else ((row,) for person in self.people for row in person))
        if work.beyond:
            cut = sum(many for person, many in owners.items() if _is_cut(work, person))
            return Totals(values=np.array([[cut]]), labels=None)
        parts = [(*cells, many) for person, many in owners.items() for cells in _by_cell(work, person)]
        return _ladder(work, parts) if work.ladder is not None else _measures(work, parts)


def _by_cell(work: Work, person: Person) -> Iterator[tuple[Cell, list[Row]]]:
    yield from list(_all_cells(work, person).items())[: work.groups]


def _all_cells(work: Work, person: Person) -> dict[Cell, list[Row]]:
    cells: dict[Cell, list[Row]] = {}
    for row in person:
        labels = tuple(_label(axis, row) for axis in work.axes)
        if None not in labels:
            cells.setdefault(labels, []).append(row)
    return cells


def _is_cut(work: Work, person: Person) -> bool:
    """Whether the bounds leave out something of a person."""
    cells = _all_cells(work, person)
    return len(cells) > (work.groups or len(cells)) or any(len(rows) > work.rows for rows in cells.values())


def _label(axis: Axis, row: Row) -> Label:
    assert isinstance(axis, Listed | Unknown)
    value = row[axis.leaf.column.name]
    return value if isinstance(axis, Unknown) or value in axis.values else None


def _measures(work: Work, parts: Sequence[Part]) -> Totals:
    found: dict[Cell, list[int]] = {}
    for cell, rows, many in parts:
        sums = found.setdefault(cell, [0] * len(work.measures))
        for place, measure in enumerate(work.measures):
            sums[place] += many * _contribution(measure, rows)
    if any(isinstance(axis, Unknown) for axis in work.axes):
        labels = tuple(sorted(found, key=str))
        values = np.array([found[label] for label in labels], dtype=np.int64).reshape(len(labels), len(work.measures))
        return Totals(values=values.T, labels=labels)
    table = np.zeros((len(work.measures), cell_count(work.axes)), dtype=np.int64)
    for cell, sums in found.items():
        table[:, _place(work, cell)] = sums
    return Totals(values=table, labels=None)


def _contribution(measure: Measure, rows: Sequence[Row]) -> int:
    values = [_value(measure.quantity.term, row) if measure.quantity else 1 for row in rows]
    there = [value for value in values if value is not None]
    match measure.counting:
        case Counting.PEOPLE:
            raw = 1
        case Counting.ROWS:
            raw = len(there)
        case Counting.TOTAL:
            raw = sum(there)
    return min(max(raw, measure.low), measure.high)


def _ladder(work: Work, parts: Sequence[Part]) -> Totals:
    assert work.ladder is not None
    axis, counts = work.ladder, dict[tuple[Cell, int], int]()
    for cell, rows, many in parts:
        values = [_value(axis.quantity.term, row) for row in rows]
        for value in [v for v in values if v is not None][: work.rows]:
            rung = (value - axis.quantity.low) // axis.width
            counts[cell, rung] = counts.get((cell, rung), 0) + many
    if any(isinstance(a, Unknown) for a in work.axes):
        places = sorted(counts, key=str)
        return Totals(
            values=np.array([[counts[place] for place in places]], dtype=np.int64),
            labels=tuple(cell for cell, _ in places),
            rungs=np.array([rung for _, rung in places], dtype=np.int64),
        )
    table = np.zeros((axis.size, cell_count(work.axes)), dtype=np.int64)
    for (cell, rung), count in counts.items():
        table[rung, _place(work, cell)] = count
    return Totals(values=table, labels=None)


def _place(work: Work, cell: Cell) -> int:
    place = 0
    for axis, label in zip(work.axes, cell, strict=True):
        assert isinstance(axis, Listed)
        place = place * axis.size + axis.values.index(label)
    return place


def _value(term: terms.Term, row: Row) -> int | None:
    match term:
        case terms.Leaf():
            value = row[term.column.name]
            assert not isinstance(value, str)
            return value
        case terms.Whole():
            return term.value
        case terms.Add() | terms.Multiply():
            left, right = _value(term.left, row), _value(term.right, row)
            if left is None or right is None:
                return None
            return left + right if isinstance(term, terms.Add) else left * right
        case terms.Case():
            found = (value for condition, value in term.cases if _holds(condition, row))
            return _value(next(found, term.otherwise), row)
        case terms.Null():
            return None
    raise NotImplementedError(term)


def _holds(condition: terms.Condition, row: Row) -> bool:
    match condition:
        case terms.Not():
            return not _holds(condition.condition, row)
        case terms.IsNull():
            return _value(condition.term, row) is None
    raise NotImplementedError(condition)
