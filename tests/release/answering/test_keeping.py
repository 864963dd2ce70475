"""What was paid for is never lost, and never charged or drawn twice."""

import json
import shutil
import stat
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import banister as bn
from banister.accounting.kept import Kept, KeptRequest
from banister.errors import BadValue, LedgerUnreachable, ReceiptUsed
from banister.release.aggregates.aggregate import Answer
from banister.release.answering.answers import Answers
from banister.release.answering.keeping import table_document, table_of
from banister.release.dataset import Dataset
from banister.release.run import AnswerTable

ROOT = Path(__file__).parents[3]
SCHEMA = """
[source]
table = "t.parquet"
neighbours = "add-remove"
[budget]
epsilon = 1.0
delta = 1e-6
ledger = "here.ledger"
[columns]
g = { kind = "category", values = ["a", "=b", "[/b]"] }
s = { kind = "category" }
x = { kind = "integer", range = [0, 9] }
day = { kind = "date", range = [2024-01-01, 2024-03-31] }
"""
COUNT = "SELECT g, COUNT(*) AS n FROM data GROUP BY g"


def dataset(folder: Path) -> Dataset:
    (folder / "here.toml").write_text(SCHEMA)
    days = pd.to_datetime(pd.Series(["2024-01-05", "2024-02-07", None] * 200))
    frame = pd.DataFrame({"g": ["a", "=b", "[/b]"] * 200, "s": "common", "x": range(600), "day": days})
    return bn.open(folder / "here.toml", data=frame)


def charges(health: Dataset) -> int:
    return health.remaining().charges


def same(one: Answers, other: Answers) -> bool:
    return [part.table for part in one] == [part.table for part in other] and [part.intervals for part in one] == [
        part.intervals for part in other
    ]


def no_engine(health: Dataset) -> None:
    """From here on the engine is gone."""

    class Gone:
        def totals(self, work: object) -> object:
            raise AssertionError("the engine was asked")

    health._source = Gone()  # type: ignore[assignment]


