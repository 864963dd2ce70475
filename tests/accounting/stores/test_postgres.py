"""The server: the same rules as in the file, and each fault with its own clear error."""

import itertools
import os
import sys
import threading
from collections.abc import Iterator

import psycopg
import pytest

from banister.accounting.chain import ChainLine, check
from banister.accounting.stores import postgres as engine
from banister.accounting.stores.postgres import PostgresStore
from banister.errors import (
    BadValue,
    LedgerDamaged,
    LedgerExists,
    LedgerForeign,
    LedgerFull,
    LedgerLocked,
    LedgerMissing,
    LedgerUnreachable,
    MissingExtra,
)

FIRST = ChainLine.first("terms")
NUMBERS = itertools.count()


@pytest.fixture
def address(postgres: str) -> Iterator[str]:
    """A ledger of five charges under a fresh name."""
    place = f"{postgres}#hospital-{os.getpid()}-{next(NUMBERS)}"
    store = PostgresStore.create(place, FIRST)
    for number in range(5):
        add(store, f"charge {number}")
    store.close()
    yield place
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("ALTER TABLE IF EXISTS banister_line ENABLE TRIGGER ALL")


def add(store: PostgresStore, body: str) -> ChainLine:
    return store.append(lambda last: last.follow(body))


def edit(address: str, *statements: str) -> None:
    """What somebody who owns the tables could do."""
    server, name = engine.split(address)
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("ALTER TABLE banister_line DISABLE TRIGGER ALL")
        connection.execute("ALTER TABLE banister_ledger DISABLE TRIGGER ALL")
        for statement in statements:
            connection.execute(statement.replace("NAME", f"'{name}'").encode())
        connection.execute("ALTER TABLE banister_line ENABLE TRIGGER ALL")
        connection.execute("ALTER TABLE banister_ledger ENABLE TRIGGER ALL")


def test_lines_come_back_as_they_were_written(address: str) -> None:
    store = PostgresStore(address)
    lines = tuple(store.lines())
    assert check(lines) == lines[-1] == store.last()
    assert (store.first(), store.head(), len(lines)) == (FIRST, (5, lines[-1].hash), 6)
    store.close()


def test_a_refusal_leaves_everything_as_it_was(address: str) -> None:
    store = PostgresStore(address)

    def refuse(last: ChainLine) -> ChainLine:
        raise KeyError("no")

    with pytest.raises(KeyError):
        store.append(refuse)
    assert add(store, "next").sequence == 6
    store.close()


def test_ledgers_of_one_database_do_not_meet(postgres: str, address: str) -> None:
    other = PostgresStore.create(f"{postgres}#other-{next(NUMBERS)}-{os.getpid()}", FIRST)
    assert add(other, "x").sequence == 1
    other.close()
    with pytest.raises(LedgerExists, match=r"There is already a ledger 'hospital-.*never overwritten"):
        PostgresStore.create(address, FIRST)


def test_a_missing_ledger_is_not_made(postgres: str, address: str) -> None:
    with pytest.raises(LedgerMissing, match=r"There is no ledger 'none' in that database\. Make one"):
        PostgresStore(f"{postgres}#none")


def test_an_empty_database_has_none(postgres: str) -> None:
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("CREATE DATABASE empty")
    with pytest.raises(LedgerMissing, match=r"There is no ledger 'none' in that database, nor any other"):
        PostgresStore(f"{postgres.rsplit('/', 1)[0]}/empty#none")


@pytest.mark.parametrize("name", ["", "a b", "x" * 61, "a'; DROP TABLE line"])
def test_a_name_is_needed(postgres: str, name: str) -> None:
    with pytest.raises(BadValue, match=r"ends with its name.*postgresql://host/database#name"):
        PostgresStore(f"{postgres}#{name}")


