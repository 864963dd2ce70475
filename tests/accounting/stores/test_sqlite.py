"""The file: each fault has its own clear error, nothing is ever started afresh, and no charge is answered too early."""

import multiprocessing
import os
import resource
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from banister.accounting.chain import ChainLine, check
from banister.accounting.stores import sqlite
from banister.accounting.stores.sqlite import SqliteStore
from banister.errors import (
    LedgerDamaged,
    LedgerExists,
    LedgerForeign,
    LedgerFull,
    LedgerLocked,
    LedgerMissing,
    LedgerUnreachable,
)

FIRST = ChainLine.first("terms")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A ledger of forty charges, closed."""
    place = tmp_path / "a.ledger"
    store = SqliteStore.create(place, FIRST)
    for number in range(40):
        add(store, f"charge {number} " + "x" * 300)
    store.close()
    return place


def add(store: SqliteStore, body: str) -> ChainLine:
    return store.append(lambda last: last.follow(body))


def fill(store: SqliteStore) -> None:
    for _ in range(40):
        add(store, "x" * 2000)


def edit(path: Path, *statements: str) -> None:
    """What somebody with the sqlite3 program could do."""
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def test_lines_come_back_as_they_were_written(path: Path) -> None:
    store = SqliteStore(path)
    lines = tuple(store.lines())
    assert check(lines) == lines[-1] == store.last()
    assert (store.first(), store.head(), len(lines)) == (FIRST, (40, lines[-1].hash), 41)
    store.close()


def test_a_closed_ledger_is_one_file(path: Path) -> None:
    assert [found.name for found in path.parent.iterdir()] == ["a.ledger"]


def test_a_refusal_leaves_everything_as_it_was(path: Path) -> None:
    store = SqliteStore(path)

    def refuse(last: ChainLine) -> ChainLine:
        raise KeyError("no")

    with pytest.raises(KeyError):
        store.append(refuse)
    assert store.last().sequence == 40
    assert add(store, "next").sequence == 41
    store.close()


def test_a_missing_ledger_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(LedgerMissing, match=r"There is no ledger at .* Make one with Ledger.create"):
        SqliteStore(tmp_path / "none.ledger")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(LedgerMissing, match=r"There is no folder"):
        SqliteStore.create(tmp_path / "no" / "a.ledger", FIRST)


def test_an_existing_file_is_never_overwritten(path: Path) -> None:
    before = path.read_bytes()
    with pytest.raises(LedgerExists, match=r"There is already a file at .* never overwritten"):
        SqliteStore.create(path, FIRST)
    assert path.read_bytes() == before
    assert [found.name for found in path.parent.iterdir()] == ["a.ledger"]


@pytest.mark.parametrize("content", [b"", b"a budget, roughly 1.0\n" * 100], ids=["empty", "text"])
def test_a_file_that_is_no_ledger_is_left_alone(tmp_path: Path, content: bytes) -> None:
    other = tmp_path / "other"
    other.write_bytes(content)
    with pytest.raises(LedgerForeign, match=r"is not a banister ledger"):
        SqliteStore(other)
    assert other.read_bytes() == content


def test_another_database_is_no_ledger(tmp_path: Path) -> None:
    edit(tmp_path / "other", "CREATE TABLE line (x)")
    with pytest.raises(LedgerForeign, match=r"is not a banister ledger"):
        SqliteStore(tmp_path / "other")


def test_another_version_is_named(path: Path) -> None:
    edit(path, "PRAGMA user_version = 7")
    with pytest.raises(LedgerForeign, match=r"is a ledger of format 7; this version of banister reads format 1"):
        SqliteStore(path)


@pytest.mark.parametrize("keep", [100, 4096, 8192, 9000])
def test_a_truncated_file_is_damaged(path: Path, keep: int) -> None:
    with path.open("r+b") as handle:
        handle.truncate(keep)
    with pytest.raises((LedgerDamaged, LedgerForeign), match=r"truncated|damaged|not a banister ledger"):
        SqliteStore(path)


def test_overwritten_pages_are_found(path: Path) -> None:
    size = path.stat().st_size
    with path.open("r+b") as handle:
        handle.seek(size // 2)
        handle.write(b"\xff" * 3000)
    with pytest.raises(LedgerDamaged, match=r"damaged|changed|missing"), closing(SqliteStore(path)) as store:
        check(store.lines())


def test_the_file_itself_refuses_edits(path: Path) -> None:
    for statement in (
        "UPDATE line SET body = 'x' WHERE sequence = 3",
        "DELETE FROM line WHERE sequence = 40",
        "UPDATE head SET sequence = 39",
        "DELETE FROM head",
    ):
        with pytest.raises(sqlite3.IntegrityError, match=r"append-only"):
            edit(path, statement)


@pytest.mark.parametrize(
    ("statements", "message"),
    [
        (["DROP TRIGGER line_stays", "UPDATE line SET body = 'x' WHERE sequence = 40"], "Line 40 .* was changed"),
        (["DROP TRIGGER line_remains", "DELETE FROM line WHERE sequence = 40"], "should end with line 40"),
        (["DROP TRIGGER line_remains", "DELETE FROM line WHERE sequence = 39"], "Line 39 of the ledger is missing"),
        (["DROP TRIGGER line_remains", "DELETE FROM line"], "last that is there is none"),
        (["DROP TRIGGER head_remains", "DELETE FROM head"], "has lost its head"),
        (["INSERT INTO line VALUES (41, 'x', 'y')"], "should end with line 40"),
        (["DROP TABLE head"], "is damaged"),
    ],
)
def test_edits_at_the_end_are_found_on_opening(path: Path, statements: list[str], message: str) -> None:
    edit(path, *statements)
    with pytest.raises(LedgerDamaged, match=message):
        SqliteStore(path)


def test_edits_further_back_are_found_by_walking_the_chain(path: Path) -> None:
    edit(path, "DROP TRIGGER line_stays", "UPDATE line SET body = 'x' WHERE sequence = 7")
    store = SqliteStore(path)
    with pytest.raises(LedgerDamaged, match=r"Line 7 of the ledger was changed"):
        check(store.lines())
    store.close()
    edit(path, "DROP TRIGGER line_remains", "DELETE FROM line WHERE sequence = 0")
    store = SqliteStore(path)
    with pytest.raises(LedgerDamaged, match=r"has lost its first line"):
        store.first()
    store.close()


def test_a_ledger_held_by_another_is_locked_and_then_free_again(path: Path) -> None:
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    store = SqliteStore(path, wait_seconds=0.05)
    with pytest.raises(LedgerLocked, match=r"held by another process for too long. Nothing was charged"):
        add(store, "x")
    assert store.last().sequence == 40  # Reading goes on.
    holder.execute("ROLLBACK")
    holder.close()
    assert add(store, "x").sequence == 41
    store.close()


def test_a_waiting_charge_goes_through_when_the_lock_is_given_back(path: Path) -> None:
    holder = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    holder.execute("BEGIN IMMEDIATE")
    store = SqliteStore(path)
    release = threading.Timer(0.1, lambda: holder.execute("ROLLBACK"))
    release.start()
    assert add(store, "x").sequence == 41
    release.join()
    holder.close()
    store.close()


def test_a_full_disk_refuses_the_charge_and_keeps_the_rest(path: Path) -> None:
    store = SqliteStore(path)
    pages = store._pragma("page_count")
    store._connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(LedgerFull, match=r"There is no room to write .* free some space"):
        fill(store)
    kept = store.last().sequence
    store._connection.execute("PRAGMA max_page_count = 1000000")
    assert add(store, "after").sequence == kept + 1
    assert check(store.lines()) == store.last()
    store.close()


def _charge_with_small_files(path: Path, answer: "multiprocessing.connection.Connection[str, str]") -> None:
    import signal

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    store = SqliteStore(path)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
    try:
        fill(store)
        answer.send("no error")
    except (LedgerFull, LedgerUnreachable) as error:
        answer.send(f"{type(error).__name__}: {error}")


def test_a_disk_that_stops_taking_bytes_refuses_the_charge(path: Path) -> None:
    here, there = multiprocessing.Pipe()
    child = multiprocessing.get_context("fork").Process(target=_charge_with_small_files, args=(path, there))
    child.start()
    child.join()
    assert "Nothing was charged" in here.recv()
    here.close()
    there.close()
    store = SqliteStore(path)
    last = check(store.lines())
    assert last is not None
    assert last.sequence >= 40
    store.close()


def test_something_that_cannot_be_opened_is_unreachable(tmp_path: Path) -> None:
    with pytest.raises(LedgerUnreachable, match=r"cannot be read or written"):
        SqliteStore(tmp_path)


def test_no_charge_is_answered_before_it_is_on_disk(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    events: list[str] = []
    store = SqliteStore(path)
    real = sqlite._to_disk

    def watched(log: int) -> None:
        events.append(f"disk after line {store._connection.execute('SELECT sequence FROM head').fetchone()[0]}")
        assert os.fstat(log).st_ino == path.with_name("a.ledger-wal").stat().st_ino
        real(log)

    monkeypatch.setattr(sqlite, "_to_disk", watched)
    events.append(f"answered {add(store, 'x').sequence}")
    assert events == ["disk after line 41", "answered 41"]

    def failing(log: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(sqlite, "_to_disk", failing)
    with pytest.raises(LedgerUnreachable, match=r"cannot be written to disk \(Input/output error\). The charge may"):
        add(store, "y")
    store.close()


def test_a_child_process_opens_its_own_connection(path: Path) -> None:
    store = SqliteStore(path)
    add(store, "parent")
    child = os.fork()
    if child == 0:
        inherited = store._connection
        own = add(store, "child").sequence == 42 and store._connection is not inherited
        os._exit(0 if own else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert add(store, "parent").sequence == 43
    assert check(store.lines()) == store.last()
    store.close()


def test_a_line_that_does_not_follow_the_last_is_not_written(path: Path) -> None:
    store = SqliteStore(path)
    for line in (ChainLine(41, "x", "0" * 64), FIRST.follow("x"), ChainLine(42, "x", store.last().follow("x").hash)):
        with pytest.raises(LedgerDamaged):
            store.append(lambda last, line=line: line)  # type: ignore[misc]
    assert store.last().sequence == 40
    assert check(store.lines()) == store.last()
    store.close()


def test_a_new_ledger_is_on_disk_before_it_is_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """First the whole file, while it has no name yet, then the folder that names it."""
    target, synced, sync = tmp_path / "a.ledger", [], os.fsync

    def recorded(handle: int) -> None:
        synced.append((os.fstat(handle).st_ino, target.exists()))
        sync(handle)

    monkeypatch.setattr(os, "fsync", recorded)
    SqliteStore.create(target, FIRST).close()
    assert synced == [(target.stat().st_ino, False), (tmp_path.stat().st_ino, True)]


def test_threads_share_a_store(path: Path) -> None:
    store = SqliteStore(path)
    threads = [threading.Thread(target=lambda: [add(store, "x") for _ in range(10)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.last().sequence == 80
    store.close()


def test_a_new_ledger_does_not_take_up_an_old_ones_log(tmp_path: Path) -> None:
    """Was: SQLite read it into the new one, which from then on had the old one's terms and charges."""
    path, log = tmp_path / "a.ledger", tmp_path / "a.ledger-wal"
    store = SqliteStore.create(path, FIRST)
    add(store, "old")
    kept = log.read_bytes()
    store.close()
    path.unlink()
    log.write_bytes(kept)
    with pytest.raises(LedgerExists, match="is the log of a ledger that is not there any more"):
        SqliteStore.create(path, ChainLine.first("other terms"))
    log.unlink()
    with closing(SqliteStore.create(path, ChainLine.first("other terms"))) as made:
        assert made.last() == ChainLine.first("other terms")


def test_creation_leaves_a_whole_ledger_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def dies(draft: Path, target: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(sqlite, "publish", dies)
    with pytest.raises(KeyboardInterrupt):
        SqliteStore.create(tmp_path / "a.ledger", FIRST)
    assert list(tmp_path.iterdir()) == []
