"""Terms and conditions as syntax trees of SQL: integer arithmetic that gives the same on every engine."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp

from banister.errors import BadValue
from banister.questions import inside, terms
from banister.questions.question import Bins, Known, Listed, Periods, Rungs, Span, Stretches, WrittenOutcomes
from banister.questions.terms import Condition, Leaf, Quantity, Term
from banister.release.sources.sql.curved import curved
from banister.release.sources.sql.dialect import Dialect
from banister.release.sources.sql.steps import in_whole_steps
from banister.release.sources.sql.syntax import (
    between,
    both,
    case,
    cast,
    clamp,
    decimal,
    double,
    field,
    literal,
    number,
    paren,
)
from banister.release.sources.sql.when import compared_when, when
from banister.release.work import Physical, check_used
from banister.tables.schema import Kind

Types = Mapping[tuple[str, str], Physical]
"""What each raw column of each relation is stored as."""

COMPARISONS: dict[str, type[exp.Binary]] = {
    "=": exp.EQ,
    "<>": exp.NEQ,
    "<": exp.LT,
    "<=": exp.LTE,
    ">": exp.GT,
    ">=": exp.GTE,
}


@dataclass(frozen=True, slots=True)
class Renderer:
    """Renders terms for one question; `types` tell how raw columns are stored."""

    types: Types
    dialect: Dialect

    def term(self, term: Term) -> exp.Expr:
        """A whole number."""
        match term:
            case Leaf():
                return self._leaf(term)
            case terms.Whole(value):
                return number(value)
            case terms.Null():
                return cast(exp.Null(), "bigint")
            case terms.Add(a, b):
                return paren(exp.Add(this=self.term(a), expression=self.term(b)))
            case terms.Multiply(a, b):
                return paren(exp.Mul(this=self.term(a), expression=self.term(b)))
            case terms.Abs(a):
                return exp.Abs(this=self.term(a))
            case terms.LeastOrGreatest(name, parts):
                rendered = [self.term(part) for part in parts]
                node = exp.Least if name == "LEAST" else exp.Greatest
                return node(this=rendered[0], expressions=rendered[1:], ignore_nulls=True)
            case terms.Coalesce(parts):
                rendered = [self.term(part) for part in parts]
                return exp.Coalesce(this=rendered[0], expressions=rendered[1:])
            case terms.Case(pairs, otherwise):
                return case([(self.condition(c), self.term(v)) for c, v in pairs], self.term(otherwise))
            case terms.Mod(a, divisor):
                return paren(exp.Mod(this=paren(self.term(a)), expression=number(divisor)))
            case terms.FloorDivide(a, b):
                above = exp.Greatest(this=self.term(b), expressions=[number(1)], ignore_nulls=True)
                return cast(exp.IntDiv(this=paren(self.term(a)), expression=above), "bigint")
            case terms.FunctionOf(term=a):
                return curved(term, self.term(a))
            case terms.IntegerDivide(a, divisor):
                return cast(exp.IntDiv(this=paren(self.term(a)), expression=number(divisor)), "bigint")

    def scaled_sum(self, term: Term) -> exp.Expr | None:
        """The sum of factor · column + shift, from the column's own sum and counts; None for other terms.

        Rows where the column is missing add nothing: `between` counts each of them as the low end, taken off again.
        """
        factor, shift, leaf = _linear(term)
        if leaf is None or leaf.ready or leaf.column.step != 1 or self.types.get(_key(leaf)) is not Physical.INTEGER:
            return None
        low, high = leaf.column.units
        # A count times an end of the range may go beyond 64 bits.
        there, every = (cast(exp.Count(this=item), "int128") for item in (self.raw(leaf), exp.Star()))
        total: exp.Expr = exp.Sum(this=between(self.raw(leaf), low, high))
        if low != 0:
            missing = paren(exp.Sub(this=every, expression=there))
            total = exp.Sub(this=total, expression=exp.Mul(this=missing, expression=number(low)))
        if factor != 1:
            total = exp.Mul(this=paren(total), expression=number(factor))
        if shift != 0:
            total = exp.Add(this=total, expression=exp.Mul(this=there, expression=number(shift)))
        return total

    def condition(self, condition: Condition) -> exp.Expr:
        """A condition, three-valued as SQL has it."""
        match condition:
            case terms.Compare(sign, a, b):
                return COMPARISONS[sign](this=self.term(a), expression=self.term(b))
            case terms.In(leaf, ()):
                raw = self.raw(leaf)  # False, or missing where the value is missing.
                return exp.NEQ(this=raw, expression=raw)
            case terms.In(leaf, values):
                return exp.In(this=self.raw(leaf), expressions=[literal(value) for value in values])
            case terms.SameValue(a, b):
                return self._same(a, b)
            case terms.Linked(left, left_key, right, right_key):
                return exp.EQ(this=self.key(left, left_key), expression=self.key(right, right_key))
            case terms.IsNull(Leaf() as leaf) if self._is_category(leaf):
                return exp.Is(this=self.raw(leaf), expression=exp.Null())
            case terms.IsNull(term):
                return exp.Is(this=self.term(term), expression=exp.Null())
            case terms.And(a, b):
                return paren(exp.And(this=self.condition(a), expression=self.condition(b)))
            case terms.Or(a, b):
                return paren(exp.Or(this=self.condition(a), expression=self.condition(b)))
            case terms.Not(a):
                return exp.Not(this=paren(self.condition(a)))
            case terms.Boolean(value):
                return exp.Boolean(this=value)

    def _same(self, a: Leaf, b: Leaf) -> exp.Expr:
        """Two stored values compared. What is stored differently is refused before a row is read: an engine may cast
        one into the other, and fail on a value."""
        kinds = {self.types.get(_key(leaf), Physical.INTEGER) for leaf in (a, b)}
        if len(kinds) > 1 or not kinds <= {Physical.TEXT, Physical.INTEGER, Physical.TRUTH}:
            held = " and ".join(sorted(kind.value for kind in kinds))
            raise BadValue(f"Columns that are compared hold {held}. Store both as the same.")
        return exp.EQ(this=self.raw(a), expression=self.raw(b))

    def key(self, relation: str, name: str) -> exp.Expr:
        """The key of a person or of a table; texts, and types that we do not know, go by their bytes."""
        column, stored = field(relation, name), self.types.get((relation, name), Physical.INTEGER)
        if stored is Physical.OTHER:
            return self.dialect.by_bytes(cast(column, "text"))
        return self.dialect.by_bytes(column) if stored is Physical.TEXT else column

    def present(self, quantity: Quantity) -> exp.Expr:
        """What COUNT(...) counts: the raw column of a category, else the term."""
        term = quantity.term
        return self.raw(term) if isinstance(term, Leaf) and self._is_category(term) else self.term(term)

    def value(self, value: Quantity | Leaf) -> exp.Expr:
        """A whole number, or the value of a category as it is stored."""
        return self.raw(value) if isinstance(value, Leaf) and self._is_category(value) else self._of(value)

    def _of(self, value: Quantity | Leaf) -> exp.Expr:
        return self.term(value if isinstance(value, Leaf) else value.term)

    def present_key(self, leaf: Leaf) -> exp.Expr:
        """A key of a subquery: the raw column of a category, else the whole number."""
        return self.raw(leaf) if self._is_category(leaf) else self._leaf(leaf)

    def raw(self, leaf: Leaf) -> exp.Expr:
        """The column as it is stored; a text goes by its bytes, so that a row has one declared value at most."""
        stored = field(leaf.relation, leaf.column.name)
        held = None if leaf.ready else self.types.get(_key(leaf))
        if held is not None:
            check_used(leaf.column, held)
        is_text = held is Physical.TEXT
        return self.dialect.by_bytes(stored) if is_text else stored

    def place(self, axis: Known, position: int) -> exp.Expr:
        """The place of a row along an axis, from 0."""
        match axis:
            case Listed():
                return cast(field(f"k{position}", "i"), "bigint")
            case Span(quantity) | Periods(quantity) | WrittenOutcomes(quantity):
                return paren(exp.Sub(this=self.term(quantity.term), expression=number(quantity.low)))
            case Bins(quantity, edges):
                below = [
                    (self.condition(terms.compare("<", quantity, terms.constant(edge))), number(place))
                    for place, edge in enumerate(edges[1:-1])
                ]
                return case(below, number(len(edges) - 2)) if below else number(0)
            case Stretches():
                return self._stretch(axis)

    def rung(self, ladder: Rungs) -> exp.Expr:
        """Where a row stands on a ladder, in steps from its foot, rounded down to a whole rung without dividing."""
        foot = paren(exp.Sub(this=self.term(ladder.quantity.term), expression=number(ladder.quantity.low)))
        if ladder.width == 1:
            return foot
        past = paren(exp.Mod(this=foot, expression=number(ladder.width)))
        return paren(exp.Sub(this=foot, expression=past))

    def inside(self, axis: Known) -> exp.Expr | None:
        """The condition under which a row has a place along an axis; None where a join sees to it."""
        match axis:
            case Listed() | Stretches():
                return None
            case Span(quantity) | Periods(quantity) | WrittenOutcomes(quantity):
                parts = [self.term(part) for part in inside.deciding(quantity.term)]
                there = [exp.Not(this=exp.Is(this=part, expression=exp.Null())) for part in parts]
                return both(*there) if there else None
            case Bins(quantity, edges):
                low = terms.compare(">=", quantity, terms.constant(edges[0]))
                high = terms.compare("<=", quantity, terms.constant(edges[-1]))
                return self.condition(terms.And(low, high))

    def _stretch(self, axis: Stretches) -> exp.Expr:
        """0 where the value is missing, else the place of its stretch from 1 on, by about log₂ comparisons.

        A number that is none is above infinity on every engine, and missing here as everywhere.
        """
        raw, stored = self.raw(axis.leaf), self.types[_key(axis.leaf)]
        infinite: exp.Expr | None = None
        match stored:
            case Physical.DATE | Physical.TIMESTAMP | Physical.ZONED:
                x, written = compared_when(raw, axis.leaf.column, stored, [math.ceil(edge) for edge in axis.edges])
            case Physical.INTEGER if all(abs(edge) < 2**63 for edge in axis.edges):  # Others are compared as doubles.
                x, written = raw, [number(math.ceil(edge)) for edge in axis.edges]
            case Physical.DECIMAL if self.dialect.strict_doubles:  # Not every one of them can become a double there.
                x, written = raw, [decimal(edge) for edge in axis.edges]
                infinite = exp.EQ(this=raw, expression=cast(exp.Literal.string("NaN"), "decimal"))
            case _:
                x, written = cast(raw, "double"), [double(edge) for edge in axis.edges]
                infinite = exp.GT(this=x, expression=cast(exp.Literal.string("Infinity"), "double"))

        def below(low: int, high: int) -> exp.Expr:
            if low == high:
                return number(low + 1)
            middle = (low + high) // 2
            smaller = exp.LT(this=x, expression=written[middle])
            return case([(smaller, below(low, middle))], below(middle + 1, high))

        missing: exp.Expr = exp.Is(this=x, expression=exp.Null())
        missing = missing if infinite is None else exp.Or(this=missing, expression=infinite)
        return case([(missing, number(0))], below(0, len(written)))

    def _is_category(self, leaf: Leaf) -> bool:
        return leaf.column.kind is Kind.CATEGORY

    def _leaf(self, leaf: Leaf) -> exp.Expr:
        raw = self.raw(leaf)
        if leaf.ready:
            return raw
        column = leaf.column
        stored = self.types[leaf.relation, column.name]
        if column.kind.dated:
            return when(raw, column, stored, self.dialect)
        if stored is Physical.INTEGER and column.step == 1:
            return clamp(raw, *column.units)
        return in_whole_steps(raw, column, stored, self.dialect)


def _key(leaf: Leaf) -> tuple[str, str]:
    return leaf.relation, leaf.column.name


def _linear(term: Term) -> tuple[int, int, Leaf | None]:
    """Factor, shift and column of a term that is factor · column + shift."""
    match term:
        case Leaf():
            return 1, 0, term
        case terms.Add(a, terms.Whole(shift)):
            factor, before, leaf = _linear(a)
            return factor, before + shift, leaf
        case terms.Multiply(terms.Whole(by), a):
            factor, shift, leaf = _linear(a)
            return by * factor, by * shift, leaf
        case _:
            return 0, 0, None
