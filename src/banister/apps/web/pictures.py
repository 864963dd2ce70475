"""Figures for pages: drawn by the code that draws the command line's files, shown by <img>, offered for download."""

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from starlette.responses import Response

from banister.errors import BadValue
from banister.show.narrow import narrowed

KINDS = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf", "csv": "text/csv; charset=utf-8"}
NARROW = "narrow.svg"
"""The kind a page shows where the screen is narrow."""
Draw = Callable[[Path], object]


def picture(draw: Draw, kind: str, *, name: str) -> Response:
    """The file that `draw` would write under that ending: `svg` is what a page shows, all are for download."""
    if kind == NARROW:
        with narrowed():
            return picture(draw, "svg", name=f"{name}-narrow")
    if kind not in KINDS:
        raise BadValue(f"A figure of kind '{kind[:20]}' cannot be drawn. There are: {', '.join(KINDS)}.")
    with TemporaryDirectory(prefix="banister-") as folder:
        path = Path(folder) / f"{name}.{kind}"
        draw(path)
        content = path.read_bytes()
    # A page shows it inline all the same: <img> does not ask for this header. A picture by itself may run nothing.
    shown = "attachment" if kind == "csv" else "inline"
    headers = {"Content-Disposition": f'{shown}; filename="{name}.{kind}"'}
    if kind == "svg":
        headers["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    return Response(content, media_type=KINDS[kind], headers=headers)


def rows(header: Sequence[str], lines: Iterable[Sequence[object]], *, name: str) -> Response:
    """The numbers behind a figure, as a CSV file."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(lines)
    headers = {"Content-Disposition": f'attachment; filename="{name}.csv"'}
    return Response(text.getvalue(), media_type="text/csv; charset=utf-8", headers=headers)
