"""Where a smooth falling curve comes down to a goal: a few secants, then a proof from both sides."""

import math
from collections.abc import Callable
from fractions import Fraction

from flint import arb

from banister.core.exact.numbers import Bracket, float_down, float_up
from banister.errors import Uncertified

Certified = Callable[[Fraction], arb]


STEEP = 5e6
"""From this rate on the goal is met next to the top, within a double of it as a rule."""


def crossing(
    upper: Certified, lower: Certified, goal: arb, *, start: float, rate: float, top: Fraction | None = None
) -> Bracket:
    """The bracket of the least g ≥ 0 with delta(g) ≤ goal, when lower ≤ delta ≤ upper near g = start.

    `rate` is about how fast log delta falls there, `top` where delta is 0 from then on.
    Raises `Uncertified` where no proof is found near the start.
    """
    if top is not None and rate >= STEEP:
        below = max(0.0, math.nextafter(float_down(top), 0.0))
        if lower(Fraction(below)) > goal:
            return Bracket(below, float_up(top))
    guess = _secant(upper, goal, start, rate)
    high = _prove(upper, goal, guess, rate, side=1)
    if lower != upper:  # Two bound methods of one value are equal, never identical.
        guess = _secant(lower, goal, start, rate)
    if top is not None:
        high = min(high, float_up(top))
    return Bracket(min(_prove(lower, goal, guess, rate, side=-1), high), high)


def _prove(curve: Certified, goal: arb, guess: float, rate: float, *, side: int) -> float:
    """The point nearest to the crossing at which the curve can be shown to be past the goal, on one side."""
    at = curve(Fraction(guess))
    step = 4 * float(at.rad() / at.mid()) / rate if at.mid() > 0 else 1 / rate
    step = max(step, 4 * math.ulp(guess))
    for _ in range(40):
        point = max(guess + side * step, 0.0)
        value = curve(Fraction(point))
        if (value <= goal) if side > 0 else (value > goal):
            return point
        if point == 0.0 and side < 0:
            return 0.0
        step *= 4
    raise Uncertified(f"The epsilon near {guess:.6g} could not be proven; ask for a delta further from its limits.")


def _secant(curve: Certified, goal: arb, start: float, rate: float) -> float:
    """The crossing of the middle of the balls, by secants on log delta."""
    target = float(goal.mid().log())
    x = max(start, 0.0)
    before: tuple[float, float] | None = None
    for _ in range(30):
        found = curve(Fraction(x))
        middle = found.mid()
        if not middle > 0:
            x, before = max(0.0, x - 1 / rate), None
            continue
        value = float(middle.log()) - target
        slope = (value - before[1]) / (x - before[0]) if before and x != before[0] else -rate
        if not -100 * rate < slope < -rate / 100:
            slope = -rate
        before = (x, value)
        step = min(max(-value / slope, -4 / rate), 4 / rate)
        x = max(x + step, 0.0)
        if abs(step) <= 4e-16 * x or x == before[0]:
            break
        if abs(value) < max(1e-15, float(found.rad() / middle)):  # Further on, the proof could not follow.
            break
    return x
