"""Edges in a CSV file: the columns `source` and `target`, or the first two."""

from pathlib import Path

from banister.errors import BadValue
from banister.foreign import read_rows
from banister.spread.lab.graph import Graph

SUFFIXES = (".csv",)
MOST_BYTES = 1 << 32
NAMES = (("source", "target"), ("from", "to"), ("src", "dst"), ("u", "v"))


def read_csv(path: Path) -> Graph:
    """The graph of a CSV file; the first line is a header when it names the two columns."""
    rows = read_rows(path, "a CSV file of edges", most_bytes=MOST_BYTES)
    if not rows:
        raise BadValue(f"{path.name} is empty. An edge is a line with two names, such as: ann,bob")
    head = [cell.strip().lower() for cell in rows[0]]
    columns = next(((head.index(a), head.index(b)) for a, b in NAMES if a in head and b in head), None)
    body = rows[1:] if columns else rows
    one, other = columns or (0, 1)
    for number, row in enumerate(body, start=2 if columns else 1):
        if len(row) <= max(one, other):
            raise BadValue(
                f"Line {number} of {path.name} has {len(row)} cells; the edge is in {one + 1} and {other + 1}."
            )
    return Graph.of_edges([(row[one].strip(), row[other].strip()) for row in body])
