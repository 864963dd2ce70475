"""Staircase noise for vectors of real numbers, where neighbours move the sum of the sizes; released on a grid."""

import math
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from banister import need
from banister.core.exact.numbers import BALL_BITS, Bracket, Number, ball, exp_ball, precision
from banister.core.laws.cost import Cost, CostLike
from banister.core.laws.moments import shifted_moments
from banister.core.laws.pieces import bracket
from banister.core.privacy.loss import PrivacyLoss
from banister.mechanisms.integers.integer_noise import Integers
from banister.mechanisms.line.grid import Floats, Grid, finite_answers
from banister.mechanisms.offers import HINT, NoiseQuestion, Offer, Serves
from banister.mechanisms.vectors.integer_vector_staircase import (
    LARGEST_DIMENSION,
    IntegerVectorStaircase,
    lattice_risk,
    vectors_of,
)
from banister.mechanisms.vectors.radial import best_gamma, exponent_of, norm_tail, radial_risk
from banister.sampling.bits import SYSTEM, BitSource
from banister.sampling.lattice import farthest_period


@dataclass(frozen=True, slots=True, init=False)
class VectorStaircase:
    """Add X in R^d with density a b^(⌊‖X‖₁/Δ - gamma⌋ + 1), b = e^-epsilon; what is released is on a grid.

    Private:  pure epsilon-DP when neighbours move the vector by at most Δ in the l1 norm ([G13] Thm 3.1). The
              release rounds each coordinate to the grid and adds `lattice`, noise in whole steps for the larger
              sensitivity that the rounding may cause, so it is private exactly (see `units_of_vector_sensitivity`).
    Optimal:  d = 2 and the cost "absolute", among all noises that ignore the answer ([G13] Thm 3.1); d > 2 is
              conjectured ([K16] sec. 2.3). gamma is the global optimum of the family for either cost.

    The cost is "absolute" (Σ|Xᵢ|) or "squared" (Σ Xᵢ²) of the whole vector. `risk` and `interval` are those of the
    noise that is drawn; the grid of its own choice is so fine that they differ from the ideal by less than 0.01 %.

    >>> noise = VectorStaircase(epsilon=5, sensitivity=1, dimension=2)
    >>> round(noise.gamma, 5), round(noise.risk(), 6)
    (0.22987, 0.265511)
    """

    epsilon: Fraction
    sensitivity: Fraction
    dimension: int
    gamma: float
    cost: Cost
    grid: Grid
    lattice: IntegerVectorStaircase
    """The noise that is drawn, in steps of the grid."""

    def __init__(
        self,
        *,
        epsilon: Number,
        sensitivity: Number,
        dimension: Number,
        cost: CostLike = "absolute",
        grid: Grid | Number | None = None,
    ) -> None:
        level = need.level("epsilon", epsilon, HINT)
        reach = need.size("sensitivity", sensitivity)
        size = need.whole("dimension", dimension, least=1, most=LARGEST_DIMENSION)
        chosen = Cost.of(cost)
        gamma = best_gamma(level, size, exponent_of(chosen))
        if grid is None:
            grid = _fine_grid(level, reach, size)
        place = grid if isinstance(grid, Grid) else Grid(grid)
        steps = units_of_vector_sensitivity(place, reach, size)
        drawn = IntegerVectorStaircase(epsilon=level, sensitivity=steps, dimension=size, cost=chosen)
        for name, value in zip(self.__slots__, (level, reach, size, gamma, chosen, place, drawn), strict=True):
            object.__setattr__(self, name, value)

    def loss(self) -> PrivacyLoss:
        """Upper bound: any epsilon-private release; the exact loss of one pair of neighbours is not larger."""
        return PrivacyLoss.pure(self.epsilon)

    def density(self, x: Floats | list[float] | tuple[float, ...]) -> float:
        """The density of the ideal noise at one vector: (1 / vol Δ^d S_d(gamma)) b^(⌊‖x‖₁/Δ - gamma⌋ + 1)."""
        point = finite_answers(vectors_of(x, self.dimension))
        norm = sum((abs(Fraction(t)) for t in point.ravel().tolist()), Fraction(0))
        level = math.floor(norm / self.sensitivity - Fraction(self.gamma)) + 1
        with precision(BALL_BITS):
            return float(self._peak() * exp_ball(-self.epsilon * level))

    def norm_beyond(self, size: Number) -> float:
        """P(‖X‖₁ > size) of the ideal noise."""
        at = need.exact("size", size) / self.sensitivity
        return 1.0 if at <= 0 else norm_tail(self.epsilon, self.dimension, self.gamma, at)

    def interval(self, confidence: Number) -> float:
        """How far off a released vector is at most in the l1 norm, with that probability; rounding included."""
        return float((self.lattice.interval(confidence) + Fraction(self.dimension, 2)) * self.grid.step)

    def risk(self) -> float:
        """The expected cost of the noise vector that is drawn, for the cost that the mechanism was made for."""
        return self.risk_for(self.cost)

    def risk_for(self, cost: CostLike) -> float:
        """The expected cost of the noise vector that is drawn: "absolute" (Σ|Xᵢ|) or "squared" (Σ Xᵢ²)."""
        return self.risk_bracket(cost).up

    def risk_bracket(self, cost: CostLike) -> Bracket:
        """Two doubles with the expected cost between them, proven."""
        exponent = exponent_of(Cost.of(cost))
        step, lattice = self.grid.step**exponent, self.lattice
        size, reach, width = self.dimension, lattice.sensitivity, lattice.step_width
        return bracket(lambda: ball(step) * lattice_risk(self.epsilon, reach, size, width, exponent))

    def release(self, answer: Floats | Integers | list[float] | tuple[float, ...], bits: BitSource = SYSTEM) -> Floats:
        """The answer with noise: one vector of d numbers, or an array of n vectors, n × d, at once."""
        answers = finite_answers(vectors_of(answer, self.dimension))
        units = self.grid.units(answers)
        return self.grid.place_many(units + self.lattice.draw_like(answers, bits))

    def _peak(self) -> arb:
        """1 / (2^d/d! · Δ^d · S_d(gamma)): the density at 0 where gamma > 0."""
        d = self.dimension
        volume = ball(Fraction(2**d, math.factorial(d)) * self.sensitivity**d)
        return 1 / (volume * shifted_moments(self.epsilon, ball(Fraction(self.gamma)), d)[d])


