"""Any noise for whole numbers, put to work on the real line."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from banister.core.exact.numbers import Number
from banister.core.laws.cost import Cost, CostLike
from banister.core.privacy.loss import PrivacyLoss
from banister.mechanisms.integers.integer_noise import IntegerNoise, Integers
from banister.mechanisms.integers.truncated_staircase import TruncatedStaircase
from banister.mechanisms.integers.uniform import Uniform
from banister.mechanisms.line.grid import Floats, Grid
from banister.mechanisms.line.line_noise import LineNoise
from banister.mechanisms.offers import AnyNoise, Offer
from banister.sampling.bits import BitSource


@dataclass(frozen=True, slots=True, init=False)
class OnGrid(LineNoise):
    """Round the answer to the grid and add integer noise, counted in steps of the grid.

    Private:  as the integer noise is, when its sensitivity is at least ⌈sensitivity / step⌉: rounded answers of
              neighbours differ by at most that (`Grid.units_of_sensitivity`).

    >>> grid = Grid("1/100")
    >>> steps = grid.units_of_sensitivity(Fraction(1))
    >>> noise = OnGrid(TruncatedStaircase(epsilon=1, delta=1e-6, sensitivity=steps, cost="squared"), grid)
    >>> round(noise.risk_for("squared"), 3)
    1.918
    """

    noise: IntegerNoise
    grid: Grid
    cost: Cost

    def __init__(self, noise: IntegerNoise, grid: Grid, *, cost: CostLike = "absolute") -> None:
        for name, value in zip(self.__slots__, (noise, grid, Cost.of(cost)), strict=True):
            object.__setattr__(self, name, value)

    @property
    def scale(self) -> float:
        return self.noise.scale * float(self.grid.step)

    def loss(self) -> PrivacyLoss:
        return self.noise.loss()

    def densities(self, x: Floats) -> Floats:
        """The mass of the nearest multiple of the step, spread evenly over it."""
        tails = self.noise.at_least(np.abs(np.floor(x / float(self.grid.step) + 0.5)))
        after = self.noise.at_least(np.abs(np.floor(x / float(self.grid.step) + 0.5)) + 1)
        sides = np.where(np.abs(x) < float(self.grid.step) / 2, 1.0, 2.0)
        return np.asarray((tails - after) / sides / float(self.grid.step), dtype=np.float64)

    def beyond(self, size: Floats) -> Floats:
        return self.noise.at_least(np.floor(size / float(self.grid.step)) + 1)

    def size_at(self, tail: float) -> float:
        return self.noise.interval(1 - Fraction(tail)) * float(self.grid.step) if tail < 1 else 0.0

    def known_risk(self, cost: Cost) -> float | None:
        if cost.exponent is None:
            return self.noise.risk_for(cost.in_units(self.grid.step))
        return self.noise.risk_for(cost) * float(float(self.grid.step) ** float(cost.exponent))

    def draw_unit(self, answer: Number, bits: BitSource) -> int:
        return self.grid.unit(answer) + self.noise.draw(bits)

    def draw_units(self, answers: NDArray[np.generic], bits: BitSource) -> Integers:
        return self.grid.units(answers) + self.noise.draw_many(answers.size, bits)


OFFERS: tuple[Offer[AnyNoise], ...] = ()
"""Whatever noise for whole numbers says `on_grid` is offered by it; it has none of its own."""


def examples() -> tuple[OnGrid, ...]:
    """A few of them, for the contract tests and the gallery."""
    return (
        OnGrid(TruncatedStaircase(epsilon=1, delta=1e-6, sensitivity=100), Grid("1/100")),
        OnGrid(Uniform(delta=Fraction(1, 10), sensitivity=8), Grid(Fraction(1, 8)), cost="squared"),
    )
