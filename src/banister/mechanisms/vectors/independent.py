"""The same noise on each coordinate of a vector, independently; and what that would cost where all may move."""

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import cast

from flint import arb

from banister import need
from banister.core.exact.numbers import BALL_BITS, Bracket, Number, ball, float_down, float_up, precision
from banister.core.laws.cost import Cost, CostLike
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue
from banister.mechanisms.integers.discrete_laplace import DiscreteLaplace
from banister.mechanisms.integers.integer_noise import IntegerNoise, Integers
from banister.mechanisms.integers.integer_staircase import IntegerStaircase
from banister.mechanisms.line.grid import Floats
from banister.mechanisms.line.line_noise import LineNoise
from banister.mechanisms.offers import HINT, AnyNoise, Offer
from banister.mechanisms.vectors.integer_vector_staircase import vectors_of
from banister.mechanisms.vectors.radial import exponent_of
from banister.sampling.bits import SYSTEM, BitSource

OneNumberNoise = IntegerNoise | LineNoise
"""Any noise for one number: on the integers or on the line."""


class MoveBound(Enum):
    """What the sensitivity of the noise bounds where a neighbour moves several coordinates.

    >>> [bound.value for bound in MoveBound]
    ['each', 'total']
    """

    EACH = "each"
    """The move of each coordinate: a person is in several cells, and counts up to the sensitivity in each."""
    TOTAL = "total"
    """The sum of the sizes of all moves: the l1 norm."""


@dataclass(frozen=True, slots=True, init=False)
class Independent:
    """Add the noise to each of d coordinates, of which a neighbour may move at most `touches`.

    Private:  where a neighbour moves one coordinate, by at most the sensitivity of the noise, as the noise on one
              number: the other coordinates have the same law for both, and cancel. A histogram in which one person is
              in one cell, added or removed, is such a vector. Where several may move, each counts: `loss` composes.
    Cost:     d times that of one number, for costs that add up over coordinates, "absolute" and "squared".

    >>> noise = Independent(noise=IntegerStaircase(epsilon=1, sensitivity=1), dimension=10, touches=1)
    >>> len(noise.release([41, 7, 0, 0, 3, 12, 5, 9, 1, 2])), round(noise.risk(), 4)
    (10, 8.5092)
    """

    noise: OneNumberNoise
    dimension: int
    touches: int
    """How many coordinates a neighbour may move."""
    bound: MoveBound

    def __init__(
        self,
        *,
        noise: OneNumberNoise,
        dimension: Number,
        touches: Number | None = None,
        bound: MoveBound = MoveBound.EACH,
    ) -> None:
        if not isinstance(noise, IntegerNoise | LineNoise):
            raise BadValue(f"noise = {noise!r} must be a noise for one number, such as IntegerStaircase or Staircase.")
        size = need.whole("dimension", dimension, least=1)
        if touches is None:
            raise BadValue(
                "touches is missing: how many of the coordinates one person can move. Write touches=1 for a histogram "
                f"in which a person is in one cell, or touches={size} where a person may move all of them."
            )
        moved = need.whole("touches", touches, least=1, most=size)
        if not isinstance(bound, MoveBound):
            raise BadValue(f"bound = {bound!r} must be MoveBound.EACH or MoveBound.TOTAL: what the sensitivity bounds.")
        for name, value in zip(self.__slots__, (noise, size, moved, bound), strict=True):
            object.__setattr__(self, name, value)

    @property
    def cost(self) -> Cost:
        """The cost of one number; it is added up over the coordinates."""
        return self.noise.cost

    def loss(self) -> PrivacyLoss:
        """That of the noise on one number, once for each coordinate that can give it away.

        Exact where the noise's is, with EACH: all touched coordinates may move by the whole sensitivity. With TOTAL
        and noise whose moves add up, one coordinate that moves alone is the worst, so it counts once. Upper bound
        with TOTAL and other noise, such as a staircase, which may jump by all of its epsilon at the smallest move: it
        counts for every coordinate that moves at all (docs/math/vector-staircase.md).
        """
        return self.noise.loss().times(self._counted())

    def _counted(self) -> int:
        if self.bound is MoveBound.EACH:
            return self.touches
        if self.noise.counts_once(self.touches):
            return 1
        if isinstance(self.noise, IntegerNoise):
            # Whole moves of at least 1 that add up to the sensitivity are at most as many.
            return min(self.touches, self.noise.sensitivity)
        return self.touches

    def risk(self) -> float:
        """The expected cost of the whole vector: the sum over its coordinates."""
        return self.risk_for(self.cost)

    def risk_for(self, cost: CostLike) -> float:
        """The expected cost of the whole vector, for any cost that is added up over coordinates."""
        proven = self.risk_bracket(cost)
        return self.dimension * self.noise.risk_for(cost) if proven is None else proven.up

    def risk_bracket(self, cost: CostLike) -> Bracket | None:
        """Two doubles with the expected cost between them, proven; None where the noise has none."""
        one, size = self.noise.risk_bracket(cost), self.dimension
        if one is None:
            return None
        return Bracket(float_down(size * Fraction(one.down)), float_up(size * Fraction(one.up)))

    def release(
        self, answer: Floats | Integers | list[float] | tuple[float, ...], bits: BitSource = SYSTEM
    ) -> Floats | Integers:
        """The answer with noise: one vector of d numbers, or an array of n vectors, n × d, at once."""
        answers = vectors_of(answer, self.dimension)
        if isinstance(self.noise, IntegerNoise):
            return self.noise.release(cast(Integers, answers), bits)
        return self.noise.release(cast(Floats, answers), bits)


