"""How much of a table is understood, for its owner alone: exact counts, without noise, and nothing is charged."""

from dataclasses import dataclass

from banister.errors import BadValue
from banister.release.sources.duckdb import DuckDBSource
from banister.release.work import Physical, fits
from banister.tables.columns import Column, Kind
from banister.tables.frames.records import quoted, quoted_text
from banister.tables.schema import Table

OWNER_ONLY = "For the owner alone: these are exact counts of a private table. Nothing was charged; show them to nobody."


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnCheck:
    """One column: how many values are understood, and what becomes of the others."""

    name: str
    understood: int
    missing: int
    unreadable: int
    """Values that are there and cannot be read as the column's kind; they count as missing."""
    outside: int
    """Of the understood ones, those that are clamped to the range, or that no declared value stands for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableCheck:
    """One table: its rows, and its columns one by one."""

    name: str
    rows: int
    left_out: int
    """Lines of a CSV file that cannot be read as rows."""
    nobody: int
    """Rows without a person, which count nowhere."""
    columns: tuple[ColumnCheck, ...]


def check_table(source: DuckDBSource, table: Table) -> TableCheck:
    """Count what is understood of a table that DuckDB reads."""
    file = source.csv_files.get(table.name)
    whose = f"COUNT(*) FILTER ({quoted(table.owner)} IS NULL)" if table.owner else "0"
    items = [whose]
    columns = [column for column in table.columns if fits(column, source.stored(table.name)[column.name])]
    for column in columns:
        items += [f"COUNT({quoted(column.name)})", f"COUNT(*) FILTER ({_outside(column, source.stored(table.name))})"]
    rows, nobody, *counts = source.counted(f"COUNT(*), {', '.join(items)}", quoted(table.name))
    there = [rows] * len(columns)
    if file is not None:
        texts = [f"COUNT(NULLIF(trim({quoted(column.name)}), ''))" for column in columns]
        there = source.counted(", ".join(texts), f"({file.text_query})") if texts else []
    pairs = zip(columns, counts[::2], counts[1::2], there, strict=True)
    found = {column.name: _column(column, rows, *numbers, text=file is not None) for column, *numbers in pairs}
    return TableCheck(
        name=table.name,
        rows=rows,
        left_out=0 if file is None else file.lines() - rows,
        nobody=nobody,
        columns=tuple(found.get(column.name) or _unusable(source, table, column, rows) for column in table.columns),
    )


def _unusable(source: DuckDBSource, table: Table, column: Column, rows: int) -> ColumnCheck:
    """A column that is stored as something else than is declared: nothing of it is understood."""
    there = source.counted(f"COUNT({quoted(column.name)})", quoted(table.name))[0]
    return ColumnCheck(name=column.name, understood=0, missing=rows - there, unreadable=there, outside=0)


def _column(column: Column, rows: int, understood: int, outside: int, there: int, *, text: bool) -> ColumnCheck:
    given = max(there, understood) if text else understood
    return ColumnCheck(
        name=column.name,
        understood=understood,
        missing=rows - given,
        unreadable=given - understood,
        outside=outside,
    )


def _outside(column: Column, stored: dict[str, Physical]) -> str:
    name = quoted(column.name)
    if column.kind is Kind.CATEGORY:
        if column.values is None:
            return "FALSE"
        listed = ", ".join(quoted_text(str(v).lower() if isinstance(v, bool) else str(v)) for v in column.values)
        return f"CAST({name} AS VARCHAR) NOT IN ({listed})"
    if column.kind is Kind.DATE:
        day = f"TRY_CAST({name} AS DATE)"
        ends = [f"DATE '1970-01-01' + {int(end)}" for end in (column.low, column.high)]
        return f"{day} < {ends[0]} OR {day} > {ends[1]}"
    if column.kind is Kind.TIMESTAMP:
        second = f"epoch({name})"
        return f"{second} < {int(column.low)} OR {second} >= {int(column.high) + 1}"
    if stored[column.name] is Physical.FLOAT:
        name = f"CASE WHEN NOT isnan({name}) THEN {name} END"
    x = f"CAST({name} AS DOUBLE)"
    return f"{x} < {float(column.low)!r} OR {x} > {float(column.high)!r}"


def duckdb_only(source: object) -> DuckDBSource:
    """The source, if DuckDB reads it."""
    if not isinstance(source, DuckDBSource):
        raise BadValue(
            "`check` reads files and frames. In a database ask it yourself: SELECT COUNT(*), COUNT(column) FROM table."
        )
    return source
