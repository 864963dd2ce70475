"""Staircase noise on the integers: the least expected cost that pure differential privacy allows."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb

from banister import need
from banister.core.exact.numbers import BALL_BITS, Number, ball, exp_ball, precision
from banister.core.exact.search import halved
from banister.core.laws.cost import Cost, CostLike
from banister.core.laws.expectation import expected_cost_on_integers, periodic_sum
from banister.core.privacy.loss import PrivacyLoss
from banister.mechanisms.integers.integer_noise import Floats, IntegerNoise, Integers
from banister.mechanisms.offers import HINT, Offer, Serves
from banister.sampling.bits import BitSource
from banister.sampling.staircase import StaircaseDraw, staircase_draw


@dataclass(frozen=True, slots=True, init=False)
class IntegerStaircase(IntegerNoise):
    """Add i with P(i) = a b^k where j < r, and a b^(k+1) elsewhere; |i| = kΔ + j, b = e^-epsilon, r = step_width.

    Private:  pure epsilon-DP when neighbours move the answer by at most the sensitivity Δ: the mass never rises with
              |i| and falls by exactly b over Δ steps. Every step_width is private; it is chosen for accuracy alone.
    Optimal:  with the best step_width, least expected cost among all noises that ignore the answer, for the cost it
              is made for ([G13] Thm 2.13). For sensitivity 1 it is geometric, best for every cost ([G13] Thm 2.12).

    >>> noise = IntegerStaircase(epsilon=1, sensitivity=5)
    >>> noise.step_width, round(noise.risk(), 4)
    (2, 4.7863)
    """

    epsilon: Fraction
    sensitivity: int
    step_width: int
    cost: Cost

    def __init__(self, *, epsilon: Number, sensitivity: Number, cost: CostLike = "absolute") -> None:
        level = need.level("epsilon", epsilon, HINT)
        reach = need.whole("sensitivity", sensitivity, least=1)
        chosen = Cost.of(cost)
        self._fix(level, reach, best_step_width(level, reach, chosen), chosen)

    @classmethod
    def with_step(
        cls, *, epsilon: Number, sensitivity: Number, step_width: Number, cost: CostLike = "absolute"
    ) -> "IntegerStaircase":
        """The staircase with a step width of one's own, from 1 to the sensitivity."""
        reach = need.whole("sensitivity", sensitivity, least=1)
        step = need.whole("step_width", step_width, least=1, most=reach)
        made = cls.__new__(cls)
        made._fix(need.level("epsilon", epsilon, HINT), reach, step, Cost.of(cost))
        return made

    def _fix(self, epsilon: Fraction, sensitivity: int, step_width: int, cost: Cost) -> None:
        object.__setattr__(self, "epsilon", epsilon)
        object.__setattr__(self, "sensitivity", sensitivity)
        object.__setattr__(self, "step_width", step_width)
        object.__setattr__(self, "cost", cost)
        self._sampler()

    @property
    def scale(self) -> float:
        return float(self.sensitivity / min(self.epsilon, Fraction(1)))

    def loss(self) -> PrivacyLoss:
        """Three atoms, ±epsilon and 0: randomized response that sometimes says nothing.

        Exact:  P(+epsilon) = (1 + a)/2 + a·min(r - 1, Δ - r) at the shift Δ, which is the worst.
        """
        if self.sensitivity == 1:
            return PrivacyLoss.pure(self.epsilon)
        with precision(BALL_BITS):
            peak, r = self._peak(), self.step_width
            plus = (1 + peak) / 2 + peak * min(r - 1, self.sensitivity - r)
            minus = exp_ball(-self.epsilon) * plus
            nothing = arb.max(1 - plus - minus, arb(0))
            return PrivacyLoss.of_atoms(
                [(self.epsilon, plus), (Fraction(0), nothing), (-self.epsilon, minus)], infinite=arb(0)
            )

    def mass_ball(self, value: int) -> arb:
        k, j = divmod(abs(value), self.sensitivity)
        return self._peak() * exp_ball(-self.epsilon * (k if j < self.step_width else k + 1))

    def at_least(self, size: Floats) -> Floats:
        return two_sided_tail(size, float(self.epsilon), float(self.sensitivity), float(self.step_width))

    def known_risk(self, cost: Cost) -> float | None:
        return closed_risk(self.epsilon, self.sensitivity, self.step_width, cost)

    def draw(self, bits: BitSource) -> int:
        return self._sampler().draw(bits)

    def draw_many(self, count: int, bits: BitSource) -> Integers:
        return self._sampler().draw_many(count, bits)

    def _sampler(self) -> StaircaseDraw:
        return staircase_draw(self.epsilon, self.sensitivity, self.step_width)

    def _peak(self) -> arb:
        """a = (1 - b) / (2r + 2b(Δ - r) - (1 - b)), the mass at 0."""
        b, r = exp_ball(-self.epsilon), self.step_width
        return (1 - b) / (2 * r + 2 * b * (self.sensitivity - r) - (1 - b))


