"""Pictures of privacy regions: what an attacker can reach, and how it grows under composition."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from banister.core.privacy.region import PrivacyRegion
from banister.errors import BadValue
from banister.show.canvas import COLOURS, SOFT, checked, new_figure, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ACCENTS = COLOURS


def draw_regions(regions: Mapping[str, PrivacyRegion], path: str | Path, *, caption: str = "") -> None:
    """The boundaries of some regions in one square."""
    target, figure = _opened(path, (4.6, 4.6))
    axes = figure.subplots()
    for (name, region), colour in zip(regions.items(), _colours(len(regions)), strict=True):
        _boundary(axes, region, name, colour)
    _square(axes)
    save(figure, target, caption=caption, dots=100)


def draw_guarantee(
    region: PrivacyRegion, lines: Sequence[tuple[float, float, str]], path: str | Path, *, caption: str = ""
) -> None:
    """One region, with (height, slope, words) of the lines that bound it, drawn in full."""
    target, figure = _opened(path, (4.6, 4.6))
    axes = figure.subplots()
    _boundary(axes, region, "", ACCENTS[0])
    for height, slope, words in lines:
        axes.plot([0, height / slope], [height, 0], linestyle=":", color=SOFT, linewidth=1)
        at = height / slope * (0.28 if slope > 1 else 0.62)
        axes.annotate(words, (at, height - slope * at), xytext=(6, 6), textcoords="offset points", fontsize=9)
    _square(axes)
    save(figure, target, caption=caption, dots=100)


def draw_reached(
    regions: Mapping[str, PrivacyRegion], point: tuple[float, float] | None, path: str | Path, *, caption: str = ""
) -> None:
    """Regions in one square, and the two errors of one test where there is one."""
    target, figure = _opened(path, (4.6, 4.6))
    axes = figure.subplots()
    for (name, region), colour in zip(regions.items(), _colours(len(regions)), strict=True):
        _boundary(axes, region, name, colour)
    if point is not None:
        axes.plot(*point, marker="o", markersize=6, color=SOFT)
        axes.annotate("the event", point, xytext=(7, 5), textcoords="offset points", fontsize=9)
    _square(axes)
    save(figure, target, caption=caption, dots=100)


def draw_growth(panels: Mapping[str, Mapping[str, PrivacyRegion]], path: str | Path, *, caption: str = "") -> None:
    """Regions side by side, one panel each."""
    target, figure = _opened(path, (4.4 * len(panels), 4.6))
    for axes, (title, regions) in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels.items(), strict=True):
        for (name, region), colour in zip(regions.items(), _colours(len(regions)), strict=True):
            _boundary(axes, region, name, colour)
        _square(axes)
        axes.set_title(title, fontsize=10, loc="left")
    save(figure, target, caption=caption, dots=100)


def draw_tangents(
    compared: Mapping[str, PrivacyRegion],
    region: PrivacyRegion,
    tangents: Sequence[tuple[float, float, str]],
    path: str | Path,
    *,
    caption: str = "",
) -> None:
    """Left: what different theorems leave. Right: one region, and (height, slope, words) of lines touching it."""
    target, figure = _opened(path, (9.0, 4.6))
    left, right = figure.subplots(1, 2)
    for (name, one), colour in zip(compared.items(), ACCENTS, strict=False):
        _boundary(left, one, name, colour)
    _square(left)
    _boundary(right, region, "", ACCENTS[0])
    for height, slope, words in tangents:
        right.plot([0, height / slope], [height, 0], linestyle=":", color=SOFT, linewidth=1)
        at = 0.94 * height / slope
        right.annotate(words, (at, height - slope * at), xytext=(5, 3), textcoords="offset points", fontsize=8)
    _square(right)
    save(figure, target, caption=caption, dots=100)


def _opened(path: str | Path, size: tuple[float, float]) -> "tuple[Path, Figure]":
    target = checked(Path(path))
    if not target.parent.is_dir():
        raise BadValue(f"There is no folder '{target.parent}' for the figure. Make it first.")
    return target, new_figure(size[0], size[1] + 0.4)  # The rest is for a caption.


def _colours(count: int) -> Sequence[str]:
    return [ACCENTS[i % len(ACCENTS)] for i in range(count)]


def _boundary(axes: "Axes", region: PrivacyRegion, name: str, colour: str) -> None:
    xs = [float(x) for x, _ in region.corners]
    ys = [float(y) for _, y in region.corners]
    axes.fill_between([*xs, 1.0], [*ys, 0.0], [1 - x for x in xs] + [0.0], color=colour, alpha=0.10, linewidth=0)
    axes.plot(xs, ys, color=colour, linewidth=1.7)
    if name:
        _name(axes, xs, ys, name, colour)


def _name(axes: "Axes", xs: Sequence[float], ys: Sequence[float], name: str, colour: str) -> None:
    """The name above the diagonal, where there is room, and a thin line from it to the curve."""
    place = len(axes.texts)
    steep = math.tan(math.radians(74 - 9 * (place % 6)))  # Each curve is met on a ray of its own from the corner.
    ahead = [y - steep * x for x, y in zip(xs, ys, strict=True)]  # It falls along the curve, and is 0 on the ray.
    alarm = float(np.interp(0.0, ahead[::-1], list(xs)[::-1]))
    leader = {"arrowstyle": "-", "color": colour, "linewidth": 0.7, "shrinkA": 1, "shrinkB": 0, "relpos": (0, 0.5)}
    axes.annotate(
        name,
        (alarm, steep * alarm),
        xytext=(0.6, 0.95 - 0.075 * place),
        color=colour,
        fontsize=9,
        va="center",
        arrowprops=leader,
    )


def _square(axes: "Axes") -> None:
    axes.plot([0, 1], [1, 0], color=SOFT, linewidth=0.8)
    axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="false alarm", ylabel="missed detection", aspect="equal")
    _plain(axes)


def _plain(axes: "Axes") -> None:
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
