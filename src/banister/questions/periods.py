"""The calendar in whole numbers: periods and parts of a date as terms, the same on every engine.

Nothing is left to an engine but the day's number: divisions that round down do the rest, so no date makes them fail.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np

from banister.questions import terms
from banister.questions.terms import Quantity
from banister.tables.calendar import MONDAY, MONTHS, numbers_of

PARTS = ("year", "quarter", "month", "isodow")
"""What may be asked of a date."""

MARCH_OF_YEAR_0 = -719468
"""1 March of the year 0. Years that begin there end with their leap day."""


def period(day: Quantity, every: str) -> Quantity:
    """The number of the period that a date is in, as `calendar.numbers_of` counts them."""
    if every == "day":
        found = replace(day, date=False)
    elif every == "week":
        found = terms.integer_quotient(_line(day, 1, MONDAY), 7)
    else:
        found = _months(day) if every == "month" else terms.integer_quotient(_months(day), MONTHS[every])
    low, high = _numbers(day, every)  # A later day is in no earlier period, so the ends of the range are the bounds.
    return replace(found, low=low, high=high)


def part(day: Quantity, name: str) -> Quantity:
    """The year of a date, its quarter or month within the year, or its day of the week, counted from 1."""
    if name == "isodow":
        return _weekday(day)
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
    a = replace(a, date=False)
    return terms.plus(terms.scaled(a, Fraction(factor)), terms.constant(Fraction(shift)))


def _numbers(day: Quantity, every: str) -> tuple[int, int]:
    low, high = numbers_of(np.array([day.low, day.high]), every).tolist()
    return low, high
