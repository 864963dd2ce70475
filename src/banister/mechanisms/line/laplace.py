"""Laplace noise, drawn exactly: the baseline on the real line that people know."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

import numpy as np
from flint import arb
from numpy.typing import NDArray

from banister import need
from banister.core.exact.numbers import BALL_BITS, Number, ball, precision
from banister.core.laws.cost import Cost, CostLike
from banister.core.laws.power_sums import power_of
from banister.core.privacy.loss import PrivacyLoss
from banister.mechanisms.integers.integer_noise import Integers
from banister.mechanisms.line.grid import Floats, Grid
from banister.mechanisms.line.line_noise import LineNoise, rounded_step, rounded_units
from banister.mechanisms.offers import HINT, Offer, Serves
from banister.sampling.bits import BitSource
from banister.sampling.rounded import ExponentialSize, Scale

_LAW = ExponentialSize()


@dataclass(frozen=True, slots=True, init=False)
class Laplace(LineNoise):
    """Add x with density (epsilon / 2Δ) · e^(-epsilon |x| / Δ), and round the sum to the grid.

    Private:  pure epsilon-DP; the release is the exact rounding of the ideal real-valued mechanism, so it gives away
              what that gives away and no more.
    Optimal:  no; the staircase has a smaller expected cost at every epsilon ([G13] Thm 2.4).

    >>> Laplace(epsilon=2, sensitivity=1).risk()
    0.5
    """

    moves_add_up: ClassVar[bool] = True

    epsilon: Fraction
    sensitivity: Fraction
    cost: Cost
    grid: Grid
    _steps: Scale = field(repr=False, compare=False)
    """The scale in steps of the grid."""

    def __init__(
        self,
        *,
        epsilon: Number,
        sensitivity: Number,
        cost: CostLike = "absolute",
        grid: Grid | Number | None = None,
    ) -> None:
        level, reach = need.level("epsilon", epsilon, HINT), need.size("sensitivity", sensitivity)
        if grid is None:
            grid = Grid.fine_for(reach / level)
        chosen = grid if isinstance(grid, Grid) else Grid(grid)
        chosen.power_of_two()
        values = (level, reach, Cost.of(cost), chosen, Scale(reach / level / chosen.step))
        for name, value in zip(self.__slots__, values, strict=True):
            object.__setattr__(self, name, value)

    @property
    def scale(self) -> float:
        return float(self.sensitivity / self.epsilon)

    def loss(self) -> PrivacyLoss:
        return PrivacyLoss.laplace(self.epsilon)

    def densities(self, x: Floats) -> Floats:
        return np.asarray(np.exp(-np.abs(x) / self.scale) / (2 * self.scale), dtype=np.float64)

    def beyond(self, size: Floats) -> Floats:
        return np.asarray(np.exp(-size / self.scale), dtype=np.float64)

    def size_at(self, tail: Fraction) -> float:
        with precision(BALL_BITS):
            return float(-ball(tail).log() * ball(self.sensitivity / self.epsilon)) if tail < 1 else 0.0

    def moment(self, exponent: Fraction, above: Fraction) -> arb:
        """scale^p Γ(p + 1, above/scale)."""
        scale = self.sensitivity / self.epsilon
        return power_of(ball(scale), exponent) * ball(above / scale).gamma_upper(ball(exponent + 1))

    def at_zero(self) -> arb:
        return arb(0)

    def draw_unit(self, answer: Number, bits: BitSource) -> int:
        return rounded_step(self.grid, answer, self._steps, _LAW, bits)

    def draw_units(self, answers: NDArray[np.generic], bits: BitSource) -> Integers:
        return rounded_units(self.grid, answers, self.sensitivity / self.epsilon, _LAW, bits)


OFFERS = (
    Offer(
        name="Laplace",
        serves=Serves.LINE,
        kind=Laplace,
        fits=lambda asked: asked.epsilon > 0,
        make=lambda asked: Laplace(epsilon=asked.epsilon, sensitivity=asked.sensitivity, cost=asked.cost),
    ),
)


def examples() -> tuple[Laplace, ...]:
    """A few of them, for the contract tests and the gallery."""
    return (
        Laplace(epsilon=1, sensitivity=1),
        Laplace(epsilon=Fraction(1, 10), sensitivity=20),
    )
