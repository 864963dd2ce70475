"""All figures of the five documents: by name, by number, or all at once with a page that shows them."""

import base64
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from banister.errors import BadValue
from banister.files import folder
from banister.papers import channels, composition, noise, spreading, tables
from banister.papers.entry import Effort as Effort
from banister.papers.entry import PaperFigure
from banister.show.canvas import FORMATS
from banister.show.page import Block, Paragraph, write_page

ALL: tuple[PaperFigure, ...] = (
    *noise.FIGURES,
    *composition.FIGURES,
    *channels.FIGURES,
    *spreading.FIGURES,
    *tables.FIGURES,
)
GROUPS = {
    "noise": noise.FIGURES,
    "account": composition.FIGURES,
    "local": tuple(each for each in channels.FIGURES if each.name != "two-parties"),
    "parties": tuple(each for each in channels.FIGURES if each.name == "two-parties"),
    "spread": spreading.FIGURES,
    "tables": tables.FIGURES,
    "all": ALL,
}
"""Words for many figures at once."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing on a page, with its caption."""

    name: str
    caption: str
    svg: bytes

    def html(self) -> str:
        data = base64.b64encode(self.svg).decode("ascii")
        words = escape(f"{self.name}. {self.caption}")
        image = f'<img alt="{escape(self.caption)}" style="max-width:100%" src="data:image/svg+xml;base64,{data}">'
        return f'<figure id="{escape(self.name)}">{image}<figcaption>{words}</figcaption></figure>'


def figure_named(wanted: str) -> PaperFigure:
    """The figure of that name, or of that number, such as "gain", "G13-2.7" or "G13 2.7".

    >>> figure_named("G13-2.7").name, figure_named("gain").numbers
    ('gain', ('G13 2.7',))
    """
    for each in ALL:
        if wanted == each.name or wanted.replace("-", " ", 1) in each.numbers:
            return each
    known = ", ".join([*GROUPS, *(each.name for each in ALL)])
    raise BadValue(f"There is no figure '{wanted}'. Write a number such as G13-2.7, or one of: {known}.")


def listed() -> Iterator[tuple[str, str, str]]:
    """Name, numbers and what is seen, of every figure."""
    for each in ALL:
        yield each.name, ", ".join(each.numbers), each.about


def draw(wanted: Sequence[str], out: Path, *, effort: Effort, kind: str = ".svg") -> Iterator[Path]:
    """Draw the figures that are asked for, by group, name or number, each as a file; for "all" also a page."""
    if kind not in FORMATS:
        raise BadValue(f"kind = '{kind}' must be one of: {', '.join(FORMATS)}.")
    every = "all" in wanted
    chosen = dict.fromkeys(found for each in wanted for found in GROUPS.get(each) or (figure_named(each),))
    folder(out)
    for each in chosen:
        path = out / f"{each.name}{kind}"
        each.draw(path, each.caption, effort)
        yield path
    if every and kind == ".svg":
        yield show_all(out)


def show_all(out: Path) -> Path:
    """The page of all figures, from their files in a folder."""
    blocks: list[Block] = [Paragraph("Every figure of the five documents, drawn from the package's own numbers.")]
    blocks += [Picture(each.name, each.caption, (out / f"{each.name}.svg").read_bytes()) for each in ALL]
    return write_page(out / "index.html", "The figures of the five documents", blocks)
