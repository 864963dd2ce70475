"""What the Gaussian laws on the whole numbers share: a sigma that is calibrated or given, and its size."""

from typing import Self

from banister import need
from banister.core.exact.numbers import Number
from banister.core.laws.cost import Cost, CostLike
from banister.mechanisms.integers.integer_noise import IntegerNoise


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
