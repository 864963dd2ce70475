"""Staircase noise on the real line: the least expected cost that pure differential privacy allows."""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb
from numpy.typing import NDArray

from banister import need
from banister.core.exact.numbers import Number, ball
from banister.core.exact.search import between, halved
from banister.core.laws.cost import Cost, CostLike
from banister.core.laws.expectation import Remembered, expected_cost_on_line, periodic_sum
from banister.core.laws.power_sums import power_of
from banister.core.laws.staircases import best_gamma_between
from banister.core.privacy.loss import PrivacyLoss
from banister.mechanisms.integers.integer_noise import Integers
from banister.mechanisms.integers.integer_staircase import IntegerStaircase, best_step_width, least_step_of
from banister.mechanisms.line.grid import Floats, Grid
from banister.mechanisms.line.line_noise import LineNoise
from banister.mechanisms.offers import HINT, Offer, Serves
from banister.sampling.bits import BitSource

_FEW = 64
_DOUBLINGS = 60
_ROOM = Fraction(1, 1 << 28)
"""What a step may not be finer than, in 2^-20 of sensitivity/epsilon, so that a thousand times it fits 64 bits."""


@dataclass(frozen=True, slots=True, init=False)
class Staircase(LineNoise):
    """Add x with density a b^k where u < gamma, and a b^(k+1) elsewhere; |x| = (k + u)·sensitivity, b = e^-epsilon.

    Private:  pure epsilon-DP when neighbours move the answer by at most the sensitivity. Every gamma is private; it is
              chosen for accuracy alone. The release is on a grid, by the staircase on the integers, so it is exactly
              epsilon-private and not only in real arithmetic (docs/math/staircase.md).
    Optimal:  with the best gamma, least expected cost among all noises that ignore the answer, for the cost it is
              made for ([G13] Thm 2.4). On a grid the best step of that grid is taken ([G13] Thm 2.13), and `risk` and
              `interval` are those of the law that is drawn; where the grid divides the sensitivity the noise itself
              costs no more than the ideal for |x|, and rounding the answer adds at most half a step to an error.

    >>> noise = Staircase(epsilon=1, sensitivity=1, cost="absolute")
    >>> round(noise.gamma, 5), round(noise.risk(), 5)
    (0.37754, 0.95952)
    """

    epsilon: Fraction
    sensitivity: Fraction
    gamma: float
    """Where the step of the ideal law on the line lies; what is drawn has `lattice.step_width` steps of the grid."""
    cost: Cost
    grid: Grid
    lattice: IntegerStaircase
    """The law that is really drawn, in steps of the grid."""

    def __init__(
        self,
        *,
        epsilon: Number,
        sensitivity: Number,
        cost: CostLike = "absolute",
        grid: Grid | Number | None = None,
    ) -> None:
        level, reach = _checked(epsilon, sensitivity)
        chosen, place = Cost.of(cost), _grid(level, reach, grid)
        steps = place.units_of_sensitivity(reach)
        gamma = best_gamma(level, reach, chosen)
        if chosen.certified or steps <= _FEW:
            width = best_step_width(level, steps, chosen.in_units(place.step))
        else:  # On so many steps a cost of which only values are known cannot tell one from the next.
            exact = Fraction(gamma) * steps
            # Where all gammas are equal on the line, the grid decides, and an end of the steps is best.
            near = {1, min(max(1, math.floor(exact)), steps), min(math.ceil(exact), steps), steps}
            width = least_step_of(near, level, steps, chosen.in_units(place.step))
        self._fix(level, reach, gamma, chosen, place, width)

    @classmethod
    def with_gamma(
        cls,
        *,
        epsilon: Number,
        sensitivity: Number,
        gamma: Number,
        cost: CostLike = "absolute",
        grid: Grid | Number | None = None,
    ) -> "Staircase":
        """The staircase with a gamma of one's own, from 0 to 1, rounded to whole steps of the grid."""
        level, reach = _checked(epsilon, sensitivity)
        part, place = need.between("gamma", gamma, 0, 1), _grid(level, reach, grid)
        steps = place.units_of_sensitivity(reach)
        made = cls.__new__(cls)
        made._fix(level, reach, float(part), Cost.of(cost), place, min(max(1, round(part * steps)), steps))
        return made

    def _fix(self, epsilon: Fraction, sensitivity: Fraction, gamma: float, cost: Cost, grid: Grid, width: int) -> None:
        steps = grid.units_of_sensitivity(sensitivity)
        lattice = IntegerStaircase.with_step(epsilon=epsilon, sensitivity=steps, step_width=width)
        values = (epsilon, sensitivity, gamma, cost, grid, lattice)
        for name, value in zip(self.__slots__, values, strict=True):
            object.__setattr__(self, name, value)

    @property
    def scale(self) -> float:
        return float(self.sensitivity / min(self.epsilon, Fraction(1)))

    def loss(self) -> PrivacyLoss:
        """That of the staircase on the grid: ±epsilon and 0."""
        return self.lattice.loss()

    def densities(self, x: Floats) -> Floats:
        """The mass of the nearest multiple of the step, spread evenly over it."""
        step = float(self.grid.step)
        at = np.abs(np.floor(x / step + 0.5))
        period, epsilon = self.lattice.sensitivity, float(self.epsilon)
        k = np.floor(at / period)
        level = k + (at - k * period >= self.lattice.step_width)
        return np.asarray(self.lattice.mass(0) / step * np.exp(-epsilon * level), dtype=np.float64)

    def beyond(self, size: Floats) -> Floats:
        return self.lattice.at_least(np.floor(size / float(self.grid.step)) + 1)

    def size_at(self, tail: Fraction) -> float:
        return self.lattice.interval(1 - tail) * float(self.grid.step) if tail < 1 else 0.0

    def risk_for(self, cost: CostLike) -> float:
        """The expected cost of the noise that is drawn, in steps of the grid, and added to the rounded answer."""
        return self.lattice.risk_for(Cost.of(cost).in_units(self.grid.step))

    def moment(self, exponent: Fraction, above: Fraction) -> arb:
        return power_of(ball(self.grid.step), exponent) * self.lattice.moment(exponent, above / self.grid.step)

    def at_zero(self) -> arb:
        return self.lattice.mass_ball(0)

    def draw_unit(self, answer: Number, bits: BitSource) -> int:
        return self.grid.unit(answer) + self.lattice.draw(bits)

    def draw_units(self, answers: NDArray[np.generic], bits: BitSource) -> Integers:
        return self.grid.units(answers) + self.lattice.draw_many(answers.size, bits)