def test_a_kill_at_any_step_neither_charges_twice_nor_loses_what_was_paid(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.release.kept_kills", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rounds = [json.loads(line) for line in done.stdout.splitlines()]
    assert [first for first, *_ in rounds] == [-9] * (len(rounds) - 1) + [0]
    paid = [found for _, found, *_ in rounds]
    assert paid == sorted(paid)
    assert set(paid) == {0, 1}, "some kills come before the charge, some after it"
    for first, _, again, (early, second, third), charged in rounds:
        assert (again, charged) == (0, 1)
        assert second
        assert third == second
        assert early in ("", second), f"two answers for one charge, after the signal {first}"
    cut = [early for _, charged, _, (early, *_), _ in rounds if charged]
    assert cut.count("") > 3, "too few kills lay between the charge and the answer"


@pytest.mark.parametrize(
    "sql",
    [
        COUNT,
        "SELECT day, COUNT(*) AS n, AVG(x) AS m FROM data GROUP BY day; SELECT COUNT(*), MEDIAN(x) FROM data",
        "SELECT s, COUNT(*) AS n FROM data GROUP BY s",
        "SELECT MEDIAN(day) AS middle FROM data",
    ],
)
@pytest.mark.parametrize("non_negative", [False, True])
def test_a_second_call_fetches_the_same_answers(tmp_path: Path, sql: str, non_negative: bool) -> None:
    health = dataset(tmp_path)
    plan = health.plan(sql, epsilon="0.7", delta="1e-7" if " s" in sql else 0)
    first = health.release(plan, key="june", non_negative=non_negative)
    no_engine(health)
    second = health.release(plan, key="june", non_negative=non_negative)
    assert same(first, second)
    assert (charges(health), second.proof, second.head) == (1, first.proof, first.head)
    assert [table.__class__ for table in first.tables] == [table.__class__ for table in second.tables]
    for one, other in zip(first.tables, second.tables, strict=True):
        assert (one.whole, one.dates, one.raised, one.labels) == (other.whole, other.dates, other.raised, other.labels)


def test_another_request_under_the_key_is_refused_before_the_engine_works(tmp_path: Path) -> None:
    health = dataset(tmp_path)
    health.release(health.plan(COUNT, epsilon="0.2"), key="june")
    no_engine(health)
    others = [
        (health.plan("SELECT COUNT(*) FROM data", epsilon="0.2"), False),
        (health.plan(COUNT, epsilon="0.3"), False),
        (health.plan(COUNT, epsilon="0.2", confidence="0.9"), False),
        (health.plan(COUNT, epsilon="0.2"), True),
    ]
    for plan, non_negative in others:
        with pytest.raises(BadValue, match="The key 'june' belongs to another request"):
            health.release(plan, key="june", non_negative=non_negative)
    assert charges(health) == 1


def test_without_the_kept_answer_nothing_is_drawn_for_an_old_charge(tmp_path: Path) -> None:
    """Somebody who charges from elsewhere, or who lost the folder, cannot know that no answer was shown."""
    health = dataset(tmp_path)
    plan = health.plan(COUNT, epsilon="0.2")
    health.release(plan, key="june")
    shutil.rmtree(tmp_path / "here.ledger.paid")
    for _ in range(2):  # Also not at the second try, when the first has left its mark in the folder.
        with pytest.raises(ReceiptUsed, match=r"was made under the key 'june', but not from here"):
            health.release(plan, key="june")
    assert charges(health) == 1


def test_a_lost_connection_after_the_charge_is_made_good(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    health = dataset(tmp_path)
    plan = health.plan(COUNT, epsilon="0.7")  # Two of them do not fit.
    charge = bn.Ledger.charge

    def torn(*args: object, **words: object) -> object:
        charge(*args, **words)  # type: ignore[arg-type]
        raise LedgerUnreachable("the server does not answer")

    monkeypatch.setattr(bn.Ledger, "charge", torn)
    with pytest.raises(LedgerUnreachable):
        health.release(plan, key="june", ledger=health.create_ledger())
    monkeypatch.undo()
    assert charges(health) == 1
    assert len(health.release(plan, key="june").table) == 3
    assert charges(health) == 1


def test_only_the_owner_can_read_what_is_kept(tmp_path: Path) -> None:
    health = dataset(tmp_path)
    health.release(health.plan(COUNT, epsilon="0.2"), key="june")
    place = tmp_path / "here.ledger.paid"
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert [stat.S_IMODE(path.stat().st_mode) for path in place.iterdir()] == [0o600]


def test_what_was_given_is_neither_kept_nor_drawn_again(tmp_path: Path) -> None:
    health = dataset(tmp_path)
    plan = health.plan(COUNT, epsilon="0.2")
    answers = health.release(plan, key="june")
    assert [asked.key for asked in health.kept()] == ["june"]
    health.given(answers, "june")
    assert health.kept() == ()
    with pytest.raises(ReceiptUsed, match="was given, and is not kept any more"):
        health.release(plan, key="june")
    assert charges(health) == 1


def test_the_first_of_two_answers_is_the_answer(tmp_path: Path) -> None:
    asked = KeptRequest(key="june", plan="p", label="ages", epsilon="1", delta="0")
    one, two = Kept(tmp_path / "kept"), Kept(tmp_path / "kept")
    assert one.begin(asked) == two.begin(asked)
    assert two.keep(asked, {"n": 2}) == one.keep(asked, {"n": 1}) == {"n": 2}


@pytest.mark.parametrize("text", ["", "{}", '{"format": "banister-paid/1"}', "[1]", "\x00"])
def test_a_damaged_file_is_refused_and_nothing_is_drawn(tmp_path: Path, text: str) -> None:
    health = dataset(tmp_path)
    plan = health.plan(COUNT, epsilon="0.2")
    health.release(plan, key="june")
    (kept,) = (tmp_path / "here.ledger.paid").iterdir()
    kept.write_text(text)
    with pytest.raises(BadValue, match=r"is not an? .*kept answer|is not an answer as banister keeps them"):
        health.release(plan, key="june")
    assert charges(health) == 1


def test_a_claim_needs_a_key() -> None:
    cost, relation = bn.Guarantee(1), bn.Neighbours.REPLACE
    ledger = bn.Ledger.create("memory:", budget=cost, neighbours=relation, questions=bn.AsYouGo())
    for claim, key in (("0" * 32, ""), ("mine", "june")):
        with pytest.raises(BadValue, match="A claim goes with a key"):
            ledger.charge(cost, label="ages", neighbours=relation, claim=claim, key=key)
    assert ledger.kept is None


@pytest.mark.parametrize("key", ["a\nb", "x" * 201])
def test_a_key_is_one_short_line(tmp_path: Path, key: str) -> None:
    health = dataset(tmp_path)
    health.create_ledger().close()
    with pytest.raises(BadValue, match="The key of a request must be one line of 1 to 200 characters"):
        health.release(health.plan(COUNT, epsilon="0.2"), key=key)


def test_every_field_of_an_answer_is_kept() -> None:
    """A field that somebody adds and forgets to keep is lost to whoever paid for it: each is told apart from its
    default, and compared."""

    def found(seed: float) -> Answer:
        return Answer(np.array([seed, 2.0]), np.array([seed - 1, -np.inf]), np.array([seed + 0.1, np.inf]))

    table = AnswerTable(
        names=("ward",),
        labels=(("a",), (None,)),
        columns=("ward", "n"),
        answers={"n": found(3.5)},
        whole=frozenset({"n"}),
        dates=frozenset({"n"}),
        moments=frozenset({"n"}),
        consistent=frozenset({"n"}),
        decoded=frozenset({"n"}),
        cut=found(7.25),
        raised=frozenset({1}),
    )
    again = table_of(json.loads(json.dumps(table_document(table))))
    for field in fields(AnswerTable):
        value = getattr(table, field.name)
        assert value != field.default, f"{field.name} is not tried here"
        assert repr(getattr(again, field.name)) == repr(value), field.name


def test_how_many_people_have_more_is_told_under_a_key_too(tmp_path: Path) -> None:
    frame = dataset(tmp_path).frames["data"]
    (tmp_path / "here.toml").write_text(SCHEMA.replace("[source]", '[source]\nperson = "s"\nrows = 1'))
    health = bn.open(tmp_path / "here.toml", data=frame)
    plan = health.plan("SELECT COUNT(*) AS n FROM data", epsilon="0.5", check_bounds="0.5")
    first = health.release(plan, key="june")
    assert first.tables[0].cut is not None, "it was paid for"
    no_engine(health)
    again = health.release(plan, key="june").tables[0].cut
    assert again is not None
    assert again.values.tolist() == first.tables[0].cut.values.tolist()
