"""What a private table must suffer, drawn: the limit of the distortion for small and large tables."""

import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from banister.core.laws.histograms import high_privacy_distortion, limit_distortion
from banister.show.canvas import COLOURS, INK, new_figure, save, tidy
from banister.show.panels import name_ends

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_distortion(path: Path, *, caption: str = "") -> None:
    """Figures 4 to 7 of [PKS20] in one picture, with the formulas corrected (docs/math/sanitize.md)."""
    figure = new_figure(10.4, 7.2)
    axes = figure.subplots(2, 2)
    _curves(axes[0, 0], (2, 3, 5, 10), np.linspace(0.005, 0.9, 180), leading=True)
    axes[0, 0].set_title("few cells; dotted: the term 2θ(K−1)/(1−θ) alone", fontsize=10)
    _curves(axes[0, 1], (25, 50, 75), np.linspace(0.005, 0.9, 180), leading=False)
    axes[0, 1].set_title("more cells", fontsize=10)
    _curves(axes[1, 0], (75,), np.linspace(0.005, 0.97, 220), leading=False)
    axes[1, 0].set_yscale("log")
    axes[1, 0].set_title("75 cells, on a logarithmic scale", fontsize=10)
    _curves(axes[1, 1], (50, 75, 100), np.linspace(0.8, 0.99, 160), leading=False)
    grid = np.linspace(0.8, 0.99, 160)
    for cells in (75, 100):
        line = [high_privacy_distortion(cells, -math.log(theta)) for theta in grid]
        axes[1, 1].plot(grid, line, ":", color=INK, linewidth=1.2)
    axes[1, 1].set_title("much privacy; dotted: 2(K−1)/epsilon", fontsize=10)
    for one in axes.ravel():
        one.set_xlabel("θ = e^−epsilon")
        one.set_ylabel("expected L1 error")
        tidy(one)
    for one, shown in zip(axes.ravel(), ((2, 3, 5, 10), (25, 50, 75), (75,), (50, 75, 100)), strict=True):
        solid = [line for line in one.lines if line.get_linestyle() == "-"]
        ends = [(line.get_xdata(), line.get_ydata(), str(line.get_color())) for line in solid]
        name_ends(one, [(f"K = {count}", x, y, c) for count, (x, y, c) in zip(shown, ends, strict=True)])
    save(figure, path, title="What a private table must suffer", caption=caption)


def _curves(
    axes: "Axes", cells: tuple[int, ...], grid: "np.ndarray[tuple[int], np.dtype[np.float64]]", *, leading: bool
) -> None:
    for place, count in enumerate(cells):
        values = [limit_distortion(count, -math.log(theta)) for theta in grid]
        axes.plot(grid, values, color=COLOURS[place])
        if leading:
            axes.plot(grid, 2 * grid * (count - 1) / (1 - grid), ":", color=COLOURS[place])
