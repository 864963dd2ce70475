"""Any noise for whole numbers, put to work on the real line."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb
from numpy.typing import NDArray

from banister import need
from banister.core.exact.numbers import Number, ball, brief
from banister.core.laws.cost import Cost, CostLike
from banister.core.laws.power_sums import power_of
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue
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
    sensitivity: Fraction
    """How far a neighbour moves the answer before it is rounded; as far as the noise allows where nothing is said."""

    def __init__(
        self, noise: IntegerNoise, grid: Grid, *, cost: CostLike = "absolute", sensitivity: Number | None = None
    ) -> None:
        most = noise.sensitivity * grid.step
        reach = most if sensitivity is None else need.size("sensitivity", sensitivity)
        if reach > most:
            raise BadValue(
                f"sensitivity = {brief(reach)} is more than {noise.sensitivity} steps of {brief(grid.step)}, which the "
                "noise is made for. Give noise of a larger sensitivity, or a coarser grid."
            )
        for name, value in zip(self.__slots__, (noise, grid, Cost.of(cost), reach), strict=True):
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

    def size_at(self, tail: Fraction) -> float:
        return self.noise.interval(1 - tail) * float(self.grid.step) if tail < 1 else 0.0

    def risk_for(self, cost: CostLike) -> float:
        """The expected cost of the noise, in steps of the grid, that is added to the rounded answer."""
        return self.noise.risk_for(Cost.of(cost).in_units(self.grid.step))

    def moment(self, exponent: Fraction, above: Fraction) -> arb | None:
        return moment_on_grid(self.noise, self.grid, exponent, above)

    def at_zero(self) -> arb:
        return self.noise.mass_ball(0)

    def counts_once(self, touched: int) -> bool:
        """Where moves add up in whole steps, and the noise covers what rounding so many coordinates adds to them."""
        needed = self.grid.units_of_sensitivity(self.sensitivity) + touched - 1
        return self.noise.counts_once(touched) and needed <= self.noise.sensitivity

    def draw_unit(self, answer: Number, bits: BitSource) -> int:
        return self.grid.unit(answer) + self.noise.draw(bits)

    def draw_units(self, answers: NDArray[np.generic], bits: BitSource) -> Integers:
        return self.grid.units(answers) + self.noise.draw_many(answers.size, bits)


def moment_on_grid(noise: IntegerNoise, grid: Grid, exponent: Fraction, above: Fraction) -> arb | None:
    """The moment of noise that is counted in steps of the grid."""
    found = noise.moment(exponent, above / grid.step)
    return None if found is None else power_of(ball(grid.step), exponent) * found


OFFERS: tuple[Offer[AnyNoise], ...] = ()
"""Whatever noise for whole numbers says `on_grid` is offered by it; it has none of its own."""


def examples() -> tuple[OnGrid, ...]:
    """A few of them, for the contract tests and the gallery."""
    return (
        OnGrid(TruncatedStaircase(epsilon=1, delta=1e-6, sensitivity=100), Grid("1/100")),
        OnGrid(Uniform(delta=Fraction(1, 10), sensitivity=8), Grid(Fraction(1, 8)), cost="squared"),
    )
