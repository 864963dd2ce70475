"""A chart of intervals as a file: what `charts.IntervalChart` shows inside a page, drawn as a picture by itself."""

import textwrap
from pathlib import Path

from banister.show.canvas import COLOURS, SOFT, checked, new_figure, save, tidy
from banister.show.charts import BARS, IntervalChart

WIDE = 7.0


def draw_intervals(chart: IntervalChart, path: Path) -> None:
    """A dot for each answer, a whisker for its interval, and a bar from 0 where it adds up, as in the page."""
    checked(path)
    shown = min(len(chart.values), BARS)
    figure = new_figure(WIDE, max(1.6, 0.3 * shown + 1.2))
    axes = figure.subplots()
    places = range(shown)
    low, high = list(chart.low[:shown]), list(chart.high[:shown])
    if chart.bars:
        axes.barh(places, list(chart.values[:shown]), height=0.5, color=COLOURS[0], alpha=0.3)
        axes.axvline(0, color=SOFT, linewidth=0.9)
    axes.hlines(places, low, high, color=COLOURS[0], linewidth=2.2)
    axes.plot(list(chart.values[:shown]), places, "o", color=COLOURS[0], markersize=5)
    axes.set_yticks(places, [textwrap.shorten(label, 28, placeholder="…") for label in chart.labels[:shown]])
    axes.set_ylim(shown - 0.4, -0.6)
    axes.set_title(chart.title, loc="left", fontsize=10.5)
    tidy(axes)
    axes.grid(visible=False, axis="y")
    more = f"The first {shown} of {len(chart.values)} cells." if shown < len(chart.values) else ""
    save(figure, path, title=chart.title, caption=more)
