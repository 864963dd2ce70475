"""Power loss for a process: kill -9 at any moment costs at most a charge without an answer."""

import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

import banister as bn
from tests.kills import check, outcome

ROOT = Path(__file__).parents[2]


def killed(address: str, folder: Path, *, kills: int, seed: int, epsilon: str, budget: bn.Guarantee) -> None:
    """Make a ledger and have workers that charge it killed so many times."""
    bn.Ledger.create(address, budget=budget, neighbours=bn.Neighbours.REPLACE, questions=bn.AsYouGo()).close()
    command = [sys.executable, "-m", "tests.kills", address, str(folder), str(kills), str(seed), epsilon]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_line_torn_by_a_kill_says_nothing(tmp_path: Path) -> None:
    """An answer torn off is one answer less to hold the ledger to, an attempt torn off was never made."""
    (tmp_path / "log-0").write_text("try 1-0-1\ngot 1-0-1\ntry 1-0-2\ngot 1-0")
    (tmp_path / "log-1").write_text("try 1-1-1\nno 1-1-1\ntr")
    seen = outcome(tmp_path)
    assert (seen.tried, seen.answered, seen.refused) == ({"1-0-1", "1-0-2", "1-1-1"}, {"1-0-1"}, {"1-1-1"})


@pytest.mark.slow
def test_eight_hundred_kills_lose_and_double_nothing(tmp_path: Path) -> None:
    address = str(tmp_path / "a.ledger")
    killed(address, tmp_path, kills=800, seed=1, epsilon="1/1000000", budget=bn.Guarantee(1))
    seen = outcome(tmp_path)
    with bn.Ledger.open(address) as ledger:
        charges = check(ledger, seen)
        assert ledger.history()[-1].totals == (Fraction(0), Fraction(charges, 10**6))
    cut = seen.tried - seen.answered - seen.refused
    assert len(cut) > 50, "too few workers were killed in the middle of a charge for this to be a test"


@pytest.mark.slow
def test_two_hundred_kills_fill_the_budget_to_the_brim_and_not_beyond(tmp_path: Path) -> None:
    """Three hundred charges fit. Workers go on asking after that, and are killed while they are refused; should they
    have been too slow to fill it, the rest is charged in peace."""
    address = str(tmp_path / "a.ledger")
    killed(address, tmp_path, kills=200, seed=2, epsilon="1/300", budget=bn.Guarantee(1))
    seen = outcome(tmp_path)
    with bn.Ledger.open(address) as ledger:
        for _ in range(300 - check(ledger, seen)):
            ledger.charge(bn.Guarantee("1/300"), label="in peace", neighbours=bn.Neighbours.REPLACE)
        with pytest.raises(bn.BudgetExceeded, match="after 300 charges"):
            ledger.charge(bn.Guarantee("1/300"), label="one more", neighbours=bn.Neighbours.REPLACE)
        assert ledger.verify()[0] == 300
        assert ledger.history()[-1].totals == (Fraction(0), Fraction(1))


@pytest.mark.slow
def test_kills_lose_and_double_nothing_on_a_server(tmp_path: Path, postgres: str) -> None:
    address = f"{postgres}#kills-{os.getpid()}"
    killed(address, tmp_path, kills=80, seed=3, epsilon="1/200", budget=bn.Guarantee(1))
    with bn.Ledger.open(address) as ledger:
        assert 1 <= check(ledger, outcome(tmp_path)) <= 200
