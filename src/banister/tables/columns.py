"""One line of [columns]: a column's kind and what about it is public knowledge. Questions and whole tables share it."""

from dataclasses import dataclass, replace
from decimal import Decimal
from enum import Enum
from fractions import Fraction

from banister import need
from banister.core.exact.numbers import brief
from banister.errors import BadValue
from banister.tables.blanks import BLANK
from banister.tables.calendar import CLOCK, EVERY
from banister.tables.reading import Section, Value
from banister.tables.zones import DAY, KNOWN, check_zone

CATEGORY_LIMIT = 100_000
"""How many values a category may list; more belong in an integer column with a range."""

WIDEST = Fraction(10**300)
"""The largest end of a range and step, and one over the smallest step: doubles reach a little further."""

WIDE = 2**51
"""The steps on either side of 0 of a column whose range is not declared yet."""

FINEST = 2**20
"""One over the step of a column of numbers whose step is not declared yet."""

WIDEST_DAYS = KNOWN
"""The dates of a column whose range is not declared yet."""


class Kind(Enum):
    """What a column holds."""

    INTEGER = "integer"
    NUMBER = "number"
    CATEGORY = "category"
    DATE = "date"
    TIMESTAMP = "timestamp"

    @property
    def dated(self) -> bool:
        """Whether it is about days: with or without a time of day."""
        return self in (Kind.DATE, Kind.TIMESTAMP)


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column: its kind and the bounds that are public knowledge.

    A number is read as a whole number of steps: ⌊x / step + 1/2⌋, clamped to the range. Everything after that is
    integer arithmetic; a date is a whole number of days since 1970, a timestamp one of seconds, by the clocks of its
    `zone`. `bins` are all edges, with the ends of the range.
    `nulls = false` promises that no value is missing, which saves a count in means.
    """

    name: str
    kind: Kind
    low: Fraction = Fraction(0)
    high: Fraction = Fraction(0)
    step: Fraction = Fraction(1)
    values: tuple[Value, ...] | None = None
    bins: tuple[Fraction, ...] = ()
    every: str = "day"
    zone: str = ""
    """Whose clocks say on which day and at which time a moment is, where moments are stored; else nothing."""
    nulls: bool = True
    other: Value | None = None
    """The declared value that stands for every one that is not declared, when the table is published whole."""
    from_data: bool = False
    """Whether its owner says that range or values were taken from the data, which the guarantee does not cover."""
    blank: tuple[str, ...] = ()
    """What is still to be filled in. Until then the range is as wide as can be, for a private look."""

    @property
    def units(self) -> tuple[int, int]:
        """The range in whole steps."""
        return rounded(self.low / self.step), rounded(self.high / self.step)


def rounded(x: Fraction) -> int:
    """⌊x + 1/2⌋: rounding that commutes with shifts by 1, so that it never doubles a sensitivity.

    >>> rounded(Fraction(1, 2)), rounded(Fraction(3, 2)), rounded(Fraction(-1, 2))
    (1, 2, 0)
    """
    return (2 * x.numerator + x.denominator) // (2 * x.denominator)


def read_columns(columns: Section) -> tuple[Column, ...]:
    """Every declared column, in the order of the file."""
    return tuple(_column(columns, name) for name in columns.content)


def _column(columns: Section, name: str) -> Column:
    section = columns.section(name, 'a kind in braces, e.g. { kind = "integer", range = [0, 100] }')
    if any(value == BLANK for key, value in section.content.items() if key in ("range", "step", "values", "bins")):
        return _unfilled(section, name)
    looked = section.flag("from_data") if "from_data" in section.content else False
    return replace(_filled(section, name), from_data=looked)


def _unfilled(section: Section, name: str) -> Column:
    """A column with blanks: as wide as can be where they are, and otherwise as it is declared."""
    blank = tuple(key for key, value in section.content.items() if value == BLANK)
    content = {key: value for key, value in section.content.items() if value != BLANK}
    kept = Section(section.title, content)
    match content.get("kind"):
        case "integer" | "number" as kind if "range" not in content:
            least = Fraction(1) if kind == "integer" else Fraction(1, FINEST)
            step = need.positive(f"step of column '{name}'", kept.number("step")) if "step" in content else least
            return Column(name=name, kind=Kind(kind), low=-step * WIDE, high=step * WIDE, step=step, blank=blank)
        case "number" if "step" not in content:
            low, high = kept.pair("range")
            fine = Section(section.title, {**content, "step": Decimal(repr(float((high - low) / FINEST)))})
            return replace(_filled(fine, name), blank=blank)
        case "date" | "timestamp" as kind:
            low, high = _ends(WIDEST_DAYS, Kind(kind))
            zone = _zone(kept, name, WIDEST_DAYS)
            return Column(name=name, kind=Kind(kind), low=low, high=high, zone=zone, blank=blank)
    return replace(_filled(kept, name), blank=blank)


def _filled(section: Section, name: str) -> Column:
    kind = section.maybe("kind")
    match kind:
        case "integer" | "number":
            return _numeric(section, name, Kind(kind))
        case "category":
            return _category(section, name)
        case "date" | "timestamp":
            return _date(section, name, Kind(kind))
    raise BadValue(
        f"kind = {kind or ''!r} of column '{name}' must be 'integer', 'number', 'category', 'date' or 'timestamp'."
    )


def _numeric(section: Section, name: str, kind: Kind) -> Column:
    section.only("kind", "range", "step", "bins", "nulls", "from_data")
    if "range" not in section.content:
        raise BadValue(
            f"Column '{name}' has no declared range, so its sum has no sensitivity. Declare what is public "
            f'knowledge, e.g. {name} = {{ kind = "{kind.value}", range = [0, 100] }}.'
        )
    low, high = section.pair("range")
    if not low < high:
        raise BadValue(f"range = [{brief(low)}, {brief(high)}] of column '{name}' must go from low to high.")
    step = need.positive(f"step of column '{name}'", section.number("step", 1 if kind is Kind.INTEGER else None))
    _check_size(name, low, high, step)
    bins = section.numbers("bins")
    if kind is Kind.INTEGER and not (step == 1 and all(x.denominator == 1 for x in (low, high, *bins))):
        raise BadValue(
            f"Column '{name}' is an integer: its range, step and bins must be whole, or declare kind = \"number\"."
        )
    if list(bins) != sorted(set(bins)):
        raise BadValue(f"bins of column '{name}' must be edges of which each is larger than the one before.")
    edges = (low, *(edge for edge in bins if low < edge < high), high) if bins else ()
    column = Column(name=name, kind=kind, low=low, high=high, step=step, bins=edges, nulls=section.flag("nulls"))
    if max(map(abs, column.units)) >= 2**52:
        raise BadValue(f"Column '{name}' has more than 2^52 steps in its range; declare a coarser step.")
    return column


def _check_size(name: str, low: Fraction, high: Fraction, step: Fraction) -> None:
    """Refuse what leaves the doubles on the way: engines compute with them."""
    if not (max(abs(low), abs(high)) <= WIDEST and 1 / WIDEST <= step <= WIDEST):
        raise BadValue(
            f"Column '{name}' has a range beyond 1e300 or a step beyond 1e-300 or 1e300, which no engine computes "
            "with. Declare the column in other units."
        )


def _category(section: Section, name: str) -> Column:
    section.only("kind", "values", "nulls", "other", "from_data")
    values = section.values("values")
    if values is not None and not 1 <= len(values) <= CATEGORY_LIMIT:
        raise BadValue(f"Column '{name}' lists {len(values)} values; give from 1 to {CATEGORY_LIMIT}.")
    if values is not None and len(set(values)) < len(values):
        raise BadValue(f"Column '{name}' lists a value twice.")
    if values is not None and len({type(value) for value in values}) > 1:
        raise BadValue(f"Column '{name}' mixes texts, whole numbers and truth values; list values of one type.")
    other = section.value("other")
    if other is not None and not any(other == value and type(other) is type(value) for value in values or ()):
        raise BadValue(f"other = {other!r} of column '{name}' must be one of its declared values.")
    return Column(name=name, kind=Kind.CATEGORY, values=values, nulls=section.flag("nulls"), other=other)


def _date(section: Section, name: str, kind: Kind) -> Column:
    section.only("kind", "range", "every", "zone", "nulls", "from_data")
    days = section.days("range")
    if days is None or not days[0] < days[1]:
        raise BadValue(f"range of column '{name}' must be two dates from early to late, e.g. [2020-01-01, 2024-12-31].")
    every = section.maybe("every") or "day"
    known = EVERY if kind is Kind.DATE else (*CLOCK, *EVERY)
    if every not in known:
        raise BadValue(f"every of column '{name}' must be one of: {', '.join(known)}.")
    low, high = _ends(days, kind)
    zone = _zone(section, name, days)
    return Column(name=name, kind=kind, low=low, high=high, every=every, zone=zone, nulls=section.flag("nulls"))


def _ends(days: tuple[int, int], kind: Kind) -> tuple[Fraction, Fraction]:
    """The ends of a range of days: of timestamps the first and the last second."""
    low, high = days
    return (
        (Fraction(low), Fraction(high)) if kind is Kind.DATE else (Fraction(low * DAY), Fraction((high + 1) * DAY - 1))
    )


def _zone(section: Section, name: str, days: tuple[int, int]) -> str:
    zone = section.maybe("zone")
    if zone is None:
        return ""
    if not KNOWN[0] <= days[0] <= days[1] <= KNOWN[1]:
        raise BadValue(f"Column '{name}' has a zone, so its range must lie in the years 1900 to 2100.")
    return check_zone(zone)
