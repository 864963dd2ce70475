"""`banister noise` as a person uses it."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from banister.apps.cli import build

RUNNER = CliRunner()


def run(*words: str):
    return RUNNER.invoke(build(), ["noise", *words])


def test_the_table_names_winner_gain_and_theorem() -> None:
    done = run("--epsilon", "5", "--sensitivity", "1", "--cost", "squared")
    assert done.exit_code == 0
    said = " ".join(done.stdout.split())
    for words in ("staircase", "0.029711", "Laplace", "2.693", "Thm 2.4", "can do better with this guarantee"):
        assert words in said
    assert max(len(line) for line in done.stdout.splitlines()) <= 80


def test_a_word_of_an_earlier_version_is_understood_with_one_line_on_standard_error() -> None:
    old = run("--epsilon", "5", "--sensitivity", "1", "--cost", "power")
    assert old.exit_code == 0
    assert old.stderr == "banister: --cost power is now called squared.\n"
    assert old.stdout == run("--epsilon", "5", "--sensitivity", "1", "--cost", "squared").stdout


def test_json_is_json_alone() -> None:
    done = run("--epsilon", "1", "--delta", "1e-6", "--sensitivity", "3", "--integer", "--json")
    record = json.loads(done.stdout)
    assert record["over"] == "integers"
    assert record["contenders"][0]["times_the_best"] == 1


@pytest.mark.parametrize("ending", ["svg", "png", "html"])
def test_figures_are_written_whole(tmp_path: Path, ending: str) -> None:
    path = tmp_path / "new" / f"noise.{ending}"
    done = run("--epsilon", "1", "--sensitivity", "2", "--integer", "--figure", str(path))
    assert done.exit_code == 0
    assert path.stat().st_size > 10_000
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_the_same_figure_is_the_same_file(tmp_path: Path) -> None:
    for name in ("a.svg", "b.svg"):
        run("--epsilon", "2", "--sensitivity", "1", "--figure", str(tmp_path / name))
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--epsilon", "-1", "--sensitivity", "1"], "epsilon = -1 must be"),
        (["--epsilon", "nan", "--sensitivity", "1"], "epsilon = 'nan' must be a finite number"),
        (["--epsilon", "1", "--sensitivity", "1", "--figure", "x.gif"], "must end in one of: .svg, .png, .pdf, .html"),
    ],
)
def test_mistakes_are_one_message(words: list[str], message: str) -> None:
    done = run(*words)
    assert message in str(done.exception)
