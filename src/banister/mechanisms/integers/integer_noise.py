"""What every symmetric noise on the integers can do, given its tail, its masses and its draws."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from typing import ClassVar, overload

import numpy as np
from flint import arb
from numpy.typing import NDArray

from banister import need
from banister.core.exact.numbers import BALL_BITS, Bracket, Number, ball, precision
from banister.core.exact.search import least_whole
from banister.core.laws.cost import Cost, CostLike
from banister.core.laws.expectation import expected_cost_on_integers
from banister.core.laws.pieces import expected_bracket
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue
from banister.mechanisms.arrays import plain_array
from banister.sampling.bits import SYSTEM, BitSource

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

_MOST_BITS = 1 << 12
RANGE = 1 << 61
"""Answers up to this size are released: there is always room for the noise in 64 bits."""


class IntegerNoise(ABC):
    """A symmetric law on the integers that is added to an integer answer.

    A mechanism gives its loss, its tail, one certified mass, and its draws; everything else follows.

    >>> from banister.mechanisms import Geometric
    >>> noise = Geometric(epsilon=1)
    >>> isinstance(noise, IntegerNoise), round(noise.mass(0), 6), noise.interval(0.95)
    (True, 0.462117, 3)
    """

    __slots__ = ()

    moves_add_up: ClassVar[bool] = False
    """Whether moves of several coordinates, each with its own noise, that add up to the sensitivity give away no
    more than one coordinate that moves by all of it. Log-concave laws have it (docs/math/vector-staircase.md)."""

    cost: Cost
    """The cost by which the mechanism is judged, and for which it was chosen where there was a choice."""
    sensitivity: int
    """How far a neighbour may move the answer."""

    def _repr_html_(self) -> str:
        from banister.show.facts import facts_html

        return facts_html(self)

    @abstractmethod
    def loss(self) -> PrivacyLoss:
        """What one release gives away, for the account."""

    @property
    @abstractmethod
    def scale(self) -> float:
        """The size at which the tail falls by a factor e; only used to choose where to look."""

    @abstractmethod
    def mass_ball(self, value: int) -> arb:
        """P(noise = value) as a certified ball at the working precision."""

    @abstractmethod
    def at_least(self, size: Floats) -> Floats:
        """P(|noise| ≥ size) for whole sizes."""

    @abstractmethod
    def moment(self, exponent: Fraction, above: Fraction) -> arb | None:
        """E[|noise|^exponent; |noise| > above] as a certified ball at the working precision, where it can be told."""

    @abstractmethod
    def draw(self, bits: BitSource) -> int:
        """One noise value."""

    @abstractmethod
    def draw_many(self, count: int, bits: BitSource) -> Integers:
        """Many noise values."""

    def counts_once(self, touched: int) -> bool:
        """Whether moves of so many coordinates that add up to the sensitivity count as one; see `moves_add_up`."""
        return self.moves_add_up

    def mass(self, value: int) -> float:
        """P(noise = value)."""
        with precision(BALL_BITS):
            return float(self.mass_ball(whole_value(value)))

    def distribution(self, value: int) -> float:
        """P(noise ≤ value)."""
        at = whole_value(value)
        one_sided = float(self.at_least(np.array([float(abs(at)) + (at >= 0)]))[0]) / 2
        return 1 - one_sided if at >= 0 else one_sided

    def quantile(self, probability: Number) -> int:
        """The least value that the noise does not exceed with at least that probability."""
        p = need.strictly_between("probability", probability, 0, 1)
        if p > Fraction(1, 2):
            return self._least_size(2 * (1 - p))
        # P(noise ≤ -k) = P(|noise| ≥ k) / 2 for k ≥ 1: the largest such k that still holds p.
        size = self._least_size_below(2 * p)
        return -(size - 1) if size > 1 else 0

    def interval(self, confidence: Number) -> int:
        """How far off the answer is at most, with that probability: the least size that |noise| stays within."""
        return self._least_size(1 - need.strictly_between("confidence", confidence, 0, 1))

    def risk(self) -> float:
        """The expected cost of the noise, for the cost that the mechanism was made for."""
        return self.risk_for(self.cost)

    def risk_for(self, cost: CostLike) -> float:
        """The expected cost of the noise, for any cost: certified and rounded up, or numerical (`risk_bracket`)."""
        chosen = Cost.of(cost)
        proven = self.risk_bracket(chosen)
        if proven is not None:
            return proven.up
        return expected_cost_on_integers(chosen, self.at_least, scale=max(self.scale, 0.25))

    def risk_bracket(self, cost: CostLike) -> Bracket | None:
        """Two doubles with the expected cost between them, proven; None for a cost or a law that only doubles know."""
        return expected_bracket(Cost.of(cost).pieces, self.moment, lambda: self.mass_ball(0))

    @overload
    def release(self, answer: int, bits: BitSource = ...) -> int: ...
    @overload
    def release(self, answer: Integers, bits: BitSource = ...) -> Integers: ...
    def release(self, answer: int | Integers, bits: BitSource = SYSTEM) -> int | Integers:
        """The answer with noise: one whole number, or an array of them at once."""
        if isinstance(answer, int | np.integer) and not isinstance(answer, bool):
            if not -RANGE <= answer <= RANGE:
                raise too_large()
            return int(answer) + self.draw(bits)
        answers = plain_array(answer)
        if not np.issubdtype(answers.dtype, np.integer):
            raise BadValue(
                f"The answers are of type {answers.dtype}, but this noise is for whole numbers. "
                "Convert them to integers, or use a mechanism for the real line."
            )
        whole_in_range(answers)
        return answers.astype(np.int64) + self.draw_many(answers.size, bits).reshape(answers.shape)

    def _least_size(self, outside: Fraction) -> int:
        """The least size with P(|noise| > size) ≤ outside."""
        return _first(lambda size: self._rarely(size + 1, outside, strictly=False), self.scale)

    def _least_size_below(self, outside: Fraction) -> int:
        """The least size with P(|noise| ≥ size) < outside."""
        return _first(lambda size: self._rarely(size, outside, strictly=True), self.scale)

    def _rarely(self, size: int, outside: Fraction, *, strictly: bool) -> bool:
        """Whether P(|noise| ≥ size) is at most the given; what cannot be told counts as more, for a wider interval."""
        if size <= 0:
            return outside > 1 if strictly else outside >= 1
        bits = BALL_BITS
        while True:
            with precision(bits):
                tail, most = self.moment(Fraction(0), Fraction(size - 1)), ball(outside)
                if tail is None:
                    tail = arb(float(self.at_least(np.array([float(size)]))[0]))
                if tail < most or tail > most or bits >= _MOST_BITS:
                    return bool(tail < most if strictly else tail <= most)
            bits *= 4


def whole_value(value: int) -> int:
    """A value that the noise can have: a whole number, in whatever type it comes."""
    exact = need.exact("value", value)
    if exact.denominator != 1:
        raise BadValue(f"value = {value} must be a whole number: this noise takes no others.")
    return int(exact)


def whole_in_range(answers: NDArray[np.generic]) -> None:
    """Refuse answers whose sum with the noise might not fit 64 bits."""
    if answers.size and not (int(answers.min()) >= -RANGE and int(answers.max()) <= RANGE):
        raise too_large()


def too_large() -> BadValue:
    """The refusal of an answer that has no room for noise; it shows no answer."""
    return BadValue("An answer is beyond ±2^61 and cannot be released exactly. Count in larger units.")


def _first(holds: Callable[[int], bool], scale: float) -> int:
    return least_whole(holds, above=-1, start=max(1, int(scale)))
