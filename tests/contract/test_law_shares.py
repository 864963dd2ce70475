"""Shares are exact, plans keep what they promise, and a release draws nothing that was not paid for."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from banister.accounting.charge import covers, keeps
from banister.accounting.filters import AsYouGo
from banister.accounting.ledger import Ledger
from banister.accounting.receipt import Receipt
from banister.core.privacy.guarantee import Guarantee, Neighbours
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue, ReceiptUsed, Uncertified
from banister.mechanisms import Geometric, IntegerStaircase, TruncatedStaircase
from banister.release.payments.cells import CellByCell, cell_by_cell
from banister.release.payments.threshold import CellThreshold
from banister.release.planning.plan import Part, Plan
from banister.release.planning.split import proportions, share_out
from banister.release.run import release
from tests.contract.drawn import planned
from tests.contract.small_source import SmallSource
from tests.seeded import SeededBits

TWO = "SELECT g, COUNT(*) AS n, SUM(y) AS t, MEDIAN(x) AS q FROM data GROUP BY g; SELECT COUNT(*) AS n FROM data"
THREE = "SELECT g, COUNT(*) AS n, SUM(y) AS t, AVG(x) AS m FROM data GROUP BY g"
WEIGHT = st.integers(-60, 60).map(lambda power: f"1e{power}")


@given(st.lists(st.floats(1e-300, 1e300), min_size=1, max_size=9), st.fractions(Fraction(1, 100), 9))
def test_shares_are_above_nothing_and_add_up_to_the_whole(sizes: list[float], epsilon: Fraction) -> None:
    assert sum(proportions(sizes)) == 1
    shares = share_out(epsilon, sizes)
    assert sum(shares) == epsilon
    assert min(shares) > 0


@settings(max_examples=25, deadline=None)
@given(WEIGHT, WEIGHT, WEIGHT, st.sampled_from(["0", "1e-6", "0.01"]), st.sampled_from(["add-remove", "replace"]))
def test_whatever_the_weights_a_plan_keeps_its_guarantee(n: str, t: str, m: str, delta: str, neighbours: str) -> None:
    plan = planned(
        THREE, weights={"n": n, "t": t, "m": m}, delta=delta, rows=2, groups=3, neighbours=neighbours, epsilon="1"
    )
    for part in (plan.parts[0], plan.parts[0].alternative):
        if part is not None:
            assert keeps(part.loss(), Guarantee(1, part.delta))
            if not part.joint:
                assert sum(measured.epsilon for measured in part.measured) == 1


def test_a_weight_of_nearly_nothing_takes_nothing_from_nobody() -> None:
    plan = planned("SELECT g, COUNT(*) AS n, SUM(y) AS s FROM data GROUP BY g", weights={"n": "1", "s": "1e-60"})
    assert sum(measured.epsilon for measured in plan.parts[0].measured) == plan.guarantee.epsilon
    for weight in ("1e-61", "1e400", "1e61"):
        with pytest.raises(BadValue, match=r"weight of n = .* must be a number from 1e-60 to 1e\+60"):
            planned(THREE, weights={"n": weight})


def test_a_share_too_small_to_be_drawn_is_refused_in_the_words_of_plans() -> None:
    """Weights can leave 2^-40 of epsilon to an answer. Noise for a large sum would then not fit in 64 bits."""
    measured = planned(THREE).parts[0].measured[1]
    refusal = r"epsilon = .* is too small for what one person can contribute .* where answers have weights"
    for bits in (40, 48, 53, 70):
        with pytest.raises(BadValue, match=refusal):
            cell_by_cell(measured.measure, replace(measured.share, sensitivity=2**13), Fraction(1, 2**bits))


@pytest.mark.parametrize(
    ("loss", "guarantee", "kept"),
    [
        (PrivacyLoss.nothing(), Guarantee(0), True),
        (PrivacyLoss.pure(Fraction(1, 7)).times(7), Guarantee(1), True),
        (PrivacyLoss.pure(Fraction(1, 7) + Fraction(1, 2**80)).times(7), Guarantee(1), False),
        (PrivacyLoss.of_guarantee(Guarantee("0.5", "1e-6")).times(2), Guarantee(1, "2e-6"), True),
        (PrivacyLoss.of_guarantee(Guarantee("0.5", "1e-6")), Guarantee("0.5", "0.9999999e-6"), False),
        (PrivacyLoss.gaussian(Fraction(1, 100)), Guarantee(1), False),
        (PrivacyLoss.gaussian(Fraction(1, 100)), Guarantee("0.5", "1e-6"), True),
        (PrivacyLoss.gaussian(Fraction(1, 100)), Guarantee("0.3", "1e-6"), False),
        # Adding up says (3, 0), which is too much; composing says enough.
        (PrivacyLoss.pure(Fraction(1, 10)).times(30), Guarantee(2, "1e-2"), True),
    ],
)
def test_what_keeps_a_guarantee_is_told_exactly(loss: PrivacyLoss, guarantee: Guarantee, kept: bool) -> None:
    assert keeps(loss, guarantee) is kept


def test_a_payment_covers_itself_and_what_keeps_it_and_nothing_more() -> None:
    tenth, whole = PrivacyLoss.pure(Fraction(1, 10)), PrivacyLoss.pure(Fraction(1))
    assert covers(tenth.times(10), tenth.times(10))
    assert covers(whole, tenth.times(10))
    assert not covers(tenth.times(10), whole)
    assert not covers(tenth.times(10), tenth.times(11))
    assert covers(PrivacyLoss.of_guarantee(Guarantee(1, "1e-6")), PrivacyLoss.gaussian(Fraction(1, 100)))
    assert not covers(PrivacyLoss.gaussian(Fraction(1, 100)), tenth)


def dearer(plan: Plan) -> Part:
    """The first question with half of its first noise: it gives away twice as much as was planned."""
    part = plan.parts[0]
    first = part.measured[0]
    assert isinstance(first, CellByCell)
    assert isinstance(first.noise, IntegerStaircase | Geometric)
    noise = IntegerStaircase(epsilon=2 * first.noise.epsilon, sensitivity=first.noise.sensitivity, cost="squared")
    return replace(part, measured=(replace(first, noise=noise), *part.measured[1:]))


def test_a_plan_that_gives_away_more_than_it_promises_cannot_be_made() -> None:
    plan = planned(TWO)
    with pytest.raises(Uncertified, match=r"not proven to keep \(2, 0\), so it cannot be made"):
        replace(plan, parts=(dearer(plan), *plan.parts[1:]))
    with pytest.raises(Uncertified, match="not proven to keep"):
        replace(plan, guarantee=Guarantee("1.999"))
    with pytest.raises(Uncertified, match="not proven to keep"):
        replace(plan, parts=(*plan.parts, plan.parts[1]))


def test_truncated_noise_is_not_charged_for_moves_it_was_not_made_for() -> None:
    first = planned("SELECT s, COUNT(*) AS n FROM data GROUP BY s", delta="0.01").parts[0].measured[0]
    assert isinstance(first, CellThreshold)
    with pytest.raises(Uncertified, match="one sensitivity a cell"):
        replace(first, share=replace(first.share, moves=2)).loss()


def test_noise_with_a_delta_is_not_charged_for_several_moves_in_one_cell() -> None:
    first = planned("SELECT g, COUNT(*) AS n FROM data GROUP BY g").parts[0].measured[0]
    assert isinstance(first, CellByCell)
    noise = TruncatedStaircase(epsilon=1, delta=Fraction(1, 100), sensitivity=1)
    with pytest.raises(Uncertified, match="one sensitivity a cell"):
        replace(first, noise=noise, share=replace(first.share, touches=2, moves=2)).loss()


@pytest.fixture
def book() -> Iterator[Ledger]:
    questions = AsYouGo(reserve="1/2")
    with Ledger.create(
        "memory:", budget=Guarantee(5, "0.1"), neighbours=Neighbours.ADD_REMOVE, questions=questions
    ) as made:
        yield made


class NoBits:
    """Bits of which none may be taken."""

    def take(self, count: int) -> int:
        raise AssertionError("a bit was drawn that was not paid for")

    def words(self, count: int, width: int) -> np.ndarray:
        raise AssertionError("a bit was drawn that was not paid for")


class BitsUntil(SeededBits):
    """Bits for the keys of the engine's work; from a moment on none may be taken."""

    over = False

    def take(self, count: int) -> int:
        return NoBits().take(count) if self.over else super().take(count)

    def words(self, count: int, width: int) -> np.ndarray:
        return NoBits().words(count, width) if self.over else super().words(count, width)


