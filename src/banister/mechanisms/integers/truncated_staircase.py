"""Staircase noise cut off at its ends: one family of bounded noise for every (epsilon, delta)."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Self

import numpy as np
from flint import arb

from banister import need
from banister.core.exact.numbers import BALL_BITS, Number, ball, brief, certainly_positive, exp_ball, precision
from banister.core.exact.search import largest_whole
from banister.core.laws.cost import Cost, CostLike
from banister.core.laws.expectation import expected_cost_on_integers
from banister.core.laws.pieces import Pieces, bracket
from banister.core.laws.power_sums import power_of
from banister.core.laws.staircases import stair_moment
from banister.core.privacy.guarantee import Guarantee
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import Undrawable
from banister.mechanisms.integers.integer_noise import Floats, IntegerNoise, Integers
from banister.mechanisms.integers.integer_staircase import best_step_width, two_sided_tail
from banister.mechanisms.offers import HINT, Offer, Serves
from banister.sampling.bits import BitSource
from banister.sampling.cut import CutDraw
from banister.sampling.staircase import staircase_draw
from banister.sampling.uniform import LARGEST

_EXHAUSTIVE = 64


@dataclass(frozen=True, slots=True, init=False)
class TruncatedStaircase(IntegerNoise):
    """Staircase noise with the tails T_k = P(i ≥ k) cut to max(0, (1 + 2 eta) T_k - eta), eta = delta/(e^epsilon - 1).

    Private:  (epsilon, delta)-DP for every delta in (0, 1], without integrality conditions
              (docs/math/truncated-staircase.md). The noise is bounded: |i| ≤ edge.
    Optimal:  among noises that ignore the answer, for sensitivity 1 and every cost. For a larger one and |i| or i²,
              within 0.1 % of the optimum by linear program for delta ≤ 0.001, within 0.6 % for 0.01, and up to 3 % for
              0.05, from epsilon 0.3 to 3; `least_noise` reports the certified gap.

    >>> noise = TruncatedStaircase(epsilon=1, delta=1e-6, sensitivity=1)
    >>> noise.edge, round(noise.risk(), 5)
    (14, 0.8509)
    """

    epsilon: Fraction
    delta: Fraction
    sensitivity: int
    step_width: int
    cost: Cost
    edge: int
    """The largest size that the noise can have."""

    def __init__(self, *, epsilon: Number, delta: Number, sensitivity: Number, cost: CostLike = "absolute") -> None:
        self._fix(epsilon, delta, sensitivity, cost)
        self._drawable()

    @classmethod
    def law(cls, *, epsilon: Number, delta: Number, sensitivity: Number, cost: CostLike = "absolute") -> Self:
        """The same law for bounds, also where it reaches beyond what can be drawn.

        >>> TruncatedStaircase.law(epsilon="1e-20", delta="1e-20", sensitivity=1).edge > 10**19
        True
        """
        made = cls.__new__(cls)
        made._fix(epsilon, delta, sensitivity, cost)
        return made

    def _fix(self, epsilon: Number, delta: Number, sensitivity: Number, cost: CostLike) -> None:
        level = need.level("epsilon", epsilon, "For epsilon = 0 use Uniform. " + HINT)
        chance = need.between("delta", delta, 0, 1)
        need.positive("delta", chance, "For delta = 0 use IntegerStaircase.")
        reach = need.whole("sensitivity", sensitivity, least=1)
        chosen = Cost.of(cost)
        width = _best_step_width(level, chance, reach, chosen)
        edge = _edge(level, chance, reach, width)
        for name, value in zip(self.__slots__, (level, chance, reach, width, chosen, edge), strict=True):
            object.__setattr__(self, name, value)

    def _drawable(self) -> None:
        """Refuse here, not at the first draw, what reaches too far."""
        if self._nearly_level:
            if 2 * self.edge >= LARGEST:
                raise Undrawable(
                    f"Noise of up to {brief(Fraction(self.edge))} grid steps reaches beyond 64-bit integers. Take a "
                    "coarser grid or a larger delta."
                )
        else:
            staircase_draw(self.epsilon, self.sensitivity, self.step_width)

    @property
    def _nearly_level(self) -> bool:
        # Of the uncut staircase 1/(1 + 2 eta) is kept; below a half, what is left is nearly level.
        return 2 * float(self.delta) > math.expm1(min(float(self.epsilon), 700.0))

    @property
    def scale(self) -> float:
        return max(1.0, min(float(self.sensitivity / min(self.epsilon, Fraction(1))), self.edge / 40))

    def loss(self) -> PrivacyLoss:
        """The atoms ±epsilon, 0 and infinity: that of the staircase, with delta for what is cut off.

        Upper bound:  exact up to epsilon where the noise reaches beyond the sensitivity. A light outermost value tells
                      a little more than epsilon; what is above it counts as everything.
        """
        half = self.sensitivity // 2
        with precision(BALL_BITS):
            distance = 1 - self.tail_ball(half + 1) - self.tail_ball(self.sensitivity - half)
        return PrivacyLoss.of_distance(Guarantee(self.epsilon, self.delta), distance)

    def tail_ball(self, k: int) -> arb:
        """P(noise ≥ k) for k ≥ 1, certified."""
        if k > self.edge:
            return arb(0)
        return _raw_tail(self.epsilon, self.delta, self.sensitivity, self.step_width, k)

    def mass_ball(self, value: int) -> arb:
        if value == 0:
            return 1 - 2 * self.tail_ball(1)
        return self.tail_ball(abs(value)) - self.tail_ball(abs(value) + 1)

    def at_least(self, size: Floats) -> Floats:
        return _cut_tail(size, float(self.epsilon), float(self.delta), self.sensitivity, self.step_width)

    def moment(self, exponent: Fraction, above: Fraction) -> arb:
        return _moment(self.epsilon, self.delta, self.sensitivity, self.step_width, self.edge, exponent, above)

    def draw(self, bits: BitSource) -> int:
        return _sampler(self).draw(bits)

    def draw_many(self, count: int, bits: BitSource) -> Integers:
        return _sampler(self).draw_many(count, bits)

    def edge_part(self) -> arb:
        """The mass of an edge value over what the uncut staircase, scaled alike, has there."""
        k, j = divmod(self.edge, self.sensitivity)
        height = exp_ball(-self.epsilon * (k if j < self.step_width else k + 1))
        b, r = exp_ball(-self.epsilon), self.step_width
        peak = (1 - b + 2 * b * ball(self.delta)) / (2 * r + 2 * b * (self.sensitivity - r) - (1 - b))
        if self.edge == 0:
            return arb(1)
        return self.tail_ball(self.edge) / (peak * height)


@lru_cache(maxsize=64)
def _sampler(noise: TruncatedStaircase) -> CutDraw:
    return CutDraw(
        noise.epsilon,
        noise.sensitivity,
        noise.step_width,
        edge=noise.edge,
        keep_edge=noise.edge_part,
        level=noise._nearly_level,
    )


def _raw_tail(epsilon: Fraction, delta: Fraction, sensitivity: int, r: int, k: int) -> arb:
    """(1 + 2 eta) P(Z ≥ k) - eta for the uncut staircase Z, k ≥ 1."""
    b = exp_ball(-epsilon)
    eta = ball(delta) * b / (1 - b)
    weight = r + b * (sensitivity - r)
    peak = (1 - b) / (2 * weight - (1 - b))
    periods, j = divmod(k, sensitivity)
    left = weight / (1 - b) - min(j, r) - b * max(j - r, 0)
    return (1 + 2 * eta) * peak * exp_ball(-epsilon * periods) * left - eta


def _edge(epsilon: Fraction, delta: Fraction, sensitivity: int, r: int) -> int:
    """The largest k whose cut tail is above 0; with delta = 1 everything is allowed, and no noise is the least."""
    if delta == 1:
        return 0

    def positive(k: int) -> bool:
        return certainly_positive(lambda: _raw_tail(epsilon, delta, sensitivity, r, k))

    return largest_whole(positive)


def _cut_tail(size: Floats, epsilon: float, delta: float, sensitivity: int, r: int) -> Floats:
    """P(|Z| ≥ size) = T - 2 eta (1 - T) in doubles, T that of the uncut staircase, for a tiny epsilon too."""
    part, b = -math.expm1(-epsilon), math.exp(-epsilon)
    weight = r + b * (sensitivity - r)
    k = np.floor(size / sensitivity)
    j = size - k * sensitivity
    used = np.minimum(j, r) + b * np.maximum(j - r, 0)
    whole = two_sided_tail(size, epsilon, float(sensitivity), float(r))
    # eta (1 - T) = delta b (2w (1 - b^k)/(1 - b) - 1 + 2 b^k used) / (2w - (1 - b))
    missing = 2 * weight * np.expm1(-epsilon * k) / -part - 1 + 2 * np.exp(-epsilon * k) * used
    return np.where(size <= 0, 1.0, np.maximum(0.0, whole - 2 * delta * b * missing / (2 * weight - part)))


def _moment(
    epsilon: Fraction, delta: Fraction, sensitivity: int, r: int, edge: int, exponent: Fraction, above: Fraction
) -> arb:
    """(1 + 2 eta) times the uncut moment below the edge, and what is left of the edge itself."""
    if above >= edge:
        return arb(0)
    inside = stair_moment(epsilon, sensitivity, r, exponent, above)
    inside -= stair_moment(epsilon, sensitivity, r, exponent, Fraction(edge - 1))
    eta = ball(delta) / ball(epsilon).expm1()
    last = 2 * _raw_tail(epsilon, delta, sensitivity, r, edge) * power_of(arb(edge), exponent)
    return (1 + 2 * eta) * inside + last


def _best_step_width(epsilon: Fraction, delta: Fraction, sensitivity: int, cost: Cost) -> int:
    """The r of least cost: all of them where they are few, otherwise downhill from the uncut optimum."""
    if sensitivity == 1 or delta == 1:
        return 1
    start = best_step_width(epsilon, sensitivity, cost) if sensitivity > _EXHAUSTIVE else sensitivity
    scale = max(
        1.0, min(float(sensitivity / min(epsilon, Fraction(1))), _edge(epsilon, delta, sensitivity, start) / 20)
    )

    def risk(r: int) -> float:
        def tail(size: Floats) -> Floats:
            return _cut_tail(size, float(epsilon), float(delta), sensitivity, r)

        if cost.pieces is not None:
            return _certified_risk(epsilon, delta, sensitivity, r, cost.pieces)
        return expected_cost_on_integers(cost, tail, scale=scale)

    if sensitivity <= _EXHAUSTIVE:
        return min(range(1, sensitivity + 1), key=risk)
    return _downhill(risk, start, sensitivity)


def _certified_risk(epsilon: Fraction, delta: Fraction, sensitivity: int, r: int, cost: Pieces) -> float:
    """The expected cost with that step, to about a double."""
    edge = _edge(epsilon, delta, sensitivity, r)

    def value() -> arb:
        at_zero = 1 - 2 * _raw_tail(epsilon, delta, sensitivity, r, 1) if edge else arb(1)
        return cost.expected(
            lambda exponent, above: _moment(epsilon, delta, sensitivity, r, edge, exponent, above), at_zero
        )

    return bracket(value).up


def _downhill(risk: Callable[[int], float], start: int, most: int) -> int:
    """A local minimum from a good start, with steps that halve."""
    place, best = start, risk(start)
    step = max(1, most // 8)
    while step:
        moves = [(risk(r), r) for r in (place - step, place + step) if 1 <= r <= most]
        value, r = min(moves)
        if value < best:
            best, place = value, r
        else:
            step //= 2
    return place


OFFERS = (
    Offer(
        name="truncated staircase",
        serves=Serves.INTEGERS,
        kind=TruncatedStaircase,
        fits=lambda asked: asked.epsilon > 0 and 0 < asked.delta < 1,
        make=lambda asked: TruncatedStaircase(
            epsilon=asked.epsilon, delta=asked.delta, sensitivity=asked.steps, cost=asked.cost
        ),
        optimal=lambda asked: "sensitivity 1: for every cost" if asked.steps == 1 else "",
        on_grid=True,
    ),
)


def examples() -> tuple[TruncatedStaircase, ...]:
    """A few of them, for the contract tests and the gallery."""
    return (
        TruncatedStaircase(epsilon=1, delta=1e-6, sensitivity=1),
        TruncatedStaircase(epsilon=Fraction(1, 2), delta=Fraction(1, 100), sensitivity=3, cost="squared"),
        TruncatedStaircase(epsilon=Fraction(1, 10), delta=Fraction(3, 10), sensitivity=2),
    )
