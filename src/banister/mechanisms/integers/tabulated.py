"""Noise on finitely many whole numbers, given mass by mass; the optimum for (epsilon, delta) is one of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache

import numpy as np
from flint import arb

from banister import need
from banister.core.exact.numbers import Bracket, Number, ball
from banister.core.laws.cost import Cost, CostLike
from banister.core.laws.power_sums import power_of
from banister.core.privacy.guarantee import Guarantee
from banister.core.privacy.loss import PrivacyLoss
from banister.core.programs.linear import LinearSolver
from banister.errors import BadValue
from banister.mechanisms.integers.integer_noise import Floats, IntegerNoise, Integers, whole_value
from banister.mechanisms.integers.lower_bounds import lower_bound
from banister.mechanisms.integers.tabulated_program import hockey_stick_up, least_table
from banister.mechanisms.integers.truncated_staircase import TruncatedStaircase
from banister.mechanisms.integers.uniform import Uniform
from banister.mechanisms.offers import NoiseQuestion, Offer, Serves
from banister.sampling.bits import BitSource
from banister.sampling.table import ExactTable

_LARGEST_PROGRAM = 1000
"""Linear programs with more than so many sizes times shifts are left out."""


@dataclass(frozen=True, slots=True, init=False)
class TabulatedNoise(IntegerNoise):
    """Add i with P(i) = masses[|i|], exact fractions; nothing beyond the last of them.

    Private:  (epsilon, delta)-DP for the given epsilon when neighbours move the answer by at most the sensitivity Δ.
              delta is the largest hockey-stick sum Σ_i max(0, P(i) - e^epsilon P(i + d)) over all shifts d = 1 … Δ,
              computed in exact arithmetic and rounded up.
    Optimal:  `least` solves a linear program for the noise of least expected cost among those that ignore the answer
              ([G13] sec. 4.2), and repairs what it finds so that the guarantee holds for certain; `least_with_bound`
              also proves how near it is.

    >>> noise = TabulatedNoise(masses=["1/2", "1/4"], epsilon=0, sensitivity=1)
    >>> noise.delta, noise.risk()
    (Fraction(1, 2), 0.5)
    """

    epsilon: Fraction
    delta: Fraction
    """The least delta that holds with this epsilon, rounded up to an exact fraction."""
    sensitivity: int
    cost: Cost
    masses: tuple[Fraction, ...] = field(repr=False)
    """P(0), P(1) = P(-1), P(2) = P(-2), …"""
    _tails: Floats = field(repr=False, compare=False)
    _table: ExactTable = field(repr=False, compare=False)

    def __init__(
        self, *, masses: Sequence[Number], epsilon: Number, sensitivity: Number, cost: CostLike = "absolute"
    ) -> None:
        exact = _checked(masses)
        level = need.between("epsilon", epsilon, 0, need.LARGEST_EPSILON)
        reach = need.whole("sensitivity", sensitivity, least=1)
        delta = hockey_stick_up(exact, level, reach)
        both = np.array([float(exact[0]), *(2 * float(mass) for mass in exact[1:])])
        tails = np.append(np.cumsum(both[::-1])[::-1], 0.0)
        values = (level, delta, reach, Cost.of(cost), exact, tails, ExactTable(_cumulative(exact)))
        for name, value in zip(self.__slots__, values, strict=True):
            object.__setattr__(self, name, value)

    @classmethod
    def least(
        cls,
        *,
        epsilon: Number,
        delta: Number,
        sensitivity: Number,
        solver: LinearSolver,
        cost: CostLike = "absolute",
    ) -> "TabulatedNoise":
        """The noise of least expected cost for (epsilon, delta), for a small sensitivity."""
        return cls.least_with_bound(epsilon=epsilon, delta=delta, sensitivity=sensitivity, solver=solver, cost=cost)[0]

    @classmethod
    def least_with_bound(
        cls,
        *,
        epsilon: Number,
        delta: Number,
        sensitivity: Number,
        solver: LinearSolver,
        cost: CostLike = "absolute",
    ) -> tuple["TabulatedNoise", float]:
        """The same, and a certified lower bound on the expected cost of every (epsilon, delta)-private noise.

        The bound is read from the dual values in exact arithmetic and rounded down; it holds for noise of any support,
        whatever the solver did.
        """
        level = need.between("epsilon", epsilon, 0, need.LARGEST_EPSILON)
        chance = need.strictly_between("delta", delta, 0, 1, "For delta = 0 use IntegerStaircase.")
        reach = need.whole("sensitivity", sensitivity, least=1)
        chosen = Cost.of(cost)
        masses, bound = least_table(level, chance, reach, chosen, solver)
        if chosen.exponent in (1, 2):
            bound = max(bound, lower_bound(epsilon=level, delta=chance, sensitivity=reach, cost=chosen))
        return cls(masses=masses, epsilon=level, sensitivity=reach, cost=chosen), bound

    @property
    def edge(self) -> int:
        """The largest value that the noise can have."""
        return len(self.masses) - 1

    @property
    def scale(self) -> float:
        return max(1.0, self.edge / 40)

    def loss(self) -> PrivacyLoss:
        """Upper bound: the worst of its (epsilon, delta) and of its total variation distance, which is exact."""
        distance = hockey_stick_up(self.masses, Fraction(0), self.sensitivity)
        return PrivacyLoss.of_distance(Guarantee(self.epsilon, self.delta), distance)

    def exact_mass(self, value: int) -> Fraction:
        """P(noise = value), a fraction."""
        size = abs(whole_value(value))
        return self.masses[size] if size <= self.edge else Fraction(0)

    def mass_ball(self, value: int) -> arb:
        return ball(self.exact_mass(value))

    def at_least(self, size: Floats) -> Floats:
        places = np.clip(size, 0, self.edge + 1).astype(np.int64)
        return np.asarray(np.where(size <= 0, 1.0, self._tails[places]), dtype=np.float64)

    def moment(self, exponent: Fraction, above: Fraction) -> arb:
        places = range(int(above) + 1, self.edge + 1)
        return sum((2 * ball(self.masses[i]) * power_of(arb(i), exponent) for i in places), arb(0))

    def risk_bracket(self, cost: CostLike) -> Bracket | None:
        """Exact where the cost is a whole power: the expected cost is a fraction there."""
        exponent = Cost.of(cost).exponent
        if exponent is None or exponent.denominator != 1:
            return IntegerNoise.risk_bracket(self, cost)
        total = sum((2 * mass * i ** int(exponent) for i, mass in enumerate(self.masses) if i), Fraction(0))
        return Bracket.of_exact(total)

    def draw(self, bits: BitSource) -> int:
        return self._table.draw(bits) - self.edge

    def draw_many(self, count: int, bits: BitSource) -> Integers:
        return self._table.draw_many(count, bits).astype(np.int64) - self.edge


def _checked(masses: Sequence[Number]) -> tuple[Fraction, ...]:
    if isinstance(masses, str) or not hasattr(masses, "__iter__"):
        raise BadValue(f"masses = {masses!r} must be a list of numbers: P(0), P(1), P(2), and so on.")
    exact = [need.non_negative(f"masses[{place}]", mass) for place, mass in enumerate(masses)]
    total = sum(exact[:1], Fraction(0)) + 2 * sum(exact[1:], Fraction(0))
    if total != 1:
        raise BadValue(
            f"The masses add up to {float(total):.12g}, counting those beyond 0 twice, and must add up to exactly 1. "
            "Give fractions such as '1/3', and divide by their sum."
        )
    while not exact[-1]:
        exact.pop()
    return tuple(exact)


class _cumulative:  # noqa: N801  (a function with its parameters)
    """P(noise ≤ i) for i from the least value to the last but one."""

    def __init__(self, masses: tuple[Fraction, ...]) -> None:
        self.sums: list[Fraction] = []
        total = Fraction(0)
        for mass in [*masses[:0:-1], *masses][:-1]:
            total += mass
            self.sums.append(total)

    def __call__(self) -> list[arb]:
        return [ball(share) for share in self.sums]


@lru_cache(maxsize=4)
def _solved(epsilon: Fraction, delta: Fraction, sensitivity: int, cost: Cost) -> tuple[TabulatedNoise, float]:
    from banister.core.programs.highs import HighsSolver

    return TabulatedNoise.least_with_bound(
        epsilon=epsilon, delta=delta, sensitivity=sensitivity, cost=cost, solver=HighsSolver()
    )


def _optimum(asked: NoiseQuestion) -> tuple[TabulatedNoise, float]:
    """The optimum by linear program, and its certified lower bound."""
    return _solved(asked.epsilon, asked.delta, asked.steps, asked.cost)


def _small_enough(asked: NoiseQuestion) -> bool:
    """A program of few sizes times shifts; beyond, the truncated staircase is as good."""
    if not (0 < asked.delta < 1 and 1 < asked.steps <= _LARGEST_PROGRAM):
        return False
    cut: IntegerNoise
    if asked.epsilon > 0:
        cut = TruncatedStaircase.law(epsilon=asked.epsilon, delta=asked.delta, sensitivity=asked.steps)
    elif asked.steps <= asked.delta * _LARGEST_PROGRAM:
        cut = Uniform(delta=asked.delta, sensitivity=asked.steps)
    else:
        return False
    return cut.edge * asked.steps <= _LARGEST_PROGRAM


OFFERS = (
    Offer(
        name="linear program",
        serves=Serves.INTEGERS,
        kind=TabulatedNoise,
        fits=_small_enough,
        make=lambda asked: _optimum(asked)[0],
        bound=lambda asked: _optimum(asked)[1],
        quick=False,
    ),
)


def examples() -> tuple[TabulatedNoise, ...]:
    """A few of them, for the contract tests and the gallery."""
    return (
        TabulatedNoise(masses=[Fraction(1, 7)] * 4, epsilon=0, sensitivity=2),
        TabulatedNoise(masses=["2/5", "1/10", "1/5"], epsilon=1, sensitivity=2, cost="squared"),
    )
