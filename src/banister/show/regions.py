"""Pictures of privacy regions: what an attacker can reach, and how it grows under composition."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from banister.core.privacy.region import PrivacyRegion
from banister.errors import BadValue
from banister.show.canvas import checked, new_figure, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHADES = ("#1a365d", "#2b6cb0", "#4299e1", "#63b3ed", "#90cdf4", "#bee3f8")
ACCENTS = ("#2b6cb0", "#c05621", "#2f855a", "#805ad5", "#b83280", "#4a5568")


def draw_regions(regions: Mapping[str, PrivacyRegion], path: str | Path) -> None:
    """The boundaries of some regions in one square."""
    target, figure = _opened(path, (4.6, 4.6))
    axes = figure.subplots()
    for (name, region), colour in zip(regions.items(), _colours(len(regions)), strict=True):
        _boundary(axes, region, name, colour)
    _square(axes)
    save(figure, target, dots=100)


def draw_guarantee(region: PrivacyRegion, lines: Sequence[tuple[float, float, str]], path: str | Path) -> None:
    """One region, with (height, slope, words) of the lines that bound it, drawn in full."""
    target, figure = _opened(path, (4.6, 4.6))
    axes = figure.subplots()
    _boundary(axes, region, "", ACCENTS[0])
    for height, slope, words in lines:
        axes.plot([0, height / slope], [height, 0], linestyle=":", color="#4a5568", linewidth=1)
        at = height / slope * (0.28 if slope > 1 else 0.62)
        axes.annotate(words, (at, height - slope * at), xytext=(6, 6), textcoords="offset points", fontsize=9)
    _square(axes)
    save(figure, target, dots=100)


def draw_growth(panels: Mapping[str, Mapping[str, PrivacyRegion]], path: str | Path) -> None:
    """Regions side by side, one panel each, the innermost drawn darkest."""
    target, figure = _opened(path, (4.4 * len(panels), 4.6))
    for axes, (title, regions) in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels.items(), strict=True):
        for (name, region), colour in zip(regions.items(), _colours(len(regions)), strict=True):
            _boundary(axes, region, name, colour)
        _square(axes)
        axes.set_title(title, fontsize=10, loc="left")
    save(figure, target, dots=100)


def draw_tangents(
    compared: Mapping[str, PrivacyRegion],
    region: PrivacyRegion,
    tangents: Sequence[tuple[float, float, str]],
    path: str | Path,
) -> None:
    """Left: what different theorems leave. Right: one region, and (height, slope, words) of lines touching it."""
    target, figure = _opened(path, (9.0, 4.6))
    left, right = figure.subplots(1, 2)
    for (name, one), colour in zip(compared.items(), ACCENTS, strict=False):
        _boundary(left, one, name, colour)
    _square(left)
    _boundary(right, region, "", ACCENTS[0])
    for height, slope, words in tangents:
        right.plot([0, height / slope], [height, 0], linestyle=":", color="#4a5568", linewidth=1)
        at = 0.94 * height / slope
        right.annotate(words, (at, height - slope * at), xytext=(5, 3), textcoords="offset points", fontsize=8)
    _square(right)
    save(figure, target, dots=100)


def _opened(path: str | Path, size: tuple[float, float]) -> "tuple[Path, Figure]":
    target = checked(Path(path))
    if not target.parent.is_dir():
        raise BadValue(f"There is no folder '{target.parent}' for the figure. Make it first.")
    return target, new_figure(*size)


def _colours(count: int) -> Sequence[str]:
    return [SHADES[i % len(SHADES)] for i in range(count)] if count > 1 else ACCENTS[:1]


def _boundary(axes: "Axes", region: PrivacyRegion, name: str, colour: str) -> None:
    xs = [float(x) for x, _ in region.corners]
    ys = [float(y) for _, y in region.corners]
    axes.fill_between([*xs, 1.0], [*ys, 0.0], [1 - x for x in xs] + [0.0], color=colour, alpha=0.10, linewidth=0)
    axes.plot(xs, ys, color=colour, linewidth=1.7, label=name or None)


def _square(axes: "Axes") -> None:
    axes.plot([0, 1], [1, 0], color="#a0aec0", linewidth=0.8)
    axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="false alarm", ylabel="missed detection", aspect="equal")
    if axes.get_legend_handles_labels()[0]:
        axes.legend(frameon=False, fontsize=9, loc="upper right")
    _plain(axes)


def _plain(axes: "Axes") -> None:
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
