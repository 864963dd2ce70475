"""Staircase noise on the real line: the least expected cost that pure differential privacy allows."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from banister import need
from banister.core.exact.numbers import BALL_BITS, Number, ball, precision
from banister.core.exact.search import between, halved
from banister.core.laws.cost import Cost, CostLike
from banister.core.laws.expectation import expected_cost_on_line, periodic_sum
from banister.core.laws.moments import shifted_moments
from banister.core.privacy.loss import PrivacyLoss
from banister.mechanisms.integers.integer_noise import Integers
from banister.mechanisms.integers.integer_staircase import IntegerStaircase
from banister.mechanisms.line.grid import Floats, Grid
from banister.mechanisms.line.line_noise import LineNoise
from banister.mechanisms.offers import HINT, Offer, Serves
from banister.sampling.bits import BitSource

_ROOM = Fraction(1, 1 << 28)
"""What a step may not be finer than, in 2^-20 of sensitivity/epsilon, so that a thousand times it fits 64 bits."""


@dataclass(frozen=True, slots=True, init=False)
class Staircase(LineNoise):
    """Add x with density a b^k where u < gamma, and a b^(k+1) elsewhere; |x| = (k + u)·sensitivity, b = e^-epsilon.

    Private:  pure epsilon-DP when neighbours move the answer by at most the sensitivity. Every gamma is private; it is
              chosen for accuracy alone. The release is on a grid, by the staircase on the integers, so it is exactly
              epsilon-private and not only in real arithmetic (docs/math/staircase.md).
    Optimal:  with the best gamma, least expected cost among all noises that ignore the answer, for the cost it is
              made for ([G13] Thm 2.4). The grid's own loss is below 0.01 % at the default.

    >>> noise = Staircase(epsilon=1, sensitivity=1, cost="absolute")
    >>> round(noise.gamma, 5), round(noise.risk(), 5)
    (0.37754, 0.95952)
    """

    epsilon: Fraction
    sensitivity: Fraction
    gamma: float
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
        chosen = Cost.of(cost)
        self._fix(level, reach, best_gamma(level, reach, chosen), chosen, grid)

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
        """The staircase with a gamma of one's own, from 0 to 1."""
        level, reach = _checked(epsilon, sensitivity)
        made = cls.__new__(cls)
        made._fix(level, reach, float(need.between("gamma", gamma, 0, 1)), Cost.of(cost), grid)
        return made

    def _fix(
        self, epsilon: Fraction, sensitivity: Fraction, gamma: float, cost: Cost, grid: Grid | Number | None
    ) -> None:
        if grid is None:
            grid = default_grid(epsilon, sensitivity)
        chosen = grid if isinstance(grid, Grid) else Grid(grid)
        steps = chosen.units_of_sensitivity(sensitivity)
        width = min(max(1, round(Fraction(gamma) * steps)), steps)
        lattice = IntegerStaircase.with_step(epsilon=epsilon, sensitivity=steps, step_width=width)
        values = (epsilon, sensitivity, gamma, cost, chosen, lattice)
        for name, value in zip(self.__slots__, values, strict=True):
            object.__setattr__(self, name, value)

    @property
    def scale(self) -> float:
        return float(self.sensitivity / min(self.epsilon, Fraction(1)))

    def loss(self) -> PrivacyLoss:
        """That of the staircase on the grid: ±epsilon and 0."""
        return self.lattice.loss()

    def densities(self, x: Floats) -> Floats:
        b, one_minus_b = math.exp(-self.epsilon), -math.expm1(-self.epsilon)
        height = one_minus_b / (2 * float(self.sensitivity) * (self.gamma + b * (1 - self.gamma)))
        periods = np.abs(x) / float(self.sensitivity)
        k = np.floor(periods)
        return np.asarray(height * np.exp(-float(self.epsilon) * (k + (periods - k >= self.gamma))), dtype=np.float64)

    def beyond(self, size: Floats) -> Floats:
        return _tail(size, self.epsilon, self.sensitivity, self.gamma)

    def size_at(self, tail: float) -> float:
        epsilon, b = float(self.epsilon), math.exp(-self.epsilon)
        k = max(0, math.floor(-math.log(tail) / epsilon))
        if tail > math.exp(-epsilon * k):  # The logarithm was rounded up over a step.
            k -= 1
        part = (1 - tail * math.exp(epsilon * k)) * (self.gamma + b * (1 - self.gamma)) / -math.expm1(-epsilon)
        inside = part if part <= self.gamma else self.gamma + (part - self.gamma) / b
        return (k + min(inside, 1.0)) * float(self.sensitivity)

    def known_risk(self, cost: Cost) -> float | None:
        if cost.exponent is None or cost.exponent.denominator != 1 or cost.exponent > 12:
            return None
        with precision(BALL_BITS):
            degree = int(cost.exponent)
            moments = shifted_moments(self.epsilon, ball(Fraction(self.gamma)), degree + 1)
            return float(moments[degree + 1] / ((degree + 1) * moments[1])) * float(self.sensitivity) ** degree

    def draw_unit(self, answer: Number, bits: BitSource) -> int:
        return self.grid.unit(answer) + self.lattice.draw(bits)

    def draw_units(self, answers: NDArray[np.generic], bits: BitSource) -> Integers:
        return self.grid.units(answers) + self.lattice.draw_many(answers.size, bits)


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
    |x|^m:  the root of (m + 1) S_m S_1 = S_(m+1), S_n = E (G + gamma)^n  ([G13] App. A.5, simplified)
    else:   V is quasi-convex in gamma and rises exactly where (1 - b) W(gamma) ≥ V(gamma): bisection.
    """
    level = float(epsilon)
    if cost.exponent == 1:
        return 1 / (1 + math.exp(level / 2))
    if cost.exponent == 2:
        return math.exp(-level) * math.expm1((math.log1p(math.expm1(-level) / 2) + 2 * level) / 3) / -math.expm1(-level)
    if cost.exponent is not None and cost.exponent.denominator == 1 and cost.exponent <= 12:
        return between(*halved(_power_rises(epsilon, int(cost.exponent)), 0.0, 1.0, rounds=60))
    period = float(sensitivity)

    def rises(gamma: float) -> bool:
        w = periodic_sum(cost, gamma * period, period=period, decay=level)
        scale = period / min(level, 1.0)
        value = expected_cost_on_line(cost, lambda x: _tail(x, epsilon, sensitivity, gamma), scale=scale)
        return bool(-math.expm1(-level) * w >= value)

    return between(*halved(rises, 0.0, 1.0, rounds=30))


def _power_rises(epsilon: Fraction, degree: int) -> Callable[[float], bool]:
    def rises(gamma: float) -> bool:
        with precision(BALL_BITS):
            s = shifted_moments(epsilon, ball(Fraction(gamma)), degree + 1)
            return bool((degree + 1) * s[degree] * s[1] > s[degree + 1])

    return rises


def _tail(size: Floats, epsilon: Fraction, sensitivity: Fraction, gamma: float) -> Floats:
    """P(|X| > size)."""
    b, one_minus_b = math.exp(-epsilon), -math.expm1(-epsilon)
    periods = size / float(sensitivity)
    k = np.floor(periods)
    u = periods - k
    used = (np.minimum(u, gamma) + b * np.maximum(u - gamma, 0)) * one_minus_b / (gamma + b * (1 - gamma))
    return np.asarray(np.exp(-float(epsilon) * k) * (1 - used), dtype=np.float64)


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
