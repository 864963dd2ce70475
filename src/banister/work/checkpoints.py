"""Finished pieces of a long computation in a file, so that it can go on after a stop.

One JSON text a line: first the format and what the pieces belong to, then one line for each finished piece.
"""

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from banister.errors import BadValue
from banister.files import folder, whole_text
from banister.foreign import parse_json, read_text

FORMAT = "banister-study-1"
Floats = NDArray[np.float64]


class Checkpoint:
    """The finished pieces of one study."""

    def __init__(self, path: Path, belongs_to: str) -> None:
        self._path = path
        self.done: dict[tuple[int, int], Floats] = {}
        if path.exists() and path.stat().st_size:
            self._read(belongs_to)
        else:
            folder(path.parent)
            whole_text(path, json.dumps({"format": FORMAT, "study": belongs_to}) + "\n")

    def _read(self, belongs_to: str) -> None:
        text = read_text(self._path, "a study that banister wrote")
        head, *lines = text.split("\n")
        try:
            found = parse_json(head, "")
        except BadValue:
            found = {}
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise BadValue(f"{self._path} is not a study that banister wrote. Choose another folder.")
        if found.get("study") != belongs_to:
            raise BadValue(
                f"{self._path} holds another study (graph, protocols, adversaries, steps or seed differ). "
                "Choose another folder, or remove it."
            )
        for line in lines:
            try:
                cell, number, rows = _piece(parse_json(line, ""))
            except (BadValue, KeyError, TypeError, ValueError):
                continue  # The last line of a run that was stopped may be torn; that piece is computed again.
            self.done[cell, number] = rows
        if not text.endswith("\n"):
            whole_text(self._path, text[: text.rfind("\n") + 1])

    def save(self, cell: int, piece: int, rows: Floats) -> None:
        """Write down one finished piece."""
        self.done[cell, piece] = rows
        values = [[None if np.isnan(value) else value for value in row] for row in rows.tolist()]
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"cell": cell, "piece": piece, "rows": values}) + "\n")


def _piece(found: object) -> tuple[int, int, Floats]:
    """A finished piece: its cell, its number, and its rows, in which nothing stands for what is not a number."""
    if not isinstance(found, dict) or not isinstance(found["rows"], list):
        raise TypeError
    cell, number = found["cell"], found["piece"]
    if not isinstance(cell, int) or not isinstance(number, int):
        raise TypeError
    rows = [[float("nan") if value is None else float(value) for value in row] for row in found["rows"]]
    return cell, number, np.asarray(rows, dtype=float)
