"""Two-sided geometric noise for counts: one noise that is best for every cost."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

from flint import arb

from banister import need
from banister.core.exact.numbers import Number, exp_ball
from banister.core.laws.cost import Cost, CostLike
from banister.core.laws.staircases import stair_moment
from banister.core.privacy.loss import PrivacyLoss
from banister.mechanisms.integers.integer_noise import Floats, IntegerNoise, Integers
from banister.mechanisms.integers.integer_staircase import two_sided_tail
from banister.mechanisms.offers import HINT, Offer, Serves
from banister.sampling.bits import BitSource
from banister.sampling.staircase import staircase_draw


@dataclass(frozen=True, slots=True, init=False)
class Geometric(IntegerNoise):
    """Add i with P(i) = (1 - b)/(1 + b) · b^|i|, where b = e^-epsilon.

    Private:  pure epsilon-DP when neighbours move the count by at most 1. The ratio e^epsilon is attained, so no
              smaller epsilon holds.
    Optimal:  among noises that ignore the count, least expected cost for every admissible cost at once
              ([G13] Thm 2.12); under composition of counts, the largest region that any epsilon-DP mechanism reaches
              ([KOV15] Thm 4.4).

    >>> round(Geometric(epsilon=1).risk(), 5)
    0.85092
    """

    moves_add_up: ClassVar[bool] = True

    epsilon: Fraction
    sensitivity: int = field(repr=False)
    """1: the noise is for counts."""
    cost: Cost

    def __init__(self, *, epsilon: Number, cost: CostLike = "absolute") -> None:
        object.__setattr__(self, "epsilon", need.level("epsilon", epsilon, HINT))
        object.__setattr__(self, "sensitivity", 1)
        object.__setattr__(self, "cost", Cost.of(cost))

    @property
    def scale(self) -> float:
        return float(1 / min(self.epsilon, Fraction(1)))

    def loss(self) -> PrivacyLoss:
        """That of randomized response, exactly."""
        return PrivacyLoss.pure(self.epsilon)

    def mass_ball(self, value: int) -> arb:
        return (1 - exp_ball(-self.epsilon)) / (1 + exp_ball(-self.epsilon)) * exp_ball(-self.epsilon * abs(value))

    def at_least(self, size: Floats) -> Floats:
        return two_sided_tail(size, float(self.epsilon), 1.0, 1.0)

    def moment(self, exponent: Fraction, above: Fraction) -> arb:
        return stair_moment(self.epsilon, 1, 1, exponent, above)

    def draw(self, bits: BitSource) -> int:
        return staircase_draw(self.epsilon, 1, 1).draw(bits)

    def draw_many(self, count: int, bits: BitSource) -> Integers:
        return staircase_draw(self.epsilon, 1, 1).draw_many(count, bits)


OFFERS = (
    Offer(
        name="geometric",
        serves=Serves.INTEGERS,
        kind=Geometric,
        fits=lambda asked: asked.epsilon > 0 and asked.steps == 1,
        make=lambda asked: Geometric(epsilon=asked.epsilon, cost=asked.cost),
        optimal=lambda asked: "" if asked.delta else "[G13] Thm 2.12",
    ),
)


def examples() -> tuple[Geometric, ...]:
    """A few of them, for the contract tests and the gallery."""
    return (
        Geometric(epsilon=Fraction(1, 10)),
        Geometric(epsilon=3),
    )
