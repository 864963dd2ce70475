"""Terms and conditions as syntax trees of SQL: integer arithmetic that gives the same on every engine."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from sqlglot import exp

from banister.errors import BadValue
from banister.questions import inside, terms
from banister.questions.question import Bins, Known, Listed, Periods, Rungs, Span, Stretches, WrittenOutcomes
from banister.questions.terms import Condition, Leaf, Quantity, Term
from banister.release.sources.dialect import Dialect
from banister.release.work import Physical
from banister.tables.calendar import date_of
from banister.tables.reading import Value
from banister.tables.schema import Column, Kind

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


def number(value: int) -> exp.Expr:
    """A whole number as a 64-bit constant, so that arithmetic on constants cannot overflow 32 bits."""
    literal = exp.Literal.number(abs(value))
    signed = exp.Paren(this=exp.Neg(this=literal)) if value < 0 else literal
    return exp.Cast(this=signed, to=exp.DataType(this=exp.DataType.Type.BIGINT))  # exp.cast would parse the name.


def double(value: Fraction) -> exp.Expr:
    """A constant as a double; from text, because engines read bare decimals as other types."""
    return exp.cast(exp.Literal.string(repr(float(value))), "double")


def written_date(day: int) -> exp.Expr:
    """A date of the years 1 to 9999, by its number since 1970."""
    return exp.cast(exp.Literal.string(date_of(day).isoformat()), "date")


def filled(pattern: str, value: exp.Expr, dialect: str) -> exp.Expr:
    """An expression written out in a dialect, with a value in the place of its only column."""
    tree: exp.Expr = exp.maybe_parse(pattern, dialect=dialect)
    found: exp.Expr = tree.transform(lambda node: value if isinstance(node, exp.Column) else node)
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
    return exp.cast(
        case(
            [
                (exp.LT(this=value.copy(), expression=number(low)), number(low)),
                (exp.GT(this=value.copy(), expression=number(high)), number(high)),
            ],
            value,
        ),
        "bigint",
    )


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
                return exp.cast(exp.Null(), "bigint")
            case terms.Add(a, b):
                return exp.paren(exp.Add(this=self.term(a), expression=self.term(b)))
            case terms.Multiply(a, b):
                return exp.paren(exp.Mul(this=self.term(a), expression=self.term(b)))
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
                return exp.paren(exp.Mod(this=exp.paren(self.term(a)), expression=number(divisor)))
            case terms.IntegerDivide(a, divisor):
                return exp.cast(exp.IntDiv(this=exp.paren(self.term(a)), expression=number(divisor)), "bigint")

    def scaled_sum(self, term: Term) -> exp.Expr | None:
        """The sum of factor · column + shift, from the column's own sum and counts; None for other terms.

        Rows where the column is missing add nothing: `between` counts each of them as the low end, taken off again.
        """
        factor, shift, leaf = _linear(term)
        if leaf is None or leaf.ready or leaf.column.step != 1 or self.types.get(_key(leaf)) is not Physical.INTEGER:
            return None
        low, high = leaf.column.units
        # A count times an end of the range may go beyond 64 bits.
        there, every = (exp.cast(exp.Count(this=item), "int128") for item in (self.raw(leaf), exp.Star()))
        total: exp.Expr = exp.Sum(this=between(self.raw(leaf), low, high))
        if low != 0:
            missing = exp.paren(exp.Sub(this=every, expression=there))
            total = exp.Sub(this=total, expression=exp.Mul(this=missing, expression=number(low)))
        if factor != 1:
            total = exp.Mul(this=exp.paren(total), expression=number(factor))
        if shift != 0:
            total = exp.Add(this=total, expression=exp.Mul(this=there.copy(), expression=number(shift)))
        return total

    def condition(self, condition: Condition) -> exp.Expr:
        """A condition, three-valued as SQL has it."""
        match condition:
            case terms.Compare(sign, a, b):
                return COMPARISONS[sign](this=self.term(a), expression=self.term(b))
            case terms.In(leaf, ()):
                raw = self.raw(leaf)  # False, or missing where the value is missing.
                return exp.NEQ(this=raw, expression=raw.copy())
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
                return exp.paren(exp.And(this=self.condition(a), expression=self.condition(b)))
            case terms.Or(a, b):
                return exp.paren(exp.Or(this=self.condition(a), expression=self.condition(b)))
            case terms.Not(a):
                return exp.Not(this=exp.paren(self.condition(a)))
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
            return self.dialect.by_bytes(exp.cast(column, "text"))
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
        is_text = not leaf.ready and self.types.get(_key(leaf)) is Physical.TEXT
        return self.dialect.by_bytes(stored) if is_text else stored

    def place(self, axis: Known, position: int) -> exp.Expr:
        """The place of a row along an axis, from 0."""
        match axis:
            case Listed():
                return exp.cast(field(f"k{position}", "i"), "bigint")
            case Span(quantity) | Periods(quantity) | WrittenOutcomes(quantity):
                return exp.paren(exp.Sub(this=self.term(quantity.term), expression=number(quantity.low)))
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
        foot = exp.paren(exp.Sub(this=self.term(ladder.quantity.term), expression=number(ladder.quantity.low)))
        if ladder.width == 1:
            return foot
        past = exp.paren(exp.Mod(this=foot.copy(), expression=number(ladder.width)))
        return exp.paren(exp.Sub(this=foot, expression=past))

    def inside(self, axis: Known) -> exp.Expr | None:
        """The condition under which a row has a place along an axis; None where a join sees to it."""
        match axis:
            case Listed() | Stretches():
                return None
            case Span(quantity) | Periods(quantity) | WrittenOutcomes(quantity):
                parts = [self.term(part) for part in inside.deciding(quantity.term)]
                there = [exp.Not(this=exp.Is(this=part, expression=exp.Null())) for part in parts]
                return exp.and_(*there) if there else None
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
            case Physical.DATE | Physical.TIMESTAMP:
                x = raw if stored is Physical.DATE else exp.TryCast(this=raw, to=exp.DataType.build("date"))
                written = [written_date(math.ceil(edge)) for edge in axis.edges]
            case Physical.INTEGER:
                x, written = raw, [number(math.ceil(edge)) for edge in axis.edges]
            case Physical.DECIMAL if self.dialect.strict_doubles:  # Not every one of them can become a double there.
                x, written = raw, [_plain(edge) for edge in axis.edges]
                infinite = exp.EQ(this=raw, expression=exp.cast(exp.Literal.string("NaN"), "decimal"))
            case _:
                x, written = exp.cast(raw, "double"), [double(edge) for edge in axis.edges]
                infinite = exp.GT(this=x.copy(), expression=exp.cast(exp.Literal.string("Infinity"), "double"))

        def below(low: int, high: int) -> exp.Expr:
            if low == high:
                return number(low + 1)
            middle = (low + high) // 2
            smaller = exp.LT(this=x.copy(), expression=written[middle])
            return case([(smaller, below(low, middle))], below(middle + 1, high))

        missing: exp.Expr = exp.Is(this=x.copy(), expression=exp.Null())
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
        if column.kind is Kind.DATE:
            return self._day(raw, column, stored)
        if stored is Physical.INTEGER and column.step == 1:
            return clamp(raw, *column.units)
        return _rounded(raw, column, stored, self.dialect)

    def _day(self, raw: exp.Expr, column: Column, stored: Physical) -> exp.Expr:
        """The number of a day inside the range, the ends outside. Only days inside are computed with, no infinite ones.

        A timestamp counts on the day that it falls on; one that is too far away to have a day is missing.
        """
        day = raw if stored is Physical.DATE else exp.TryCast(this=raw, to=exp.DataType.build("date"))
        low, high = column.units
        ends: list[tuple[exp.Expr, exp.Expr]] = [
            (exp.LT(this=day.copy(), expression=written_date(low)), number(low)),
            (exp.GT(this=day.copy(), expression=written_date(high)), number(high)),
        ]
        return exp.cast(case(ends, self.dialect.day_number(day.copy())), "bigint")


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


def _rounded(raw: exp.Expr, column: Column, stored: Physical, dialect: Dialect) -> exp.Expr:
    """⌊x / step + 1/2⌋ inside the range, the ends outside. Only numbers inside are computed with.

    Multiplying, adding and rounding down doubles gives the same everywhere (IEEE 754); NaN becomes NULL. Numbers are
    compared as doubles, which every stored number can become: comparing a wide decimal with an end that has a fraction
    would need more digits than it may have. Where not every number can become a double, it is compared as it is; so
    beyond an end stands what the doubles make of that end, and it does not matter how the end is compared with.
    """
    low, high = column.units
    first, last = (min(max(_in_doubles(end, column.step), low), high) for end in (column.low, column.high))
    exact = stored is Physical.DECIMAL and dialect.strict_doubles
    ends = [_plain(column.low) if exact else double(column.low), _plain(column.high) if exact else double(column.high)]
    x = exp.cast(raw, "double")
    compared = raw if exact else x
    middle = _in_steps(x, column)
    if _in_doubles(column.low, column.step) < low or _in_doubles(column.high, column.step) > high:
        middle = clamp(middle, low, high)  # The step is no short binary fraction: hold the ends in integers.
    if dialect.strict_doubles and (exact or column.step > 1):
        middle = _away_from_zero(compared, middle, column, exact=exact)
    inside = [
        (exp.LTE(this=compared.copy(), expression=ends[0]), number(first)),
        (exp.LT(this=compared.copy(), expression=ends[1]), middle),
    ]
    limit = exp.cast(exp.Literal.string("NaN" if exact else "Infinity"), "decimal" if exact else "double")
    beyond = exp.NEQ if exact else exp.LTE  # There NaN equals itself, and is above infinity.
    return case([*inside, (beyond(this=compared.copy(), expression=limit), number(last))])


def _in_steps(x: exp.Expr, column: Column) -> exp.Expr:
    inverse = 1 / column.step
    scaled = (
        exp.Mul(this=x, expression=double(inverse))
        if inverse.denominator == 1
        else exp.Div(this=x, expression=double(column.step), typed=False, safe=False)
    )
    return exp.cast(exp.Floor(this=exp.Add(this=exp.paren(scaled), expression=double(Fraction(1, 2)))), "bigint")


def _away_from_zero(x: exp.Expr, middle: exp.Expr, column: Column, *, exact: bool) -> exp.Expr:
    """The middle, reached only by numbers that are no less than a quarter of a step from 0: the others are 0 steps.

    A strict engine raises where a decimal is too small for a double, and where a double is divided until nothing is
    left of it. What is left after a quarter of a step is far from both.
    """
    near = column.step / 4
    if not (column.low < near and column.high > -near):
        return middle
    below, above = (_plain(end) if exact else double(end) for end in (-near, near))
    tiny = exp.And(this=exp.GT(this=x.copy(), expression=below), expression=exp.LT(this=x.copy(), expression=above))
    return case([(tiny, number(0))], middle)


def _in_doubles(end: Fraction, step: Fraction) -> int:
    inverse = 1 / step
    x = float(end) * float(inverse) if inverse.denominator == 1 else float(end) / float(step)
    return math.floor(x + 0.5)


def _plain(value: Fraction) -> exp.Expr:
    """A decimal constant; ranges come from decimals, so this ends."""
    sign, size = ("-", -value) if value < 0 else ("", value)
    digits = 0
    while (size * 10**digits).denominator != 1:
        digits += 1
    text = f"{int(size * 10**digits):0{digits + 1}d}"
    shown = text if digits == 0 else f"{text[:-digits]}.{text[-digits:]}"
    node: exp.Expr = exp.Literal.number(shown)
    return exp.Paren(this=exp.Neg(this=node)) if sign else node
