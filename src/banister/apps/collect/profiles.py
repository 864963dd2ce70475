"""Numbers over time on the dashboard: the mean at each time with its interval, and the peak."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from banister.apps.collect.book import ReportBook, Running
from banister.local.collect.series import NumberSeries, SeriesEstimate, estimate_series

_HIGH = 160


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileView:
    """A series of numbers: its picture, and what it says in words."""

    text: str
    words: str
    chart: Markup
    rows: Sequence[tuple[str, str]]


def profiles(store: ReportBook, running: Running) -> list[ProfileView]:
    """All series of a campaign that have reports at every time."""
    campaign, found = running.signed.campaign, []
    for series in campaign.series:
        places = range(series.first, series.first + series.times)
        counts = [store.total(running.number, place).counts for place in places]
        if not all(one.sum() for one in counts):
            continue
        channels = [campaign.questions[place].channel for place in places]
        told = estimate_series(series, channels, campaign.repetition, counts)
        text = campaign.questions[series.first].question
        text = text.removesuffix(f", {series.when(0)}") if series.times > 1 else text
        found.append(_view(series, told, text))
    return found


def _view(series: NumberSeries, told: SeriesEstimate, text: str) -> ProfileView:
    unit = f" {series.unit}" if series.unit else ""
    at, places = told.peak, told.peaks
    when = series.when(at)
    words = f"The mean is {told.mean[at]:.2f} ± {told.half[at]:.2f}{unit}."
    if series.times > 1:
        words = (
            f"The peak is {told.mean[at]:.2f} ± {told.half[at]:.2f}{unit} at {when}; by the intervals it is at one of "
            f"{len(places)} of {series.times} times. All intervals hold at once with 95 %, for the mean of the classes."
        )
    rows = [
        (series.when(place) or text, f"{told.mean[place]:.2f} ± {told.half[place]:.2f}")
        for place in range(series.times)
    ]
    return ProfileView(text=text, words=words, chart=_chart(series, told, words), rows=rows)


def _chart(series: NumberSeries, told: SeriesEstimate, words: str) -> Markup:
    """A bar for each interval and a mark for each mean; words are escaped, the rest is numbers."""
    # No mean lies outside of what the classes stand for, so no interval is drawn there.
    ends = series.middles[[0, -1]]
    lows, means, highs = (np.clip(told.mean + sign * told.half, *ends) for sign in (-1, 0, 1))
    low, high = min(float(lows.min()), 0.0), float(highs.max())
    scale = _HIGH / (high - low or 1.0)
    step = 100 / series.times
    parts = []
    for place, (least, mean, most) in enumerate(zip(lows, means, highs, strict=True)):
        left = step * place
        parts.append(
            f'<rect class="area" x="{left + step / 5:.2f}%" width="{step * 3 / 5:.2f}%" '
            f'y="{(high - most) * scale:.1f}" height="{(most - least) * scale:.1f}"/>'
            f'<rect class="now" x="{left + step / 5:.2f}%" width="{step * 3 / 5:.2f}%" '
            f'y="{(high - mean) * scale - 1:.1f}" height="3"/>'
        )
    times = [series.when(place) for place in sorted({0, series.times // 2, series.times - 1})]
    anchors = ("start", "middle", "end")[-len(times) :] if len(times) > 1 else ("start",)
    across = ["0%", "50%", "100%"][-len(times) :] if len(times) > 1 else ["0%"]
    below = Markup("").join(
        Markup('<text x="{}" y="{}" text-anchor="{}">{}</text>').format(end, _HIGH + 18, anchor, when)
        for end, anchor, when in zip(across, anchors, times, strict=True)
    )
    beside = Markup('<text x="0" y="12">{:.2g} {}</text><text x="0" y="{}">{:.2g} {}</text>').format(
        high, series.unit, _HIGH - 3, low, series.unit
    )
    return Markup('<svg class="chart" width="100%" height="{}" role="img" aria-label="{}">{}{}{}</svg>').format(
        _HIGH + 24, words, Markup("".join(parts)), beside, below
    )