def test_the_server_itself_refuses_edits(address: str) -> None:
    server, _ = engine.split(address)
    with psycopg.connect(server, autocommit=True) as connection:
        for statement in (
            "UPDATE banister_line SET body = 'x'",
            "DELETE FROM banister_line",
            "TRUNCATE banister_line",
            "UPDATE banister_ledger SET sequence = 2",
            "DELETE FROM banister_ledger",
        ):
            with pytest.raises(psycopg.errors.RaiseException, match="append-only"):
                connection.execute(statement)


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("UPDATE banister_line SET body = 'x' WHERE ledger = NAME AND sequence = 5", r"Line 5 .* was changed"),
        ("DELETE FROM banister_line WHERE ledger = NAME AND sequence = 5", r"should end with line 5"),
        ("DELETE FROM banister_line WHERE ledger = NAME", r"last that is there is none"),
        ("INSERT INTO banister_line VALUES (NAME, 6, 'x', 'y')", r"should end with line 5"),
    ],
)
def test_edits_at_the_end_are_found_on_opening(address: str, statement: str, message: str) -> None:
    edit(address, statement)
    with pytest.raises(LedgerDamaged, match=message):
        PostgresStore(address)


def test_edits_further_back_are_found_by_walking_the_chain(address: str) -> None:
    edit(address, "UPDATE banister_line SET body = 'x' WHERE ledger = NAME AND sequence = 0")
    store = PostgresStore(address)
    with pytest.raises(LedgerDamaged, match=r"Line 0 of the ledger was changed"):
        check(store.lines())
    store.close()
    edit(address, "DELETE FROM banister_line WHERE ledger = NAME AND sequence = 0")
    store = PostgresStore(address)
    with pytest.raises(LedgerDamaged, match=r"has lost its first line"):
        store.first()
    store.close()


def test_a_damaged_rule_is_not_written_around(address: str) -> None:
    """A line that nobody should have written stands where ours belongs: the key refuses ours."""
    store = PostgresStore(address)

    def meanwhile(last: ChainLine) -> ChainLine:
        edit_unlocked(address)
        return last.follow("ours")

    with pytest.raises(LedgerDamaged, match=r"is damaged \(duplicate key"):
        store.append(meanwhile)
    store.close()


def edit_unlocked(address: str) -> None:
    server, name = engine.split(address)
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")  # Skips the foreign key's lock on the head.
        connection.execute("INSERT INTO banister_line VALUES (%s, 6, 'x', 'y')", (name,))


def test_another_version_is_named(address: str) -> None:
    edit(address, "UPDATE banister_ledger SET format = 7 WHERE name = NAME")
    with pytest.raises(LedgerForeign, match="is a ledger of format 7; this version of banister reads format 1"):
        PostgresStore(address)


def test_a_ledger_held_by_another_is_locked_and_then_free_again(address: str) -> None:
    server, name = engine.split(address)
    store = PostgresStore(address, wait_seconds=0.05)
    with psycopg.connect(server) as holder:
        holder.execute("SELECT 1 FROM banister_ledger WHERE name = %s FOR UPDATE", (name,))
        with pytest.raises(LedgerLocked, match=r"held by another client for too long\. Nothing was charged"):
            add(store, "x")
        assert store.last().sequence == 5  # Reading goes on.
    assert add(store, "x").sequence == 6
    store.close()


def test_a_server_that_does_not_answer_is_unreachable() -> None:
    with pytest.raises(LedgerUnreachable, match=r"The server of the ledger 'a' cannot be used"):
        PostgresStore("postgresql://nobody@127.0.0.1:1/none#a")


def terminate(store: PostgresStore) -> None:
    with psycopg.connect(store._server, autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s)", (store._connection.info.backend_pid,))


def test_a_lost_connection_is_made_again(address: str) -> None:
    store = PostgresStore(address)
    terminate(store)
    assert add(store, "x").sequence == 6
    assert add(store, "x").sequence == 7
    store.close()


