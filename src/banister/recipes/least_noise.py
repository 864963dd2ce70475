"""Which noise is least? All that give a guarantee, side by side, and how far the best is from the limit."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from banister.core import need
from banister.core.cost import Cost, CostLike
from banister.core.exact import Number, brief
from banister.core.guarantee import Guarantee
from banister.errors import BadValue
from banister.mechanisms.discrete_gaussian import DiscreteGaussian
from banister.mechanisms.discrete_laplace import DiscreteLaplace
from banister.mechanisms.gaussian import Gaussian
from banister.mechanisms.geometric import Geometric
from banister.mechanisms.grid import Grid
from banister.mechanisms.integer_noise import IntegerNoise
from banister.mechanisms.integer_staircase import HINT, IntegerStaircase
from banister.mechanisms.laplace import Laplace
from banister.mechanisms.line_noise import LineNoise
from banister.mechanisms.on_grid import OnGrid
from banister.mechanisms.staircase import Staircase, default_grid
from banister.mechanisms.truncated_staircase import TruncatedStaircase
from banister.mechanisms.uniform import Uniform

Noise = IntegerNoise | LineNoise


class Over(Enum):
    """What kind of number the answer is."""

    REALS = "reals"
    INTEGERS = "integers"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked: a guarantee, how far a neighbour moves the answer, and what an error costs."""

    guarantee: Guarantee
    sensitivity: Fraction
    over: Over
    cost: Cost

    @classmethod
    def of(cls, *, epsilon: Number, delta: Number, sensitivity: Number, over: Over | str, cost: CostLike) -> "Question":
        """The question in the words of a user, checked."""
        kind = over if isinstance(over, Over) else Over(need.one_of("over", over, tuple(kind.value for kind in Over)))
        guarantee = Guarantee(need.non_negative("epsilon", epsilon, HINT), delta)
        if guarantee.epsilon == 0 and guarantee.delta == 0:
            raise BadValue(f"epsilon = 0 and delta = 0 allow no answer at all. {HINT}")
        reach = need.positive("sensitivity", sensitivity)
        if kind is Over.INTEGERS:
            need.whole(
                "sensitivity", sensitivity, least=1, hint="Answers that are whole numbers move by whole numbers."
            )
        return cls(guarantee=guarantee, sensitivity=reach, over=kind, cost=Cost.of(cost))


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """One mechanism and what it would cost."""

    name: str
    noise: Noise
    risk: float
    """Its expected cost."""
    interval: float
    """How far off an answer is at most, with 95 %."""
    optimal: str
    """By which theorem nothing is better, where there is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """All that apply, the least noise first."""

    question: Question
    contenders: tuple[Contender, ...]
    lower_bound: float | None
    """No mechanism with this guarantee has a smaller expected cost; certified, rounded down."""

    @property
    def best(self) -> Contender:
        return self.contenders[0]

    @property
    def noise(self) -> Noise:
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
    cost: CostLike = "magnitude",
) -> Comparison:
    """The least noise known for a guarantee, a bound on what any noise could do, and what the usual ones would cost.

    >>> found = least_noise(epsilon=5, sensitivity=1, cost="power")
    >>> found.best.name, round(found.best.risk, 5), round(found.contenders[1].risk, 2)
    ('staircase', 0.02971, 0.08)
    """
    question = Question.of(epsilon=epsilon, delta=delta, sensitivity=sensitivity, over=over, cost=cost)
    entrants = _on_integers(question) if question.over is Over.INTEGERS else _on_the_line(question)
    contenders = sorted((_judge(question, *entrant) for entrant in entrants), key=lambda each: each.risk)
    return Comparison(question=question, contenders=tuple(contenders), lower_bound=_lower_bound(question, contenders))


def _judge(question: Question, name: str, noise: Noise, optimal: str) -> Contender:
    return Contender(
        name=name,
        noise=noise,
        risk=noise.risk_for(question.cost),
        interval=float(noise.interval(Fraction(95, 100))),
        optimal=optimal,
    )


def _on_integers(question: Question) -> Iterator[tuple[str, Noise, str]]:
    epsilon, delta = question.guarantee.epsilon, question.guarantee.delta
    reach, cost = int(question.sensitivity), question.cost
    if epsilon > 0:
        if reach == 1:
            yield "geometric", Geometric(epsilon=epsilon, cost=cost), "" if delta else "[G13] Thm 2.12"
        else:
            pure = IntegerStaircase(epsilon=epsilon, sensitivity=reach, cost=cost)
            yield "staircase", pure, "" if delta else "[G13] Thm 2.13"
            yield "discrete Laplace", DiscreteLaplace(epsilon=epsilon, sensitivity=reach, cost=cost), ""
    if delta > 0:
        if epsilon > 0:
            cut = TruncatedStaircase(epsilon=epsilon, delta=delta, sensitivity=reach, cost=cost)
            yield "truncated staircase", cut, "sensitivity 1: for every cost" if reach == 1 else ""
        yield "uniform", Uniform(delta=delta, sensitivity=reach, cost=cost), _uniform_theorem(question)
        if delta < 1:
            bell = DiscreteGaussian(epsilon=epsilon, delta=delta, sensitivity=reach, cost=cost)
            yield "discrete Gaussian", bell, ""


def _on_the_line(question: Question) -> Iterator[tuple[str, Noise, str]]:
    epsilon, delta = question.guarantee.epsilon, question.guarantee.delta
    reach, cost = question.sensitivity, question.cost
    if epsilon > 0:
        pure = Staircase(epsilon=epsilon, sensitivity=reach, cost=cost)
        yield "staircase", pure, "" if delta else "[G13] Thm 2.4"
        yield "Laplace", Laplace(epsilon=epsilon, sensitivity=reach, cost=cost), ""
    if delta > 0:
        grid = default_grid(epsilon, reach) if epsilon > 0 else Grid.fine_for(reach)
        steps = grid.units_of_sensitivity(reach)
        scaled = cost if cost.exponent is not None else cost.in_units(grid.step)
        if epsilon > 0:
            cut = TruncatedStaircase(epsilon=epsilon, delta=delta, sensitivity=steps, cost=scaled)
            yield "truncated staircase", OnGrid(cut, grid, cost=cost), ""
        yield "uniform", OnGrid(Uniform(delta=delta, sensitivity=steps, cost=scaled), grid, cost=cost), ""
        if delta < 1:
            yield "Gaussian", Gaussian(epsilon=epsilon, delta=delta, sensitivity=reach, cost=cost), ""


def _uniform_theorem(question: Question) -> str:
    """Where uniform noise is known to be the best for epsilon = 0."""
    if question.guarantee.epsilon > 0:
        return ""
    if question.sensitivity == 1:
        return "[G13] Thm 4.1"
    whole = (1 / (2 * question.guarantee.delta)).denominator == 1
    return "1/(2 delta) whole: [G13] Thm 4.3" if whole and question.cost.exponent == 1 else ""


def _lower_bound(question: Question, contenders: list[Contender]) -> float | None:
    """The optimum itself where a theorem gives it, less the rounding of a double."""
    if any(each.optimal for each in contenders):
        return min(each.risk for each in contenders if each.optimal) * (1 - 2e-7)
    return None


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
