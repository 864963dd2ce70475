"""The figures of the five documents are drawn, by name, by number and together, in one style."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from banister.apps.cli import build
from banister.errors import BadValue
from banister.papers.gallery import ALL, GROUPS, Effort, draw, figure_named, show_all
from banister.show.canvas import DARK

QUICK = Effort(instances=2, trials=20, workers=1)


@pytest.mark.slow
@pytest.mark.parametrize("figure", ALL, ids=[each.name for each in ALL])
def test_a_figure_is_drawn_with_its_numbers(figure: object, tmp_path: Path) -> None:
    wanted = next(each for each in ALL if each is figure)
    (path,) = draw([wanted.name], tmp_path, effort=QUICK)
    assert path.name == f"{wanted.name}.svg"
    assert len(path.read_bytes()) > 3000


def test_figures_are_found_by_number_and_drawn_once(tmp_path: Path) -> None:
    made = list(draw(["KOV15-4", "K16-A.1", "PKS20-8"], tmp_path, effort=QUICK))
    assert [path.name for path in made] == ["experiment.svg", "cascade.svg"]
    again = list(draw(["experiment"], tmp_path / "again", effort=QUICK))
    assert again[0].read_bytes() == made[0].read_bytes(), "the same picture is the same file"


def test_a_picture_can_be_read_on_a_dark_screen(tmp_path: Path) -> None:
    (path,) = draw(["PKS20-9"], tmp_path, effort=QUICK)
    drawing = path.read_text(encoding="utf-8")
    assert "@media (prefers-color-scheme: dark)" in drawing
    head, body = drawing.split("</style>", 1)
    for light, dark in DARK.items():
        assert f'[style*="fill: {light}"]{{fill:{dark}!important}}' in head
    assert "fill: #000000" not in body
    assert "fill: #ffffff" not in body


def test_a_caption_names_document_and_number() -> None:
    assert figure_named("gain").caption.startswith("[G13] Figure 2.7. ")
    assert figure_named("large-epsilon").caption.startswith("[K16] Eq. (3.18), [K16] Eq. (3.24). ")
    assert figure_named("spies").caption.startswith("Ours. ")


def test_an_unknown_figure_is_refused_with_all_names() -> None:
    with pytest.raises(
        BadValue, match=r"There is no figure 'G13-9.9'. Write a number such as G13-2.7, or one of: noise"
    ):
        figure_named("G13-9.9")
    with pytest.raises(BadValue, match=r"kind = '.bmp' must be one of: .svg, .png, .pdf, .html"):
        list(draw(["gain"], Path(), effort=QUICK, kind=".bmp"))


def test_groups_hold_every_figure_once() -> None:
    names = [each.name for group, figures in GROUPS.items() if group != "all" for each in figures]
    assert sorted(names) == sorted(each.name for each in ALL)


def test_the_page_shows_all(tmp_path: Path) -> None:
    for each in ALL:
        (tmp_path / f"{each.name}.svg").write_text("<svg></svg>", encoding="utf-8")
    page = show_all(tmp_path).read_text(encoding="utf-8")
    assert page.count("<figure") == len(ALL)
    assert "[KOV15] Figure 2, [K16] Figure 2.4." in page


def test_the_command_lists_and_draws(tmp_path: Path) -> None:
    run = CliRunner()
    found = run.invoke(build(), ["figures", "list"])
    assert "G13 2.7" in found.stdout
    made = run.invoke(build(), ["figures", "PKS20-8", "--out", str(tmp_path), "--kind", "png"])
    assert made.exit_code == 0
    assert (tmp_path / "cascade.png").read_bytes().startswith(b"\x89PNG")
