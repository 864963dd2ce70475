"""Edges in a Parquet file, through DuckDB: the columns `source` and `target`, or the first two."""

from pathlib import Path

import numpy as np

from banister.errors import BadValue
from banister.spread.lab.graph import Graph
from banister.spread.lab.readers.csv_file import NAMES
from banister.tables.frames.paths import literal_path

SUFFIXES = (".parquet",)


def read_parquet(path: Path) -> Graph:
    """The graph of a Parquet file."""
    import duckdb

    with duckdb.connect() as base:
        table = base.execute(f"SELECT * FROM read_parquet({literal_path(path)}, hive_partitioning = false)")
        titles = [str(column[0]) for column in table.description or []]
        columns = table.fetchnumpy()
    if len(titles) < 2:
        raise BadValue(f"{path.name} has {len(titles)} column; the edges need two, such as source and target.")
    low = [title.lower() for title in titles]
    one, other = next(((low.index(a), low.index(b)) for a, b in NAMES if a in low and b in low), (0, 1))
    ends = np.concatenate([np.asarray(columns[titles[one]]), np.asarray(columns[titles[other]])])
    names, places = np.unique(ends, return_inverse=True)
    return Graph.of_pairs(places.reshape(2, -1).T, len(names), names=tuple(names.tolist()))
