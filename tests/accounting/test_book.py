"""The ledger decides exactly, writes nothing when it refuses, and finds what was changed."""

import json
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banister.accounting import book as book
from banister.accounting.chain import ChainLine
from banister.accounting.charge import Charge
from banister.accounting.filters import AsYouGo, filter_for
from banister.accounting.filters.gaussian import GaussianGate
from banister.accounting.ledger import Ledger
from banister.accounting.stores.memory import MemoryStore
from banister.accounting.terms import Entry, Terms
from banister.core.exact.numbers import brief_down
from banister.core.privacy.guarantee import Guarantee, Neighbours
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue, BudgetExceeded, LedgerDamaged, LedgerForeign

PURE = Terms(
    budget=Guarantee(1),
    neighbours=Neighbours.REPLACE,
    accountant=filter_for(Guarantee(1), AsYouGo()),
    created="2026-01-01T00:00:00Z",
)


AT = "2026-03-15T12:00:00Z"


def charge(epsilon: str, label: str = "ages", neighbours: Neighbours = Neighbours.REPLACE) -> Charge:
    return Charge.of(Guarantee(epsilon), label=label, neighbours=neighbours)


def write(store: MemoryStore, epsilon: str, at: str = "now") -> int:
    return book.write_charge(store, PURE, charge(epsilon), at=at).sequence


@given(st.lists(st.fractions(0, Fraction(1, 2)), max_size=12))
def test_totals_are_exact_and_never_over_the_budget(sizes: list[Fraction]) -> None:
    store, total = MemoryStore(PURE.line()), Fraction(0)
    for size in sizes:
        if total + size <= 1:
            write(store, str(size))
            total += size
        else:
            with pytest.raises(BudgetExceeded):
                write(store, str(size))
    assert book.remaining(store, PURE, at=AT).largest_epsilon == 1 - total
    assert book.verify(store)[0] == book.remaining(store, PURE, at=AT).charges


def test_a_refusal_says_what_is_left_and_writes_nothing() -> None:
    store = MemoryStore(PURE.line())
    write(store, "0.91")
    before = tuple(store.lines())
    with pytest.raises(BudgetExceeded) as caught:
        write(store, "0.4")
    assert str(caught.value) == (
        "The charge 'ages' (epsilon = 0.4) does not fit the budget (1, 0) after 1 charge: the total would go over the "
        "budget. The largest epsilon that still fits is 0.09. Nothing was charged and nothing was drawn."
    )
    assert tuple(store.lines()) == before
    write(store, "0.09")


def test_a_charge_about_other_neighbours_is_refused() -> None:
    with pytest.raises(BadValue, match="speaks about replace neighbours, the charge 'ages' about add-remove"):
        book.write_charge(MemoryStore(PURE.line()), PURE, charge("0.1", neighbours=Neighbours.ADD_REMOVE), at="")


def test_history_tells_every_charge() -> None:
    store = MemoryStore(PURE.line())
    write(store, "1/3", at="2026-01-02T00:00:00Z")
    (entry,) = book.history(store)
    assert (entry.sequence, entry.at, entry.label, entry.in_words()) == (1, "2026-01-02T00:00:00Z", "ages", "1/3")
    assert entry.totals == (Fraction(0), Fraction(1, 3))


def test_terms_read_back_as_they_were_written() -> None:
    assert Terms.of_line(PURE.line()) == PURE


def forged(changes: dict[str, object], *, line: int = 1) -> MemoryStore:
    """A ledger whose chain is whole, but which says something no charge can: written by someone else."""
    store = MemoryStore(PURE.line())
    write(store, "1/4")
    write(store, "1/4")
    lines = list(store.lines())
    body = json.dumps(json.loads(lines[line].body) | changes)
    other = MemoryStore(lines[0] if line else ChainLine.first(body))
    for place, old in enumerate(lines[1:], start=1):
        other.append(lambda last, text=body if place == line else old.body: last.follow(text))  # type: ignore[misc]
    return other


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"totals": ["0", "2"]}, "brings a total down, or over its limit"),
        ({"totals": ["0", "3/4"]}, "brings a total down, or over its limit"),
        ({"totals": ["0"]}, "brings a total down, or over its limit"),
        ({"totals": ["0", "x"]}, "Line 1 of the ledger does not read"),
        ({"totals": None}, "Line 1 of the ledger does not read"),
    ],
)
def test_verify_adds_up_again(changes: dict[str, object], message: str) -> None:
    with pytest.raises(LedgerDamaged, match=message):
        book.verify(forged(changes))


@pytest.mark.parametrize("totals", [["0", "1000001/1000000"], ["1/1000000", "1/2"]], ids=["epsilon", "delta"])
def test_verify_finds_a_last_line_over_a_limit(totals: list[str]) -> None:
    """Totals that only grow, so that nothing but the limit itself shows it."""
    with pytest.raises(LedgerDamaged, match="Line 2 of the ledger brings a total down, or over its limit"):
        book.verify(forged({"totals": totals}, line=2))


