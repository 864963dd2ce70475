"""Shares of one budget: each charge fits every share that covers it and the whole, on every path and in every race."""

import json
import multiprocessing
import os
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import banister as bn
from banister.accounting import BudgetShare, Opening, Whose, book, sharing
from banister.accounting.charge import Charge, keeps
from banister.accounting.filters import AsYouGo, filter_for
from banister.accounting.shares import HeldShare, hold
from banister.accounting.stores.memory import MemoryStore
from banister.accounting.terms import Entry, Terms
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue, BudgetExceeded, LedgerDamaged, ShareExceeded

REPLACE = bn.Neighbours.REPLACE
MARCH = "2026-03-15T12:00:00Z"
YEAR = Opening(start="2026-01", months=12)


def ledger(budget: bn.Guarantee, *shares: BudgetShare) -> bn.Ledger:
    made = bn.Ledger.create("memory:", budget=budget, neighbours=REPLACE, questions=bn.AsYouGo())
    made.state_shares(shares, by="olga")
    return made


def pay(paid: bn.Ledger, whose: Whose, epsilon: str, label: str = "a count", key: str = "") -> None:
    paid.on_behalf(whose).charge(bn.Guarantee(epsilon), label=label, neighbours=REPLACE, key=key)


def of(analyst: str, epsilon: str, delta: str = "0", project: str = "", opens: Opening | None = None) -> BudgetShare:
    return BudgetShare(guarantee=bn.Guarantee(epsilon, delta), analyst=analyst, project=project, opens=opens)


ANA, BEN = Whose(analyst="ana"), Whose(analyst="ben")


def test_a_charge_must_fit_its_share_and_the_whole() -> None:
    shared = ledger(bn.Guarantee(1), of("ana", "0.6"), of("ben", "0.6"))
    pay(shared, ANA, "0.6")
    with pytest.raises(
        ShareExceeded, match=r"share of ana, \(0\.6, 0\)\. The largest epsilon that still fits it is 0\."
    ):
        pay(shared, ANA, "1/1000")
    pay(shared, BEN, "0.3")
    with pytest.raises(BudgetExceeded, match="does not fit the budget") as refused:
        pay(shared, BEN, "0.2")
    assert not isinstance(refused.value, ShareExceeded)
    pay(shared, BEN, "0.1")
    assert [str(left.used) for left in shared.shares()] == ["1", "2/3"]
    assert shared.verify()[0] == 4


def test_a_refused_charge_writes_nothing() -> None:
    shared = ledger(bn.Guarantee(1), of("ana", "0.1"))
    before = shared.head
    with pytest.raises(ShareExceeded):
        pay(shared, ANA, "0.2")
    assert shared.head == before


def test_projects_and_analysts_each_have_their_say() -> None:
    shared = ledger(bn.Guarantee(1), of("ana", "0.5"), of("ben", "0.5"), of("", "0.6", project="trial"))
    pay(shared, replace(ANA, project="trial"), "0.4")
    pay(shared, replace(BEN, project="trial"), "0.2")
    with pytest.raises(ShareExceeded, match="share of everybody in trial"):
        pay(shared, replace(BEN, project="trial"), "0.1")
    pay(shared, BEN, "0.3")
    assert [float(left.used) for left in shared.shares()] == [0.8, 1, 1]


def test_who_has_no_share_asks_the_owner() -> None:
    shared = ledger(bn.Guarantee(1), of("ana", "0.5"), of("", "1"))
    with pytest.raises(ShareExceeded, match="'cleo' has no share of this ledger's budget"):
        pay(shared, Whose(analyst="cleo"), "0.1")
    pay(shared, Whose(analyst="cleo", allowed="olga"), "0.1")
    assert shared.history()[-1].whose == Whose(analyst="cleo", allowed="olga")
    with pytest.raises(BadValue, match="must say whose it is"):
        shared.charge(bn.Guarantee("0.1"), label="nobody's", neighbours=REPLACE)


