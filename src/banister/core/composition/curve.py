"""Pairs known by their certified delta(epsilon) alone, made into laws on a grid from above and from below.

In x = e^epsilon the curve is convex and any convex curve of this kind belongs to a pair, so a polygon above it is a
pair that dominates, and a polygon below it a pair that is dominated. Both are off by the square of the grid step.
"""

import itertools
import math
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from flint import arb, arb_poly

from banister.core.composition.atoms import Atoms
from banister.core.composition.law import Law, Tilted
from banister.core.exact.numbers import BALL_BITS, ball, exp_ball, precision
from banister.core.exact.search import least_whole
from banister.errors import BadValue

TAIL_BITS = 110
"""The curve is followed until delta is below 2^-TAIL_BITS; the rest counts as infinite loss from above."""
MOST_STEPS = 1 << 18
COARSER = 30
"""Grids cost time at every point, so a curve is followed for this many times the width that is asked for."""
HAIR = Fraction(1, 1 << 200)
"""The lower polygon is lowered by this, more than any doubt about which corners it needs."""


@dataclass(frozen=True, slots=True)
class CurveLaw(Law):
    """delta(epsilon) for epsilon ≥ 0, and the same with the neighbours' places changed. One key is one law."""

    key: Hashable
    delta: Callable[[Fraction], arb] = field(compare=False)
    other: Callable[[Fraction], arb] = field(compare=False)
    ends: tuple[Fraction | None, Fraction | None] = (None, None)
    """A bound on the loss in each order of the neighbours, where there is one."""

    def hockey_stick(self, epsilon: Fraction) -> arb:
        if epsilon >= 0:
            return self.delta(epsilon)
        return -ball(epsilon).expm1() + exp_ball(epsilon) * self.other(-epsilon)

    def infinite(self) -> arb:
        return arb(0)

    def escape(self) -> Fraction | None:
        return Fraction(0)

    def top(self) -> Fraction | None:
        return self.ends[0]

    def reverse(self) -> "CurveLaw":
        return (
            self
            if self.other is self.delta
            else CurveLaw(("reverse", self.key), self.other, self.delta, self.ends[::-1])
        )

    def atoms(self) -> Mapping[Fraction, arb] | None:
        return None

    def grid(self) -> tuple[Fraction, Fraction] | None:
        return None

    def breaks(self, count: int) -> int | None:
        return None

    def exponentials(self, count: int) -> Mapping[Fraction, arb_poly]:
        raise ArithmeticError("A curve is composed through the laws above and below it.")

    def moment(self, order: Fraction) -> arb:
        return arb("inf")  # The tail beyond any finite number of points is not known.

    def gaussian(self) -> Fraction | None:
        return None

    def identity(self) -> Hashable:
        return self.key

    def cumulants(self, tilt: float) -> tuple[float, float, float]:
        return self.bounds(1e-3)[0].cumulants(tilt)

    def tilted(self, tilt: Fraction) -> Tilted:
        raise ArithmeticError("A curve is composed through the laws above and below it.")

    def bounds(self, relative_width: float) -> tuple[Law, Law]:
        """Laws on a grid: from above the chords of the curve, from below lines under it, joined at their lower ends."""
        with precision(BALL_BITS):
            step = self._step(relative_width)
            places = _places(*self._reach(step), dense=math.ceil(self._spread() * 8 / step))
            xs = [exp_ball(j * step) for j in places]
            ends = [self.hockey_stick(j * step) for j in places]
            between = [Fraction(a + b, 2) * step for a, b in itertools.pairwise(places)]
            middles = [(exp_ball(t), self.hockey_stick(t)) for t in between]
            above = self._law("above", step, places, [arb(0), *xs], [arb(1), *ends])
            low = _below(xs, ends, middles)
            return above, self._law("below", step, places, [arb(0), *xs], [1 - ball(HAIR), *low])

    def _law(self, side: str, step: Fraction, places: list[int], xs: list[arb], heights: list[arb]) -> Atoms:
        """The law of the polygon: mass x · (change of slope) at each corner, the last height at infinity."""
        corners = _convex(xs, heights)
        slopes = [(heights[b] - heights[a]) / (xs[b] - xs[a]) for a, b in itertools.pairwise(corners)]
        slopes.append(arb(0))
        values, masses = [], []
        for place, corner in enumerate(corners[1:]):
            values.append(places[corner - 1] * step)
            masses.append(((slopes[place + 1] - slopes[place]) * xs[corner]).nonnegative_part())
        return Atoms((side, step, self.key), tuple(values), tuple(masses), heights[-1], symmetric=False)

    def _step(self, relative_width: float) -> Fraction:
        """A power of two: the grid changes the variance of the loss, here judged from delta(0), by 2/3 step²."""
        return Fraction(2) ** math.floor(math.log2(self._spread() * math.sqrt(3 * COARSER * relative_width)))

    def _spread(self) -> float:
        """About the standard deviation of the loss: that of the normal law with the same delta(0)."""
        spread = 2.5 * float(self.delta(Fraction(0)))
        if not spread > 0:
            raise BadValue("A curve with delta(0) = 0 gives nothing away. Leave this release out of the account.")
        return spread

    def _reach(self, step: Fraction) -> tuple[int, int]:
        def end(curve: Callable[[Fraction], arb]) -> int:
            tiny = arb(2) ** -TAIL_BITS
            return least_whole(lambda n: n >= MOST_STEPS or curve(n * step) < tiny, within=Fraction(1, 64))

        return -end(self.other), end(self.delta)


