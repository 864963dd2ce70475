"""What every symmetric noise on the real line can do, given its tail, its density and its draws on a grid."""

import math
from abc import ABC, abstractmethod
from fractions import Fraction
from typing import ClassVar, overload

import numpy as np
from flint import arb
from numpy.typing import NDArray

from banister import need
from banister.core.exact.numbers import Bracket, Number
from banister.core.laws.cost import Cost, CostLike
from banister.core.laws.expectation import expected_cost_on_line
from banister.core.laws.pieces import expected_bracket
from banister.core.privacy.loss import PrivacyLoss
from banister.mechanisms.integers.integer_noise import Integers
from banister.mechanisms.line.grid import Floats, Grid, finite_answers
from banister.sampling.bits import SYSTEM, BitSource
from banister.sampling.rounded import Scale, SizeLaw, rounded_many, rounded_one

_WHOLE_IN_DOUBLES = 1 << 53
BLOCK = 1 << 15
"""So many answers are drawn at once: their arrays, of 256 kB each, then stay in a cache of the core."""


def rounded_units(
    grid: Grid, answers: NDArray[np.generic], spread: Fraction, law: SizeLaw, bits: BitSource
) -> Integers:
    """The exact rounding to the grid of answer + spread · X, for each answer and an ideal X of that law."""
    whole, part = grid.split(answers)
    units = whole + rounded_many(part, spread / grid.step, law, bits)
    for place in np.flatnonzero(grid.inexactly_split(answers)):
        units[place] = rounded_unit(grid, answers[place].item(), spread, law, bits)
    return units


def rounded_unit(grid: Grid, answer: Number, spread: Fraction, law: SizeLaw, bits: BitSource) -> int:
    """The same for one answer."""
    return rounded_step(grid, answer, Scale(spread / grid.step), law, bits)


def rounded_step(grid: Grid, answer: Number, scale: Scale, law: SizeLaw, bits: BitSource) -> int:
    """The same for one answer, with the spread in steps of the grid."""
    split = grid.split_double(answer) if isinstance(answer, float) else None
    whole, part = grid.split_one(answer) if split is None else split
    return whole + rounded_one(part, scale, law, bits)


class LineNoise(ABC):
    """A symmetric law on the reals, released exactly on a grid.

    The law (`density`, `distribution`, `quantile`, `risk`) is that of the noise: where a real number is drawn and the
    sum rounded, the ideal real-valued one; where steps of the grid are drawn, the one on the grid. Rounding the answer
    itself to the grid is in `interval`, and in no other figure.

    >>> from banister.mechanisms import Laplace
    >>> noise = Laplace(epsilon=1, sensitivity=1)
    >>> isinstance(noise, LineNoise), round(float(noise.density(0)), 6), round(noise.interval(0.95), 6)
    (True, 0.5, 2.995733)
    """

    __slots__ = ()

    moves_add_up: ClassVar[bool] = False
    """Whether moves of several coordinates, each with its own noise, that add up to the sensitivity give away no
    more than one coordinate that moves by all of it. Log-concave laws have it (docs/math/vector-staircase.md)."""

    cost: Cost
    """The cost by which the mechanism is judged, and for which it was chosen where there was a choice."""
    grid: Grid
    """Where answers are released."""

    def _repr_html_(self) -> str:
        from banister.show.facts import facts_html

        return facts_html(self)

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
    def size_at(self, tail: Fraction) -> float:
        """The size that |noise| exceeds with probability `tail`."""

    @abstractmethod
    def moment(self, exponent: Fraction, above: Fraction) -> arb | None:
        """E[|noise|^exponent; |noise| > above] as a certified ball at the working precision, where it can be told."""

    @abstractmethod
    def at_zero(self) -> arb:
        """P(noise = 0) as a certified ball at the working precision."""

    @abstractmethod
    def draw_unit(self, answer: Number, bits: BitSource) -> int:
        """The answer with noise, in steps of the grid."""

    @abstractmethod
    def draw_units(self, answers: NDArray[np.generic], bits: BitSource) -> Integers:
        """Many answers with noise, in steps of the grid."""

    def counts_once(self, touched: int) -> bool:
        """Whether moves of so many coordinates that add up to the sensitivity count as one; see `moves_add_up`."""
        return self.moves_add_up

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
        p = need.strictly_between("probability", probability, 0, 1)
        return self.size_at(2 * (1 - p)) if p > Fraction(1, 2) else 0.0 - self.size_at(2 * p)

    def interval(self, confidence: Number) -> float:
        """How far off a released answer is at most, with that probability; rounding to the grid included."""
        outside = 1 - need.strictly_between("confidence", confidence, 0, 1)
        return self.size_at(outside) + float(self.grid.step)

    def risk(self) -> float:
        """The expected cost of the noise, for the cost that the mechanism was made for."""
        return self.risk_for(self.cost)

    def risk_for(self, cost: CostLike) -> float:
        """The expected cost of the noise, for any cost: certified and rounded up, or numerical (`risk_bracket`)."""
        chosen = Cost.of(cost)
        proven = self.risk_bracket(chosen)
        return expected_cost_on_line(chosen, self.beyond, scale=self.scale) if proven is None else proven.up

    def risk_bracket(self, cost: CostLike) -> Bracket | None:
        """Two doubles with the expected cost between them, proven; None for a cost or a law that only doubles know."""
        return expected_bracket(Cost.of(cost).pieces, self.moment, self.at_zero)

    @overload
    def release(self, answer: float | Fraction, bits: BitSource = ...) -> float: ...
    @overload
    def release(self, answer: Floats | Integers, bits: BitSource = ...) -> Floats: ...
    def release(self, answer: float | Fraction | Floats | Integers, bits: BitSource = SYSTEM) -> float | Floats:
        """The answer with noise: one number, or an array of them at once, each a multiple of the grid's step."""
        if isinstance(answer, float) and math.isfinite(answer):
            return self.grid.place(self.draw_unit(answer, bits))
        if isinstance(answer, int | Fraction) and not isinstance(answer, bool):
            whole = isinstance(answer, int) and -_WHOLE_IN_DOUBLES <= answer <= _WHOLE_IN_DOUBLES
            return self.grid.place(self.draw_unit(float(answer) if whole else answer, bits))
        answers = finite_answers(answer)
        if answers.ndim == 0:
            return self.grid.place(self.draw_unit(answers.item(), bits))
        return self._released(answers.ravel(), bits).reshape(answers.shape)

    def _released(self, answers: NDArray[np.generic], bits: BitSource) -> Floats:
        """Block by block, so that what is passed over a dozen times stays in the processor's cache."""
        found = np.empty(answers.size)
        for start in range(0, answers.size, BLOCK):
            here = slice(start, start + BLOCK)
            found[here] = self.grid.place_many(self.draw_units(answers[here], bits))
        return found