def _grid(epsilon: Fraction, sensitivity: Fraction, grid: Grid | Number | None) -> Grid:
    if grid is None:
        return default_grid(epsilon, sensitivity)
    return grid if isinstance(grid, Grid) else Grid(grid)


def default_grid(epsilon: Fraction, sensitivity: Fraction) -> Grid:
    """A grid so fine that neither rounding nor the whole number of steps in the sensitivity is felt.

    The error of the best staircase is about sensitivity / (2 sinh(epsilon/2)); the step is a millionth of it, and of
    the sensitivity, but no finer than what 64-bit integers can hold.
    """
    magnitude = Fraction(1 / (2 * math.sinh(min(float(epsilon), 80.0) / 2)))
    roomy = Fraction(_ROOM) / min(epsilon, Fraction(1))
    return Grid.fine_for(sensitivity * max(min(magnitude, Fraction(1)), roomy))


def best_gamma(epsilon: Fraction, sensitivity: Fraction, cost: Cost) -> float:
    """The gamma of least expected cost, for any admissible cost.

    |x|:    1 / (1 + e^(epsilon/2))                                       ([G13] Thm 2.5)
    x²:     ((b(1 + b)/2)^(1/3) - b) / (1 - b)                            ([G13] Thm 2.7, simplified)
    else:   V is quasi-convex in gamma and rises exactly where (1 - b) W(gamma) ≥ V(gamma): bisection, in certified
            arithmetic where the cost is written exactly, and in doubles for a function of a user's.
    """
    level = float(epsilon)
    if cost.exponent == 1:
        return 1 / (1 + math.exp(level / 2))
    if cost.exponent == 2:
        return math.exp(-level) * math.expm1((math.log1p(math.expm1(-level) / 2) + 2 * level) / 3) / -math.expm1(-level)
    if cost.pieces is not None:
        return float(between(*best_gamma_between(epsilon, cost.pieces.in_units(sensitivity))))
    period = float(sensitivity)
    cost = Cost(cost.name, Remembered(cost.size))

    def value(gamma: float) -> float:
        scale = period / min(level, 1.0)
        return expected_cost_on_line(cost, lambda x: _tail(x, epsilon, sensitivity, gamma), scale=scale)

    def rises(gamma: float) -> bool:
        w = periodic_sum(cost, gamma * period, period=period, decay=level)
        return bool(-math.expm1(-level) * w >= value(gamma))

    # To neighbouring doubles: at a large epsilon a jump of the cost costs e^epsilon times as much on its other side.
    return min(halved(rises, 0.0, 1.0, rounds=_DOUBLINGS), key=value)


def _tail(size: Floats, epsilon: Fraction, sensitivity: Fraction, gamma: float) -> Floats:
    """P(|X| > size)."""
    b, one_minus_b = math.exp(-epsilon), -math.expm1(-epsilon)
    periods = size / float(sensitivity)
    k = np.floor(periods)
    u = periods - k
    share = gamma + b * (1 - gamma)
    left = np.maximum(gamma - u, 0) + b * (1 - np.maximum(u, gamma)) + b * share / one_minus_b
    return np.asarray(np.exp(-float(epsilon) * k) * left * one_minus_b / share, dtype=np.float64)


def _checked(epsilon: Number, sensitivity: Number) -> tuple[Fraction, Fraction]:
    return need.level("epsilon", epsilon, HINT), need.size("sensitivity", sensitivity)


OFFERS = (
    Offer(
        name="staircase",
        serves=Serves.LINE,
        kind=Staircase,
        fits=lambda asked: asked.epsilon > 0,
        make=lambda asked: Staircase(epsilon=asked.epsilon, sensitivity=asked.sensitivity, cost=asked.cost),
        optimal=lambda asked: "" if asked.delta else "[G13] Thm 2.4",
    ),
)


def examples() -> tuple[Staircase, ...]:
    """A few of them, for the contract tests and the gallery."""
    return (
        Staircase(epsilon=1, sensitivity=1),
        Staircase(epsilon=5, sensitivity=Fraction(1, 10), cost="squared"),
        Staircase(epsilon=Fraction(1, 2), sensitivity=3, cost=1.5),
    )
