"""What other libraries spent is charged by our own account, under the unit and relation that it states."""

import json
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import banister as bn
from banister.accounting.elsewhere import DEEPEST, EVENTS, SpentElsewhere, loss_of_event, spent_document
from banister.accounting.ledger import AsYouGo
from banister.accounting.totals.convert import epsilon_of_zcdp
from banister.accounting.totals.subsample import poisson_sampled
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue
from tests.sizes import sized

HALF: dict[str, object] = {"event": "epsilon-delta", "epsilon": "1/2", "delta": "1e-8"}
GAUSS: dict[str, object] = {"event": "gaussian", "noise_multiplier": "2"}
GAUSSIAN = PrivacyLoss.gaussian(Fraction(1, 4))
HALVES = PrivacyLoss.of_guarantee(bn.Guarantee("1/2", "1e-8"))

CASES: list[tuple[dict[str, object], PrivacyLoss]] = [
    (HALF, HALVES),
    (GAUSS, GAUSSIAN),
    ({"event": "laplace", "noise_multiplier": "4"}, PrivacyLoss.laplace(Fraction(1, 4))),
    (
        {"event": "zcdp", "rho": "1/10", "delta": "1e-6"},
        PrivacyLoss.of_guarantee(bn.Guarantee(epsilon_of_zcdp("1/10", delta="1e-6"), "1e-6")),
    ),
    ({"event": "poisson-sampled", "rate": "0.1", "of": GAUSS}, poisson_sampled(GAUSSIAN, rate="0.1")),
    ({"event": "repeated", "times": 3, "of": HALF}, HALVES.times(3)),
    ({"event": "composed", "of": [HALF, GAUSS, HALF]}, HALVES.times(2).with_(GAUSSIAN)),
    (
        {"event": "dp-sgd", "noise_multiplier": "2", "rate": "0.1", "steps": 2},
        poisson_sampled(GAUSSIAN, rate="0.1").times(2),
    ),
    ({"event": "nothing"}, PrivacyLoss.nothing()),
]


@pytest.mark.parametrize(("event", "loss"), CASES, ids=[str(event["event"]) for event, _ in CASES])
def test_an_event_has_the_loss_of_what_was_done(event: dict[str, object], loss: PrivacyLoss) -> None:
    found = loss_of_event(event)
    for epsilon in (0, Fraction(1, 3), 1)[:: sized(2, 1)]:
        assert found.delta_at(epsilon) == loss.delta_at(epsilon)


def test_every_event_is_tried() -> None:
    assert {event["event"] for event, _ in CASES} == set(EVENTS)


@dataclass
class GaussianDpEvent:
    noise_multiplier: float


@dataclass
class PoissonSampledDpEvent:
    sampling_probability: float
    event: Any


@dataclass
class SelfComposedDpEvent:
    event: Any
    count: int


@dataclass
class EpsilonDeltaDpEvent:
    epsilon: float
    delta: float


@dataclass
class ComposedDpEvent:
    events: list[Any]


@dataclass
class PureDPBudget:
    epsilon: float


def test_objects_of_other_libraries_are_known_by_their_names() -> None:
    step = PoissonSampledDpEvent(0.125, GaussianDpEvent(2.0))
    found = loss_of_event(ComposedDpEvent([SelfComposedDpEvent(step, 4), EpsilonDeltaDpEvent(0.5, 0.0)]))
    wanted = poisson_sampled(GAUSSIAN, rate="1/8").times(4).with_(PrivacyLoss.pure(Fraction(1, 2)))
    assert found.delta_at(1) == wanted.delta_at(1)
    assert loss_of_event(PureDPBudget(0.25)).epsilon_at(0).up == 0.25


def deep(times: int) -> dict[str, object]:
    event: dict[str, object] = HALF
    for _ in range(times):
        event = {"event": "composed", "of": [event]}
    return event


