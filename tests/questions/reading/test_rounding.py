"""ROUND, FLOOR and CEIL give what decimals give, within their bounds; FILTER is the CASE that it stands for."""

import math
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

import pytest

from banister.questions import terms
from banister.questions.reading.parser import read_questions
from banister.questions.reading.values.rounding import ceil, floor, nearest
from banister.questions.terms import Leaf, Quantity
from banister.release.aggregates import ALL
from banister.tables.schema import Column, Kind
from tests.questions.test_terms import evaluate
from tests.release.sources.places import schema

RANGES = [(-3, 5), (0, 4), (-6, -1)]
STEPS = ["0.5", "0.25", "0.1", "1", "2.5"]


def _halves_away(value: Fraction) -> int:
    exact = Decimal(value.numerator) / Decimal(value.denominator)
    return int(exact.quantize(Decimal(1), rounding=ROUND_HALF_UP))


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("ends", RANGES)
@pytest.mark.parametrize(
    ("made", "meant"),
    [(floor, math.floor), (ceil, math.ceil), (nearest, _halves_away)],
    ids=["floor", "ceil", "nearest"],
)
def test_every_step_of_a_range_goes_where_decimals_go(
    step: str, ends: tuple[int, int], made: object, meant: object
) -> None:
    assert callable(made)
    assert callable(meant)
    column = Column(name="x", kind=Kind.NUMBER, low=Fraction(ends[0]), high=Fraction(ends[1]), step=Fraction(step))
    leaf = terms.column(Leaf("t", column, False))
    found: Quantity = made(leaf)
    assert found.step == 1
    assert evaluate(found.term, {"x": None}) is None
    seen = [evaluate(found.term, {"x": units}) for units in range(leaf.low, leaf.high + 1)]
    assert seen == [meant(leaf.step * units) for units in range(leaf.low, leaf.high + 1)]
    assert (found.low, found.high) == (seen[0], seen[-1])


@pytest.mark.parametrize(
    ("filtered", "case"),
    [
        ("COUNT(*) FILTER (WHERE visits > 3)", "COUNT(CASE WHEN visits > 3 THEN 1 END)"),
        ("COUNT(site) FILTER (WHERE ok = TRUE)", "COUNT(CASE WHEN ok = TRUE AND NOT site IS NULL THEN 1 END)"),
        ("SUM(income) FILTER (WHERE visits > 3)", "SUM(CASE WHEN visits > 3 THEN income END)"),
        ("QUANTILE(came, 0.1) FILTER (WHERE visits > 3)", "QUANTILE(CASE WHEN visits > 3 THEN came END, 0.1)"),
        (
            "PERCENTILE_CONT(0.1) WITHIN GROUP (ORDER BY income) FILTER (WHERE visits > 3)",
            "PERCENTILE_CONT(0.1) WITHIN GROUP (ORDER BY CASE WHEN visits > 3 THEN income END)",
        ),
    ],
)
def test_filter_is_the_case_that_it_stands_for(filtered: str, case: str) -> None:
    asked = schema(person=True)
    one, other = (
        read_questions(f"SELECT {item} AS a FROM data", asked, aggregates=ALL)[0].outputs for item in (filtered, case)
    )
    assert one == other


def test_the_step_of_what_is_rounded_is_its_unit() -> None:
    (found,) = read_questions("SELECT SUM(ROUND(far, -2)) AS a FROM data", schema(person=True), aggregates=ALL)
    quantity = found.outputs[0].aggregate.quantity
    assert quantity is not None
    assert (quantity.step, quantity.low, quantity.high) == (Fraction(100), -10000, 10000)
