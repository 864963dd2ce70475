"""SQRT, LN, LOG10, EXP and POWER of a bounded number, and x / y: in whole steps, the same on every engine.

A function grows or falls, so the whole numbers at which its rounded value jumps are few and known. Engines' functions
err by a few units in the last place of a double. Rounding is shifted until no whole number lies as near to a jump as
that; then every engine gives the same steps. A division needs no such care: it is one of whole numbers.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from banister.core.exact.numbers import brief
from banister.errors import BadValue
from banister.questions import terms
from banister.questions.nodes import FloorDivide, FunctionOf
from banister.questions.terms import Quantity

Floats = NDArray[np.float64]

PARTS = 4
"""A step is the power of ten of which 10^4 to 10^5 go into the range."""

MOST_STEPS = 10**6
"""More steps than this in the range of a function are not looked at one by one."""

LONGEST = 2**40
"""Whole numbers that a function may be taken of: far below 2^53, so that doubles tell neighbours apart."""

APART = 2.0**-48
"""How far from a jump a value has to be, as a share of its size and of what its argument's rounding makes of it:
sixteen units in the last place, where an engine's function errs by one or two, and what is around it by half each."""

SHIFTS = 64
"""How many shifts of the rounding are tried, of a 256th of a step each, before a coarser step is."""

COARSER = 3
"""How often a step that was not asked for may be made ten times as coarse."""

TINIEST, LARGEST = 1e-280, 1e280
"""Values beyond these are kept away from engines that raise where a double underflows or overflows."""

NOTHING = 2.0**-60
"""Less than so much of a step is none of it, and is held at it: some engines raise where a division leaves nothing."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A function with its inverse, and |x · f'(x)|: how far it moves by a relative error in its argument."""

    name: str
    value: Callable[[Floats], Floats]
    inverse: Callable[[Floats], Floats]
    moved: Callable[[Floats], Floats]
    exponent: Fraction = Fraction(1)


SQRT = Shape("SQRT", np.sqrt, np.square, np.sqrt)
LN = Shape("LN", np.log, np.exp, np.ones_like)
LOG10 = Shape("LOG10", np.log10, lambda y: np.power(10.0, y), np.ones_like)
EXP = Shape("EXP", np.exp, np.log, lambda x: np.abs(x) * np.exp(x))


def power_of(exponent: Fraction) -> Shape:
    """x to a constant power."""
    by = float(exponent)
    return Shape(
        "POWER",
        lambda x: np.power(x, by),
        lambda y: np.power(y, 1 / by),
        lambda x: abs(by) * np.power(x, by),
        exponent,
    )


def applied(shape: Shape, a: Quantity, *, step: Fraction | None = None) -> Quantity:
    """A function of a number; in steps that were asked for, or in those of which some 10^4 go into its range."""
    a = terms.number(a)
    ends = _ends(shape, a)
    wide = max(ends) - min(ends)
    unit = _unit(wide) if step is None else step
    for _ in range(1 if step is not None else COARSER):
        if wide / float(unit) > MOST_STEPS:
            raise BadValue(
                f"{shape.name} can be anything between {min(ends):.6g} and {max(ends):.6g}, more than {MOST_STEPS} "
                f"steps of {brief(unit)}. Round to fewer digits, or hold it in a narrower range."
            )
        shift = _shift(shape, a, unit)
        if shift is not None:
            return _curve(shape, a, unit, shift)
        unit *= 10
    raise BadValue(
        f"No rounding keeps {shape.name} the same on every engine: its argument has {a.high - a.low + 1} steps of "
        f"{brief(a.step)}. Round the argument first, or ROUND the function to fewer digits."
    )


def _ends(shape: Shape, a: Quantity) -> tuple[float, float]:
    if max(-a.low, a.high) > LONGEST:
        raise BadValue(
            f"{shape.name} is taken of up to 2^40 steps, and this has more of {brief(a.step)}. Declare a coarser step."
        )
    with np.errstate(all="ignore"):
        found = shape.value(np.array([float(a.low * a.step), float(a.high * a.step)]))
        near = shape.value(np.array([float(min(max(a.low, 1), a.high) * a.step)]))
    ends = (*found.tolist(), *near.tolist())
    if not (all(abs(end) < LARGEST for end in ends) and any(abs(end) > TINIEST for end in ends)):
        raise BadValue(f"{shape.name} leaves the range of doubles here. Hold its argument in a narrower range.")
    return found[0].item(), found[1].item()


def _told(shape: Shape, a: Quantity, unit: Fraction) -> tuple[int, int]:
    """Between which whole numbers the function is more than nothing; beyond, it is taken at these ends."""
    if shape.name not in ("EXP", "POWER"):
        return a.low, a.high  # A root or a logarithm of any double is far from nothing, or 0.
    least = max(TINIEST, float(unit) * NOTHING)
    with np.errstate(all="ignore"):
        place = float(shape.inverse(np.array(least))) / float(a.step)
    if shape.exponent < 0:
        return a.low, min(a.high, max(a.low, math.floor(min(place, a.high))))
    return max(a.low, min(a.high, math.ceil(max(place, a.low)))), a.high


