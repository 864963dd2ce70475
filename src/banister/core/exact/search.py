"""One search by halving. Every search keeps a point at which a condition holds and one at which it is taken to fail.

What is certain is always the same: the point that is returned as holding was asked, and the condition was true there
(or the caller said that it holds there). A condition that can only be proven, such as "this ball is at most delta", is
thus searched without losing the proof: where it cannot be decided it counts as failing, and the answer moves to the
safe side. That the point is also the nearest one needs a condition that changes once.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TypeVar

from flint import arb

from banister.core.exact.numbers import Bracket

Real = TypeVar("Real", int, float, Fraction)

LARGEST_EPSILON = 2.0**60
"""Beyond this nobody speaks of privacy, and the search for an epsilon ends."""

_ROUNDS = 60
_SMALLEST = 2.0**-200


def between(failing: Real, holding: Real) -> Real:
    """Half way between two numbers; for whole numbers rounded down."""
    if isinstance(failing, int) and isinstance(holding, int):
        return (failing + holding) // 2
    return failing + (holding - failing) / 2


def halved(
    holds: Callable[[Real], bool],
    failing: Real,
    holding: Real,
    *,
    rounds: int | None = None,
    middle: Callable[[Real, Real], Real] = between,
) -> tuple[Real, Real]:
    """The two points, `failing` and `holding`, moved towards each other. Either may be the larger one.

    Certain:  the second point holds, by the caller's word or by an answer; the first does not, likewise. Only points
              strictly between the two are asked, one a round. It ends after so many rounds, or where nothing lies
              between: whole numbers are then neighbours, and so are doubles. Fractions need a number of rounds.

    >>> halved(lambda x: x * x >= 2, 1.0, 2.0)
    (1.414213562373095, 1.4142135623730951)
    >>> halved(lambda n: n * n <= 80, 80, 1)
    (9, 8)
    """
    while rounds is None or rounds > 0:
        point = middle(failing, holding)
        if not (failing < point < holding or holding < point < failing):
            break
        failing, holding = (failing, point) if holds(point) else (point, holding)
        rounds = None if rounds is None else rounds - 1
    return failing, holding


def twice(x: Real) -> Real:
    return 2 * x


def doubled(
    holds: Callable[[Real], bool], *, failing: Real, start: Real, further: Callable[[Real], Real] = twice
) -> tuple[Real, Real]:
    """The first of start, 2 start, 4 start, … that holds, after the last one that does not (or `failing`).

    Certain:  the second point was asked and holds. The condition must hold from some point on, or say so itself where
              nobody looks any further.

    >>> doubled(lambda n: n > 20, failing=0, start=1)
    (16, 32)
    """
    while not holds(start):
        failing, start = start, further(start)
    return failing, start


def least_whole(holds: Callable[[int], bool], *, above: int = 0, start: int = 1, within: Fraction = Fraction(0)) -> int:
    """The least whole number above `above` that holds, for a condition that holds from some number on.

    Certain:  it was asked and holds; the number below it was asked and fails, or is `above`, which is never asked. At
              most 2 log₂ of the answer, and one more, are asked. With `within`, the answer may be larger than the least
              by that part of itself.

    >>> least_whole(lambda n: n * n >= 50)
    8
    """
    failing, holding = doubled(holds, failing=above, start=start)
    while holding - failing > max(1, int(holding * within)):
        failing, holding = halved(holds, failing, holding, rounds=1)
    return holding


def largest_whole(holds: Callable[[int], bool], *, rounds: int | None = None) -> int:
    """The largest whole number that holds, for a condition that fails from some number on; 0 where 1 fails already.

    Certain:  it was asked and holds, or is 0. After so many rounds of halving the answer may be too small, never too
              large.

    >>> largest_whole(lambda n: n * n <= 50)
    7
    """
    holding, failing = doubled(lambda n: not holds(n), failing=0, start=1)
    return halved(holds, failing, holding, rounds=rounds)[1]


def least_double(holds: Callable[[Fraction], bool], *, start: Fraction) -> float:
    """The least double at which a condition holds that holds from some point on; to a relative 2^-52.

    Certain:  it was asked and holds. The search ends 2^200 below the first double that does.

    >>> least_double(lambda scale: scale >= 3, start=Fraction(1))
    3.0
    """

    def at(x: float) -> bool:
        return holds(Fraction(x))

    low, high = doubled(at, failing=0.0, start=float(start))
    if low == 0.0:  # The start holds already: halve it until it does not.
        floor = high * _SMALLEST
        high, low = doubled(lambda x: x <= floor or not at(x), failing=high, start=high / 2, further=lambda x: x / 2)
    return halved(at, low, high, rounds=_ROUNDS, middle=_mean)[1]


def _mean(low: float, high: float) -> float:
    """The arithmetic mean of numbers of one size, and the geometric mean of others."""
    return low + (high - low) / 2 if high < 4 * low else math.sqrt(low * high)


def next_double(holds: Callable[[float], bool], start: float) -> float:
    """The first double at or above `start` that holds, one by one: for a start that is off by rounding alone.

    >>> next_double(lambda x: x * x > 2, 1.414213562373095)
    1.4142135623730951
    """
    while not holds(start):
        start = math.nextafter(start, math.inf)
    return start


def least_epsilon(curve: Callable[[Fraction], arb], goal: arb, *, top: Fraction | None) -> Bracket:
    """Where a non-increasing certified curve comes down to the goal, as the narrowest pair of doubles it can prove.

    `top` is a point from which on the curve is flat, if there is one. Infinite where the curve stays above.

    Certain:  at `up` the curve is proven to be at most the goal; at `down` it is proven to be above it, or `down` is 0.

    >>> least_epsilon(lambda epsilon: 1 - arb(float(epsilon)), arb(0.25), top=Fraction(1))
    Bracket(down=0.7499999999999999, up=0.75)
    """

    def reached(x: float) -> bool:
        return bool(curve(Fraction(x)) <= goal)

    def above(x: float) -> bool:
        return bool(curve(Fraction(x)) > goal)

    def last(x: float) -> bool:
        return x > LARGEST_EPSILON or (top is not None and x >= top)

    if reached(0.0):
        return Bracket(0.0, 0.0)
    low, high = doubled(lambda x: reached(x) or last(x), failing=0.0, start=1.0)
    if last(high) and not reached(high):
        return Bracket(math.inf if above(high) else _proven(above, low), math.inf)
    low, high = halved(reached, low, high)
    return Bracket(_proven(above, low), high)


def _proven(above: Callable[[float], bool], point: float) -> float:
    """The largest double up to the point at which the curve is proven to be above the goal; 0 where there is none."""
    if above(point):
        return point
    return halved(above, point, 0.0)[1]
