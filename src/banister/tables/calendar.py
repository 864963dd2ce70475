"""Periods of the calendar as whole numbers, so that neighbouring periods differ by 1.

A day is its number since 1 January 1970. Weeks begin on Mondays; months are numbered 12 · year + month − 1, quarters
and years likewise from the year 0 on.
"""

import numpy as np
from numpy.typing import NDArray

from banister.tables.reading import Day

Integers = NDArray[np.int64]

MONTHS = {"month": 1, "quarter": 3, "year": 12}
EVERY = ("day", "week", *MONTHS)
"""How days may be put together."""

CLOCK = {"minute": 60, "hour": 3600}
"""Periods within a day, with their seconds."""

MONDAY = 3
"""1 January 1970 was a Thursday: so many days after a Monday."""

_BEFORE_1970 = 12 * 1970


def numbers_of(days: Integers, every: str) -> Integers:
    """The number of the period that each day is in.

    >>> numbers_of(np.array([0, 3, 4, 31]), "week").tolist(), numbers_of(np.array([0, 31]), "month").tolist()
    ([0, 0, 1, 4], [23640, 23641])
    """
    if every == "day":
        return days
    if every == "week":
        return (days + MONDAY) // 7
    months = days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64) + _BEFORE_1970
    return np.asarray(months // MONTHS[every], dtype=np.int64)


def part_numbers(days: Integers, part: str) -> Integers:
    """The day of the month of each day, or its week by ISO 8601: the week that its Thursday has in its year.

    >>> part_numbers(np.array([0, 31, 364]), "day").tolist(), part_numbers(np.array([-4, 0, 4]), "week").tolist()
    ([1, 1, 31], [52, 1, 2])
    """
    start, unit = (days, "datetime64[M]") if part == "day" else ((days + MONDAY) // 7 * 7, "datetime64[Y]")
    begun = start.astype("datetime64[D]").astype(unit).astype("datetime64[D]").astype(np.int64)
    return start - begun + 1 if part == "day" else (start - begun) // 7 + 1


def first_days(numbers: Integers, every: str) -> Integers:
    """The first day of each period.

    >>> [str(date_of(int(day))) for day in first_days(np.array([0, 1]), "week")]
    ['1969-12-29', '1970-01-05']
    """
    if every == "day":
        return numbers
    if every == "week":
        return 7 * numbers - MONDAY
    months = (numbers * MONTHS[every] - _BEFORE_1970).astype("datetime64[M]")
    return months.astype("datetime64[D]").astype(np.int64)


def moment_of(second: int) -> Day:
    """A second of a clock as the standard library's date with a time.

    >>> str(moment_of(3661))
    '1970-01-01 01:01:01'
    """
    found: Day = np.datetime64(second, "s").item()
    return found


def date_of(day: int) -> Day:
    """A day as the standard library's date."""
    found: Day = np.datetime64(day, "D").item()
    return found
