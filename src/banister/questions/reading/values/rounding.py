"""ROUND, FLOOR and CEIL of a bounded number, by whole numbers divided and rounded down: the same on every engine."""

from dataclasses import replace
from fractions import Fraction

from sqlglot import exp

from banister.questions import terms
from banister.questions.reading.place import only, refused, written_whole
from banister.questions.terms import Quantity

DIGITS = 6
"""Digits after or before the point to which may be rounded."""

ROUNDED = exp.Round | exp.Floor | exp.Ceil
HALF = terms.constant(Fraction(1, 2))


def rounded(node: exp.Expr, a: Quantity) -> Quantity:
    """What a call of ROUND, FLOOR or CEIL makes of a number; its step is the unit to which it goes."""
    a = terms.number(a)
    if not isinstance(node, exp.Round):
        only(node, "this")
        return floor(a) if isinstance(node, exp.Floor) else ceil(a)
    return to_unit(a, unit_of(node))


def unit_of(node: exp.Round) -> Fraction:
    """What a call of ROUND goes to: 1/100 for two digits."""
    only(node, "this", "decimals")
    return Fraction(10) ** -_digits(node)


def to_unit(a: Quantity, unit: Fraction) -> Quantity:
    """The nearest whole number of units."""
    return terms.scaled(nearest(terms.scaled(a, 1 / unit)), unit)


def floor(a: Quantity) -> Quantity:
    """The largest whole number that is not above a number.

    >>> floor(terms.constant(Fraction(-5, 2))).low
    -3
    """
    ones, unit = terms.same_step(a, terms.constant(Fraction(1)))
    whole = replace(ones, step=Fraction(1))
    return whole if unit.low == 1 else terms.integer_quotient(whole, unit.low)


def ceil(a: Quantity) -> Quantity:
    """The least whole number that is not below a number."""
    return _negative(floor(_negative(a)))


def nearest(a: Quantity) -> Quantity:
    """The nearest whole number; halves go away from 0."""
    if a.step.denominator == 1:
        return floor(a)
    above = floor(terms.plus(a, HALF))
    if a.low >= 0:
        return above
    below = _negative(floor(terms.plus(_negative(a), HALF)))
    if a.high <= 0:
        return below
    found = terms.case_when([terms.compare("<", a, terms.constant(Fraction(0)))], [below], above)
    return replace(found, low=below.low, high=above.high)  # It never falls, so the ends of the range are the bounds.


def _negative(a: Quantity) -> Quantity:
    return terms.scaled(a, Fraction(-1))


def _digits(node: exp.Round) -> int:
    digits = node.args.get("decimals")
    if digits is None:
        return 0
    sign, size = (-1, digits.this) if isinstance(digits, exp.Neg) else (1, digits)
    found = written_whole(size)
    if found is not None and found <= DIGITS:
        return sign * found
    raise refused(node, f"ROUND goes to -{DIGITS} to {DIGITS} digits, written as a number.")
