"""What an owner finds by looking at the table: proposals that are taken from the data, and are marked so.

Nothing here is private, and nothing is charged: it is for the owner alone, who is warned in words.
"""

import codecs
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from banister.errors import BadValue
from banister.release.drafting.asked import ISO, joined
from banister.release.drafting.found import FoundColumn, FoundTable, whole_schema
from banister.release.drafting.proposals import ColumnProposal, propose
from banister.release.sources.open import open_source
from banister.release.work import Physical
from banister.tables.columns import Kind
from banister.tables.csv_rules import CsvRules
from banister.tables.frames.csv_lines import number_text
from banister.tables.frames.records import quoted
from banister.tables.schema import Table

if TYPE_CHECKING:
    from banister.release.work import Source

MOST_VALUES = 30
"""A column with more different values than that is not listed."""

FORMS = (ISO, "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y")

Row = tuple[object, ...]


@runtime_checkable
class Owned(Protocol):
    """An engine that shows its owner what is there."""

    def owner_rows(self, query: str) -> list[Row]:
        """The rows of a query about {data}."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnersLook:
    """What was found by looking."""

    columns: Mapping[str, ColumnProposal]
    encoding: str = ""
    decimal: str = ""
    thousands: str = ""
    date_format: str = ""


@dataclass(slots=True)
class _Texts:
    """What the texts of a CSV file turned out to be."""

    decimals: set[str] = field(default_factory=set)
    thousands: set[str] = field(default_factory=set)
    forms: set[str] = field(default_factory=set)


def look_as_owner(place: object, found: FoundTable) -> OwnersLook:
    """Look at every column: kinds, ranges and values as they are in the data."""
    frames = {} if isinstance(place, str | Path) else {"data": place}
    path = Path(place) if isinstance(place, str | Path) and "://" not in str(place) else Path()
    encoding = _encoding(path) if found.csv else ""
    rules = CsvRules(encoding=encoding, separator=found.separator) if found.csv else CsvRules()
    location = path.name or found.location
    table = Table(name="data", location=location, inner=found.inner, person=None, columns=(), rules=rules)
    engine = _owned(open_source(whole_schema(table), folder=path.parent, frames=frames))
    if not found.csv:
        seen = {column.name: _stored(engine, column) for column in found.columns}
        return OwnersLook(columns={name: one for name, one in seen.items() if one is not None})
    texts = _Texts()
    columns = {name: _text(engine, name, texts) for name in found.names}
    decimal = "," if texts.decimals == {","} else "." if texts.decimals else ""
    form = next((form for form in FORMS if form in texts.forms), "")
    apart = "".join(texts.thousands) if len(texts.thousands) == 1 and texts.thousands != {decimal} else ""
    return OwnersLook(columns=columns, encoding=encoding, decimal=decimal, thousands=apart, date_format=form)


def _owned(source: "Source | Owned") -> Owned:
    if not isinstance(source, Owned):
        raise BadValue("The owner's look reads files, frames and PostgreSQL. Look yourself, and answer the questions.")
    return source


def _encoding(path: Path) -> str:
    """UTF-8 if the whole file is, else cp1252."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        with path.open("rb") as file:
            while piece := file.read(1 << 20):
                decoder.decode(piece)
            decoder.decode(b"", True)
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def _stored(engine: Owned, column: FoundColumn) -> ColumnProposal | None:
    """A column of which the type is known."""
    usual, x = propose(column), quoted(column.name)
    if usual.kind is None:
        return None
    if usual.kind is Kind.CATEGORY:
        return ColumnProposal(Kind.CATEGORY, values=_values(engine, x))
    real = f" AND {x} <> 'NaN' AND abs({x}) < 1e300" if column.stored is Physical.FLOAT else ""
    wanted = [f"{end}({x})" for end in ("MIN", "MAX")]
    wanted = [f"CAST({end} AS VARCHAR)" for end in wanted] if usual.kind.dated else wanted
    ends = engine.owner_rows(f"SELECT {', '.join(wanted)} FROM {{data}} WHERE {x} IS NOT NULL{real}")[0]
    return _ranged(usual.kind, ends, usual.step)


