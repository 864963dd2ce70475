"""Plan counts that go on: how periods are measured, with which noise, and the error over time. No record is seen."""

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path

from banister.accounting.charge import keeps
from banister.core.exact.numbers import Number, brief
from banister.core.laws.ahead import candidates
from banister.core.laws.factors import Factor
from banister.core.privacy.guarantee import Guarantee, Neighbours
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue, Uncertified
from banister.questions import measures
from banister.questions.measures import Counting, Measure, Reach
from banister.questions.question import Known, Question, Unknown
from banister.questions.relation import Base
from banister.questions.terms import And, Compare, Condition, Leaf, Whole
from banister.release.answering.combine import NoiseSpread
from banister.release.answering.wording import describe_person, number
from banister.release.dataset import Dataset
from banister.release.payments.stated import Stated
from banister.release.payments.stream import StreamNoise, StreamReach, gaussian_stream, pure_stream
from banister.release.planning.layout import Formula, Layout, aggregate_of, layouts, weigh
from banister.release.planning.request import PlanRequest
from banister.release.planning.split import proportions, share_out
from banister.tables.schema import Schema
from banister.tables.streams import StreamPeriods

FORMAT = 1


@dataclass(frozen=True, slots=True)
class MethodFigure:
    """A way to measure, and its largest error over that of one count at the same guarantee."""

    name: str
    figure: float


@dataclass(frozen=True, slots=True)
class Rival:
    """The best stream with the other kind of noise, and its figure over one count with that noise."""

    payments: tuple[StreamNoise, ...]
    figure: float

    def describe(self, taken: Sequence[StreamNoise]) -> str:
        """Why it was not taken."""
        first, ours = self.payments[0], taken[0]
        return (
            f"{first.kind} noise errs more: {first.factor.name}, {number(self.figure)} times one count with "
            f"{first.kind} noise, is a deviation of {number(first.largest())}, not {number(ours.largest())}."
        )


