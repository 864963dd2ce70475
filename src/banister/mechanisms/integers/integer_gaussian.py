"""What the Gaussian laws on the whole numbers share: a sigma that is calibrated or given, and its size."""

from fractions import Fraction
from typing import Self

from flint import arb, ctx

from banister import need
from banister.core.exact.numbers import Number, ball, exp_ball
from banister.core.laws.cost import Cost, CostLike
from banister.core.laws.power_sums import power_of
from banister.mechanisms.integers.integer_noise import IntegerNoise

_SUMMED = 16
"""Up to this sigma the masses are added up in certified arithmetic; beyond, the figures are numerical."""


class IntegerGaussian(IntegerNoise):
    """Noise on the whole numbers with a sigma. Those who inherit have the slots sensitivity, sigma and cost."""

    __slots__ = ()

    sigma: float

    @classmethod
    def with_sigma(cls, *, sigma: Number, sensitivity: Number, cost: CostLike = "absolute") -> Self:
        """The law of a sigma of one's own; `loss` tells what it gives away."""
        made = cls.__new__(cls)
        made._fix(need.whole("sensitivity", sensitivity, least=1), float(need.size("sigma", sigma)), cost)
        return made

    def _fix(self, sensitivity: int, sigma: float, cost: CostLike) -> None:
        for name, value in (("sensitivity", sensitivity), ("sigma", sigma), ("cost", Cost.of(cost))):
            object.__setattr__(self, name, value)

    @property
    def scale(self) -> float:
        return max(1.0, self.sigma / 2)

    def moment(self, exponent: Fraction, above: Fraction) -> arb | None:
        """The masses one by one, and a geometric series over what is left; None where they are too many.

        Exact:  P(i + 1) ≤ e^(-i/sigma²) P(i) for i ≥ 1, for the law on the integers and for the rounded one.
        """
        if self.sigma > _SUMMED:
            return None
        total, i, spread = arb(0), int(above) + 1, Fraction(self.sigma) ** 2
        while True:
            term = 2 * self.mass_ball(i) * power_of(arb(i), exponent)
            total += term
            ratio = exp_ball(-i / spread) * power_of(ball(Fraction(i + 1, i)), exponent)
            if ratio < 0.9 and term * ratio / (1 - ratio) < total * arb(2) ** (-ctx.prec // 2):
                left = (term * ratio / (1 - ratio)).upper()
                return total + arb(left / 2, left / 2)
            i += 1
