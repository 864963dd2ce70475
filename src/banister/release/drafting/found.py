"""What can be known of a table without reading a value: the names of its columns and the types they are stored as.

Of a CSV file that is its first line and nothing else, so the types of its columns are not known.
"""

import csv
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from banister.errors import BadValue
from banister.release.sources.open import POSTGRES, open_source
from banister.release.work import Physical
from banister.tables.frames.csv_lines import first_line
from banister.tables.schema import Schema, Table

SEPARATORS = (",", ";", "\t", "|")


@dataclass(frozen=True, slots=True)
class FoundColumn:
    """A column that is there; `stored` is nothing where types are not known."""

    name: str
    stored: Physical | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundTable:
    """A table, by what may be known of it before anybody is asked.

    >>> FoundTable.of_header("stays.csv", b"patient;age;ward").separator
    ';'
    """

    location: str
    """Where it is, as a schema beside it would say."""
    inner: str | None
    columns: tuple[FoundColumn, ...]
    separator: str = ""
    """The sign between the names of a CSV file's first line; empty for other tables."""
    encoding: str = ""
    """The encoding that the first line of a CSV file must have; empty where it would be the same in all of them."""

    @property
    def csv(self) -> bool:
        """Whether values are written as text, by rules that somebody has to state."""
        return bool(self.separator)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @classmethod
    def of_header(cls, location: str, first: bytes) -> "FoundTable":
        """A CSV file, from its first line."""
        if b"\0" in first:
            raise BadValue(
                f"'{location}' looks like UTF-16, or like no text at all. "
                'Save it as UTF-8, e.g. as "CSV UTF-8" in a spreadsheet.'
            )
        line, encoding = _decoded(first)
        separator = max(SEPARATORS, key=line.count) if any(sign in line for sign in SEPARATORS) else ","
        names = [name.strip() for name in next(csv.reader([line], delimiter=separator), [])]
        if not any(names):
            raise BadValue(f"'{location}' has no header: its first line must name the columns.")
        if len({name.lower() for name in names}) < len(names) or not all(names):
            raise BadValue(
                f"The first line of '{location}' must name every column, each by a name of its own (upper and lower "
                "case alike). Rename those that are empty or double."
            )
        return cls(
            location=location,
            inner=None,
            columns=tuple(FoundColumn(name, None) for name in names),
            separator=separator,
            encoding=encoding,
        )


def find_table(place: object, *, name: str = "", beside: Path | None = None) -> FoundTable:
    """The names and types of a table: a file, an address of PostgreSQL, `spark:table`, or a frame.

    `name` is its name inside a database; `beside` the folder of the schema, from which its path is told.
    """
    if not isinstance(place, str | Path):
        return FoundTable(location="", inner=None, columns=_stored("", None, frame=place))
    if "://" in str(place) or str(place).startswith("spark:"):
        inner = name or (_only(str(place), _server_tables(str(place))) if str(place).startswith(POSTGRES) else None)
        return FoundTable(location=_without_password(str(place)), inner=inner, columns=_stored(str(place), inner))
    path = Path(place)
    if not path.is_file():
        raise BadValue(f"'{place}' is not a file that is there. Give a .csv, .parquet or .duckdb file, or an address.")
    told = os.path.relpath(path, beside or path.parent)
    match path.suffix.lower():
        case ".csv":
            return FoundTable.of_header(told, first_line(path))
        case ".duckdb" | ".db":
            from banister.release.sources.duckdb import tables_in

            inner = name or _only(str(place), tables_in(path))
            return FoundTable(location=told, inner=inner, columns=_stored(path.name, inner, folder=path.parent))
        case ".parquet":
            return FoundTable(location=told, inner=None, columns=_stored(path.name, None, folder=path.parent))
    raise BadValue(
        f"'{place}' must end in .csv, .parquet or .duckdb, or start with postgresql:// or spark:. Other files can be "
        "turned into one of these, e.g. a spreadsheet by saving it as CSV."
    )


def _decoded(first: bytes) -> tuple[str, str]:
    """The line, and its encoding where it can be told from the line: ASCII is the same in all of them."""
    if first.isascii():
        return first.decode("ascii"), ""
    try:
        return first.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        return first.decode("cp1252", "replace"), "cp1252"


def whole_schema(table: Table) -> Schema:
    """A schema that declares a table and nothing about it."""
    return Schema(tables=(table,), relation=None, budget=None, ledger=None, groups=None, rows=None, people=None)


def _without_password(address: str) -> str:
    """The address without the password in it, which belongs into no file that others may read.

    >>> _without_password("postgresql://ada:secret@host:5432/shop"), _without_password("spark:stays")
    ('postgresql://ada@host:5432/shop', 'spark:stays')
    """
    scheme, apart, rest = address.partition("://")
    host, slash, path = rest.partition("/")
    user, at, place = host.rpartition("@")
    return f"{scheme}{apart}{user.partition(':')[0]}{at}{place}{slash}{path}" if at else address


def _stored(
    location: str, inner: str | None, *, folder: Path = Path(), frame: object = None
) -> tuple[FoundColumn, ...]:
    table = Table(name="data", location=location, inner=inner, person=None, columns=())
    frames: Mapping[str, object] = {} if frame is None else {"data": frame}
    source = open_source(whole_schema(table), folder=folder, frames=frames)
    return tuple(FoundColumn(name, kind) for name, kind in source.describe(table).items())


def _server_tables(address: str) -> Sequence[str]:
    from banister.release.sources.postgres import tables_of

    return tables_of(address)


def _only(place: str, names: Sequence[str]) -> str:
    """The one table of a database; where there are several, somebody has to say which."""
    if len(names) == 1:
        return names[0]
    listed = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    where = "The database" if "://" in place else f"'{place}'"
    raise BadValue(f"{where} holds {f'several tables: {listed}. Say which, with --table' if names else 'no table'}.")
