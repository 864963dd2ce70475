"""`banister audit` on the command line."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from banister.apps.cli import build

runner = CliRunner()


def test_nothing_found_is_exit_code_0() -> None:
    done = runner.invoke(
        build(), ["audit", "geometric", "--epsilon", "1", "--draws", "2000", "--confidence", "0.999999"]
    )
    assert done.exit_code == 0, done.output
    assert "nothing found against epsilon 1" in done.output


def test_a_broken_claim_is_exit_code_1(tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.json"
    pairs.write_text("[[0.5, 1.5]]", encoding="utf-8")
    words = ["audit", "command:cat", "--epsilon", "1", "--draws", "100", "--neighbours", str(pairs)]
    done = runner.invoke(build(), words)
    assert done.exit_code == 1
    assert "BROKEN" in done.output
    assert "The event: the answer is 0.5." in done.output
    record = json.loads(runner.invoke(build(), [*words, "--json"]).output)
    assert record["broken"] is True
    assert record["shown"] > 1
    assert (record["hits"], record["others"]) == (50, 0)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nothing",), "Ours are: "),
        (("python:os:getcwd",), "needs neighbours"),
        (("geometric", "--neighbours", "missing.json"), "does not exist"),
        (("geometric", "--confidence", "1"), "confidence"),
        (("geometric", "--draws", "3"), "draws = 3"),
    ],
)
def test_what_cannot_be_done_is_exit_code_2(words: tuple[str, ...], said: str) -> None:
    done = runner.invoke(build(), ["audit", *words, "--epsilon", "1"])
    assert done.exit_code == 2
    assert said in done.output
