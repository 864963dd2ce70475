"""Expressions over the columns of one row, with bounds by interval arithmetic.

An expression is a tree of a few node types, all of them total: no value of a row makes one fail. A number is a
whole number of `step`s between `low` and `high`, so that sums over rows are exact in every engine. Bounds above
2^62 are refused, which makes overflow impossible in 64-bit integers. A date is the number of its day since 1970, a
timestamp that of its second.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction

from banister.core.exact.numbers import brief
from banister.errors import BadValue
from banister.questions.nodes import (
    Abs as Abs,
)
from banister.questions.nodes import (
    Add as Add,
)
from banister.questions.nodes import (
    And as And,
)
from banister.questions.nodes import (
    Boolean as Boolean,
)
from banister.questions.nodes import (
    Case as Case,
)
from banister.questions.nodes import (
    Coalesce as Coalesce,
)
from banister.questions.nodes import (
    Compare as Compare,
)
from banister.questions.nodes import (
    Condition as Condition,
)
from banister.questions.nodes import (
    FloorDivide as FloorDivide,
)
from banister.questions.nodes import (
    FunctionOf as FunctionOf,
)
from banister.questions.nodes import (
    In as In,
)
from banister.questions.nodes import (
    IntegerDivide as IntegerDivide,
)
from banister.questions.nodes import (
    IsNull as IsNull,
)
from banister.questions.nodes import (
    Leaf as Leaf,
)
from banister.questions.nodes import (
    LeastOrGreatest as LeastOrGreatest,
)
from banister.questions.nodes import (
    Linked as Linked,
)
from banister.questions.nodes import (
    Mod as Mod,
)
from banister.questions.nodes import (
    Multiply as Multiply,
)
from banister.questions.nodes import (
    Not as Not,
)
from banister.questions.nodes import (
    Null as Null,
)
from banister.questions.nodes import (
    Or as Or,
)
from banister.questions.nodes import (
    SameValue as SameValue,
)
from banister.questions.nodes import (
    Term as Term,
)
from banister.questions.nodes import (
    Whole as Whole,
)
from banister.tables.schema import Kind
from banister.tables.zones import DAY

LIMIT = 2**62

FIRST_DAY, LAST_DAY = -719162, 2932896
"""1 January of the year 1 and 31 December 9999: dates that every engine and every file knows."""


class Unit(Enum):
    """What a whole number counts."""

    NUMBER = "number"
    DAY = "date"
    MOMENT = "timestamp"


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A term with what is known about it: value = step · term, low ≤ term ≤ high, and whether it can be missing.

    What counts days or moments is compared with its like alone, and has neither sum nor mean.
    """

    term: Term
    low: int
    high: int
    step: Fraction
    nulls: bool
    unit: Unit = Unit.NUMBER

    @property
    def date(self) -> bool:
        """Whether it is a day, as a number since 1970."""
        return self.unit is Unit.DAY

    @property
    def moment(self) -> bool:
        """Whether it is a day with a time, as seconds since 1970 by the clock that is declared."""
        return self.unit is Unit.MOMENT

    def __post_init__(self) -> None:
        long = {Unit.DAY: 1, Unit.MOMENT: DAY}.get(self.unit)
        if long and not FIRST_DAY * long <= self.low <= self.high < (LAST_DAY + 1) * long:
            raise BadValue("A date can leave the years 1 to 9999. Add fewer days.")
        if not -LIMIT <= self.low <= self.high <= LIMIT:
            raise BadValue(
                f"An expression can reach {brief(self.step * max(-self.low, self.high))}, "
                f"more than 2^62 steps of {brief(self.step)}. Declare narrower ranges or coarser steps."
            )


UNITS = {Kind.DATE: Unit.DAY, Kind.TIMESTAMP: Unit.MOMENT}
KINDS = {unit: kind for kind, unit in UNITS.items()}


def column(leaf: Leaf) -> Quantity:
    """The value of a column of numbers or dates."""
    low, high = leaf.column.units
    unit = UNITS.get(leaf.column.kind, Unit.NUMBER)
    return Quantity(term=leaf, low=low, high=high, step=leaf.column.step, nulls=leaf.column.nulls, unit=unit)


