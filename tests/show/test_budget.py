"""The picture of a budget over time is drawn, in each format, or its name is refused."""

import re
import sys
from pathlib import Path

import pytest

from banister.errors import BadValue, MissingExtra
from banister.show.budget import BudgetMoment, draw_budget

MOMENTS = [BudgetMoment("2026-01-01T00:00:00Z", 0, 1), BudgetMoment("2026-02-01T00:00:00Z", 0.5, 0.3)]


def test_a_picture_is_drawn_with_its_labels(tmp_path: Path) -> None:
    draw_budget(MOMENTS, tmp_path / "a.svg", title="Budget of a ward")
    text = (tmp_path / "a.svg").read_text(encoding="utf-8")
    for words in ("Budget of a ward", "allowance used", "that still fits", "time (UTC)"):
        assert f"<!-- {words}" in text or words in text
    draw_budget(MOMENTS, tmp_path / "a.png", title="x")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


ENDS = ("2026-01-01T00:00:20", "2026-01-01T00:40:00", "2026-01-01T16:00:00", "2026-01-04T12:00:00")


@pytest.mark.parametrize("end", [*ENDS, "2026-03-01T00:00:00", "2026-06-01T00:00:00", "2027-11-01T00:00:00"])
def test_every_mark_of_time_says_by_itself_what_it_is(end: str, tmp_path: Path) -> None:
    """Seconds without their minute, or the same day twice, cannot be read; a narrow figure has fewer marks."""
    for width in (7.2, 3.4):
        moments = [MOMENTS[0], BudgetMoment(f"{end}Z", 0.5, 0.3)]
        draw_budget(moments, tmp_path / "a.svg", title="Budget (1, 1e-06) of stays.ledger", width_inches=width)
        text = (tmp_path / "a.svg").read_text(encoding="utf-8")
        marks = re.findall(r"<!-- (\d\d:\d\d(?::\d\d)?|\d\d [A-Z][a-z]{2}|[A-Z][a-z]{2} \d{4}|\d{1,4}) -->", text)
        times = [mark for mark in marks if not mark.isdecimal()]
        assert 2 <= len(times) <= 9
        assert len(set(times)) == len(times) or end == ENDS[-1]  # There an hour has its day below it.
        assert f'width="{72 * width:g}pt"' in text


def test_an_unknown_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadValue, match=r"The figure 'a\.doc' must end in one of: \.svg, \.png, \.pdf"):
        draw_budget(MOMENTS, tmp_path / "a.doc", title="x")


def test_without_matplotlib_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r"pip install '\.\[plot\]'"):
        draw_budget(MOMENTS, tmp_path / "a.svg", title="x")


def test_the_csv_file_holds_the_moments_and_nothing_beside_them(tmp_path: Path) -> None:
    draw_budget(MOMENTS, tmp_path / "a.csv", title="x")
    lines = (tmp_path / "a.csv").read_text(encoding="utf-8").splitlines()[1:]
    assert [float(line.split(",")[3]) for line in lines] == [0, 50, 1, 0.3]


def test_no_words_of_a_figure_are_below_twelve_pixels(tmp_path: Path) -> None:
    """A page shows a figure at its own width, where nine points are twelve pixels."""
    from matplotlib.text import Text

    from banister.show.canvas import new_figure, save

    figure = new_figure(3, 3)
    axes = figure.subplots()
    axes.set_title("small", fontsize=6)
    axes.text(0.5, 0.5, "smaller", fontsize=5)
    save(figure, tmp_path / "a.svg", caption="smallest")
    assert min(float(words.get_fontsize()) for words in figure.findobj(Text) if isinstance(words, Text)) >= 9
