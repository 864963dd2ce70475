"""What SQLite has open is read off the process's descriptors, while other threads open and close theirs."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from banister.accounting.chain import ChainLine
from banister.accounting.stores import sqlite
from banister.accounting.stores.descriptors import Descriptors, Identity, identity
from banister.accounting.stores.sqlite import SqliteStore
from banister.errors import LedgerUnreachable


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A ledger of one charge, closed."""
    place = tmp_path / "a.ledger"
    with closing(SqliteStore.create(place, ChainLine.first("terms"))) as store:
        store.append(lambda last: last.follow("a"))
    return place


@pytest.mark.parametrize("confused", [1, 2, 4])
def test_a_descriptor_number_that_was_used_twice_is_no_replaced_log(
    path: Path, monkeypatch: pytest.MonkeyPatch, confused: int
) -> None:
    """Was: another thread deleted the log of its draft, SQLite's log got the same descriptor and the same inode, and
    one first release in a thousand was refused. Here the list from before already holds what is opened then."""
    since, looks = Descriptors.since, [0]
    log = path.with_name(path.name + "-wal")

    def blind(now: Descriptors, before: Descriptors) -> dict[int, Identity]:
        looks[0] += 1
        seen = since(now, before)
        return seen if looks[0] > 2 * confused else {n: file for n, file in seen.items() if file != identity(log)}

    monkeypatch.setattr(Descriptors, "since", blind)
    with closing(SqliteStore(path)) as store:
        assert store.append(lambda last: last.follow("x")).sequence == 2
    assert looks[0] == 2 * confused + 2


def test_a_log_that_looks_replaced_every_time_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    since, mine = Descriptors.since, identity(path)
    only_file = lambda now, before: {n: file for n, file in since(now, before).items() if file == mine}  # noqa: E731
    monkeypatch.setattr(Descriptors, "since", only_file)
    with pytest.raises(LedgerUnreachable, match="the log beside it was replaced while it was opened"):
        SqliteStore(path)
    monkeypatch.undo()
    with closing(SqliteStore(path)) as store:
        assert store.last().sequence == 1


def test_threads_that_open_other_databases_all_the_time_stop_nobody(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Was: SQLite took up a descriptor that it had, each of five looks saw another thread's new one, and the ledger was
    said to be another file: one opening in 330, beside twelve threads."""
    since, looks = Descriptors.since, [0]

    def crowded(now: Descriptors, before: Descriptors) -> dict[int, Identity]:
        looks[0] += 1
        return {99: (1, 1)} if looks[0] <= 30 else since(now, before)

    monkeypatch.setattr(Descriptors, "since", crowded)
    with closing(SqliteStore(path)) as store:
        assert store.append(lambda last: last.follow("x")).sequence == 2


def test_a_file_that_was_swapped_for_good_is_noticed_at_the_first_look(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect, opened = sqlite._open, [0]

    def swap(real: Path, wait_seconds: float) -> sqlite3.Connection:
        opened[0] += 1
        path.rename(path.with_name("true"))
        shutil.copy(path.with_name("true"), path)
        return connect(real, wait_seconds)

    monkeypatch.setattr(sqlite, "_open", swap)
    with pytest.raises(LedgerUnreachable, match="another file was put in its place"):
        SqliteStore(path)
    assert opened == [1]


def test_a_descriptor_that_nobody_saw_is_not_taken_for_the_ledgers(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite may take up a descriptor only of a file that this process has open: what shows none is opened anew."""
    since, looks = Descriptors.since, [0]

    def unseen(now: Descriptors, before: Descriptors) -> dict[int, Identity]:
        looks[0] += 1
        return {} if looks[0] == 1 else since(now, before)

    monkeypatch.setattr(Descriptors, "since", unseen)
    monkeypatch.setattr(Descriptors, "now", classmethod(_with_another(Descriptors.now)))
    with closing(SqliteStore(path)) as store:
        assert store.append(lambda last: last.follow("x")).sequence == 2
    assert looks == [3]


def _with_another(now: Callable[[], Descriptors]) -> Callable[[type[Descriptors]], Descriptors]:
    """The list with one more file, as where another program's library has a database open."""
    return lambda _: Descriptors({**now(), 12345: (0, 0)})
