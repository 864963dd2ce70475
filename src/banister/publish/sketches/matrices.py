"""Matrices of numbers from CSV and Parquet files, frames and NumPy arrays."""

from collections.abc import Sequence
from pathlib import Path

import duckdb
import numpy as np
from numpy.typing import NDArray

from banister.errors import BadValue
from banister.publish.sketches.rows import csv_rows
from banister.tables.frames.csv_lines import CsvFile
from banister.tables.frames.paths import literal_path
from banister.tables.frames.records import quoted

Floats = NDArray[np.float64]


def read_matrix(
    source: object, *, header: bool | None = None, columns: Sequence[str] = ()
) -> tuple[tuple[str, ...], Floats]:
    """Column names and the matrix; a row with an entry that is missing or no finite number is left out.

    The names are published. Those of a CSV file are in its first line (`header`), or are given where it has none.
    """
    if isinstance(source, np.ndarray):
        return _of_array(source)
    with duckdb.connect() as connection:
        try:
            file = _csv(source, header, columns)  # A copy of it lives as long as this does.
            text = _open(connection, source) if file is None else f"({file.padded_query})"
            kinds = connection.execute(f"DESCRIBE SELECT * FROM {text}").fetchall()
            wanted = ", ".join(f"TRY_CAST({quoted(str(row[0]))} AS DOUBLE) AS c{i}" for i, row in enumerate(kinds))
            found = connection.execute(f"SELECT {wanted} FROM {text}").fetchnumpy()
        except duckdb.Error as error:
            raise BadValue(f"The matrix could not be read ({type(error).__name__}). Is the file whole?") from None
    entries = [np.ma.filled(np.ma.asarray(found[f"c{i}"]).astype(np.float64), np.nan) for i in range(len(kinds))]
    return tuple(str(row[0]) for row in kinds), _whole_rows(np.stack(entries, axis=1))


def _csv(source: object, header: bool | None, columns: Sequence[str]) -> CsvFile | None:
    if not isinstance(source, str | Path) or Path(source).suffix.lower() != ".csv" or not Path(source).is_file():
        return None
    if header is False and not columns:
        raise BadValue(f"Name the columns of '{Path(source).name}', which has no header line (--columns a,b,c).")
    return csv_rows(Path(source), header, columns)


def _open(connection: duckdb.DuckDBPyConnection, source: object) -> str:
    if not isinstance(source, str | Path):
        connection.execute("SET pandas_analyze_sample = 0")  # Else a column's kind would depend on what some rows hold.
        connection.register("given", source)
        return "given"
    path = Path(source)
    if not path.is_file():
        raise BadValue(f"'{path}' is not a file that is there.")
    if path.suffix.lower() != ".parquet":
        raise BadValue(f"'{path.name}' must end in .csv or .parquet.")
    return f"read_parquet({literal_path(path)}, hive_partitioning = false)"


def _of_array(array: NDArray[np.generic]) -> tuple[tuple[str, ...], Floats]:
    if array.ndim != 2:
        raise BadValue(f"A matrix has two axes, not {array.ndim}.")
    if isinstance(array, np.ma.MaskedArray) or array.dtype.kind not in "biuf":
        kind = "masked" if isinstance(array, np.ma.MaskedArray) else array.dtype.name
        raise BadValue(
            f"This array ({kind}) is no matrix of numbers. Decide what its entries stand for, and give integers or "
            "doubles."
        )
    with np.errstate(over="ignore"):  # A warning would tell that somebody has such an entry.
        return tuple(str(i) for i in range(array.shape[1])), _whole_rows(array.astype(np.float64))


def scaled(matrix: Floats, longest: float) -> Floats:
    """The matrix in units of the longest row; what is beyond all doubles then is the largest of them."""
    most = np.finfo(np.float64).max
    with np.errstate(over="ignore"):
        return np.asarray(np.clip(matrix / longest, -most, most))


def _whole_rows(matrix: Floats) -> Floats:
    """The rows in which every entry is a finite number. To stop at another would tell that somebody has one."""
    return np.asarray(matrix[np.isfinite(matrix).all(axis=1)])
