"""The budget over time: how much of the allowance is used, and what still fits."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from banister.show.canvas import COLOURS, checked, new_figure, save, tidy

LEAST_SPAN = timedelta(minutes=1)
"""What the axis of time covers at least, so that its marks are whole seconds."""


@dataclass(frozen=True, slots=True)
class BudgetMoment:
    """The state of a ledger just after a charge, or at its creation."""

    at: str
    used: float
    largest_epsilon: float


def draw_budget(moments: Sequence[BudgetMoment], path: Path, *, title: str, width_inches: float = 7.2) -> None:
    """Two steps over time, one above the other, as an SVG, PNG, PDF or HTML file by its ending."""
    checked(path)
    figure = new_figure(width_inches, 4.6)
    from matplotlib import dates

    upper, lower = figure.subplots(2, 1, sharex=True)
    times = [datetime.fromisoformat(moment.at) for moment in moments]
    span = max(times[-1] - times[0], LEAST_SPAN)
    used = [100 * moment.used for moment in moments]
    end = times[-1] + span / 12  # So the last step is seen to have a height.
    upper.fill_between([*times, end], [*used, used[-1]], step="post", color=COLOURS[0], alpha=0.18, linewidth=0)
    upper.step(times, used, where="post", color=COLOURS[0], linewidth=1.6)
    upper.axhline(100, color=COLOURS[7], linewidth=1, linestyle="--")
    upper.set_ylim(0, 108)
    upper.set_ylabel("allowance used (%)")
    upper.set_title(textwrap.fill(title, int(9.5 * width_inches)), loc="left", fontsize=11)
    left = [moment.largest_epsilon for moment in moments]
    lower.step(times, left, where="post", color=COLOURS[2], linewidth=1.6)
    lower.set_ylim(bottom=0)
    lower.set_ylabel("largest epsilon\nthat still fits")
    lower.set_xlabel(f"time (UTC), until {times[-1]:%Y-%m-%d}")
    lower.set_xlim(times[-1] - span, end)
    upper.axhline(used[-1], xmin=12 / 13, color=COLOURS[0], linewidth=1.6)
    lower.axhline(left[-1], xmin=12 / 13, color=COLOURS[2], linewidth=1.6)
    locator = dates.AutoDateLocator(minticks=2, maxticks=max(4, int(width_inches)))  # type: ignore[no-untyped-call]
    locator.intervald[dates.MONTHLY] = [1, 2, 3, 4, 6, 12]
    lower.xaxis.set_major_locator(locator)
    lower.xaxis.set_major_formatter(dates.DateFormatter(_marks(span)))  # type: ignore[no-untyped-call]
    tidy(upper)
    tidy(lower)
    save(figure, path, title=title, dots=100)


def _marks(span: timedelta) -> str:
    """How moments of such a span are written: each mark says by itself what it is, and no two say the same."""
    steps = (
        (timedelta(minutes=12), "%H:%M:%S"),
        (timedelta(hours=20), "%H:%M"),
        (timedelta(days=5), "%H:%M\n%d %b"),
        (timedelta(days=200), "%d %b"),
    )
    return next((text for longest, text in steps if span <= longest), "%b %Y")