@pytest.mark.parametrize("delta", ["0", "0.01"])
def test_a_release_charges_the_loss_of_what_it_draws(delta: str, book: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = planned(TWO, delta=delta, rows=2, groups=3)
    receipts: list[Receipt] = []
    charge = Ledger.charge

    def spy(self: Ledger, *words: object, **names: object) -> Receipt:
        receipts.append(charge(self, *words, **names))  # type: ignore[arg-type]
        return receipts[-1]

    monkeypatch.setattr(Ledger, "charge", spy)
    done = release(plan, SmallSource([]), book, bits=SeededBits(4))
    (receipt,) = receipts
    assert done.proof == receipt.proof
    assert dict(receipt.paid.terms) == dict(plan.loss.terms)
    assert receipt.plan == plan.digest
    with pytest.raises(ReceiptUsed, match="has been used"):
        receipt.use(plan=plan.digest)


def _paid_by(receipt: Receipt, bits: BitsUntil, monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on a charge gives this receipt, and then bits run dry."""

    def charge(self: Ledger, *words: object, **names: object) -> Receipt:
        bits.over = True
        return receipt

    monkeypatch.setattr(Ledger, "charge", charge)


def test_nothing_is_drawn_with_a_receipt_that_was_used(book: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    plan, bits = planned(TWO), BitsUntil(4)
    receipt = book.charge(plan.loss, label="before", neighbours=plan.neighbours, plan=plan.digest)
    receipt.use(plan=plan.digest)
    _paid_by(receipt, bits, monkeypatch)
    with pytest.raises(ReceiptUsed, match="has been used"):
        release(plan, SmallSource([]), book, bits=bits)


def test_nothing_is_drawn_with_a_receipt_for_another_plan(book: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    plan, bits = planned(TWO), BitsUntil(4)
    receipt = book.charge(plan.loss, label="before", neighbours=plan.neighbours, plan=planned(THREE).digest)
    _paid_by(receipt, bits, monkeypatch)
    with pytest.raises(BadValue, match="was paid for another plan"):
        release(plan, SmallSource([]), book, bits=bits)


def test_nothing_is_drawn_with_a_receipt_for_less(book: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    plan, bits = planned(TWO), BitsUntil(4)
    receipt = book.charge(Guarantee("1.9"), label="before", neighbours=plan.neighbours, plan=plan.digest)
    _paid_by(receipt, bits, monkeypatch)
    with pytest.raises(Uncertified, match=r"is not proven to pay for what is about to be drawn\. Nothing was drawn"):
        release(plan, SmallSource([]), book, bits=bits)


def test_a_plan_that_was_changed_after_it_was_made_is_refused_before_the_charge(book: Ledger) -> None:
    plan = planned(TWO)
    assert plan.loss  # It is kept from here on, and no longer true.
    object.__setattr__(plan, "parts", (dearer(plan), *plan.parts[1:]))
    with pytest.raises(Uncertified, match="What is about to be drawn is not proven to keep"):
        release(plan, SmallSource([]), book, bits=SeededBits(4))
    assert book.remaining().charges == 0
