"""A ledger that is behind its witness, or beside it, is refused; no receipt comes before the witness has it."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import banister as bn
from banister.accounting.stores import witness as module
from banister.errors import LedgerDamaged, LedgerExists, LedgerForeign, LedgerMissing, LedgerUnreachable

REPLACE = bn.Neighbours.REPLACE


@pytest.fixture(params=["file", "server"])
def witness(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "file":
        (tmp_path / "elsewhere").mkdir()
        yield str(tmp_path / "elsewhere" / "a.witness")
    else:
        yield f"{request.getfixturevalue('postgres')}#w-{os.getpid()}-{tmp_path.name}"


def create(path: Path, witness: str = "") -> bn.Ledger:
    return bn.Ledger.create(path, budget=bn.Guarantee(1), neighbours=REPLACE, questions=bn.AsYouGo(), witness=witness)


def charge(ledger: bn.Ledger, label: str = "x", key: str = "") -> bool:
    receipt = ledger.charge(bn.Guarantee("1/1000"), label=label, neighbours=REPLACE, key=key)
    return receipt.again


def reopened(path: Path, witness: str) -> bn.Ledger:
    """Opened as its lines say; on a server the user's name is not in them, so it is said again."""
    return bn.Ledger.open(path, witness=witness if "@" in witness else "")


def test_a_ledger_that_was_put_back_is_refused(tmp_path: Path, witness: str) -> None:
    path = tmp_path / "a.ledger"
    with create(path, witness) as ledger:
        charge(ledger)
    shutil.copy(path, tmp_path / "older")
    with reopened(path, witness) as ledger:
        charge(ledger)
        assert ledger.head.startswith("2:")
        assert ledger.verify(proofs=[ledger.head])[0] == 2
    shutil.copy(path, tmp_path / "newest")
    shutil.copy(tmp_path / "older", path)
    with pytest.raises(LedgerDamaged, match=r"ends with line 1, but its witness .* has seen line 2"):
        reopened(path, witness)
    shutil.copy(tmp_path / "newest", path)
    with reopened(path, witness) as ledger:
        assert charge(ledger) is False


def test_a_ledger_that_went_another_way_is_refused(tmp_path: Path, witness: str) -> None:
    """Both were opened on the same state; the second to tell its line 1 is told that there is another."""
    path = tmp_path / "a.ledger"
    create(path, witness).close()
    shutil.copy(path, tmp_path / "b.ledger")
    with reopened(path, witness) as one, reopened(tmp_path / "b.ledger", witness) as two:
        charge(one)
        with pytest.raises(LedgerDamaged, match="Line 1 of the ledger is not the one that its witness"):
            charge(two)
    with pytest.raises(LedgerDamaged, match="Line 1 of the ledger is not the one that its witness"):
        reopened(tmp_path / "b.ledger", witness)


def test_a_ledger_may_be_ahead_of_its_witness(tmp_path: Path, witness: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process may die between the two; nobody has a receipt then, and the key finds the charge again."""
    path = tmp_path / "a.ledger"
    with create(path, witness) as ledger:

        def fails(*_: object) -> None:
            raise OSError(5, "Input/output error")

        monkeypatch.setattr(type(ledger._store._witness), "tell", fails)  # type: ignore[attr-defined]
        with pytest.raises(LedgerUnreachable, match="No receipt was given and nothing was drawn; a charge under way"):
            charge(ledger, key="k")
        monkeypatch.undo()
    with reopened(path, witness) as ledger:
        assert charge(ledger, key="k") is True
        assert charge(ledger, key="l") is False


def test_a_witness_is_attached_later_and_remembered(tmp_path: Path, witness: str) -> None:
    path = tmp_path / "a.ledger"
    with create(path) as ledger:
        charge(ledger)
    bn.Ledger.open(path, witness=witness).close()
    with bn.Ledger.open(path, witness=witness) as ledger:  # Named again, it is the same one.
        charge(ledger)
    shutil.copy(path, tmp_path / "older")
    with reopened(path, witness) as ledger:
        charge(ledger)
        assert any(name == "witness" and "@" not in value for name, value in ledger.summary())
    shutil.copy(tmp_path / "older", path)
    with pytest.raises(LedgerDamaged, match="ends with line 2, but its witness"):
        reopened(path, witness)


def test_a_witness_belongs_to_one_ledger_and_is_never_overwritten(tmp_path: Path, witness: str) -> None:
    create(tmp_path / "a.ledger", witness).close()
    with pytest.raises(LedgerExists, match="never overwritten"):
        create(tmp_path / "b.ledger", witness)
    assert not (tmp_path / "b.ledger").exists()
    if "@" not in witness:
        create(tmp_path / "c.ledger", witness + "2").close()
        with pytest.raises(LedgerForeign, match="is the witness of another ledger"):
            bn.Ledger.open(tmp_path / "a.ledger", witness=witness + "2")


def test_a_ledger_that_cannot_be_made_leaves_no_witness(tmp_path: Path, witness: str) -> None:
    (tmp_path / "a.ledger").write_text("something else")
    with pytest.raises(LedgerExists, match="There is already a file"):
        create(tmp_path / "a.ledger", witness)
    create(tmp_path / "b.ledger", witness).close()


def test_a_witness_that_is_gone_or_broken_is_told(tmp_path: Path) -> None:
    path, place = tmp_path / "a.ledger", tmp_path / "a.witness"
    with pytest.raises(LedgerMissing, match="There is no folder"):
        create(path, str(tmp_path / "none" / "a.witness"))
    with create(path, str(place)) as ledger:
        place.rename(tmp_path / "away")
        with pytest.raises(LedgerMissing, match=r"The ledger's witness .* is not there"):
            charge(ledger)
    with pytest.raises(LedgerMissing, match=r"The ledger's witness .* is not there"):
        bn.Ledger.open(path)
    place.write_bytes(b"x" * 100)
    with pytest.raises(LedgerDamaged, match="does not read as one"):
        bn.Ledger.open(path)


def test_a_torn_write_loses_one_state_at_most(tmp_path: Path) -> None:
    path, place = tmp_path / "a.ledger", tmp_path / "a.witness"
    with create(path, str(place)) as ledger:
        for _ in range(module.SLOTS + 3):
            charge(ledger)
    last = module.SLOTS + 3
    with place.open("r+b") as handle:
        handle.seek((last % module.SLOTS) * module.SIZE + 60)
        handle.write(b"torn")
    with bn.Ledger.open(path) as ledger:
        assert ledger._store._witness.newest(ledger._store.first().hash)[0] == last - 1  # type: ignore[attr-defined]
        charge(ledger)
