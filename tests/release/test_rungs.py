"""Answers that get finer: what is charged, what is sealed, and what is refused."""

import json
import stat
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from banister import AsYouGo, BudgetExceeded, Geometric, Guarantee, Guard, Ledger, Neighbours
from banister.accounting.charge import LONGEST_LABEL
from banister.apps.cli import build
from banister.errors import BadValue
from banister.mechanisms.integers.rungs import GeometricRungs
from banister.release import RungAnswer, refine_rungs, release_rungs
from banister.release import rungs as rungs_file

NEAR = Neighbours.ADD_REMOVE


def ledger(budget: Guarantee, path: str | Path = "memory:", **more) -> Ledger:
    return Ledger.create(path, budget=budget, neighbours=NEAR, questions=more.get("questions", AsYouGo()))


def released(book: Ledger, sealed: Path, epsilons=("1/10", "1/2", 1)) -> RungAnswer:
    return release_rungs([41, 7], epsilons=list(epsilons), ledger=book, label="two wards", sealed=sealed)


@pytest.mark.parametrize("budget", [Guarantee(2), Guarantee(2, "1e-6")])
def test_only_the_top_rung_is_paid(budget: Guarantee, tmp_path: Path) -> None:
    book, sealed = ledger(budget), tmp_path / "wards.rungs"
    assert released(book, sealed).epsilon == Fraction(1, 10)
    book.charge(Guarantee("1/4"), label="something else", neighbours=NEAR)
    assert refine_rungs(sealed, ledger=book).epsilon == Fraction(1, 2)
    last = refine_rungs(sealed, ledger=book)
    assert last.finer == ()
    assert book.remaining().largest_epsilon == 2 - 1 - Fraction(1, 4)
    assert [entry.epsilon for entry in book.history()] == ["1/10", "1/4", "1/2", "1"]
    assert book.verify()[0] == 4


def test_the_longest_label_can_be_refined_as_any_other(tmp_path: Path) -> None:
    """What is said about refining it takes the place of the label's end: else its finer rungs would never open."""
    book, sealed, label = ledger(Guarantee(2)), tmp_path / "wards.rungs", "w" * LONGEST_LABEL
    release_rungs([41, 7], epsilons=["1/10", 1], ledger=book, label=label, sealed=sealed)
    assert refine_rungs(sealed, ledger=book).epsilon == 1
    said = [entry.label for entry in book.history()][-1]
    assert len(said) == LONGEST_LABEL
    assert said.endswith("w, refining charge 1")


def test_every_other_gate_is_closed_by_a_refinement(tmp_path: Path) -> None:
    book, sealed = ledger(Guarantee(1, "1e-6")), tmp_path / "wards.rungs"
    released(book, sealed, ("1/100", "1/10"))
    assert not any("closed" in words for words in book.remaining().free)
    refine_rungs(sealed, ledger=book)
    gates = book.remaining().free
    assert "closed" not in gates[0]
    assert "closed" in gates[1]
    assert book.remaining().largest_epsilon == Fraction(9, 10)


def test_a_refinement_that_does_not_fit_stays_sealed(tmp_path: Path) -> None:
    book, sealed = ledger(Guarantee("1/2")), tmp_path / "wards.rungs"
    released(book, sealed, ("1/10", 1))
    before = sealed.read_bytes()
    with pytest.raises(BudgetExceeded, match=r"takes 0\.9 of epsilon more"):
        refine_rungs(sealed, ledger=book)
    assert sealed.read_bytes() == before
    assert book.remaining().charges == 1


def test_the_rungs_are_those_of_the_first_release_and_for_the_owner_alone(tmp_path: Path) -> None:
    book, sealed = ledger(Guarantee(2)), tmp_path / "wards.rungs"
    first = released(book, sealed)
    kept = json.loads(sealed.read_text())
    assert stat.S_IMODE(sealed.stat().st_mode) == 0o600
    assert list(first.values) == kept["values"][0]
    assert list(refine_rungs(sealed, ledger=book).values) == kept["values"][1]
    assert stat.S_IMODE(sealed.stat().st_mode) == 0o600
    assert json.loads(sealed.read_text())["values"] == kept["values"]


def test_a_crash_after_the_charge_costs_nothing(tmp_path: Path) -> None:
    book, sealed = ledger(Guarantee(2)), tmp_path / "wards.rungs"
    released(book, sealed)
    before = sealed.read_bytes()
    once = refine_rungs(sealed, ledger=book)
    sealed.write_bytes(before)  # As if the file had not been written any more.
    assert refine_rungs(sealed, ledger=book) == once
    assert book.remaining().charges == 2


