"""Gaussian noise rounded to whole numbers: the account of the ideal mechanism, for counts and sums."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from flint import arb

from banister import need
from banister.core.exact.numbers import Number, ball
from banister.core.laws.cost import Cost, CostLike
from banister.core.privacy.loss import PrivacyLoss
from banister.mechanisms.integers.integer_gaussian import IntegerGaussian
from banister.mechanisms.integers.integer_noise import Floats, Integers
from banister.mechanisms.line.gaussian import Gaussian
from banister.mechanisms.offers import Offer, Serves
from banister.sampling.bits import BitSource
from banister.sampling.rounded import NormalSize, rounded_many, rounded_one

_LAW = NormalSize()


@dataclass(frozen=True, slots=True, init=False)
class RoundedGaussian(IntegerGaussian):
    """Add i = ⌊sigma X + 1/2⌋, X normal; drawn exactly.

    Private:  a whole answer plus i is the rounding of the answer plus sigma X, so whatever Gaussian noise of that sigma
              keeps is kept, by post-processing: (epsilon, delta)-DP as `Gaussian`, and mu² that add up over answers of
              which a neighbour moves several, (L2 sensitivity / sigma)² in all ([BW18] Thm 8).
    Optimal:  no; it wins where one person moves many answers. Rounding adds 1/12 to the variance.

    >>> round(RoundedGaussian(epsilon=1, delta=1e-6, sensitivity=1).risk_for("squared"), 2)
    17.93
    """

    moves_add_up: ClassVar[bool] = True

    sensitivity: int
    sigma: float
    cost: Cost

    def __init__(self, *, epsilon: Number, delta: Number, sensitivity: Number, cost: CostLike = "absolute") -> None:
        reach = need.whole("sensitivity", sensitivity, least=1)
        self._fix(reach, Gaussian(epsilon=epsilon, delta=delta, sensitivity=reach).sigma, cost)

    def loss(self) -> PrivacyLoss:
        """Upper bound: the loss before rounding."""
        return PrivacyLoss.gaussian((self.sensitivity / Fraction(self.sigma)) ** 2)

    def tail_ball(self, k: int) -> arb:
        """P(noise ≥ k) for k ≥ 1, certified."""
        return (ball((k - Fraction(1, 2)) / Fraction(self.sigma)) / arb(2).sqrt()).erfc() / 2

    def mass_ball(self, value: int) -> arb:
        if value == 0:
            return 1 - 2 * self.tail_ball(1)
        return self.tail_ball(abs(value)) - self.tail_ball(abs(value) + 1)

    def at_least(self, size: Floats) -> Floats:
        from scipy.special import erfc

        return np.where(size <= 0, 1.0, erfc((size - 0.5) / (self.sigma * math.sqrt(2))))

    def risk_for(self, cost: CostLike) -> float:
        """The expected cost; the variance is sigma² + 1/12 + Σ_k (-1)^k e^(-2 (π k sigma)²) (4 sigma² + 1/(π k)²).

        This is Poisson's sum over k = 1, 2, …, below 1e-33 from sigma = 2 on, so that no double holds it;
        it begins below 0, so that leaving it out rounds up.
        """
        if Cost.of(cost).exponent == 2 and self.sigma >= 2:
            return math.nextafter(float(Fraction(self.sigma) ** 2 + Fraction(1, 12)), math.inf)
        return IntegerGaussian.risk_for(self, cost)

    def draw(self, bits: BitSource) -> int:
        return rounded_one(Fraction(0), Fraction(self.sigma), _LAW, bits)

    def draw_many(self, count: int, bits: BitSource) -> Integers:
        return rounded_many(np.zeros(count), Fraction(self.sigma), _LAW, bits)


OFFERS = (
    Offer(
        name="rounded Gaussian",
        serves=Serves.INTEGERS,
        kind=RoundedGaussian,
        fits=lambda asked: 0 < asked.delta < 1,
        make=lambda asked: RoundedGaussian(
            epsilon=asked.epsilon, delta=asked.delta, sensitivity=asked.steps, cost=asked.cost
        ),
    ),
)


def examples() -> tuple[RoundedGaussian, ...]:
    """A few of them, for the contract tests and the gallery."""
    return (
        RoundedGaussian(epsilon=1, delta=1e-6, sensitivity=1),
        RoundedGaussian.with_sigma(sigma=Fraction(1, 2), sensitivity=2, cost="squared"),
    )