def constant(value: Fraction) -> Quantity:
    """A number written in the question: numerator times a step of 1/denominator.

    >>> constant(Fraction(5, 2)).low, constant(Fraction(5, 2)).step
    (5, Fraction(1, 2))
    """
    whole, step = value.numerator, Fraction(1, value.denominator)
    return Quantity(term=Whole(whole), low=whole, high=whole, step=step, nulls=False)


def date(day: int) -> Quantity:
    """A date written in the question, as days since 1970."""
    return Quantity(term=Whole(day), low=day, high=day, step=Fraction(1), nulls=False, unit=Unit.DAY)


def moment(second: int) -> Quantity:
    """A timestamp written in the question, as seconds since 1970."""
    return Quantity(term=Whole(second), low=second, high=second, step=Fraction(1), nulls=False, unit=Unit.MOMENT)


def counted(a: Quantity) -> Quantity:
    """A date or a timestamp as the number that it is."""
    return replace(a, unit=Unit.NUMBER)


def midnight(day: Quantity) -> Quantity:
    """The timestamp at which a day begins."""
    return replace(_multiplied(counted(day), DAY), unit=Unit.MOMENT)


def number(a: Quantity) -> Quantity:
    """The same quantity where it is a number; dates and timestamps are refused."""
    if a.moment:
        raise BadValue(
            "This is a timestamp, and a number is needed. Take HOUR(t), CAST(t AS TIME), CAST(t AS DATE), or the "
            "seconds between two of them: later - earlier."
        )
    if a.date:
        raise BadValue(
            "This is a date, and a number is needed. The days between two dates are a number: later - earlier."
        )
    return a


NULL = Quantity(term=Null(), low=0, high=0, step=Fraction(1), nulls=True)


def scaled(a: Quantity, factor: Fraction) -> Quantity:
    """A constant times a quantity: the step takes the size, the term the sign."""
    if factor == 0:
        return times(a, Quantity(term=Whole(0), low=0, high=0, step=Fraction(1), nulls=False))
    size = replace(number(a), step=a.step * abs(factor))
    return size if factor > 0 else _multiplied(size, -1)


def plus(a: Quantity, b: Quantity) -> Quantity:
    """The sum of two quantities; a date and whole days are a date, a timestamp and whole seconds a timestamp.

    >>> both = plus(constant(Fraction(1, 2)), constant(Fraction(1, 3)))
    >>> both.low, both.step
    (5, Fraction(1, 6))
    """
    units = {a.unit, b.unit} - {Unit.NUMBER}
    if Unit.NUMBER not in (a.unit, b.unit):
        raise BadValue("Two dates cannot be added. What lies between them is: later - earlier.")
    a, b = same_step(counted(a), counted(b))
    if units and a.step != 1:
        raise BadValue("Only whole days can be added to a date, and whole seconds to a timestamp.")
    return Quantity(
        term=Add(a.term, b.term),
        low=a.low + b.low,
        high=a.high + b.high,
        step=a.step,
        nulls=a.nulls or b.nulls,
        unit=next(iter(units), Unit.NUMBER),
    )


def minus(a: Quantity, b: Quantity) -> Quantity:
    """The difference of two quantities; that of two dates is a number of days, of two timestamps one of seconds."""
    if Unit.NUMBER not in (a.unit, b.unit):
        a, b = (counted(part) for part in common_step([a, b]))
    return plus(a, scaled(b, Fraction(-1)))


def times(a: Quantity, b: Quantity) -> Quantity:
    """The product of two quantities; the steps multiply. That of a number with itself is never below 0."""
    a, b = number(a), number(b)
    ends = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    if a == b:
        ends = [0 if a.low <= 0 <= a.high else min(a.low**2, a.high**2), max(a.low**2, a.high**2)]
    return Quantity(
        term=Multiply(a.term, b.term), low=min(ends), high=max(ends), step=a.step * b.step, nulls=a.nulls or b.nulls
    )


def absolute(a: Quantity) -> Quantity:
    """The absolute value."""
    a = number(a)
    high = max(abs(a.low), abs(a.high))
    low = 0 if a.low <= 0 <= a.high else min(abs(a.low), abs(a.high))
    return Quantity(term=Abs(a.term), low=low, high=high, step=a.step, nulls=a.nulls)


def least_or_greatest(name: str, parts: Sequence[Quantity]) -> Quantity:
    """LEAST or GREATEST; bounds allow for parts that are missing, which a constant never is."""
    parts = common_step(parts)
    found = _joined(LeastOrGreatest(name, tuple(p.term for p in parts)), parts, nulls=all(p.nulls for p in parts))
    sure = [p.term.value for p in parts if isinstance(p.term, Whole)]
    if name == "LEAST":
        return replace(found, high=min([found.high, *sure]))
    return replace(found, low=max([found.low, *sure]))


