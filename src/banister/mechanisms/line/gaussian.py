"""Gaussian noise, calibrated exactly and drawn exactly."""

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

import numpy as np
from flint import arb
from numpy.typing import NDArray

from banister import need
from banister.core.exact.numbers import BALL_BITS, Number, ball, precision
from banister.core.exact.search import least_double
from banister.core.laws.cost import Cost, CostLike
from banister.core.laws.power_sums import power_of
from banister.core.privacy.loss import PrivacyLoss
from banister.mechanisms.integers.integer_noise import Integers
from banister.mechanisms.line.grid import Floats, Grid
from banister.mechanisms.line.line_noise import LineNoise, rounded_step, rounded_units
from banister.mechanisms.offers import HINT, Offer, Serves
from banister.sampling.bits import BitSource
from banister.sampling.rounded import NormalSize, Scale

_LAW = NormalSize()
_DOUBLES = Fraction(1, 10**290)


@dataclass(frozen=True, slots=True, init=False)
class Gaussian(LineNoise):
    """Add a normal number of standard deviation sigma, and round the sum to the grid.

    Private:  (epsilon, delta)-DP with the least sigma for which Φ(-epsilon/mu + mu/2) - e^epsilon Φ(-epsilon/mu - mu/2)
              ≤ delta, mu = sensitivity/sigma ([BW18] Thm 8), certified. The release is the exact rounding of the ideal
              mechanism, so many releases compose by adding mu², exactly.
    Optimal:  no; for one question the truncated staircase has 6 to 30 times less power. It wins over many questions.

    >>> round(Gaussian(epsilon=1, delta=1e-6, sensitivity=1).sigma ** 2, 2)
    17.85
    """

    moves_add_up: ClassVar[bool] = True

    sensitivity: Fraction
    sigma: float
    cost: Cost
    grid: Grid
    _steps: Scale = field(repr=False, compare=False)
    """The scale in steps of the grid."""

    def __init__(
        self,
        *,
        epsilon: Number,
        delta: Number,
        sensitivity: Number,
        cost: CostLike = "absolute",
        grid: Grid | Number | None = None,
    ) -> None:
        level = need.between("epsilon", epsilon, 0, need.LARGEST_EPSILON, HINT)
        chance = need.strictly_between("delta", delta, 0, 1, "Gaussian noise needs some delta; use Staircase for none.")
        reach = need.size("sensitivity", sensitivity)

        def private(sigma: Fraction) -> bool:
            return PrivacyLoss.gaussian((reach / sigma) ** 2).delta_at(level).up <= chance

        self._fix(reach, least_double(private, start=reach), cost, grid)

    @classmethod
    def with_sigma(
        cls,
        *,
        sigma: Number,
        sensitivity: Number,
        cost: CostLike = "absolute",
        grid: Grid | Number | None = None,
    ) -> "Gaussian":
        """Gaussian noise of a standard deviation of one's own; `loss` tells what it gives away."""
        made = cls.__new__(cls)
        spread = float(need.size("sigma", sigma))
        made._fix(need.size("sensitivity", sensitivity), spread, cost, grid)
        return made

    def _fix(self, sensitivity: Fraction, sigma: float, cost: CostLike, grid: Grid | Number | None) -> None:
        if grid is None:
            grid = Grid.fine_for(Fraction(sigma))
        chosen = grid if isinstance(grid, Grid) else Grid(grid)
        chosen.power_of_two()
        values = (sensitivity, sigma, Cost.of(cost), chosen, Scale(Fraction(sigma) / chosen.step))
        for name, value in zip(self.__slots__, values, strict=True):
            object.__setattr__(self, name, value)

    @property
    def scale(self) -> float:
        return self.sigma

    def loss(self) -> PrivacyLoss:
        return PrivacyLoss.gaussian((self.sensitivity / Fraction(self.sigma)) ** 2)

    def densities(self, x: Floats) -> Floats:
        return np.asarray(
            np.exp(-0.5 * (x / self.sigma) ** 2) / (self.sigma * math.sqrt(2 * math.pi)), dtype=np.float64
        )

    def beyond(self, size: Floats) -> Floats:
        from scipy.special import erfc

        return np.asarray(erfc(size / (self.sigma * math.sqrt(2))), dtype=np.float64)

    def size_at(self, tail: Fraction) -> float:
        if tail >= 1:
            return 0.0
        if tail > _DOUBLES:
            return _LAW.nearly_one(float(tail)) * self.sigma
        with precision(BALL_BITS):
            # P(|X| > x) ≤ e^(-x²/2) for the normal law: further out than doubles reach, the bound is near enough.
            return float((-2 * ball(tail).log()).sqrt()) * self.sigma

    def moment(self, exponent: Fraction, above: Fraction) -> arb:
        """(sigma √2)^p Γ((p + 1)/2, above²/2 sigma²) / √π."""
        spread = Fraction(self.sigma)
        beyond = ball((above / spread) ** 2 / 2).gamma_upper(ball((exponent + 1) / 2))
        return power_of(ball(spread) * arb(2).sqrt(), exponent) * beyond / arb.pi().sqrt()

    def at_zero(self) -> arb:
        return arb(0)

    def draw_unit(self, answer: Number, bits: BitSource) -> int:
        return rounded_step(self.grid, answer, self._steps, _LAW, bits)

    def draw_units(self, answers: NDArray[np.generic], bits: BitSource) -> Integers:
        return rounded_units(self.grid, answers, Fraction(self.sigma), _LAW, bits)


OFFERS = (
    Offer(
        name="Gaussian",
        serves=Serves.LINE,
        kind=Gaussian,
        fits=lambda asked: 0 < asked.delta < 1,
        make=lambda asked: Gaussian(
            epsilon=asked.epsilon, delta=asked.delta, sensitivity=asked.sensitivity, cost=asked.cost
        ),
    ),
)


def examples() -> tuple[Gaussian, ...]:
    """A few of them, for the contract tests and the gallery."""
    return (
        Gaussian(epsilon=1, delta=1e-6, sensitivity=1),
        Gaussian.with_sigma(sigma=8, sensitivity=Fraction(1, 2), cost="squared"),
    )