@pytest.mark.parametrize("step", ["charge", "draw", "seal", "told"])
def test_a_first_release_that_was_cut_off_is_finished_and_charged_once(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book, sealed = ledger(Guarantee(2), tmp_path / "book"), tmp_path / "wards.rungs"

    def cut(*given: object, **words: object) -> None:
        raise KeyboardInterrupt

    places = {
        "charge": (Ledger, "charge"),
        "draw": (GeometricRungs, "draw"),
        "seal": (rungs_file, "replace"),
        "told": (rungs_file, "_told"),
    }
    with monkeypatch.context() as broken:
        broken.setattr(*places[step], cut)
        with pytest.raises(KeyboardInterrupt):
            released(book, sealed)
    assert book.remaining().charges == (step not in ("charge", "seal"))
    with pytest.raises(BadValue, match="belongs to another release"):
        released(book, sealed, ("1/10", "1/2"))
    if step == "told":
        kept = json.loads(sealed.read_text())["values"][0]
        assert list(released(book, sealed).values) == kept, "one answer for one charge"
    else:
        assert len(released(book, sealed).values) == 2
    assert book.remaining().charges == 1
    assert sorted(path.name for path in tmp_path.glob("wards*")) == ["wards.rungs"]
    with pytest.raises(BadValue, match="never written over"):
        released(book, sealed)


def test_a_refusal_leaves_the_name_free(tmp_path: Path) -> None:
    book, sealed = ledger(Guarantee("1/20")), tmp_path / "wards.rungs"
    with pytest.raises(BudgetExceeded):
        released(book, sealed)
    assert list(tmp_path.glob("wards*")) == []
    released(book, sealed, ("1/50", "1/20"))


def test_another_question_cannot_take_the_place_of_a_charge() -> None:
    book = ledger(Guarantee(2))
    book.charge(Geometric(epsilon="1/10"), label="a count", neighbours=NEAR)
    asked: Any = {"label": "another", "neighbours": NEAR}
    with pytest.raises(BadValue, match="is not a coarser rung"):
        book.refine(1, Guarantee(1), plan="rungs:x", **asked)
    with pytest.raises(BadValue, match="is not a coarser rung"):
        book.refine(1, Guarantee(1), plan="", **asked)
    with pytest.raises(BadValue, match="no charge 7"):
        book.refine(7, Guarantee(1), plan="rungs:x", **asked)
    book.charge(Guarantee("1/10"), plan="rungs:x", label="coarse", neighbours=NEAR)
    with pytest.raises(BadValue, match="without a delta"):
        book.refine(2, Guarantee(1, "1e-9"), plan="rungs:x", **asked)
    with pytest.raises(BadValue, match=r"has epsilon 0\.1 already"):
        book.refine(2, Guarantee("1/20"), plan="rungs:x", **asked)
    with pytest.raises(BadValue, match="add-remove neighbours, not replace"):
        book.refine(2, Guarantee(1), plan="rungs:x", label="x", neighbours=Neighbours.REPLACE)
    assert book.remaining().charges == 2


def test_a_plan_refuses_refinements(tmp_path: Path) -> None:
    book, sealed = ledger(Guarantee(2), questions=[(Guarantee("1/10"), 1), (Guarantee(1), 1)]), tmp_path / "x"
    released(book, sealed, ("1/10", 1))
    with pytest.raises(BadValue, match="Plan the finest rung"):
        refine_rungs(sealed, ledger=book)


def test_neighbours_that_replace_take_one_count_at_a_time(tmp_path: Path) -> None:
    book = Ledger.create(
        "memory:", budget=Guarantee(2), neighbours=Neighbours.REPLACE, questions=AsYouGo(guard=Guard.BASIC)
    )
    with pytest.raises(BadValue, match="2 counts cannot be released together for replace neighbours"):
        released(book, tmp_path / "x")
    assert book.remaining().charges == 0
    release_rungs([3], epsilons=[1], ledger=book, label="one", sealed=tmp_path / "x")
    with pytest.raises(BadValue, match="has no finer rung"):
        refine_rungs(tmp_path / "x", ledger=book)
    with pytest.raises(BadValue, match="never written over"):
        release_rungs([3], epsilons=[1], ledger=book, label="one", sealed=tmp_path / "x")


@pytest.mark.parametrize("text", ["{}", "[]", '{"format": "banister.rungs/1"}', '{"format": "banister.rungs/2"}'])
def test_a_file_of_another_shape_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "x").write_text(text)
    with pytest.raises(BadValue, match="is not a file of sealed rungs"):
        refine_rungs(tmp_path / "x", ledger=ledger(Guarantee(1)))


def test_the_command_opens_the_next_rung(tmp_path: Path) -> None:
    address, sealed = tmp_path / "wards.ledger", tmp_path / "wards.rungs"
    with ledger(Guarantee(2), address) as book:
        released(book, sealed)
    done = CliRunner().invoke(build(), ["refine", str(sealed), "--ledger", str(address)])
    assert done.exit_code == 0
    assert done.stdout.startswith("epsilon 0.5, charge 2: ")
    assert "still sealed: epsilon 1" in done.stdout
