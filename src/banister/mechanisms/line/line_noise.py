"""What every symmetric noise on the real line can do, given its tail, its density and its draws on a grid."""

import math
from abc import ABC, abstractmethod
from fractions import Fraction
from typing import ClassVar, overload

import numpy as np
from numpy.typing import NDArray

from banister import need
from banister.core.exact.numbers import Number
from banister.core.laws.cost import Cost, CostLike
from banister.core.laws.expectation import expected_cost_on_line
from banister.core.privacy.loss import PrivacyLoss
from banister.mechanisms.integers.integer_noise import Integers
from banister.mechanisms.line.grid import Floats, Grid, finite_answers
from banister.sampling.bits import SYSTEM, BitSource
from banister.sampling.rounded import SizeLaw, rounded_many, rounded_one


def rounded_units(
    grid: Grid, answers: NDArray[np.generic], spread: Fraction, law: SizeLaw, bits: BitSource
) -> Integers:
    """The exact rounding to the grid of answer + spread · X, for each answer and an ideal X of that law."""
    whole, part = grid.split(answers)
    units = whole + rounded_many(part, spread / grid.step, law, bits)
    tiny = (np.abs(answers.astype(np.float64)) < grid.smallest_split()) & (answers != 0)
    for place in np.flatnonzero(tiny):
        units[place] = rounded_unit(grid, answers[place].item(), spread, law, bits)
    return units


def rounded_unit(grid: Grid, answer: Number, spread: Fraction, law: SizeLaw, bits: BitSource) -> int:
    """The same for one answer."""
    whole, part = grid.split_one(answer)
    return whole + rounded_one(part, spread / grid.step, law, bits)


class LineNoise(ABC):
    """A symmetric law on the reals, released exactly on a grid.

    The law (`density`, `distribution`, `quantile`, `risk`) is the ideal real-valued one; what is released is on the
    grid, with the privacy that `loss` tells and an accuracy within the grid's step of the ideal.
    """

    __slots__ = ()

    moves_add_up: ClassVar[bool] = False
    """Whether moves of several coordinates, each with its own noise, that add up to the sensitivity give away no
    more than one coordinate that moves by all of it. Log-concave laws have it (docs/math/vector-staircase.md)."""

    cost: Cost
    """The cost by which the mechanism is judged, and for which it was chosen where there was a choice."""
    grid: Grid
    """Where answers are released."""

    @abstractmethod
    def loss(self) -> PrivacyLoss:
        """What one release gives away, for the account: that of the law on the grid, as it is drawn."""

    @property
    @abstractmethod
    def scale(self) -> float:
        """The size at which the tail falls by a factor e; only used to choose where to look."""

    @abstractmethod
    def densities(self, x: Floats) -> Floats:
        """The density at many points."""

    @abstractmethod
    def beyond(self, size: Floats) -> Floats:
        """P(|noise| > size)."""

    @abstractmethod
    def size_at(self, tail: float) -> float:
        """The size that |noise| exceeds with probability `tail`."""

    @abstractmethod
    def known_risk(self, cost: Cost) -> float | None:
        """The expected cost in closed form, where there is one."""

    @abstractmethod
    def draw_unit(self, answer: Number, bits: BitSource) -> int:
        """The answer with noise, in steps of the grid."""

    @abstractmethod
    def draw_units(self, answers: NDArray[np.generic], bits: BitSource) -> Integers:
        """Many answers with noise, in steps of the grid."""

    def density(self, x: Number) -> float:
        """The density at x."""
        return float(self.densities(np.array([float(need.exact("x", x))]))[0])

    def distribution(self, x: Number) -> float:
        """P(noise ≤ x)."""
        point = float(need.exact("x", x))
        tail = float(self.beyond(np.array([abs(point)]))[0]) / 2
        return 1 - tail if point >= 0 else tail

    def quantile(self, probability: Number) -> float:
        """The value that the noise stays below with that probability."""
        p = float(need.strictly_between("probability", probability, 0, 1))
        return self.size_at(2 * (1 - p)) if p > 0.5 else -self.size_at(2 * p)

    def interval(self, confidence: Number) -> float:
        """How far off a released answer is at most, with that probability; rounding to the grid included."""
        outside = 1 - float(need.strictly_between("confidence", confidence, 0, 1))
        return self.size_at(outside) + float(self.grid.step)

    def risk(self) -> float:
        """The expected cost of the noise, for the cost that the mechanism was made for."""
        return self.risk_for(self.cost)

    def risk_for(self, cost: CostLike) -> float:
        """The expected cost of the noise, for any cost."""
        chosen = Cost.of(cost)
        known = self.known_risk(chosen)
        return expected_cost_on_line(chosen, self.beyond, scale=self.scale) if known is None else known

    @overload
    def release(self, answer: float, bits: BitSource = ...) -> float: ...
    @overload
    def release(self, answer: Floats | Integers, bits: BitSource = ...) -> Floats: ...
    def release(self, answer: float | Floats | Integers, bits: BitSource = SYSTEM) -> float | Floats:
        """The answer with noise: one number, or an array of them at once, each a multiple of the grid's step."""
        if isinstance(answer, float | int) and math.isfinite(answer):
            return self.grid.place(self.draw_unit(answer, bits))
        answers = finite_answers(np.asarray(answer))
        if answers.ndim == 0:
            return self.grid.place(self.draw_unit(answers.item(), bits))
        return self.grid.place_many(self.draw_units(answers.ravel(), bits)).reshape(answers.shape)
