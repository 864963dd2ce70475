"""What would this accuracy cost? The least epsilon at which every interval is as narrow as asked."""

from collections.abc import Sequence
from fractions import Fraction

from banister.core import need
from banister.core.exact import Number, brief
from banister.errors import BadValue
from banister.recipes.plan_release import Part, Plan, plan_release
from banister.tables.question import Aggregate, Question
from banister.tables.schema import Schema

STEPS = 24
"""Halvings of the range of epsilon, on a logarithmic scale: the answer is exact to five digits."""


def least_epsilon_within(
    questions: Sequence[Question],
    schema: Schema,
    *,
    within: Number,
    size: int | None,
    delta: Number,
    confidence: Number,
    most: Number,
    consistent: bool = False,
) -> Plan:
    """The cheapest plan that is accurate enough, or an error that says how near the budget comes."""
    share = float(need.positive("within", within))
    rows = _size(size, questions, schema)
    largest = need.exact("the largest epsilon", most)
    if not largest > 0:
        raise BadValue("Nothing is left of the budget, so no accuracy can be bought.")

    def plan(epsilon: Fraction) -> Plan:
        return plan_release(
            questions, schema, epsilon=epsilon, delta=delta, confidence=confidence, consistent=consistent
        )

    best = plan(largest)
    reached = worst(best, rows)
    if reached > share:
        raise BadValue(
            f"Within {share:.3g} of the answer is more than the budget can buy: with all that is left, epsilon = "
            f"{brief(largest)}, cells of {rows} rows come within {reached:.3g}. Ask for less accuracy, larger cells or "
            "fewer answers."
        )
    low, high = Fraction(0), largest
    for _ in range(STEPS):
        middle = _rounded((low + high) / 2)
        if not low < middle < high:
            break
        tried = plan(middle)
        if worst(tried, rows) <= share:
            high, best = middle, tried
        else:
            low = middle
    return best


def _rounded(value: Fraction) -> Fraction:
    """Six significant digits, so that the epsilon can be read and typed."""
    digits = 0
    while value * 10**digits < 100_000:
        digits += 1
    return Fraction(round(value * 10**digits), 10**digits)


def _size(size: int | None, questions: Sequence[Question], schema: Schema) -> int:
    if size is not None:
        return need.whole("size", size, least=1)
    cells = questions[0].cells
    if schema.people is None or cells is None:
        raise BadValue(
            "An accuracy in percent needs the size of a cell. Give it (--size 1000), or declare the public number of "
            "people in [source], e.g. people = 20000."
        )
    return max(1, schema.people // cells)


def worst(plan: Plan, rows: int) -> float:
    """The widest interval of all answers, each as a share of what it is compared with."""
    shares = [
        found.half_width / _scale(part, place, rows)
        for part in plan.parts
        for place, found in enumerate(part.forecasts(rows, plan.confidence))
    ]
    return max(shares)


def _scale(part: Part, place: int, rows: int) -> float:
    """Counts: the rows. Sums: the rows times the largest value. Means and their like: the width of the range."""
    output = part.formulas[place].output
    quantity = output.quantity
    if output.aggregate in (Aggregate.COUNT, Aggregate.PEOPLE, Aggregate.QUANTILE) or quantity is None:
        return float(rows)
    if output.aggregate is Aggregate.SUM:
        return rows * float(quantity.step) * max(abs(quantity.low), abs(quantity.high))
    width = float(quantity.step) * (quantity.high - quantity.low)
    squared = output.aggregate in (Aggregate.VARIANCE, Aggregate.VARIANCE_POPULATION)
    return width**2 if squared else width
