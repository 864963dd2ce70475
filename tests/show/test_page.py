"""Every page comes from one engine: nothing that people wrote breaks out of it, and nothing is asked from outside."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from banister.files import Access
from banister.show.canvas import new_figure, save
from banister.show.charts import BARS, PAIRS, IntervalChart, PairedBars
from banister.show.page import (
    STYLE,
    Block,
    Card,
    Cards,
    Chapter,
    Code,
    Drawing,
    Heading,
    Legend,
    Notice,
    PageTable,
    Paragraph,
    Points,
    page_text,
    write_page,
)

EVIL = "</p></td><script>alert('x')</script>\"&"
BLOCKS: list[Block] = [
    Heading(EVIL),
    Paragraph(EVIL),
    Paragraph(EVIL, soft=True),
    Notice(EVIL, EVIL),
    Points(EVIL, [EVIL, EVIL]),
    Code(EVIL),
    PageTable((EVIL, EVIL), [(EVIL, EVIL)], 1, EVIL, [0.5]),
    Legend(EVIL, [("--bar", EVIL), (EVIL, EVIL)]),
    Cards([Card(EVIL, EVIL, Paragraph(EVIL))]),
    Chapter(EVIL, [EVIL], EVIL, [], [], [(EVIL, [EVIL])]),
    IntervalChart(EVIL, [EVIL], [1.0], [0.5], [1.5]),
    PairedBars(EVIL, [EVIL], [3], [4], 1.0),
]
VOID = {"meta", "rect", "line", "circle", "path"}


class Outline(HTMLParser):
    """Follows the tags of a page; what is opened must be closed in its turn."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def outline(page: str) -> Outline:
    found = Outline()
    found.feed(page)
    assert found.open == []
    return found


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: type(block).__name__)
def test_texts_cannot_break_out(block: Block) -> None:
    found = outline(page_text(EVIL, [block]))
    assert "script" not in found.seen
    shown = found.text.count("alert('x')")
    assert shown >= 2  # In the title and the heading of the page; then in the block, unless it is cut to length.


def test_a_page_lets_nothing_in_from_outside(tmp_path: Path) -> None:
    page = page_text("a", BLOCKS[:3])
    assert "default-src 'none'" in page
    assert "script-src" not in page
    assert "script-src 'unsafe-inline'" in page_text("a", [], script="1")
    write_page(tmp_path / "a.html", "a", BLOCKS, access=Access.OWNER)
    assert (tmp_path / "a.html").stat().st_mode & 0o777 == 0o600


def test_a_figure_on_a_page_is_the_engines(tmp_path: Path) -> None:
    figure = new_figure(3, 2)
    figure.subplots().imshow([[1, 2], [3, 4]])
    save(figure, tmp_path / "a.html", title="Two < three")
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert STYLE in page
    assert "<h1>Two &lt; three</h1>" in page
    assert "img-src data:" in page
    assert "data:image/png" in page


def test_tables_say_what_is_a_label_and_draw_shares() -> None:
    text = PageTable(("a", "b"), [("x", "1"), ("y", "2")], 1, shares=[0.25, 3]).html()
    assert text.count("<td class=label>") == 2
    assert re.findall(r'rect width="([\d.]+)%"', text) == ["25.0", "100.0"]
    assert "<thead>" not in PageTable((), [("x", "1")], 2).html()


def test_charts_show_so_many_and_say_how_many_more() -> None:
    many = IntervalChart("n", [str(i) for i in range(60)], [1.0] * 60, [0.0] * 60, [2.0] * 60).html()
    assert many.count("<circle") == BARS
    assert f"The first {BARS} of 60 cells." in many
    pairs = PairedBars("n", [str(i) for i in range(60)], list(range(60)), list(range(60)), 0.0).html()
    assert pairs.count('class="before"') == PAIRS
    assert f"and {60 - PAIRS} smaller groups" in pairs
    assert ">59<" in pairs
    assert IntervalChart("n", [], [], [], []).html() == ""


def test_no_block_has_a_style_of_its_own() -> None:
    """Served pages have a policy that lets none in: what had one would not be drawn."""
    assert not [block for block in BLOCKS if " style=" in block.html().replace(EVIL, "")]


def test_a_drawing_goes_in_as_it_is() -> None:
    assert Drawing("<svg></svg>").html() == "<figure><svg></svg></figure>"


def test_marks_of_an_axis_are_not_written_over_one_another() -> None:
    """An end that is close to 0 is said by the interval alone."""

    def marks(low: float, high: float) -> list[str]:
        drawn = IntervalChart("n", ["a"], [(low + high) / 2], [low], [high]).html()
        return re.findall(r'<text class="soft"[^>]*>([^<]*)<', drawn)

    assert marks(-8, 945) == ["0", "945"]
    assert marks(-945, 8) == ["0", "-945"]
    assert marks(-500, 500) == ["0", "-500", "500"]
    assert marks(10, 945) == ["0", "945"]


def test_a_bar_stands_for_what_adds_up_and_an_interval_alone_for_the_rest() -> None:
    def drawn(title: str, *, bars: bool) -> str:
        return IntervalChart(title, ["a", "b"], [52.0, 58.0], [50.0, 55.0], [54.0, 60.0], bars=bars).html()

    counts, means = drawn("n", bars=True), drawn("mean", bars=False)
    assert counts.count('class="bar"') == 2
    assert ">0</text>" in counts
    assert 'class="bar"' not in means
    assert ">0</text>" not in means  # The axis begins where the intervals do.
    assert ">50</text>" in means
    assert ">60</text>" in means
