"""Answers to files, each written whole or not at all."""

import csv
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from banister.errors import BadValue, MissingExtra
from banister.files import check_space, check_target, whole
from banister.show.plain import no_formula
from banister.tables.reading import Day

if TYPE_CHECKING:
    import polars
    from pandas import DataFrame as DataFrame

    PolarsFrame = polars.DataFrame


class ArrowTable(Protocol):
    """What of an Arrow table is asked here."""

    @property
    def num_rows(self) -> int: ...
    def column(self, name: str) -> "Iterable[object]": ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...


Value = str | int | float | bool | Day | None
Columns = Mapping[str, Sequence[Value]]


def write_tables(path: Path, tables: Sequence[Columns], *, for_spreadsheets: bool = False) -> list[Path]:
    """Write one file a table; the second table's file is called name-2, and so on.

    For spreadsheets, a text in a .csv file that they would compute (=, +, - or @ first) gets an apostrophe before it.
    """
    writers: dict[str, Callable[[Path, Columns], None]] = {
        ".csv": _write_harmless_csv if for_spreadsheets else _write_csv,
        ".json": _write_json,
        ".parquet": _write_parquet,
    }
    write = writers.get(path.suffix.lower())
    if write is None:
        raise BadValue(f"'{path}' must end in .csv, .json or .parquet.")
    paths = table_paths(path, len(tables))
    for target, columns in zip(paths, tables, strict=True):
        whole(target, lambda temporary, columns=columns: write(temporary, columns))  # type: ignore[misc]
    return paths


def table_paths(path: Path, count: int) -> list[Path]:
    """Where so many tables are written: the file, then name-2 and so on.

    >>> [str(target) for target in table_paths(Path("a.csv"), 2)]
    ['a.csv', 'a-2.csv']
    """
    return [path if i == 0 else path.with_stem(f"{path.stem}-{i + 1}") for i in range(count)]


def check_tables(path: Path, count: int, *, size: int) -> None:
    """Refuse, before anything is charged, a place where so many tables of some bytes cannot be written."""
    for target in table_paths(path, count):
        check_target(target, (".csv", ".parquet", ".json"))
    check_space(path, size)


def _write_csv(draft: Path, columns: Columns) -> None:
    with draft.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


def _write_harmless_csv(draft: Path, columns: Columns) -> None:
    _write_csv(draft, {str(no_formula(name)): [no_formula(x) for x in values] for name, values in columns.items()})  # type: ignore[misc]


def _write_json(draft: Path, columns: Columns) -> None:
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    draft.write_text(json.dumps({"format": 1, "answers": rows}, indent=1, default=str), encoding="utf-8")


def _write_parquet(draft: Path, columns: Columns) -> None:
    import duckdb

    connection = duckdb.connect()
    arrays = {name: _array(values) for name, values in columns.items()}
    connection.register("answers", arrays)
    target = str(draft).replace("'", "''")
    # DuckDB reads no NumPy days, so dates come as seconds and are made dates here.
    named = ['"' + name.replace('"', '""') + '"' for name, values in columns.items() if _are_dates(values)]
    dates = [f"CAST({name} AS DATE) AS {name}" for name in named]
    replaced = f" REPLACE ({', '.join(dates)})" if dates else ""
    connection.execute(f"COPY (SELECT *{replaced} FROM answers) TO '{target}' (FORMAT parquet, USE_TMP_FILE false)")
    connection.close()


def _are_dates(values: Sequence[Value]) -> bool:
    return len(values) > 0 and all(isinstance(value, Day) for value in values)


def _array(values: Sequence[Value]) -> object:
    if _are_dates(values):
        return np.asarray([str(value) for value in values], dtype="datetime64[s]")
    kinds = {type(value) for value in values}
    if kinds <= {bool} or kinds <= {int} or kinds <= {float, int}:
        return np.asarray(values)
    if kinds <= {float, int, type(None)} and kinds > {type(None)}:
        return np.asarray([np.nan if value is None else value for value in values], dtype=np.float64)
    return np.asarray([str(value) for value in values], dtype=object)


def to_pandas(columns: Columns) -> "DataFrame":
    """A pandas table."""
    try:
        import pandas
    except ImportError:
        raise MissingExtra("This needs pandas, which is not installed. Install it with: pip install pandas") from None
    return pandas.DataFrame(
        {name: _array(values) if _are_dates(values) else list(values) for name, values in columns.items()}
    )


def to_polars(columns: Columns) -> "PolarsFrame":
    """A Polars table."""
    try:
        import polars
    except ImportError:
        raise MissingExtra("This needs polars, which is not installed. Install it with: pip install polars") from None
    return polars.DataFrame({name: list(values) for name, values in columns.items()})


def to_arrow(columns: Columns) -> "ArrowTable":
    """An Arrow table."""
    try:
        import pyarrow
    except ImportError:
        raise MissingExtra("This needs pyarrow, which is not installed. Install it with: pip install pyarrow") from None
    made: ArrowTable = pyarrow.table({name: list(values) for name, values in columns.items()})
    return made