@pytest.mark.parametrize(
    ("event", "words"),
    [
        ({"event": "magic"}, "The event 'magic' is not known. Known are epsilon-delta"),
        ({"event": "gaussian"}, "needs noise_multiplier, and nothing else"),
        ({"event": "nothing", "epsilon": 0}, "needs nothing else"),
        ({"event": "gaussian", "noise_multiplier": "-1"}, "noise_multiplier = -1 must be"),
        ({"event": "gaussian", "noise_multiplier": None}, "noise_multiplier = None must be a number"),
        ({"event": "repeated", "times": 0, "of": HALF}, "times = 0 must be a whole number"),
        ({"event": "composed", "of": HALF}, "needs a list of events"),
        ({"event": "composed", "of": [3]}, "A int is not an event"),
        ({"event": "poisson-sampled", "rate": 2, "of": GAUSS}, "rate = 2 must be"),
        ({"event": "composed", "of": [HALF] * 10_001}, "be 10,000 in all"),
        (deep(DEEPEST + 2), f"nested {DEEPEST} deep"),
        (7, "A int is not an event"),
    ],
)
def test_what_is_no_event_is_refused(event: object, words: str) -> None:
    with pytest.raises(BadValue, match=words):
        loss_of_event(event)


def document(**changes: object) -> dict[str, object]:
    return {
        "format": "banister spent 1",
        "label": "a model",
        "neighbours": "add-remove",
        "unit": "person id",
        "tables": ["stays.csv"],
        "event": HALF,
    } | changes


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"format": "2"}, 'must be "banister spent 1"'),
        ({"neighbours": "near"}, "neighbours = 'near' must be one of"),
        ({"unit": ""}, "needs a name"),
        ({"tables": "a"}, "must be a list of names"),
        ({"epsilon": 1}, "'epsilon' is not known"),
        ({"event": []}, "A list is not an event"),
    ],
)
def test_a_file_that_states_too_little_is_refused(changes: dict[str, object], words: str, tmp_path: Path) -> None:
    path = tmp_path / "spent.json"
    path.write_text(json.dumps(document(**changes)))
    with pytest.raises(BadValue, match=words):
        SpentElsewhere.of_file(path)


@pytest.fixture
def book(tmp_path: Path) -> bn.Ledger:
    return bn.Ledger.create(
        tmp_path / "a.ledger", budget=bn.Guarantee(1, "1e-6"), neighbours=bn.Neighbours.ADD_REMOVE, questions=AsYouGo()
    )


def test_it_is_charged_once_and_leaves_what_is_left(book: bn.Ledger, tmp_path: Path) -> None:
    path = tmp_path / "spent.json"
    path.write_text(json.dumps(document()))
    spent = SpentElsewhere.of_file(path)
    first, second = spent.charge(book), spent.charge(book)
    assert (first.sequence, first.again, second.sequence, second.again) == (1, False, 1, True)
    assert book.remaining().largest_epsilon <= 0.5
    assert book.protects == spent.protects


def test_another_unit_or_relation_is_refused(book: bn.Ledger) -> None:
    SpentElsewhere.of_document(document()).charge(book)
    for changes in ({"unit": "row"}, {"neighbours": "replace"}, {"tables": ["other.csv"]}):
        with pytest.raises(BadValue):
            SpentElsewhere.of_document(document(**changes)).charge(book)
    sampled = {"event": "poisson-sampled", "rate": "1/10", "of": GAUSS}
    with pytest.raises(BadValue, match="add-remove neighbours"):
        SpentElsewhere.of_document(document(neighbours="replace", event=sampled)).charge(
            bn.Ledger.create(
                "memory:", budget=bn.Guarantee(1, "1e-6"), neighbours=bn.Neighbours.REPLACE, questions=AsYouGo()
            )
        )


def test_what_is_exported_is_imported_with_the_same_loss(book: bn.Ledger, tmp_path: Path) -> None:
    SpentElsewhere.of_document(document()).charge(book)
    SpentElsewhere.of_document(document(event={"event": "laplace", "noise_multiplier": "8"})).charge(book)
    again = SpentElsewhere.of_document(spent_document(book))
    assert again.protects == book.protects
    assert again.loss.epsilon_at("2e-7").up == pytest.approx(0.625, abs=0.01)
    assert again.loss.keeps(bn.Guarantee(Fraction(5, 8), Fraction(1, 10**7)))


def test_a_ledger_with_gaussian_charges_exports_its_budget(book: bn.Ledger) -> None:
    SpentElsewhere.of_document(document(event={"event": "gaussian", "noise_multiplier": "20"})).charge(book)
    again = SpentElsewhere.of_document(spent_document(book))
    assert again.loss.keeps(bn.Guarantee(1, "1e-6"))
    assert not again.loss.keeps(bn.Guarantee("0.99", "1e-6"))
