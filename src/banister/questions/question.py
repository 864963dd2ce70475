"""A question about a table, as a value: which rows, into which cells, which aggregates of what."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Protocol

import numpy as np

from banister.core.exact.numbers import brief
from banister.questions.after import NOTHING, After
from banister.questions.terms import Condition, Leaf, Quantity
from banister.tables.calendar import date_of, first_days
from banister.tables.reading import Day, Value
from banister.tables.schema import Column, Table

Label = Value | Day | None
"""What names a cell along one axis in an answer."""


@dataclass(frozen=True, slots=True)
class Base:
    """A declared table, under the name that the question gives it."""

    table: Table
    alias: str

    @property
    def rows(self) -> int | None:
        """How many rows one person can have; None where that is not known."""
        return 1 if self.table.person is None else None


@dataclass(frozen=True, slots=True)
class Joined:
    """Two relations joined on the person: each pair of rows of one person is a row of hers."""

    left: "Relation"
    right: "Relation"
    outer: bool

    @property
    def rows(self) -> int | None:
        return 1 if self.left.rows == 1 and self.right.rows == 1 else None


class Inner(Enum):
    """What may be computed over the rows of one person."""

    COUNT = "COUNT"
    SUM = "SUM"
    MIN = "MIN"
    MAX = "MAX"


@dataclass(frozen=True, slots=True)
class PerPerson:
    """One aggregate over the rows of one person, clamped to the bounds of the column that it becomes."""

    column: Column
    inner: Inner
    quantity: Quantity | None


@dataclass(frozen=True, slots=True)
class Grouped:
    """A subquery grouped by person, and perhaps by columns: its rows belong to that person."""

    source: "Relation"
    where: Condition
    keys: tuple[Leaf, ...]
    totals: tuple[PerPerson, ...]
    alias: str

    @property
    def rows(self) -> int | None:
        return None if self.keys else 1


Relation = Base | Joined | Grouped


@dataclass(frozen=True, slots=True)
class Listed:
    """The declared values of a category."""

    leaf: Leaf
    values: tuple[Value, ...]
    name: str

    @property
    def size(self) -> int:
        return len(self.values)

    def label(self, place: int) -> Label:
        return self.values[place]


@dataclass(frozen=True, slots=True)
class Span:
    """Every whole number of an integer column's range."""

    quantity: Quantity
    name: str

    @property
    def size(self) -> int:
        return self.quantity.high - self.quantity.low + 1

    def label(self, place: int) -> Label:
        return int((self.quantity.low + place) * self.quantity.step)


@dataclass(frozen=True, slots=True)
class Periods:
    """Every day, week, month, quarter or year of a date's range, by its number; each is named by its first day."""

    quantity: Quantity
    every: str
    name: str

    @property
    def size(self) -> int:
        return self.quantity.high - self.quantity.low + 1

    def label(self, place: int) -> Label:
        return date_of(int(first_days(np.array(self.quantity.low + place), self.every)))


@dataclass(frozen=True, slots=True)
class Bins:
    """Half-open bins [edge, next edge) of a numeric column; the last one holds its upper edge too."""

    quantity: Quantity
    edges: tuple[Fraction, ...]
    name: str

    @property
    def size(self) -> int:
        return len(self.edges) - 1

    def label(self, place: int) -> Label:
        close = "]" if place == self.size - 1 else ")"
        return f"[{brief(self.edges[place])}, {brief(self.edges[place + 1])}{close}"


@dataclass(frozen=True, slots=True)
class Rungs:
    """A ladder over a quantity's range: rung k holds the steps from low + k · width on, `width` of them."""

    quantity: Quantity
    width: int

    @property
    def size(self) -> int:
        return (self.quantity.high - self.quantity.low) // self.width + 1


@dataclass(frozen=True, slots=True)
class Unknown:
    """A category whose values are not public: a value appears only where enough people stand behind it."""

    leaf: Leaf
    name: str


@dataclass(frozen=True, slots=True)
class WrittenOutcomes:
    """The written outcomes of an expression: its quantity is the place of the outcome among the values."""

    quantity: Quantity
    values: tuple[Value, ...]
    name: str

    @property
    def size(self) -> int:
        return len(self.values)

    def label(self, place: int) -> Label:
        return self.values[place]


@dataclass(frozen=True, slots=True)
class Stretches:
    """Stretches of a stored number or date, by the values at which they begin; the first place is for missing ones.

    Values are compared as they are stored, so that no range has to be declared.
    """

    leaf: Leaf
    edges: tuple[Fraction, ...]
    name: str

    @property
    def size(self) -> int:
        return len(self.edges) + 2

    def label(self, place: int) -> Label:
        return place


Known = Listed | Span | Periods | Bins | WrittenOutcomes | Stretches
Axis = Known | Unknown


class Aggregated(Protocol):
    """What a question knows of an aggregate: of what it is, where it is of something, and whether it is a date."""

    @property
    def quantity(self) -> Quantity | None: ...

    def is_date(self) -> bool: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """One column of the answer."""

    name: str
    aggregate: Aggregated


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Everything that is asked, bounded and checked; made without reading one record."""

    text: str
    relation: Relation
    where: Condition
    axes: tuple[Axis, ...]
    outputs: tuple[Output, ...]
    columns: tuple[str, ...]
    personal: bool
    after: After = NOTHING
    """What is done with the answers once they are drawn."""

    @property
    def open(self) -> bool:
        """Whether some cells are not known beforehand."""
        return any(isinstance(axis, Unknown) for axis in self.axes)

    @property
    def cells(self) -> int | None:
        """The number of cells; None where values are unknown."""
        return None if self.open else cell_count(self.axes)


def cell_count(axes: Sequence[Axis]) -> int:
    """The number of cells that the known axes make."""
    return math.prod(axis.size for axis in axes if not isinstance(axis, Unknown))
