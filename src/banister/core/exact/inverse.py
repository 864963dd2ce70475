"""The exact inverse of a curve that only falls."""

import math
from collections.abc import Callable
from fractions import Fraction

from flint import arb

from banister.core.exact.numbers import Bracket

LARGEST_EPSILON = 2.0**60
"""Beyond this nobody speaks of privacy, and the search for an epsilon ends."""


def least_epsilon(curve: Callable[[Fraction], arb], goal: arb, *, top: Fraction | None) -> Bracket:
    """Where a non-increasing certified curve comes down to the goal, as the narrowest pair of doubles it can prove.

    `top` is a point from which on the curve is flat, if there is one. Infinite where the curve stays above.

    >>> least_epsilon(lambda epsilon: 1 - arb(float(epsilon)), arb(0.25), top=Fraction(1))
    Bracket(down=0.7499999999999999, up=0.75)
    """
    if curve(Fraction(0)) <= goal:
        return Bracket(0.0, 0.0)
    low, high = 0.0, 1.0
    while not curve(Fraction(high)) <= goal:
        if high > LARGEST_EPSILON or (top is not None and high >= top):
            return Bracket(math.inf if curve(Fraction(high)) > goal else low, math.inf)
        if curve(Fraction(high)) > goal:
            low = high
        high *= 2
    proven_low, proven_high = low, high
    while math.nextafter(low, math.inf) < high:
        middle = low + (high - low) / 2
        value = curve(Fraction(middle))
        if value <= goal:
            high = proven_high = middle
        elif value > goal:
            low = proven_low = middle
        else:
            return Bracket(
                _edge(lambda x: bool(curve(Fraction(x)) > goal), proven_low, middle),
                _edge(lambda x: bool(curve(Fraction(x)) <= goal), proven_high, middle),
            )
    return Bracket(proven_low, proven_high)


def _edge(holds: Callable[[float], bool], good: float, bad: float) -> float:
    """The double nearest to `bad` at which the claim can still be proven, by halving."""
    while abs(bad - good) > 4 * math.ulp(good):
        middle = good + (bad - good) / 2
        if holds(middle):
            good = middle
        else:
            bad = middle
    return good
