"""The ledger on the command line, as a newcomer would type it."""

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import banister as bn
from banister.apps.cli import build
from banister.errors import BadValue, LedgerMissing

REPLACE = bn.Neighbours.REPLACE
GO = ["--as-you-go", "renyi"]


def run(*words: str) -> Result:
    return CliRunner(env={"COLUMNS": "80"}).invoke(build(), ["ledger", *words])


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A ledger made on the command line, with two charges."""
    address = str(tmp_path / "a.ledger")
    assert run("create", address, "--epsilon", "1", "--delta", "1e-6", "--neighbours", "replace", *GO).exit_code == 0
    with bn.Ledger.open(address) as ledger:
        ledger.charge(bn.Guarantee("0.1"), label="median age", neighbours=REPLACE)
        ledger.charge(bn.Guarantee("0.2", "1e-8"), label="wards", neighbours=REPLACE)
    return address


def test_create_shows_what_was_made(tmp_path: Path) -> None:
    done = run("create", str(tmp_path / "b"), "--epsilon", "2", "--delta", "0", "--neighbours", "add-remove", *GO)
    for words in ("epsilon 2, delta 0", "add-remove", "guarded by: epsilons added up", "epsilon up to 2"):
        assert words in done.output


def test_a_plan_is_made_for_so_many_questions(tmp_path: Path) -> None:
    place = str(tmp_path / "b")
    done = run("create", place, "--epsilon", "1", "--delta", "0", "--neighbours", "replace", "--questions", "4")
    for words in ("a plan of 4, fixed in advance", "epsilon up to 0.25 in one", "4 x (0.25, 0)"):
        assert words in done.output


def test_a_plan_is_made_of_a_list(tmp_path: Path) -> None:
    words = ["--epsilon", "0.9975", "--delta", "0.04", "--neighbours", "replace", "--plan", "30 x (0.1, 0.001)"]
    assert "a plan of 30, fixed in advance" in run("create", str(tmp_path / "b"), *words).output
    with bn.Ledger.open(tmp_path / "b") as ledger:
        ledger.charge(bn.Guarantee("0.1", "0.001"), label="planned", neighbours=REPLACE)


def test_a_ledger_that_is_behind_its_witness_is_not_clean(tmp_path: Path) -> None:
    place, witness = tmp_path / "b", tmp_path / "w"
    words = ["--epsilon", "1", "--delta", "0", "--neighbours", "replace", *GO, "--witness", str(witness)]
    assert "witness" in run("create", str(place), *words).output
    older = place.read_bytes()
    with bn.Ledger.open(place) as ledger:
        ledger.charge(bn.Guarantee("0.1"), label="median age", neighbours=REPLACE)
    assert run("verify", str(place)).exit_code == 0
    place.write_bytes(older)
    done = run("verify", str(place))
    assert done.exit_code != 0
    assert "ends with line 0, but its witness" in str(done.exception)


def test_show_tells_what_is_used_and_what_fits(path: str, tmp_path: Path) -> None:
    done = run("show", path, "--figure", str(tmp_path / "b.svg"))
    for words in ("charges     2", "% of the allowance", "epsilon up to 0.7 in one", "9e-08 left for charges"):
        assert words in done.output
    assert (tmp_path / "b.svg").exists()
    assert max(len(line) for line in done.output.splitlines() if "Wrote" not in line) <= 80


def test_history_lists_the_charges(path: str) -> None:
    done = run("history", path)
    assert "median age" in done.output
    assert "0.2, 1e-08" in done.output
    assert "median age" not in run("history", path, "--last", "1").output


def test_an_empty_history_says_so(tmp_path: Path) -> None:
    address = str(tmp_path / "b")
    run("create", address, "--epsilon", "2", "--delta", "0", "--neighbours", "replace", *GO)
    assert "No charges yet." in run("history", address).output


def test_verify_says_clean_and_gives_a_proof_that_verifies(path: str) -> None:
    done = run("verify", path)
    assert "Clean: 2 charges, every hash and every total holds." in done.output
    proof = done.output.split()[-1]
    assert run("verify", path, "--proof", proof).exit_code == 0


@pytest.mark.parametrize(
    ("words", "error", "message"),
    [
        (["--neighbours", "both", *GO], BadValue, "--neighbours both must be one of: add-remove, replace"),
        (["--neighbours", "replace"], BadValue, "Say what the ledger is for: --questions 100 for a plan"),
        (["--neighbours", "replace", "--questions", "3", *GO], BadValue, "One of the three."),
        (["--neighbours", "replace", "--as-you-go", "magic"], BadValue, "--as-you-go magic must be one of: renyi"),
        (["--neighbours", "replace", "--reserve", "2", *GO], BadValue, "reserve = 2 must be a number from 0 to 1"),
    ],
)
def test_bad_terms_make_nothing(tmp_path: Path, words: list[str], error: type[Exception], message: str) -> None:
    done = run("create", str(tmp_path / "b"), "--epsilon", "1", "--delta", "1e-6", *words)
    assert isinstance(done.exception, error)
    assert message in str(done.exception)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_ledger_is_an_error_and_is_not_made(tmp_path: Path) -> None:
    for word in ("show", "history", "verify"):
        assert isinstance(run(word, str(tmp_path / "b")).exception, LedgerMissing)
    assert list(tmp_path.iterdir()) == []


def test_the_program_prints_the_message_alone(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from banister.apps.cli import main; main()", "ledger", "show", "nowhere"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 6
    assert done.stdout == ""
    assert done.stderr.startswith("banister: There is no ledger at 'nowhere'. Make one with")
    assert "Traceback" not in done.stderr
