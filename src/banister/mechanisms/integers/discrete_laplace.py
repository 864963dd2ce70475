"""Discrete Laplace noise: the baseline on the integers that people know."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from flint import arb

from banister import need
from banister.core.exact.numbers import BALL_BITS, Number, exp_ball, precision
from banister.core.laws.cost import Cost, CostLike
from banister.core.laws.staircases import stair_moment
from banister.core.privacy.loss import PrivacyLoss
from banister.mechanisms.integers.integer_noise import Floats, IntegerNoise, Integers
from banister.mechanisms.integers.integer_staircase import two_sided_tail
from banister.mechanisms.offers import HINT, Offer, Serves
from banister.sampling.bits import BitSource
from banister.sampling.staircase import StaircaseDraw, staircase_draw

_MOST_ATOMS = 512


@dataclass(frozen=True, slots=True, init=False)
class DiscreteLaplace(IntegerNoise):
    """Add i with P(i) ∝ e^(-epsilon |i| / sensitivity).

    Private:  pure epsilon-DP. Beyond sensitivity 1 it gives away less under composition than a staircase does.
    Optimal:  for sensitivity 1, among noises that ignore the answer, where it is `Geometric`; above it, never for the
              costs that a staircase is made for.

    >>> round(DiscreteLaplace(epsilon=1, sensitivity=5).risk(), 4)
    4.9668
    """

    moves_add_up: ClassVar[bool] = True

    epsilon: Fraction
    sensitivity: int
    cost: Cost

    def __init__(self, *, epsilon: Number, sensitivity: Number, cost: CostLike = "absolute") -> None:
        object.__setattr__(self, "epsilon", need.level("epsilon", epsilon, HINT))
        object.__setattr__(self, "sensitivity", need.whole("sensitivity", sensitivity, least=1))
        object.__setattr__(self, "cost", Cost.of(cost))
        self._sampler()

    @property
    def scale(self) -> float:
        return max(1.0, float(self.sensitivity / self.epsilon))

    def loss(self) -> PrivacyLoss:
        """Atoms at (Δ - 2m)·epsilon/Δ, m = 0 … Δ.

        Exact up to 512 atoms. Beyond, upper bound: delta(t) = 1 - l^m at t = (Δ - 2m)·epsilon/Δ with l = e^(-epsilon/Δ)
        is convex in e^t, so joining fewer of these points by chords only adds to it.
        """
        reach = self.sensitivity
        half = (
            [reach * i // _MOST_ATOMS for i in range(_MOST_ATOMS // 2)]
            if reach > _MOST_ATOMS
            else range(reach // 2 + 1)
        )
        kept = sorted({*half, *(reach - m for m in half)})
        with precision(BALL_BITS):
            return PrivacyLoss.of_atoms(self._chords(kept), infinite=arb(0))

    def _chords(self, kept: list[int]) -> list[tuple[Fraction, arb]]:
        """The law whose delta, as a function of e^t, is the polygon through the kept points."""
        rate, reach = self.epsilon / self.sensitivity, self.sensitivity
        odds = [exp_ball((reach - 2 * m) * rate) for m in kept]
        deltas = [1 - exp_ball(-m * rate) for m in kept]
        slopes = [arb(0)]
        slopes += [(deltas[i] - deltas[i + 1]) / (odds[i] - odds[i + 1]) for i in range(len(kept) - 1)]
        slopes.append(arb(-1))
        # The mass at a corner, under the other neighbour, is by how much the slope changes there.
        return [((reach - 2 * m) * rate, odds[i] * (slopes[i] - slopes[i + 1])) for i, m in enumerate(kept)]

    def mass_ball(self, value: int) -> arb:
        l = exp_ball(-self.epsilon / self.sensitivity)  # noqa: E741
        return (1 - l) / (1 + l) * exp_ball(-self.epsilon * abs(value) / self.sensitivity)

    def at_least(self, size: Floats) -> Floats:
        return two_sided_tail(size, float(self.epsilon / self.sensitivity), 1.0, 1.0)

    def moment(self, exponent: Fraction, above: Fraction) -> arb:
        return stair_moment(self.epsilon / self.sensitivity, 1, 1, exponent, above)

    def draw(self, bits: BitSource) -> int:
        return self._sampler().draw(bits)

    def draw_many(self, count: int, bits: BitSource) -> Integers:
        return self._sampler().draw_many(count, bits)

    def _sampler(self) -> StaircaseDraw:
        return staircase_draw(self.epsilon / self.sensitivity, 1, 1)


OFFERS = (
    Offer(
        name="discrete Laplace",
        serves=Serves.INTEGERS,
        kind=DiscreteLaplace,
        fits=lambda asked: asked.epsilon > 0 and asked.steps > 1,
        make=lambda asked: DiscreteLaplace(epsilon=asked.epsilon, sensitivity=asked.steps, cost=asked.cost),
    ),
)


def examples() -> tuple[DiscreteLaplace, ...]:
    """A few of them, for the contract tests and the gallery."""
    return (
        DiscreteLaplace(epsilon=1, sensitivity=3),
        DiscreteLaplace(epsilon=Fraction(1, 2), sensitivity=1),
    )
