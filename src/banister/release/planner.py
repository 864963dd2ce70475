"""Plan a release: which noise, how much of it, what it costs. No record is seen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from banister import need
from banister.core.exact.numbers import Number
from banister.core.privacy.guarantee import Guarantee, Neighbours
from banister.errors import BadValue
from banister.questions import measures
from banister.questions.measures import Measure, Reach, Share
from banister.questions.question import Aggregate, Question
from banister.questions.terms import Quantity
from banister.release.consistent import Family, agreed_spreads, centring, families
from banister.release.ladder import plan_ladder
from banister.release.layout import Layout, layouts, weigh
from banister.release.noises import LARGEST_SIGMA, Measured, joint_noise, joint_price, split_noise
from banister.release.plan import Part, Plan
from banister.release.split import cost, share_out
from banister.tables.schema import Schema

WEIGHTS = Fraction(1, 10**60), Fraction(10**60)
"""The least and the largest weight of an answer: squares of sensitivities times these stay within doubles."""

__all__ = ["Part", "Plan", "plan_release", "takes_delta"]


def plan_release(
    questions: Sequence[Question],
    schema: Schema,
    *,
    epsilon: Number,
    delta: Number = 0,
    confidence: Number = 0.95,
    weights: Mapping[str, Number] | None = None,
    consistent: bool = False,
) -> Plan:
    """The plan with the least error for a guarantee; several questions share epsilon and delta equally.

    With `consistent`, questions about the same rows are made to agree after the noise is drawn: totals equal the sums
    of their parts.
    """
    level = Guarantee(need.positive("epsilon", epsilon), delta)
    sure = float(need.strictly_between("confidence", confidence, 0, 1))
    joined = families(questions, schema.groups) if consistent else ()
    fixed = {place: centring(family, questions) for family in joined for place in family.places}

    def parts_with(takers: set[int]) -> tuple[Part, ...]:
        """The parts, delta shared equally by some of them."""
        return tuple(
            _part(
                question,
                schema,
                level=Guarantee(level.epsilon / len(questions), level.delta / len(takers) if place in takers else 0),
                weights=_weights(question, weights or {}),
                fixed=fixed.get(place, {}),
            )
            for place, question in enumerate(questions)
        )

    takers = {place for place, question in enumerate(questions) if takes_delta(question, schema)}
    parts = parts_with(takers)
    users = {place for place, part in enumerate(parts) if part.delta > 0}
    if users < takers and users:  # What some have no use for is for the others, who then have still more use for it.
        parts = parts_with(users)
    used = Guarantee(level.epsilon, sum((part.delta for part in parts), Fraction(0)))
    plan = Plan(schema=schema, parts=parts, guarantee=used, confidence=sure)
    return _agreeing(plan, joined) if joined else plan


def _agreeing(plan: Plan, joined: tuple[Family, ...]) -> Plan:
    """The plan with the errors that are left once the questions of each family agree."""
    parts = list(plan.parts)
    for family in joined:
        for place, spreads in agreed_spreads(family, {p: parts[p].measured for p in family.places}).items():
            parts[place] = replace(parts[place], agreed=spreads)
    return replace(plan, parts=tuple(parts), families=joined)


def takes_delta(question: Question, schema: Schema) -> bool:
    """Whether a delta can be of use: for unknown values, and where a neighbour moves several numbers."""
    if question.open or len(question.outputs) > 1:
        return True
    groups = measures.reach(question, schema).groups
    return groups > 1 or (schema.neighbours is Neighbours.REPLACE and (question.cells or 1) > 1)


def _weights(question: Question, given: Mapping[str, Number]) -> list[float]:
    names = [output.name for output in question.outputs]
    for name in given:
        if name not in names:
            raise BadValue(f"weights name '{name}', which is no answer; the answers are {', '.join(names)}.")
    hint = "Weights are compared with each other; beyond this one of them would count for nothing."
    return [float(need.between(f"weight of {name}", given.get(name, 1), *WEIGHTS, hint)) for name in names]


def _part(
    question: Question,
    schema: Schema,
    *,
    level: Guarantee,
    weights: Sequence[float],
    fixed: Mapping[Quantity, bool],
) -> Part:
    """The better of split and joint noise; the other is kept for comparison."""
    if question.open and level.delta == 0:
        raise BadValue(
            "A column with unknown values is grouped by, so a value may appear that only one person has; that needs a "
            "delta above 0, e.g. delta = 1e-6. Or declare the column's values."
        )
    reach = measures.reach(question, schema)
    options = [_Option.of(layout, question, schema, reach, weights) for layout in layouts(question, reach, fixed)]
    ranked = [
        _rank_importance(reach, w)
        for o, w in zip(question.outputs, weights, strict=True)
        if o.aggregate is Aggregate.QUANTILE
    ]
    split = _split(question, schema, reach, options, ranked, level)
    foreseen = _foreseen(level, question, schema)
    joint = _joint(split, options, foreseen) if foreseen.delta > 0 and split.measured else None
    if joint is None or (level.delta == 0 and joint.error > split.error):
        return split
    best, other = (joint, split) if joint.error < split.error and level.delta > 0 else (split, joint)
    return replace(best, alternative=other)


def _foreseen(level: Guarantee, question: Question, schema: Schema) -> Guarantee:
    """The level at which joint noise is compared: where no delta is given, with a tenth of the budget's."""
    if level.delta > 0 or schema.budget is None or not takes_delta(question, schema):
        return level
    return Guarantee(level.epsilon, schema.budget.delta / 10)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Option:
    """A layout with the ways to pay for its measures, and how much the error of each matters."""

    layout: Layout
    shares: tuple[Share, ...]
    matter: tuple[float, ...]

    @classmethod
    def of(
        cls, layout: Layout, question: Question, schema: Schema, reach: Reach, weights: Sequence[float]
    ) -> "_Option":
        matter = weigh(layout, weights)
        if question.open:
            matter[0] = max(matter[0], 1.0)  # The people behind a value decide whether it appears at all.
        found = [_best_share(measure, schema.neighbours, reach, question) for measure in layout.measures]
        return cls(layout=layout, shares=tuple(found), matter=tuple(matter))

    @property
    def importance(self) -> list[float]:
        """Variance of a measure at epsilon 1, times how much it matters."""
        pairs = zip(self.shares, self.matter, strict=True)
        return [2 * (share.touches * share.sensitivity) ** 2 * m for share, m in pairs]

    def error(self, measured: Sequence[Measured]) -> float:
        """Squared errors of the measures, each as much as it matters."""
        return sum(matter * m.noise.risk_for("squared") for m, matter in zip(measured, self.matter, strict=True))