def test_what_an_owner_allows_counts_in_the_share_and_never_passes_the_whole() -> None:
    shared = ledger(bn.Guarantee(1), of("ana", "0.2"))
    pay(shared, replace(ANA, allowed="olga"), "0.5")
    assert shared.shares()[0].used == Fraction(5, 2)
    with pytest.raises(ShareExceeded):
        pay(shared, ANA, "0.01")
    with pytest.raises(BudgetExceeded, match="does not fit the budget"):
        pay(shared, replace(ANA, allowed="olga"), "0.6")
    assert shared.verify()[0] == 2


def at_times(shares: tuple[BudgetShare, ...], paid: list[tuple[str, str]]) -> list[bool]:
    """Charge ana at given times, and say which charges were taken."""
    budget = bn.Guarantee(1)
    terms = Terms(budget=budget, neighbours=REPLACE, accountant=filter_for(budget, AsYouGo()), created=MARCH)
    store = MemoryStore(terms.line())
    sharing.state(store, terms, shares, by="olga", at="2026-01-01T00:00:00Z", nonce="n", witness="")
    taken = []
    for at, epsilon in paid:
        charge = Charge.of(bn.Guarantee(epsilon), label="x", neighbours=REPLACE)
        try:
            book.write_charge(store, terms, charge, at=at, whose=ANA)
        except BudgetExceeded:
            taken.append(False)
        else:
            taken.append(True)
    book.verify(store)
    return taken


def test_months_open_parts_of_one_total_and_nothing_spent_comes_back() -> None:
    paid = [
        ("2025-12-31T23:59:59Z", "1/1000"),  # Before the year nothing is open.
        ("2026-01-31T23:59:59Z", "0.05"),
        ("2026-01-31T23:59:59Z", "0.06"),  # 0.11 of the tenth that is open.
        ("2026-03-01T00:00:00Z", "0.25"),  # What January and February left is still there in March: 0.3 of 0.3.
        ("2026-03-31T00:00:00Z", "1/1000"),
        ("2026-02-01T00:00:00Z", "1/1000"),  # A clock that runs back opens nothing.
        ("2026-12-01T00:00:00Z", "0.7"),
        ("2031-01-01T00:00:00Z", "1/1000"),  # No second year.
    ]
    everybody = BudgetShare(guarantee=bn.Guarantee(1), opens=Opening(start="2026-01", months=10))
    taken = at_times((of("ana", "1"), everybody), paid)
    assert taken == [False, True, False, True, False, False, True, False]


def test_a_part_of_a_share_is_what_is_promised_of_it() -> None:
    shared = ledger(bn.Guarantee(1), of("ana", "0.6", opens=Opening(start="2020-01", months=10**6)))
    left = shared.shares()[0]
    assert 0 < left.largest_epsilon == left.part * Fraction("0.6")
    with pytest.raises(ShareExceeded, match="of which 0% is open"):
        pay(shared, ANA, "0.1")


@settings(max_examples=40)
@given(
    st.lists(
        st.tuples(st.sampled_from(["ana", "ben"]), st.sampled_from(["", "trial"]), st.integers(1, 40)), max_size=30
    )
)
def test_totals_of_every_share_are_the_sums_of_what_it_covers(asked: list[tuple[str, str, int]]) -> None:
    """Pure charges and a budget without delta: the oracle adds up epsilons, share by share."""
    limits = {("ana", ""): Fraction(1, 2), ("ben", ""): Fraction(7, 10), ("", "trial"): Fraction(2, 5)}
    shared = ledger(bn.Guarantee(1), *(of(who, str(most), project=what) for (who, what), most in limits.items()))
    used, whole = dict.fromkeys(limits, Fraction(0)), Fraction(0)
    for analyst, project, hundredths in asked:
        epsilon = Fraction(hundredths, 100)
        covering = [(analyst, ""), *([("", project)] if project else [])]
        fits = whole + epsilon <= 1 and all(used[name] + epsilon <= limits[name] for name in covering)
        try:
            pay(shared, Whose(analyst=analyst, project=project), str(epsilon))
            assert fits
            whole += epsilon
            for name in covering:
                used[name] += epsilon
        except BudgetExceeded:
            assert not fits
    assert [left.used for left in shared.shares()] == [used[name] / most for name, most in limits.items()]
    shared.verify()


PURE, BELL = PrivacyLoss.pure(Fraction(1, 20)), PrivacyLoss.gaussian(Fraction(1, 900))