def _text(engine: Owned, name: str, texts: _Texts) -> ColumnProposal:
    """A column of a CSV file: what all of its values can be read as."""
    x = f"NULLIF(trim({quoted(name)}), '')"
    tests = [
        f"COUNT({x})",
        f"COUNT(TRY_CAST({x} AS BIGINT)) FILTER (NOT regexp_matches({x}, '^-?0[0-9]'))",
        f"COUNT(TRY_CAST({x} AS DOUBLE)) FILTER (NOT regexp_matches({x}, '^-?0[0-9]'))",
        f"COUNT(TRY_CAST(replace({x}, ',', '.') AS DOUBLE)) FILTER (NOT contains({x}, '.'))",
        *(f"COUNT(try_strptime({x}, '{form}'))" for form in FORMS),
    ]
    counts = [int(str(value)) for value in engine.owner_rows(f"SELECT {', '.join(tests)} FROM {{data}}")[0]]
    there, whole, point, comma, *dates = counts
    usual = propose(FoundColumn(name, None))
    if there == 0 or (usual.kind is Kind.CATEGORY and whole == there):
        return ColumnProposal(usual.kind or Kind.CATEGORY, values=_values(engine, x))
    for form, count in zip(FORMS, dates, strict=True):
        if count == there:
            texts.forms.add(form)
            day = f"CAST(try_strptime({x}, '{form}') AS DATE)"
            return _ranged(Kind.DATE, engine.owner_rows(f"SELECT MIN({day}), MAX({day}) FROM {{data}}")[0], "")
    if (timed := _timed(engine, x, there)) is not None:
        texts.forms.add(timed)
        day = f"CAST({_moment_sql(x, timed)} AS DATE)"
        return _ranged(Kind.TIMESTAMP, engine.owner_rows(f"SELECT MIN({day}), MAX({day}) FROM {{data}}")[0], "")
    if whole == there:
        number = f"TRY_CAST({x} AS BIGINT)"
        return _ranged(Kind.INTEGER, engine.owner_rows(f"SELECT MIN({number}), MAX({number}) FROM {{data}}")[0], "")
    if there in (point, comma):
        texts.decimals.add("." if point == there else ",")
        number = f"TRY_CAST(replace({x}, ',', '.') AS DOUBLE)"
        ends = engine.owner_rows(f"SELECT MIN({number}), MAX({number}) FROM {{data}}")[0]
        return _ranged(Kind.NUMBER, ends, usual.step or "0.01")
    return _apart(engine, x, texts, there, usual.step) or ColumnProposal(Kind.CATEGORY, values=_values(engine, x))


def _apart(engine: Owned, x: str, texts: _Texts, there: int, step: str) -> ColumnProposal | None:
    """Numbers whose thousands are apart, with the decimal sign that goes with it."""
    for thousands, decimal in ((".", ","), (",", "."), ("'", "."), (" ", ",")):
        rules = CsvRules(thousands=thousands, decimal=decimal)
        number = f"TRY_CAST({number_text(x, rules)} AS DOUBLE)"
        count, *ends = engine.owner_rows(f"SELECT COUNT({number}), MIN({number}), MAX({number}) FROM {{data}}")[0]
        if int(str(count)) == there:
            texts.decimals.add(decimal)
            texts.thousands.add(thousands)
            return _ranged(Kind.NUMBER, tuple(ends), step or "0.01")
    return None


def _timed(engine: Owned, x: str, there: int) -> str | None:
    """The form of the dates, if all values are dates with a time."""
    counts = engine.owner_rows(f"SELECT {', '.join(f'COUNT({_moment_sql(x, form)})' for form in FORMS)} FROM {{data}}")
    return next((form for form, count in zip(FORMS, counts[0], strict=True) if int(str(count)) == there), None)


def _moment_sql(x: str, form: str) -> str:
    if form == ISO:
        return f"TRY_CAST(CASE WHEN contains({x}, ':') THEN {x} END AS TIMESTAMP)"
    return f"try_strptime({x}, ['{form} %H:%M:%S', '{form} %H:%M'])"


def _values(engine: Owned, x: str) -> str:
    """The values, where they are few."""
    query = f"SELECT DISTINCT {x} FROM {{data}} WHERE {x} IS NOT NULL ORDER BY 1 LIMIT {MOST_VALUES + 1}"
    found = [str(row[0]).lower() if isinstance(row[0], bool) else str(row[0]) for row in engine.owner_rows(query)]
    return joined(found) if 0 < len(found) <= MOST_VALUES else ""


def _ranged(kind: Kind, ends: Row, step: str) -> ColumnProposal:
    low, high = ends
    if low is None or high is None:
        return ColumnProposal(kind, step=step)
    if kind.dated:
        first, last = str(low)[:4], str(high)[:4]
        return ColumnProposal(kind, f"{first}-01-01 to {last}-12-31")
    told = " to ".join(_plain(end) for end in rounded_out(float(str(low)), float(str(high))))
    return ColumnProposal(kind, told, step)


def rounded_out(low: float, high: float) -> Iterator[float]:
    """A range around two numbers with ends of two digits; 0 is an end where the lowest is not far above it.

    >>> list(rounded_out(3, 97.3)), list(rounded_out(-0.5, 1234))
    ([0, 98.0], [-0.5, 1300.0])
    """
    yield 0 if 0 <= low <= high / 2 else _digits(low, math.floor)
    yield _digits(high, math.ceil) if high != low else _digits(high + 1, math.ceil)


def _digits(value: float, towards: Callable[[float], int]) -> float:
    if value == 0:
        return 0
    unit = 10.0 ** (math.floor(math.log10(abs(value))) - 1)
    return float(f"{towards(value / unit) * unit:.12g}")


def _plain(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)
