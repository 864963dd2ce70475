"""A number that somebody wrote down, as the exact fraction that it is."""

from decimal import Decimal
from fractions import Fraction

DIGITS = 1000
"""Digits before or behind the point that a written number may have: more is a slip, or meant to keep us busy."""
LONGEST_RATIO = 8000
"""Characters of a fraction such as 1/3: exact ones of ours, in a ledger, are long."""


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
