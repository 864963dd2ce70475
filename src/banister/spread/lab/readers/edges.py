"""Edge lists in text files: two names per line, spaces or tabs between; lines that begin with # or % are skipped."""

from pathlib import Path

import numpy as np

from banister.errors import BadValue
from banister.foreign import read_bytes
from banister.spread.lab.graph import Graph

MOST_BYTES = 1 << 32
SUFFIXES = (".edges", ".txt", ".edgelist", ".tsv", ".el")


def read_edges(path: Path) -> Graph:
    """The graph of an edge list; a third column, such as a weight, is not used, and that is said."""
    text = read_bytes(path, most_bytes=MOST_BYTES)
    if len(text) > MOST_BYTES:
        raise BadValue(f"{path.name} is longer than {MOST_BYTES:,} bytes, which is more than any graph here.")
    whole = _read_numbers(text)
    if whole is not None:
        return whole
    pairs, extra = [], 0
    for number, line in enumerate(text.decode("utf-8", errors="replace").splitlines(), start=1):
        if not line.strip() or line.lstrip()[0] in "#%":
            continue
        parts = line.split()
        if len(parts) < 2:
            raise BadValue(f"Line {number} of {path.name} has one name; an edge needs two, separated by a space.")
        extra += len(parts) > 2
        pairs.append(parts[:2])
    graph = Graph.of_edges([tuple(pair) for pair in pairs])
    note = (f"Columns after the second were ignored in {extra:,} lines.",) if extra else ()
    return Graph(graph.starts, graph.links, graph.names, graph.notes + note)


def _read_numbers(text: bytes) -> Graph | None:
    """The fast road for whole numbers, two per line and nothing else; None when the file is not like that."""
    if b"#" in text or b"%" in text:
        return None
    tokens = text.split()
    lines = len([line for line in text.split(b"\n") if line.strip()])
    if len(tokens) != 2 * lines or not tokens:
        return None
    try:
        ends = np.array(tokens, dtype=np.int64)
    except (ValueError, OverflowError):
        return None
    names, places = np.unique(ends, return_inverse=True)
    if names[0] == 0 and names[-1] == len(names) - 1:
        return Graph.of_pairs(places.reshape(-1, 2), len(names))
    return Graph.of_pairs(places.reshape(-1, 2), len(names), names=tuple(names.tolist()))
