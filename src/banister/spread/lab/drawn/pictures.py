"""Figures of message spreading, drawn with matplotlib."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from banister.errors import BadValue
from banister.show.canvas import COLOURS, SOFT, checked, new_figure, save, tidy
from banister.show.panels import name_ends
from banister.spread.lab.drawn.movie import MOST, Movie, layout
from banister.spread.lab.study import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

DASHES = ("--", ":", "-.")
MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")


@dataclass(frozen=True, slots=True)
class Series:
    """One line of a chart; low and high are the ends of intervals, or empty. A dashed line is theory."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()
    dashed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One set of axes."""

    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    x_scale: str = "linear"
    y_scale: str = "linear"
    y_floor: float | None = None
    x_ticks: tuple[int, ...] = ()


def draw_charts(charts: Sequence[Panel], path: Path, *, caption: str = "") -> None:
    """Charts side by side in one file: SVG, PNG, PDF or HTML by its ending."""
    checked(path)
    figure = new_figure(6.4 * len(charts) + 0.4, 4.0)
    for axes, chart in zip(figure.subplots(1, len(charts), squeeze=False)[0], charts, strict=True):
        _draw(axes, chart)
    save(figure, path, caption=caption, dots=130)


def _draw(axes: "Axes", chart: Panel) -> None:
    colours = [SOFT if line.dashed else COLOURS[place % len(COLOURS)] for place, line in enumerate(chart.series)]
    for place, (line, colour) in enumerate(zip(chart.series, colours, strict=True)):
        if line.dashed:  # Several lines of theory in one chart differ by their dashes.
            style = DASHES[sum(other.dashed for other in chart.series[:place]) % len(DASHES)]
            axes.plot(line.x, line.y, linestyle=style, linewidth=1.2, color=colour, label=line.label)
            continue
        mark = MARKS[place % len(MARKS)] if len(line.x) <= 40 else ""
        axes.plot(line.x, line.y, marker=mark, markersize=5, linewidth=1.5, color=colour, label=line.label)
        if line.low:
            axes.fill_between(line.x, line.low, line.high, color=colour, alpha=0.15, linewidth=0)
    axes.set_xscale(chart.x_scale)
    axes.set_yscale(chart.y_scale)
    for axis, scale in ((axes.xaxis, chart.x_scale), (axes.yaxis, chart.y_scale)):
        if scale == "log":
            _plain_ticks(axis)
    if chart.x_ticks:
        axes.set_xticks(chart.x_ticks, labels=[str(tick) for tick in chart.x_ticks])
        axes.minorticks_off()
    if chart.y_floor is not None:
        axes.set_ylim(bottom=chart.y_floor)
    axes.set_title(chart.title, loc="left", fontsize=10.5)
    axes.set_xlabel(chart.x_label)
    axes.set_ylabel(chart.y_label)
    tidy(axes)
    name_ends(axes, [(line.label, line.x, line.y, colour) for line, colour in zip(chart.series, colours, strict=True)])


def _plain_ticks(axis: "Axis") -> None:
    """Numbers as people write them, 20 and 0.05 rather than powers of ten, and no more than fit."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    low, high = axis.get_view_interval()
    wide = axis is axis.axes.xaxis and high > 300 * max(low, 1e-300)  # Numbers beside each other need more room.
    axis.set_major_locator(LogLocator(subs=(1,) if wide else (1, 2, 5), numticks=9))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}" if value >= 1 else f"{value:g}"))


def draw_detection(rows: Sequence[Row], path: Path) -> None:
    """Detection over the number of holders, for each protocol and adversary, with 1/holders as a guide."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.protocol, row.adversary), []).append(row)
    series = []
    for (protocol, adversary), members in groups.items():
        members.sort(key=lambda row: row.holders)
        series.append(
            Series(
                f"{protocol}, {adversary}",
                [row.holders for row in members],
                [max(row.detection.mean, 1e-6) for row in members],
                [max(row.detection.low, 1e-6) for row in members],
                [row.detection.high for row in members],
            )
        )
    sizes = sorted(row.holders for row in rows)
    guide = [sizes[0] * (sizes[-1] / sizes[0]) ** (k / 20) for k in range(21)] if sizes[-1] > sizes[0] else sizes
    series.append(Series("1/holders", guide, [1 / size for size in guide], dashed=True))
    lowest = min(min((row.detection.mean for row in rows if row.detection.mean > 0), default=0.01), 1 / sizes[-1])
    chart = Panel(
        title="How often the best guess is right",
        x_label="holders",
        y_label="detection",
        series=tuple(series),
        x_scale="log",
        y_scale="log",
        y_floor=10 ** math.floor(math.log10(lowest)),
    )
    draw_charts([chart], path)


def draw_frame(movie: Movie, path: Path) -> None:
    """The last frame of a movie: who told whom, the author, the virtual source, and whom the adversary suspects."""
    checked(path)
    if len(movie.nodes) > MOST:
        raise BadValue(f"{len(movie.nodes):,} holders are too many to draw; {MOST:,} at most. Take fewer steps.")
    places, last = layout(movie), movie.frames[-1]
    figure = new_figure(6.0, 6.6)
    from matplotlib.colors import to_rgb

    axes = figure.subplots()
    for node, parent in zip(movie.nodes, movie.parents, strict=True):
        if parent >= 0:
            axes.plot(*zip(places[node], places[parent], strict=True), color=SOFT, linewidth=0.6, alpha=0.6, zorder=1)
    most = max(last.belief.values(), default=1.0)
    size = 16 if len(movie.nodes) > 600 else 36 if len(movie.nodes) > 150 else 70
    suspected = [node for node in movie.nodes if last.belief.get(node)]
    others = [node for node in movie.nodes if not last.belief.get(node)]
    shares = [0.15 + 0.85 * last.belief[node] / most for node in suspected]
    groups: list[tuple[str, list[int], str, float, list[float]]] = [
        ("holds it", others, SOFT, size, [0.35] * len(others)),
        ("suspected, the stronger the colour the more", suspected, COLOURS[1], size, shares),
        ("author", [movie.author], COLOURS[2], size / 3, [1.0]),
    ]
    for place, (name, nodes, colour, area, strength) in enumerate(groups):
        xs, ys = [places[node][0] for node in nodes], [places[node][1] for node in nodes]
        shades = [(*to_rgb(colour), each) for each in strength]
        axes.scatter(xs, ys, s=area, color=shades, linewidths=0, zorder=2 + place)
        axes.plot([], [], "o", color=colour, label=name)
    if last.source >= 0:
        x, y = places[last.source]
        axes.scatter([x], [y], s=size, facecolors="none", edgecolors=COLOURS[0], linewidths=2, zorder=6)
        axes.plot([], [], "o", color=COLOURS[0], fillstyle="none", label="virtual source")
    axes.set_aspect("equal")
    axes.axis("off")
    axes.set_title(movie.title, loc="left", fontsize=10.5)
    axes.legend(frameon=False, fontsize=9, loc="upper center", bbox_to_anchor=(0.5, 0), ncols=2)
    chance = "not known at this step" if math.isnan(last.detection) else f"{100 * last.detection:.1f} %"
    words = f"Step {last.step}: {len(movie.nodes):,} holders. Chance that the best guess is right: {chance}."
    save(figure, path, title=movie.title, caption=words)
