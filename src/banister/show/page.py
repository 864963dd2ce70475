"""The one engine of self-contained HTML pages: one skeleton, one style, no request to anywhere.

A page is a title and blocks; whatever has `html()` is a block. Charts are in `charts.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from banister.files import Access, whole_text
from banister.show.plain import for_page as escape

STYLE = """
:root { color-scheme: light dark; --ink: #1d2730; --soft: #5d6b76; --line: #d7dee3; --bar: #2f6f8f; --paper: #fff;
  --before: #9db2c7; --bad: #b3452c; }
@media screen and (prefers-color-scheme: dark) {
  :root { --ink: #e6ebee; --soft: #9aa8b2; --line: #37434c; --bar: #6fb3d2; --paper: #14191d; --before: #5c7186;
    --bad: #e58a70; } }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 2rem auto;
  max-width: 60rem; padding: 0 1rem; overflow-wrap: break-word; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; } h3 { font-size: 1rem; margin: 0 0 .4rem; }
.soft, small { color: var(--soft); }
.notice { border: 2px solid var(--bad); border-radius: .5rem; padding: .7rem 1rem; } .notice b { color: var(--bad); }
.scroll { overflow-x: auto; margin: 1rem 0; } caption { text-align: left; font-weight: 600; padding: .3rem .6rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .3rem .6rem; border-bottom: 1px solid var(--line); }
th.label, td.label { text-align: left; } th { color: var(--soft); font-weight: 600; }
td.share { width: 30%; } td.share svg { display: block; } td.share rect { fill: var(--bar); }
li { margin: .15rem 0; }
pre { white-space: pre-wrap; background: color-mix(in srgb, var(--line) 35%, transparent); padding: .8rem; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(25rem, 100%), 1fr)); gap: 1.2rem; }
.card { border: 1px solid var(--line); border-radius: .5rem; padding: 1rem; }
.key svg { width: .8rem; height: .8rem; border-radius: .15rem; margin: 0 .3rem 0 1rem; vertical-align: -.1em; }
figure { margin: 1rem 0; } figcaption { color: var(--soft); font-size: .9rem; }
svg { max-width: 100%; } svg[viewBox] { height: auto; }
.chart text { fill: var(--ink); font: 12px system-ui, sans-serif; } .chart .soft { fill: var(--soft); }
.chart .bar { fill: var(--bar); opacity: .35; } .chart .dot, .chart .after { fill: var(--bar); }
.chart .before { fill: var(--before); } .chart line { stroke: var(--line); }
.chart .whisker { stroke: var(--bar); stroke-width: 3; stroke-linecap: round; }
.chart .range { stroke: var(--ink); }
"""


class Block(Protocol):
    """A piece of a page."""

    def html(self) -> str:
        """The piece, every text in it escaped."""
        ...


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of the second level."""

    text: str

    def html(self) -> str:
        return f"<h2>{escape(self.text)}</h2>"


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Some sentences; soft ones stand back."""

    text: str
    soft: bool = False

    def html(self) -> str:
        return f"<p{' class=soft' if self.soft else ''}>{escape(self.text)}</p>"


@dataclass(frozen=True, slots=True)
class Notice:
    """Sentences that nobody may miss, the first of them in bold."""

    lead: str
    text: str

    def html(self) -> str:
        return f"<p class=notice><b>{escape(self.lead)}</b> {escape(self.text)}</p>"


@dataclass(frozen=True, slots=True)
class Points:
    """Points under a sentence."""

    lead: str
    items: Sequence[str]

    def html(self) -> str:
        listed = "".join(f"<li>{escape(item)}</li>" for item in self.items)
        return f"<p>{escape(self.lead)}</p>" + (f"<ul>{listed}</ul>" if listed else "")


@dataclass(frozen=True, slots=True)
class Code:
    """Text as it is written."""

    text: str

    def html(self) -> str:
        return f"<pre>{escape(self.text)}</pre>"


@dataclass(frozen=True, slots=True)
class PageTable:
    """A table: header (or none), rows, how many of its first columns are labels, and a line above it.

    `shares` from 0 to 1, one for each row, are drawn as bars at the end of the rows.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    labels: int
    caption: str = ""
    shares: Sequence[float] = ()

    def html(self) -> str:
        # Lengths and colours are attributes of SVG: the policy of served pages lets no inline style in.
        bars = [
            f'<td class=share><svg width="100%" height="10" aria-hidden="true"><rect width="{100 * min(x, 1.0):.1f}%" '
            'height="10"/></svg></td>'
            for x in self.shares
        ]
        places = zip(self.rows, bars or [""] * len(self.rows), strict=True)
        rows = "".join(f"<tr>{self._cells(cells, 'td')}{bar}</tr>" for cells, bar in places)
        head = f"<tr>{self._cells(self.header, 'th')}{'<td></td>' if bars else ''}</tr>" if self.header else ""
        caption = f"<caption>{escape(self.caption)}</caption>" if self.caption else ""
        body = f"{caption}{f'<thead>{head}</thead>' if head else ''}<tbody>{rows}</tbody>"
        # Who has no mouse must be able to move a table that is wider than the window.
        first = ", ".join(str(row[0]) for row in self.rows[:3])  # No two regions of a page may be called alike.
        name = escape(self.caption or ", ".join(self.header) or first or "Table")
        return f'<div class=scroll tabindex=0 role=region aria-label="{name}"><table>{body}</table></div>'

    def _cells(self, cells: Sequence[str], tag: str) -> str:
        # An empty header heads nothing, and is read out as one all the same: it is a cell.
        return "".join(
            f"<{shown}{' class=label' if place < self.labels else ''}>{escape(cell)}</{shown}>"
            for place, cell in enumerate(cells)
            for shown in [tag if cell else "td"]
        )


