"""What was paid for is never lost, and never charged or drawn twice."""

import json
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from dataclasses import fields
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import banister as bn
from banister.accounting.kept import LARGEST_INSIDE, KeptRequest, array_text
from banister.accounting.stores.sqlite import SqliteStore
from banister.errors import BadValue, LedgerUnreachable, ReceiptUsed
from banister.release import run
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


@pytest.mark.parametrize("size", [1, LARGEST_INSIDE])
def test_the_first_of_two_answers_is_the_answer(tmp_path: Path, size: int) -> None:
    asked = KeptRequest(key="june", plan="p", label="ages", epsilon="1", delta="0")
    with dataset(tmp_path).create_ledger() as ledger, bn.Ledger.open(ledger.address) as other:
        one, two = ledger.kept, other.kept
        assert one is not None
        assert two is not None
        first, second = one.begin(asked), two.begin(asked)
        assert first.claim == second.claim
        answer = {"n": size * "2"}
        assert two.keep(asked, second, answer)[0] == one.keep(asked, first, {"n": "1"})[0] == answer


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


LONG = "SELECT day, COUNT(*) AS n FROM data GROUP BY day"


@pytest.fixture
def long_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers of more than a hundred characters lie in files."""
    monkeypatch.setattr("banister.accounting.kept.LARGEST_INSIDE", 100)


def answer_file(folder: Path) -> Path:
    (path,) = (folder / "here.ledger.paid").glob("*.paid")
    return path


@pytest.mark.usefixtures("long_answers")
def test_a_long_answer_is_fetched_from_its_file_and_from_no_other(tmp_path: Path) -> None:
    health = dataset(tmp_path)
    plan = health.plan(LONG, epsilon="0.2")
    first = health.release(plan, key="june")
    assert same(first, health.release(plan, key="june"))
    path = answer_file(tmp_path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    text = path.read_text()
    for changed in (text.replace('"n"', '"m"'), ""):
        path.write_text(changed)
        with pytest.raises(BadValue, match="is not an answer as banister keeps them"):
            health.release(plan, key="june")
    path.unlink()
    with pytest.raises(BadValue, match="is not an answer as banister keeps them"):
        health.release(plan, key="june")
    path.write_text(text)
    assert same(first, health.release(plan, key="june"))
    health.given(first, "june")
    assert not path.exists()
    with pytest.raises(ReceiptUsed, match="was given, and is not kept any more"):
        health.release(plan, key="june")
    assert charges(health) == 1


@pytest.mark.usefixtures("long_answers")
def test_a_long_answer_whose_ledger_was_not_told_is_the_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was cut off between the file and the ledger; from then on the ledger knows that there is an answer."""
    health = dataset(tmp_path)
    plan = health.plan(LONG, epsilon="0.2")

    def cut(*args: object) -> object:
        raise LedgerUnreachable("the power is gone")

    with monkeypatch.context() as patch:
        patch.setattr(SqliteStore, "keep", cut)
        with pytest.raises(LedgerUnreachable, match=r"could not be kept, and is not shown\. Its charge stands"):
            health.release(plan, key="june")
    text = answer_file(tmp_path).read_text()
    no_engine(health)
    again = health.release(plan, key="june")
    assert answer_file(tmp_path).read_text() == text
    assert same(again, health.release(plan, key="june"))
    answer_file(tmp_path).unlink()
    with pytest.raises(BadValue, match="is not an answer as banister keeps them"):
        health.release(plan, key="june")
    assert charges(health) == 1


def test_an_older_state_of_the_folder_draws_nothing(tmp_path: Path) -> None:
    """The folder as it was before the request holds the secret; that there is an answer stands with the charge."""
    health = dataset(tmp_path)
    plan = health.plan(COUNT, epsilon="0.2")
    health.release(plan, key="may")
    place = tmp_path / "here.ledger.paid"
    shutil.copytree(place, tmp_path / "older")
    first = health.release(plan, key="june")
    shutil.rmtree(place)
    (tmp_path / "older").rename(place)
    no_engine(health)
    assert same(first, health.release(plan, key="june"))
    assert charges(health) == 2


def test_what_is_kept_cannot_be_read_without_the_folder(tmp_path: Path) -> None:
    health = dataset(tmp_path)
    plan = health.plan(COUNT, epsilon="0.2")
    (table,) = health.release(plan, key="june").tables
    written = array_text(table.answers["n"].values).partition(":")[2].encode()
    assert written not in (tmp_path / "here.ledger").read_bytes()
    (tmp_path / "here.ledger.paid" / "secret").rename(tmp_path / "secret")
    assert health.kept() == ()
    assert health.asked("june") is None
    (tmp_path / "secret").rename(tmp_path / "here.ledger.paid" / "secret")
    assert [asked.key for asked in health.kept()] == ["june"]
    asked = health.asked("june")
    assert asked is not None
    assert asked.epsilon == "1/5"


def test_a_ledger_that_kept_no_answers_yet_keeps_them(tmp_path: Path) -> None:
    """Ledgers of older versions have no table for it."""
    health = dataset(tmp_path)
    health.create_ledger().close()
    with closing(sqlite3.connect(tmp_path / "here.ledger")) as connection:
        connection.execute("DROP TABLE answer")
        connection.commit()
    plan = health.plan(COUNT, epsilon="0.2")
    assert health.kept() == ()
    first = health.release(plan, key="june")
    no_engine(health)
    assert same(first, health.release(plan, key="june"))
    for statement in ("DELETE FROM answer", "UPDATE answer SET body = NULL", "UPDATE answer SET note = x'00'"):
        with (
            closing(sqlite3.connect(tmp_path / "here.ledger")) as connection,
            pytest.raises(sqlite3.IntegrityError, match="append-only"),
        ):
            connection.execute(statement)


