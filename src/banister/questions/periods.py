"""The calendar in whole numbers: periods and parts of a date as terms, the same on every engine.

Nothing is left to an engine but the day's number: divisions that round down do the rest, so no date makes them fail.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np

from banister.questions import terms
from banister.questions.terms import FIRST_DAY, Quantity, Unit
from banister.tables.calendar import CLOCK, MONDAY, MONTHS, numbers_of, part_numbers
from banister.tables.zones import DAY

PARTS = ("year", "quarter", "month", "week", "day", "isodow")
"""What may be asked of a date."""

CLOCK_PARTS = {"hour": (3600, 24), "minute": (60, 60), "second": (1, 60)}
"""What may be asked of a time of day: how many seconds it takes, and how many of them there are."""

SHORT = 400
"""Of fewer days than that the bounds of a part are looked up; more have all of them."""

MARCH_OF_YEAR_0 = -719468
"""1 March of the year 0. Years that begin there end with their leap day."""


def day_of(moment: Quantity) -> Quantity:
    """The day of a timestamp."""
    return replace(terms.integer_quotient(terms.counted(moment), DAY), unit=Unit.DAY)


def time_of(moment: Quantity) -> Quantity:
    """The time of day of a timestamp, in seconds since midnight."""
    seconds = terms.counted(moment)
    days = max(0, -(moment.low // DAY))
    found = terms.modulo(_line(seconds, 1, days * DAY), Fraction(DAY))
    same = moment.low // DAY == moment.high // DAY
    return replace(found, low=moment.low % DAY, high=moment.high % DAY) if same else found


def clock_part(moment: Quantity, name: str) -> Quantity:
    """The hour of a timestamp, the minute within it, or the second within that, counted from 0."""
    long, many = CLOCK_PARTS[name]
    found = terms.integer_quotient(time_of(moment), long)
    return found if name == "hour" else terms.modulo(found, Fraction(many))


def clock_period(moment: Quantity, every: str) -> Quantity:
    """The number of the hour or minute that a timestamp is in, since 1970."""
    return terms.integer_quotient(terms.counted(moment), CLOCK[every])


def period(day: Quantity, every: str) -> Quantity:
    """The number of the period that a date is in, as `calendar.numbers_of` counts them."""
    if every == "day":
        found = terms.counted(day)
    elif every == "week":
        found = terms.integer_quotient(_line(day, 1, MONDAY), 7)
    else:
        found = _months(day) if every == "month" else terms.integer_quotient(_months(day), MONTHS[every])
    low, high = _numbers(day, every)  # A later day is in no earlier period, so the ends of the range are the bounds.
    return replace(found, low=low, high=high)


def part(day: Quantity, name: str) -> Quantity:
    """The year of a date, its quarter, month or week within the year, its day of the month or of the week, from 1 on.

    Weeks are those of ISO 8601: a week belongs to the year that its Thursday is in.
    """
    if name == "isodow":
        return _weekday(day)
    if name in ("day", "week"):
        found = _day_of_month(day) if name == "day" else _week(day)
        if day.high - day.low >= SHORT:
            return found
        numbers = part_numbers(np.arange(day.low, day.high + 1), name)
        return replace(found, low=int(numbers.min()), high=int(numbers.max()))
    if name == "year":
        return period(day, "year")
    in_year = 12 // MONTHS[name]
    found = _line(terms.modulo(period(day, name), Fraction(in_year)), 1, 1)
    (first, last), (low, high) = _numbers(day, "year"), _numbers(day, name)
    within = (low % in_year + 1, high % in_year + 1) if first == last else (1, in_year)
    return replace(found, low=within[0], high=within[1])


def _weekday(day: Quantity) -> Quantity:
    """The day of the week, from Monday, 1, to Sunday, 7. Whole weeks are added first, because of days before 1970."""
    weeks = max(0, -((day.low + MONDAY) // 7))
    return _line(terms.modulo(_line(day, 1, MONDAY + 7 * weeks), Fraction(7)), 1, 1)


def _week(day: Quantity) -> Quantity:
    """The number of the week: its Thursday's days since 1 January, in whole weeks, and 1."""
    weeks = period(day, "week")
    thursday = replace(_line(weeks, 7, 0), unit=Unit.DAY)  # 1 January 1970 was one.
    ended = _line(period(thursday, "year"), 1, -1)
    days = terms.scaled(ended, Fraction(365))
    for every, sign in ((4, 1), (100, -1), (400, 1)):
        days = terms.plus(days, terms.scaled(terms.integer_quotient(ended, every), Fraction(sign)))
    since = terms.minus(terms.counted(thursday), _line(days, 1, FIRST_DAY))
    held = replace(since, low=0, high=365)  # A Thursday is in its own year.
    return replace(_line(terms.integer_quotient(held, 7), 1, 1), low=1, high=53)


def _day_of_month(day: Quantity) -> Quantity:
    """The days since the month began, by the same divisions as `_months`, and 1."""
    _, days = _divided(_line(day, 4, 3 - 4 * MARCH_OF_YEAR_0), 146097)
    _, days = _divided(_line(terms.integer_quotient(days, 4), 4, 3), 1461)
    inside = terms.integer_quotient(days, 4)
    months = terms.integer_quotient(_line(inside, 5, 2), 153)
    before = terms.integer_quotient(_line(months, 153, 2), 5)
    return replace(_line(terms.minus(inside, before), 1, 1), low=1, high=31)


def _months(day: Quantity) -> Quantity:
    """12 · year + month − 1.

    Counted from a 1 March, day n is in century ⌊(4n + 3) / 146097⌋, day n of a century in its year ⌊(4n + 3) / 1461⌋,
    and day n of a year in its month ⌊(5n + 2) / 153⌋. A test compares every day of 9999 years.
    """
    centuries, days = _divided(_line(day, 4, 3 - 4 * MARCH_OF_YEAR_0), 146097)
    years, days = _divided(_line(terms.integer_quotient(days, 4), 4, 3), 1461)
    months = terms.integer_quotient(_line(terms.integer_quotient(days, 4), 5, 2), 153)
    return terms.plus(_line(centuries, 1200, 2), terms.plus(terms.scaled(years, Fraction(12)), months))


def _divided(a: Quantity, divisor: int) -> tuple[Quantity, Quantity]:
    return terms.integer_quotient(a, divisor), terms.modulo(a, Fraction(divisor))


def _line(a: Quantity, factor: int, shift: int) -> Quantity:
    """factor · a + shift, in whole ones."""
    a = terms.counted(a)
    return terms.plus(terms.scaled(a, Fraction(factor)), terms.constant(Fraction(shift)))


def _numbers(day: Quantity, every: str) -> tuple[int, int]:
    low, high = numbers_of(np.array([day.low, day.high]), every).tolist()
    return low, high
