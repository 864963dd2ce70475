"""Which measures answer a question, and how: each output is a formula over noisy measures.

Sums may be taken around the middle of their range. That halves their sensitivity, and the count, which a mean needs
anyway, brings the middle back. `layouts` lists the possibilities; the split of epsilon decides between them.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from banister.questions import measures, terms
from banister.questions.measures import Measure, Reach
from banister.questions.question import Aggregate, Output, Question
from banister.questions.terms import Quantity

MEANS = {
    Aggregate.MEAN,
    Aggregate.VARIANCE,
    Aggregate.VARIANCE_POPULATION,
    Aggregate.DEVIATION,
    Aggregate.DEVIATION_POPULATION,
}
CHOICES = 6
"""Up to so many sums are tried both ways; beyond, all are centred that can be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Formula:
    """One output from measures, by their places: count, total of the quantity, total of its square.

    sum       = step · total + middle · count
    mean      = middle + step · total / count
    variance  = square_middle + square_step · square / count − (mean − middle)²
    """

    output: Output
    count: int | None = None
    total: int | None = None
    square: int | None = None
    middle: Fraction = Fraction(0)
    step: Fraction = Fraction(1)
    square_middle: Fraction = Fraction(0)
    square_step: Fraction = Fraction(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Measures and the formulas over them."""

    measures: tuple[Measure, ...]
    formulas: tuple[Formula, ...]


class _Builder:
    """Collects measures, each once."""

    def __init__(self, question: Question, reach: Reach) -> None:
        self.found: list[Measure] = []
        self.rows = reach.rows
        self.single = not question.personal or question.relation.rows == 1
        if question.open:
            self.people()

    def place(self, measure: Measure) -> int:
        if measure not in self.found:
            self.found.append(measure)
        return self.found.index(measure)

    def people(self) -> int:
        return self.place(measures.people())

    def count(self, quantity: Quantity | None) -> int:
        missing = quantity is not None and quantity.nulls
        if not missing and self.single:
            return self.people()  # One row a person: the rows are the people.
        return self.place(measures.rows(most=self.rows, of=quantity if missing else None))


def layouts(question: Question, reach: Reach, fixed: Mapping[Quantity, bool]) -> Iterator[Layout]:
    """Every layout worth comparing; for the sums in `fixed` it is decided whether they are taken around the middle."""
    always = {q for q in centrable(question) if fixed.get(q)}
    free = [q for q in summed(question) if q in centrable(question) and q not in fixed]
    choices = itertools.product((True, False), repeat=len(free)) if len(free) <= CHOICES else [(True,) * len(free)]
    for choice in choices:
        yield _layout(question, reach, always | {q for q, centre in zip(free, choice, strict=True) if centre})


def summed(question: Question) -> dict[Quantity, None]:
    """The quantities of which sums are asked for, in order."""
    sums = [o.quantity for o in question.outputs if o.aggregate is Aggregate.SUM and o.quantity is not None]
    return dict.fromkeys(sums)


def centrable(question: Question) -> set[Quantity]:
    """The sums that can be taken around the middle of their range, as their count is measured anyway."""
    counted = _counted(question)
    return {q for q in summed(question) if (q if q.nulls else None) in counted}


def _counted(question: Question) -> set[Quantity | None]:
    """The counts that are measured anyway: of all rows (None), or of the rows where a quantity is not missing."""
    single = not question.personal or question.relation.rows == 1
    found: set[Quantity | None] = {None} if question.open and single else set()
    for output in question.outputs:
        if output.aggregate in MEANS or output.aggregate is Aggregate.COUNT:
            found.add(output.quantity if output.quantity is not None and output.quantity.nulls else None)
        elif output.aggregate is Aggregate.PEOPLE and single:
            found.add(None)
    return found


def _layout(question: Question, reach: Reach, centre: set[Quantity]) -> Layout:
    builder = _Builder(question, reach)
    formulas = tuple(_formula(output, builder, centre) for output in question.outputs)
    return Layout(measures=tuple(builder.found), formulas=formulas)


def _formula(output: Output, builder: _Builder, centre: set[Quantity]) -> Formula:
    quantity = output.quantity
    match output.aggregate:
        case Aggregate.COUNT:
            return Formula(output=output, count=builder.count(quantity))
        case Aggregate.PEOPLE:
            return Formula(output=output, count=builder.people())
        case Aggregate.QUANTILE:
            return Formula(output=output)
    assert quantity is not None
    if output.aggregate is Aggregate.SUM and quantity not in centre:
        return Formula(output=output, total=builder.place(_total(quantity, builder)), step=quantity.step)
    moved, middle = measures.centred(quantity)
    count, total = builder.count(quantity), builder.place(_total(moved, builder))
    if output.aggregate in (Aggregate.SUM, Aggregate.MEAN):
        return Formula(output=output, count=count, total=total, middle=middle, step=moved.step)
    squared, square_middle = measures.centred(_square(moved))
    return Formula(
        output=output,
        count=count,
        total=total,
        square=builder.place(_total(squared, builder)),
        middle=middle,
        step=moved.step,
        square_middle=square_middle,
        square_step=squared.step,
    )


def _total(quantity: Quantity, builder: _Builder) -> Measure:
    return measures.total(quantity, most=builder.rows)


def _square(quantity: Quantity) -> Quantity:
    """The square, of which interval arithmetic alone would not know that it is never below 0."""
    product = terms.times(quantity, quantity)
    return Quantity(
        term=product.term,
        low=0,
        high=max(quantity.low**2, quantity.high**2),
        step=product.step,
        nulls=product.nulls,
    )


def weigh(layout: Layout, weights: Sequence[float]) -> list[float]:
    """How much each measure's variance matters: Σ over outputs of weight · (slope / scale)².

    The slope of an output in a measure is taken for a cell of any size n, errors of means times n; the scale is what
    one person can contribute, so that a count, a sum and a mean are on one footing.
    """
    matter = [0.0] * len(layout.measures)
    for formula, weight in zip(layout.formulas, weights, strict=True):
        for place, slope in slopes(formula, layout.measures).items():
            matter[place] += weight * slope**2
    return matter


def slopes(formula: Formula, found: Sequence[Measure]) -> dict[int, float]:
    """Slope over scale of one output in each measure that it uses."""
    aggregate = formula.output.aggregate
    if aggregate in (Aggregate.COUNT, Aggregate.PEOPLE) and formula.count is not None:
        return {formula.count: 1 / found[formula.count].high}
    if formula.total is None:
        return {}
    measure = found[formula.total]
    if aggregate is Aggregate.SUM:
        scale = float(formula.step * measure.sensitivity() + abs(formula.middle) * _most(formula, found))
        parts = {formula.total: float(formula.step) / scale}
        return parts if formula.count is None else parts | {formula.count: float(formula.middle) / scale}
    parts = {formula.total: 1 / measure.sensitivity()}
    if formula.count is not None:
        parts[formula.count] = 0.25 / _most(formula, found)
    if formula.square is not None:
        parts[formula.square] = 1 / found[formula.square].sensitivity()
    return parts


def _most(formula: Formula, found: Sequence[Measure]) -> int:
    return 1 if formula.count is None else found[formula.count].high
