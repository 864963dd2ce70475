"""Staircase noise for vectors of whole numbers, where neighbours move the sum of the sizes."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from flint import arb, fmpz
from numpy.typing import NDArray

from banister import need
from banister.core.exact.numbers import BALL_BITS, Bracket, Number, ball, exp_ball, fraction_of, precision
from banister.core.exact.search import least_whole
from banister.core.laws.cost import Cost, CostLike
from banister.core.laws.lattice import (
    geometric_mean_of,
    points_within,
    polynomial_differences,
    sizes_within,
    squares_within,
)
from banister.core.laws.pieces import bracket
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue
from banister.mechanisms.arrays import plain_array
from banister.mechanisms.integers.integer_noise import Integers, whole_in_range, whole_value
from banister.mechanisms.offers import HINT, Offer, Serves
from banister.mechanisms.vectors.radial import best_gamma, exponent_of
from banister.sampling.bits import SYSTEM, BitSource
from banister.sampling.lattice import LatticeStaircaseDraw, lattice_staircase_draw, within_64_bits

LARGEST_DIMENSION = 128
_SCAN_ALL = 64


@dataclass(frozen=True, slots=True, init=False)
class IntegerVectorStaircase:
    """Add x in Z^d with P(x) = a b^k where j < r, a b^(k+1) elsewhere; |x₁| + … + |x_d| = kΔ + j, r = step_width.

    Private:  pure epsilon-DP when neighbours move the vector by at most Δ in the l1 norm: the mass depends on the norm
              alone, never rises with it, and falls by exactly b over Δ ([G13] Thm 3.1 uses the same argument on
              the reals). Every step_width is private; it is chosen for accuracy alone.
    Optimal:  not claimed on the lattice. On the reals the same shape is optimal for d = 2 and the cost "absolute"
              ([G13] Thm 3.1); for d > 2 that is conjectured ([K16] sec. 2.3).

    The cost is "absolute" (Σ|xᵢ|) or "squared" (Σ xᵢ²) of the whole vector.

    >>> noise = IntegerVectorStaircase(epsilon=1, sensitivity=2, dimension=3)
    >>> noise.step_width, round(noise.risk(), 4)
    (1, 5.7565)
    """

    epsilon: Fraction
    sensitivity: int
    dimension: int
    step_width: int
    cost: Cost

    def __init__(self, *, epsilon: Number, sensitivity: Number, dimension: Number, cost: CostLike = "absolute") -> None:
        level = need.level("epsilon", epsilon, HINT)
        reach = need.whole("sensitivity", sensitivity, least=1)
        size = need.whole("dimension", dimension, least=1, most=LARGEST_DIMENSION)
        chosen = Cost.of(cost)
        self._fix(level, reach, size, best_vector_step(level, reach, size, exponent_of(chosen)), chosen)

    @classmethod
    def with_step(
        cls,
        *,
        epsilon: Number,
        sensitivity: Number,
        dimension: Number,
        step_width: Number,
        cost: CostLike = "absolute",
    ) -> "IntegerVectorStaircase":
        """The staircase with a step width of one's own, from 1 to the sensitivity."""
        reach = need.whole("sensitivity", sensitivity, least=1)
        step = need.whole("step_width", step_width, least=1, most=reach)
        size = need.whole("dimension", dimension, least=1, most=LARGEST_DIMENSION)
        chosen = Cost.of(cost)
        exponent_of(chosen)
        made = cls.__new__(cls)
        made._fix(need.level("epsilon", epsilon, HINT), reach, size, step, chosen)
        return made

    def _fix(self, epsilon: Fraction, sensitivity: int, dimension: int, step_width: int, cost: Cost) -> None:
        for name, value in zip(self.__slots__, (epsilon, sensitivity, dimension, step_width, cost), strict=True):
            object.__setattr__(self, name, value)
        within_64_bits(epsilon, sensitivity, dimension)

    def loss(self) -> PrivacyLoss:
        """Upper bound: any epsilon-private release; the exact loss of one pair of neighbours is not larger."""
        return PrivacyLoss.pure(self.epsilon)

    def mass_ball(self, norm: int) -> arb:
        """P(x) for one vector x with that l1 norm, as a certified ball at the working precision."""
        k, j = divmod(norm, self.sensitivity)
        level = k if j < self.step_width else k + 1
        return exp_ball(-self.epsilon * level) / self._mean_count(0)

    def mass(self, vector: Integers | list[int] | tuple[int, ...]) -> float:
        """P(noise = vector)."""
        values = [whole_value(x) for x in np.asarray(vector).ravel().tolist()]
        if len(values) != self.dimension:
            raise BadValue(f"The vector has {len(values)} numbers, and this noise {self.dimension}.")
        norm = sum(abs(x) for x in values)
        with precision(BALL_BITS):
            return float(self.mass_ball(norm))

    def norm_beyond(self, size: int) -> float:
        """P(|x₁| + … + |x_d| > size).

        Exact:  b^k (E N(r - 1 + (k + G)Δ) - N(size)) / E N(r - 1 + GΔ), with k the number of balls inside `size`.
        """
        with precision(self._digits()):
            return float(self._norm_beyond(size))

    def _norm_beyond(self, size: int) -> arb:
        if size < 0:
            return arb(1)
        inside = max(0, (size - self.step_width + 1) // self.sensitivity + 1)
        beyond = self._mean_count(inside) - arb(fmpz(points_within(self.dimension, size)))
        return exp_ball(-self.epsilon * inside) * beyond / self._mean_count(0)

    def interval(self, confidence: Number) -> int:
        """How far off the whole vector is at most in the l1 norm, with that probability."""
        outside = 1 - need.strictly_between("confidence", confidence, 0, 1)

        def inside(size: int) -> bool:
            with precision(self._digits()):
                return bool(self._norm_beyond(size) <= ball(outside))

        return least_whole(inside, above=-1)

    def risk(self) -> float:
        """The expected cost of the noise vector, for the cost that the mechanism was made for."""
        return self.risk_for(self.cost)

    def risk_for(self, cost: CostLike) -> float:
        """The expected cost of the noise vector: "absolute" (Σ|xᵢ|) or "squared" (Σ xᵢ²)."""
        return self.risk_bracket(cost).up

    def risk_bracket(self, cost: CostLike) -> Bracket:
        """Two doubles with the expected cost between them, proven."""
        exponent = exponent_of(Cost.of(cost))
        size, width = self.dimension, self.step_width
        return bracket(lambda: lattice_risk(self.epsilon, self.sensitivity, size, width, exponent))

    def draw_like(self, answers: NDArray[np.generic], bits: BitSource) -> Integers:
        """One noise vector, or one per row, in the shape of the answers."""
        if answers.ndim == 1:
            return np.array(self._sampler().draw(bits), dtype=np.int64)
        return self._sampler().draw_many(len(answers), bits)

    def release(self, answer: Integers | list[int] | tuple[int, ...], bits: BitSource = SYSTEM) -> Integers:
        """The answer with noise: one vector of d whole numbers, or an array of n vectors, n × d, at once."""
        answers = vectors_of(answer, self.dimension)
        if not np.issubdtype(answers.dtype, np.integer):
            raise BadValue(
                f"The answers are of type {answers.dtype}, but this noise is for whole numbers. "
                "Convert them to integers, or use VectorStaircase for real ones."
            )
        whole_in_range(answers)
        return answers.astype(np.int64) + self.draw_like(answers, bits)

    def _sampler(self) -> LatticeStaircaseDraw:
        return lattice_staircase_draw(self.epsilon, self.sensitivity, self.step_width, self.dimension)

    def _digits(self) -> int:
        """Enough bits for a difference of two counts, far out in the tail."""
        return BALL_BITS + 64 * self.dimension

    def _mean_count(self, inside: int) -> arb:
        first = self.step_width - 1 + inside * self.sensitivity
        return geometric_mean_of(_count_heads(first, self.sensitivity, self.dimension), self.epsilon)


def vectors_of(answer: object, dimension: int) -> NDArray[np.generic]:
    """The answers, refused unless they are one vector or rows of vectors of that dimension."""
    try:
        answers = plain_array(answer)
    except BadValue:
        raise
    except ValueError:
        raise BadValue(f"The answers are rows of different lengths. Give rows of {dimension} numbers each.") from None
    if answers.ndim not in (1, 2) or answers.shape[-1] != dimension:
        raise BadValue(
            f"The answers have the shape {answers.shape}. Give one vector of {dimension} numbers, or an array of "
            f"n × {dimension}."
        )
    return answers


@lru_cache(maxsize=256)
def _count_heads(first: int, period: int, dimension: int) -> tuple[int, ...]:
    return tuple(polynomial_differences(lambda k: points_within(dimension, first + k * period), dimension))


def lattice_risk(epsilon: Fraction, sensitivity: int, dimension: int, step_width: int, exponent: int) -> arb:
    """E Σ|xᵢ|^exponent on the lattice, exponent 1 or 2: a ratio of two averages over a geometric radius.

    A ball at the working precision.
    """
    within, degree = (sizes_within, dimension + 1) if exponent == 1 else (squares_within, dimension + 2)
    heads = polynomial_differences(lambda k: within(dimension, step_width - 1 + k * sensitivity), degree)
    counts = _count_heads(step_width - 1, sensitivity, dimension)
    return geometric_mean_of(heads, epsilon) / geometric_mean_of(counts, epsilon)


@lru_cache(maxsize=256)
def best_vector_step(epsilon: Fraction, sensitivity: int, dimension: int, exponent: int) -> int:
    """The step width with the least expected cost: all are compared where they are few, else those near gamma · Δ.

    On a fine lattice a ball of radius r - 1 has the volume of a real one of radius r - 1/2, so r ≈ gamma Δ + 1/2.
    """

    def risk(r: int) -> Fraction:
        with precision(BALL_BITS):
            return fraction_of(lattice_risk(epsilon, sensitivity, dimension, r, exponent).mid())

    if sensitivity <= _SCAN_ALL:
        return min(range(1, sensitivity + 1), key=risk)
    start = int(Fraction(best_gamma(epsilon, dimension, exponent)) * sensitivity + Fraction(1, 2))
    near = sorted({(start + shift - 1) % sensitivity + 1 for shift in (-1, 0, 1, 2)})
    return min(near, key=risk)


OFFERS = (
    Offer(
        name="staircase on the l1 ball",
        serves=Serves.INTEGER_VECTORS,
        kind=IntegerVectorStaircase,
        fits=lambda asked: asked.epsilon > 0 and asked.cost.exponent in (1, 2),
        make=lambda asked: IntegerVectorStaircase(
            epsilon=asked.epsilon, sensitivity=asked.steps, dimension=asked.dimension, cost=asked.cost
        ),
    ),
)


def examples() -> tuple[IntegerVectorStaircase, ...]:
    """A few of them, for tests and the gallery."""
    return (
        IntegerVectorStaircase(epsilon=1, sensitivity=3, dimension=2),
        IntegerVectorStaircase(epsilon=Fraction(1, 2), sensitivity=2, dimension=4, cost="squared"),
    )
