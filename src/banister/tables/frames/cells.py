"""The cells of a published table as rows that SQL can ask, and what its Parquet file says about itself."""

from collections.abc import Sequence
from pathlib import Path

import duckdb
import numpy as np
from numpy.typing import NDArray

from banister.errors import BadValue
from banister.tables.columns import Kind
from banister.tables.domain import Attribute, Domain
from banister.tables.frames.records import missing_unit, quoted, quoted_text, value_sql

Floats = NDArray[np.float64]
Row = tuple[object, ...]


def read_about(path: Path) -> str:
    """What `sanitize` wrote into a Parquet file about it, or nothing."""
    with duckdb.connect() as connection:
        try:
            query = f"SELECT value FROM parquet_kv_metadata({quoted_text(str(path))}) WHERE key = 'banister'"
            found = connection.execute(query).fetchone()
        except duckdb.Error as error:
            raise BadValue(f"'{path}' cannot be read as a Parquet file: {str(error).splitlines()[0]}") from error
    return bytes(found[0]).decode("utf-8") if found else ""


def asked_cells(
    domain: Domain, types: dict[str, str], keys: Sequence[str], where: str, adds: Sequence[str]
) -> tuple[NDArray[np.int64], list[Row], Floats]:
    """The cells that meet a condition: their places, their keys, and what one record of each adds to every answer.

    A cell of several units, such as the ages 20 to 29, is asked at its middle.
    """
    codes = np.unravel_index(np.arange(domain.cells), domain.shape)
    columns = {
        f"c{i}": _middles(a, np.asarray(c)) for i, (a, c) in enumerate(zip(domain.attributes, codes, strict=True))
    }
    columns["cell"] = np.arange(domain.cells)
    values = [value_sql(a, types.get(a.name, "")).replace("{c}", f"c{i}") for i, a in enumerate(domain.attributes)]
    with duckdb.connect() as connection:
        connection.register("codes", columns)
        connection.execute("SET enable_external_access = false")
        inner = f"SELECT {', '.join(values)}, cell AS {quoted('banister cell')} FROM codes"
        asked = ", ".join([quoted("banister cell"), *keys, *(f"CAST({each} AS DOUBLE)" for each in adds)])
        condition = f" WHERE {where}" if where else ""
        try:
            rows = connection.execute(f"SELECT {asked} FROM ({inner}){condition} ORDER BY 1").fetchall()
        except duckdb.Error as error:
            raise BadValue(f"The copy cannot answer that: {str(error).splitlines()[0]}") from error
    width = len(keys)
    places = np.array([row[0] for row in rows], dtype=np.int64)
    weights = np.array([row[1 + width :] for row in rows], dtype=np.float64).reshape(len(rows), len(adds))
    return places, [tuple(row[1 : 1 + width]) for row in rows], weights


def _middles(attribute: Attribute, codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """A unit of each cell: its position for a category, else the middle of its run; the missing unit where missing."""
    missing = codes == attribute.present
    if attribute.kind is Kind.CATEGORY:
        return np.where(missing, missing_unit(attribute), codes)
    edges = np.asarray(attribute.edges, dtype=np.int64)
    cell = np.minimum(codes, attribute.present - 1)
    return np.where(missing, missing_unit(attribute), (edges[cell] + edges[cell + 1] - 1) // 2)


def asked_records(
    path: Path, keys: Sequence[str], where: str, adds: Sequence[str], *, counted: bool
) -> dict[Row, tuple[float | None, ...]]:
    """What the records of a file give for each group; nothing for a file of counts, which holds no records."""
    source = f"read_parquet({quoted_text(str(path))})"
    sums = ", ".join(f"CAST(SUM({each}) AS DOUBLE)" for each in adds)
    with duckdb.connect() as connection:
        names = [column[0] for column in connection.execute(f"SELECT * FROM {source} LIMIT 0").description]
        if counted and "count" in names:
            return {}
        condition = f" WHERE {where}" if where else ""
        group = f" GROUP BY {', '.join(keys)}" if keys else ""
        query = f"SELECT {', '.join([*keys, sums])} FROM {source}{condition}{group}"
        rows = connection.execute(query).fetchall()
    width = len(keys)
    return {tuple(row[:width]): tuple(row[width:]) for row in rows}
