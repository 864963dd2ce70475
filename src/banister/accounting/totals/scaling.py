"""The exact inverse of composition: the largest scale of a loss with which so many releases stay within a total."""

import math
from collections.abc import Callable
from fractions import Fraction

from banister import need
from banister.core.exact.numbers import float_down
from banister.core.privacy.guarantee import Guarantee, guarantee
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue, Uncertified

Family = Callable[[Fraction], PrivacyLoss]
"""A loss for each size, giving away more as the size grows: `PrivacyLoss.pure`, `.laplace`, `.gaussian`."""

NARROW = 1e-11
"""Relative distance at which the search for the size ends."""

CANCELLED = 1e-4
"""If less than this part of the total's delta is left for the questions, doubles no longer tell how much it is."""

CLEAR = 1e-9
"""A delta that is larger than the total's by more than this part is too large; a nearer one is compared exactly."""

DELTA_WIDTH = 1e-5
"""How narrow the brackets of delta are where a narrower one costs time; the size is then lost by some 1e-7 of it."""


def largest_size(family: Family, *, total: Guarantee, questions: int, beside: PrivacyLoss) -> float:
    """The largest size at which `questions` losses of the family and the one beside them are within the total.

    Certain:  the delta of the composition at the total's epsilon, rounded up, is at most the total's delta.

    >>> size = largest_size(PrivacyLoss.pure, total=Guarantee(1, 1e-6), questions=100, beside=PrivacyLoss.nothing())
    >>> print(f"{size:.6f}")
    0.024011
    """
    guarantee("total", total)
    count = need.whole("questions", questions, least=1)

    def loss(size: float) -> PrivacyLoss:
        return family(Fraction(size)).times(count).with_(beside)

    def ask(size: float) -> tuple[bool, float]:
        """Whether the size fits, and its delta. A double that is a hair above the total's delta does not decide."""
        here = loss(size)
        found = here.delta_at(total.epsilon, relative_width=DELTA_WIDTH).up
        if found > float(total.delta) * (1 + CLEAR):
            return False, found
        return Fraction(found) <= total.delta or here.keeps(total, relative_width=DELTA_WIDTH), found

    def fits(size: float) -> bool:
        return ask(size)[0]

    if not beside.keeps(total):
        raise BadValue(
            f"What is charged besides the questions is already over the total {total}. Lower it, or raise the total."
        )
    start = float_down(total.epsilon / count)
    base = beside.delta_at(total.epsilon).up
    goal = float(total.delta) - base
    if goal < CANCELLED * float(total.delta):
        goal = 0.0  # Two doubles that nearly cancel guide no secant; the halving is exact all the same.
    if not goal > 0 and start and fits(start) and not fits(start * (1 + NARROW)):
        return start  # Nothing is left but the sum of the largest losses, so the even share is the answer.

    def over(size: float) -> tuple[bool, float | None]:
        """Whether it fits, and about log(delta/goal), both without what lies beside, where a double tells."""
        enough, found = ask(size)
        part = (found - base) / goal if goal > 0 else 0.0
        return enough, math.log(part) if part > 0 else None

    low, high = _around(fits, start or 1e-3)
    # At the even share of bounded losses nothing is added, and beyond it a power of how far beyond: a line in logs.
    bounded = low >= start > 0 and ask(start)[1] <= base
    return _narrow(over, low, high, start if bounded else 0.0)


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


def _narrow(over: Callable[[float], tuple[bool, float | None]], low: float, high: float, floor: float) -> float:
    """Secants on log delta against log (size − floor), kept between a size that fits and one that does not.

    Certain:  what is returned fits. The secants only choose where to ask.
    """
    points: list[tuple[float, float]] = []
    guess = _middle(low, high, floor)
    for _ in range(200):
        enough, value = over(guess)
        low, high = (guess, high) if enough else (low, guess)
        if high / low - 1 <= NARROW or (enough and value is not None and value > -NARROW):
            break
        points = [] if value is None else [*points[-1:], (math.log(guess - floor), value)]
        guess = _inside(_secant(points), low, high, floor)
        if not low < guess < high:
            break
    return low


def _middle(low: float, high: float, floor: float) -> float:
    """Between the two by size above the floor; a sixteenth of the way where one of them lies on it."""
    return floor + (math.sqrt((low - floor) * (high - floor)) or (high - floor) / 16)


def _inside(step: float | None, low: float, high: float, floor: float) -> float:
    """The secant's size, moved to the side from which the bracket closes; the middle where there is no secant."""
    if step is None or not step < math.log(high - floor) + 1:
        return _middle(low, high, floor)
    size = floor + math.exp(step)
    near_low, near_high = low * (1 + NARROW / 2), high * (1 - NARROW / 2)
    if low < size < high:
        return min(max(size, near_low), near_high)
    return near_low if size <= low else near_high


def _secant(points: list[tuple[float, float]]) -> float | None:
    if len(points) < 2 or points[0][1] == points[1][1]:
        return None
    before, here = points
    return here[0] - here[1] * (here[0] - before[0]) / (here[1] - before[1])