@pytest.mark.parametrize("when", ["before the commit", "after the commit"])
def test_a_connection_lost_on_the_way_neither_loses_nor_doubles_the_charge(
    address: str, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    store = PostgresStore(address)
    real, left = engine._to_disk, ["once"]

    def decide(last: ChainLine) -> ChainLine:
        if when == "before the commit" and left:
            left.pop()
            terminate(store)
        return last.follow("ours")

    def cut(connection: "psycopg.Connection[tuple[object, ...]]") -> None:
        if when == "after the commit" and left:
            left.pop()
            terminate(store)
        real(connection)

    monkeypatch.setattr(engine, "_to_disk", cut)
    line = store.append(decide)
    assert not left
    assert [one.body for one in store.lines()].count("ours") == 1
    assert store.last() == line
    store.close()


def test_a_server_that_stays_away_is_told(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    store = PostgresStore(address)

    def cut(connection: "psycopg.Connection[tuple[object, ...]]") -> None:
        terminate(store)
        connection.execute("SELECT 1")

    monkeypatch.setattr(engine, "_to_disk", cut)
    with pytest.raises(LedgerUnreachable, match=r"Nothing was drawn; a charge under way may stand or not"):
        add(store, "x")
    monkeypatch.undo()
    assert store.last().sequence == 6  # One attempt was committed, and no second one was made.
    store.close()


def test_a_key_is_charged_once(address: str) -> None:
    store = PostgresStore(address)
    edit(address, "DROP TABLE IF EXISTS banister_request")  # As a database of an older version.
    first = store.append(lambda last: last.follow("a"), key="k")
    assert store.append(lambda last: last.follow("b"), key="k") == first
    assert store.append(lambda last: last.follow("c"), key="l").sequence == 7
    store.close()


@pytest.mark.parametrize("level", ["read committed", "repeatable read", "serializable"])
def test_any_default_isolation_takes_concurrent_charges(address: str, postgres: str, level: str) -> None:
    """Under repeatable read, 74 to 94 of 160 failed."""
    with psycopg.connect(postgres, autocommit=True) as owner:
        owner.execute(f"ALTER DATABASE postgres SET default_transaction_isolation = '{level}'".encode())
    failures: list[BaseException] = []

    def charge() -> None:
        try:
            store = PostgresStore(address)
            for _ in range(20):
                add(store, "x")
            store.close()
        except BaseException as error:  # Told to the test's own thread below.
            failures.append(error)

    threads = [threading.Thread(target=charge) for _ in range(8)]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        store = PostgresStore(address)
        last = check(store.lines())
        assert not failures
        assert last is not None
        assert last.sequence == 165
        store.close()
    finally:
        with psycopg.connect(postgres, autocommit=True) as owner:
            owner.execute("ALTER DATABASE postgres RESET default_transaction_isolation")


def test_a_full_disk_is_told(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server's own error for a full disk, as raised by it; a disk cannot be filled here."""
    store = PostgresStore(address)
    raised = "DO $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$"
    monkeypatch.setattr(engine, "WRITE", raised)
    with pytest.raises(LedgerFull, match=r"The server has no room to write"):
        store.append(lambda last: last.follow("x"))
    monkeypatch.undo()
    assert add(store, "x").sequence == 6
    store.close()


def test_no_charge_is_answered_before_it_is_on_disk(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once a charge is answered, the server's log is flushed beyond the end it had when the charge was committed."""
    server, _ = engine.split(address)
    store = PostgresStore(address)
    real, ends = engine._to_disk, []

    def watched(connection: "psycopg.Connection[tuple[object, ...]]") -> None:
        ends.append(connection.execute("SELECT pg_current_wal_insert_lsn()").fetchone())
        real(connection)

    monkeypatch.setattr(engine, "_to_disk", watched)
    for _ in range(5):
        add(store, "x")
        with psycopg.connect(server, autocommit=True) as other:
            row = other.execute("SELECT pg_current_wal_flush_lsn() >= %s::pg_lsn", ends[-1]).fetchone()
        assert row == (True,)
    store.close()


def test_a_child_process_opens_its_own_connection(address: str) -> None:
    store = PostgresStore(address)
    child = os.fork()
    if child == 0:
        os._exit(0 if add(store, "child").sequence == 6 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert add(store, "parent").sequence == 7
    store.close()


def test_two_creators_make_one_ledger(postgres: str) -> None:
    outcomes: list[str] = []

    def create() -> None:
        try:
            PostgresStore.create(f"{postgres}#race-{os.getpid()}", FIRST).close()
            outcomes.append("made")
        except LedgerExists:
            outcomes.append("refused")

    threads = [threading.Thread(target=create) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["made", "refused", "refused", "refused"]


def test_without_psycopg_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtra, match=r"pip install '\.\[postgres\]'"):
        PostgresStore("postgresql://127.0.0.1/none#a")
