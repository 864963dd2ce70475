"""Which records a table may hold, declared without looking at one: the columns' values, ranges and bins.

Every value becomes a code from 0 on. Numbers, whole numbers and dates are first whole units (steps, ones, days), and a
cell is a run of units; a missing value is a cell of its own unless the declaration says that none is missing.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from math import prod
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from banister.core import need
from banister.core.guarantee import Neighbours
from banister.core.histograms import CELLS_LIMIT
from banister.errors import BadValue

Integers = NDArray[np.int64]
Value = str | int | bool
EDGES_LIMIT = CELLS_LIMIT + 1


class Kind(Enum):
    """What an attribute holds."""

    INTEGER = "integer"
    NUMBER = "number"
    CATEGORY = "category"
    DATE = "date"


@runtime_checkable
class Day(Protocol):
    """A day as TOML reads it."""

    def isoformat(self) -> str: ...
    def toordinal(self) -> int: ...


_EVERY = {"day": "D", "week": "W", "month": "M", "year": "Y"}
_EPOCH = 719163
"""The ordinal of 1 January 1970."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute:
    """One column and its cells: the listed values, or runs of units from one edge to the next."""

    name: str
    kind: Kind
    values: tuple[Value, ...] = ()
    edges: range | tuple[int, ...] = ()
    step: Fraction = Fraction(1)
    nulls: bool = True

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
            return str(np.datetime64(unit, "D"))
        value = unit * self.step
        return str(value.numerator) if value.denominator == 1 else f"{float(value):g}"


@dataclass(frozen=True, slots=True)
class Domain:
    """All records that could be: every combination of the attributes' cells.

    Where rows carry a person's key, one row of each person counts, so that a record is a person.
    """

    attributes: tuple[Attribute, ...]
    person: str | None = None

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
        known = {attribute.name: attribute for attribute in self.attributes}
        for name in names:
            if name not in known:
                raise BadValue(
                    f"Column '{name}' has no declaration. Add one under [columns], e.g. "
                    f'{name} = {{ kind = "category", values = ["yes", "no"] }}.'
                )
        if len(set(names)) < len(names):
            raise BadValue("A column is named twice. Name each column once.")
        return Domain(tuple(known[name] for name in names), self.person)


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """What a schema file says about a table to publish."""

    domain: Domain
    neighbours: Neighbours | None
    ledger: str | None

    @classmethod
    def of_text(cls, text: str) -> "Declaration":
        """Read the content of a `.toml` file: [columns], and what [source] and [budget] say.

        >>> found = Declaration.of_text('''
        ... [source]
        ... neighbours = "replace"
        ... [columns]
        ... smokes = { kind = "category", values = ["yes", "no"], nulls = false }
        ... age = { kind = "integer", range = [0, 99], bins = [0, 18, 65] }''')
        >>> found.domain.shape
        (2, 4)
        """
        try:
            content = tomllib.loads(text, parse_float=Decimal)
        except tomllib.TOMLDecodeError as error:
            raise BadValue(f"The schema is not valid TOML: {error}.") from None
        columns = content.get("columns")
        if not isinstance(columns, dict) or not columns:
            raise BadValue("The schema needs a section [columns] with one line for each column that may be published.")
        source, budget = content.get("source", {}), content.get("budget", {})
        return cls(
            domain=Domain(
                tuple(_attribute(name, columns[name]) for name in columns),
                _text(source.get("person")) if isinstance(source, dict) else None,
            ),
            neighbours=_neighbours(source.get("neighbours")) if isinstance(source, dict) else None,
            ledger=_text(budget.get("ledger")) if isinstance(budget, dict) else None,
        )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _neighbours(value: object) -> Neighbours | None:
    if value is None:
        return None
    choices = {relation.value: relation for relation in Neighbours}
    if not isinstance(value, str) or value not in choices:
        raise BadValue(f"neighbours in [source] must be one of: {', '.join(choices)}.")
    return choices[value]