def test_terms_of_another_version_or_beyond_reading_are_told_apart() -> None:
    with pytest.raises(LedgerForeign, match="first line is not of format 1"):
        Terms.of_line(forged({"format": 2}, line=0).first())
    wrong: list[dict[str, object]] = [{"epsilon": "?"}, {"mode": "both"}, {"accountant": {}}]
    for changes in wrong:
        with pytest.raises(LedgerDamaged, match="Line 0 of the ledger does not read"):
            Terms.of_line(forged(changes, line=0).first())
    with pytest.raises(LedgerDamaged, match="Line 0 of the ledger does not read"):
        Terms.of_line(ChainLine.first("not even JSON"))


class Emptied(MemoryStore):
    def lines(self) -> Iterator[ChainLine]:
        return iter(())


def test_verify_without_lines_says_so() -> None:
    with pytest.raises(LedgerDamaged, match="has no lines at all"):
        book.verify(Emptied(PURE.line()))


def test_a_proof_finds_a_ledger_that_was_rewritten_as_a_whole() -> None:
    store = MemoryStore(PURE.line())
    receipt = book.write_charge(store, PURE, charge("1/2"), at="")
    assert book.verify(store, (receipt.proof,))[0] == 1
    other = MemoryStore(PURE.line())
    book.write_charge(other, PURE, charge("1/100"), at="")
    with pytest.raises(LedgerDamaged, match="does not hold charge 1 as its receipt proves it"):
        book.verify(other, (receipt.proof,))
    with pytest.raises(LedgerDamaged, match="does not hold charge 1"):
        book.verify(MemoryStore(PURE.line()), (receipt.proof,))
    with pytest.raises(BadValue, match="'1:xyz' is not a proof"):
        book.verify(store, ("1:xyz",))


def test_an_entry_without_bound_or_with_a_delta_says_so() -> None:
    store = MemoryStore(PURE.line())
    write(store, "1/4")
    entry = book.history(store)[0]
    assert replace(entry, epsilon="inf").in_words() == "no bound"
    assert replace(entry, epsilon="inf", keeps=Guarantee(1, "1e-6")).in_words() == "1, 1e-06"
    assert replace(entry, delta="1/1000000").in_words() == "0.25, 1e-06"
    with pytest.raises(LedgerDamaged, match="Line 0"):
        Entry.of_line(ChainLine.first("{}"))


def test_a_gate_that_a_charge_has_closed_stays_closed_in_the_book() -> None:
    """Gaussian noise that cannot be added up to the rest: nothing passes by adding up epsilons after it."""
    budget = Guarantee(1, "1e-6")
    terms = replace(PURE, budget=budget, accountant=filter_for(budget, AsYouGo()))
    store = MemoryStore(terms.line())
    bell = PrivacyLoss.gaussian(GaussianGate.for_budget(Guarantee(1, "1e-7")).limit)
    book.write_charge(store, terms, Charge.of(bell, label="bell", neighbours=Neighbours.REPLACE), at="now")
    delta, added_up, divergence = book.history(store)[0].totals
    assert (delta, added_up) == (Fraction(0), None)
    assert divergence is not None
    assert divergence > 0
    left = book.remaining(store, terms, at=AT)
    assert left.free[0] == "epsilons added up: closed"
    assert left.largest_epsilon < Fraction(1, 2)
    with pytest.raises(BudgetExceeded):
        book.write_charge(store, terms, charge("0.9"), at="now")


def test_numbers_are_rounded_down_where_they_are_promised() -> None:
    assert [brief_down(Fraction(x)) for x in ("2/3", "0", "0.09", "1000001", "1/3000000")] == [
        "0.666666",
        "0",
        "0.09",
        "1000001",
        "3.33333e-07",
    ]
    assert str(book.remaining(MemoryStore(PURE.line()), PURE, at=AT)).endswith(
        "the largest epsilon that still fits is 1"
    )


def test_a_charge_without_a_bound_says_what_was_asked_for() -> None:
    """Gaussian noise has no largest loss: the line says what it is proven to keep, and older lines say nothing."""
    asked = Guarantee(1, "1e-6")
    noise = PrivacyLoss.gaussian(Fraction("0.02"))
    with Ledger.create("memory:", budget=Guarantee(2, "1e-5"), neighbours=PURE.neighbours, questions=AsYouGo()) as own:
        for guarantee in (asked, None):
            own.charge(noise, label="a look", neighbours=PURE.neighbours, guarantee=guarantee)
        with pytest.raises(BadValue, match=r"is not proven to keep \(0.001, 1e-06\)"):
            own.charge(noise, label="a look", neighbours=PURE.neighbours, guarantee=Guarantee("0.001", "1e-6"))
        own.charge(Guarantee("1/4"), label="a count", neighbours=PURE.neighbours, guarantee=asked)
        said, silent, bounded = own.history()
        assert [each.level for each in (said, silent, bounded)] == [asked, None, Guarantee("1/4")]
        assert said.in_words() == "1, 1e-06"
        assert silent.in_words() == "no bound"
        assert bounded.keeps is None
        assert "keeps" in own.line(f"1:{said.hash}")[1].body
        assert "keeps" not in own.line(f"3:{bounded.hash}")[1].body
        own.verify()
    with pytest.raises(LedgerDamaged, match="Line 1"):
        Entry.of_line(ChainLine(sequence=1, body=said_badly(), hash=""))


def said_badly() -> str:
    body = {"kind": "charge", "at": "", "label": "x", "plan": "", "epsilon": "inf", "delta": "0", "totals": []}
    return json.dumps(body | {"keeps": {"epsilon": "1e9999999", "delta": "0"}})
