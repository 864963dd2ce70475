"""Which records a table may hold, declared without looking at one: the columns' values, ranges and bins.

Every value becomes a code from 0 on. Numbers, whole numbers and dates are first whole units (steps, ones, days), and a
cell is a run of units; a missing value is a cell of its own unless the declaration says that none is missing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from banister.core.laws.histograms import CELLS_LIMIT
from banister.errors import BadValue
from banister.tables import calendar
from banister.tables.columns import Column, Kind, rounded
from banister.tables.csv_rules import USUAL, CsvRules
from banister.tables.reading import Value

Integers = NDArray[np.int64]
EDGES_LIMIT = CELLS_LIMIT + 1
UNREAD = -(2**63)
"""The unit of what is no number or no date at all."""
FAR = 2**62
"""The unit, with either sign, of a number that is too large for one."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute:
    """One column and its cells: the listed values, or runs of units from one edge to the next."""

    name: str
    kind: Kind
    values: tuple[Value, ...] = ()
    edges: range | tuple[int, ...] = ()
    step: Fraction = Fraction(1)
    nulls: bool = True
    other: int | None = None
    """The code of the value that stands for every one that is not declared."""

    @property
    def present(self) -> int:
        """Number of cells for values that are there."""
        return len(self.values) if self.kind is Kind.CATEGORY else len(self.edges) - 1

    @property
    def size(self) -> int:
        """Number of cells, the one for missing values included; it is the last."""
        return self.present + self.nulls

    @property
    def ordered(self) -> bool:
        """Whether neighbouring codes are neighbouring values."""
        return self.kind is not Kind.CATEGORY

    def codes(self, units: Integers, missing: NDArray[np.bool_]) -> Integers:
        """Codes of units (or of positions in `values`), -1 for what was not declared."""
        if self.kind is Kind.CATEGORY:
            codes = np.where((units >= 0) & (units < self.present), units, -1)
        else:
            edges = self.edges
            if isinstance(edges, range):
                codes = np.where((units >= edges[0]) & (units < edges[-1]), units - edges[0], -1)
            else:
                codes = np.searchsorted(np.array(edges), units, side="right") - 1
                codes[(units < edges[0]) | (units >= edges[-1])] = -1
        codes[missing] = self.present if self.nulls else -1
        return codes.astype(np.int64)

    def placed(self, units: Integers, missing: NDArray[np.bool_]) -> Integers:
        """Codes by the law for private records, which no value breaks; -1 for what has no place.

        Numbers and dates outside the range are clipped to it. A value that is not declared is what the schema's `other`
        says, or else missing; a missing one has no place where the schema promises that there is none.
        """
        if self.kind is not Kind.CATEGORY:
            held = np.clip(units, int(self.edges[0]), int(self.edges[-1]) - 1)
            return self.codes(held, missing | (units == UNREAD))
        strange = ~missing & ((units < 0) | (units >= self.present))
        codes = self.codes(units, missing | strange)
        if self.other is not None:
            codes[strange] = self.other
        return codes

    def label(self, code: int) -> str:
        """A cell in words."""
        if code == self.present:
            return "missing"
        if self.kind is Kind.CATEGORY:
            value = self.values[code]
            return str(value).lower() if isinstance(value, bool) else str(value)
        first, last = self.edges[code], self.edges[code + 1] - 1
        return self._shown(first) if first == last else f"{self._shown(first)} – {self._shown(last)}"

    def _shown(self, unit: int) -> str:
        if self.kind is Kind.DATE:
            return str(calendar.date_of(unit))
        value = unit * self.step
        return str(value.numerator) if value.denominator == 1 else f"{float(value):g}"