def test_an_answer_that_was_changed_in_the_ledger_is_refused(tmp_path: Path) -> None:
    health = dataset(tmp_path)
    plan = health.plan(COUNT, epsilon="0.2")
    health.release(plan, key="may")
    health.release(plan, key="june")
    with closing(sqlite3.connect(tmp_path / "here.ledger")) as connection:
        connection.execute("DROP TRIGGER answer_stays")
        connection.execute("UPDATE answer SET body = (SELECT body FROM answer WHERE key = 'may')")
        connection.commit()
    assert len(health.release(plan, key="may").table) == 3
    with pytest.raises(BadValue, match="is not an answer as banister keeps them"):
        health.release(plan, key="june")
    assert charges(health) == 2


def test_another_wish_under_the_key_of_what_was_cut_off_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    health = dataset(tmp_path)
    plan = health.plan(COUNT, epsilon="0.2")

    def cut(*args: object) -> object:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("banister.release.run._draw_all", cut)
        with pytest.raises(KeyboardInterrupt):
            health.release(plan, key="june")
    for other, raised in ((plan, True), (health.plan(COUNT, epsilon="0.2", confidence="0.9"), False)):
        with pytest.raises(BadValue, match="The key 'june' belongs to another request"):
            health.release(other, key="june", non_negative=raised)
    assert [asked.key for asked in health.kept()] == ["june"]
    assert len(health.release(plan, key="june").table) == 3
    assert charges(health) == 1


@pytest.mark.parametrize("quicker", ["the same", "another wish", "given"])
def test_whoever_was_quicker_between_charge_and_draw_has_the_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quicker: str
) -> None:
    """Two callers at once: of all that is drawn for one charge one answer is shown."""
    health, other = dataset(tmp_path), dataset(tmp_path)
    plan = health.plan(COUNT, epsilon="0.2")
    draw, shown = run._draw_all, []

    def overtaken(*args: object) -> object:
        monkeypatch.setattr(run, "_draw_all", draw)
        if quicker == "another wish":
            with pytest.raises(BadValue, match="belongs to another request"):
                other.release(plan, key="june", non_negative=True)
        else:
            shown.append(other.release(plan, key="june"))
        if quicker == "given":
            other.given(shown[0], "june")
        return draw(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(run, "_draw_all", overtaken)
    if quicker == "given":
        with pytest.raises(ReceiptUsed, match="was given, and is not kept any more"):
            health.release(plan, key="june")
    else:
        mine = health.release(plan, key="june")
        assert all(same(mine, theirs) for theirs in shown)
        assert same(mine, health.release(plan, key="june"))
    assert charges(health) == 1


def test_a_folder_that_goes_while_it_is_drawn_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the second try, where the note is that of the first; put back, the folder is as good as ever."""
    health = dataset(tmp_path)
    plan = health.plan(COUNT, epsilon="0.2")
    place, aside = tmp_path / "here.ledger.paid", tmp_path / "aside"
    draw = run._draw_all

    def cut(*args: object) -> object:
        raise KeyboardInterrupt

    def gone(*args: object) -> object:
        place.rename(aside)
        return draw(*args)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(run, "_draw_all", cut)
        with pytest.raises(KeyboardInterrupt):
            health.release(plan, key="june")
        patch.setattr(run, "_draw_all", gone)
        with pytest.raises(ReceiptUsed, match=r"was taken away or replaced while .* It is charged and not shown"):
            health.release(plan, key="june")
    aside.rename(place)
    assert len(health.release(plan, key="june").table) == 3
    assert charges(health) == 1


def test_a_server_keeps_answers_that_it_cannot_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, postgres: str
) -> None:
    """From another place, with the same server, nothing is drawn for a charge that was made from here."""
    monkeypatch.setenv("BANISTER_HOME", str(tmp_path / "home"))
    address = f"{postgres}#kept-{os.getpid()}"
    frames = dataset(tmp_path).frames
    (tmp_path / "here.toml").write_text(SCHEMA.replace("here.ledger", address))
    health = bn.open(tmp_path / "here.toml", data=frames["data"])
    plan = health.plan(COUNT, epsilon="0.2")
    first = health.release(plan, key="june")
    assert [asked.key for asked in health.kept()] == ["june"]
    monkeypatch.setenv("BANISTER_HOME", str(tmp_path / "elsewhere"))
    for _ in range(2):
        with pytest.raises(ReceiptUsed, match=r"was made under the key 'june', but not from here"):
            health.release(plan, key="june")
    monkeypatch.setenv("BANISTER_HOME", str(tmp_path / "home"))
    no_engine(health)
    assert same(first, health.release(plan, key="june"))
    health.given(first, "june")
    assert health.kept() == ()
    with pytest.raises(ReceiptUsed, match="was given, and is not kept any more"):
        health.release(plan, key="june")
    assert charges(health) == 1


@pytest.mark.parametrize("name", ["secret", "new.csv", "../here.ledger.paid/secret"])
def test_no_output_is_written_into_the_folder_of_paid_answers(tmp_path: Path, name: str) -> None:
    """Over the secret, it would take every kept answer with it."""
    health = dataset(tmp_path)
    health.release(health.plan(COUNT, epsilon="0.2"), key="june")
    with pytest.raises(BadValue, match="lies in the folder of paid answers, whose files are still needed"):
        health.check_output(tmp_path / "here.ledger.paid" / name)
    health.check_output(tmp_path / "here.ledger.paid.csv")


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
