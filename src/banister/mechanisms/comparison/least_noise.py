"""Which noise is least? All that give a guarantee, side by side, and how far the best is from the limit."""

from dataclasses import dataclass, replace
from fractions import Fraction

from banister.core.exact.numbers import Bracket, Number, brief
from banister.core.laws.cost import CostLike
from banister.core.laws.pieces import Pieces
from banister.errors import Undrawable
from banister.mechanisms.comparison.contenders import (
    Entrant,
    Noise,
    NoiseQuestion,
    Over,
    Touches,
    VectorNoise,
    entrants,
)
from banister.mechanisms.integers.lower_bounds import lower_bound, pure_bound
from banister.mechanisms.line.line_bounds import closed_bound, pure_bound_on_line, rounding_bound, scaled_down
from banister.mechanisms.vectors.independent import Independent
from banister.mechanisms.vectors.vector_staircase import VectorStaircase

_NEAR = 0.009
ASSUMED = "noise that is added to an answer of any size and does not depend on it"
"""What every bound and every word "optimal" here is about. An answer with known limits allows less noise."""


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
    """By which theorem nothing is better among noises that ignore an unbounded answer, where there is one."""
    certified: bool
    """Whether the expected cost is proven (and rounded up); otherwise it is numerical, right to about 1e-6."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """All that apply, the least noise first.

    >>> found = least_noise(epsilon=5, sensitivity=1, cost="squared")
    >>> found.best.name, len(found.contenders), round(found.best.risk, 6), round(found.gap, 6)
    ('staircase', 2, 0.029711, 0.0)
    """

    question: NoiseQuestion
    contenders: tuple[Contender, ...]
    lower_bound: float | None
    """No noise with this guarantee has a smaller expected cost, if it is added to an answer of any size and does not
    depend on it: on the line, and on the grid of what is offered. Rounded down; `certified` says if it is proven."""
    certified: bool
    """Whether the lower bound is proven; otherwise it is numerical, right to about 1e-6, as for a function of one's
    own, of which nothing but values is known."""
    left_out: tuple[str, ...] = ()
    """Noises that give the guarantee as well, and reach beyond what can be drawn exactly."""

    def __repr__(self) -> str:
        return f"Comparison(best={self.best.name!r}, risk={self.best.risk:.6g}, of {len(self.contenders)})"

    def _repr_html_(self) -> str:
        from banister.show.facts import grid_html

        bound = "none is known" if self.lower_bound is None else f"{self.lower_bound:.6g}"
        rows = [[each.name, f"{each.risk:.6g}", f"{each.interval:.6g}", each.optimal] for each in self.contenders]
        header = ["noise", "expected cost", "within, with 95 %", "optimal by"]
        return grid_html(f"The least noise first; nothing is below {bound}.", header, rows)

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
    contenders, left_out = _judged(found)
    bound, proven = _bound(question, found, contenders)
    return Comparison(question=question, contenders=contenders, lower_bound=bound, certified=proven, left_out=left_out)


def _judged(found: tuple[Entrant, ...]) -> tuple[tuple[Contender, ...], tuple[str, ...]]:
    """All that can be drawn, the least first, and the names of the others; refused where nothing can be drawn."""
    judged, refusals = [], {}
    for each in found:
        try:
            judged.append(_judge(each))
        except Undrawable as refused:  # At a tiny epsilon; with a delta there is noise that hardly needs it.
            refusals[each.name] = refused
    if refusals and not judged:
        raise next(iter(refusals.values()))
    return tuple(sorted(judged, key=lambda each: (each.risk, not each.optimal))), tuple(refusals)


def _judge(entrant: Entrant) -> Contender:
    noise, cost = entrant.noise(), entrant.question.cost
    one = noise.noise if isinstance(noise, Independent) else noise
    return Contender(
        name=entrant.name,
        noise=noise,
        risk=noise.risk_for(cost),
        interval=float(one.interval(Fraction(95, 100))),
        optimal=entrant.optimal,
        certified=one.risk_bracket(cost) is not None,
    )


Bound = tuple[float | None, bool]
"""A lower bound where there is one, and whether it is proven."""


def _bound(question: NoiseQuestion, found: tuple[Entrant, ...], contenders: tuple[Contender, ...]) -> Bound:
    """The optimum itself where a theorem gives it, otherwise the best bound that applies."""
    if question.dimension > 1:
        return _vector_bound(question, contenders)
    written = question.cost.pieces
    if written is None:
        numerical = [each.risk * (1 - 1e-6) for each in contenders if each.optimal]
        programs = [bound for each in found if (bound := each.bound()) is not None]
        return (max([*numerical, *programs]), False) if numerical or programs else (None, False)
    if question.delta == 0:
        return _pure_bound(question, written, contenders), True
    bounds = [bracket.down for each in contenders if each.optimal and (bracket := _bracket(each, question))]
    bounds += [bound for each in found if (bound := each.bound()) is not None]
    exponent = question.cost.exponent
    if question.over is Over.REALS:
        bounds.append(_line_bound(question, written, contenders))
    elif exponent in (1, 2):
        reach, level, chance = question.sensitivity, question.epsilon, question.delta
        bounds.append(lower_bound(epsilon=level, delta=chance, sensitivity=reach, cost=question.cost))
    return (max(bounds), True) if bounds else (None, False)


def _bracket(each: Contender, question: NoiseQuestion) -> Bracket | None:
    return each.noise.risk_bracket(question.cost)


def _pure_bound(question: NoiseQuestion, written: Pieces, contenders: tuple[Contender, ...]) -> float:
    """The best staircase's; on the line also no more than the best on the grid that is offered."""
    level, reach = question.epsilon, question.sensitivity
    if question.over is Over.INTEGERS:
        return pure_bound(epsilon=level, sensitivity=reach, cost=question.cost)
    drawn = [bracket.down for each in contenders if each.optimal and (bracket := _bracket(each, question))]
    return min([pure_bound_on_line(level, reach, written), *drawn])


