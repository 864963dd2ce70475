"""Every type in which a column can be stored, with the values in it that are likely to go wrong, for the matrix."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction

from sqlglot import exp

from banister.release.work import Physical
from banister.tables.reading import EPOCH

Given = object
Row = tuple[str, Given]
"""A value as SQL writes it, and as it is: a number, a text, a truth value, a day's number, a moment or None."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A timestamp: its second since 1970, by its own clock, or by UTC where it has a zone."""

    second: int


FAR = 10**9
"""A day beyond every range."""

INTEGERS = (
    'kind = "integer", range = [0, 10], bins = [0, 3, 7]',
    'kind = "integer", range = [-200, 300]',
    f'kind = "integer", range = [3, {2**40}]',
    f'kind = "integer", range = [{1 - 2**52}, {2**52 - 1}]',
)
NUMBERS = (
    'kind = "number", range = [0, 10], step = 1',
    'kind = "number", range = [0.5, 9.5], step = 0.5, bins = [1, 2.5, 9]',
    'kind = "number", range = [-5, 100], step = 0.1',
    'kind = "number", range = [-20, 500], step = 0.01',
    'kind = "number", range = [-0.3, 0.7], step = 0.3',
    'kind = "number", range = [0, 1000000], step = 1000',
    'kind = "number", range = [-1000000, 1000000.5], step = 2.5',
    'kind = "number", range = [100, 200], step = 7',
    'kind = "number", range = [-200, -100.25], step = 0.125',
    'kind = "number", range = [0, 1], step = 0.000000001',
    'kind = "number", range = [-1e15, 1e15], step = 1',
    'kind = "number", range = [-1e300, 1e300], step = 1e290',
    'kind = "number", range = [-1e-290, 1e-290], step = 1e-300',
)
DATES = (
    'kind = "date", range = [1969-11-15, 1972-03-20], every = "month"',
    'kind = "date", range = [0001-01-01, 9999-12-31], every = "year"',
)
MOMENTS = (
    'kind = "timestamp", range = [1969-11-15, 1972-03-20], every = "hour"',
    'kind = "timestamp", range = [0001-01-01, 9999-12-31]',
    *DATES,
)
CLOCKS = (
    'kind = "timestamp", range = [2023-03-20, 2023-10-31], every = "hour", zone = "Europe/Berlin"',
    'kind = "timestamp", range = [1969-11-15, 1972-03-20], zone = "Australia/Lord_Howe"',
    'kind = "date", range = [1969-11-15, 1972-03-20], every = "week", zone = "America/St_Johns"',
    'kind = "date", range = [1900-01-01, 2100-12-31], every = "month", zone = "UTC"',
)
TEXTS = ('kind = "category", values = ["a", "A", "a ", "é", "e\\u0301", "it\'s", "%", ""]', 'kind = "category"')
CODES = (f'kind = "category", values = [0, 1, -1, 127, {2**63 - 1}, -5]', 'kind = "category"')
TRUTHS = ('kind = "category", values = [true, false]', 'kind = "category"')


@dataclass(frozen=True, slots=True)
class Stored:
    """One type of one engine, with the values that are put into it."""

    name: str
    physical: Physical
    rows: tuple[Row, ...]

    @property
    def declared(self) -> tuple[str, ...]:
        match self.physical:
            case Physical.INTEGER:
                return INTEGERS + NUMBERS + CODES
            case Physical.FLOAT | Physical.DECIMAL:
                return NUMBERS
            case Physical.DATE:
                return DATES
            case Physical.TIMESTAMP:
                return MOMENTS
            case Physical.ZONED:
                return CLOCKS
            case Physical.TEXT:
                return TEXTS
        return TRUTHS

    def is_curved(self, declared: str) -> bool:
        """Whether divisions and functions are asked for too. Whatever was stored, they are of whole numbers: so one
        type is enough for them, that holds the ends of the ranges."""
        return self.name == "BIGINT" and declared in CURVED


CURVED = (*INTEGERS, *(NUMBERS[place] for place in (1, 3, 7, 8, 11, 12)))
NULL: Row = ("NULL", None)


def whole(name: str, low: int, high: int) -> Stored:
    """A type of whole numbers."""
    found = {
        low,
        low + 1,
        high,
        high - 1,
        0,
        1,
        -1,
        5,
        10,
        11,
        127,
        150,
        300,
        500,
        1500,
        2**31,
        2**53 + 1,
        2**62,
        10**37,
    }
    fitting = sorted(value for value in found if low <= value <= high)
    return Stored(name, Physical.INTEGER, (*((str(value), value) for value in fitting), NULL))


def integers(*names: str) -> tuple[Stored, ...]:
    """Signed types of 8, 16, 32... bits."""
    return tuple(whole(name, -(2 ** (8 * 2**i - 1)), 2 ** (8 * 2**i - 1) - 1) for i, name in enumerate(names))


