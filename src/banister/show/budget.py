"""The budget over time: how much of the allowance is used, and what still fits."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from banister.errors import BadValue, MissingExtra

FORMATS = (".svg", ".png", ".pdf")


@dataclass(frozen=True, slots=True)
class BudgetMoment:
    """The state of a ledger just after a charge, or at its creation."""

    at: str
    used: float
    largest_epsilon: float


def draw_budget(moments: Sequence[BudgetMoment], path: Path, *, title: str) -> None:
    """Two steps over time, one above the other, as an SVG, PNG or PDF file by its ending."""
    if path.suffix not in FORMATS:
        raise BadValue(f"The figure '{path.name}' must end in one of: {', '.join(FORMATS)}.")
    try:
        from matplotlib import dates, rc_context
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtra.naming("matplotlib", "plot") from error
    figure = Figure(figsize=(7.2, 4.6), layout="constrained")
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
    for axes in (upper, lower):
        axes.grid(alpha=0.25, linewidth=0.6)
        axes.spines[["top", "right"]].set_visible(False)
    with rc_context({"svg.hashsalt": "banister"}):
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)  # The same file every time.