def _line_bound(question: NoiseQuestion, written: Pieces, contenders: tuple[Contender, ...]) -> float:
    """For real noise with delta, by rounding to whole numbers: in closed form, and then ever finer."""
    from banister.core.programs.highs import HighsSolver

    exponent, best = question.cost.exponent, 0.0
    in_steps = written.in_units(question.sensitivity)
    if exponent is not None and exponent <= 2:
        best = closed_bound(question.epsilon, question.delta, in_steps, exponent)
    reached = contenders[0].risk
    if best >= reached * (1 - _NEAR):
        return best
    by_rounding = rounding_bound(
        question.epsilon,
        question.delta,
        in_steps,
        exponent=exponent,
        reached=reached,
        solver=HighsSolver(),
    )
    return min(max(best, by_rounding), reached)


def _vector_bound(question: NoiseQuestion, contenders: tuple[Contender, ...]) -> Bound:
    """A neighbour may move one coordinate alone, so each must be private by itself, and the costs add up."""
    single = replace(question, dimension=1)
    alone = tuple(entrants(single))
    one, proven = _bound(single, alone, _judged(alone)[0])
    each_alone = None if one is None else scaled_down(one, Fraction(question.dimension))
    joint = [each.risk * (1 - 1e-6) for each in contenders if each.optimal and isinstance(each.noise, VectorStaircase)]
    if joint and (each_alone is None or max(joint) > each_alone):
        return max(joint), False  # The best gamma of the plane is found by a scan, and drawn on a grid.
    return each_alone, proven


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
        "lower_bound_is": "certified" if found.certified else "numerical",
        "lower_bound_for": ASSUMED,
        "gap": found.gap,
        "left_out": list(found.left_out),
        "contenders": [
            {
                "name": each.name,
                "expected_cost": each.risk,
                "expected_cost_is": "certified" if each.certified else "numerical",
                "times_the_best": each.risk / found.best.risk if found.best.risk else 1.0,
                "interval_95": each.interval,
                "optimal_by": each.optimal,
            }
            for each in found.contenders
        ],
    }