DOUBLES = (
    *(0.0, -0.0, 5e-324, -5e-324, 2.3e-308, -1e-310, 1e-300, 0.25, 0.5, -0.5, 0.285, 0.7, 1.005, 7.25, 9.5, 99.99999),
    *(100.0, 103.5, -100.25, 499.999, 500.0, 999999.9, 1e6, 2500.0, 123456.78, 1e15, 1e15 + 0.5, 2.0**53 + 2, 1e37),
    *(4e299, -7.5e290, 1e300, 1.7e308, -1.7e308, math.inf, -math.inf, math.nan),
)
SINGLES = (0.0, -0.0, 2**-149, -(2**-149), 2**-126, 0.25, 0.5, 7.25, 99.5, 500.25, 1e6, 2.0**100, 2.0**127, -(2.0**127))
ENDLESS = (math.inf, -math.inf, math.nan)


def floats(name: str, values: Sequence[float]) -> Stored:
    """A type of floating-point numbers; they are written as text, which every engine reads exactly."""
    rows = tuple((f"CAST('{_said(value)}' AS {name})", value) for value in values)
    return Stored(name, Physical.FLOAT, (*rows, NULL))


def _said(value: float) -> str:
    if math.isfinite(value):
        return repr(value)
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def decimals(name: str, digits: int, scale: int, *more: str) -> Stored:
    """A type of decimals with so many digits, of which `scale` are behind the point."""
    top, least = Decimal(f"{'9' * digits}e-{scale}"), Decimal(f"1e-{scale}")
    found = {top, top.copy_negate(), least, -least, Decimal(0)}
    some = ("1e37", "0.285", "0.5", "9.5", "-0.25", "99.95", "100.25", "499.995", "1500", "1000000", "-150.0625")
    found |= {
        Decimal(text) for text in some if abs(Fraction(text)) <= top and (Fraction(text) * 10**scale).denominator == 1
    }
    rows = [(f"CAST('{value:f}' AS {name})", value) for value in sorted(found)]
    rows += [(f"CAST('{text}' AS {name})", Decimal(text)) for text in more]
    return Stored(name, Physical.DECIMAL, (*rows, NULL))


DAYS = (date(1, 1, 1), date(9999, 12, 31), date(1970, 1, 1), date(1969, 12, 31), date(1972, 2, 29), date(1969, 11, 14))


def days(name: str, *more: Row) -> Stored:
    """A type of dates."""
    rows = [(f"CAST('{day}' AS {name})", day.toordinal() - EPOCH) for day in DAYS]
    return Stored(name, Physical.DATE, (*rows, *more, NULL))


TURNS = (datetime(2023, 3, 26, 1), datetime(2023, 10, 29, 1), datetime(2023, 3, 19, 23), datetime(1972, 3, 20, 13, 30))
"""Moments at which clocks are turned, and ends of declared ranges elsewhere."""


def moments(name: str, physical: Physical, *more: Row) -> Stored:
    """A type of timestamps."""
    hours = [datetime(day.year, day.month, day.day) for day in DAYS]
    late = [*(hour + timedelta(hours=23, minutes=59, seconds=59) for hour in hours), *TURNS]
    late += [turn - timedelta(seconds=1) for turn in TURNS]
    utc = "+00" if physical is Physical.ZONED else ""
    rows = [(f"CAST('{when}{utc}' AS {name})", Moment(_second(when))) for when in [*hours, *late]]
    if "_S" not in name:
        rows += [(f"CAST('{when}.999{utc}' AS {name})", Moment(_second(when))) for when in late]
    return Stored(name, physical, (*rows, *more, NULL))


def _second(when: datetime) -> int:
    return (when.toordinal() - EPOCH) * 86400 + when.hour * 3600 + when.minute * 60 + when.second


def endless(kind: str, *far: str) -> tuple[Row, ...]:
    """Moments beyond every range: the infinite ones, and as many as there are names of."""
    rows = [(f"CAST('{text}' AS {kind})", Moment(sign * FAR * 86400)) for text, sign in ENDS]
    return (*rows, *((f"CAST('{text}' AS {kind})", Moment((-1 if "BC" in text else 1) * FAR * 86400)) for text in far))


ENDS = (("infinity", 1), ("-infinity", -1))


WORDS = (
    *(
        "a",
        "A",
        "a ",
        " a",
        "é",
        "e\u0301",
        "É",
        "it's",
        "%",
        "",
        '"',
        "\\",
        "\n",
        "NULL",
        "\u202e",
        "\u6f22",
        "\U0001f600",
    ),
    *("1e999999999", "x" * 100_000, "ß", "ss", "'); DROP TABLE t; --", "\t", "\r\n", "a\u00ad", "\ufeffa", "ﬁ"),
)


def texts(name: str, dialect: str) -> Stored:
    """A type of text."""
    return Stored(name, Physical.TEXT, (*((exp.Literal.string(word).sql(dialect), word) for word in WORDS), NULL))


def truths(name: str) -> Stored:
    return Stored(name, Physical.TRUTH, (("TRUE", True), ("FALSE", False), NULL))
