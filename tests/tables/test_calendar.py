"""Periods of the calendar: numbered one after the other, and found again by their first days."""

import datetime

import numpy as np
import pytest

from banister.tables.calendar import EVERY, date_of, first_days, numbers_of

FIRST, LAST = (datetime.date(year, month, day).toordinal() - 719163 for year, month, day in ((1, 1, 1), (9999, 12, 31)))


@pytest.mark.parametrize("every", EVERY)
def test_periods_follow_each_other_and_begin_on_their_first_days(every: str) -> None:
    days = np.arange(FIRST, LAST + 1, 1 if every == "day" else 3)
    numbers = numbers_of(days, every)
    starts, after = first_days(numbers, every), first_days(numbers + 1, every)
    assert set(np.diff(numbers).tolist()) <= ({1} if every == "day" else {0, 1})
    assert ((starts <= days) & (days < after)).all()
    assert (numbers_of(starts, every) == numbers).all()


def test_weeks_begin_on_mondays() -> None:
    starts = first_days(numbers_of(np.arange(-400, 400), "week"), "week")
    assert {date_of(int(day)).isoformat() for day in starts[:7]} <= {"1968-11-25", "1968-12-02"}
    assert {datetime.date.fromisoformat(date_of(int(day)).isoformat()).isoweekday() for day in starts} == {1}


def test_quarters_and_years_begin_with_their_months() -> None:
    day = np.array([datetime.date(2024, 2, 29).toordinal() - 719163])
    found = {every: str(date_of(int(first_days(numbers_of(day, every), every)[0]))) for every in EVERY}
    assert found == {
        "day": "2024-02-29",
        "week": "2024-02-26",
        "month": "2024-02-01",
        "quarter": "2024-01-01",
        "year": "2024-01-01",
    }
