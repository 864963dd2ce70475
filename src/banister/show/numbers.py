"""The numbers behind a figure, read off what is drawn: so they are what the picture shows, whoever drew it."""

import csv
import io
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

HEADER = ("panel", "series", "x", "y", "value")
Line = tuple[str, str, float, float, float | str]


def numbers_text(figure: "Figure") -> str:
    """All curves, marks, bars and fields of a figure as CSV: a line for each point, with its panel and its series.

    `value` is filled in for fields of colours alone, whose x and y are the middle of each square.

    >>> from banister.show.canvas import new_figure
    >>> figure = new_figure(2, 2)
    >>> drawn = figure.subplots().plot([1, 2], [3, 4], label="up")
    >>> print(numbers_text(figure), end="")
    panel,series,x,y,value
    1,up,1.0,3.0,
    1,up,2.0,4.0,
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADER)
    drawn = [axes for axes in figure.axes if not hasattr(axes, "_colorbar")]  # A scale of colours shows no numbers.
    for place, axes in enumerate(drawn, start=1):
        writer.writerows(_axes(axes, _plain(axes.get_title() or axes.get_title(loc="left")) or str(place)))
    return text.getvalue()


def _axes(axes: "Axes", panel: str) -> Iterator[Line]:
    for place, line in enumerate(axes.get_lines(), start=1):
        if line.get_transform() == axes.transData:  # Others are rules across the whole panel.
            name = _named(str(line.get_label()), f"line {place}")
            for x, y in zip(*_both(line.get_xdata(orig=False), line.get_ydata(orig=False)), strict=True):
                yield panel, name, float(x), float(y), ""
    for place, bars in enumerate(axes.containers, start=1):
        for bar in getattr(bars, "patches", ()):
            name = _named(str(bars.get_label()), f"bars {place}")
            yield panel, name, bar.get_x() + bar.get_width() / 2, bar.get_y() + bar.get_height(), ""
    for place, image in enumerate(axes.get_images(), start=1):
        field = np.asarray(image.get_array(), dtype=np.float64)
        if field.ndim == 2:
            for (row, column), value in np.ndenumerate(field):
                yield panel, f"field {place}", float(column), float(row), float(value)
    for place, marks in enumerate(axes.collections, start=1):
        points = np.ma.filled(np.ma.asarray(marks.get_offsets(), dtype=np.float64), np.nan)
        if len(points) > 1 and marks.get_offset_transform() == axes.transData:
            for x, y in points:
                yield panel, _named(str(marks.get_label()), f"marks {place}"), float(x), float(y), ""
    for place, mesh in enumerate(axes.collections, start=1):
        corners = getattr(mesh, "get_coordinates", lambda: None)()
        if corners is not None:
            middles = (corners[:-1, :-1] + corners[1:, 1:]) / 2
            values = np.asarray(mesh.get_array(), dtype=np.float64).reshape(middles.shape[:2])
            for (row, column), value in np.ndenumerate(values):
                x, y = middles[row, column]
                yield panel, f"field {place}", float(x), float(y), float(value)


def _both(x: object, y: object) -> "tuple[np.ndarray[tuple[int], np.dtype[np.float64]], ...]":
    return np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)


def _named(label: str, otherwise: str) -> str:
    """The name of a series; labels that the library makes up begin with a line."""
    return otherwise if label.startswith("_") or not label else _plain(label)


def _plain(words: str) -> str:
    return " ".join(words.replace("$", "").split())
