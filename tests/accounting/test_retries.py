"""The same request is charged once, however often it is asked for; another request under its key is refused."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import banister as bn
from banister.accounting.receipt import Receipt
from banister.errors import BadValue, ReceiptUsed

REPLACE = bn.Neighbours.REPLACE


@pytest.fixture(params=["memory", "file", "server"])
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[bn.Ledger]:
    address = {"memory": "memory:", "file": str(tmp_path / "a.ledger")}.get(request.param, "")
    if not address:
        address = f"{request.getfixturevalue('postgres')}#retries-{os.getpid()}-{tmp_path.name}"
    with bn.Ledger.create(address, budget=bn.Guarantee(1), neighbours=REPLACE, questions=bn.AsYouGo()) as made:
        yield made


def charge(ledger: bn.Ledger, epsilon: str = "0.4", *, label: str = "ages", plan: str = "p", key: str = "k") -> Receipt:
    return ledger.charge(bn.Guarantee(epsilon), label=label, neighbours=REPLACE, plan=plan, key=key)


def test_the_same_request_is_charged_once(ledger: bn.Ledger) -> None:
    first = charge(ledger)
    charge(ledger, "0.5", key="other")
    second = charge(ledger)  # It would not fit a second time.
    assert (first.again, second.again, second.proof) == (False, True, first.proof)
    assert ledger.remaining().charges == 2
    assert [entry.key for entry in ledger.history()] == ["k", "other"]


def test_a_second_receipt_does_not_draw_a_second_answer(ledger: bn.Ledger) -> None:
    charge(ledger).use(plan="p")
    again = charge(ledger)
    with pytest.raises(ReceiptUsed, match="was made before under this key, and its answer may have been given"):
        again.use(plan="p")
    with pytest.raises(BadValue, match="was paid for another plan"):
        again.resume(plan="q")
    again.resume(plan="p")  # By who knows that nothing was shown.
    with pytest.raises(ReceiptUsed, match="has been used"):
        again.resume(plan="p")


def test_other_content_under_a_key_is_refused(ledger: bn.Ledger) -> None:
    charge(ledger)
    charge(ledger, plan="", key="bare")
    for other in (
        lambda: charge(ledger, label="wards"),
        lambda: charge(ledger, plan="q"),
        lambda: charge(ledger, "0.1", plan="", key="bare"),
    ):
        with pytest.raises(BadValue, match=r"The key '.*' belongs to charge . \('ages'\), which is another request"):
            other()
    assert ledger.remaining().charges == 2


def test_charges_without_a_key_are_each_made(ledger: bn.Ledger) -> None:
    assert [charge(ledger, "0.1", key="").again for _ in range(3)] == [False] * 3
    assert ledger.remaining().charges == 3


def test_a_key_is_one_short_line(ledger: bn.Ledger) -> None:
    with pytest.raises(BadValue, match="The key of a charge must be one line"):
        charge(ledger, key="a\nb")


def test_a_ledger_of_an_older_version_learns_keys(tmp_path: Path) -> None:
    import sqlite3
    from contextlib import closing

    path = tmp_path / "old.ledger"
    bn.Ledger.create(path, budget=bn.Guarantee(1), neighbours=REPLACE, questions=bn.AsYouGo()).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE request")
    with bn.Ledger.open(path) as ledger:
        assert [charge(ledger).again, charge(ledger).again] == [False, True]
