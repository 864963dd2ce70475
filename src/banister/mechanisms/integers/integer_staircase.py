"""Staircase noise on the integers: the least expected cost that pure differential privacy allows."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb

from banister import need
from banister.core.exact.numbers import BALL_BITS, Number, exp_ball, precision
from banister.core.exact.search import halved
from banister.core.laws.cost import Cost, CostLike
from banister.core.laws.expectation import expected_cost_on_integers, periodic_sum
from banister.core.laws.staircases import best_step, stair_moment, stair_peak
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

    def moment(self, exponent: Fraction, above: Fraction) -> arb:
        return stair_moment(self.epsilon, self.sensitivity, self.step_width, exponent, above)

    def draw(self, bits: BitSource) -> int:
        return self._sampler().draw(bits)

    def draw_many(self, count: int, bits: BitSource) -> Integers:
        return self._sampler().draw_many(count, bits)

    def _sampler(self) -> StaircaseDraw:
        return staircase_draw(self.epsilon, self.sensitivity, self.step_width)

    def _peak(self) -> arb:
        """a = (1 - b) / (2r + 2b(Δ - r) - (1 - b)), the mass at 0."""
        return stair_peak(self.epsilon, self.sensitivity, self.step_width)


def best_step_width(epsilon: Fraction, sensitivity: int, cost: Cost) -> int:
    """The r from 1 to Δ with the least expected cost, by bisection in O(log Δ) steps.

    The cost V_r is quasi-convex in r and V_(r+1) ≥ V_r exactly when (1 - b) w_r ≥ V_r, w_r = Σ_k b^k L(r + kΔ). For a
    cost that is written exactly the comparison is certified; for a function of a user's it is one of doubles.
    """
    if cost.pieces is not None:
        return best_step(epsilon, sensitivity, cost.pieces)
    one_minus_b = -np.expm1(-float(epsilon))

    def rising(r: int) -> bool:
        w = periodic_sum(cost, float(r), period=float(sensitivity), decay=float(epsilon))
        return bool(one_minus_b * w >= _risk(epsilon, sensitivity, r, cost))

    return halved(rising, 0, sensitivity)[1]


def least_step_of(widths: set[int], epsilon: Fraction, sensitivity: int, cost: Cost) -> int:
    """The one of a few widths with the least expected cost, judged in doubles."""
    return min(sorted(widths), key=lambda width: _risk(epsilon, sensitivity, width, cost))


def two_sided_tail(size: Floats, epsilon: float, period: float, step: float) -> Floats:
    """P(|Z| ≥ size) of the staircase law on the integers, in doubles; every term is positive, so nothing cancels."""
    one_minus_b = -np.expm1(-epsilon)
    b = np.exp(-epsilon)
    weight = step + b * (period - step)
    peak = one_minus_b / (2 * step - 1 + b * (2 * (period - step) + 1))
    k = np.floor(size / period)
    j = size - k * period
    left = np.maximum(step - j, 0) + b * (period - np.maximum(j, step)) + b * weight / one_minus_b
    return np.where(size <= 0, 1.0, np.minimum(2 * peak * np.exp(-epsilon * k) * left, 1.0))


def _risk(epsilon: Fraction, sensitivity: int, r: int, cost: Cost) -> float:
    def tail(size: Floats) -> Floats:
        return two_sided_tail(size, float(epsilon), float(sensitivity), float(r))

    return expected_cost_on_integers(cost, tail, scale=float(sensitivity / min(epsilon, Fraction(1))))


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