@dataclass(frozen=True, slots=True)
class Domain:
    """All records that could be: every combination of the attributes' cells.

    Where rows carry a person's key, one row of each person counts, so that a record is a person.
    """

    attributes: tuple[Attribute, ...]
    person: str | None = None
    rules: CsvRules = USUAL
    """How the values are written where the table is a CSV file."""

    def __post_init__(self) -> None:
        if not self.attributes:
            raise BadValue("No column is chosen. Name at least one declared column.")

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of cells of each attribute."""
        return tuple(attribute.size for attribute in self.attributes)

    @property
    def cells(self) -> int:
        """Number of combinations."""
        return prod(self.shape)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(attribute.name for attribute in self.attributes)

    def enumerable(self) -> int:
        """The number of cells, or an error that says what to do when they are too many to go through."""
        if self.cells > CELLS_LIMIT:
            sizes = ", ".join(f"{a.name} {a.size}" for a in sorted(self.attributes, key=lambda a: -a.size)[:5])
            raise BadValue(
                f"The columns have {self.cells:.4g} combinations; at most {CELLS_LIMIT:.0e} can be gone through one by "
                f"one. Choose fewer columns, declare wider bins (the largest: {sizes}), or publish with --wide."
            )
        return self.cells

    def check(self, codes: Sequence[Integers]) -> None:
        """Refuse values that were not declared. The message names the column and nothing else."""
        for attribute, column in zip(self.attributes, codes, strict=True):
            if column.size and column.min() < 0:
                what = "its values" if attribute.kind is Kind.CATEGORY else "its range"
                also = "" if attribute.nulls else ", or missing values although nulls = false"
                raise BadValue(
                    f"Column '{attribute.name}' has values outside {what} as declared{also}. Correct the declaration "
                    "from public knowledge, not from the data, or clean the table. Nothing was charged."
                )

    def histogram(self, codes: Sequence[Integers]) -> Integers:
        """How many records are in each cell, the last attribute running fastest."""
        flat = np.ravel_multi_index(tuple(codes), self.shape)
        return np.bincount(flat, minlength=self.cells).astype(np.int64)

    def only(self, names: Sequence[str]) -> "Domain":
        """The domain of some of the columns, in the order asked for."""
        return Domain(
            _chosen({attribute.name: attribute for attribute in self.attributes}, names), self.person, self.rules
        )

    @classmethod
    def of_columns(
        cls, columns: Sequence[Column], names: Sequence[str], *, person: str | None, rules: CsvRules
    ) -> "Domain":
        """The domain of some declared columns, in the order asked for."""
        chosen = _chosen({column.name: column for column in columns}, names)
        return cls(tuple(_attribute(column) for column in chosen), person, rules)


def _chosen(known: Mapping[str, T], names: Sequence[str]) -> tuple[T, ...]:
    for name in names:
        if name not in known:
            raise BadValue(
                f"Column '{name}' has no declaration. Add one under [columns], e.g. "
                f'{name} = {{ kind = "category", values = ["yes", "no"] }}.'
            )
    if len(set(names)) < len(names):
        raise BadValue("A column is named twice. Name each column once.")
    return tuple(known[name] for name in names)


def _attribute(column: Column) -> Attribute:
    """A column and its cells; the values of a category have to be listed."""
    name, nulls = column.name, column.nulls
    match column.kind:
        case Kind.CATEGORY:
            if column.values is None:
                raise BadValue(
                    f"Column '{name}' is a category without a list of values. List all values that are public "
                    f'knowledge, e.g. {name} = {{ kind = "category", values = ["yes", "no"] }}.'
                )
            other = None if column.other is None else column.values.index(column.other)
            return Attribute(name=name, kind=column.kind, values=column.values, nulls=nulls, other=other)
        case Kind.DATE:
            return Attribute(name=name, kind=column.kind, edges=_days(column), nulls=nulls)
        case Kind.TIMESTAMP:
            raise BadValue(
                f"Column '{name}' holds timestamps, which a published copy does not. Declare it with kind = \"date\" "
                'and every = "day" or longer, or leave it out.'
            )
    return Attribute(name=name, kind=column.kind, edges=_units(column), step=column.step, nulls=nulls)


def _units(column: Column) -> range | tuple[int, ...]:
    """Runs of steps: from each edge to the next, the top of the range in the last."""
    first, last = column.units
    if not column.bins:
        return _whole(column.name, range(first, last + 2))
    edges = {rounded(edge / column.step) for edge in column.bins[1:-1]}
    return (first, *sorted(edge for edge in edges if first < edge <= last), last + 1)


def _days(column: Column) -> range | tuple[int, ...]:
    first, last = column.units
    if column.every == "day":
        return _whole(column.name, range(first, last + 2))
    start, end = calendar.numbers_of(np.array([first, last]), column.every).tolist()
    inner = calendar.first_days(np.arange(start + 1, end + 1), column.every)
    return (first, *inner.tolist(), last + 1)


def _whole(name: str, edges: range) -> range:
    if len(edges) > EDGES_LIMIT:
        raise BadValue(
            f"Column '{name}' alone has {len(edges) - 1:.4g} cells; at most {CELLS_LIMIT:.0e} can be gone through. "
            "Declare bins, or a coarser step."
        )
    return edges
