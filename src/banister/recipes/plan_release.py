"""Plan a release: which noise, how much of it, what it costs. No record is seen."""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from banister.core import need
from banister.core.exact import Number, brief
from banister.core.guarantee import Guarantee, Neighbours
from banister.errors import BadValue
from banister.mechanisms import IntegerStaircase, TruncatedStaircase
from banister.recipes.foresight import Forecast, forecast, usual_laplace
from banister.recipes.ladder import Ladder, plan_ladder
from banister.recipes.wording import describe_person, describe_reach, number
from banister.tables import measures
from banister.tables.layout import Formula, Layout, layouts, weigh
from banister.tables.measures import Measure, Reach, Share
from banister.tables.question import Aggregate, Question
from banister.tables.schema import Schema
from banister.tables.split import cost, share_out

FORMAT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One measure with the noise that protects it."""

    measure: Measure
    share: Share
    epsilon: Fraction
    noise: IntegerStaircase | TruncatedStaircase


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One question of a plan."""

    question: Question
    reach: Reach
    measured: tuple[Measured, ...]
    formulas: tuple[Formula, ...]
    ladders: tuple[Ladder, ...]
    epsilon: Fraction
    delta: Fraction

    @property
    def selector(self) -> TruncatedStaircase:
        """The noise on the number of people that decides which unknown values appear.

        A value appears when the noisy number of people exceeds the largest noise there is. So nothing appears out of
        nothing, and one person alone makes a value appear with probability delta at most. The optimal rule of [DVGM22]
        lets a value through one person earlier at most; there the number of people would have to be paid again.
        """
        noise = self.measured[0].noise
        assert isinstance(noise, TruncatedStaircase)
        return noise

    def forecasts(self, size: int, confidence: float) -> tuple[Forecast, ...]:
        """What to expect of each output in a cell of that many rows."""
        ladders = iter(self.ladders)
        found: list[Forecast] = []
        for formula in self.formulas:
            if formula.output.aggregate is Aggregate.QUANTILE:
                rows = next(ladders).rank_error(confidence)
                found.append(
                    Forecast(name=formula.output.name, error=math.nan, half_width=rows, laplace=math.nan, unit="rows")
                )
            else:
                found.append(forecast(formula, self, size, confidence, laplace=self._usual(formula, size)))
        return tuple(found)

    def _usual(self, formula: Formula, size: int) -> float:
        pieces = {Aggregate.MEAN: 2}
        needed = [1 if f.square is None else 3 for f in self.formulas]
        outputs = sum(max(n, pieces.get(f.output.aggregate, 1)) for n, f in zip(needed, self.formulas, strict=True))
        touches = max((m.share.touches for m in self.measured), default=1)
        return usual_laplace(
            formula, epsilon=float(self.epsilon), outputs=outputs, touches=touches, rows=self.reach.rows, size=size
        )


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Everything about a release that is decided before a record is read, and what it will cost."""

    schema: Schema
    parts: tuple[Part, ...]
    guarantee: Guarantee
    confidence: float

    @property
    def neighbours(self) -> Neighbours:
        return self.schema.neighbours

    @cached_property
    def digest(self) -> str:
        """A hash of what will be done, by which a receipt knows the plan it was paid for."""
        text = repr((FORMAT, self.schema, self.parts, self.guarantee))
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def label(self) -> str:
        """One line for the ledger."""
        text = "; ".join(part.question.text for part in self.parts)
        return text if len(text) <= 200 else text[:197] + "..."

    def __str__(self) -> str:
        """The plan as text: what it costs, and for each answer its interval by cell size."""
        lines = [f"Plan at {self.guarantee}, {self.neighbours.value} neighbours. {describe_person(self.schema)}"]
        for part in self.parts:
            lines += [part.question.text, describe_reach(part)]
            wide = [part.forecasts(size, self.confidence) for size in self.sizes]
            for place, name in enumerate(formula.output.name for formula in part.formulas):
                shown = [
                    f"±{number(w[place].half_width)}{w[place].unit and ' ' + w[place].unit} (n={n})"
                    for w, n in zip(wide, self.sizes, strict=True)
                ]
                lines.append(
                    f"  {name}: {', '.join(shown)}; typically {number(wide[1][place].error)} at n={self.sizes[1]}"
                )
        return "\n".join(lines)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Cell sizes for which errors are shown: around the declared number of people, else three powers of ten."""
        cells = self.parts[0].question.cells
        if self.schema.people is None or cells is None:
            return (100, 1000, 10000)
        middle = max(1, self.schema.people // cells)
        return (max(1, middle // 10), middle, middle * 10)


def plan_release(
    questions: Sequence[Question],
    schema: Schema,
    *,
    epsilon: Number,
    delta: Number = 0,
    confidence: Number = 0.95,
    weights: Mapping[str, Number] | None = None,
) -> Plan:
    """The plan with the least error for a guarantee; several questions share epsilon and delta equally."""
    level = Guarantee(need.positive("epsilon", epsilon), delta)
    sure = float(need.strictly_between("confidence", confidence, 0, 1))
    share = Fraction(1, len(questions))
    opening = sum(question.open for question in questions)
    parts = tuple(
        _part(
            question,
            schema,
            epsilon=level.epsilon * share,
            delta=level.delta / opening if question.open else Fraction(0),
            weights=_weights(question, weights or {}),
        )
        for question in questions
    )
    used = level if opening else Guarantee(level.epsilon)
    return Plan(schema=schema, parts=parts, guarantee=used, confidence=sure)


def _weights(question: Question, given: Mapping[str, Number]) -> list[float]:
    names = [output.name for output in question.outputs]
    for name in given:
        if name not in names:
            raise BadValue(f"weights name '{name}', which is no answer; the answers are {', '.join(names)}.")
    return [float(need.positive(f"weight of {name}", given.get(name, 1))) for name in names]


def _part(question: Question, schema: Schema, *, epsilon: Fraction, delta: Fraction, weights: Sequence[float]) -> Part:
    if question.open and delta == 0:
        raise BadValue(
            "A column with unknown values is grouped by, so a value may appear that only one person has; that needs a "
            "delta above 0, e.g. delta = 1e-6. Or declare the column's values."
        )
    reach = measures.reach(question, schema)
    ranked = [w for o, w in zip(question.outputs, weights, strict=True) if o.aggregate is Aggregate.QUANTILE]
    best: tuple[float, Layout, list[Share], list[float]] | None = None
    for layout in layouts(question, reach):
        shares = [_best_share(measure, schema.neighbours, reach, question) for measure in layout.measures]
        matter = weigh(layout, weights)
        if question.open:
            matter[0] = max(matter[0], 1.0)  # The people behind a value decide whether it appears at all.
        importance = [2 * (s.touches * s.sensitivity) ** 2 * m for s, m in zip(shares, matter, strict=True)]
        price = cost(epsilon, [*importance, *(_rank_importance(reach, w) for w in ranked)])
        if best is None or price < best[0]:
            best = (price, layout, shares, importance)
    assert best is not None
    _, layout, shares, importance = best
    epsilons = share_out(epsilon, [*importance, *(_rank_importance(reach, w) for w in ranked)])
    measured = tuple(
        _measured(measure, share, eps, delta if question.open and place == 0 else Fraction(0))
        for place, (measure, share, eps) in enumerate(zip(layout.measures, shares, epsilons, strict=False))
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
        epsilon=epsilon,
        delta=delta,
    )


def _rank_importance(reach: Reach, weight: float) -> float:
    """Choosing a rank errs by several times the noise of a count; two ends of an interval are chosen besides."""
    return 2 * (4 * reach.groups) ** 2 * weight


def _best_share(measure: Measure, neighbours: Neighbours, reach: Reach, question: Question) -> Share:
    options = measures.shares(measure, neighbours=neighbours, groups=reach.groups, cells=question.cells)
    return min(options, key=lambda option: option.touches * option.sensitivity)


def _measured(measure: Measure, share: Share, epsilon: Fraction, delta: Fraction) -> Measured:
    level = epsilon / share.touches
    if share.sensitivity / level > 2**55:
        raise BadValue(
            f"epsilon = {brief(epsilon)} is too small for what one person can contribute ({share.sensitivity} steps). "
            "Give more epsilon, a coarser step or a narrower range."
        )
    noise: IntegerStaircase | TruncatedStaircase
    if delta > 0:
        noise = TruncatedStaircase(epsilon=level, delta=delta / share.touches, sensitivity=share.sensitivity)
    else:
        noise = IntegerStaircase(epsilon=level, sensitivity=share.sensitivity, cost="power")
    return Measured(measure=measure, share=share, epsilon=epsilon, noise=noise)