@pytest.mark.parametrize("asked", [(PURE,), (BELL,), (PURE, BELL)], ids=["pure", "Gaussian", "both"])
def test_what_is_composed_from_a_share_keeps_its_guarantee_also_when_it_is_stated_anew(
    asked: tuple[PrivacyLoss, ...],
) -> None:
    """A greedy analyst takes all she can get, before and after the share is stated anew."""
    first, second = bn.Guarantee("0.3", "1e-7"), bn.Guarantee("0.4", "2e-7")
    shared = ledger(bn.Guarantee(1, "1e-6"), BudgetShare(guarantee=first, analyst="ana"))
    mine, counts = PrivacyLoss.nothing(), []
    for guarantee in (first, second):
        shared.state_shares([BudgetShare(guarantee=guarantee, analyst="ana")], by="olga")
        for place in range(12):
            try:
                shared.on_behalf(ANA).charge(asked[place % len(asked)], label="x", neighbours=REPLACE)
            except ShareExceeded:
                break
            mine = mine.with_(asked[place % len(asked)])
        else:
            pytest.fail("The share was never full.")
        counts.append(place)
        assert keeps(mine, guarantee)
    assert min(counts) > 0
    shared.verify()


def test_a_share_has_filters_of_its_own_and_takes_more_than_added_epsilons() -> None:
    shared = ledger(bn.Guarantee(1, "1e-6"), of("ana", "0.5", "5e-7"))
    taken = 0
    for _ in range(100):
        try:
            pay(shared, ANA, "0.02")
        except ShareExceeded:
            break
        taken += 1
    assert 25 < taken < 100  # Adding up would stop at 25.


def test_stated_anew_a_share_keeps_what_it_used_and_its_currencies() -> None:
    shared = ledger(bn.Guarantee(1, "1e-6"), of("ana", "0.4", "4e-7"))
    pay(shared, ANA, "0.3")
    shared.state_shares([of("ben", "0.1"), of("ana", "0.8", "8e-7")], by="olga")
    assert [left.share.name for left in shared.shares()] == ["ana", "ben"]
    assert float(shared.shares()[0].used) == pytest.approx(0.3 / 0.8)
    shared.state_shares([of("ben", "0.1"), of("ana", "0.2", "2e-7")], by="olga")
    assert shared.shares()[0].used > 1
    with pytest.raises(ShareExceeded):
        pay(shared, ANA, "1e-9")
    with pytest.raises(BadValue, match="The share of ana is stated in the ledger and is missing now"):
        shared.state_shares([of("ben", "0.1")], by="olga")
    with pytest.raises(BadValue, match="has too little delta for one that began as"):
        shared.state_shares([of("ben", "0.1"), of("ana", "0.2")], by="olga")
    assert shared.verify()[0] == 4


def test_a_smaller_share_shuts_the_gate_that_its_delta_no_longer_opens() -> None:
    before = hold([of("ana", "0.9", "9e-7")], budget=bn.Guarantee(1, "1e-6"), reserve=Fraction(1, 10), before=None)
    from banister.accounting.shares import SharedOut

    smaller = [of("ana", "0.05", "1e-7")]
    after = hold(smaller, budget=bn.Guarantee(1, "1e-6"), reserve=Fraction(1, 10), before=SharedOut(1, before))[0]
    assert [gate.limit > 0 for gate in after.filter.gates] == [True, False]
    nothing: tuple[Fraction | None, ...] = (Fraction(0), Fraction(1), Fraction(0))
    assert not after.fits(nothing, MARCH)


