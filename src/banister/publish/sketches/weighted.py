"""Weighted undirected graphs from edge lists, CSV, Parquet, NetworkX and SciPy sparse matrices."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

import duckdb
import numpy as np
from numpy.typing import NDArray

from banister.errors import BadValue
from banister.tables.frames.records import quoted, quoted_text
from banister.tables.sparse import SparseMatrix, is_sparse

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


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
    def nodes(self) -> Iterable[object]: ...
    def edges(self, *, data: str, default: float) -> Iterable[tuple[object, object, float]]: ...


def read_graph(source: object, *, nodes: Path | None, most_weight: float) -> WeightedGraph:
    """Read a graph and check it. `nodes` is a file with one public node name a line; without it those with edges count.

    An error says what is wrong, never where.
    """
    if isinstance(source, NetworkGraph):
        if source.is_directed():
            raise BadValue("The graph is directed; a cut needs an undirected one. Convert it with .to_undirected().")
        listed = [str(node) for node in source.nodes()]
        found = [(str(u), str(v), w) for u, v, w in source.edges(data="weight", default=1.0)]
        ends = [[edge[0] for edge in found], [edge[1] for edge in found]]
        return _build(ends[0], ends[1], np.array([edge[2] for edge in found], dtype=np.float64), listed, most_weight)
    if is_sparse(source):
        return _of_matrix(source, most_weight)
    if not isinstance(source, str | Path):
        raise BadValue(f"A graph cannot be read from a {type(source).__name__}; give a file, NetworkX or SciPy sparse.")
    left, right, weights = _read_file(Path(source))
    return _build(left, right, weights, _listed(nodes), most_weight)


def _of_matrix(matrix: SparseMatrix, most_weight: float) -> WeightedGraph:
    entries = matrix.tocoo()
    rows, columns = entries.shape
    if rows != columns:
        raise BadValue(f"The matrix of a graph must be square, not {rows} × {columns}.")
    row, col, data = (np.asarray(x) for x in (entries.row, entries.col, entries.data))
    kept = data != 0
    names = tuple(str(i) for i in range(rows))
    return _checked(names, row[kept].astype(np.int64), col[kept].astype(np.int64), data[kept], most_weight)


def _listed(nodes: Path | None) -> list[str] | None:
    if nodes is None:
        return None
    try:
        return [line.strip() for line in nodes.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError):
        raise BadValue(f"The list of nodes '{nodes}' cannot be read. Give a text file with one name a line.") from None


def _read_file(path: Path) -> tuple[list[str], list[str], Floats]:
    if not path.is_file():
        raise BadValue(f"'{path}' is not a file that is there.")
    text = quoted_text(str(path))
    try:
        if path.suffix.lower() in (".csv", ".parquet"):
            return _read_columns(f"read_parquet({text})" if path.suffix.lower() == ".parquet" else f"read_csv({text})")
        return _read_lines(path)
    except (duckdb.Error, UnicodeDecodeError) as error:
        raise BadValue(f"'{path.name}' could not be read ({type(error).__name__}). Is it whole, and text?") from None


def _read_columns(source: str) -> tuple[list[str], list[str], Floats]:
    with duckdb.connect() as connection:
        columns = [str(row[0]) for row in connection.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()]
        if len(columns) < 2:
            raise BadValue("A graph's table needs two columns for the ends of an edge, and a third for its weight.")
        weight = f"TRY_CAST({quoted(columns[2])} AS DOUBLE)" if len(columns) > 2 else "1.0::DOUBLE"
        ends = [f"CAST({quoted(name)} AS VARCHAR) AS e{i}" for i, name in enumerate(columns[:2])]
        rows = connection.execute(f"SELECT {', '.join(ends)}, {weight} AS w FROM {source}").fetchnumpy()
    weights = np.ma.filled(np.ma.asarray(rows["w"]), np.nan).astype(np.float64)
    return [str(x) for x in rows["e0"]], [str(x) for x in rows["e1"]], weights


def _read_lines(path: Path) -> tuple[list[str], list[str], Floats]:
    left, right, weights = [], [], []
    with path.open(encoding="utf-8") as file:
        for line in file:
            words = line.split("#")[0].split()
            if not words:
                continue
            if len(words) not in (2, 3):
                raise BadValue(f"A line of '{path.name}' is no edge: it must read `from to` or `from to weight`.")
            left.append(words[0])
            right.append(words[1])
            weights.append(words[2] if len(words) == 3 else "1")
    try:
        return left, right, np.array(weights, dtype=np.float64)
    except ValueError:
        raise BadValue(f"A weight in '{path.name}' is not a number.") from None


def _build(
    left: list[str], right: list[str], weights: Floats, listed: list[str] | None, most_weight: float
) -> WeightedGraph:
    names = sorted({*left, *right}) if listed is None else listed
    places = {name: place for place, name in enumerate(names)}
    if len(places) < len(names):
        raise BadValue("The list of nodes has a name twice. List each node once.")
    if not places.keys() >= {*left, *right}:
        raise BadValue("An edge has an end that the list of nodes does not have. List every node, or drop the edge.")
    first = np.array([places[name] for name in left], dtype=np.int64)
    second = np.array([places[name] for name in right], dtype=np.int64)
    return _checked(tuple(names), first, second, weights, most_weight)


def _checked(names: tuple[str, ...], first: Ints, second: Ints, weights: Floats, most_weight: float) -> WeightedGraph:
    """Each edge once, ends in order; an edge given in both directions counts once."""
    if np.any(first == second):
        raise BadValue("The graph has self-loops, which no cut sees. Remove them.")
    if not np.isfinite(weights).all():
        raise BadValue("The graph has weights that are missing or not finite.")
    if np.any(weights < 0):
        raise BadValue("The graph has negative weights, which a cut cannot have.")
    if np.any(weights > most_weight):
        raise BadValue(
            f"The graph has weights beyond the bound {most_weight:g}. Set the bound from public knowledge "
            "(--most-weight), not from the data."
        )
    low, high = np.minimum(first, second), np.maximum(first, second)
    keys = low * len(names) + high
    _, once, back = np.unique(keys, return_index=True, return_inverse=True)
    if np.any(weights != weights[once][back]):
        raise BadValue("An edge is given twice with different weights. Give each edge once.")
    return WeightedGraph(names, low[once], high[once], weights[once])