def units_of_vector_sensitivity(grid: Grid, sensitivity: Fraction, dimension: int) -> int:
    """How far a neighbour can move the rounded vector in the l1 norm: ⌈Δ/step⌉ + d - 1 steps.

    Exact:  Let tᵢ be the moves of the coordinates in steps, Σ tᵢ ≤ T = Δ/step. Rounding moves coordinate i by at most
            ⌈tᵢ⌉ < tᵢ + 1 steps, so all together by a whole number below T + d, that is, at most ⌈T⌉ + d - 1. It is
            attained: with T = 1 and d = 2, both coordinates move half a step, each across a rounding boundary.
    """
    return grid.units_of_sensitivity(sensitivity) + dimension - 1


def _fine_grid(epsilon: Fraction, sensitivity: Fraction, dimension: int) -> Grid:
    """A power of two below a 2^-20th of what one coordinate errs by, or of a d-th of the sensitivity if less.

    It is no finer than what can be drawn in 64-bit integers.
    """
    error = radial_risk(epsilon, dimension, 1, best_gamma(epsilon, dimension, 1))
    fine = min(Fraction(error), Fraction(1)) / dimension
    finest = Fraction(1 << 23, farthest_period(epsilon, dimension))
    return Grid.fine_for(sensitivity * max(fine, finest))


def _theorem(asked: NoiseQuestion) -> str:
    proven = asked.dimension == 2 and asked.cost.exponent == 1 and asked.delta == 0
    return "[G13] Thm 3.1" if proven else ""


OFFERS = (
    Offer(
        name="staircase on the l1 ball",
        serves=Serves.VECTORS,
        kind=VectorStaircase,
        fits=lambda asked: asked.epsilon > 0 and asked.cost.exponent in (1, 2),
        make=lambda asked: VectorStaircase(
            epsilon=asked.epsilon, sensitivity=asked.sensitivity, dimension=asked.dimension, cost=asked.cost
        ),
        optimal=_theorem,
    ),
)


def examples() -> tuple[VectorStaircase, ...]:
    """A few of them, for tests and the gallery."""
    return (
        VectorStaircase(epsilon=1, sensitivity=1, dimension=2),
        VectorStaircase(epsilon=3, sensitivity=Fraction(5, 2), dimension=3, cost="squared"),
    )
