"""Charts for pages, as inline SVG that follows the page's style."""

from collections.abc import Sequence
from dataclasses import dataclass

from banister.core.exact.written import apart
from banister.show.plain import for_page as escape

BARS = 40
"""Cells that a chart of intervals shows; the table below it shows more."""
NEAR = 20
"""Two marks of an axis that are not so many percent of it apart are in each other's way on a phone."""
PAIRS = 24
"""Groups that a chart of pairs shows."""


@dataclass(frozen=True, slots=True)
class IntervalChart:
    """One answer over the cells: a dot for the value, a line for the interval; a bar from 0 where it adds up."""

    title: str
    labels: Sequence[str]
    values: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]
    bars: bool = True
    """Without bars the axis begins where the intervals do: 0 is then a number like any other."""

    def html(self) -> str:
        """Places are in percent and letters in pixels, so that labels stay readable on a phone."""
        shown = min(len(self.values), BARS)
        if shown == 0:
            return ""
        low, high = min(self.low[:shown]), max(self.high[:shown])
        if self.bars:
            low, high = min(0.0, low), max(0.0, high)
        zero = min(max(0.0, low), high)
        unit = 98 / ((high - low) or 1.0)

        def x(value: float) -> float:
            return 1 + (value - low) * unit

        step, bottom = 44, shown * 44 + 4
        parts = [f'<line x1="{x(zero):.2f}%" y1="0" x2="{x(zero):.2f}%" y2="{bottom}"/>']
        for place in range(shown):
            y, value = place * step + 30, self.values[place]
            start, end = sorted((x(zero), x(value)))
            first, last = x(self.low[place]), x(self.high[place])
            interval = f"{_tick(value)} [{_tick(self.low[place])}, {_tick(self.high[place])}]"
            parts += [
                f'<text x="0" y="{y - 14}">{escape(self.labels[place][:28])}</text>',
                f'<text x="100%" y="{y - 14}" text-anchor="end">{interval}</text>',
                f'<rect class="bar" x="{start:.2f}%" y="{y - 7}" width="{max(end - start, 0.1):.2f}%" height="14"/>'
                if self.bars
                else "",
                f'<line class="whisker" x1="{first:.2f}%" y1="{y}" x2="{last:.2f}%" y2="{y}"/>',
                f'<circle class="dot" cx="{x(value):.2f}%" cy="{y}" r="4.5"/>',
            ]
        far = [value for value in (low, high) if abs(x(value) - x(zero)) > NEAR]  # Others would be written over it.
        ends = [
            (zero, "start" if x(zero) < 50 else "end"),
            *((value, "start" if value < zero else "end") for value in far),
        ]
        parts += [
            f'<text class="soft" x="{x(value):.2f}%" y="{bottom + 14}" text-anchor="{anchor}">{_tick(value)}</text>'
            for value, anchor in ends
        ]
        more = f" The first {shown} of {len(self.values)} cells." if shown < len(self.values) else ""
        drawn = (
            f'<svg class="chart" width="100%" height="{bottom + 20}" role="img" aria-label="{escape(self.title)}">'
            f"{''.join(parts)}</svg>"
        )
        return f"<figure>{drawn}<figcaption>{escape(self.title)}.{more}</figcaption></figure>"


@dataclass(frozen=True, slots=True)
class PairedBars:
    """Two bars per group, before and after, and around the second the range that noise alone gives it."""

    title: str
    labels: Sequence[str]
    before: Sequence[int]
    after: Sequence[int]
    margin: float

    def html(self) -> str:
        order = sorted(range(len(self.before)), key=lambda i: -max(self.before[i], self.after[i]))
        shown = sorted(order[:PAIRS])
        most = max((max(self.before[i], self.after[i] + self.margin) for i in shown), default=1) or 1
        step = 48
        parts = [part for row, i in enumerate(shown) for part in self._pair(i, row * step + 4, 99 / most)]
        more = len(self.before) - len(shown)
        note = f"<p class=soft>and {more} smaller groups</p>" if more else ""
        return _svg(len(shown) * step + 4, parts, self.title) + note

    def _pair(self, i: int, y: int, scale: float) -> list[str]:
        before, after = self.before[i], self.after[i]
        label = self.labels[i] if len(self.labels[i]) <= 28 else f"{self.labels[i][:27]}…"
        low, high = max(after - self.margin, 0) * scale, (after + self.margin) * scale
        ends = ((low, y + 32, high, y + 32), (low, y + 28, low, y + 36), (high, y + 28, high, y + 36))
        return [
            _text("0", y + 12, label),
            _text("100%", y + 12, apart(after), anchor="end"),
            f'<rect class="before" x="0" y="{y + 17}" width="{before * scale:.2f}%" height="10"/>',
            f'<rect class="after" x="0" y="{y + 28}" width="{after * scale:.2f}%" height="10"/>',
            *(f'<line class="range" x1="{a:.2f}%" y1="{b}" x2="{c:.2f}%" y2="{d}"/>' for a, b, c, d in ends),
        ]


@dataclass(frozen=True, slots=True)
class SmallBars:
    """A small picture of a histogram: bars side by side, the first and the last named, every bar told by its title."""

    title: str
    labels: Sequence[str]
    heights: Sequence[float]

    def html(self) -> str:
        most, count = max(self.heights, default=0) or 1, max(len(self.heights), 1)
        wide = 100 / count
        bars = [
            f'<rect class="after" x="{place * wide:.2f}%" y="{70 - 66 * height / most:.1f}" width="{0.8 * wide:.2f}%" '
            f'height="{66 * height / most:.1f}"><title>{escape(label)}: {_tick(height)}</title></rect>'
            for place, (label, height) in enumerate(zip(self.labels, self.heights, strict=True))
        ]
        ends = [
            _text("0", 86, self.labels[0], kind="soft"),
            _text("100%", 86, self.labels[-1], anchor="end", kind="soft"),
        ]
        line = '<line x1="0" x2="100%" y1="70.5" y2="70.5"/>'
        return _svg(92, [line, *bars, *(ends if len(self.labels) > 1 else ends[:1])], self.title)


def _svg(height: int, parts: Sequence[str], title: str) -> str:
    """Places are in percent and letters in pixels, as in a chart of intervals."""
    return (
        f'<svg class="chart" width="100%" height="{height}" role="img" aria-label="{escape(title)}">'
        f"{''.join(parts)}</svg>"
    )


def _text(x: str, y: float, text: str, *, anchor: str = "start", kind: str = "") -> str:
    marked = f' class="{kind}"' if kind else ""
    return f'<text{marked} x="{x}" y="{y}" text-anchor="{anchor}">{escape(text)}</text>'


def _tick(value: float) -> str:
    return apart(value, ".0f") if abs(value) >= 1000 else f"{value:.4g}"
