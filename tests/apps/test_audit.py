"""Proofs and decoders on the command line."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from banister.apps.cli import build
from banister.errors import BadValue

runner = CliRunner()


def run(*words: str) -> str:
    done = runner.invoke(build(), list(words), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


PROVEN = {
    "noise": ("noise", "--epsilon", "1", "--delta", "0.01", "--sensitivity", "2"),
    "line": ("line", "--epsilon", "1", "--delta", "0.01", "--parts", "3", "--cost", "squared"),
    "kl": ("channel", "--epsilon", "1", "--utility", "kl", "--first", "0.5,0.3,0.2", "--second", "0.2,0.3,0.5"),
    "information": ("channel", "--epsilon", "1", "--utility", "mutual-information", "--prior", "0.5,0.5"),
    "rule": ("rule", "majority", "--epsilons", "1,1,1"),
    "domination": ("domination", "--first", "3/4,1/4;1/4,3/4", "--second", "1/2,1/2;1/3,2/3"),
}


@pytest.mark.parametrize("name", PROVEN)
def test_what_is_proven_is_verified(name: str, tmp_path: Path) -> None:
    file = tmp_path / "it.proof"
    said = run("prove", *PROVEN[name], "--out", str(file))
    assert run("verify", str(file)) == said


def test_several_files_at_once(tmp_path: Path) -> None:
    for name in ("domination", "rule"):
        run("prove", *PROVEN[name], "--out", str(tmp_path / name))
    assert len(run("verify", str(tmp_path / "domination"), str(tmp_path / "rule")).splitlines()) == 2


def test_a_changed_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "it.proof"
    run("prove", *PROVEN["domination"], "--out", str(file))
    file.write_text(file.read_text().replace('"1/2"', '"1/3"', 1))
    with pytest.raises(BadValue, match=r'is refused: "claim\.second\[0\]"'):
        runner.invoke(build(), ["verify", str(file)], catch_exceptions=False)


def test_a_pair_is_two_laws(tmp_path: Path) -> None:
    with pytest.raises(BadValue, match="--first needs two laws"):
        runner.invoke(
            build(),
            ["prove", "domination", "--first", "1,0", "--second", "1;1", "--out", str(tmp_path / "x")],
            catch_exceptions=False,
        )


def test_a_decoder_says_what_to_say(tmp_path: Path) -> None:
    said = run(
        "decode",
        "--epsilon",
        "0.2",
        "--largest",
        "10",
        "--aim",
        "worst",
        "--noisy",
        "13",
        "--proof",
        str(tmp_path / "p"),
    )
    assert "2.55972; clamping has 3.13963" in said
    assert "noisy   13  say" in said
    assert "95 % 0 to 10" in said
    assert run("verify", str(tmp_path / "p")).endswith("no rule has less than 2.55971802\n")


def test_all_counts_are_shown_where_none_is_given() -> None:
    assert run("decode", "--epsilon", "1", "--largest", "3", "--aim", "average").count("noisy") == 4