def test_bad_shares_are_refused_in_a_sentence() -> None:
    shared = ledger(bn.Guarantee("0.5", "1e-7"), of("ana", "0.1"))
    with pytest.raises(BadValue, match=r"share of ben, \(0\.6, 0\), is above the budget \(0\.5, 1e-07\)"):
        shared.state_shares([of("ana", "0.1"), of("ben", "0.6")], by="olga")
    with pytest.raises(BadValue, match="is above the budget"):
        shared.state_shares([of("ana", "0.1", "1e-6")], by="olga")
    with pytest.raises(BadValue, match="start = '2026' must be a month such as"):
        Opening(start="2026", months=12)
    with pytest.raises(BadValue, match="months = 0 must be a whole number, 1 or above"):
        Opening(start="2026-01", months=0)
    with pytest.raises(BadValue, match="analyst = 'a b' must be a name"):
        Whose(analyst="a b")
    with pytest.raises(BadValue, match="project = '<b>' must be a name"):
        of("ana", "0.1", project="<b>")
    with pytest.raises(BadValue, match="with an epsilon above 0"):
        of("ana", "0")
    with pytest.raises(BadValue, match="201 shares are more than the 200"):
        shared.state_shares([of(f"a{n}", "0.1") for n in range(201)], by="olga")
    planned = bn.Ledger.create("memory:", budget=bn.Guarantee(1), neighbours=REPLACE, questions=3)
    with pytest.raises(BadValue, match="A ledger with a plan cannot be shared out"):
        planned.state_shares([of("ana", "0.1")], by="olga")


def test_a_key_belongs_to_its_analyst() -> None:
    shared = ledger(bn.Guarantee(1), of("ana", "0.5"), of("ben", "0.5"))
    pay(shared, ANA, "0.1", key="june")
    pay(shared, ANA, "0.1", key="june")
    with pytest.raises(BadValue, match="The key 'june' belongs to charge 2"):
        pay(shared, BEN, "0.1", key="june")
    assert [float(left.used) for left in shared.shares()] == [0.2, 0]


def test_an_answer_is_not_refined_in_a_shared_ledger() -> None:
    shared = ledger(bn.Guarantee(1), of("ana", "0.5"))
    hers = shared.on_behalf(ANA)
    hers.charge(bn.Guarantee("0.1"), label="coarse", neighbours=REPLACE, plan="rungs:1")
    with pytest.raises(BadValue, match="An answer is not refined in a shared ledger"):
        shared.refine(2, bn.Guarantee("0.2"), label="fine", neighbours=REPLACE, plan="rungs:1")


def test_what_is_foreseen_is_what_is_charged() -> None:
    shared = ledger(bn.Guarantee(1), of("ana", "0.3"))
    hers = shared.on_behalf(ANA)
    with pytest.raises(ShareExceeded):
        hers.foresee(bn.Guarantee("0.4"), label="x", neighbours=REPLACE)
    cost, left = hers.fitting([bn.Guarantee("0.4"), bn.Guarantee("0.1")], neighbours=REPLACE)
    assert cost == bn.Guarantee("0.1")
    assert left is not None
    assert left.largest_epsilon == Fraction(1, 5)
    assert hers.fitting([bn.Guarantee("0.4")], neighbours=REPLACE)[1] is None
    assert hers.remaining().largest_epsilon == Fraction(3, 10)
    assert "ana: (0.3, 0), 0% used" in hers.remaining().free[-1]
    assert ("share", str(shared.shares()[0])) in shared.summary()


Forge = Callable[[dict[str, object]], None]


def _give_back(body: dict[str, object]) -> None:
    body["shares"]["used"][0] = ["0", "0"]  # type: ignore[index]


def _take_from_ben(body: dict[str, object]) -> None:
    body["shares"]["used"][1] = ["0", "1/10"]  # type: ignore[index]


def _go_over(body: dict[str, object]) -> None:
    body["shares"]["used"][0] = ["0", "9/10"]  # type: ignore[index]


def _forget(body: dict[str, object]) -> None:
    del body["shares"]


def _nobody(body: dict[str, object]) -> None:
    del body["whose"]


def _begin_with_more(body: dict[str, object]) -> None:
    body |= {"kind": "shares", "stated": [], "shares": {"line": 4, "used": []}}


@pytest.mark.parametrize("forge", [_give_back, _take_from_ben, _go_over, _forget, _nobody, _begin_with_more])
def test_verify_sees_shares_that_no_charge_can_have_left(forge: Forge) -> None:
    shared = ledger(bn.Guarantee(1), of("ana", "0.5"), of("ben", "0.5"))
    pay(shared, ANA, "0.1")
    pay(shared, BEN, "0.2")
    store = shared._store
    body = json.loads(store.last().body)
    body["whose"]["analyst"] = "ana"
    body["totals"] = ["0", "2/5"]
    body["shares"]["used"][0] = ["0", "1/5"]
    store.append(lambda last: last.follow(json.dumps(body)))
    shared.verify()
    forge(body)
    store.append(lambda last: last.follow(json.dumps(body)))
    with pytest.raises(LedgerDamaged, match="takes from a share what no charge can, or gives back what was used"):
        shared.verify()


