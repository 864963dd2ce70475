"""The mechanisms that can answer a question about noise, each with the theorem by which nothing is better."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from banister import need
from banister.core.exact.numbers import Number
from banister.core.laws.cost import Cost, CostLike
from banister.core.privacy.guarantee import Guarantee
from banister.core.programs.highs import HighsSolver
from banister.errors import BadValue
from banister.mechanisms.integers.discrete_gaussian import DiscreteGaussian
from banister.mechanisms.integers.discrete_laplace import DiscreteLaplace
from banister.mechanisms.integers.geometric import Geometric
from banister.mechanisms.integers.integer_noise import IntegerNoise
from banister.mechanisms.integers.integer_staircase import HINT, IntegerStaircase
from banister.mechanisms.integers.tabulated import TabulatedNoise
from banister.mechanisms.integers.truncated_staircase import TruncatedStaircase
from banister.mechanisms.integers.uniform import Uniform
from banister.mechanisms.line.gaussian import Gaussian
from banister.mechanisms.line.grid import Grid
from banister.mechanisms.line.laplace import Laplace
from banister.mechanisms.line.line_noise import LineNoise
from banister.mechanisms.line.on_grid import OnGrid
from banister.mechanisms.line.staircase import Staircase, default_grid
from banister.mechanisms.vectors.independent import Independent, MoveBound
from banister.mechanisms.vectors.integer_vector_staircase import IntegerVectorStaircase
from banister.mechanisms.vectors.vector_staircase import VectorStaircase

Noise = IntegerNoise | LineNoise
VectorNoise = Independent | VectorStaircase | IntegerVectorStaircase
Entrant = tuple[str, Noise, str]
VectorEntrant = tuple[str, VectorNoise, str]

_LARGEST_PROGRAM = 1000
"""Linear programs with more than so many sizes times shifts are left out: the truncated staircase is as good."""


class Over(Enum):
    """What kind of number the answer is."""

    REALS = "reals"
    INTEGERS = "integers"


class Touches(Enum):
    """Which coordinates of a vector a neighbour can move."""

    ONE = "one"
    """One of them, by the sensitivity: a histogram in which a person is in one cell."""
    ALL = "all"
    """All of them, by the sensitivity in total (the l1 norm)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked: a guarantee, how far a neighbour moves the answer, and what an error costs."""

    guarantee: Guarantee
    sensitivity: Fraction
    over: Over
    cost: Cost
    dimension: int
    touches: Touches

    @classmethod
    def of(
        cls,
        *,
        epsilon: Number,
        delta: Number,
        sensitivity: Number,
        over: Over | str,
        cost: CostLike,
        dimension: Number,
        touches: Touches | str,
    ) -> "Question":
        """The question in the words of a user, checked."""
        guarantee = Guarantee(need.between("epsilon", epsilon, 0, need.LARGEST_EPSILON, HINT), delta)
        if guarantee.epsilon == 0 and guarantee.delta == 0:
            raise BadValue(f"epsilon = 0 and delta = 0 allow no answer at all. {HINT}")
        kind = Over(need.one_of("over", getattr(over, "value", over), tuple(each.value for each in Over)))
        reach = need.size("sensitivity", sensitivity)
        if kind is Over.INTEGERS:
            need.whole(
                "sensitivity", sensitivity, least=1, hint="Answers that are whole numbers move by whole numbers."
            )
        return cls(
            guarantee=guarantee,
            sensitivity=reach,
            over=kind,
            cost=Cost.of(cost),
            dimension=need.whole("dimension", dimension, least=1),
            touches=Touches(
                need.one_of("touches", getattr(touches, "value", touches), tuple(each.value for each in Touches))
            ),
        )


def for_one_number(question: Question) -> Iterator[Entrant]:
    """Every noise for one number that gives the guarantee."""
    yield from _on_integers(question) if question.over is Over.INTEGERS else _on_the_line(question)


def for_vectors(question: Question) -> Iterator[VectorEntrant]:
    """Every noise for a vector that gives the guarantee."""
    d = question.dimension
    if question.touches is Touches.ONE:
        # Each coordinate must be private by itself and costs add up, so what is optimal for one is so for all.
        for name, noise, optimal in for_one_number(question):
            yield f"{name}, each alone", Independent(noise=noise, dimension=d, touches=1), optimal
        return
    epsilon, delta, reach, cost = (
        question.guarantee.epsilon,
        question.guarantee.delta,
        question.sensitivity,
        question.cost,
    )
    if epsilon > 0:
        if question.over is Over.INTEGERS:
            whole = IntegerVectorStaircase(epsilon=epsilon, sensitivity=reach, dimension=d, cost=cost)
            yield "staircase on the l1 ball", whole, ""
            laplace: Noise = DiscreteLaplace(epsilon=epsilon, sensitivity=reach, cost=cost)
            # Whole moves that add up to the sensitivity are at most as many as it.
            moved = min(d, int(reach))
            split: Noise = IntegerStaircase(epsilon=epsilon / moved, sensitivity=reach, cost=cost)
        else:
            joint = VectorStaircase(epsilon=epsilon, sensitivity=reach, dimension=d, cost=cost)
            proven = d == 2 and cost.exponent == 1 and delta == 0
            yield "staircase on the l1 ball", joint, "[G13] Thm 3.1" if proven else ""
            laplace = Laplace(epsilon=epsilon, sensitivity=reach, cost=cost)
            moved = d
            split = Staircase(epsilon=epsilon / moved, sensitivity=reach, cost=cost)
        # The log-ratio of Laplace adds up over coordinates, so it keeps the full epsilon; a staircase may jump in each.
        yield "Laplace, each alone", _adding_up(laplace, d), ""
        yield f"staircase at epsilon/{moved}, each alone", _adding_up(split, d), ""
    if 0 < delta < 1:
        # The l2 norm is at most the l1 norm, and one Gaussian per coordinate only asks for the l2 norm.
        bell = Gaussian(epsilon=epsilon, delta=delta, sensitivity=reach, cost=cost)
        yield "Gaussian, each alone", _adding_up(bell, d), ""


def _adding_up(noise: Noise, dimension: int) -> Independent:
    """Noise on each coordinate where a neighbour may move all of them, by the sensitivity in total."""
    return Independent(noise=noise, dimension=dimension, touches=dimension, bound=MoveBound.TOTAL)


def _on_integers(question: Question) -> Iterator[Entrant]:
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
            if reach > 1 and cut.edge * reach <= _LARGEST_PROGRAM:
                yield "linear program", tabulated(question)[0], ""
        yield "uniform", Uniform(delta=delta, sensitivity=reach, cost=cost), _uniform_theorem(question)
        if delta < 1:
            bell = DiscreteGaussian(epsilon=epsilon, delta=delta, sensitivity=reach, cost=cost)
            yield "discrete Gaussian", bell, ""


def tabulated(question: Question) -> tuple[TabulatedNoise, float]:
    """The optimum by linear program, and its certified lower bound."""
    return TabulatedNoise.least_with_bound(
        epsilon=question.guarantee.epsilon,
        delta=question.guarantee.delta,
        sensitivity=question.sensitivity,
        cost=question.cost,
        solver=HighsSolver(),
    )


def _on_the_line(question: Question) -> Iterator[Entrant]:
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
