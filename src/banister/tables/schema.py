"""What a table protects and what about it is public knowledge: the content of a file such as `health.toml`."""

import tomllib
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction

from banister.core import need
from banister.core.exact import brief
from banister.core.guarantee import Guarantee, Neighbours
from banister.errors import BadValue
from banister.tables.reading import Section, Value

CATEGORY_LIMIT = 100_000
"""How many values a category may list; more belong in an integer column with a range."""


class Kind(Enum):
    """What a column holds."""

    INTEGER = "integer"
    NUMBER = "number"
    CATEGORY = "category"


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column: its kind and the bounds that are public knowledge.

    A number is read as a whole number of steps: ⌊x / step + 1/2⌋, clamped to the range. Everything after that is
    integer arithmetic. `nulls = false` promises that no value is missing, which saves a count in means.
    """

    name: str
    kind: Kind
    low: Fraction = Fraction(0)
    high: Fraction = Fraction(0)
    step: Fraction = Fraction(1)
    values: tuple[Value, ...] | None = None
    bins: tuple[Fraction, ...] = ()
    nulls: bool = True

    @property
    def units(self) -> tuple[int, int]:
        """The range in whole steps."""
        return rounded(self.low / self.step), rounded(self.high / self.step)


def rounded(x: Fraction) -> int:
    """⌊x + 1/2⌋: rounding that commutes with shifts by 1, so that it never doubles a sensitivity.

    >>> rounded(Fraction(1, 2)), rounded(Fraction(3, 2)), rounded(Fraction(-1, 2))
    (1, 2, 0)
    """
    return (2 * x.numerator + x.denominator) // (2 * x.denominator)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One table: where it is, who a row belongs to, and its declared columns."""

    name: str
    location: str
    inner: str | None
    person: str | None
    columns: tuple[Column, ...]

    def column(self, name: str) -> Column | None:
        """The declared column of that name, upper or lower case alike."""
        return next((column for column in self.columns if column.name.lower() == name.lower()), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """Everything that may be known before a single record is read."""

    tables: tuple[Table, ...]
    neighbours: Neighbours
    budget: Guarantee | None
    ledger: str | None
    groups: int | None
    rows: int | None
    people: int | None

    @property
    def main(self) -> Table:
        """The table that questions call `data`."""
        return self.tables[0]

    @classmethod
    def of_text(cls, text: str) -> "Schema":
        """Read the content of a `.toml` file.

        >>> schema = Schema.of_text('''
        ... [source]
        ... table = "visits.csv"
        ... neighbours = "add-remove"
        ... [columns]
        ... visits = { kind = "integer", range = [0, 50] }''')
        >>> schema.main.column("visits").units
        (0, 50)
        """
        try:
            content = tomllib.loads(text, parse_float=Decimal)
        except tomllib.TOMLDecodeError as error:
            raise BadValue(f"The schema is not valid TOML: {error}.") from None
        return _schema(Section("the schema", content))


def _schema(root: Section) -> Schema:
    root.only("source", "budget", "columns", "tables")
    source = root.section("source", "table, person and neighbours")
    source.only("table", "name", "person", "neighbours", "rows", "groups", "people")
    main = _table("data", source, root)
    others = [_other(root.section("tables", ""), name) for name in root.names("tables")]
    if others and main.person is None:
        raise BadValue("[tables] can be joined on the person key only, and [source] declares no person column.")
    budget = root.section("budget", "") if "budget" in root.content else None
    if budget is not None:
        budget.only("epsilon", "delta", "ledger")
    return Schema(
        tables=(main, *others),
        neighbours=_neighbours(source),
        budget=None if budget is None else Guarantee(budget.number("epsilon"), budget.number("delta", 0)),
        ledger=None if budget is None else budget.maybe("ledger"),
        groups=source.whole("groups"),
        rows=source.whole("rows") if main.person is not None else 1,
        people=source.whole("people"),
    )


def _neighbours(source: Section) -> Neighbours:
    value = source.maybe("neighbours")
    choices = {relation.value: relation for relation in Neighbours}
    if value is None or value not in choices:
        raise BadValue(
            f"neighbours = {value or ''!r} in [source] must be 'add-remove' (one person more or less) or 'replace' "
            "(one person exchanged for another). The guarantee means nothing without it."
        )
    return choices[value]


def _other(tables: Section, name: str) -> Table:
    section = tables.section(name, "table, person and columns")
    section.only("table", "name", "person", "columns")
    table = _table(name, section, section)
    if table.person is None:
        raise BadValue(f"[tables.{name}] declares no person column; only tables with one can be joined.")
    return table


def _table(name: str, section: Section, holder: Section) -> Table:
    columns = holder.section("columns", "one line for each column that questions may use")
    return Table(
        name=name,
        location=section.text("table"),
        inner=section.maybe("name"),
        person=section.maybe("person"),
        columns=tuple(_column(columns, column) for column in columns.content),
    )


def _column(columns: Section, name: str) -> Column:
    section = columns.section(name, "a kind")
    kind = section.maybe("kind")
    match kind:
        case "integer" | "number":
            return _numeric(section, name, Kind(kind))
        case "category":
            return _category(section, name)
    raise BadValue(f"kind = {kind or ''!r} of column '{name}' must be 'integer', 'number' or 'category'.")


def _numeric(section: Section, name: str, kind: Kind) -> Column:
    section.only("kind", "range", "step", "bins", "nulls")
    if "range" not in section.content:
        raise BadValue(
            f"Column '{name}' has no declared range, so its sum has no sensitivity. Declare what is public "
            f'knowledge, e.g. {name} = {{ kind = "{kind.value}", range = [0, 100] }}.'
        )
    low, high = section.pair("range")
    if not low < high:
        raise BadValue(f"range = [{brief(low)}, {brief(high)}] of column '{name}' must go from low to high.")
    step = need.positive(f"step of column '{name}'", section.number("step", 1 if kind is Kind.INTEGER else None))
    if kind is Kind.INTEGER and not (step == 1 and low.denominator == high.denominator == 1):
        raise BadValue(
            f"Column '{name}' is an integer: its range and step must be whole, or declare kind = \"number\"."
        )
    column = Column(
        name=name, kind=kind, low=low, high=high, step=step, bins=section.numbers("bins"), nulls=section.flag("nulls")
    )
    if max(map(abs, column.units)) >= 2**52:
        raise BadValue(f"Column '{name}' has more than 2^52 steps in its range; declare a coarser step.")
    if list(column.bins) != sorted(set(column.bins)) or len(column.bins) == 1:
        raise BadValue(f"bins of column '{name}' must be at least two edges, each larger than the one before.")
    return column


def _category(section: Section, name: str) -> Column:
    section.only("kind", "values", "nulls")
    values = section.values("values")
    if values is not None and not 1 <= len(values) <= CATEGORY_LIMIT:
        raise BadValue(f"Column '{name}' lists {len(values)} values; give from 1 to {CATEGORY_LIMIT}.")
    if values is not None and len(set(values)) < len(values):
        raise BadValue(f"Column '{name}' lists a value twice.")
    if values is not None and len({type(value) for value in values}) > 1:
        raise BadValue(f"Column '{name}' mixes texts, whole numbers and truth values; list values of one type.")
    return Column(name=name, kind=Kind.CATEGORY, values=values, nulls=section.flag("nulls"))
