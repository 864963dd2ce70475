"""The command line of the spreading laboratory, as a newcomer would use it."""

import math
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from banister.apps.cli import build
from banister.errors import BadValue
from banister.spread.lab.drawn import terminal as spread_terminal
from banister.spread.lab.drawn.movie import Frame, Movie, layout
from banister.spread.lab.studies import Study

FRIENDS = "\n".join(f"p{a} p{b}" for a in range(40) for b in (a + 1, a + 2, (a * 7) % 40) if a != b)


def typed(*words: str) -> str:
    done = CliRunner().invoke(build(), ["spread", *words], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


@pytest.fixture
def friends(tmp_path: Path) -> str:
    file = tmp_path / "friends.edges"
    file.write_text(FRIENDS)
    return str(file)


def test_run_shows_every_step_and_writes_a_movie(tmp_path: Path) -> None:
    page = str(tmp_path / "spread.html")
    shown = typed("run", "--graph", "regular-tree:4", "--protocol", "adaptive", "--steps", "6", "--html", page)
    assert "53" in shown
    assert f"Wrote {page}" in shown
    assert max(len(line) for line in shown.splitlines() if "Wrote" not in line) <= 80


def test_watching_draws_in_place_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every step is drawn over the one before, within 80 columns; author and virtual source are on the picture."""
    monkeypatch.setattr(spread_terminal, "SECONDS", 0)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")
    shown = typed("run", "--graph", "regular-tree:4", "--steps", "6", "--watch")
    assert shown.count("step  holders  guess right") >= 6
    assert "\x1b[1A" in shown  # Up again, to draw over what is there.
    last = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown).split("adaptive, 6 steps")[-1]
    assert "6       53     2.8 %" in last
    assert last.count("●") == last.count("◆") == 2  # On the picture, and in the legend.
    assert max(len(line) for line in last.splitlines()) <= 80


def test_watching_without_a_terminal_prints_lines() -> None:
    shown = typed("run", "--graph", "regular-tree:4", "--steps", "6", "--watch")
    assert "\x1b" not in shown
    assert "53             2.8 %" in shown


def test_a_narrow_terminal_still_has_a_picture() -> None:
    movie = Movie("line", [0, 1], [-1, 0], [0, 1], ["a", "b"], 0, [Frame(1, -1, {}, math.nan)])
    drawn = spread_terminal.picture(movie, 1, layout(movie), width=20, height=8).plain
    assert "●" in drawn
    assert "   1        2         -  ████████████" in drawn


def test_run_says_when_a_climb_ends(friends: str) -> None:
    assert "met nobody" in typed("run", "--graph", "line:6", "--protocol", "tree", "--steps", "9", "--author", "2")


def test_attack_prints_a_table_and_keeps_it(friends: str, tmp_path: Path) -> None:
    out = str(tmp_path / "study")
    words = ["--protocol", "adaptive:cap=3,tree,diffusion:0.2", "--adversary", "snapshot,spies:0.1", "--trials", "5"]
    shown = typed("attack", friends, *words, "--steps", "4", "--out", out, "--workers", "1")
    assert shown.count("snapshot") == 3
    assert "self-loop" in shown or "repeated" in shown
    assert sorted(path.name for path in Path(out).iterdir()) == [
        "detection.svg",
        "table.csv",
        "table.txt",
        "trials.jsonl",
    ]


def test_a_stopped_attack_says_how_to_go_on(friends: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*words: object, **settings: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Study, "run", stop)
    for out, words in ((["--out", str(tmp_path)], "The same command goes on where it was"), ([], "Nothing was kept")):
        done = CliRunner().invoke(build(), ["spread", "attack", friends, *out])
        assert done.exit_code == 130
        assert words in done.output


def test_locate_ranks_the_holders(friends: str, tmp_path: Path) -> None:
    holders = tmp_path / "holders.txt"
    holders.write_text("p3\np4\np5\n")
    shown = typed("locate", friends, str(holders), "--estimator", "rumor,jordan")
    assert "rumor: 3 holders" in shown
    assert "p4" in shown
    assert max(len(line) for line in shown.splitlines()) <= 80


def test_advise_speaks_in_plain_words(friends: str) -> None:
    shown = typed("advise", friends, "--trials", "20", "--workers", "1")
    assert "people with" in shown
    assert "What overlay would help" in shown


def test_errors_are_one_message(friends: str) -> None:
    with pytest.raises(BadValue, match="protocol = 'gossip' must be one of"):
        typed("attack", friends, "--protocol", "gossip")
