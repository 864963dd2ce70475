"""Privacy as a region: which false-alarm and missed-detection rates a test between two neighbours can reach.

A region is kept by its lower boundary, a falling convex polygon with exact corners. Where a corner is not a fraction
it is rounded outwards, so that a region never promises more than what it was made from.
"""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from banister import need
from banister.core.composition.ways import FEW_PRODUCTS, counted, products
from banister.core.exact.numbers import (
    BALL_BITS,
    Bracket,
    Number,
    ball,
    exp_ball,
    fraction_down,
    fraction_up,
    precision,
)
from banister.core.privacy.guarantee import Guarantee
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue

Corner = tuple[Fraction, Fraction]
_Line = tuple[Fraction, Fraction]
"""(height, slope): missed ≥ height − slope · false alarm."""

HAIR = Fraction(1, 1 << 200)
SMALL_DELTA = Fraction(1, 10**9)
"""Where a curve has come down to this beyond its mass at infinity, the picture ends."""
CURVE_POINTS = 96
"""At so many epsilons a loss without few exact corners is asked for its delta."""


@dataclass(frozen=True, slots=True)
class PrivacyRegion:
    """All (false alarm, missed detection) that tests can reach: everything above the boundary.

    `corners` are those of the boundary, from false alarm 0 to missed detection 0.

    >>> region = PrivacyRegion.of_guarantee(Guarantee(1, 1e-6))
    >>> print(f"{float(1 - region.missed_detection(0.05)):.3f}")  # Best detection at 5 % false alarms.
    0.136
    """

    corners: tuple[Corner, ...]

    @classmethod
    def of_guarantee(cls, guarantee: Guarantee) -> "PrivacyRegion":
        """R(epsilon, delta): false alarm + e^epsilon · missed ≥ 1 − delta, and the same the other way round.

        Exact:  [KOV15] Thm 2.1 and Eq. (2), but for the rounding of e^epsilon.
        """
        return cls.of_curve([(guarantee.epsilon, guarantee.delta, guarantee.delta)])

    @classmethod
    def of_curve(cls, points: Iterable[tuple[Fraction, Fraction, Fraction]]) -> "PrivacyRegion":
        """The region that (epsilon, delta, delta with the neighbours' places changed) leave, all together."""
        lines = [(Fraction(0), Fraction(0))]
        with precision(BALL_BITS):
            for epsilon, delta, other in points:
                flat = fraction_down(exp_ball(-epsilon))
                lines.append(((1 - delta) * flat, flat))
                lines.append((1 - other, fraction_up(exp_ball(epsilon))))
        return cls(_corners(lines))

    @classmethod
    def of_pair(cls, first: Sequence[Number], second: Sequence[Number]) -> "PrivacyRegion":
        """The exact region of a finite pair: the probability of each output under one neighbour and under the other.

        Exact:  outputs in the order of their likelihood ratio give the corners ([KOV15] Eq. (3)).
        """
        pairs = _probabilities(first, second)
        pairs.sort(key=lambda pq: (pq[0] != 0, -pq[1] / pq[0] if pq[0] else 0))
        alarm, missed, corners = Fraction(0), Fraction(1), [(Fraction(0), Fraction(1))]
        for p, q in pairs:
            alarm, missed = alarm + p, missed - q
            corners.append((alarm, missed))
        return cls(_hull(corners))

    @classmethod
    def of_loss(cls, loss: PrivacyLoss) -> "PrivacyRegion":
        """The region of a loss, rounded outwards: exact corners where these are few, else a fine polygon around it."""
        ways = loss.directions()
        forth, back = ways[0], ways[-1]
        points = [(t, _up(forth.delta(t)), _up(back.delta(t))) for t in _asked(loss)]
        return cls.of_curve(points)

    def missed_detection(self, false_alarm: Number) -> Fraction:
        """The least missed-detection rate of any test with that false-alarm rate."""
        x = need.between("false_alarm", false_alarm, 0, 1)
        before = None
        for corner in self.corners:
            if corner[0] >= x:
                return corner[1] if before is None or corner[0] == x else _between(before, corner, x)
            before = corner
        return Fraction(0)

    def contains(self, false_alarm: Number, missed_detection: Number) -> bool:
        """Whether some test reaches these two rates, or worse ones."""
        return need.between("missed_detection", missed_detection, 0, 1) >= self.missed_detection(false_alarm)

    def includes(self, other: "PrivacyRegion") -> bool:
        """Whether the other region lies inside this one, i.e. the other pair is a post-processing of this one.

        Exact:  [KOV15] Thm 2.5, for the corners as they are kept.
        """
        return all(self.contains(*corner) for corner in other.corners)

    def intersection(self, other: "PrivacyRegion") -> "PrivacyRegion":
        """What both leave: the region of a pair that keeps both promises."""
        return PrivacyRegion(_corners([*_lines(self.corners), *_lines(other.corners)]))

    def total_variation(self) -> Fraction:
        """The largest 1 − false alarm − missed detection of any test."""
        return max(Fraction(0), *(1 - x - y for x, y in self.corners))

    def delta_at(self, epsilon: Number) -> Bracket:
        """The least delta with which R(epsilon, delta) includes this region."""
        with precision(BALL_BITS):
            factor = exp_ball(need.non_negative("epsilon", epsilon))
            found = arb(0)
            for x, y in self.corners:
                found = arb.max(found, arb.max(1 - ball(x) - factor * ball(y), 1 - ball(y) - factor * ball(x)))
            return Bracket.of_ball(found)

    def keeps(self, guarantee: Guarantee) -> bool:
        """Whether the region lies inside R(epsilon, delta), but for 2^-200, the rounding of corners."""
        with precision(BALL_BITS):
            factor, short = exp_ball(guarantee.epsilon), 1 - guarantee.delta - HAIR
            return all(bool(ball(short - a) <= factor * ball(b)) for x, y in self.corners for a, b in ((x, y), (y, x)))


