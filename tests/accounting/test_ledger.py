"""The ledger at the front door, from creation to the last charge."""

import multiprocessing
import os
from fractions import Fraction
from pathlib import Path

import pytest

import banister as bn
from banister.errors import BadValue, LedgerMissing

BUDGET = bn.Guarantee(1, "1e-6")
REPLACE = bn.Neighbours.REPLACE


def create(path: Path | str, budget: bn.Guarantee = BUDGET) -> bn.Ledger:
    return bn.Ledger.create(path, budget=budget, neighbours=REPLACE, questions=bn.AsYouGo())


def test_a_ledger_is_made_charged_closed_and_opened_again(tmp_path: Path) -> None:
    with create(tmp_path / "hospital.ledger") as ledger:
        receipt = ledger.charge(bn.Guarantee("0.1"), label="median age", neighbours=REPLACE, plan="p")
        receipt.use(plan="p")
    with bn.Ledger.open(tmp_path / "hospital.ledger") as ledger:
        assert ledger.terms.budget == BUDGET
        assert [entry.label for entry in ledger.history()] == ["median age"]
        assert ledger.verify(proofs=[receipt.proof]) == (1, receipt.hash)
        assert repr(ledger).endswith("budget=(1, 1e-06), neighbours=replace, mode='as you go')")


def test_over_budget_nothing_is_written(tmp_path: Path) -> None:
    with create(tmp_path / "a.ledger") as ledger:
        ledger.charge(bn.Guarantee("0.9"), label="a", neighbours=REPLACE)
        with pytest.raises(bn.BudgetExceeded, match=r"The largest epsilon that still fits is 0\.1\."):
            ledger.charge(bn.Guarantee("0.4"), label="b", neighbours=REPLACE)
        assert ledger.remaining().charges == 1
        assert ledger.remaining().largest_epsilon == Fraction(1, 10)


def test_the_time_of_a_charge_is_universal_time() -> None:
    ledger = create("memory:")
    ledger.charge(bn.Guarantee("0.1"), label="a", neighbours=REPLACE)
    assert ledger.history()[0].at.endswith("Z")


def test_a_ledger_in_memory_cannot_be_opened_again() -> None:
    with pytest.raises(LedgerMissing, match="A ledger in memory ends with the program that made it"):
        bn.Ledger.open("memory:")


def test_how_long_to_wait_must_be_a_time(tmp_path: Path) -> None:
    with pytest.raises(BadValue, match="wait_seconds = -1 must be a finite number, 0 or above"):
        bn.Ledger.open(tmp_path / "a", wait_seconds=-1)


def test_bad_terms_are_refused_and_nothing_is_made(tmp_path: Path) -> None:
    with pytest.raises(BadValue, match=r"The budget must be a bn\.Guarantee"):
        bn.Ledger.create(tmp_path / "a", budget=1, neighbours=REPLACE, questions=bn.AsYouGo())  # type: ignore[arg-type]
    with pytest.raises(BadValue, match="with an epsilon above 0"):
        create(tmp_path / "a", bn.Guarantee(0, "1e-6"))
    with pytest.raises(BadValue, match="neighbours = 'replace' must be one of"):
        bn.Ledger.create(tmp_path / "a", budget=BUDGET, neighbours="replace", questions=bn.AsYouGo())  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_the_same_code_on_a_server(postgres: str) -> None:
    address = f"{postgres}#front-{os.getpid()}"
    with create(address) as ledger:
        ledger.charge(bn.Guarantee("0.1"), label="median age", neighbours=REPLACE)
    with bn.Ledger.open(address) as ledger:
        assert ledger.verify()[0] == 1
        assert "banister@" not in f"{ledger.summary()} {ledger!r}"


def test_a_plan_ends_when_its_places_are_taken(tmp_path: Path) -> None:
    with bn.Ledger.create(tmp_path / "a", budget=BUDGET, neighbours=REPLACE, questions=3) as ledger:
        share = ledger.remaining().largest_epsilon
        for _ in range(3):
            ledger.charge(bn.Guarantee(share), label="planned", neighbours=REPLACE)
        with pytest.raises(bn.BudgetExceeded, match=r"has no free place for it\. Free places: none"):
            ledger.charge(bn.Guarantee("1e-9"), label="one more", neighbours=REPLACE)
        assert ledger.verify()[0] == 3
    with bn.Ledger.open(tmp_path / "a") as ledger:
        assert ledger.remaining().used == 1


def test_a_timeline_has_the_first_and_the_last_moment_and_not_too_many() -> None:
    ledger = create("memory:", bn.Guarantee(1))
    for _ in range(50):
        ledger.charge(bn.Guarantee("1/50"), label="x", neighbours=REPLACE)
    moments = ledger.timeline(most=10)
    assert [(m.used, m.largest_epsilon) for m in (moments[0], moments[-1])] == [(0, 1), (1, 0)]
    assert len(moments) <= 12
    assert len(ledger.timeline()) == 51
    ledger.close()


def _race(path: Path, count: int) -> None:
    with bn.Ledger.open(path) as ledger:
        for _ in range(count):
            try:
                ledger.charge(bn.Guarantee("1/50"), label="race", neighbours=REPLACE)
            except bn.BudgetExceeded:
                return


def test_racing_processes_fill_the_budget_exactly(tmp_path: Path) -> None:
    """Eight processes want 160 charges of 1/50 from a pure budget of 1: fifty fit, whoever comes first."""
    path = tmp_path / "a.ledger"
    create(path, bn.Guarantee(1)).close()
    context = multiprocessing.get_context("fork")
    racers = [context.Process(target=_race, args=(path, 20)) for _ in range(8)]
    for racer in racers:
        racer.start()
    for racer in racers:
        racer.join()
    with bn.Ledger.open(path) as ledger:
        assert ledger.verify()[0] == 50
        assert ledger.history()[-1].totals == (Fraction(0), Fraction(1))
        assert ledger.remaining().largest_epsilon == 0


def test_a_budget_that_promises_nothing_is_refused() -> None:
    with pytest.raises(
        BadValue, match=r"budget epsilon = 1000000 must be a number from 0 to 10000\. A larger one promises"
    ):
        bn.Ledger.create(
            "memory:", budget=bn.Guarantee(10**6), neighbours=bn.Neighbours.REPLACE, questions=bn.AsYouGo()
        )


def test_the_family_of_a_ledgers_faults_stands_at_the_front_door(tmp_path: Path) -> None:
    with pytest.raises(bn.LedgerFault, match="There is no ledger"):
        bn.Ledger.open(tmp_path / "none.ledger")
