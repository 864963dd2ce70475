"""One payment is one release."""

import copy
import os
import pickle
from fractions import Fraction

import pytest

from banister.accounting.receipt import Receipt
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue, ReceiptUsed


def receipt(plan: str = "") -> Receipt:
    return Receipt(sequence=3, hash="ab" * 32, label="ages", plan=plan, paid=PrivacyLoss.pure(Fraction(1)))


def test_a_receipt_works_once() -> None:
    paid = receipt("p")
    paid.use(plan="p")
    with pytest.raises(ReceiptUsed, match=r"The receipt of charge 3 \('ages'\) has been used"):
        paid.use(plan="p")
    assert repr(paid) == "Receipt(3, 'ages', used=True)"


def test_a_receipt_for_another_plan_is_refused_and_not_used_up() -> None:
    paid = receipt("p")
    with pytest.raises(BadValue, match="was paid for another plan"):
        paid.use(plan="q")
    paid.use(plan="p")


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_receipt_cannot_be_duplicated(duplicate: object) -> None:
    with pytest.raises(ReceiptUsed, match="cannot be copied or stored; keep its `proof`"):
        duplicate(receipt())  # type: ignore[operator]


def test_a_receipt_does_not_work_in_a_child_process() -> None:
    paid = receipt()
    child = os.fork()
    if child == 0:
        try:
            paid.use()
        except ReceiptUsed:
            os._exit(7)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    paid.use()


def test_the_proof_names_line_and_hash() -> None:
    assert receipt().proof == "3:" + "ab" * 32