def _split(
    question: Question,
    schema: Schema,
    reach: Reach,
    options: Sequence[_Option],
    ranked: Sequence[float],
    level: Guarantee,
) -> Part:
    """Staircases, cell by cell, at the shares of epsilon that minimise the error."""
    best = min(options, key=lambda option: cost(level.epsilon, [*option.importance, *ranked]))
    epsilons = share_out(level.epsilon, [*best.importance, *ranked])
    layout = best.layout
    measured = tuple(
        split_noise(measure, share, epsilon, level.delta if question.open and place == 0 else Fraction(0))
        for place, (measure, share, epsilon) in enumerate(zip(layout.measures, best.shares, epsilons, strict=False))
    )
    ladders = iter(epsilons[len(measured) :])
    return Part(
        question=question,
        reach=reach,
        measured=measured,
        formulas=layout.formulas,
        ladders=tuple(
            plan_ladder(formula.output, reach, question.cells, schema.neighbours, next(ladders))
            for formula in layout.formulas
            if formula.output.aggregate is Aggregate.QUANTILE
        ),
        epsilon=level.epsilon,
        delta=level.delta if question.open else Fraction(0),
        error=best.error(measured),
    )


def _joint(split: Part, options: Sequence[_Option], level: Guarantee) -> Part | None:
    """Gaussian noise for all cells at once; quantiles are chosen as before. Nothing where it would be too large."""
    ranked = sum((ladder.epsilon for ladder in split.ladders), Fraction(0))
    inner = Guarantee(level.epsilon - ranked, level.delta / 2 if split.question.open else level.delta)
    best = min(options, key=lambda option: joint_price(option.shares, option.matter, inner))
    measured = joint_noise(best.layout.measures, best.shares, best.matter, inner)
    if max(m.noise.scale for m in measured) > LARGEST_SIGMA:
        return None
    return replace(
        split, measured=measured, formulas=best.layout.formulas, delta=level.delta, error=best.error(measured)
    )


def _rank_importance(reach: Reach, weight: float) -> float:
    """Choosing a rank errs by several times the noise of a count; two ends of an interval are chosen besides."""
    return 2 * (4 * reach.groups) ** 2 * weight


def _best_share(measure: Measure, neighbours: Neighbours, reach: Reach, question: Question) -> Share:
    """The way with the least noise; of two alike, the one with fewer cells, where a staircase gains more."""
    options = measures.shares(measure, neighbours=neighbours, groups=reach.groups, cells=question.cells)
    return min(options, key=lambda option: (option.touches * option.sensitivity, option.touches))
