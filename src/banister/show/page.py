"""A self-contained HTML page: no script, no request to anywhere, charts as inline SVG."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from banister.files import whole_text

STYLE = """
:root { color-scheme: light dark; --ink: #1d2730; --soft: #64727d; --line: #d7dee3; --bar: #2f6f8f; --paper: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6ebee; --soft: #9aa8b2; --line: #37434c; --bar: #6fb3d2; --paper: #14191d; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 2rem auto;
  max-width: 60rem; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
.scroll { overflow-x: auto; margin: 1rem 0; } caption { text-align: left; font-weight: 600; padding: .3rem .6rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .3rem .6rem; border-bottom: 1px solid var(--line); }
th.label, td.label { text-align: left; } th { color: var(--soft); font-weight: 600; } small { color: var(--soft); }
li { margin: .15rem 0; }
pre { white-space: pre-wrap; background: color-mix(in srgb, var(--line) 35%, transparent); padding: .8rem; }
figure { margin: 1rem 0; } figcaption { color: var(--soft); font-size: .9rem; }
svg text { fill: var(--ink); font: 12px system-ui, sans-serif; } svg .soft { fill: var(--soft); }
svg .bar { fill: var(--bar); opacity: .35; } svg .dot { fill: var(--bar); } svg line { stroke: var(--line); }
svg .whisker { stroke: var(--bar); stroke-width: 3; stroke-linecap: round; }
"""

BARS = 40
"""Cells that a chart shows; the table below it shows more."""


@dataclass(frozen=True, slots=True)
class IntervalChart:
    """One answer over the cells: a dot for the value, a line for the interval."""

    title: str
    labels: Sequence[str]
    values: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]


@dataclass(frozen=True, slots=True)
class PageTable:
    """A table: header, rows, how many of its first columns are labels, and a line above it."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    labels: int
    caption: str = ""


@dataclass(frozen=True, slots=True)
class PageSection:
    """A heading with paragraphs, points under a sentence each, preformatted text, charts and tables, in this order."""

    heading: str
    paragraphs: Sequence[str] = ()
    code: str = ""
    charts: Sequence[IntervalChart] = ()
    grids: Sequence[PageTable] = ()
    points: Sequence[tuple[str, Sequence[str]]] = ()


def write_page(path: Path, title: str, sections: Sequence[PageSection]) -> Path:
    """Write the page, whole or not at all."""
    body = "".join(_section(section) for section in sections)
    text = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body><h1>{escape(title)}</h1>{body}</body></html>\n"
    )
    whole_text(path, text)
    return path


def _section(section: PageSection) -> str:
    parts = [f"<h2>{escape(section.heading)}</h2>" if section.heading else ""]
    parts += [f"<p>{escape(paragraph)}</p>" for paragraph in section.paragraphs]
    parts += [_points(lead, items) for lead, items in section.points]
    parts += [f"<pre>{escape(section.code)}</pre>"] if section.code else []
    parts += [_chart(chart) for chart in section.charts]
    parts += [_grid(grid) for grid in section.grids]
    return "".join(parts)


def _points(lead: str, items: Sequence[str]) -> str:
    listed = "".join(f"<li>{escape(item)}</li>" for item in items)
    return f"<p>{escape(lead)}</p>" + (f"<ul>{listed}</ul>" if listed else "")


def _grid(grid: PageTable) -> str:
    def row(cells: Sequence[str], tag: str) -> str:
        marked = (
            f"<{tag}{' class=label' if place < grid.labels else ''}>{escape(cell)}</{tag}>"
            for place, cell in enumerate(cells)
        )
        return f"<tr>{''.join(marked)}</tr>"

    rows = "".join(row(cells, "td") for cells in grid.rows)
    caption = f"<caption>{escape(grid.caption)}</caption>" if grid.caption else ""
    return (
        f"<div class=scroll><table>{caption}<thead>{row(grid.header, 'th')}</thead><tbody>{rows}</tbody></table></div>"
    )


def _tick(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _chart(chart: IntervalChart) -> str:
    shown = min(len(chart.values), BARS)
    if shown == 0:
        return ""
    low = min(0.0, *chart.low[:shown])
    high = max(0.0, *chart.high[:shown])
    left, width, step = 190, 640, 26
    unit = width / ((high - low) or 1.0)

    def x(value: float) -> float:
        return left + (value - low) * unit

    height = shown * step + 28
    parts = [f'<line x1="{x(0):.1f}" y1="0" x2="{x(0):.1f}" y2="{height - 24}"/>']
    for place in range(shown):
        y = place * step + 14
        value = chart.values[place]
        start, end = sorted((x(0), x(value)))
        parts.append(f'<text x="{left - 10}" y="{y + 4}" text-anchor="end">{escape(chart.labels[place][:28])}</text>')
        parts.append(f'<rect class="bar" x="{start:.1f}" y="{y - 8}" width="{max(end - start, 0.5):.1f}" height="16"/>')
        parts.append(
            f'<line class="whisker" x1="{x(chart.low[place]):.1f}" y1="{y}" x2="{x(chart.high[place]):.1f}" y2="{y}"/>'
        )
        parts.append(f'<circle class="dot" cx="{x(value):.1f}" cy="{y}" r="4.5"/>')
    for value, anchor in ((low, "start"), (high, "end")):
        parts.append(
            f'<text class="soft" x="{x(value):.1f}" y="{height - 6}" text-anchor="{anchor}">{_tick(value)}</text>'
        )
    more = f" The first {shown} of {len(chart.values)} cells." if shown < len(chart.values) else ""
    return (
        f'<figure><svg viewBox="0 0 {left + width + 20} {height}" role="img" aria-label="{escape(chart.title)}">'
        f"{''.join(parts)}</svg><figcaption>{escape(chart.title)}.{more}</figcaption></figure>"
    )
