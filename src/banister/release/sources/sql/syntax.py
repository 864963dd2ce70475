"""Small pieces of SQL as syntax trees: constants that mean the same on every engine, columns, CASE and clamps.

A piece may stand in several places of a query, and is never changed once it does: the library's own builders copy
everything at every step, which takes most of the time of a release from a small table. A query is copied once, when it
is put into words.
"""

from fractions import Fraction
from typing import Self

from sqlglot import exp

from banister.tables.calendar import date_of, moment_of
from banister.tables.reading import Value


class Query:
    """A SELECT that grows in place."""

    def __init__(self) -> None:
        self.tree = exp.Select()

    @property
    def columns(self) -> dict[str, exp.Expr]:
        """What is selected, by name."""
        return {item.alias: item.this for item in self.tree.expressions}

    @property
    def source(self) -> exp.Expr:
        """What stands behind FROM."""
        found: exp.Expr = self.tree.args["from_"].this
        return found

    def select(self, *items: str | exp.Expr) -> Self:
        """And these columns."""
        self.tree.select(*map(_column, items), copy=False)
        return self

    def only(self, item: exp.Expr) -> Self:
        """This column in the place of all."""
        self.tree.select(item, append=False, copy=False)
        return self

    def from_(self, source: str | exp.Expr) -> Self:
        self.tree.from_(source, copy=False)
        return self

    def join(self, source: exp.Expr, on: exp.Expr, kind: str = "") -> Self:
        self.tree.join(source, on=on, join_type=kind, copy=False)
        return self

    def where(self, *conditions: exp.Expr) -> Self:
        """Rows that fulfil these too."""
        self.tree.where(*conditions, copy=False)
        return self

    def group_by(self, *keys: str | exp.Expr) -> Self:
        self.tree.group_by(*map(_column, keys), copy=False)
        return self

    def having(self, condition: exp.Expr) -> Self:
        self.tree.having(condition, copy=False)
        return self

    def order_by(self, *keys: exp.Expr) -> Self:
        self.tree.order_by(*keys, copy=False)
        return self

    def distinct(self) -> Self:
        self.tree.distinct(copy=False)
        return self

    def after(self, name: str, first: "Query") -> Self:
        """WITH name AS (first), worked out once."""
        self.tree.with_(name, as_=first.tree, materialized=True, copy=False)
        return self

    def subquery(self, name: str) -> exp.Subquery:
        """The query as a source for others."""
        return self.tree.subquery(name, copy=False)

    def sql(self, dialect: str) -> str:
        return self.tree.sql(dialect=dialect)


def select(*items: str | exp.Expr) -> Query:
    """A query with these columns."""
    return Query().select(*items)


def _column(item: str | exp.Expr) -> exp.Expr:
    if not isinstance(item, str):
        return item
    return exp.Star() if item == "*" else exp.column(exp.to_identifier(item))


def cast(value: exp.Expr, kind: str) -> exp.Expr:
    """CAST(value AS kind)."""
    return exp.cast(value, kind, copy=False)


def paren(value: exp.Expr) -> exp.Paren:
    """A value in brackets."""
    return exp.paren(value, copy=False)


def called(value: exp.Expr, name: str | exp.Identifier) -> exp.Expr:
    """value AS name."""
    return exp.alias_(value, name, copy=False)


def both(*conditions: exp.Expr) -> exp.Expr:
    """All of the conditions."""
    return exp.and_(*conditions, copy=False)


def either(*conditions: exp.Expr) -> exp.Expr:
    """One of the conditions at least."""
    return exp.or_(*conditions, copy=False)


def number(value: int) -> exp.Expr:
    """A whole number as a 64-bit constant, so that arithmetic on constants cannot overflow 32 bits."""
    literal = exp.Literal.number(abs(value))
    signed = exp.Paren(this=exp.Neg(this=literal)) if value < 0 else literal
    return exp.Cast(this=signed, to=exp.DataType(this=exp.DataType.Type.BIGINT))  # exp.cast would parse the name.


def double(value: Fraction) -> exp.Expr:
    """A constant as a double; from text, because engines read bare decimals as other types."""
    return cast(exp.Literal.string(repr(float(value))), "double")


def written_date(day: int) -> exp.Expr:
    """A date of the years 1 to 9999, by its number since 1970."""
    return cast(exp.Literal.string(date_of(day).isoformat()), "date")


def written_moment(second: int, *, zoned: bool) -> exp.Expr:
    """A timestamp of the years 1 to 9999, by its second since 1970; by UTC where it has a zone."""
    text = exp.Literal.string(str(moment_of(second)) + ("+00:00" if zoned else ""))
    return cast(text, "timestamptz" if zoned else "timestampntz")


def filled(pattern: str, value: exp.Expr, dialect: str) -> exp.Expr:
    """An expression written out in a dialect, with a value in the place of its only column, wherever that stands."""
    tree: exp.Expr = exp.maybe_parse(pattern, dialect=dialect)
    found: exp.Expr = tree.transform(lambda node: value if isinstance(node, exp.Column) else node, copy=False)
    return found


def literal(value: Value) -> exp.Expr:
    """A value of a category."""
    if isinstance(value, bool):
        return exp.Boolean(this=value)
    if isinstance(value, int):
        return exp.Literal.number(value) if value >= 0 else exp.Neg(this=exp.Literal.number(-value))
    return exp.Literal.string(value)


def between(value: exp.Expr, low: int, high: int) -> exp.Expr:
    """A whole number held between two bounds, in its own type; a missing one becomes `low`."""
    raised = exp.Greatest(this=value, expressions=[literal(low)], ignore_nulls=True)
    return exp.Least(this=raised, expressions=[literal(high)], ignore_nulls=True)


def field(relation: str, name: str) -> exp.Column:
    """A quoted column of a relation."""
    return exp.column(exp.to_identifier(name, quoted=True), table=relation)


def case(pairs: list[tuple[exp.Expr, exp.Expr]], otherwise: exp.Expr | None = None) -> exp.Case:
    """CASE WHEN ... THEN ... ELSE ... END; unlike LEAST and GREATEST it leaves NULL alone."""
    ifs = [exp.If(this=condition, true=value) for condition, value in pairs]
    return exp.Case(ifs=ifs, default=otherwise)


def clamp(value: exp.Expr, low: int, high: int) -> exp.Expr:
    """A whole number held between two bounds; a missing one stays missing."""
    return cast(
        case(
            [
                (exp.LT(this=value, expression=number(low)), number(low)),
                (exp.GT(this=value, expression=number(high)), number(high)),
            ],
            value,
        ),
        "bigint",
    )


def or_zero(total: exp.Expr) -> exp.Expr:
    """A total, and 0 where there was nothing to add up."""
    return exp.Coalesce(this=total, expressions=[exp.Literal.number(0)])


def stacked(cell: exp.Expr, size: int, place: exp.Expr) -> exp.Expr:
    """The number of a cell among those of one more axis."""
    return paren(exp.Add(this=exp.Mul(this=cell, expression=number(size)), expression=place))


def decimal(value: Fraction) -> exp.Expr:
    """A decimal constant; ranges come from decimals, so this ends."""
    sign, size = ("-", -value) if value < 0 else ("", value)
    digits = 0
    while (size * 10**digits).denominator != 1:
        digits += 1
    text = f"{int(size * 10**digits):0{digits + 1}d}"
    shown = text if digits == 0 else f"{text[:-digits]}.{text[-digits:]}"
    node: exp.Expr = exp.Literal.number(shown)
    return exp.Paren(this=exp.Neg(this=node)) if sign else node