def test_shares_that_are_stated_in_the_middle_of_a_charge_are_seen_by_it() -> None:
    """The owner halves the share after its prices were worked out and before the ledger is locked."""
    shared = ledger(bn.Guarantee(1), of("ana", "0.5"))
    store, true_append = shared._store, shared._store.append
    moved: list[bool] = []

    def append(decide: Callable[[object], object], *, key: str = "", note: bytes = b"") -> object:
        if not moved:
            moved.append(True)
            shared.state_shares([of("ana", "0.2")], by="olga")
        return true_append(decide, key=key, note=note)  # type: ignore[arg-type]

    store.append = append  # type: ignore[method-assign, assignment]
    with pytest.raises(ShareExceeded, match=r"share of ana, \(0\.2, 0\)"):
        pay(shared, ANA, "0.4")
    assert [entry.label for entry in shared.history()] == ["shares stated by olga"] * 2


def _race(address: str, analyst: str, count: int) -> None:
    with bn.Ledger.open(address) as opened:
        hers = opened.on_behalf(Whose(analyst=analyst))
        for _ in range(count):
            try:
                hers.charge(bn.Guarantee("1/50"), label="race", neighbours=REPLACE)
            except bn.BudgetExceeded:
                return


def _raced(address: str) -> None:
    """Three analysts with shares of 0.6, 0.3 and 0.2 of a budget of 1, two processes each: fifty charges fit."""
    with bn.Ledger.create(address, budget=bn.Guarantee(1), neighbours=REPLACE, questions=bn.AsYouGo()) as made:
        made.state_shares([of("ana", "0.6"), of("ben", "0.3"), of("cleo", "0.2")], by="olga")
    context = multiprocessing.get_context("fork")
    names = ("ana", "ben", "cleo", "ana", "ben", "cleo")
    racers = [context.Process(target=_race, args=(address, name, 35)) for name in names]
    for racer in racers:
        racer.start()
    for racer in racers:
        racer.join()
        assert racer.exitcode == 0
    with bn.Ledger.open(address) as opened:
        opened.verify()
        entries: tuple[Entry, ...] = opened.history()[1:]
        counts = {name: sum(entry.whose.analyst == name for entry in entries if entry.whose) for name in names[:3]}
        assert sum(counts.values()) == 50
        assert counts["ana"] <= 30
        assert counts["ben"] <= 15
        assert counts["cleo"] <= 10
        assert [left.used for left in opened.shares()] == [
            Fraction(counts["ana"], 30),
            Fraction(counts["ben"], 15),
            Fraction(counts["cleo"], 10),
        ]


def test_racing_analysts_overspend_neither_share_nor_whole(tmp_path: Path) -> None:
    _raced(str(tmp_path / "team.ledger"))


def test_racing_analysts_overspend_neither_share_nor_whole_on_a_server(postgres: str) -> None:
    _raced(f"{postgres}#shares-{os.getpid()}")


def test_a_ledger_of_shares_reads_back_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "team.ledger"
    with bn.Ledger.create(path, budget=bn.Guarantee(1, "1e-6"), neighbours=REPLACE, questions=bn.AsYouGo()) as made:
        made.state_shares([of("ana", "0.5", "5e-7", project="trial", opens=YEAR)], by="olga")
        before = made.shares()
    with bn.Ledger.open(path) as opened:
        assert opened.shares() == before
        assert opened.shares()[0].share.opens == YEAR
        held = opened._standing().shares
        assert held is not None
        assert held.line == 1


def test_a_share_that_is_not_open_has_no_room_even_for_nothing() -> None:
    later = of("ana", "0.5", opens=Opening(start="9000-01", months=2))
    held = HeldShare(later, filter_for(later.guarantee, AsYouGo()))
    assert not held.fits(held.filter.start(), MARCH)
    assert held.largest_epsilon(held.filter.start(), MARCH) == 0