def _up(bracket: Bracket) -> Fraction:
    return Fraction(bracket.up)


def _asked(loss: PrivacyLoss) -> list[Fraction]:
    """The epsilons at which a loss is asked: its own values where these are few, else evenly up to where it ends."""
    if products(loss.terms) <= FEW_PRODUCTS:
        return sorted({abs(value) for value in counted(loss.terms)} | {Fraction(0)})
    end = loss.epsilon_at(min(Fraction(1), fraction_up(loss.law.infinite()) + SMALL_DELTA)).up
    return [Fraction(end) * i / CURVE_POINTS for i in range(CURVE_POINTS + 1)]


def _probabilities(first: Sequence[Number], second: Sequence[Number]) -> list[tuple[Fraction, Fraction]]:
    p = [need.non_negative("probability", x) for x in first]
    q = [need.non_negative("probability", x) for x in second]
    if len(p) != len(q):
        raise BadValue(f"A pair needs the same outputs under both neighbours; here are {len(p)} and {len(q)}.")
    if sum(p) != 1 or sum(q) != 1:
        missed = " and ".join(f"{float(sum(each) - 1):+.3g}" for each in (p, q))
        raise BadValue(
            f"The probabilities of a pair must add up to 1 exactly; under the two neighbours they are off by {missed}. "
            "Write them as fractions or decimals in quotes, such as '1/3' or '0.7': 0.7 as a double is not 7/10."
        )
    return [(a, b) for a, b in zip(p, q, strict=True) if a or b]


def _lines(corners: Sequence[Corner]) -> list[_Line]:
    found = [(Fraction(0), Fraction(0))]
    for (x0, y0), (x1, y1) in itertools.pairwise(corners):
        if x1 > x0:
            slope = (y0 - y1) / (x1 - x0)
            found.append((y0 + slope * x0, slope))
    if len(corners) == 1:
        found.append((corners[0][1], Fraction(0)))
    return found


def _corners(lines: Iterable[_Line]) -> tuple[Corner, ...]:
    """The corners of the upper envelope of falling lines on 0 ≤ x ≤ 1, from x = 0 to where it is 0."""
    highest: dict[Fraction, Fraction] = {}
    for height, slope in lines:
        highest[slope] = max(height, highest.get(slope, height))
    hull: list[tuple[Fraction, _Line]] = []
    for slope in sorted(highest, reverse=True):
        line, start = (highest[slope], slope), Fraction(0)
        while hull:
            start = _meet(hull[-1][1], line)
            if start > hull[-1][0]:
                break
            hull.pop()
            start = Fraction(0)
        if start <= 1:
            hull.append((start, line))
    return tuple((start, line[0] - line[1] * start) for start, line in hull)


def _meet(a: _Line, b: _Line) -> Fraction:
    """Where the steeper line a crosses the flatter line b."""
    return (a[0] - b[0]) / (a[1] - b[1])


def _hull(corners: list[Corner]) -> tuple[Corner, ...]:
    found: list[Corner] = []
    for corner in corners:
        while found and found[-1][0] == corner[0] and found[-1][1] >= corner[1]:
            found.pop()
        while len(found) >= 2 and _between(found[-2], corner, found[-1][0]) <= found[-1][1]:
            found.pop()
        found.append(corner)
    while len(found) >= 2 and found[-2][1] == 0:
        found.pop()
    return tuple(found)


def _between(a: Corner, b: Corner, x: Fraction) -> Fraction:
    return a[1] + (b[1] - a[1]) * (x - a[0]) / (b[0] - a[0])
