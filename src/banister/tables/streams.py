"""[stream]: periods in which a table is counted again and again, and in how many of them one person counts."""

from dataclasses import dataclass

import numpy as np

from banister.core.laws.factors import MOST_PERIODS
from banister.errors import BadValue
from banister.tables.calendar import EVERY, date_of, first_days, numbers_of
from banister.tables.columns import Kind
from banister.tables.reading import EPOCH, Day, Section
from banister.tables.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamPeriods:
    """What [stream] says. StreamPeriods are numbered from 1, and each has a first and a last day."""

    date: str
    """The column with the day by which a row belongs to a period."""
    every: str
    first: int
    """The number of the first period in the calendar."""
    periods: int
    person_periods: int
    window: int
    """How many periods an answer looks back on; all of them for a running total."""

    @property
    def running(self) -> bool:
        """Whether answers are running totals."""
        return self.window >= self.periods

    def first_day(self, period: int) -> int:
        """The first day of a period, since 1970."""
        return int(first_days(np.array(self.first + period - 1), self.every))

    def last_day(self, period: int) -> int:
        """The last day of a period, since 1970."""
        return self.first_day(period + 1) - 1

    def days(self, period: int) -> tuple[Day, Day]:
        """The first and the last day of a period.

        >>> weeks = StreamPeriods(date="day", every="week", first=0, periods=52, person_periods=1, window=52)
        >>> [str(day) for day in weeks.days(2)]
        ['1970-01-05', '1970-01-11']
        """
        return date_of(self.first_day(period)), date_of(self.last_day(period))


def read_periods(section: Section, table: Table) -> StreamPeriods | None:
    """What a section [stream] says, or nothing where it is empty."""
    if not section.content:
        return None
    section.only("date", "every", "start", "periods", "person_periods", "window")
    every = section.text("every")
    if every not in EVERY:
        raise BadValue(f"every = '{every}' in [stream] must be {', '.join(EVERY[:-1])} or {EVERY[-1]}.")
    start = section.content.get("start")
    if not isinstance(start, Day) or isinstance(start, str):
        raise BadValue("[stream] needs start, the first day that counts, without quotes, e.g. start = 2026-01-05.")
    periods, many = section.whole("periods"), section.whole("person_periods")
    if periods is None:
        raise BadValue("[stream] needs periods, how many there will be at most, e.g. periods = 104.")
    if many is None:
        raise BadValue(
            "[stream] needs person_periods: in how many periods one person may count, e.g. person_periods = 4. More "
            "cost more noise; of a person with more, the first ones count."
        )
    if periods > MOST_PERIODS:
        raise BadValue(f"periods = {periods} in [stream] must be at most {MOST_PERIODS}. Take longer periods.")
    day = start.toordinal() - EPOCH
    number = int(numbers_of(np.array(day), every))
    if int(first_days(np.array(number), every)) != day:
        near = date_of(int(first_days(np.array(number), every)))
        raise BadValue(
            f"start = {start.isoformat()} in [stream] is not the first day of a {every}; that would be {near}."
        )
    found = StreamPeriods(
        date=section.text("date"),
        every=every,
        first=number,
        periods=periods,
        person_periods=min(many, periods),
        window=min(section.whole("window") or periods, periods),
    )
    _check_column(found, table)
    return found


def _check_column(found: StreamPeriods, table: Table) -> None:
    """The column has to be a date whose range goes beyond all periods: what lies outside is moved to its ends."""
    names = {column.name: column for column in table.columns}
    column = names.get(found.date)
    if column is None or column.kind is not Kind.DATE:
        raise BadValue(f"date = '{found.date}' in [stream] must be a date column that [columns] declares.")
    low, high = column.units
    first, last = found.first_day(1), found.last_day(found.periods)
    if not (low < first and last < high):
        raise BadValue(
            f"The range of column '{found.date}' must begin before {date_of(first)} and end after {date_of(last)}, the "
            "first and the last day of [stream]: days outside a range are taken as its ends, and would count there."
        )
    if table.person is None:
        raise BadValue(
            "[stream] needs a person column in [source]: nobody can tell otherwise whose rows have counted before. A "
            "column with the number of a row will do, where a row is a person."
        )
