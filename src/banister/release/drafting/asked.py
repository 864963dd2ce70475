"""What a draft asks its owner, one question at a time, and how answers are read."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from banister import need
from banister.errors import BadValue
from banister.tables.columns import CATEGORY_LIMIT
from banister.tables.zones import check_zone

LEAVE = "leave out"
"""The answer by which a column is kept out of the schema."""

EACH_ROW = "each row"
"""The answer that every row is another person."""

UNKNOWN = "unknown"
"""The answer that the values of a category are not public knowledge."""

Reading = Callable[[str], str]
"""From what somebody typed to the answer as it is kept; raises where it is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftQuestion:
    """One question: what is asked, why in a sentence, what may be answered, and what is proposed."""

    key: str
    """What the answer is kept under: "person", or "age.range" for a column."""
    ask: str
    why: str
    choices: tuple[str, ...] = ()
    proposal: str = ""
    """What is taken where nobody says otherwise; empty where only the owner can say."""
    from_data: bool = False
    """Whether the proposal was taken from the data."""
    needed: bool = True
    """Whether the schema has a blank without it."""
    reading: Reading = str.strip

    def read(self, text: str) -> str:
        """The answer as it is kept. An empty one takes the proposal, or leaves a blank where there is none."""
        given = text.strip() or self.proposal
        if not given:
            return ""
        if not self.choices:
            return self.reading(given)
        for choice in self.choices:
            if choice.lower() == given.lower():
                return choice
        listed = ", ".join(f"'{choice}'" for choice in self.choices[:12])
        raise BadValue(f"'{given[:40]}' is no answer here; say {listed}{', ...' if len(self.choices) > 12 else ''}.")


def number(text: str) -> str:
    """One number."""
    return _written(need.exact("The number", text.strip()))


def positive(text: str) -> str:
    """A number above 0."""
    return _written(need.positive("The number", text.strip()))


def share(text: str) -> str:
    """A number from 0 on, below 1."""
    value = need.exact("The number", text.strip())
    if not 0 <= value < 1:
        raise BadValue(f"delta = {text.strip()[:40]} must be a chance from 0 on and below 1, e.g. 1e-6.")
    return _written(value)


def whole(text: str) -> str:
    """A whole number from 1 on."""
    return str(need.whole("The number", need.exact("The number", text.strip()), least=1))


def two_numbers(text: str) -> str:
    """A range of numbers, as "0 to 120", "[0, 120]" or "0..120".

    >>> two_numbers("0 to 120"), two_numbers("[-1.5, 2]")
    ('0 to 120', '-1.5 to 2')
    """
    found = re.findall(r"(?<![\d.])[-−]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?", text.replace("..", " "))
    if len(found) != 2:
        raise BadValue(f"'{text.strip()[:40]}' is no range. Write the lowest and the highest value, e.g. 0 to 120.")
    low, high = (need.exact("range", end.replace("−", "-")) for end in found)
    if not low < high:
        raise BadValue(f"'{text.strip()[:40]}' must go from low to high, e.g. 0 to 120.")
    return f"{_written(low)} to {_written(high)}"


def two_whole_numbers(text: str) -> str:
    """A range of whole numbers."""
    found = two_numbers(text)
    if any("." in end or "e" in end.lower() for end in found.split(" to ")):
        raise BadValue(f"'{text.strip()[:40]}' must be two whole numbers; else say that the column holds numbers.")
    return found


def zone(text: str) -> str:
    """The name of a time zone.

    >>> zone(" Europe/Berlin")
    'Europe/Berlin'
    """
    return check_zone(text.strip())


def two_dates(text: str) -> str:
    """A range of dates, written as in ISO 8601.

    >>> two_dates("2020-01-01 to 2024-12-31")
    '2020-01-01 to 2024-12-31'
    """
    found = re.findall(r"\d{4}-\d{2}-\d{2}", text)
    if len(found) != 2 or not found[0] < found[1] or not all(_is_date(day) for day in found):
        raise BadValue(
            f"'{text.strip()[:40]}' is no range of dates. Write the first and the last day, e.g. 2020-01-01 to "
            "2024-12-31."
        )
    return f"{found[0]} to {found[1]}"


def date_format(text: str) -> str:
    """How dates are written: a form such as %d.%m.%Y, or a date from which it can be told, or nothing for ISO 8601."""
    given = text.strip()
    if {"%d", "%m"} <= {given[i : i + 2] for i in range(len(given))} or given == ISO:
        return given
    raise BadValue(f"'{given[:40]}' is no form of a date. Write e.g. %d.%m.%Y for 31.12.2024, or {ISO} for 2024-12-31.")


ISO = "%Y-%m-%d"


def listed(text: str) -> str:
    """Values of a category between commas, or `unknown`.

    >>> listed('yes, no'), listed('"Berlin, Mitte", Hamburg')
    ('"yes", "no"', '"Berlin, Mitte", "Hamburg"')
    """
    if text.strip().lower() == UNKNOWN:
        return UNKNOWN
    values = [found.strip() for found in split_values(text)]
    if not values or len(set(values)) < len(values) or len(values) > CATEGORY_LIMIT:
        raise BadValue(
            f"List from 1 to {CATEGORY_LIMIT} different values between commas, e.g. yes, no; or say {UNKNOWN}."
        )
    return ", ".join(f'"{value.replace(chr(34), chr(34) * 2)}"' for value in values)


def split_values(text: str) -> list[str]:
    """The values between commas; quotes hold a comma inside a value.

    >>> split_values('"a, b", c')
    ['a, b', 'c']
    """
    import csv

    return [value for value in next(csv.reader([text], skipinitialspace=True), []) if value.strip()]


def joined(values: Sequence[str]) -> str:
    """Values as `listed` writes them."""
    return ", ".join(f'"{value.replace(chr(34), chr(34) * 2)}"' for value in values)


def _written(value: Fraction) -> str:
    """A number as TOML takes it, and exactly: decimals in a file are the decimals that are written."""
    if value.denominator == 1:
        return str(value.numerator)
    digits = 0
    while (value * 10**digits).denominator != 1:
        digits += 1
        if digits > 60:
            raise BadValue("Write the number as a decimal, e.g. 0.25.")
    whole, sign = abs(value * 10**digits).numerator, "-" if value < 0 else ""
    text = str(whole).rjust(digits + 1, "0")
    return f"{sign}{text[:-digits]}.{text[-digits:]}"


def _is_date(text: str) -> bool:
    year, month, day = (int(part) for part in text.split("-"))
    february = 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    lengths = (31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    return year >= 1 and 1 <= month <= 12 and 1 <= day <= lengths[month - 1]
