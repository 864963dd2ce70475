"""The log of a team: lines that come at once go to disk together, in order, and none is lost or told of falsely."""

import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from banister.apps.team.store import TeamStore

SPEAKERS = 12


@pytest.fixture
def store(tmp_path: Path) -> Iterator[TeamStore]:
    made = TeamStore(tmp_path / "team.db", make=True)
    yield made
    made.close()


def at_once(store: TeamStore) -> tuple[list[int], list[sqlite3.Error]]:
    """Lines of as many threads, all of which come while the file is busy; their numbers, and what was raised."""
    numbers: list[int] = []
    faults: list[sqlite3.Error] = []

    def speak(who: int) -> None:
        try:
            numbers.append(store.note(f"line of {who}").sequence)
        except sqlite3.Error as error:
            faults.append(error)

    threads = [threading.Thread(target=speak, args=(who,)) for who in range(SPEAKERS)]
    with store.reading():  # Whoever holds the file makes them all wait.
        for thread in threads:
            thread.start()
        while len(store._waiting) < SPEAKERS:
            threading.Event().wait(0.001)
    for thread in threads:
        thread.join()
    return numbers, faults


def test_lines_that_come_at_once_are_one_transaction_and_one_chain(store: TeamStore) -> None:
    first = store.note("the first").sequence
    commits: list[str] = []
    store._connection.set_trace_callback(lambda said: commits.append(said) if said == "COMMIT" else None)
    numbers, faults = at_once(store)
    assert not faults
    assert len(commits) == 1
    assert sorted(numbers) == list(range(first + 1, first + 1 + SPEAKERS))
    assert {line.body for line in store.lines()} == {"the first", *(f"line of {who}" for who in range(SPEAKERS))}


def test_where_they_cannot_be_written_every_one_of_them_hears_it(store: TeamStore) -> None:
    store._connection.execute("PRAGMA query_only = ON")
    numbers, faults = at_once(store)
    assert (numbers, len(faults)) == ([], SPEAKERS)
    store._connection.execute("PRAGMA query_only = OFF")
    assert store.note("afterwards").body == "afterwards"
    assert [line.body for line in store.lines()] == ["afterwards"]