def _places(first: int, last: int, *, dense: int) -> list[int]:
    """Grid points at which a curve is asked: all of them in the middle, and ever fewer towards the ends."""
    half: list[int] = [0]
    while half[-1] < max(last, -first):
        half.append(half[-1] + max(1, (half[-1] - dense) // 64))
    below, above = [-j for j in half if j < -first], [j for j in half if 0 < j < last]
    return [first, *reversed(below), *above, last]


def _below(xs: list[arb], ends: list[arb], middles: list[tuple[arb, arb]]) -> list[arb]:
    """Heights of a polygon below the curve, from its values at the ends and in the middle of each interval."""
    heights = [arb.min(ends[0], 1 - xs[0]), *ends[1:]]
    for i, (x, middle) in enumerate(middles):
        left, right = _line_below(xs[i], x, xs[i + 1], ends[i], middle, ends[i + 1])
        heights[i] = arb.min(heights[i], left)
        heights[i + 1] = arb.min(heights[i + 1], right)
    lowered = [(height - ball(HAIR)).lower() for height in heights]
    stop = next((i for i, height in enumerate(lowered) if not height > 0), len(lowered) - 1)
    return [*lowered[: max(stop - 1, 0)], *[arb(0)] * (len(lowered) - max(stop - 1, 0))]


def _line_below(x0: arb, xm: arb, x1: arb, a: arb, m: arb, b: arb) -> tuple[arb, arb]:
    """The ends of a line of the chord's slope that lies below a convex curve through three points, on [x0, x1].

    Left of the middle the curve is above the chord (middle, right end) drawn on, right of it above the other one.
    """
    slope, before, after = (b - a) / (x1 - x0), (m - a) / (xm - x0), (b - m) / (x1 - xm)
    drop = arb.max((xm - x0) * (after - slope), (x1 - xm) * (slope - before))
    return m - drop - slope * (xm - x0), m - drop + slope * (x1 - xm)


def _convex(xs: list[arb], heights: list[arb]) -> list[int]:
    """The corners of the lower convex hull; a corner that cannot be told from a straight line is left out."""
    hull: list[int] = []
    for i in range(len(xs)):
        while len(hull) >= 2 and not _turns_up(xs, heights, hull[-2], hull[-1], i):
            hull.pop()
        hull.append(i)
    return hull


def _turns_up(xs: list[arb], heights: list[arb], a: int, b: int, c: int) -> bool:
    first = (heights[b] - heights[a]) * (xs[c] - xs[b])
    second = (heights[c] - heights[b]) * (xs[b] - xs[a])
    return bool(second > first)
