"""Plan a release: which noise, how much of it, what it costs. No record is seen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from banister.core.privacy.guarantee import Guarantee, Neighbours
from banister.errors import BadValue
from banister.questions import measures
from banister.questions.measures import Counting, Measure, Reach, Share
from banister.questions.question import Question
from banister.questions.terms import Quantity
from banister.release.aggregates.board import one_row_each
from banister.release.answering.consistent import Family, agreed_spreads, centring, families
from banister.release.payments.cells import cell_by_cell
from banister.release.payments.joint import LARGEST_SIGMA, joint_noise, joint_price
from banister.release.payments.ladder import plan_ladder
from banister.release.payments.measured import Measured
from banister.release.payments.shaped import shaped_cells
from banister.release.payments.threshold import cell_threshold, with_bar
from banister.release.planning.layout import Layout, aggregate_of, layouts, weigh
from banister.release.planning.plan import Part, Plan
from banister.release.planning.request import PlanRequest
from banister.release.planning.split import cost, share_out
from banister.tables.schema import Schema

__all__ = ["Part", "Plan", "plan_release", "takes_delta"]

NUMBERS_LIMIT = 10**8
"""Exact numbers of one question that are held at once: 0.8 GB."""

_SHAPE_GAINS = 0.6
"""A shape has at least so much of the Gaussian's squared error: where that would not do, none is sought."""


def plan_release(request: PlanRequest, schema: Schema) -> Plan:
    """The plan with the least error for a guarantee; several questions share epsilon and delta equally.

    Questions about the same rows that should be consistent are made to agree after the noise is drawn: totals equal
    the sums of their parts.
    """
    questions, level = request.questions, request.level
    joined = families(questions, schema.groups) if request.consistent else ()
    fixed = {place: centring(family, questions) for family in joined for place in family.places}

    def parts_with(takers: set[int]) -> tuple[Part, ...]:
        """The parts, delta shared equally by some of them."""
        return tuple(
            _checked_part(
                question,
                schema,
                level=Guarantee(level.epsilon / len(questions), level.delta / len(takers) if place in takers else 0),
                weights=request.weights_of(question),
                fixed=fixed.get(place, {}),
                check=request.check_bounds,
            )
            for place, question in enumerate(questions)
        )

    takers = {place for place, question in enumerate(questions) if takes_delta(question, schema)}
    parts = parts_with(takers)
    for part in parts:
        _check_distinct(part, consistent=request.consistent)
    users = {place for place, part in enumerate(parts) if part.delta > 0}
    if users < takers and users:  # What some have no use for is for the others, who then have still more use for it.
        parts = parts_with(users)
    used = Guarantee(level.epsilon, sum((part.delta for part in parts), Fraction(0)))
    plan = Plan(schema=schema, parts=parts, guarantee=used, confidence=request.confidence)
    return _agreeing(plan, joined) if joined else plan


def _check_distinct(part: Part, *, consistent: bool) -> None:
    """Refuse COUNT(DISTINCT column) where it cannot be answered: it is no sum, and is counted in known cells."""
    if not any(m.measure.counting is Counting.DISTINCT for m in part.measured):
        return
    if part.question.open:
        raise BadValue(
            "COUNT(DISTINCT column) is answered in groups that are known beforehand. Declare the values of the column "
            "that is grouped by, or ask without GROUP BY."
        )
    if consistent:
        raise BadValue(
            "COUNT(DISTINCT column) of a whole is not the sum of its parts, so nothing can be made to agree. Ask it "
            "without --consistent."
        )


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


def _checked_part(
    question: Question,
    schema: Schema,
    *,
    level: Guarantee,
    weights: Sequence[float],
    fixed: Mapping[Quantity, bool],
    check: Fraction,
) -> Part:
    """The part of a plan for one question, and of it, where that is asked for, an estimate of whom the bounds cut."""
    share = Fraction(0) if one_row_each(question) else check * level.epsilon
    rest = Guarantee(level.epsilon - share, level.delta)
    part = _part(question, schema, level=rest, weights=weights, fixed=fixed)
    if share == 0:
        return part
    # One number: with one person more, less or changed it moves by 1 at most.
    paid = cell_by_cell(measures.people(), Share(touches=1, sensitivity=1, moves=1, squares=1), share)
    return replace(part, beyond=paid, epsilon=level.epsilon)