def best_step_width(epsilon: Fraction, sensitivity: int, cost: Cost) -> int:
    """The r from 1 to Δ with the least expected cost, by bisection in O(log Δ) steps.

    The cost V_r is quasi-convex in r and V_(r+1) ≥ V_r exactly when (1 - b) w_r ≥ V_r, w_r = Σ_k b^k L(r + kΔ).
    """
    one_minus_b = -np.expm1(-float(epsilon))

    def rising(r: int) -> bool:
        if sensitivity <= 1 << 40 and cost.exponent in (1, 2):
            return bool(_exact_risk(epsilon, sensitivity, r + 1, cost) >= _exact_risk(epsilon, sensitivity, r, cost))
        w = periodic_sum(cost, float(r), period=float(sensitivity), decay=float(epsilon))
        return bool(one_minus_b * w >= _risk(epsilon, sensitivity, r, cost))

    return halved(rising, 0, sensitivity)[1]


def closed_risk(epsilon: Fraction, sensitivity: int, step_width: int, cost: Cost) -> float | None:
    """E|Z| and E Z² in closed form, evaluated with enough digits for every sensitivity."""
    return float(_exact_risk(epsilon, sensitivity, step_width, cost)) if cost.exponent in (1, 2) else None


def two_sided_tail(size: Floats, epsilon: float, period: float, step: float) -> Floats:
    """P(|Z| ≥ size) of the staircase law on the integers."""
    one_minus_b = -np.expm1(-epsilon)
    b = np.exp(-epsilon)
    weight = step + b * (period - step)
    peak = one_minus_b / (2 * weight - one_minus_b)
    k = np.floor(size / period)
    j = size - k * period
    left = weight / one_minus_b - np.minimum(j, step) - b * np.maximum(j - step, 0)
    return np.where(size <= 0, 1.0, 2 * peak * np.exp(-epsilon * k) * left)


def _risk(epsilon: Fraction, sensitivity: int, r: int, cost: Cost) -> float:
    def tail(size: Floats) -> Floats:
        return two_sided_tail(size, float(epsilon), float(sensitivity), float(r))

    return expected_cost_on_integers(cost, tail, scale=float(sensitivity / min(epsilon, Fraction(1))))


def _exact_risk(epsilon: Fraction, sensitivity: int, r: int, cost: Cost) -> arb:
    """With beta = bΔ/(1 - b) and y = r + beta, V = (y² - y + beta(beta + Δ)) / (2y - 1) for |i|; below for i²."""
    with precision(BALL_BITS):
        b = exp_ball(-epsilon)
        beta = b * sensitivity / (1 - b)
        y, spread = r + beta, beta * (beta + sensitivity)
        if cost.exponent == 1:
            return (y * y - y + spread) / (2 * y - 1)
        third = spread * (2 * beta + sensitivity) / 2
        return spread + (ball(Fraction(2, 3)) * (y**3 + 2 * third) - y * y + y / 3) / (2 * y - 1)


OFFERS = (
    Offer(
        name="staircase",
        serves=Serves.INTEGERS,
        kind=IntegerStaircase,
        fits=lambda asked: asked.epsilon > 0 and asked.steps > 1,
        make=lambda asked: IntegerStaircase(epsilon=asked.epsilon, sensitivity=asked.steps, cost=asked.cost),
        optimal=lambda asked: "" if asked.delta else "[G13] Thm 2.13",
    ),
)


def examples() -> tuple[IntegerStaircase, ...]:
    """A few of them, for the contract tests and the gallery."""
    return (
        IntegerStaircase(epsilon=1, sensitivity=3),
        IntegerStaircase(epsilon=Fraction(1, 10), sensitivity=4, cost="squared"),
        IntegerStaircase(epsilon=3, sensitivity=2),
    )