def laplace_vector_risk(
    *, epsilon: Number, sensitivity: Number, dimension: Number, cost: CostLike = "absolute"
) -> float:
    """What Laplace noise on each coordinate costs for a sensitivity in the l1 norm, at the full epsilon.

    Exact:  the log-ratio adds up over coordinates, so scale Δ/epsilon is enough: dΔ/epsilon, or 2d(Δ/epsilon)².

    >>> laplace_vector_risk(epsilon=1, sensitivity=1, dimension=4)
    4.0
    """
    scale = need.size("sensitivity", sensitivity) / need.level("epsilon", epsilon, HINT)
    size = need.whole("dimension", dimension, least=1)
    return float(size * scale if exponent_of(Cost.of(cost)) == 1 else 2 * size * scale**2)


def split_staircase_risk(
    *, epsilon: Number, sensitivity: Number, dimension: Number, cost: CostLike = "absolute"
) -> float:
    """What a staircase on each coordinate costs for a sensitivity in the l1 norm, at epsilon/d each.

    Exact:  a small move can cost a whole factor e^epsilon in each coordinate, so the level must be divided by d:
            dΔ/(2 sinh(epsilon/2d)), or dΔ²((b(1+b)/2)^(2/3) + b)/(1-b)² with b = e^(-epsilon/d) ([G13] Thm 2.5, 2.7).

    >>> round(split_staircase_risk(epsilon=1, sensitivity=1, dimension=2), 4)
    3.9586
    """
    size = need.whole("dimension", dimension, least=1)
    reach, exponent = need.size("sensitivity", sensitivity), exponent_of(Cost.of(cost))
    with precision(BALL_BITS):
        level = ball(need.level("epsilon", epsilon, HINT) / size)
        if exponent == 1:
            return float(size * ball(reach) / (2 * (level / 2).sinh()))
        b = (-level).exp()
        third: arb = (b * (1 + b) / 2) ** (arb(2) / 3)
        return float(size * ball(reach**2) * (third + b) / (1 - b) ** 2)


OFFERS: tuple[Offer[AnyNoise], ...] = ()
"""Whatever noise is offered for one number is offered on each coordinate; it has none of its own."""


def examples() -> tuple[Independent, ...]:
    """A few of them, for tests and the gallery."""
    return (
        Independent(noise=IntegerStaircase(epsilon=1, sensitivity=1), dimension=3, touches=1),
        Independent(noise=IntegerStaircase(epsilon=2, sensitivity=4, cost="squared"), dimension=2, touches=2),
        Independent(
            noise=IntegerStaircase(epsilon=1, sensitivity=2, cost="squared"),
            dimension=3,
            touches=3,
            bound=MoveBound.TOTAL,
        ),
        Independent(noise=DiscreteLaplace(epsilon=1, sensitivity=3), dimension=2, touches=2, bound=MoveBound.TOTAL),
    )
