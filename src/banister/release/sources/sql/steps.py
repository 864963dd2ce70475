"""Stored numbers as whole steps of their columns: ⌊x / step + 1/2⌋ in SQL, the same on every engine."""

import math
from fractions import Fraction

from sqlglot import exp

from banister.release.sources.sql.dialect import Dialect
from banister.release.sources.sql.syntax import case, cast, clamp, decimal, double, number, paren
from banister.release.work import Physical
from banister.tables.schema import Column


def in_whole_steps(raw: exp.Expr, column: Column, stored: Physical, dialect: Dialect) -> exp.Expr:
    """⌊x / step + 1/2⌋ inside the range, the ends outside. Only numbers inside are computed with.

    Multiplying, adding and rounding down doubles gives the same everywhere (IEEE 754); NaN becomes NULL. Numbers are
    compared as doubles, which every stored number can become: comparing a wide decimal with an end that has a fraction
    would need more digits than it may have. Where not every number can become a double, it is compared as it is; so
    beyond an end stands what the doubles make of that end, and it does not matter how the end is compared with.
    """
    low, high = column.units
    first, last = (min(max(_in_doubles(end, column.step), low), high) for end in (column.low, column.high))
    exact = stored is Physical.DECIMAL and dialect.strict_doubles
    written = decimal if exact else double
    ends = [written(column.low), written(column.high)]
    x = cast(raw, "double")
    compared = raw if exact else x
    middle = _in_steps(x, column)
    if _in_doubles(column.low, column.step) < low or _in_doubles(column.high, column.step) > high:
        middle = clamp(middle, low, high)  # The step is no short binary fraction: hold the ends in integers.
    if dialect.strict_doubles and (exact or column.step > 1):
        middle = _away_from_zero(compared, middle, column, exact=exact)
    inside = [
        (exp.LTE(this=compared, expression=ends[0]), number(first)),
        (exp.LT(this=compared, expression=ends[1]), middle),
    ]
    limit = cast(exp.Literal.string("NaN" if exact else "Infinity"), "decimal" if exact else "double")
    beyond = exp.NEQ if exact else exp.LTE  # There NaN equals itself, and is above infinity.
    return case([*inside, (beyond(this=compared, expression=limit), number(last))])


def _in_steps(x: exp.Expr, column: Column) -> exp.Expr:
    inverse = 1 / column.step
    scaled = (
        exp.Mul(this=x, expression=double(inverse))
        if inverse.denominator == 1
        else exp.Div(this=x, expression=double(column.step), typed=False, safe=False)
    )
    return cast(exp.Floor(this=exp.Add(this=paren(scaled), expression=double(Fraction(1, 2)))), "bigint")


def _away_from_zero(x: exp.Expr, middle: exp.Expr, column: Column, *, exact: bool) -> exp.Expr:
    """The middle, reached only by numbers that are no less than a quarter of a step from 0: the others are 0 steps.

    A strict engine raises where a decimal is too small for a double, and where a double is divided until nothing is
    left of it. What is left after a quarter of a step is far from both.
    """
    near = column.step / 4
    if not (column.low < near and column.high > -near):
        return middle
    below, above = (decimal(end) if exact else double(end) for end in (-near, near))
    tiny = exp.And(this=exp.GT(this=x, expression=below), expression=exp.LT(this=x, expression=above))
    return case([(tiny, number(0))], middle)


def _in_doubles(end: Fraction, step: Fraction) -> int:
    inverse = 1 / step
    x = float(end) * float(inverse) if inverse.denominator == 1 else float(end) / float(step)
    return math.floor(x + 0.5)
