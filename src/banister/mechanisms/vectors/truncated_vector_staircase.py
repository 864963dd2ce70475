"""Staircase noise on an l1 ball: whole vectors, with a delta, where neighbours move the sum of the sizes."""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, pairwise

import numpy as np
from flint import arb, fmpz
from numpy.typing import NDArray

from banister import need
from banister.core.exact.numbers import BALL_BITS, Bracket, Number, ball, exp_ball, fraction_up, precision
from banister.core.exact.search import least_whole
from banister.core.laws.cost import Cost, CostLike
from banister.core.laws.lattice import points_within, sizes_within, squares_within
from banister.core.laws.pieces import bracket
from banister.core.privacy.guarantee import Guarantee
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue
from banister.mechanisms.integers.integer_noise import Integers, whole_in_range
from banister.mechanisms.offers import HINT, NoiseQuestion, Offer, Serves
from banister.mechanisms.vectors.integer_vector_staircase import LARGEST_DIMENSION, best_vector_step, vectors_of
from banister.mechanisms.vectors.radial import exponent_of
from banister.sampling.bits import SYSTEM, BitSource
from banister.sampling.lattice import uniform_in_ball, uniform_in_balls
from banister.sampling.table import ExactTable

MOST_LEVELS = 2000
"""Steps of the staircase that are kept; a smaller epsilon needs more."""
_SCAN_ALL = 8
_PARTS = 1 << 64
"""The outermost step is lowered to a multiple of 2^-64 of its height."""


