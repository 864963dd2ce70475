"""How dates and the functions of the calendar are written in SQL."""

import re
from datetime import date

from sqlglot import exp

from banister.questions import periods as dates
from banister.questions.reading.place import only, refused
from banister.tables.calendar import CLOCK, EVERY
from banister.tables.reading import EPOCH
from banister.tables.zones import DAY

ISO = re.compile(r"\d{4}-\d{2}-\d{2}")

TIME = re.compile(r"(\d{2}):(\d{2})(?::(\d{2}))?")

CLOCK_PART = exp.Hour | exp.Minute | exp.Second
PART = (
    exp.Year
    | exp.Quarter
    | exp.Month
    | exp.Week
    | exp.WeekOfYear
    | exp.Day
    | exp.DayOfMonth
    | exp.DayOfWeekIso
    | exp.Extract
    | CLOCK_PART
)
"""Functions that give a part of a date or of a time."""

_CALLED = {"dayofweekiso": "isodow", "weekofyear": "week", "dayofmonth": "day"}

INSTEAD = {
    "dow": "On which day a week begins differs between engines; take ISODOW: Monday is 1, Sunday 7.",
    "epoch": "The seconds between two timestamps are later - earlier.",
}

TRUNCATED = exp.DateTrunc | exp.TimestampTrunc
"""DATE_TRUNC, as dialects read it."""

MADE_A_DATE = exp.Cast | exp.TryCast | exp.Date | exp.TsOrDsToDate
"""DATE '...', CAST(... AS DATE) and DATE(...), as dialects read them."""


def written_day(node: exp.Literal) -> int | None:
    """The number of the day that a text in quotes names; nothing where it names none."""
    return _day(node.name)


def names_a_moment(text: str) -> bool:
    """Whether a text is a date, or a date with a time."""
    return _moment(text) is not None


def _moment(text: str) -> int | None:
    day, _, time = text.strip().replace("T", " ").partition(" ")
    found, seconds = _day(day), _seconds(time) if time else 0
    return None if found is None or seconds is None else found * DAY + seconds


def written_moment(node: exp.Literal) -> int:
    """The second that a text in quotes names; a day is the moment at which it begins."""
    found = _moment(node.name)
    if found is None:
        raise refused(
            node,
            "this text is neither a number nor a date.",
            "Write a date as '2021-03-01' and a timestamp as '2021-03-01 08:30:00'.",
        )
    return found


LENGTHS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400, "week": 604_800}
"""The seconds of what has always as many of them."""


def written_time(node: exp.Expr) -> int:
    """The second of the day that a text in quotes names."""
    found = _seconds(node.name) if isinstance(node, exp.Literal) and node.is_string else None
    if found is None:
        raise refused(node, "this is no time of day.", "Write it as TIME '08:30' or TIME '08:30:00'.")
    return found


def beside(other: exp.Expr, node: exp.Expr) -> exp.Expr:
    """A text that is compared with a time of day is one: CAST(t AS TIME) > '18:00'."""
    timed = isinstance(other, exp.Cast) and other.to.is_type("time")
    text = isinstance(node, exp.Literal) and node.is_string
    return exp.cast(node.copy(), "time") if timed and text else node


def length_of(node: exp.Interval, *, seconds: bool) -> int:
    """How many days, or seconds, an INTERVAL of whole ones is."""
    unit = node.text("unit").lower().rstrip("s")
    count = node.this.name if isinstance(node.this, exp.Literal) else ""
    if not count.isdigit() or len(count) > 9 or unit not in (LENGTHS if seconds else ("day", "week")):
        known = "days, weeks, hours, minutes or seconds" if seconds else "days or weeks"
        raise refused(node, f"an INTERVAL is a whole number of {known} here.", "Months differ: write the other date.")
    return int(count) * LENGTHS[unit] // (1 if seconds else LENGTHS["day"])


def _day(text: str) -> int | None:
    try:
        return date.fromisoformat(text).toordinal() - EPOCH if ISO.fullmatch(text) else None
    except ValueError:  # A day that no calendar has.
        return None


def _seconds(text: str) -> int | None:
    found = TIME.fullmatch(text)
    hour, minute, second = (int(part or 0) for part in found.groups()) if found else (24, 0, 0)
    return 3600 * hour + 60 * minute + second if hour < 24 and minute < 60 and second < 60 else None


def cast_to(node: exp.Expr) -> str:
    """What is made: a date, a time or a timestamp; anything else is refused."""
    only(node, "this", "to", "safe")
    to = node.args.get("to")
    if to is None or to.is_type("date"):
        return "date"
    if to.is_type("time"):
        return "time"
    if to.is_type("timestamp", "timestamptz", "timestampntz", "timestampltz", "datetime"):
        return "timestamp"
    why = "only to DATE, TIME and TIMESTAMP may be cast."
    raise refused(node, why, "Declare the column with the kind that it has.")


def part_of(node: exp.Expr) -> tuple[str, exp.Expr]:
    """Which part a function gives, and of what."""
    if not isinstance(node, exp.Extract):
        only(node, "this")
        name = type(node).__name__.lower()
        return _CALLED.get(name, name), node.this
    name = node.this.name.lower()
    if name not in dates.PARTS and name not in dates.CLOCK_PARTS:
        known = ", ".join((*dates.PARTS, *dates.CLOCK_PARTS)).upper()
        raise refused(node, f"of a date {known} can be taken.", INSTEAD.get(name, ""))
    return name, node.expression


def period_of(node: exp.Expr) -> tuple[str, exp.Expr]:
    """The period to which DATE_TRUNC goes back, and what it takes."""
    only(node, "this", "unit", "input_type_preserved")
    unit = node.args["unit"].name.lower()
    if unit not in (*EVERY, *CLOCK):
        raise refused(node, f"DATE_TRUNC goes back to one of: {', '.join((*CLOCK, *EVERY))}.")
    return unit, node.this


def between(node: exp.DateDiff) -> tuple[exp.Expr, exp.Expr, str]:
    """The later and the earlier side of DATEDIFF, which every dialect writes in its own way, and what it counts."""
    unit = node.args.get("unit")
    name = "day" if unit is None else unit.name.lower()
    if name not in ("day", *CLOCK, "second"):
        raise refused(
            node,
            "this is not understood as a number of days.",
            "Write later - earlier, or name the dialect: --dialect duckdb reads DATEDIFF('day', earlier, later).",
        )
    return node.this, node.expression, name