def _part(
    question: Question,
    schema: Schema,
    *,
    level: Guarantee,
    weights: Sequence[float],
    fixed: Mapping[Quantity, bool],
) -> Part:
    """The better of noise cell by cell and noise paid together; the other is kept for comparison."""
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
        if aggregate_of(o).choice() is not None
    ]
    split = _split(question, schema, reach, options, ranked, level)
    _check_room(split)
    foreseen = _foreseen(level, question, schema)
    joint = _joint(split, options, foreseen) if foreseen.delta > 0 and split.measured else None
    if joint is not None and level.delta > 0 and _SHAPE_GAINS * joint.error < split.error:
        joint = min(joint, _shaped(split, options, level) or joint, key=lambda part: part.error)
    if joint is None or (level.delta == 0 and joint.error > split.error):
        return split
    best, other = (joint, split) if joint.error < split.error and level.delta > 0 else (split, joint)
    return replace(best, alternative=other)


def _check_room(part: Part) -> None:
    """Refuse numbers that no memory holds: one for each cell and measure, or for each cell and rung of a ladder."""
    cells, rungs = part.question.cells or 1, [ladder.axis.size for ladder in part.ladders]
    if cells * max([len(part.measured), *rungs]) > NUMBERS_LIMIT:
        what = f" with {max(rungs)} values each to choose a quantile from" if rungs else ""
        raise BadValue(
            f"{cells} cells{what} are more numbers than can be held at once ({NUMBERS_LIMIT}). Group by fewer columns "
            "or by wider bins, or ask for less in one question."
        )


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
        cell_threshold(measure, share, epsilon, level.delta)
        if question.open and place == 0
        else cell_by_cell(measure, share, epsilon)
        for place, (measure, share, epsilon) in enumerate(zip(layout.measures, best.shares, epsilons, strict=False))
    )
    ladders = iter(epsilons[len(measured) :])
    return Part(
        question=question,
        reach=reach,
        measured=measured,
        formulas=layout.formulas,
        ladders=tuple(
            plan_ladder(
                formula.name,
                asked,
                reach=reach,
                neighbours=schema.neighbours,
                epsilon=next(ladders),
                alone=question.cells == 1,
            )
            for formula in layout.formulas
            if (asked := formula.aggregate.choice()) is not None
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
    noises = joint_noise(best.layout.measures, best.shares, best.matter, inner)
    if max(paid.noise.scale for paid in noises) > LARGEST_SIGMA:
        return None
    measured = (with_bar(noises[0], level.delta / 2), *noises[1:]) if split.question.open else noises
    return replace(
        split, measured=measured, formulas=best.layout.formulas, delta=level.delta, error=best.error(measured)
    )


def _shaped(split: Part, options: Sequence[_Option], level: Guarantee) -> Part | None:
    """Noise of a shape made for all cells of a person together, where one measure is asked of known cells."""
    ranked = sum((ladder.epsilon for ladder in split.ladders), Fraction(0))
    single = [option for option in options if len(option.layout.measures) == 1]
    if split.question.open or not single:
        return None
    best = min(single, key=lambda option: joint_price(option.shares, option.matter, level))
    found = shaped_cells(best.layout.measures[0], best.shares[0], Guarantee(level.epsilon - ranked, level.delta))
    if found is None:
        return None
    return replace(
        split, measured=(found,), formulas=best.layout.formulas, delta=level.delta, error=best.error([found])
    )


def _rank_importance(reach: Reach, weight: float) -> float:
    """Choosing a rank errs by several times the noise of a count; two ends of an interval are chosen besides."""
    return 2 * (4 * reach.groups) ** 2 * weight


def _best_share(measure: Measure, neighbours: Neighbours, reach: Reach, question: Question) -> Share:
    """The way with the least noise; of two alike, the one with fewer cells, where a staircase gains more."""
    options = measures.shares(measure, neighbours=neighbours, groups=reach.groups, cells=question.cells)
    return min(options, key=lambda option: (option.touches * option.sensitivity, option.touches))
