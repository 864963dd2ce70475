"""Checks of arguments, written once. Each gives back the exact value that was meant.

A message says what is wrong with which value, and what would be right. It shows parameters, never data.
"""

import math
from decimal import Decimal
from fractions import Fraction
from typing import TypeVar

from banister.core.exact.written import DIGITS, Number, brief, written_fraction
from banister.errors import BadValue

T = TypeVar("T")

LARGEST_EPSILON = 500
"""Beyond this e^-epsilon, and what is hidden, is less than a chance in 10^217."""
SMALLEST_SIZE, LARGEST_SIZE = Fraction(1e-100), Fraction(1e100)


def exact(name: str, value: Number) -> Fraction:
    """The exact fraction that a user's number is; a float is the fraction it stores."""
    if isinstance(value, bool) or not _is_number(value):
        raise BadValue(f"{name} = {_shown(value)} must be a number, such as 0.5, '1/2' or Fraction(1, 2).")
    try:
        if isinstance(value, Decimal | str):
            return written_fraction(value)
        return Fraction(value if isinstance(value, Fraction | int) else float(value))
    except (ValueError, OverflowError, ZeroDivisionError) as error:
        digits = f" of at most {DIGITS} digits" if "digits" in str(error) else ""
        raise BadValue(f"{name} = {_shown(value)} must be a finite number{digits}, such as 0.5 or '1/2'.") from None


def positive(name: str, value: Number, hint: str = "") -> Fraction:
    """A finite number above 0."""
    number = _finite(name, value, "above 0", hint)
    if not number > 0:
        raise BadValue(_sentence(f"{name} = {brief(number)} must be a finite number above 0.", hint))
    return number


def level(name: str, value: Number, hint: str = "") -> Fraction:
    """An epsilon above 0 that still hides something."""
    number = positive(name, value, hint)
    if number > LARGEST_EPSILON:
        raise BadValue(
            f"{name} = {brief(number)} must be at most {LARGEST_EPSILON}. Beyond that nothing is hidden: publish "
            "without noise and say so, or take a smaller one."
        )
    return number


def size(name: str, value: Number) -> Fraction:
    """A size above 0 of which doubles can still hold every power that is needed."""
    number = positive(name, value)
    if not SMALLEST_SIZE <= number <= LARGEST_SIZE:
        raise BadValue(f"{name} = {brief(number)} must lie between 1e-100 and 1e100. Count in other units.")
    return number


def non_negative(name: str, value: Number, hint: str = "") -> Fraction:
    """A finite number, 0 or more."""
    number = _finite(name, value, "0 or above", hint)
    if not number >= 0:
        raise BadValue(_sentence(f"{name} = {brief(number)} must be a finite number, 0 or above.", hint))
    return number


def between(name: str, value: Number, low: Number, high: Number, hint: str = "") -> Fraction:
    """A finite number in the closed range."""
    bottom, top = Fraction(low), Fraction(high)
    number = _finite(name, value, f"from {brief(bottom)} to {brief(top)}", hint)
    if not bottom <= number <= top:
        raise BadValue(
            _sentence(f"{name} = {brief(number)} must be a number from {brief(bottom)} to {brief(top)}.", hint)
        )
    return number


def strictly_between(name: str, value: Number, low: Number, high: Number, hint: str = "") -> Fraction:
    """A finite number in the open range."""
    bottom, top = Fraction(low), Fraction(high)
    number = _finite(name, value, f"above {brief(bottom)} and below {brief(top)}", hint)
    if not bottom < number < top:
        raise BadValue(
            _sentence(f"{name} = {brief(number)} must be a number above {brief(bottom)} and below {brief(top)}.", hint)
        )
    return number


def whole(name: str, value: Number, *, least: int, most: int | None = None, hint: str = "") -> int:
    """A whole number from `least` on, and up to `most` where that is given."""
    wanted = f"a whole number, {least} or above" if most is None else f"a whole number from {least} to {most}"
    number = _finite(name, value, "", hint, wanted)
    if not (number.denominator == 1 and number >= least and (most is None or number <= most)):
        raise BadValue(_sentence(f"{name} = {brief(number)} must be {wanted}.", hint))
    return int(number)


def one_of(name: str, value: T, choices: tuple[T, ...]) -> T:
    """One of a few allowed values."""
    if value not in choices:
        raise BadValue(f"{name} = {_shown(value)} must be one of: {', '.join(str(choice) for choice in choices)}.")
    return value


def _finite(name: str, value: Number, range_words: str, hint: str, wanted: str = "") -> Fraction:
    if isinstance(value, float) and not math.isfinite(value):
        words = wanted or f"a finite number {range_words}".strip()
        raise BadValue(_sentence(f"{name} = {value} must be {words}.", hint))
    return exact(name, value)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | str | Fraction | Decimal) or hasattr(value, "__float__")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def _sentence(message: str, hint: str) -> str:
    return f"{message} {hint}" if hint else message
