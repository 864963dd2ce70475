"""What would this accuracy cost? The least epsilon at which every interval is as narrow as asked."""

from collections.abc import Callable, Sequence
from fractions import Fraction

from banister.core.exact.numbers import brief
from banister.core.exact.search import halved
from banister.errors import BadValue
from banister.questions.question import Question
from banister.release.planning.planner import Plan, plan_release
from banister.release.planning.request import PlanRequest
from banister.tables.schema import Schema

STEPS = 24
"""Halvings of the range of epsilon, on a logarithmic scale: the answer is exact to five digits."""


def least_epsilon_within(request: PlanRequest, schema: Schema, fits: Callable[[Plan], bool]) -> Plan:
    """The cheapest plan that is accurate enough, or an error that says how near the budget comes.

    `fits` says whether what is left of the budget has room for a plan.
    """
    asked = request.accuracy
    if asked is None:
        raise BadValue("The request names no accuracy. Say within which share of the answer intervals must be.")
    share, rows = float(asked.within), asked.size or _size(request.questions, schema)

    def plan(epsilon: Fraction) -> Plan:
        return plan_release(request.at(epsilon), schema)

    largest = request.level.epsilon
    whole = plan(largest)
    if worst(whole, rows) <= share:
        _, best = _halved(plan, largest, lambda tried: worst(tried, rows) <= share)
        if best is None or fits(best):
            return best or whole
    affordable = whole if fits(whole) else _halved(plan, largest, lambda tried: not fits(tried))[0]
    if affordable is None:
        raise BadValue("Nothing is left of the budget, so no accuracy can be bought.")
    raise BadValue(
        f"Within {share:.3g} of the answer is more than the budget can buy: with all that is left, epsilon = "
        f"{brief(affordable.guarantee.epsilon)}, cells of {rows} rows come within {worst(affordable, rows):.3g}. Ask "
        "for less accuracy, larger cells or fewer answers."
    )


def _halved(
    plan: Callable[[Fraction], Plan], largest: Fraction, holds: Callable[[Plan], bool]
) -> tuple[Plan | None, Plan | None]:
    """The last plan for which a condition does not hold and the first for which it does, if it turns once."""
    tried: dict[Fraction, Plan] = {}

    def enough(epsilon: Fraction) -> bool:
        tried[epsilon] = plan(epsilon)
        return holds(tried[epsilon])

    last, first = halved(
        enough, Fraction(0), largest, rounds=STEPS, middle=lambda low, high: _rounded((low + high) / 2)
    )
    return tried.get(last), tried.get(first)


def _rounded(value: Fraction) -> Fraction:
    """Six significant digits, so that the epsilon can be read and typed."""
    digits = 0
    while value * 10**digits < 100_000:
        digits += 1
    return Fraction(round(value * 10**digits), 10**digits)


def _size(questions: Sequence[Question], schema: Schema) -> int:
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
        found.half_width / formula.aggregate.compared_with(rows)
        for part in plan.parts
        for formula, found in zip(part.formulas, part.forecasts(rows, plan.confidence), strict=True)
    ]
    return max(shares)
