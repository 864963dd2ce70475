"""Public tables and VALUES behind FROM and JOIN: what anybody knows, looked up by its key."""

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from sqlglot import exp

from banister.questions.reading.place import only, refused
from banister.questions.reading.scope import Field
from banister.questions.reading.values.dates import MADE_A_DATE, cast_to, written_day
from banister.questions.terms import Leaf
from banister.tables.calendar import date_of
from banister.tables.columns import Kind
from banister.tables.public import Known, PublicTable

VALUES_LIMIT = 10_000
"""Rows that may stand in a question."""


@dataclass(frozen=True, slots=True)
class Lookup:
    """A public table as a question names it."""

    known: Known
    key: tuple[str, ...]
    owner: str
    alias: str

    @property
    def fields(self) -> tuple[Field, ...]:
        """What can be seen of it; numbers and dates are whole steps and days already."""
        return tuple(
            Field(self.owner, column.name, Leaf(self.alias, column, column.kind is not Kind.CATEGORY))
            for column in self.known.columns
        )


def lookup_of_table(table: PublicTable, node: exp.Expr, owner: str, alias: str) -> Lookup:
    """A declared public table, whose content has been read."""
    if table.known is None:
        raise refused(node, "this public table has not been read.", "Open the schema with bn.open, which reads it.")
    return Lookup(table.known, table.key, owner, alias)


def lookup_of_values(node: exp.Values, names: list[str], owner: str, alias: str) -> Lookup:
    """VALUES with the names of its columns."""
    rows = [list(row.expressions) if isinstance(row, exp.Tuple) else [row] for row in node.expressions]
    width = len(rows[0]) if rows else 0
    if not rows or any(len(row) != width for row in rows):
        raise refused(node, "each row of VALUES needs the same number of values.")
    if len(rows) > VALUES_LIMIT:
        raise refused(node, f"VALUES has more than {VALUES_LIMIT} rows.", "Declare a public table.")
    if len(names) != width or len({name.lower() for name in names}) != width:
        raise refused(node, f"VALUES needs a name for each of its {width} columns.", "Write (VALUES ...) AS t(a, b).")
    content = {name: [_written(row[place]) for row in rows] for place, name in enumerate(names)}
    known = Known.of_columns(content)
    left_out = [name for name in names if known.column(name) is None]
    if left_out:
        raise refused(node, f"column {left_out[0]} of VALUES mixes kinds, or holds nothing that can be compared.")
    return Lookup(known, (), owner, alias)


def _written(node: exp.Expr) -> object:
    match node:
        case exp.Paren():
            return _written(node.this)
        case exp.Null():
            return None
        case exp.Boolean():
            return bool(node.this)
        case exp.Literal() if node.is_string:
            return node.name
        case exp.Literal():
            return _number(node)
        case exp.Neg():
            value = _written(node.this)
            if isinstance(value, int | Decimal) and not isinstance(value, bool):
                return -value
        case _ if isinstance(node, MADE_A_DATE) and isinstance(node.this, exp.Literal):
            day = written_day(node.this) if cast_to(node) == "date" else None
            if day is not None:
                return date_of(day)
    raise refused(node, "VALUES takes numbers, texts, truth values, DATE '2021-03-01' and NULL.")


def _number(node: exp.Literal) -> int | Decimal:
    if node.name.isdigit() and len(node.name) <= 18:
        return int(node.name)
    try:
        value = Decimal(node.name)
    except InvalidOperation:
        value = Decimal("NaN")
    if not value.is_finite() or abs(value) > 10**18 or len(node.name) > 40 or "e" in node.name.lower():
        raise refused(node, "this is no number of at most 18 digits.")
    return value


def names_behind(node: exp.Expr) -> list[str]:
    """The names of columns behind the name of a table: t(a, b)."""
    alias = node.args.get("alias")
    if not isinstance(alias, exp.TableAlias):
        return []
    only(alias, "this", "columns")
    return [column.name for column in alias.args.get("columns") or []]
