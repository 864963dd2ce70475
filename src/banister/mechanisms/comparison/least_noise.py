"""Which noise is least? All that give a guarantee, side by side, and how far the best is from the limit."""

from dataclasses import dataclass, replace
from fractions import Fraction

from banister.core.exact.numbers import Number, brief
from banister.core.laws.cost import CostLike
from banister.mechanisms.comparison.contenders import (
    Entrant,
    Noise,
    NoiseQuestion,
    Over,
    Touches,
    VectorNoise,
    entrants,
)
from banister.mechanisms.integers.lower_bounds import lower_bound, scaling_bound
from banister.mechanisms.vectors.independent import Independent


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """One mechanism and what it would cost."""

    name: str
    noise: Noise | VectorNoise
    risk: float
    """Its expected cost; for a vector, that of all coordinates together."""
    interval: float
    """How far off the answer is at most, with 95 %; for a vector, the sum of the sizes of its errors, or each one's."""
    optimal: str
    """By which theorem nothing is better, where there is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """All that apply, the least noise first."""

    question: NoiseQuestion
    contenders: tuple[Contender, ...]
    lower_bound: float | None
    """No mechanism with this guarantee has a smaller expected cost; certified, rounded down."""

    @property
    def best(self) -> Contender:
        return self.contenders[0]

    @property
    def noise(self) -> Noise | VectorNoise:
        """The mechanism to use."""
        return self.best.noise

    @property
    def gap(self) -> float | None:
        """At most how much of the best expected cost could still be saved, from 0 to 1."""
        if self.lower_bound is None:
            return None
        return max(0.0, 1 - self.lower_bound / self.best.risk) if self.best.risk > 0 else 0.0


def least_noise(
    *,
    epsilon: Number,
    delta: Number = 0,
    sensitivity: Number,
    over: Over | str = Over.REALS,
    cost: CostLike = "absolute",
    dimension: Number = 1,
    touches: Touches | str = Touches.ALL,
) -> Comparison:
    """The least noise known for a guarantee, a bound on what any noise could do, and what the usual ones would cost.

    >>> found = least_noise(epsilon=5, sensitivity=1, cost="squared")
    >>> found.best.name, round(found.best.risk, 5), round(found.contenders[1].risk, 2)
    ('staircase', 0.02971, 0.08)
    """
    question = NoiseQuestion.of(
        epsilon=epsilon,
        delta=delta,
        sensitivity=sensitivity,
        over=over,
        cost=cost,
        dimension=dimension,
        touches=touches,
    )
    found = tuple(entrants(question))
    contenders = _judged(found)
    return Comparison(question=question, contenders=contenders, lower_bound=_bound(question, found, contenders))


def _judged(found: tuple[Entrant, ...]) -> tuple[Contender, ...]:
    return tuple(sorted((_judge(each) for each in found), key=lambda each: each.risk))


def _judge(entrant: Entrant) -> Contender:
    noise = entrant.noise()
    one = noise.noise if isinstance(noise, Independent) else noise
    return Contender(
        name=entrant.name,
        noise=noise,
        risk=noise.risk_for(entrant.question.cost),
        interval=float(one.interval(Fraction(95, 100))),
        optimal=entrant.optimal,
    )


def _bound(question: NoiseQuestion, found: tuple[Entrant, ...], contenders: tuple[Contender, ...]) -> float | None:
    """The optimum itself where a theorem gives it, otherwise the best certified bound that applies."""
    proven = [each.risk for each in contenders if each.optimal]
    if proven:
        # Closed forms are right to the last digits; the sums for other costs to about 1e-7.
        return min(proven) * (1 - (1e-14 if question.cost.exponent in (1, 2) else 2e-7))
    if question.dimension > 1:
        # A neighbour may move one coordinate alone, so each must be private by itself, and the costs add up.
        single = replace(question, dimension=1)
        alone = tuple(entrants(single))
        one = _bound(single, alone, _judged(alone))
        return None if one is None else question.dimension * one * (1 - 1e-15)
    certified = [bound for each in found if (bound := each.bound()) is not None]
    if certified:
        return max(certified)
    if question.cost.exponent not in (1, 2):
        return None
    level, chance = question.epsilon, question.delta
    if question.over is Over.INTEGERS:
        return lower_bound(epsilon=level, delta=chance, sensitivity=question.sensitivity, cost=question.cost)
    # The proof of the scaling bound holds for real noise as well, with U uniform on [0, sensitivity).
    unit = scaling_bound(epsilon=level, delta=chance, sensitivity=1, cost=question.cost)
    return float(unit * float(question.sensitivity) ** int(question.cost.exponent)) * (1 - 1e-15)


def as_record(found: Comparison) -> dict[str, object]:
    """The comparison as plain values, for JSON."""
    question = found.question
    return {
        "format": "banister.noise/1",
        "epsilon": brief(question.guarantee.epsilon),
        "delta": brief(question.guarantee.delta),
        "sensitivity": brief(question.sensitivity),
        "over": question.over.value,
        "cost": question.cost.name,
        "dimension": question.dimension,
        "touches": question.touches.value,
        "best": found.best.name,
        "lower_bound": found.lower_bound,
        "gap": found.gap,
        "contenders": [
            {
                "name": each.name,
                "expected_cost": each.risk,
                "times_the_best": each.risk / found.best.risk if found.best.risk else 1.0,
                "interval_95": each.interval,
                "optimal_by": each.optimal,
            }
            for each in found.contenders
        ],
    }
