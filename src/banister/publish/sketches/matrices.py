"""Matrices of numbers from CSV and Parquet files, frames and NumPy arrays."""

from pathlib import Path

import duckdb
import numpy as np
from numpy.typing import NDArray

from banister.errors import BadValue
from banister.tables.frames.records import quoted, quoted_text

Floats = NDArray[np.float64]


def read_matrix(source: object) -> tuple[tuple[str, ...], Floats]:
    """Column names and the matrix; every column must be numbers, and no entry may be missing."""
    if isinstance(source, np.ndarray):
        return _of_array(source)
    with duckdb.connect() as connection:
        try:
            text = _open(connection, source)
            kinds = connection.execute(f"DESCRIBE SELECT * FROM {text}").fetchall()
            wanted = ", ".join(f"TRY_CAST({quoted(str(row[0]))} AS DOUBLE) AS c{i}" for i, row in enumerate(kinds))
            found = connection.execute(f"SELECT {wanted} FROM {text}").fetchnumpy()
        except duckdb.Error as error:
            raise BadValue(f"The matrix could not be read ({type(error).__name__}). Is the file whole?") from None
    columns = [np.ma.filled(np.ma.asarray(found[f"c{i}"]).astype(np.float64), np.nan) for i in range(len(kinds))]
    return tuple(str(row[0]) for row in kinds), _checked(np.stack(columns, axis=1))


def _open(connection: duckdb.DuckDBPyConnection, source: object) -> str:
    if not isinstance(source, str | Path):
        connection.register("given", source)
        return "given"
    path = Path(source)
    if not path.is_file():
        raise BadValue(f"'{path}' is not a file that is there.")
    match path.suffix.lower():
        case ".csv":
            return f"read_csv({quoted_text(str(path))})"
        case ".parquet":
            return f"read_parquet({quoted_text(str(path))})"
    raise BadValue(f"'{path.name}' must end in .csv or .parquet.")


def _of_array(array: NDArray[np.generic]) -> tuple[tuple[str, ...], Floats]:
    if array.ndim != 2:
        raise BadValue(f"A matrix has two axes, not {array.ndim}.")
    return tuple(str(i) for i in range(array.shape[1])), _checked(array.astype(np.float64))


def _checked(matrix: Floats) -> Floats:
    if not np.isfinite(matrix).all():
        raise BadValue(
            "The matrix has entries that are missing or not numbers. Fill them in from public knowledge first."
        )
    return matrix