def _attribute(name: str, line: object) -> Attribute:
    if not isinstance(line, dict):
        raise BadValue(f"Column '{name}' needs a declaration in braces with a kind, a range or values.")
    kinds = {kind.value: kind for kind in Kind}
    kind = kinds.get(str(line.get("kind")))
    if kind is None:
        raise BadValue(f"kind = {line.get('kind')!r} of column '{name}' must be one of: {', '.join(kinds)}.")
    nulls = line.get("nulls", True)
    if not isinstance(nulls, bool):
        raise BadValue(f"nulls of column '{name}' must be true or false.")
    match kind:
        case Kind.CATEGORY:
            return _category(name, line, nulls)
        case Kind.DATE:
            return Attribute(name=name, kind=kind, edges=_days(name, line), nulls=nulls)
    step = need.positive(f"step of column '{name}'", _number(name, "step", line.get("step", 1)))
    return Attribute(name=name, kind=kind, edges=_units(name, line, kind, step), step=step, nulls=nulls)


def _category(name: str, line: Mapping[str, object], nulls: bool) -> Attribute:
    values = line.get("values")
    if not isinstance(values, list) or not values:
        raise BadValue(
            f"Column '{name}' is a category without a list of values. List all values that are public knowledge, e.g. "
            f'{name} = {{ kind = "category", values = ["yes", "no"] }}.'
        )
    if len({type(value) for value in values}) > 1 or not isinstance(values[0], str | int):
        raise BadValue(f"values of column '{name}' must all be texts, all whole numbers, or all true and false.")
    if len(set(values)) < len(values):
        raise BadValue(f"Column '{name}' lists a value twice.")
    return Attribute(name=name, kind=Kind.CATEGORY, values=tuple(values), nulls=nulls)


def _number(name: str, what: str, value: object) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise BadValue(f"{what} of column '{name}' must be made of numbers.")
    return Fraction(value)


def _pair(name: str, line: Mapping[str, object]) -> tuple[object, object]:
    found = line.get("range")
    if not isinstance(found, list) or len(found) != 2:
        raise BadValue(
            f"Column '{name}' has no declared range. Declare what is public knowledge, e.g. range = [0, 100]."
        )
    return found[0], found[1]


def _units(name: str, line: Mapping[str, object], kind: Kind, step: Fraction) -> range | tuple[int, ...]:
    low, high = (_number(name, "range", x) for x in _pair(name, line))
    bins = line.get("bins", [])
    if not isinstance(bins, list):
        raise BadValue(f"bins of column '{name}' must be a list of edges, e.g. bins = [0, 18, 65].")
    inner = [_number(name, "bins", x) for x in bins]
    if not low < high:
        raise BadValue(f"range of column '{name}' must go from low to high.")
    if kind is Kind.INTEGER and any(x.denominator != 1 for x in (low, high, step, *inner)):
        raise BadValue(
            f"Column '{name}' is an integer: its range and bins must be whole, or declare kind = \"number\"."
        )
    first, last = _rounded(low / step), _rounded(high / step)
    if not inner:
        return _whole(name, range(first, last + 2))
    if inner != sorted(set(inner)):
        raise BadValue(f"bins of column '{name}' must be edges of which each is larger than the one before.")
    edges = {_rounded(edge / step) for edge in inner}
    return (first, *sorted(edge for edge in edges if first < edge <= last), last + 1)


def _days(name: str, line: Mapping[str, object]) -> range | tuple[int, ...]:
    low, high = _pair(name, line)
    if not (isinstance(low, Day) and isinstance(high, Day) and low.toordinal() < high.toordinal()):
        raise BadValue(f"range of column '{name}' must be two dates from early to late, e.g. [2020-01-01, 2024-12-31].")
    every = line.get("every", "day")
    if not isinstance(every, str) or every not in _EVERY:
        raise BadValue(f"every of column '{name}' must be one of: {', '.join(_EVERY)}.")
    first, last = low.toordinal() - _EPOCH, high.toordinal() - _EPOCH
    if every == "day":
        return _whole(name, range(first, last + 2))
    starts = np.arange(first, last + 1).astype("datetime64[D]").astype(f"datetime64[{_EVERY[every]}]")
    inner = np.unique(starts)[1:].astype("datetime64[D]").astype(np.int64)
    return (first, *inner.tolist(), last + 1)


def _whole(name: str, edges: range) -> range:
    if len(edges) > EDGES_LIMIT:
        raise BadValue(
            f"Column '{name}' alone has {len(edges) - 1:.4g} cells; at most {CELLS_LIMIT:.0e} can be gone through. "
            "Declare bins, or a coarser step."
        )
    return edges


def _rounded(x: Fraction) -> int:
    """⌊x + 1/2⌋."""
    return (2 * x.numerator + x.denominator) // (2 * x.denominator)
