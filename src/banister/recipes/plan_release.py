"""Plan a release: which noise, how much of it, what it costs. No record is seen."""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

from banister.core import need
from banister.core.exact import Number
from banister.core.guarantee import Guarantee, Neighbours
from banister.core.loss import PrivacyLoss
from banister.errors import BadValue
from banister.mechanisms import RoundedGaussian, TruncatedStaircase
from banister.recipes.consistent import Family, agreed_spreads, centring, families
from banister.recipes.foresight import Forecast, forecast, spread_of, usual_laplace
from banister.recipes.ladder import Ladder, plan_ladder
from banister.recipes.noises import LARGEST_SIGMA, Measured, joint_noise, joint_price, least_bar, split_noise
from banister.recipes.wording import describe_noise, describe_person, describe_reach, number
from banister.tables import measures
from banister.tables.combine import Spread
from banister.tables.layout import Formula, Layout, layouts, weigh
from banister.tables.measures import Measure, Reach, Share
from banister.tables.question import Aggregate, Question
from banister.tables.schema import Schema
from banister.tables.split import cost, share_out
from banister.tables.terms import Quantity

FORMAT = 1


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
    error: float
    """What was minimised: the squared errors of all measures, each as much as it matters."""
    alternative: "Part | None" = field(default=None, repr=False, compare=False)
    """The other way to make the noise, where there is one: split for joint, joint for split."""
    agreed: Mapping[int, Spread] = field(default_factory=dict, repr=False, compare=False)
    """The law of the errors of measures that are made to agree with other questions, by their places."""

    @property
    def spreads(self) -> tuple[Spread, ...]:
        """The law of each measure's error."""
        return tuple(self.agreed.get(place) or spread_of(m.noise) for place, m in enumerate(self.measured))

    @property
    def joint(self) -> bool:
        """Whether the noise is Gaussian, for all cells at once."""
        return any(isinstance(m.noise, RoundedGaussian) for m in self.measured)

    @property
    def bar(self) -> int:
        """The noisy number of people that an unknown value must exceed to appear."""
        noise = self.measured[0].noise
        if isinstance(noise, RoundedGaussian):
            return least_bar(noise, self.measured[0].share.touches, self.delta / 2)
        return self.selector.edge

    def loss(self) -> PrivacyLoss:
        """What all answers of this question give away about one person, measure by measure."""
        losses = [*(m.loss() for m in self.measured), *(ladder.loss() for ladder in self.ladders)]
        if self.joint and self.question.open:
            losses.append(PrivacyLoss.of_guarantee(Guarantee(0, self.delta / 2)))
        return PrivacyLoss.nothing().with_(*losses)

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
    families: tuple[Family, ...] = ()
    """Questions whose answers are made to agree after the noise is drawn."""

    @property
    def neighbours(self) -> Neighbours:
        return self.schema.neighbours

    @cached_property
    def digest(self) -> str:
        """A hash of what will be done, by which a receipt knows the plan it was paid for."""
        text = repr((FORMAT, self.schema, self.parts, self.guarantee, self.families))
        return hashlib.sha256(text.encode()).hexdigest()

    @cached_property
    def loss(self) -> PrivacyLoss:
        """What the whole release gives away; it never exceeds the guarantee, and composes better than it."""
        return PrivacyLoss.nothing().with_(*(part.loss() for part in self.parts))

    @property
    def costs(self) -> tuple[PrivacyLoss, Guarantee]:
        """Two true descriptions of what is given away; the ledger takes the first that fits."""
        return self.loss, self.guarantee

    @property
    def label(self) -> str:
        """One line for the ledger."""
        text = "; ".join(part.question.text for part in self.parts)
        return text if len(text) <= 200 else text[:197] + "..."

    def __str__(self) -> str:
        """The plan as text: what it costs, and for each answer its interval by cell size."""
        lines = [f"Plan at {self.guarantee}, {self.neighbours.value} neighbours. {describe_person(self.schema)}"]
        for part in self.parts:
            lines += [part.question.text, describe_reach(part), *describe_noise(part, self.sizes[1], self.confidence)]
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
    return [float(need.positive(f"weight of {name}", given.get(name, 1))) for name in names]


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
        return sum(matter * m.noise.risk_for("power") for m, matter in zip(measured, self.matter, strict=True))


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
