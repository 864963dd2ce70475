"""Public tables: products, regions, calendars, code lists. Anybody may know them, so their rows are read when planning.

Their values are turned into what questions compute with: whole steps, days since 1970, and values of categories.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction

from banister.errors import BadValue
from banister.tables.columns import CATEGORY_LIMIT, Column, Kind
from banister.tables.csv_rules import CsvRules
from banister.tables.reading import EPOCH, Section, Value

PUBLIC_LIMIT = 50_000
"""Rows of a public table: they are written into the query of every question that names it."""

STEPS_LIMIT = 2**52


@dataclass(frozen=True, slots=True)
class Known:
    """The content of a public table: its columns, and its rows in whole steps, days and values of categories."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Value | None, ...], ...]

    @classmethod
    def of_columns(cls, found: Mapping[str, Sequence[object]]) -> "Known":
        """The content from plain values. A column of which nothing can be made is left out.

        >>> known = Known.of_columns({"code": ["a", "b"], "price": [Decimal("1.50"), Decimal("2.25")]})
        >>> known.rows, str(known.columns[1].step)
        ((('a', 2), ('b', 3)), '3/4')
        """
        made = [one for name, values in found.items() if (one := _column(name, values)) is not None]
        rows = tuple(zip(*(values for _, values in made), strict=True))
        return cls(tuple(column for column, _ in made), rows)

    def column(self, name: str) -> Column | None:
        """The column of that name, upper or lower case alike."""
        return next((column for column in self.columns if column.name.lower() == name.lower()), None)

    def unique(self, names: Sequence[str]) -> bool:
        """Whether no two rows agree in these columns; one that is missing equals nothing."""
        places = [[column.name for column in self.columns].index(name) for name in names]
        keys = [tuple(row[place] for place in places) for row in self.rows]
        there = [key for key in keys if None not in key]
        return len(set(there)) == len(there)

    def written(self, names: Sequence[str]) -> tuple[tuple[Value | None, ...], ...]:
        """The rows of some columns."""
        places = [[column.name for column in self.columns].index(name) for name in names]
        return tuple(tuple(row[place] for place in places) for row in self.rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicTable:
    """A table that anybody may know: where it is, and the key by which it is looked up."""

    name: str
    location: str
    inner: str | None
    key: tuple[str, ...]
    rules: CsvRules
    known: Known | None = None
    """Its content, once it was read."""

    def checked(self, known: Known) -> Known:
        """The content, where the key is there and unique. It is public, so the message may say so."""
        columns = [known.column(name) for name in self.key]
        names = [column.name for column in columns if column is not None]
        if len(names) < len(self.key):
            there = ", ".join(column.name for column in known.columns[:12])
            raise BadValue(
                f"The public table '{self.name}' has no key {', '.join(self.key)} that can be compared. It has: "
                f"{there}."
            )
        if len(known.rows) > PUBLIC_LIMIT:
            raise BadValue(
                f"The public table '{self.name}' has {len(known.rows)} rows; up to {PUBLIC_LIMIT} are read. Keep what "
                "questions need."
            )
        if not known.unique(names):
            raise BadValue(
                f"The key {', '.join(self.key)} of the public table '{self.name}' is not unique: a row would be found "
                "twice, and count twice. Name all columns of the key, or keep one row for each."
            )
        return known


def is_public(section: Section) -> bool:
    """Whether a section declares a public table."""
    return section.flag("public") if "public" in section.content else False


def read_public(section: Section, name: str, rules: CsvRules) -> PublicTable:
    """A public table as a section declares it."""
    for word in ("person", "through", "columns", "rows", "groups"):
        if word in section.content:
            raise BadValue(f"{section.title} is public, so {word} means nothing there. Leave it out.")
    value = section.content.get("key")
    key = [value] if isinstance(value, str) else value
    if not isinstance(key, list) or not key or not all(isinstance(one, str) and one for one in key):
        raise BadValue(
            f'{section.title} is public and needs a key, the column by which it is looked up: key = "product_id", or '
            'several, key = ["region", "year"].'
        )
    inner, location = section.maybe("name"), section.text("table")
    return PublicTable(name=name, location=location, inner=inner, key=tuple(key), rules=rules)


def _column(name: str, values: Sequence[object]) -> tuple[Column, list[Value | None]] | None:
    there = [value for value in values if value is not None and not _is_nan(value)]
    nulls = len(there) < len(values)
    kinds = {type(value) for value in there}
    if not there:
        return None
    if kinds <= {str} or kinds <= {bool}:
        texts = [value if isinstance(value, str | bool) else None for value in values]
        return _category(name, texts, nulls=nulls)
    if kinds <= {date}:
        return _numeric(name, Kind.DATE, [None if not isinstance(v, date) else v.toordinal() - EPOCH for v in values])
    if kinds <= {int}:
        return _numeric(name, Kind.INTEGER, [v if isinstance(v, int) else None for v in values])
    if kinds <= {int, float, Decimal}:
        return _fractions(name, [None if v is None or _is_nan(v) else Fraction(str(v)) for v in values])
    return None


def _is_nan(value: object) -> bool:
    return isinstance(value, float | Decimal) and not math.isfinite(value)


def _category(name: str, values: list[str | bool | None], *, nulls: bool) -> tuple[Column, list[Value | None]] | None:
    listed = tuple(sorted({value for value in values if value is not None}, key=str))
    if len(listed) > CATEGORY_LIMIT:
        return None
    return Column(name=name, kind=Kind.CATEGORY, values=listed, nulls=nulls), list(values)


def _numeric(name: str, kind: Kind, values: list[int | None]) -> tuple[Column, list[Value | None]] | None:
    there = sorted({value for value in values if value is not None})
    if max(-there[0], there[-1]) >= STEPS_LIMIT:
        return None
    listed = tuple(there) if kind is Kind.INTEGER and len(there) <= CATEGORY_LIMIT else None
    low, high = Fraction(there[0]), Fraction(there[-1])
    return Column(name=name, kind=kind, low=low, high=high, values=listed, nulls=None in values), list(values)


def _fractions(name: str, values: list[Fraction | None]) -> tuple[Column, list[Value | None]] | None:
    """Numbers as whole multiples of the largest step that divides all of them."""
    there = [value for value in values if value is not None]
    base = math.lcm(*(value.denominator for value in there))
    step = Fraction(math.gcd(*(int(value * base) for value in there)) or 1, base)
    steps = [None if value is None else int(value / step) for value in values]
    found = [one for one in steps if one is not None]
    if max(map(abs, found)) >= STEPS_LIMIT:
        return None
    low, high = min(found) * step, max(found) * step
    return Column(name=name, kind=Kind.NUMBER, low=low, high=high, step=step, nulls=None in steps), list(steps)


def plain_value(value: object) -> object:
    """A value of an engine as one of the kinds that are understood; a moment at midnight is its day."""
    if isinstance(value, datetime):
        return value.date() if value == datetime(value.year, value.month, value.day) else value
    return value
