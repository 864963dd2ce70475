"""Charts of curves side by side, each curve with its name at its end."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from banister.show.canvas import COLOURS, checked, new_figure, save, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_APART = 0.062
"""The height of one line of a name, as a part of the panel's."""


@dataclass(frozen=True, slots=True, eq=False)
class PanelLine:
    """One curve. A dashed one is theory or another's; `steps` draws it as stairs; `colour` counts in the palette."""

    name: str
    x: ArrayLike
    y: ArrayLike
    dashed: bool = False
    steps: bool = False
    colour: int | None = None
    wide: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CurvePanel:
    """One set of axes."""

    title: str
    x_label: str
    y_label: str
    lines: tuple[PanelLine, ...]
    x_scale: str = "linear"
    y_scale: str = "linear"
    x_range: tuple[float, float] | None = None
    y_range: tuple[float, float] | None = None


def draw_panels(panels: Sequence[CurvePanel], path: Path, *, caption: str = "", height: float = 3.7) -> None:
    """The panels in a row, in one file."""
    checked(path)
    figure = new_figure(5.6 * len(panels) + 0.4, height + (0.3 if caption else 0))
    for axes, panel in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True):
        draw_curves(axes, panel)
    save(figure, path, caption=caption)


def draw_curves(axes: "Axes", panel: CurvePanel) -> None:
    """Curves, scales, names."""
    colours = [
        COLOURS[(place if line.colour is None else line.colour) % len(COLOURS)]
        for place, line in enumerate(panel.lines)
    ]
    for line, colour in zip(panel.lines, colours, strict=True):
        axes.plot(
            np.asarray(line.x, dtype=float),
            np.asarray(line.y, dtype=float),
            color=colour,
            linewidth=3.4 if line.wide else 1.3 if line.dashed else 1.9,
            alpha=0.45 if line.wide else 1,
            linestyle=(0, (4, 2)) if line.dashed else "-",
            drawstyle="steps-mid" if line.steps else "default",
            label=line.name,
        )
    axes.set_xscale(panel.x_scale)
    axes.set_yscale(panel.y_scale)
    if panel.x_range:
        axes.set_xlim(*panel.x_range)
    if panel.y_range:
        axes.set_ylim(*panel.y_range)
    axes.set_title(panel.title, loc="left", fontsize=10.5)
    axes.set_xlabel(panel.x_label)
    axes.set_ylabel(panel.y_label)
    tidy(axes)
    named = zip(panel.lines, colours, strict=True)
    name_ends(axes, [(line.name, line.x, line.y, colour) for line, colour in named])


def name_ends(axes: "Axes", curves: Sequence[tuple[str, ArrayLike, ArrayLike, str]]) -> None:
    """Each (name, x, y, colour): the name right of the panel at the height of its curve's end, apart from others."""
    to_axes = axes.transData + axes.transAxes.inverted()
    low, high = sorted(axes.get_xlim())
    places = []
    for name, xs, ys, colour in curves:
        x, y = np.asarray(xs, dtype=float), np.asarray(ys, dtype=float)
        inside = np.flatnonzero((x >= low) & (x <= high) & np.isfinite(y))
        if name and inside.size:
            height = float(to_axes.transform((x[inside[-1]], y[inside[-1]]))[1])
            places.append((min(max(height, 0.0), 1.0), name, colour))
    places.sort(key=lambda place: place[0])
    sizes = [_APART * (1 + place[1].count("\n")) for place in places]
    heights = _apart([place[0] for place in places], sizes)
    for height, (_, name, colour) in zip(heights, places, strict=True):
        axes.annotate(
            name,
            (1.015, height),
            xycoords="axes fraction",
            color=colour,
            fontsize=8.5,
            va="center",
            ha="left",
            annotation_clip=False,
        )


def _apart(heights: list[float], sizes: list[float]) -> list[float]:
    """Rising heights, each above the one before by half of both sizes; moved down if they rise above the panel."""
    found: list[float] = []
    for place, height in enumerate(heights):
        room = (sizes[place - 1] + sizes[place]) / 2 if place else 0.0
        found.append(max(height, found[-1] + room) if found else height)
    if found and found[-1] > 1:
        found = [height - (found[-1] - 1) for height in found]
        for place in range(len(found) - 2, -1, -1):  # What needed no room goes back up to its curve.
            room = (sizes[place] + sizes[place + 1]) / 2
            found[place] = max(found[place], min(heights[place], found[place + 1] - room))
    return found
