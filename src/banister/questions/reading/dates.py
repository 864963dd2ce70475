"""How dates and the functions of the calendar are written in SQL."""

import re
from datetime import date

from sqlglot import exp

from banister.questions import periods as dates
from banister.questions.reading.place import only, refused
from banister.tables.calendar import EVERY
from banister.tables.reading import EPOCH

ISO = re.compile(r"\d{4}-\d{2}-\d{2}")

PART = exp.Year | exp.Quarter | exp.Month | exp.DayOfWeekIso | exp.Extract
"""Functions that give a part of a date."""

TRUNCATED = exp.DateTrunc | exp.TimestampTrunc
"""DATE_TRUNC, as dialects read it."""

MADE_A_DATE = exp.Cast | exp.TryCast | exp.Date | exp.TsOrDsToDate
"""DATE '...', CAST(... AS DATE) and DATE(...), as dialects read them."""


def written_day(node: exp.Literal) -> int:
    """The number of the day that a text in quotes names."""
    try:
        if ISO.fullmatch(node.name):
            return date.fromisoformat(node.name).toordinal() - EPOCH
    except ValueError:  # A day that no calendar has: refused like any other text.
        pass
    raise refused(node, "this text is neither a number nor a date.", "Write a date as '2021-03-01'.")


def check_to_date(node: exp.Expr) -> None:
    """Refuse to make anything but a date."""
    only(node, "this", "to", "safe")
    to = node.args.get("to")
    if to is not None and not to.is_type("date"):
        raise refused(node, "only to DATE may be cast.", "Declare the column with the kind that it has.")


def part_of(node: exp.Expr) -> tuple[str, exp.Expr]:
    """Which part a function gives, and of what."""
    if not isinstance(node, exp.Extract):
        only(node, "this")
        return "isodow" if isinstance(node, exp.DayOfWeekIso) else type(node).__name__.lower(), node.this
    name = node.this.name.lower()
    if name not in dates.PARTS:
        raise refused(node, f"of a date {', '.join(dates.PARTS).upper()} can be taken.")
    return name, node.expression


def period_of(node: exp.Expr) -> tuple[str, exp.Expr]:
    """The period to which DATE_TRUNC goes back, and what it takes."""
    only(node, "this", "unit", "input_type_preserved")
    unit = node.args["unit"].name.lower()
    if unit not in EVERY:
        raise refused(node, f"DATE_TRUNC goes back to one of: {', '.join(EVERY)}.")
    return unit, node.this


def days_between(node: exp.DateDiff) -> tuple[exp.Expr, exp.Expr]:
    """The later and the earlier side of DATEDIFF, which every dialect writes in its own way."""
    unit = node.args.get("unit")
    if unit is not None and unit.name.lower() != "day":
        raise refused(
            node,
            "this is not understood as a number of days.",
            "Write later - earlier, or name the dialect: --dialect duckdb reads DATEDIFF('day', earlier, later).",
        )
    return node.this, node.expression
