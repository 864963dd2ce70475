"""Words of a command line become the same values with and without pydantic, and a plain command does not load it."""

import subprocess
import sys
from pathlib import Path
from typing import Annotated

import pytest
import typer
from typer.main import get_command

from banister.apps.cli.words import read_plainly


def tree() -> typer.Typer:
    """A command with a parameter of each kind that ours have; it prints what it is given."""
    app = typer.Typer(pretty_exceptions_enable=False)

    @app.command()
    def show(
        text: str,
        file: Path = Path("there"),
        times: int = 3,
        some: Annotated[int, typer.Option(min=1, max=9)] = 2,
        most: Annotated[int, typer.Option(max=9, clamp=True)] = 2,
        share: float = 0.5,
        here: Annotated[Path | None, typer.Option(exists=True, dir_okay=False)] = None,
        names: Annotated[list[str] | None, typer.Option()] = None,
        files: Annotated[list[Path] | None, typer.Option()] = None,
        counts: Annotated[list[int] | None, typer.Option()] = None,
    ) -> None:
        print([text, file, times, some, most, share, here, names, files, counts])

    return app


WORDS: list[list[str]] = [
    ["a"],
    [""],
    ["é \udcff"],
    *(
        ["a", "--times", word]
        for word in ("5", "-5", "0", "007", " 5 ", "5.0", "5.5", "1_0", "+5", "", "x", "\u0663", "9" * 30)
    ),
    *(["a", "--some", word] for word in ("0", "1", "9", "10", "x")),
    *(["a", "--most", word] for word in ("9", "10", "x")),
    ["a", "--share", "0.25"],
    ["a", "--share", "x"],
    *(["a", "--file", word] for word in ("new", "there", "folder", "")),
    *(["a", "--here", word] for word in ("new", "there", "folder")),
    ["a", "--names", "x", "--names", "y", "--files", "new", "--files", "there", "--counts", "1", "--counts", "2"],
    ["a", "--counts", "1", "--counts", "x"],
    [],
]


@pytest.mark.parametrize("words", WORDS, ids=ascii)
def test_plain_words_become_what_typer_makes_of_them(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("there").touch()
    Path("folder").mkdir()
    ours = get_command(tree())
    read_plainly(ours)
    found = []
    for command in (get_command(tree()), ours):
        with pytest.raises(SystemExit) as ended:
            command.main(words, prog_name="show")
        found.append((ended.value.code, capsys.readouterr()))
    assert found[0] == found[1]


def test_a_plan_loads_no_pydantic_and_leaves_its_rubbish(tmp_path: Path) -> None:
    from banister.release.demo import write_demo

    write_demo(tmp_path / "health")
    code = (
        "import atexit, gc, sys; from banister.apps.cli import main;"
        "atexit.register(lambda: print('pydantic' in sys.modules, gc.get_freeze_count() > 99_999));"
        "main()"
    )
    words = ["plan", "health/health.toml", "health/questions.sql", "--epsilon", "0.3", "--size", "9"]
    done = subprocess.run(
        [sys.executable, "-c", code, *words], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "False True"


def test_a_release_ends_without_a_word_about_what_is_left(tmp_path: Path) -> None:
    """DuckDB writes a report of leaks to the terminal where objects of its own outlive the end of Python."""
    from banister.release.demo import write_demo

    write_demo(tmp_path / "health")
    code = "from banister.apps.cli import main; main()"
    words = ["release", "health/health.toml", "health/questions.sql", "--epsilon", "0.3", "--out", "answers.csv"]
    done = subprocess.run(
        [sys.executable, "-c", code, *words], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert "leak" not in done.stderr + done.stdout
    assert (tmp_path / "answers.csv").exists()
