"""Stored dates and timestamps as whole days and seconds in SQL, the same on every engine, by the clocks of a zone.

Only moments inside the declared range are computed with, no infinite ones; what lies outside counts at the ends.
"""

from collections.abc import Sequence

from sqlglot import exp

from banister.release.sources.sql.dialect import Dialect
from banister.release.sources.sql.syntax import case, cast, clamp, number, paren, written_date, written_moment
from banister.release.work import Physical
from banister.tables.columns import Column, Kind
from banister.tables.zones import DAY, Shifts, shifts_of

FAR = 719_162
"""Days from 1 January of the year 1 to 1970: added before a division, so that it rounds down everywhere."""


def when(raw: exp.Expr, column: Column, stored: Physical, dialect: Dialect) -> exp.Expr:
    """The number of a day, or of a second, inside the range, and the ends outside.

    A timestamp without a zone is what clocks showed. One that is too far away to have a day is missing.
    """
    if column.kind is Kind.TIMESTAMP:
        return _second(raw, column, stored, dialect)
    if stored is Physical.ZONED:
        low, high = column.units
        clock = _by_clocks(raw, _shifts(column), (low * DAY, (high + 1) * DAY - 1), dialect)
        raised = paren(exp.Add(this=clock, expression=number(FAR * DAY)))
        days = cast(exp.IntDiv(this=raised, expression=number(DAY)), "bigint")
        return paren(exp.Sub(this=days, expression=number(FAR)))
    day = _day(raw, stored)
    low, high = column.units
    ends: list[tuple[exp.Expr, exp.Expr]] = [
        (exp.LT(this=day, expression=written_date(low)), number(low)),
        (exp.GT(this=day, expression=written_date(high)), number(high)),
    ]
    return cast(case(ends, dialect.day_number(day)), "bigint")


def compared_when(
    raw: exp.Expr, column: Column, stored: Physical, edges: Sequence[int]
) -> tuple[exp.Expr, list[exp.Expr]]:
    """What is stored, and edges in the column's own days or seconds, as constants that it can be compared with."""
    long = 1 if column.kind is Kind.TIMESTAMP else DAY
    if stored is Physical.ZONED:
        shifts = _shifts(column)
        return raw, [written_moment(shifts.utc_of(edge * long), zoned=True) for edge in edges]
    if column.kind is Kind.TIMESTAMP:
        return _moment(raw), [written_moment(edge, zoned=False) for edge in edges]
    return _day(raw, stored), [written_date(edge) for edge in edges]


def _second(raw: exp.Expr, column: Column, stored: Physical, dialect: Dialect) -> exp.Expr:
    low, high = column.units
    if stored is Physical.ZONED:
        return _by_clocks(raw, _shifts(column), (low, high), dialect)
    return _inside(_moment(raw), low, high, dialect, zoned=False)


def _inside(moment: exp.Expr, low: int, high: int, dialect: Dialect, *, zoned: bool) -> exp.Expr:
    """The second of a moment between two; what lies within the last second is that second."""
    ends: list[tuple[exp.Expr, exp.Expr]] = [
        (exp.LT(this=moment, expression=written_moment(low, zoned=zoned)), number(low)),
        (exp.GT(this=moment, expression=written_moment(high, zoned=zoned)), number(high)),
    ]
    return cast(case(ends, dialect.second_number(moment, zoned=zoned)), "bigint")


def _by_clocks(raw: exp.Expr, shifts: Shifts, ends: tuple[int, int], dialect: Dialect) -> exp.Expr:
    """The second that clocks of the zone show: by UTC, a day beyond either end, and then shifted."""
    low, high = ends
    utc = _inside(raw, low - DAY, high + DAY, dialect, zoned=True)

    def ahead(first: int, last: int) -> exp.Expr:
        if first == last:
            return number(shifts.ahead[first])
        middle = (first + last) // 2
        earlier = exp.LT(this=raw, expression=written_moment(shifts.turns[middle], zoned=True))
        return case([(earlier, ahead(first, middle))], ahead(middle + 1, last))

    return clamp(paren(exp.Add(this=utc, expression=ahead(0, len(shifts.turns)))), low, high)


def _shifts(column: Column) -> Shifts:
    long = 1 if column.kind is Kind.DATE else DAY
    low, high = column.units
    return shifts_of(column.zone, low // long, high // long)


def _day(raw: exp.Expr, stored: Physical) -> exp.Expr:
    return raw if stored is Physical.DATE else exp.TryCast(this=raw, to=exp.DataType.build("date"))


def _moment(raw: exp.Expr) -> exp.Expr:
    """With microseconds, as all engines have them; one that does not fit in is missing."""
    return exp.TryCast(this=raw, to=exp.DataType.build("timestampntz"))
