"""Gaussian noise on the integers, calibrated and drawn exactly."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from flint import arb

from banister import need
from banister.core.composition.discrete import hockey_stick
from banister.core.exact.numbers import Bracket, Number, exp_ball
from banister.core.exact.search import least_double
from banister.core.laws.cost import Cost, CostLike
from banister.core.laws.gaussian_sum import gaussian_total
from banister.core.privacy.loss import PrivacyLoss
from banister.mechanisms.integers.integer_gaussian import IntegerGaussian
from banister.mechanisms.integers.integer_noise import Floats, Integers
from banister.mechanisms.offers import HINT, Offer, Serves
from banister.sampling.bits import BitSource
from banister.sampling.gaussian import discrete_gaussian_draw

_SUMMED = 1 << 12


@dataclass(frozen=True, slots=True, init=False)
class DiscreteGaussian(IntegerGaussian):
    """Add i with P(i) ∝ e^(-i² / 2 sigma²).

    Private:  (epsilon, delta)-DP with the least sigma for which P(i > t - Δ/2) - e^epsilon P(i > t + Δ/2) ≤ delta,
              t = epsilon sigma²/Δ ([CKS20] Thm 7), the sums certified. The law is log-concave, so the shift Δ is the
              worst.
    Optimal:  no; for one question the truncated staircase is better by far. It wins over many questions.

    >>> round(DiscreteGaussian(epsilon=1, delta=1e-6, sensitivity=1).sigma, 3)
    4.231
    """

    moves_add_up: ClassVar[bool] = True

    sensitivity: int
    sigma: float
    cost: Cost

    def __init__(self, *, epsilon: Number, delta: Number, sensitivity: Number, cost: CostLike = "absolute") -> None:
        level = need.between("epsilon", epsilon, 0, need.LARGEST_EPSILON, HINT)
        chance = need.strictly_between("delta", delta, 0, 1, "Use IntegerStaircase for delta = 0.")
        reach = need.whole("sensitivity", sensitivity, least=1)

        def private(sigma: Fraction) -> bool:
            return Bracket.of_ball(hockey_stick(sigma, reach, level)).up <= chance

        self._fix(reach, least_double(private, start=Fraction(reach)), cost)

    def _fix(self, sensitivity: int, sigma: float, cost: CostLike) -> None:
        IntegerGaussian._fix(self, sensitivity, sigma, cost)  # `super()` is lost where slots make the class anew.
        discrete_gaussian_draw(self._variance())

    def loss(self) -> PrivacyLoss:
        return PrivacyLoss.discrete_gaussian(sigma=Fraction(self.sigma), sensitivity=self.sensitivity)

    def mass_ball(self, value: int) -> arb:
        return exp_ball(-(Fraction(value) ** 2) / (2 * self._variance())) / gaussian_total(Fraction(self.sigma))

    def at_least(self, size: Floats) -> Floats:
        if self.sigma * 40 < _SUMMED:
            sizes = np.arange(_SUMMED, dtype=np.float64)
            weights = np.exp(-0.5 * (sizes / self.sigma) ** 2)
            weights[1:] *= 2
            tails = np.append(np.cumsum(weights[::-1])[::-1] / weights.sum(), 0.0)
            return tails[np.clip(size, 0, _SUMMED).astype(np.int64)]
        from scipy.special import erfc

        return np.where(size <= 0, 1.0, erfc((size - 0.5) / (self.sigma * np.sqrt(2))))

    def draw(self, bits: BitSource) -> int:
        return discrete_gaussian_draw(self._variance()).draw(bits)

    def draw_many(self, count: int, bits: BitSource) -> Integers:
        return discrete_gaussian_draw(self._variance()).draw_many(count, bits)

    def _variance(self) -> Fraction:
        return Fraction(self.sigma) ** 2


OFFERS = (
    Offer(
        name="discrete Gaussian",
        serves=Serves.INTEGERS,
        kind=DiscreteGaussian,
        fits=lambda asked: 0 < asked.delta < 1,
        make=lambda asked: DiscreteGaussian(
            epsilon=asked.epsilon, delta=asked.delta, sensitivity=asked.steps, cost=asked.cost
        ),
    ),
)


def examples() -> tuple[DiscreteGaussian, ...]:
    """A few of them, for the contract tests and the gallery."""
    return (
        DiscreteGaussian(epsilon=1, delta=1e-6, sensitivity=1),
        DiscreteGaussian.with_sigma(sigma=30, sensitivity=3, cost="squared"),
    )
