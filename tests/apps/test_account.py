"""The account on the command line, as a newcomer would type it."""

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from banister.apps.cli import build
from banister.errors import BadValue


def run(*words: str) -> Result:
    return CliRunner(env={"COLUMNS": "80"}).invoke(build(), list(words))


def test_an_account_prints_the_exact_total_the_theorems_and_the_gain() -> None:
    done = run("account", "30 x (0.1, 0.001)", "--delta", "0.04")
    assert done.exit_code == 0
    for words in (
        "0.9974558291",
        "0.9974558290",
        "3.01",
        "1.97777",
        "1.69576",
        "1.98",
        "30 x (0.1, 0.001)",
        "basic composition, [KOV15] Thm 3.1",
    ):
        assert words in done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines())


def test_a_delta_that_no_epsilon_reaches_is_said_so() -> None:
    done = run("account", "1e3 x (0.1, 0.001)", "--delta", "0.04")
    assert "No epsilon reaches this delta" in done.stdout
    assert "1000 x (0.1, 0.001)" in done.stdout


def test_mixed_noise_is_accounted_for_and_drawn(tmp_path: Path) -> None:
    figure = tmp_path / "region.svg"
    text = "500 x laplace(0.05), 20 x staircase(0.3), 3 x gaussian(sigma=8)"
    done = run("account", text, "--delta", "1e-6", "--figure", str(figure))
    assert done.exit_code == 0
    assert "8.93318967" in done.stdout
    assert figure.exists()


def test_calibration_prints_what_each_question_may_cost() -> None:
    done = run("calibrate", "--epsilon", "1", "--delta", "1e-6", "--questions", "100")
    assert done.exit_code == 0
    for words in ("0.0240110", "0.0100000", "41.4875", "42.2468", "3442.43", "3468.82", "[KOV15] Thm 4.3"):
        assert words in done.stdout
    names = [line.split()[0] for line in done.stdout.splitlines() if "each" in line or "sigma" in line]
    assert names[-4:-1] == ["Gaussian", "Laplace", "staircase"], "the least noise first, then the theorems"


def test_pure_calibration_has_no_gaussian() -> None:
    done = run("calibrate", "--epsilon", "1", "--delta", "0", "--questions", "4")
    assert "epsilon 0.25 each" in done.stdout
    assert "Gaussian" not in done.stdout
    assert "[KOV15]" not in done.stdout


def test_an_explanation_in_words() -> None:
    done = run("explain", "--epsilon", "1", "--delta", "1e-6")
    assert "at 5 % false alarms, finds 13.6 % of the true cases" in done.stdout
    assert "does not cover" in done.stdout


def test_the_figures_are_drawn_by_one_command(tmp_path: Path) -> None:
    assert run("figures", str(tmp_path)).exit_code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["composition.svg", "region.svg", "theorems.svg"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("account", "30 x rumba(1)", "--delta", "1e-6"), "not a mechanism"),
        (("account", "30 x (1, 0)", "--delta", "two"), "delta = 'two'"),
        (("explain", "--epsilon", "-1", "--delta", "0"), "epsilon = -1"),
        (("calibrate", "--epsilon", "1", "--delta", "2", "--questions", "3"), "delta = 2"),
    ],
)
def test_bad_input_is_one_message(words, message) -> None:
    done = run(*words)
    assert isinstance(done.exception, BadValue)
    assert message in str(done.exception)
