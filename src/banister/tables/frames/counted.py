"""How often each whole number stands in Parquet files, counted by DuckDB: 10^9 rows pass, what comes out is small."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from banister.errors import BadValue
from banister.tables.frames.paths import literal_path

Whole = NDArray[np.int64]
WHOLE = ("TINYINT", "UTINYINT", "SMALLINT", "USMALLINT", "INTEGER", "UINTEGER", "BIGINT")
"""Types of columns whose numbers all fit."""


@dataclass(frozen=True, slots=True, eq=False)
class CountedColumn:
    """The different numbers in rising order, how often each came, and how many rows have another mark or no number."""

    values: Whole
    counts: Whole
    foreign: int
    malformed: int


def count_marked(paths: Sequence[Path], *, mark: str, column: str, wanted: str) -> CountedColumn:
    """Count the whole numbers of `column` in the rows in which the column `mark` says `wanted`."""
    import duckdb

    files = ", ".join(literal_path(path) for path in paths)
    connection = duckdb.connect()
    try:
        described = connection.execute(f"DESCRIBE SELECT * FROM read_parquet([{files}])").fetchall()
        kinds = {name: kind for name, kind, *_ in described}
        if kinds.get(mark) != "VARCHAR" or kinds.get(column) not in WHOLE:
            raise BadValue(f"Parquet files of reports have the columns {mark} (text) and {column} (whole numbers).")
        rows = connection.execute(
            f'SELECT "{mark}" IS DISTINCT FROM ? AS other, CAST("{column}" AS BIGINT) AS number, count(*) AS n '
            f"FROM read_parquet([{files}]) GROUP BY ALL",
            [wanted],
        ).fetchnumpy()
    except duckdb.Error:
        raise BadValue(f"{', '.join(map(str, paths))} cannot be read as Parquet files of reports.") from None
    finally:
        connection.close()
    number, times = rows["number"], np.asarray(rows["n"])
    missing, other = np.ma.getmaskarray(np.ma.asarray(number)), np.asarray(rows["other"], dtype=bool)
    own = ~other & ~missing
    values, counts = np.asarray(number)[own].astype(np.int64), times[own].astype(np.int64)
    order = np.argsort(values)
    return CountedColumn(values[order], counts[order], int(times[other].sum()), int(times[~other & missing].sum()))
