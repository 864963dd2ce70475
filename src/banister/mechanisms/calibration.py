"""The least noise scale that a guarantee allows, never below it."""

import math
from collections.abc import Callable
from fractions import Fraction

_ROUNDS = 60


def least_scale(private: Callable[[Fraction], bool], *, start: Fraction) -> float:
    """The least double at which `private`, a certified and monotone test, holds; to a relative 2^-52.

    >>> least_scale(lambda scale: scale >= 3, start=Fraction(1))
    3.0
    """
    high = float(start)
    while not private(Fraction(high)):
        high *= 2
    low = high
    while private(Fraction(low)) and low > high * 2.0**-200:
        low /= 2
    for _ in range(_ROUNDS):
        middle = low + (high - low) / 2 if high < 4 * low else math.sqrt(low * high)
        if not low < middle < high:
            break
        low, high = (low, middle) if private(Fraction(middle)) else (middle, high)
    return high