@dataclass(frozen=True, slots=True, init=False)
class TruncatedVectorStaircase:
    """Add x in Z^d with P(x) ~ b^k on the k-th shell up to the last, which is lower, and 0 beyond; b = e^-epsilon.

    The balls |x₁| + … + |x_d| ≤ r - 1 + kΔ, k = 0 … n, part the shells; the last has the height last · b^n, last ≤ 1.

    Private:  (epsilon, delta)-DP when neighbours move the vector by at most Δ in the l1 norm. Within the staircase
              the mass changes by at most b, so delta is what a move carries out of the last ball, and what the lowered
              step lacks; both are largest for a move of one coordinate by Δ, and counted exactly
              (docs/math/vector-staircase.md). For d = 1 and Δ = 1 it is the truncated staircase, which is optimal.
    Optimal:  not claimed for d > 1. [G13] sec. 4.5 has the uniform cube at epsilon = 0, and no noise between.

    The cost is "absolute" (Σ|xᵢ|) or "squared" (Σ xᵢ²) of the whole vector.

    >>> noise = TruncatedVectorStaircase(epsilon=1, delta="1/20", sensitivity=1, dimension=2)
    >>> noise.edge, round(noise.risk(), 4), noise.release([3, 4]).shape
    (4, 1.4363, (2,))
    """

    epsilon: Fraction
    delta: Fraction
    sensitivity: int
    dimension: int
    step_width: int
    levels: int
    """n, the number of the outermost step."""
    last: Fraction
    """How high the outermost step is, as a part of b^n."""
    cost: Cost
    _radii: ExactTable = field(repr=False, compare=False)

    def __init__(
        self,
        *,
        epsilon: Number,
        delta: Number,
        sensitivity: Number,
        dimension: Number,
        cost: CostLike = "absolute",
    ) -> None:
        level, chosen = need.level("epsilon", epsilon, HINT), Cost.of(cost)
        slack = need.strictly_between("delta", delta, 0, 1)
        reach = need.whole("sensitivity", sensitivity, least=1)
        size = need.whole("dimension", dimension, least=1, most=LARGEST_DIMENSION)
        exponent = exponent_of(chosen)
        tried = (
            _shape(level, slack, reach, size, r)
            for r in (range(1, reach + 1) if reach <= _SCAN_ALL else (best_vector_step(level, reach, size, exponent),))
        )
        with precision(BALL_BITS):
            best = min(tried, key=lambda shape: float(shape.mean(exponent)))
        table = ExactTable(_Cumulative(best))
        values = (level, slack, reach, size, best.step_width, best.levels, best.last, chosen, table)
        for name, value in zip(self.__slots__, values, strict=True):
            object.__setattr__(self, name, value)

    @property
    def edge(self) -> int:
        """The largest l1 norm that the noise can have."""
        return self.step_width - 1 + self.levels * self.sensitivity

    @property
    def _shape(self) -> "_Shape":
        return _Shape(self.epsilon, self.sensitivity, self.dimension, self.step_width, self.levels, self.last)

    def loss(self) -> PrivacyLoss:
        """Upper bound: any (epsilon, delta)-private release; exact at epsilon."""
        return PrivacyLoss.of_guarantee(Guarantee(self.epsilon, self.delta))

    def mass_ball(self, norm: int) -> arb:
        """P(x) for one vector x with that l1 norm, as a certified ball at the working precision."""
        shape = self._shape
        if norm > self.edge:
            return arb(0)
        shell = max(0, -(-(norm - self.step_width + 1) // self.sensitivity))
        return shape.height(shell) / shape.total()

    def norm_beyond(self, size: int) -> float:
        """P(|x₁| + … + |x_d| > size)."""
        with precision(BALL_BITS):
            return float(self._beyond(size))

    def _beyond(self, size: int) -> arb:
        shape = self._shape
        outside = arb(0)
        for place, weight in enumerate(shape.weights()):
            radius = self.step_width - 1 + place * self.sensitivity
            if radius > size:
                held = points_within(self.dimension, size) if size >= 0 else 0
                outside += weight * (1 - ball(Fraction(held, points_within(self.dimension, radius))))
        return outside / shape.total()

    def interval(self, confidence: Number) -> int:
        """How far off the whole vector is at most in the l1 norm, with that probability."""
        outside = 1 - need.strictly_between("confidence", confidence, 0, 1)

        def inside(size: int) -> bool:
            with precision(BALL_BITS):
                return size >= self.edge or bool(self._beyond(size) <= ball(outside))

        return least_whole(inside, above=-1)

    def risk(self) -> float:
        """The expected cost of the noise vector, for the cost that the mechanism was made for."""
        return self.risk_for(self.cost)

    def risk_for(self, cost: CostLike) -> float:
        """The expected cost of the noise vector: "absolute" (Σ|xᵢ|) or "squared" (Σ xᵢ²)."""
        return self.risk_bracket(cost).up

    def risk_bracket(self, cost: CostLike) -> Bracket:
        """Two doubles with the expected cost between them, proven."""
        exponent, shape = exponent_of(Cost.of(cost)), self._shape
        return bracket(lambda: shape.mean(exponent))

    def draw_like(self, answers: NDArray[np.generic], bits: BitSource) -> Integers:
        """One noise vector, or one per row, in the shape of the answers."""
        if answers.ndim == 1:
            radius = self.step_width - 1 + self._radii.draw(bits) * self.sensitivity
            return np.array(uniform_in_ball(radius, self.dimension, bits), dtype=np.int64)
        shells = self._radii.draw_many(len(answers), bits).astype(np.int64)
        return uniform_in_balls(self.step_width - 1 + shells * self.sensitivity, self.dimension, bits)

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


@dataclass(frozen=True, slots=True)
class _Shape:
    """The heights of all shells; balls at the working precision."""

    epsilon: Fraction
    sensitivity: int
    dimension: int
    step_width: int
    levels: int
    last: Fraction

    def height(self, shell: int) -> arb:
        found = exp_ball(-self.epsilon * shell)
        return found * ball(self.last) if shell == self.levels else found

    def counts(self) -> list[int]:
        return [
            points_within(self.dimension, self.step_width - 1 + shell * self.sensitivity)
            for shell in range(self.levels + 1)
        ]

    def _drops(self) -> list[arb]:
        heights = [*(self.height(shell) for shell in range(self.levels + 1)), arb(0)]
        return [before - after for before, after in pairwise(heights)]

    def weights(self) -> list[arb]:
        """The law is a mixture of uniform ones on the balls: by how much the height falls, times the points."""
        return [drop * arb(fmpz(count)) for drop, count in zip(self._drops(), self.counts(), strict=True)]

    def total(self) -> arb:
        return sum(self.weights(), arb(0))

    def mean(self, exponent: int) -> arb:
        """E Σ|xᵢ|^exponent, exponent 1 or 2."""
        within = sizes_within if exponent == 1 else squares_within
        radii = (self.step_width - 1 + shell * self.sensitivity for shell in range(self.levels + 1))
        sums = (arb(fmpz(within(self.dimension, radius))) for radius in radii)
        return sum((drop * one for drop, one in zip(self._drops(), sums, strict=True)), arb(0)) / self.total()


class _Cumulative:
    """P(ball ≤ k) for all but the last, at the working precision."""

    def __init__(self, shape: _Shape) -> None:
        self.shape = shape

    def __call__(self) -> list[arb]:
        weights = self.shape.weights()
        total = sum(weights, arb(0))
        return [part / total for part in accumulate(weights)][:-1]


def uncovered(dimension: int, radius: int, move: int) -> int:
    """How many points of the l1 ball leave it when one coordinate moves by so much.

    Exact:  points that stay are those of the ball of radius - move/2 for an even move; for an odd one, with
            s = radius - (move + 1)/2, as many as within s in d and in d - 1 dimensions together.

    >>> uncovered(2, 2, 1), uncovered(2, 2, 2)
    (5, 8)
    """
    stay = radius - (move + 1) // 2
    if stay < 0:
        return points_within(dimension, radius)
    kept = points_within(dimension, stay) + (points_within(dimension - 1, stay) if move % 2 else 0)
    return points_within(dimension, radius) - kept


@lru_cache(maxsize=256)
def _shape(epsilon: Fraction, delta: Fraction, sensitivity: int, dimension: int, step_width: int) -> _Shape:
    """The smallest staircase with this step that is (epsilon, delta)-private, its last step as low as it may be."""
    with precision(BALL_BITS):
        slack, mass, inside, before = ball(delta), arb(0), 0, arb(0)
        for n in range(MOST_LEVELS + 1):
            height, radius = exp_ball(-epsilon * n), step_width - 1 + n * sensitivity
            points = points_within(dimension, radius)
            shell = arb(fmpz(points - inside))
            leaving = height * arb(fmpz(uncovered(dimension, radius, sensitivity)))
            if leaving <= slack * (mass + height * shell):
                last = Fraction(1)
                if n:
                    short = before + slack * height * shell - leaving
                    part = (before - slack * mass) / short
                    last = min(last, Fraction(-(-(fraction_up(part) * _PARTS) // 1), _PARTS))
                return _Shape(epsilon, sensitivity, dimension, step_width, n, last)
            mass, inside, before = mass + height * shell, points, leaving
    raise BadValue(
        f"At epsilon = {float(epsilon):.3g} and delta = {float(delta):.3g} this staircase has more than {MOST_LEVELS} "
        "steps. Take a larger epsilon or delta, or IntegerVectorStaircase, which needs no delta."
    )


def _fits(asked: NoiseQuestion) -> bool:
    if not (asked.epsilon > 0 and 0 < asked.delta < 1 and asked.cost.exponent in (1, 2)):
        return False
    if asked.dimension > LARGEST_DIMENSION:
        return False
    try:
        _shape(asked.epsilon, asked.delta, asked.steps, asked.dimension, 1)
    except BadValue:
        return False
    return True


OFFERS = (
    Offer(
        name="truncated staircase on the l1 ball",
        serves=Serves.INTEGER_VECTORS,
        kind=TruncatedVectorStaircase,
        fits=_fits,
        make=lambda asked: TruncatedVectorStaircase(
            epsilon=asked.epsilon,
            delta=asked.delta,
            sensitivity=asked.steps,
            dimension=asked.dimension,
            cost=asked.cost,
        ),
    ),
)


def examples() -> tuple[TruncatedVectorStaircase, ...]:
    """A few of them, for tests and the gallery."""
    return (
        TruncatedVectorStaircase(epsilon=1, delta=Fraction(1, 20), sensitivity=2, dimension=2),
        TruncatedVectorStaircase(
            epsilon=Fraction(1, 2), delta=Fraction(1, 50), sensitivity=3, dimension=3, cost="squared"
        ),
    )
