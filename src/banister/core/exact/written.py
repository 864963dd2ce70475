"""A number that somebody wrote down, as the exact fraction that it is, and back; certified arithmetic is not loaded."""

import math
import re
from decimal import Decimal
from fractions import Fraction

Number = int | float | str | Fraction | Decimal
"""What a user may write where an exact number is meant: 0.5, "1/2", Fraction(1, 2), Decimal("0.5")."""

DIGITS = 1000
"""Digits before or behind the point that a written number may have: more is a slip, or meant to keep us busy."""
LONGEST_RATIO = 8000
"""Characters of a fraction such as 1/3: exact ones of ours, in a ledger, are long."""


NO_BREAK = "\u00a0"
"""Between thousands: a blank at which no line is broken."""


def apart(value: float, form: str = "") -> str:
    r"""A number with its thousands apart, in one way everywhere; `form` as for `format`.

    >>> apart(1234567), apart(1234.56, ".0f"), apart(999)
    ('1\xa0234\xa0567', '1\xa0235', '999')
    """
    return f"{value:,{form}}".replace(",", NO_BREAK)


def all_apart(text: str) -> str:
    r"""A text with the thousands of each of its numbers apart; digits after a point stay together.

    >>> all_apart("5% at 1024 to 2047.99 [0.00012 to 4095]")
    '5% at 1\xa0024 to 2\xa0047.99 [0.00012 to 4\xa0095]'
    """
    return re.sub(r"(?<![\d.])\d{4,}", lambda found: apart(int(found[0])), text)


def written_fraction(text: str | Decimal) -> Fraction:
    """The fraction that a text such as 0.5, 1/2 or 1e-6 names, in time that does not grow with its exponent.

    Raises ValueError, like `Fraction` itself, where it is no finite number or has more than 1000 digits.

    >>> written_fraction("2.5e-1")
    Fraction(1, 4)
    >>> written_fraction("1e300000000")
    Traceback (most recent call last):
    ValueError: more than 1000 digits
    """
    if isinstance(text, str):
        if len(text) > (LONGEST_RATIO if "/" in text else 2 * DIGITS):
            raise ValueError(f"more than {DIGITS} digits")
        if "/" in text:  # Neither side of it can have an exponent.
            return Fraction(text)
    try:
        value = Decimal(text)
    except ArithmeticError:
        raise ValueError("no number") from None
    if not value.is_finite():
        raise ValueError("no finite number")
    exponent = value.as_tuple().exponent
    if value != 0 and not (isinstance(exponent, int) and exponent >= -DIGITS and value.adjusted() <= DIGITS):
        raise ValueError(f"more than {DIGITS} digits")
    return Fraction(value) if value != 0 else Fraction(0)


def nearest(value: Fraction) -> float:
    """The nearest double, infinite beyond all of them."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def brief(value: Fraction) -> str:
    """A fraction as a person would write it: short decimals as such, 1/3 as 1/3, the rest to six digits.

    >>> brief(Fraction(1, 2)), brief(Fraction(1, 3)), brief(Fraction(0.1)), brief(Fraction(1, 10**6))
    ('0.5', '1/3', '0.1', '1e-06')
    """
    as_float = nearest(value)
    if math.isfinite(as_float) and (Fraction(as_float) == value or Fraction(repr(as_float)) == value):
        text = repr(as_float)
        return text.removesuffix(".0")
    short = f"{value.numerator}/{value.denominator}"
    return short if len(short) <= 12 else f"{as_float:.6g}"


def brief_down(value: Fraction) -> str:
    """Six digits of a number, 0 or above, rounded down: what is shown still fits where the number does.

    >>> brief_down(Fraction(2, 3)), brief_down(Fraction(1, 2))
    ('0.666666', '0.5')
    """
    if value <= 0:
        return "0"
    digits = 0
    while value * 10**digits < 100000:
        digits += 1
    return brief(Fraction(int(value * 10**digits), 10**digits))
