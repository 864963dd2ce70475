"""Uniform noise on a cube: whole vectors, epsilon = 0, where neighbours move the sum of the sizes."""

from dataclasses import dataclass
from fractions import Fraction

from banister import need
from banister.core.exact.numbers import BALL_BITS, Bracket, Number, ball, float_down, float_up, precision
from banister.core.exact.search import least_whole
from banister.core.laws.cost import Cost, CostLike
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue
from banister.mechanisms.integers.integer_noise import Integers
from banister.mechanisms.integers.uniform import Uniform, known_to_be_best
from banister.mechanisms.offers import Offer, Serves
from banister.mechanisms.vectors.integer_vector_staircase import vectors_of
from banister.sampling.bits import SYSTEM, BitSource


@dataclass(frozen=True, slots=True, init=False)
class UniformCube:
    """Add uniform noise to each of d whole numbers: the mass (delta/Δ)^d on each point inside the cube |x_m| < edge.

    Private:  (0, delta)-DP when neighbours move the vector by at most Δ in the l1 norm. A move by v uncovers at most
              1 - Π(1 - |v_m| delta/Δ) ≤ delta of the cube ([G13] sec. 4.5), the light edges included
              (docs/math/uniform.md).
    Optimal:  among noises that ignore the answer, where uniform noise is for one number: each coordinate alone must be
              private, and costs add up. So for "absolute" and whole 1/(2 delta) it costs dΔ/(4 delta), the least
              ([G13] Thm 4.3).

    The cost is added up over the coordinates, whatever it is.

    >>> noise = UniformCube(delta="1/10", sensitivity=3, dimension=2)
    >>> noise.risk(), noise.release([41, 7]).dtype.kind
    (15.0, 'i')
    """

    delta: Fraction
    sensitivity: int
    dimension: int
    side: Uniform
    """The noise of each coordinate."""

    def __init__(self, *, delta: Number, sensitivity: Number, dimension: Number, cost: CostLike = "absolute") -> None:
        size, side = (
            need.whole("dimension", dimension, least=1),
            Uniform(delta=delta, sensitivity=sensitivity, cost=cost),
        )
        for name, value in zip(self.__slots__, (side.delta, side.sensitivity, size, side), strict=True):
            object.__setattr__(self, name, value)

    @property
    def cost(self) -> Cost:
        """The cost of one number; it is added up over the coordinates."""
        return self.side.cost

    @property
    def edge(self) -> int:
        """The largest value that the noise of a coordinate can have."""
        return self.side.edge

    def loss(self) -> PrivacyLoss:
        """Upper bound: with probability delta everything, otherwise nothing. Exact at epsilon = 0."""
        return self.side.loss()

    def exact_mass(self, vector: Integers | list[int] | tuple[int, ...]) -> Fraction:
        """P(noise = vector), a fraction."""
        if len(vector) != self.dimension:
            raise BadValue(f"The vector has {len(vector)} numbers, and this noise {self.dimension}.")
        found = Fraction(1)
        for value in vector:
            found *= self.side.exact_mass(int(value) if hasattr(value, "dtype") else value)
        return found

    def interval(self, confidence: Number) -> int:
        """How far off each number is at most, all of them at once, with that probability."""
        wanted = need.strictly_between("confidence", confidence, 0, 1)

        def inside(size: int) -> bool:
            with precision(BALL_BITS):
                one = ball(1 if size >= self.edge else (2 * size + 1) * self.side.height)
                return bool(one**self.dimension >= ball(wanted))

        return least_whole(inside, above=-1)

    def risk(self) -> float:
        """The expected cost of the whole vector: the sum over its coordinates."""
        return self.risk_for(self.cost)

    def risk_for(self, cost: CostLike) -> float:
        """The expected cost of the whole vector, for any cost that is added up over coordinates."""
        proven = self.risk_bracket(cost)
        return self.dimension * self.side.risk_for(cost) if proven is None else proven.up

    def risk_bracket(self, cost: CostLike) -> Bracket | None:
        """Two doubles with the expected cost between them, proven; None for a cost that only doubles know."""
        one, size = self.side.risk_bracket(cost), self.dimension
        if one is None:
            return None
        return Bracket(float_down(size * Fraction(one.down)), float_up(size * Fraction(one.up)))

    def release(self, answer: Integers | list[int] | tuple[int, ...], bits: BitSource = SYSTEM) -> Integers:
        """The answer with noise: one vector of d whole numbers, or an array of n vectors, n × d, at once."""
        answers: Integers = vectors_of(answer, self.dimension)  # type: ignore[assignment]
        return self.side.release(answers, bits)


OFFERS = (
    Offer(
        name="uniform cube",
        serves=Serves.INTEGER_VECTORS,
        kind=UniformCube,
        fits=lambda asked: asked.delta > 0,
        make=lambda asked: UniformCube(
            delta=asked.delta, sensitivity=asked.steps, dimension=asked.dimension, cost=asked.cost
        ),
        optimal=known_to_be_best,
        instead_of=Uniform,
    ),
)


def examples() -> tuple[UniformCube, ...]:
    """A few of them, for the contract tests and the gallery."""
    return (
        UniformCube(delta=Fraction(1, 10), sensitivity=3, dimension=2),
        UniformCube(delta=Fraction(2, 7), sensitivity=2, dimension=3, cost="squared"),
    )
