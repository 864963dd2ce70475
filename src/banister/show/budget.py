"""The budget over time: how much of the allowance is used, and what still fits."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from banister.show.canvas import checked, new_figure, save, tidy


@dataclass(frozen=True, slots=True)
class BudgetMoment:
    """The state of a ledger just after a charge, or at its creation."""

    at: str
    used: float
    largest_epsilon: float


def draw_budget(moments: Sequence[BudgetMoment], path: Path, *, title: str) -> None:
    """Two steps over time, one above the other, as an SVG, PNG, PDF or HTML file by its ending."""
    checked(path)
    figure = new_figure(7.2, 4.6)
    from matplotlib import dates

    upper, lower = figure.subplots(2, 1, sharex=True)
    times = [datetime.fromisoformat(moment.at) for moment in moments]
    used = [100 * moment.used for moment in moments]
    upper.fill_between(times, used, step="post", color="#2b6cb0", alpha=0.18, linewidth=0)
    upper.step(times, used, where="post", color="#2b6cb0", linewidth=1.6)
    upper.axhline(100, color="#9b2c2c", linewidth=1, linestyle="--")
    upper.set_ylim(0, 108)
    upper.set_ylabel("allowance used (%)")
    upper.set_title(title, loc="left", fontsize=11)
    left = [moment.largest_epsilon for moment in moments]
    lower.step(times, left, where="post", color="#2f855a", linewidth=1.6)
    lower.set_ylim(bottom=0)
    lower.set_ylabel("largest epsilon\nthat still fits")
    lower.set_xlabel("time (UTC)")
    locator = dates.AutoDateLocator()  # type: ignore[no-untyped-call]
    lower.xaxis.set_major_locator(locator)
    lower.xaxis.set_major_formatter(dates.ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]
    tidy(upper)
    tidy(lower)
    save(figure, path, title=title, dots=100)
