"""Weighted undirected graphs from edge lists, CSV, Parquet, NetworkX and SciPy sparse matrices."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

import duckdb
import numpy as np
from numpy.typing import NDArray

from banister.errors import BadValue
from banister.foreign import read_text
from banister.publish.sketches.rows import csv_rows
from banister.tables.frames.paths import literal_path
from banister.tables.frames.records import quoted
from banister.tables.sparse import SparseMatrix, is_sparse

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
THREE = ("from", "to", "weight")


MOST_BYTES = 1 << 32
"""Of a file of edges or nodes."""


@dataclass(frozen=True, slots=True, eq=False)
class WeightedGraph:
    """Nodes by name, and each edge once: first[e] < second[e], weights[e] from 0 to the bound."""

    names: tuple[str, ...]
    first: Ints
    second: Ints
    weights: Floats

    @property
    def nodes(self) -> int:
        return len(self.names)


@runtime_checkable
class NetworkGraph(Protocol):
    """A NetworkX graph."""

    def is_directed(self) -> bool: ...
    def edges(self, *, data: str, default: float) -> Iterable[tuple[object, object, float]]: ...


def read_graph(
    source: object, *, nodes: Path | Sequence[str] | None, most_weight: float, header: bool | None = None
) -> WeightedGraph:
    """Read a graph. `nodes` are the public names of all nodes, a list or a file with one a line.

    They are published, so they never come from the edges: there, somebody's only edge would put her name into the
    sketch. No edge stops the reading, for that too would tell something of it: an edge with an end that is not listed,
    with a weight that is no number, or from a node to itself is left out, and weights are held within the bound.
    """
    if is_sparse(source):
        return _of_matrix(source, most_weight)
    if isinstance(source, NetworkGraph) and source.is_directed():
        raise BadValue("The graph is directed; a cut needs an undirected one. Convert it with .to_undirected().")
    if not isinstance(source, NetworkGraph | str | Path):
        raise BadValue(f"A graph cannot be read from a {type(source).__name__}; give a file, NetworkX or SciPy sparse.")
    if isinstance(source, str | Path) and not Path(source).is_file():
        raise BadValue(f"'{source}' is not a file that is there.")
    listed = _listed(nodes)
    if isinstance(source, NetworkGraph):
        found = [(str(u), str(v), w) for u, v, w in source.edges(data="weight", default=1.0)]
        weights = np.array([_number(edge[2]) for edge in found], dtype=np.float64)
        return _build([edge[0] for edge in found], [edge[1] for edge in found], weights, listed, most_weight)
    left, right, weights = _read_file(Path(source), header)
    return _build(left, right, weights, listed, most_weight)


def _of_matrix(matrix: SparseMatrix, most_weight: float) -> WeightedGraph:
    entries = matrix.tocoo()
    rows, columns = entries.shape
    if rows != columns:
        raise BadValue(f"The matrix of a graph must be square, not {rows} × {columns}.")
    row, col, data = (np.asarray(x) for x in (entries.row, entries.col, entries.data))
    kept = data != 0
    names = tuple(str(i) for i in range(rows))
    return _held(
        names, row[kept].astype(np.int64), col[kept].astype(np.int64), data[kept].astype(np.float64), most_weight
    )


def _listed(nodes: Path | Sequence[str] | None) -> list[str]:
    if nodes is None:
        raise BadValue(
            "The names of the nodes are published with the sketch, so they have to be public: give all of them, one a "
            "line (--nodes). Taken from the edges, they would name whoever has one."
        )
    if not isinstance(nodes, str | Path):
        return [str(node) for node in nodes]
    text = read_text(Path(nodes), "a list of nodes, one name per line", most_bytes=MOST_BYTES)
    return [line.strip() for line in text.splitlines() if line.strip()]


def _read_file(path: Path, header: bool | None) -> tuple[list[str], list[str], Floats]:
    if not path.is_file():
        raise BadValue(f"'{path}' is not a file that is there.")
    try:
        match path.suffix.lower():
            case ".csv":
                file = csv_rows(path, header, THREE)
                return _read_columns(f"({file.padded_query})")
            case ".parquet":
                return _read_columns(f"read_parquet({literal_path(path)}, hive_partitioning = false)")
        return _read_lines(path)
    except duckdb.Error as error:
        raise BadValue(f"'{path.name}' could not be read ({type(error).__name__}). Is it whole, and text?") from None


def _read_columns(source: str) -> tuple[list[str], list[str], Floats]:
    """Edges of a table; without a third column, and where it is empty, an edge weighs 1."""
    with duckdb.connect() as connection:
        columns = [str(row[0]) for row in connection.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()]
        if len(columns) < 2:
            raise BadValue("A graph's table needs two columns for the ends of an edge, and a third for its weight.")
        third = f"CAST({quoted(columns[2])} AS VARCHAR)" if len(columns) > 2 else "NULL"
        weight = f"CASE WHEN coalesce({third}, '') = '' THEN 1.0 ELSE TRY_CAST({third} AS DOUBLE) END"
        ends = [f"coalesce(CAST({quoted(name)} AS VARCHAR), '') AS e{i}" for i, name in enumerate(columns[:2])]
        rows = connection.execute(f"SELECT {', '.join(ends)}, {weight} AS w FROM {source}").fetchnumpy()
    weights = np.ma.filled(np.ma.asarray(rows["w"]).astype(np.float64), np.nan)
    return [str(x).strip() for x in rows["e0"]], [str(x).strip() for x in rows["e1"]], weights


def _read_lines(path: Path) -> tuple[list[str], list[str], Floats]:
    left, right, weights = [], [], []
    with path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            words = line.split("#")[0].split()
            if len(words) in (2, 3):
                left.append(words[0])
                right.append(words[1])
                weights.append(_number(words[2]) if len(words) == 3 else 1.0)
    return left, right, np.array(weights, dtype=np.float64)


def _number(value: object) -> float:
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return math.nan


def _build(left: list[str], right: list[str], weights: Floats, names: list[str], most_weight: float) -> WeightedGraph:
    places = {name: place for place, name in enumerate(names)}
    if len(places) < len(names):
        raise BadValue("The list of nodes has a name twice. List each node once.")
    first = np.array([places.get(name, -1) for name in left], dtype=np.int64)
    second = np.array([places.get(name, -1) for name in right], dtype=np.int64)
    known = (first >= 0) & (second >= 0)
    return _held(tuple(names), first[known], second[known], weights[known], most_weight)


def _held(names: tuple[str, ...], first: Ints, second: Ints, weights: Floats, most_weight: float) -> WeightedGraph:
    """Each edge once, ends in order, with the largest of the weights that are given for it, held within the bound."""
    kept = (first != second) & ~np.isnan(weights)
    first, second, weights = first[kept], second[kept], np.clip(weights[kept], 0.0, most_weight)
    low, high = np.minimum(first, second), np.maximum(first, second)
    keys, back = np.unique(low * len(names) + high, return_inverse=True)
    largest = np.zeros(keys.size)
    np.maximum.at(largest, back, weights)
    return WeightedGraph(names, keys // max(len(names), 1), keys % max(len(names), 1), largest)
