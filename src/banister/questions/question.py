"""A question about a table, as a value: which rows, into which cells, which aggregates of what."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np

from banister.core.exact.numbers import brief
from banister.questions.after import NOTHING, After
from banister.questions.relation import Relation
from banister.questions.terms import Condition, Leaf, Quantity, Unit
from banister.tables.calendar import CLOCK, date_of, first_days, moment_of
from banister.tables.reading import Day, Value

Label = Value | Day | None
"""What names a cell along one axis in an answer."""


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
    """Every day, week, month, quarter or year of a date's range, by its number; each is named by its first day.

    Hours and minutes of a timestamp are named by the moment at which they begin.
    """

    quantity: Quantity
    every: str
    name: str

    @property
    def size(self) -> int:
        return self.quantity.high - self.quantity.low + 1

    def label(self, place: int) -> Label:
        if self.every in CLOCK:
            return moment_of((self.quantity.low + place) * CLOCK[self.every])
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
    """What a question knows of an aggregate: of what it is, where it is of something, and what it counts."""

    @property
    def quantity(self) -> Quantity | None: ...

    def unit(self) -> Unit: ...


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
    rows: int | None = None
    """The most rows of one person that count in a group, by what the tables that are read declare."""
    groups: int | None = None
    """The most groups in which one person counts, likewise."""
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