def _unit(wide: float) -> Fraction:
    return Fraction(10) ** (math.floor(math.log10(wide)) - PARTS) if wide > 0 else Fraction(1)


def _shift(shape: Shape, a: Quantity, unit: Fraction) -> Fraction | None:
    """The first shift at which every whole number of the range stays away from the jumps; None where none does."""
    for tried in range(SHIFTS):
        off = (tried + 1) // 2 * (1 if tried % 2 else -1)
        shift = Fraction(1, 2) + Fraction(off, 256)
        if _apart(shape, a, unit, float(shift)):
            return shift
    return None


def _apart(shape: Shape, a: Quantity, unit: Fraction, shift: float) -> bool:
    """Whether f(given · n) / unit + shift is far enough from whole numbers, for the n around each place of a jump."""
    given, step = float(a.step), float(unit)
    first, last = sorted(_steps(shape, np.array([a.low, a.high], dtype=np.float64), given, step, shift).tolist())
    jumps = np.arange(math.floor(first), math.ceil(last) + 1, dtype=np.float64)
    with np.errstate(all="ignore"):
        places = np.floor(shape.inverse((jumps - shift) * step) / given)
    places = np.nan_to_num(places, nan=float(a.low), posinf=float(a.high), neginf=float(a.low))
    around = np.clip(np.concatenate([places + off for off in (-1, 0, 1, 2)]), a.low, a.high)
    found = _steps(shape, around, given, step, shift)
    with np.errstate(all="ignore"):
        sizes = np.abs(shape.value(around * given)) + shape.moved(around * given)
    return bool(np.all(np.abs(found - np.round(found)) > APART * (sizes / step + 1)))


def _steps(shape: Shape, n: Floats, given: float, step: float, shift: float) -> Floats:
    with np.errstate(all="ignore"):
        return np.asarray(shape.value(n * given) / step + shift, dtype=np.float64)


def _curve(shape: Shape, a: Quantity, unit: Fraction, shift: Fraction) -> Quantity:
    ends = _steps(shape, np.array([a.low, a.high], dtype=np.float64), float(a.step), float(unit), float(shift))
    low, high = math.floor(ends.min()), math.floor(ends.max())
    first, last = _told(shape, a, unit)
    term = FunctionOf(
        name=shape.name,
        term=a.term,
        first=first,
        last=last,
        given=a.step,
        step=unit,
        shift=shift,
        low=low,
        high=high,
        exponent=shape.exponent,
    )
    return Quantity(term=term, low=low, high=high, step=unit, nulls=a.nulls)


def whole_power(a: Quantity, exponent: int) -> Quantity:
    """A number times itself, so often: exact, and never below 0 where the exponent is even."""
    a = terms.number(a)
    if exponent == 0:
        raise BadValue("A number to the power of 0 is 1, whatever the number. Write 1.")
    found = a
    for _ in range(exponent - 1):
        found = terms.times(found, a)
    ends = (a.low**exponent, a.high**exponent)
    low = 0 if exponent % 2 == 0 and a.low <= 0 <= a.high else min(ends)
    return replace(found, low=low, high=max(ends))


def quotient(x: Quantity, y: Quantity, *, step: Fraction | None = None) -> Quantity:
    """x / y for a y above 0, rounded to whole steps, halves up: ⌊(2x + y) / 2y⌋ in whole numbers.

    As engines round differently below 0, so many whole y are added to x first that nothing is, and taken off after.

    >>> found = quotient(terms.constant(Fraction(7)), terms.constant(Fraction(2)), step=Fraction(1, 10))
    >>> found.low * found.step, found.high * found.step
    (Fraction(7, 2), Fraction(7, 2))
    """
    x, y = terms.number(x), terms.number(y)
    ends = [Fraction(a, b) * (x.step / y.step) for a in (x.low, x.high) for b in (y.low, y.high)]
    unit = _unit(float(max(ends) - min(ends))) if step is None else step
    low, high = (math.floor(end / unit + Fraction(1, 2)) for end in (min(ends), max(ends)))
    factor = x.step / (y.step * unit)
    over, under = (_ones(part, by) for part, by in ((x, 2 * factor.numerator), (y, factor.denominator)))
    lift = max(0, -low)
    above = terms.plus(over, _ones(under, 2 * lift + 1))
    twice = _ones(under, 2)
    # What the bounds of `above` do not see: both of its parts move with the same y.
    term = FloorDivide(above.term, twice.term)
    found = Quantity(term=term, low=low + lift, high=high + lift, step=Fraction(1), nulls=x.nulls or y.nulls)
    lowered = terms.plus(found, terms.constant(Fraction(-lift))) if lift else found
    return replace(lowered, step=unit)


def _ones(a: Quantity, factor: int) -> Quantity:
    """The whole steps of a number, times a whole factor, as a number of ones."""
    ones = replace(a, step=Fraction(1))
    return ones if factor == 1 else terms.times(ones, terms.constant(Fraction(factor)))
