"""Uniform noise on the integers, for a guarantee with epsilon = 0."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from flint import arb

from banister import need
from banister.core.exact.numbers import Bracket, Number, ball, brief
from banister.core.laws.cost import Cost, CostLike
from banister.core.laws.power_sums import power_of, range_sum
from banister.core.privacy.guarantee import Guarantee
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import Undrawable
from banister.mechanisms.integers.integer_noise import Floats, IntegerNoise, Integers, whole_value
from banister.mechanisms.offers import NoiseQuestion, Offer, Serves
from banister.sampling.bernoulli import Coin
from banister.sampling.bits import BitSource
from banister.sampling.uniform import LARGEST, uniform_below, uniform_below_many


@dataclass(frozen=True, slots=True, init=False)
class Uniform(IntegerNoise):
    """Mass h = delta/Δ on each i with |i| < edge, and what is left evenly on ±edge.

    Private:  (0, delta)-DP for every delta in (0, 1], whole or not: the law is unimodal and every window of Δ
              neighbouring values holds at most delta (docs/math/uniform.md).
    Optimal:  among noises that ignore the answer, for sensitivity 1 and every cost ([G13] Thm 4.1, without its
              integrality condition); for |i|, every sensitivity, where 1/(2 delta) is whole. For i² and
              sensitivity ≥ 2 only nearly ([G13] Thm 4.3).

    >>> Uniform(delta="1/10", sensitivity=1).risk()
    2.5
    """

    moves_add_up: ClassVar[bool] = True

    delta: Fraction
    sensitivity: int
    cost: Cost

    def __init__(self, *, delta: Number, sensitivity: Number, cost: CostLike = "absolute") -> None:
        hint = "With delta = 0 and epsilon = 0 nothing can be published."
        chance = need.between("delta", delta, 0, 1)
        need.positive("delta", chance, hint)
        reach = need.whole("sensitivity", sensitivity, least=1)
        if not reach / chance <= LARGEST >> 1:
            raise Undrawable(
                f"sensitivity / delta = {brief(reach / chance)} grid steps reach beyond 64-bit integers. Take a "
                "coarser grid or a larger delta."
            )
        for name, value in zip(self.__slots__, (chance, reach, Cost.of(cost)), strict=True):
            object.__setattr__(self, name, value)

    @property
    def height(self) -> Fraction:
        """The mass of each value inside."""
        return self.delta / self.sensitivity

    @property
    def edge(self) -> int:
        """The largest value that the noise can have: what (1 - h)/2 holds in whole steps of h, rounded up.

        With delta = 1 everything is allowed, and no noise is the least.
        """
        return uniform_edge(self.delta, self.sensitivity)

    @property
    def scale(self) -> float:
        return max(1.0, float(1 / self.height) / 40)

    def loss(self) -> PrivacyLoss:
        """Upper bound: with probability delta everything, otherwise nothing.

        Exact at epsilon = 0, and everywhere where (1/h - 1)/2 is whole; elsewhere the edges are lighter, and neighbours
        share them.
        """
        return PrivacyLoss.of_guarantee(Guarantee(0, self.delta))

    def exact_mass(self, value: int) -> Fraction:
        """P(noise = value), a fraction."""
        size, edge = abs(whole_value(value)), self.edge
        if size > edge:
            return Fraction(0)
        if edge == 0:
            return Fraction(1)
        return self.height if size < edge else (1 - (2 * edge - 1) * self.height) / 2

    def mass_ball(self, value: int) -> arb:
        return ball(self.exact_mass(value))

    def at_least(self, size: Floats) -> Floats:
        inside = 1 - (2 * size - 1) * float(self.height)
        return np.where(size <= 0, 1.0, np.where(size > self.edge, 0.0, np.maximum(inside, 0.0)))

    def moment(self, exponent: Fraction, above: Fraction) -> arb:
        n, first = self.edge, int(above)
        if first >= n:
            return arb(0)
        inside = 2 * ball(self.height) * range_sum(exponent, first, n - 1)
        return inside + 2 * ball(self.exact_mass(n)) * power_of(arb(n), exponent)

    def risk_bracket(self, cost: CostLike) -> Bracket | None:
        """Exact where the cost is "absolute" or "squared": the expected cost is a fraction there."""
        exponent, n, h = Cost.of(cost).exponent, self.edge, self.height
        if exponent not in (1, 2):
            return IntegerNoise.risk_bracket(self, cost)
        inner = n * (n - 1) if exponent == 1 else Fraction((n - 1) * n * (2 * n - 1), 3)
        return Bracket.of_exact(h * inner + 2 * self.exact_mass(n) * n ** int(exponent) if n else Fraction(0))

    def draw(self, bits: BitSource) -> int:
        edge = self.edge
        while True:
            value = uniform_below(2 * edge + 1, bits) - edge
            if abs(value) < edge or edge == 0 or self._edge_coin().draw(bits):
                return value

    def draw_many(self, count: int, bits: BitSource) -> Integers:
        edge = self.edge
        values = uniform_below_many(2 * edge + 1, count, bits) - edge
        at_edge = np.flatnonzero(np.abs(values) == edge) if edge else np.empty(0, dtype=np.int64)
        while at_edge.size:
            at_edge = at_edge[~self._edge_coin().draw_many(at_edge.size, bits)]
            values[at_edge] = uniform_below_many(2 * edge + 1, at_edge.size, bits) - edge
            at_edge = at_edge[np.abs(values[at_edge]) == edge]
        return values

    def _edge_coin(self) -> Coin:
        """Keeps an edge value as often as its mass is smaller than that of an inner one."""
        return Coin(self.exact_mass(self.edge) / self.height)


def known_to_be_best(asked: NoiseQuestion) -> str:
    """Where uniform noise is known to be the best for epsilon = 0."""
    if asked.epsilon > 0:
        return ""
    if asked.steps == 1:
        return "[G13] Thm 4.1"
    whole = (1 / (2 * asked.delta)).denominator == 1
    return "1/(2 delta) whole: [G13] Thm 4.3" if whole and asked.cost.exponent == 1 else ""


def uniform_edge(delta: Fraction, sensitivity: int) -> int:
    """The largest value of uniform noise, whether it can be drawn or not."""
    return 0 if delta == 1 else math.ceil((sensitivity / delta - 1) / 2)


OFFERS = (
    Offer(
        name="uniform",
        serves=Serves.INTEGERS,
        kind=Uniform,
        fits=lambda asked: asked.delta > 0,
        make=lambda asked: Uniform(delta=asked.delta, sensitivity=asked.steps, cost=asked.cost),
        optimal=known_to_be_best,
        on_grid=True,
    ),
)


def examples() -> tuple[Uniform, ...]:
    """A few of them, for the contract tests and the gallery."""
    return (
        Uniform(delta=Fraction(1, 10), sensitivity=1),
        Uniform(delta=Fraction(13, 100), sensitivity=3),
    )
