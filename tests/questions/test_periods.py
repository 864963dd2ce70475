"""The calendar as terms: against NumPy's, for every day of the years 1 to 9999."""

from datetime import date, timedelta
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from banister.errors import BadValue
from banister.questions import terms
from banister.questions.periods import PARTS, part, period
from banister.questions.terms import FIRST_DAY, LAST_DAY, Add, IntegerDivide, Leaf, Mod, Multiply, Quantity, Term, Whole
from banister.tables.calendar import EVERY, numbers_of, part_numbers
from banister.tables.reading import EPOCH
from banister.tables.schema import Column, Kind

DAYS = np.arange(FIRST_DAY, LAST_DAY + 1)


def day(low: int, high: int) -> Quantity:
    return terms.column(Leaf("r", Column(name="d", kind=Kind.DATE, low=Fraction(low), high=Fraction(high)), False))


def values(term: Term, days: NDArray[np.int64]) -> NDArray[np.int64]:
    """What a term is for each day; nothing below 0 is divided, for there engines differ."""
    match term:
        case Leaf():
            return days
        case Whole(value):
            return np.full_like(days, value)
        case Add(a, b):
            return values(a, days) + values(b, days)
        case Multiply(a, b):
            return values(a, days) * values(b, days)
        case Mod(a, divisor) | IntegerDivide(a, divisor):
            inner = values(a, days)
            assert inner.min() >= 0
            return inner % divisor if isinstance(term, Mod) else inner // divisor
    raise AssertionError(term)


@pytest.mark.parametrize("every", EVERY)
def test_periods_are_those_of_the_calendar(every: str) -> None:
    found = period(day(FIRST_DAY, LAST_DAY), every)
    numbers = values(found.term, DAYS)
    assert (numbers == numbers_of(DAYS, every)).all()
    assert (found.low, found.high) == (numbers.min(), numbers.max())
    assert found.step == 1
    assert not found.date


@pytest.mark.parametrize("name", PARTS)
def test_parts_are_those_of_the_calendar(name: str) -> None:
    months = DAYS.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64) + 12 * 1970
    weekdays = np.array([(int(n) + 3) % 7 + 1 for n in DAYS])  # 1 January 1970 was a Thursday, the fourth day.
    truth = {"year": months // 12, "quarter": months % 12 // 3 + 1, "month": months % 12 + 1, "isodow": weekdays}
    truth |= {name: part_numbers(DAYS, name) for name in ("day", "week")}
    found = part(day(FIRST_DAY, LAST_DAY), name)
    assert (values(found.term, DAYS) == truth[name]).all()
    assert (found.low, found.high) == (truth[name].min(), truth[name].max())


def test_days_of_months_and_weeks_are_those_of_the_standard_library() -> None:
    dates = [date(2000, 1, 1) + timedelta(days=n) for n in range(400 * 28)]
    numbers = np.array([one.toordinal() - EPOCH for one in dates])
    assert part_numbers(numbers, "day").tolist() == [one.day for one in dates]
    assert part_numbers(numbers, "week").tolist() == [one.isocalendar().week for one in dates]


@pytest.mark.parametrize(("low", "high"), [(0, 58), (0, 364), (0, 365), (-1, 0), (300, 420), (-800, -700)])
@pytest.mark.parametrize("name", PARTS)
def test_bounds_of_parts_hold(name: str, low: int, high: int) -> None:
    found = part(day(low, high), name)
    numbers = values(found.term, np.arange(low, high + 1))
    assert found.low <= numbers.min() <= numbers.max() <= found.high
    if low // 365 == high // 365 == 0:
        assert (found.low, found.high) == (numbers.min(), numbers.max())


def test_days_between_dates_are_a_number_and_dates_are_none() -> None:
    stay = terms.minus(day(10, 20), day(5, 12))
    assert (stay.low, stay.high, stay.date) == (-2, 15, False)
    assert terms.plus(day(10, 20), terms.constant(Fraction(7))).date
    assert not terms.minus(terms.date(3), terms.date(1)).date
    for wrong in (terms.absolute, lambda a: terms.scaled(a, Fraction(2)), lambda a: terms.modulo(a, Fraction(7))):
        with pytest.raises(BadValue, match="This is a date, and a number is needed"):
            wrong(day(10, 20))


def test_nothing_may_stand_for_a_date() -> None:
    assert terms.coalesce([terms.NULL, day(1, 2)]).date
    assert terms.case_when([terms.Boolean(True)], [day(1, 2)], terms.NULL).date
