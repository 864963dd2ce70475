"""A ledger's charges all speak about the same people in the same tables, under the same relation."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

import banister as bn
from banister.accounting.chain import ChainLine
from banister.accounting.protects import Protects
from banister.accounting.totals.subsample import poisson_sampled, sampled_without_replacement
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue, LedgerDamaged

ADD_REMOVE, REPLACE = bn.Neighbours.ADD_REMOVE, bn.Neighbours.REPLACE
PATIENTS = Protects(unit="person patient_id", tables=("visits.csv", "labs.csv"), schema="aa")


def create(protects: Protects | None = None, neighbours: bn.Neighbours = REPLACE) -> bn.Ledger:
    return bn.Ledger.create(
        "memory:", budget=bn.Guarantee(1, "1e-6"), neighbours=neighbours, questions=bn.AsYouGo(), protects=protects
    )


def charge(ledger: bn.Ledger, protects: Protects | None) -> None:
    ledger.charge(bn.Guarantee("0.1"), label="ages", neighbours=REPLACE, protects=protects)


OTHERS = [
    (Protects(unit="row", tables=PATIENTS.tables), "about row in labs.csv, visits.csv"),
    (Protects(unit="edge"), "about edge"),
    (Protects(unit="person visit_id", tables=PATIENTS.tables), "about person visit_id"),
    (Protects(unit="person patient_id", tables=("visits.csv",)), "about person patient_id in visits.csv"),
    (None, "does not say whom it protects"),
]


@pytest.mark.parametrize(("other", "named"), OTHERS)
@pytest.mark.parametrize("how", ["by its terms", "by its first charge"])
def test_another_unit_or_table_is_refused_with_both_named(other: Protects | None, named: str, how: str) -> None:
    ledger = create(PATIENTS if how == "by its terms" else None)
    assert ledger.protects == (PATIENTS if how == "by its terms" else None)
    charge(ledger, PATIENTS)
    with pytest.raises(BadValue, match=f"The ledger protects person patient_id in labs.csv, visits.csv.*{named}"):
        charge(ledger, other)
    assert ledger.remaining().charges == 1
    charge(ledger, ledger.protects)


def test_a_ledger_of_an_older_version_says_not_stated_and_is_bound_by_the_first_who_states_it() -> None:
    ledger = create()
    charge(ledger, None)
    assert ("protects", "not stated") in ledger.summary()
    charge(ledger, PATIENTS)
    assert ("protects", "person patient_id in labs.csv, visits.csv") in ledger.summary()
    with pytest.raises(BadValue, match="does not say whom it protects"):
        charge(ledger, None)
    assert ledger.verify()[0] == 2


def test_a_changed_schema_is_recorded_and_a_charge_that_knows_no_tables_keeps_them() -> None:
    ledger = create(PATIENTS)
    charge(ledger, Protects(unit=PATIENTS.unit, tables=PATIENTS.tables, schema="bb"))
    charge(ledger, Protects(unit=PATIENTS.unit))
    stated = [entry.protects for entry in ledger.history()]
    assert [one.schema for one in stated if one is not None] == ["bb", "bb"]
    assert stated[1] is not None
    assert stated[1].tables == PATIENTS.tables


def test_verify_finds_a_line_about_somebody_else() -> None:
    ledger = create(PATIENTS)
    charge(ledger, PATIENTS)
    body = json.loads(ledger._store.last().body) | {"protects": Protects(unit="row").document()}
    ledger._store.append(lambda last: last.follow(json.dumps(body)))
    with pytest.raises(LedgerDamaged, match="Line 2 of the ledger protects row, the lines before it person patient_id"):
        ledger.verify()


def test_what_cannot_be_read_is_damaged() -> None:
    ledger = create()
    charge(ledger, None)
    body = json.loads(ledger._store.last().body) | {"protects": "everybody"}
    ledger._store.append(lambda last: last.follow(json.dumps(body)))
    with pytest.raises(LedgerDamaged, match="Line 2 of the ledger does not read"):
        ledger.remaining()


def test_a_unit_is_a_short_text() -> None:
    with pytest.raises(BadValue, match="needs a name, such as 'row'"):
        Protects(unit=" ")
    with pytest.raises(BadValue, match="one line and at most 200 characters"):
        Protects(unit="row", tables=("a\nb",))


def test_a_sampled_loss_is_charged_only_where_its_relation_holds() -> None:
    """A ledger about replaced people took 0.0024 for what gives away 0.0085 about them."""
    added = poisson_sampled(PrivacyLoss.pure(Fraction(1)), rate=0.01)
    fixed = sampled_without_replacement(PrivacyLoss.pure(Fraction(1)), size=10, people=1000)
    for loss, right, wrong in ((added, ADD_REMOVE, REPLACE), (fixed, REPLACE, ADD_REMOVE)):
        for form in (loss, loss.times(3), PrivacyLoss.pure(Fraction(1, 10)).with_(loss)):
            create(neighbours=right).charge(form, label="sample", neighbours=right)
            with pytest.raises(
                BadValue, match=f"speaks about {right.value} neighbours, the charge about {wrong.value}"
            ):
                create(neighbours=wrong).charge(form, label="sample", neighbours=wrong)
    with pytest.raises(BadValue, match=r"about add-remove neighbours cannot be joined with one about replace"):
        added.with_(fixed)
    with pytest.raises(BadValue, match="cannot be joined"):
        poisson_sampled(fixed, rate=0.5)


class Stated:
    """A mechanism that says for whom its loss holds."""

    neighbours = ADD_REMOVE

    def loss(self) -> PrivacyLoss:
        return PrivacyLoss.pure(Fraction(1, 10))


def test_what_states_its_relation_itself_is_held_to_it() -> None:
    with pytest.raises(BadValue, match="'cells' is to be charged for speaks about add-remove neighbours"):
        create().charge(Stated(), label="cells", neighbours=REPLACE)


def test_terms_with_everything_read_back(tmp_path: Path) -> None:
    from banister.accounting.terms import Terms

    terms = create(PATIENTS).terms
    assert Terms.of_line(terms.line()) == terms
    assert isinstance(terms.line(), ChainLine)