def coalesce(parts: Sequence[Quantity]) -> Quantity:
    """COALESCE."""
    parts = common_step(parts)
    return _joined(Coalesce(tuple(p.term for p in parts)), parts, nulls=all(p.nulls for p in parts))


def case_when(conditions: Sequence[Condition], values: Sequence[Quantity], otherwise: Quantity) -> Quantity:
    """CASE WHEN ... THEN ... ELSE ... END."""
    parts = common_step([*values, otherwise])
    pairs = tuple(zip(conditions, (p.term for p in parts[:-1]), strict=True))
    return _joined(Case(pairs, parts[-1].term), parts, nulls=any(p.nulls for p in parts))


def modulo(a: Quantity, divisor: Fraction) -> Quantity:
    """a mod divisor, for a that is never below 0 and a constant divisor above 0."""
    a = number(a)
    if a.low < 0:
        raise BadValue(
            "MOD of a number that can be below 0 differs between engines; add a multiple of the divisor first."
        )
    a, d = same_step(a, constant(divisor))
    if d.low <= 0:
        raise BadValue("MOD needs a constant divisor above 0.")
    return Quantity(term=Mod(a.term, d.low), low=0, high=min(a.high, d.low - 1), step=a.step, nulls=a.nulls)


def integer_quotient(a: Quantity, divisor: int) -> Quantity:
    """⌊a / divisor⌋ for a in whole ones and a constant divisor above 0.

    A multiple of the divisor is added first where a can be below 0: there engines round in different directions.

    >>> integer_quotient(constant(Fraction(-5)), 7).low
    -1
    """
    lift = max(0, -(a.low // divisor))
    raised = plus(a, constant(Fraction(lift * divisor))) if lift else a
    ends = raised.low // divisor, raised.high // divisor
    found = Quantity(
        term=IntegerDivide(raised.term, divisor), low=ends[0], high=ends[1], step=Fraction(1), nulls=a.nulls
    )
    return plus(found, constant(Fraction(-lift))) if lift else found


def compare(sign: str, a: Quantity, b: Quantity) -> Condition:
    """A comparison of two quantities, in whole common steps."""
    a, b = same_step(a, b)
    return Compare(sign, a.term, b.term)


def same_step(a: Quantity, b: Quantity) -> tuple[Quantity, Quantity]:
    """Both in the largest step that divides both of theirs."""
    left, right = common_step([a, b])
    return left, right


def common_step(parts: Sequence[Quantity]) -> list[Quantity]:
    """All in the largest step that divides all of theirs."""
    units = {part.unit for part in parts if not isinstance(part.term, Null)}
    if units == {Unit.DAY, Unit.MOMENT}:
        parts = [midnight(part) if part.date else part for part in parts]
    elif len(units) > 1:
        raise BadValue("A date and a number cannot stand for each other. Write a date as DATE '2021-03-01'.")
    step = parts[0].step
    for part in parts[1:]:
        step = _common_divisor(step, part.step)
    return [_finer(part, step) for part in parts]


def _common_divisor(a: Fraction, b: Fraction) -> Fraction:
    return Fraction(math.gcd(a.numerator * b.denominator, b.numerator * a.denominator), a.denominator * b.denominator)


def _finer(a: Quantity, step: Fraction) -> Quantity:
    factor = a.step / step
    return a if factor == 1 else _multiplied(a, int(factor), step)


def _multiplied(a: Quantity, factor: int, step: Fraction | None = None) -> Quantity:
    ends = sorted((a.low * factor, a.high * factor))
    term: Term = Whole(a.term.value * factor) if isinstance(a.term, Whole) else Multiply(Whole(factor), a.term)
    return Quantity(term=term, low=ends[0], high=ends[1], step=step or a.step, nulls=a.nulls)


def _joined(term: Term, parts: Sequence[Quantity], *, nulls: bool) -> Quantity:
    known = [p for p in parts if not isinstance(p.term, Null)] or list(parts)
    return Quantity(
        term=term,
        low=min(p.low for p in known),
        high=max(p.high for p in known),
        step=parts[0].step,
        nulls=nulls,
        unit=known[0].unit,
    )
