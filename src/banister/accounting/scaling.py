"""The exact inverse of composition: the largest scale of a loss with which so many releases stay within a total."""

import math
from collections.abc import Callable
from fractions import Fraction

from banister import need
from banister.core.exact.numbers import float_down
from banister.core.privacy.guarantee import Guarantee
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue, Uncertified

Family = Callable[[Fraction], PrivacyLoss]
"""A loss for each size, giving away more as the size grows: `PrivacyLoss.pure`, `.laplace`, `.gaussian`."""

NARROW = 1e-11
"""Relative distance at which the search for the size ends."""

DELTA_WIDTH = 1e-5
"""How narrow the brackets of delta are where a narrower one costs time; the size is then lost by some 1e-7 of it."""


def largest_size(family: Family, *, total: Guarantee, questions: int, beside: PrivacyLoss) -> float:
    """The largest size at which `questions` losses of the family and the one beside them are within the total.

    Certain:  the delta of the composition at the total's epsilon, rounded up, is at most the total's delta.

    >>> size = largest_size(PrivacyLoss.pure, total=Guarantee(1, 1e-6), questions=100, beside=PrivacyLoss.nothing())
    >>> print(f"{size:.6f}")
    0.024011
    """
    count = need.whole("questions", questions, least=1)

    def delta(size: float) -> float:
        return family(Fraction(size)).times(count).with_(beside).delta_at(total.epsilon, relative_width=DELTA_WIDTH).up

    goal = float(total.delta)
    start = float_down(total.epsilon / count)
    if not beside.delta_at(total.epsilon).up <= goal:
        raise BadValue(
            f"What is charged besides the questions is already over the total {total}. Lower it, or raise the total."
        )
    if goal == 0 and start and delta(start) <= 0 < delta(start * (1 + NARROW)):
        return start  # Pure privacy adds up, so the even share is the answer.
    low, high = _around(lambda size: delta(size) <= goal, start or 1e-3)
    return _narrow(delta, goal, low, high)


def _around(fits: Callable[[float], bool], start: float) -> tuple[float, float]:
    """A size that fits and one that does not, a factor two apart."""
    low = start
    for _ in range(200):
        if fits(low):
            break
        low /= 2
    else:
        raise BadValue("No size of this loss is small enough for the total. Raise the total's epsilon or delta.")
    high = 2 * low
    for _ in range(200):
        if not fits(high):
            return low, high
        low, high = high, 2 * high
    raise Uncertified("Every size of this loss fits the total; it cannot be calibrated.")


def _narrow(delta: Callable[[float], float], goal: float, low: float, high: float) -> float:
    """Secants on log delta against log size, kept between a size that fits and one that does not; then a proof."""
    fits, misses, guess = low, high, math.sqrt(low * high)
    before: tuple[float, float] | None = None
    for _ in range(200):
        value = delta(guess)
        fits, misses = (guess, misses) if value <= goal else (fits, guess)
        if misses / fits - 1 <= NARROW or (value > 0 and goal > 0 and abs(math.log(value / goal)) < NARROW):
            break
        here = (math.log(guess), math.log(value / goal)) if value > 0 and goal > 0 else None
        step = _secant(before, here)
        if step is not None and abs(step - math.log(guess)) < NARROW:
            break
        inside = step is not None and fits < math.exp(step) < misses
        guess, before = math.exp(step) if inside and step is not None else math.sqrt(fits * misses), here
    slip = NARROW
    while not delta(guess) <= goal and guess > fits:
        guess, slip = max(guess * (1 - slip), fits), 4 * slip
    return max(guess, fits) if delta(guess) <= goal else fits


def _secant(before: tuple[float, float] | None, here: tuple[float, float] | None) -> float | None:
    if before is None or here is None or before[1] == here[1]:
        return None
    return here[0] - here[1] * (here[0] - before[0]) / (here[1] - before[1])