@dataclass(frozen=True, slots=True)
class Legend:
    """What colours mean: a sentence, then (colour, words); a colour is one of the style's names or a code."""

    lead: str
    items: Sequence[tuple[str, str]]

    def html(self) -> str:
        shown = "".join(
            '<svg aria-hidden="true"><rect width="100%" height="100%" '
            f'fill="{escape(f"var({colour})" if colour.startswith("--") else colour)}"/></svg>'
            f"{escape(words)}"
            for colour, words in self.items
        )
        return f'<p class="key soft">{escape(self.lead)}{shown}</p>'


@dataclass(frozen=True, slots=True)
class Card:
    """A block in a frame, under a title and a note."""

    title: str
    note: str
    inner: Block

    def html(self) -> str:
        title = f"{escape(self.title)} <span class=soft>{escape(self.note)}</span>"
        return f"<div class=card><h3>{title}</h3>{self.inner.html()}</div>"


@dataclass(frozen=True, slots=True)
class Cards:
    """Cards side by side, as many as there is room for."""

    cards: Sequence[Card]

    def html(self) -> str:
        return f"<div class=cards>{''.join(card.html() for card in self.cards)}</div>"


@dataclass(frozen=True, slots=True)
class Stacked:
    """Blocks one below the other, where one is expected."""

    blocks: Sequence[Block]

    def html(self) -> str:
        return "".join(block.html() for block in self.blocks)


@dataclass(frozen=True, slots=True)
class Drawing:
    """A drawing of our own making, which goes into the page as it is: no text of others may be in it unescaped."""

    markup: str

    def html(self) -> str:
        return f"<figure>{self.markup}</figure>"


@dataclass(frozen=True, slots=True)
class Chapter:
    """A heading with paragraphs, points under a sentence each, preformatted text, charts and tables, in this order."""

    heading: str
    paragraphs: Sequence[str] = ()
    code: str = ""
    charts: Sequence[Block] = ()
    grids: Sequence[PageTable] = ()
    points: Sequence[tuple[str, Sequence[str]]] = ()

    def html(self) -> str:
        blocks: list[Block] = [Heading(self.heading)] if self.heading else []
        blocks += [Paragraph(text) for text in self.paragraphs]
        blocks += [Points(lead, items) for lead, items in self.points]
        blocks += [Code(self.code)] if self.code else []
        return "".join(block.html() for block in (*blocks, *self.charts, *self.grids))


def page_text(title: str, blocks: Sequence[Block], *, style: str = "", script: str = "") -> str:
    """The whole page. `style` and `script` are the page's own, for what moves; the policy lets nothing else in."""
    scripts = "; script-src 'unsafe-inline'" if script else ""
    policy = f"default-src 'none'; style-src 'unsafe-inline'; img-src data:{scripts}"
    code = f"<script>{script}</script>" if script else ""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f"<title>{escape(title)}</title><style>{STYLE}{style}</style></head>"
        f"<body><h1>{escape(title)}</h1>\n{''.join(block.html() for block in blocks)}{code}</body></html>\n"
    )


def write_page(path: Path, title: str, blocks: Sequence[Block], *, access: Access = Access.USUAL) -> Path:
    """Write the page, whole or not at all."""
    whole_text(path, page_text(title, blocks), access=access)
    return path