@dataclass(frozen=True, kw_only=True)
class StreamPlan:
    """Everything about counts that go on that is decided before a record is read, and what all of them cost together.

    >>> from banister.release.streams.example import days_of_a_year
    >>> plan = plan_stream(days_of_a_year(), "SELECT COUNT(*) AS visits FROM data", epsilon=1, delta="1e-4")
    >>> plan.method, round(plan.figures[0].figure, 2), str(plan.guarantee)
    ('square root', 2.94, '(1, 0.0001)')
    """

    schema: Schema
    question: Question
    reach: Reach
    formulas: tuple[Formula, ...]
    payments: tuple[StreamNoise, ...]
    guarantee: Guarantee
    """What is kept: without a delta where the best noise needs none."""
    asked: Guarantee
    confidence: float
    figures: tuple[MethodFigure, ...]
    """Every way that was compared for this noise, the best first; over one count with such noise."""
    rival: "Rival | None"
    """With a delta the best of the other noise, which errs more."""

    def __post_init__(self) -> None:
        if not keeps(self.loss, self.guarantee):
            raise Uncertified(f"What the stream would draw is not proven to keep {self.guarantee}. Plan again.")

    @property
    def periods(self) -> StreamPeriods:
        """What [stream] says."""
        return stream_of(self.schema)

    @property
    def method(self) -> str:
        """How it is measured, in words."""
        return self.payments[0].factor.name

    @property
    def neighbours(self) -> Neighbours:
        return self.schema.neighbours

    @property
    def measures(self) -> tuple[Measure, ...]:
        return tuple(paid.reach.measure for paid in self.payments)

    @cached_property
    def loss(self) -> PrivacyLoss:
        """What all periods together give away; it never exceeds the guarantee."""
        return PrivacyLoss.nothing().with_(*(paid.loss() for paid in self.payments))

    @property
    def stated(self) -> tuple[Stated, ...]:
        """The laws of what is drawn in all periods, as a certificate states them."""
        return tuple(paid.stated() for paid in self.payments)

    @property
    def costs(self) -> tuple[PrivacyLoss, Guarantee]:
        """Two true descriptions of what is given away; the ledger takes the first that fits."""
        return self.loss, self.guarantee

    @property
    def label(self) -> str:
        """One line for the ledger."""
        text = f"{self.periods.periods} times by {self.periods.every}: {self.question.text}"
        return text if len(text) <= 180 else text[:177] + "..."

    @cached_property
    def digest(self) -> str:
        """A hash of what will be done, by which receipts and later periods know the plan."""
        content = [FORMAT, self.question.text, self.neighbours.value, self.schema.main.person, *astuple(self.periods)]
        content += [self.reach.groups, self.reach.rows, str(self.guarantee.epsilon), str(self.guarantee.delta)]
        content += [[axis.label(place) for place in range(axis.size)] for axis in known_axes(self.question)]
        for paid in self.payments:
            measure = paid.reach.measure
            content += [paid.kind, paid.factor.name, paid.law, measure.counting.value, measure.low, measure.high]
        return hashlib.sha256(json.dumps(content, default=str).encode()).hexdigest()

    def spreads(self, period: int) -> tuple[NoiseSpread, ...]:
        """The law of each measure's error in the answer for a period, from 1."""
        return tuple(paid.spread(period - 1) for paid in self.payments)

    def error_at(self, period: int, *, size: int = 1000) -> dict[str, float]:
        """The typical error of each answer for a period, from 1, in a cell of so many rows."""
        found = {}
        for formula in self.formulas:
            slopes = formula.aggregate.slopes(formula.pieces, self.measures, size)
            parts = [(slope * self.payments[place].deviation(period - 1)) ** 2 for place, slope in slopes]
            found[formula.name] = math.sqrt(sum(parts))
        return found

    def in_periods(self, upto: int) -> Condition:
        """The rows that may count in periods up to one: of the question, and dated from the first day on."""
        relation, days = self.question.relation, self.periods
        assert isinstance(relation, Base)
        column = relation.table.column(days.date)
        assert column is not None
        day = Leaf(relation.alias, column, ready=False)
        from_then = Compare(">=", day, Whole(days.first_day(1)))
        until_now = Compare("<=", day, Whole(days.last_day(upto)))
        return And(self.question.where, And(from_then, until_now))

    def plot(self, path: str | Path) -> None:
        """Draw the error over time into a file: .svg, .png or .pdf."""
        from banister.release.streams.report import draw_errors

        draw_errors(self, Path(path))

    def __str__(self) -> str:
        """The plan as text: what it costs, how it is measured, and the error over time."""
        days, paid = self.periods, self.payments
        what = "running totals" if days.running else f"sums of the last {days.window} periods"
        if days.window == 1:
            what = "counts of each period"
        lines = [
            f"Stream at {self.guarantee}, {self.neighbours.value} neighbours, one charge for {days.periods} periods. "
            f"{describe_person(self.schema)}",
            f"{self.question.text}: {what}, every {days.every} from {days.days(1)[0]} to {days.days(days.periods)[1]}.",
            f"A person counts in at most {days.person_periods} of the periods, in {self.reach.groups} "
            f"{'group' if self.reach.groups == 1 else 'groups'} of each, with {self.reach.rows} "
            f"{'row' if self.reach.rows == 1 else 'rows'} in each.",
            *(f"  {each.describe(each.reach.measure.counting.value)}" for each in paid),
            f"Largest error over that of one count of a person in one period with {paid[0].kind} noise: "
            + ", ".join(f"{each.name} {number(each.figure)}" for each in self.figures)
            + ".",
            *([] if self.rival is None else [self.rival.describe(paid)]),
        ]
        shown = dict.fromkeys([1, *(max(1, days.periods * part // 4) for part in (1, 2, 3)), days.periods])
        for name in (formula.name for formula in self.formulas):
            at = ", ".join(f"{number(self.error_at(period)[name])} at {period}" for period in shown)
            lines.append(f"  {name}: typical error {at}")
        return "\n".join(lines)


def known_axes(question: Question) -> list[Known]:
    """The axes of a question whose cells are all known."""
    return [axis for axis in question.axes if not isinstance(axis, Unknown)]


def stream_of(schema: Schema) -> StreamPeriods:
    """What [stream] says, which has to be there."""
    if schema.stream is None:
        raise BadValue(
            'The schema has no [stream]. Say when periods are and how many, e.g. [stream] date = "day", every = '
            '"week", start = 2026-01-05, periods = 104, person_periods = 4.'
        )
    return schema.stream


def plan_stream(
    dataset: Dataset, sql: str, *, epsilon: Number, delta: Number = 0, confidence: Number = 0.95
) -> StreamPlan:
    """Plan counts that go on: one charge for all periods of [stream]. No record is seen.

    >>> from banister.release.streams.example import days_of_a_year
    >>> pure = plan_stream(days_of_a_year(), "SELECT COUNT(*) AS visits FROM data", epsilon=1)
    >>> pure.method, round(pure.figures[0].figure, 2)
    ('blocks of 1, 9 and 135 by least squares', 7.68)
    """
    asked = PlanRequest.of(dataset.questions(sql), epsilon=epsilon, delta=delta, confidence=confidence)
    days = stream_of(dataset.schema)
    question = _checked(asked.questions, dataset.schema, days)
    reach, level = measures.reach(question, dataset.schema), asked.level
    factors = candidates(days.periods, days.window)
    made = [_paid(layout, reach, factors, dataset.schema, level) for layout in layouts(question, reach, {})]
    layout, options = min(made, key=lambda each: each[1][0].cost)
    payments = options[0].payments
    pure = payments[0].kind == "Laplace"
    figures = _figures(factors, days.person_periods, pure=pure)
    beaten = options[1].payments if len(options) > 1 else None
    against = _figures(factors, days.person_periods, pure=not pure)[0].figure
    return StreamPlan(
        schema=dataset.schema,
        question=question,
        reach=reach,
        formulas=layout.formulas,
        payments=payments,
        guarantee=Guarantee(level.epsilon) if pure else level,
        asked=level,
        confidence=asked.confidence,
        figures=figures,
        rival=None if beaten is None else Rival(beaten, against),
    )


@dataclass(frozen=True, slots=True)
class _Option:
    payments: tuple[StreamNoise, ...]
    cost: float
    """The weighted squared errors."""


def _checked(questions: Sequence[Question], schema: Schema, days: StreamPeriods) -> Question:
    """The one question, if it can go on: declared cells of the main table, counts, sums and means."""
    if len(questions) != 1:
        raise BadValue(f"A stream answers one question, not {len(questions)}. Start a stream for each.")
    (question,) = questions
    if not isinstance(question.relation, Base) or question.relation.table.name != schema.main.name:
        raise BadValue("A stream is about the main table alone. Ask without joins and subqueries, FROM data.")
    if question.open:
        raise BadValue("A stream needs cells that are known: declare the values of the columns that are grouped by.")
    for output in question.outputs:
        aggregate = aggregate_of(output)
        if aggregate.choice() is not None:
            raise BadValue(
                f"'{output.name}' is chosen by rank, which no running total is. Ask for counts, sums or means."
            )
        counted = {measure.counting for measure in _measures_of(question, schema)}
        if Counting.DISTINCT in counted:
            raise BadValue(
                f"'{output.name}' counts different values, which is no running total. Ask for counts, sums or means."
            )
        if Counting.PEOPLE in counted:
            raise BadValue(
                "A stream counts rows, not different people: who comes back would have to be recognised in the total. "
                "Ask for COUNT(*); with rows = 1 it counts each person once in a period."
            )
    return replace(question, personal=True)


def _measures_of(question: Question, schema: Schema) -> tuple[Measure, ...]:
    return next(layouts(question, measures.reach(question, schema), {})).measures


def _paid(
    layout: Layout, reach: Reach, factors: Sequence[Factor], schema: Schema, level: Guarantee
) -> tuple[Layout, list[_Option]]:
    """A layout with the least noise for it, pure and, where there is a delta, Gaussian: the better one first."""
    many = stream_of(schema).person_periods
    bounds = [
        StreamReach(measure=m, neighbours=schema.neighbours, groups=reach.groups, many=many) for m in layout.measures
    ]
    matter = weigh(layout, [1.0] * len(layout.formulas))
    options = [_pure(bounds, matter, factors, many, level.epsilon)]
    if level.delta > 0:
        options.append(_gaussian(bounds, matter, factors, many, level))
    costs = [sum(m * paid.largest() ** 2 for m, paid in zip(matter, each, strict=True)) for each in options]
    return layout, sorted(map(_Option, options, costs), key=lambda option: option.cost)


def _gaussian(
    bounds: Sequence[StreamReach], matter: Sequence[float], factors: Sequence[Factor], many: int, level: Guarantee
) -> tuple[StreamNoise, ...]:
    # Gaussian noise is priced question by question as periods end: none of it is drawn ahead.
    causal = [factor for factor in factors if not factor.ahead]
    best = min(causal, key=lambda factor: _figure(factor, many, pure=False))
    parts = proportions([math.sqrt(bound.squares(best) * m) for bound, m in zip(bounds, matter, strict=True)])
    return tuple(gaussian_stream(bound, best, level, part) for bound, part in zip(bounds, parts, strict=True))


def _pure(
    bounds: Sequence[StreamReach], matter: Sequence[float], factors: Sequence[Factor], many: int, epsilon: Fraction
) -> tuple[StreamNoise, ...]:
    best = min(factors, key=lambda factor: _figure(factor, many, pure=True))
    parts = share_out(epsilon, [float(bound.sums(best)) ** 2 * m for bound, m in zip(bounds, matter, strict=True)])
    if max(bound.sums(best) / part for bound, part in zip(bounds, parts, strict=True)) > 2**55:
        raise BadValue(
            f"epsilon = {brief(epsilon)} is too small for what one person can contribute in {many} periods. Give more "
            "epsilon, a coarser step, a narrower range or fewer periods a person."
        )
    return tuple(pure_stream(bound, best, part) for bound, part in zip(bounds, parts, strict=True))


def _figure(factor: Factor, many: int, *, pure: bool) -> float:
    """The largest error over that of one count of a person in one period."""
    moved = float(factor.sums(many)) if pure else math.sqrt(factor.squares(many))
    return moved * max(factor.errors)


def _figures(factors: Sequence[Factor], many: int, *, pure: bool) -> tuple[MethodFigure, ...]:
    possible = [factor for factor in factors if pure or not factor.ahead]
    found = [MethodFigure(factor.name, _figure(factor, many, pure=pure)) for factor in possible]
    return tuple(sorted(found, key=lambda each: each.figure))
