"""A ledger in one SQLite file: write-ahead log, one immediate transaction a charge, on disk before it is answered.

BEGIN IMMEDIATE takes the write lock before the first read, so that two processes can never both see the same rest of
the budget. A process killed at any moment leaves a whole line or none.

A charge is answered only when the log is on disk, as with synchronous=FULL; but the wait comes after the lock is given
back, so that the waits of many processes fall together (docs/decisions/0004-ledger.md). The log is written in order,
so whoever's wait ends has the charges of all before on disk too.

SQLite's locks are kept, and not relied on: `hold.Hold` says who may write and whether the file is still the same, and
`processes` keeps a connection from being carried over a fork.
"""

import contextlib
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from banister.accounting.chain import FORMAT, ChainLine, check_head, check_link
from banister.accounting.kept import Noted
from banister.accounting.stores import sqlite_shelf as shelf
from banister.accounting.stores.hold import ATTEMPTS, Hold, ReplacedMeanwhile
from banister.accounting.stores.processes import WATCH, Process
from banister.accounting.stores.sqlite_faults import faults
from banister.accounting.stores.sqlite_names import publish, refuse_a_log
from banister.errors import LedgerDamaged, LedgerFault, LedgerForeign, LedgerMissing, LedgerUnreachable

AT_ONCE = 4096
"""So many lines are read at a time; a million charges are walked without holding them all."""
SYNCHRONOUS = "NORMAL"
"""Never corrupt, by SQLite's documentation; `append` itself waits for the disk."""
APPLICATION_ID = 0x42414E49
"""Marks the file as ours ("BANI"), in the field that SQLite keeps for this."""

SCHEMA = f"""
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {FORMAT};
CREATE TABLE line (sequence INTEGER PRIMARY KEY, body TEXT NOT NULL, hash TEXT NOT NULL) STRICT;
CREATE TABLE head (one INTEGER PRIMARY KEY CHECK (one = 1), sequence INTEGER NOT NULL, hash TEXT NOT NULL) STRICT;
CREATE TABLE request (key TEXT PRIMARY KEY, sequence INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TRIGGER line_stays BEFORE UPDATE ON line BEGIN SELECT RAISE(ABORT, 'a ledger is append-only'); END;
CREATE TRIGGER line_remains BEFORE DELETE ON line BEGIN SELECT RAISE(ABORT, 'a ledger is append-only'); END;
CREATE TRIGGER head_remains BEFORE DELETE ON head BEGIN SELECT RAISE(ABORT, 'a ledger is append-only'); END;
CREATE TRIGGER head_moves_on BEFORE UPDATE ON head WHEN new.sequence <> old.sequence + 1
  BEGIN SELECT RAISE(ABORT, 'a ledger is append-only'); END;
"""


class SqliteStore:
    """The port `accounting.ledger.Store`, kept in a file."""

    def __init__(self, path: str | Path, *, wait_seconds: float = 30) -> None:
        """Open the ledger that lies there; it is never made anew."""
        self._path = Path(path)
        self._wait_seconds = wait_seconds
        self._lock = threading.Lock()
        self._busy = threading.RLock()
        """Held while SQLite is at work, and by a fork, which therefore never falls into the middle of it."""
        self._hold: Hold | None = None
        self._process: Process | None = None
        self._seen: tuple[int, str] | None = None
        WATCH.add(self)
        with self._lock:
            self._connect()

    @classmethod
    def create(cls, path: str | Path, first: ChainLine, *, wait_seconds: float = 30) -> "SqliteStore":
        """Make a ledger with its first line. It appears under its name whole, or not at all."""
        target = Path(path)
        if not target.parent.is_dir():
            raise LedgerMissing(f"There is no folder '{target.parent}' to put the ledger in. Make it first.")
        draft = target.with_name(f".{target.name}.{os.getpid()}.{threading.get_ident()}.new")
        refuse_a_log(target)
        for ending in ("", "-wal", "-shm"):  # What a killed process of the same number left behind.
            draft.with_name(draft.name + ending).unlink(missing_ok=True)
        try:
            with faults(target):
                _write_draft(draft, first)
            publish(draft, target)
        finally:
            draft.unlink(missing_ok=True)
        return cls(target, wait_seconds=wait_seconds)

    def append(self, decide: Callable[[ChainLine], ChainLine], *, key: str = "", note: bytes = b"") -> ChainLine:
        """One transaction: lock, read the end, decide, write; then wait until it is on disk, and look once more
        whether that was the ledger."""
        with self._writing() as connection:
            last = self._tail()
            line = self._keyed(key) if key else None
            if line is None:
                line = self._write(connection, last, decide(last), key)
                if note:
                    shelf.begin(connection, key, note)
        if line.sequence > last.sequence:
            self._seen = (line.sequence, line.hash)
        return line

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Alone, in one transaction; it ends when what was written is on disk, in the file of that name."""
        with self._lock, faults(self._path):
            hold = self._here()
            with hold.alone(self._wait_seconds), self._busy:
                hold.check()
                with self._transaction("IMMEDIATE") as connection:
                    yield connection
            _to_disk(hold.log)
            hold.check_names()

    def noted(self, key: str) -> Noted | None:
        """What stands under a key for whoever keeps its answer."""
        with self._reading() as connection:
            return shelf.noted(connection, key)

    def keep(self, key: str, note: bytes, body: bytes) -> Noted:
        """Put an answer there, unless there is one, and give what is there once it is on disk."""
        with self._writing() as connection:
            return shelf.keep(connection, key, note, body)

    def notes(self) -> Iterator[tuple[str, bytes, bool]]:
        """Every key with its note, and whether its answer was given."""
        with self._reading() as connection:
            return shelf.notes(connection)

    def _write(self, connection: sqlite3.Connection, last: ChainLine, line: ChainLine, key: str) -> ChainLine:
        check_link(last, line)
        connection.execute("INSERT INTO line VALUES (?, ?, ?)", (line.sequence, line.body, line.hash))
        connection.execute("UPDATE head SET sequence = ?, hash = ?", (line.sequence, line.hash))
        if key:
            connection.execute("INSERT OR REPLACE INTO request VALUES (?, ?)", (key, line.sequence))
        return line

    def _keyed(self, key: str) -> ChainLine | None:
        """The line that was written under a key; ledgers of older versions get their table of keys here."""
        self._connection.execute(
            "CREATE TABLE IF NOT EXISTS request (key TEXT PRIMARY KEY, sequence INTEGER NOT NULL) STRICT, WITHOUT ROWID"
        )
        row = self._connection.execute(
            "SELECT line.sequence, body, hash FROM request JOIN line USING (sequence) WHERE key = ?", (key,)
        ).fetchone()
        return None if row is None else ChainLine(*row)

    def first(self) -> ChainLine:
        """The line that opened the ledger."""
        found = self.line(0)
        if found is None:
            raise LedgerDamaged(f"'{self._path}' has lost its first line. Restore the ledger from a copy.")
        return found

    def line(self, sequence: int) -> ChainLine | None:
        """The line of that number, or nothing where there is none."""
        with self._reading() as connection:
            row = connection.execute("SELECT sequence, body, hash FROM line WHERE sequence = ?", (sequence,)).fetchone()
        return None if row is None else ChainLine(*row)

    def last(self) -> ChainLine:
        """The line at the end, checked against the one before it and against the head."""
        with self._reading(), self._transaction("DEFERRED"):
            return self._tail()

    def head(self) -> tuple[int, str]:
        """Number and hash of the last line, as kept apart from the lines."""
        with self._reading():
            return self._head()

    def lines(self) -> Iterator[ChainLine]:
        """Every line that is there now, from the first on; damage to the file itself is found here too.

        They are read some thousand at a time, and charges go on in between: what is written stays as it is.
        """
        with self._reading() as connection:
            problem = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            if problem != "ok":
                raise LedgerDamaged(f"'{self._path}' is damaged as a file ({problem}). Restore it from a copy.")
            end = connection.execute("SELECT max(sequence) FROM line").fetchone()[0]
        return iter(()) if end is None else self._stream(end)

    def close(self) -> None:
        """Let go of the file. The last to close folds the write-ahead log into it."""
        WATCH.discard(self)
        self._let_go(self._wait_seconds)

    def __del__(self) -> None:
        if getattr(self, "_hold", None) is not None:
            self._let_go(0)

    def _let_go(self, wait_seconds: float) -> None:
        with self._lock:
            hold, self._hold = self._hold, None
            if hold is None or self._process is None or not self._process.is_this():
                return
            with contextlib.suppress(LedgerFault), hold.alone(wait_seconds), self._busy:
                hold.leave(self._connection.close, fold=self._fold)
                return
            hold.leave_as_child(self._connection.close)  # Somebody is at it for too long, or the file is gone.

    def _fold(self) -> None:
        with contextlib.suppress(sqlite3.Error):  # No room, or another program reads: the log stays, and with it all.
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def before_fork(self) -> None:
        """Wait until SQLite is at rest."""
        self._busy.acquire()

    def after_fork_in_parent(self) -> None:
        """Go on."""
        self._busy.release()

    def after_fork_in_child(self) -> None:
        """Close what belongs to the parent; the next use opens the file anew."""
        self._lock, self._busy = threading.Lock(), threading.RLock()
        hold, self._hold = self._hold, None
        if hold is not None and not self._connection.in_transaction:
            self._process = None
            hold.leave_as_child(self._connection.close)

    def _connect(self) -> None:
        """Open the file. What looks replaced is looked at anew: often it is a number that was used twice."""
        for _ in range(ATTEMPTS - 1):
            with contextlib.suppress(ReplacedMeanwhile):
                return self._connect_once()
        return self._connect_once()

    def _connect_once(self) -> None:
        hold = Hold(self._path)
        with faults(self._path), hold.alone(self._wait_seconds), self._busy:
            close = contextlib.ExitStack()
            try:
                hold.enter(self._wait_seconds)
                self._connection = hold.open_by_name(lambda: _open(hold.real, self._wait_seconds))
                close.callback(self._connection.close)
                self._process = Process()
                self._check_kind(hold.log_path)
                with self._transaction("DEFERRED"):
                    self._tail()
                hold.attach_log()
                self._connection.execute(f"PRAGMA synchronous = {SYNCHRONOUS}")
                self._connection.execute("PRAGMA busy_timeout = 0")  # From here on `_begin` does the waiting.
                self._hold = hold
            except BaseException:  # Nothing is swallowed: what was opened is closed, whatever ended it, also a Ctrl-C.
                hold.leave(close.close)
                raise

    def _here(self) -> Hold:
        """What this process holds. A connection is never carried over a fork, so a child opens its own."""
        if self._process is not None and not self._process.is_this():
            raise LedgerUnreachable(
                f"'{self._path}' was open when this process was forked, in a way that Python was not told of or in the "
                f"middle of a charge. Nothing was charged. Open the ledger in a process that is started anew."
            )
        if self._hold is None:
            self._connect()
        assert self._hold is not None
        return self._hold

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._lock, faults(self._path):
            hold = self._here()
            with hold.among_readers(self._wait_seconds), self._busy:
                hold.check()
                yield self._connection

    def _stream(self, end: int) -> Iterator[ChainLine]:
        after = -(1 << 63)
        query = "SELECT sequence, body, hash FROM line WHERE sequence > ? AND sequence <= ? ORDER BY sequence LIMIT ?"
        while after < end:
            with self._reading() as connection:
                rows = connection.execute(query, (after, end, AT_ONCE)).fetchall()
            for row in rows:
                yield ChainLine(*row)
            after = rows[-1][0] if rows else end

    def _check_kind(self, wal: Path) -> None:
        pages = self._pragma("page_count") * self._pragma("page_size")
        if self._pragma("application_id") != APPLICATION_ID:
            raise LedgerForeign(f"'{self._path}' is not a banister ledger (or an empty file). Nothing was changed.")
        if (version := self._pragma("user_version")) != FORMAT:
            raise LedgerForeign(
                f"'{self._path}' is a ledger of format {version}; this version of banister reads format {FORMAT}. "
                f"Use the version of banister that made it."
            )
        if (not wal.exists() or wal.stat().st_size == 0) and self._path.stat().st_size < pages:
            raise LedgerDamaged(f"'{self._path}' is truncated: {pages} bytes were written. Restore it from a copy.")

    def _pragma(self, name: str) -> int:
        return int(self._connection.execute(f"PRAGMA {name}").fetchone()[0])

    def _head(self) -> tuple[int, str]:
        row = self._connection.execute("SELECT sequence, hash FROM head").fetchone()
        if row is None:
            raise LedgerDamaged(f"'{self._path}' has lost its head. Restore the ledger from a copy.")
        return int(row[0]), str(row[1])

    def _tail(self) -> ChainLine:
        """The last line, after checking that it fits the line before it, the head, and what was seen before."""
        rows = self._connection.execute(
            "SELECT sequence, body, hash FROM line ORDER BY sequence DESC LIMIT 2"
        ).fetchall()
        last = ChainLine(*rows[0]) if rows else None
        check_head(last, self._head())
        assert last is not None
        check_link(ChainLine(*rows[1]) if len(rows) > 1 else None, last)
        self._check_seen({row[0]: row[2] for row in rows})
        self._seen = (last.sequence, last.hash)
        return last

    def _check_seen(self, ending: dict[int, str]) -> None:
        """What this process saw once is still there; an older state put in the file's place is behind it."""
        if self._seen is None:
            return
        sequence, value = self._seen
        found = ending.get(sequence)
        if found is None:
            row = self._connection.execute("SELECT hash FROM line WHERE sequence = ?", (sequence,)).fetchone()
            found = None if row is None else row[0]
        if found != value:
            raise LedgerDamaged(
                f"'{self._path}' does not hold line {sequence} any more, which this process saw there: an older state "
                f"of the ledger, or another ledger, was put in its place. Restore the newest; do not charge this one."
            )

    @contextmanager
    def _transaction(self, kind: str) -> Iterator[sqlite3.Connection]:
        connection, process = self._connection, self._process
        self._begin(connection, kind)
        try:
            yield connection
            if process is None or not process.is_this():
                raise LedgerUnreachable(
                    f"A child process cannot finish what its parent began to write to '{self._path}'."
                )
            connection.execute("COMMIT")
        except BaseException:  # Nothing is swallowed: a half-made charge is undone, whatever ended it, also a Ctrl-C.
            if connection.in_transaction and process is not None and process.is_this():
                connection.execute("ROLLBACK")
            raise

    def _begin(self, connection: sqlite3.Connection, kind: str) -> None:
        """Begin a transaction, asking again in short steps while somebody else writes: a charge takes far below one."""
        deadline = time.monotonic() + self._wait_seconds
        pause_seconds = 0.0002
        while True:
            try:
                connection.execute(f"BEGIN {kind}")
                if kind == "DEFERRED":
                    connection.execute("SELECT 1 FROM head")  # Such a BEGIN looks at locks with the first read only.
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() >= deadline:
                    raise
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            time.sleep(pause_seconds)
            pause_seconds = min(2 * pause_seconds, 0.003)


def _open(path: Path, wait_seconds: float) -> sqlite3.Connection:
    """Open the file that lies there. Nothing is read yet, and no log is looked for."""
    return sqlite3.connect(
        f"{path.resolve().as_uri()}?mode=rw",
        uri=True,
        timeout=wait_seconds,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=32,
    )


def _to_disk(log: int) -> None:
    getattr(os, "fdatasync", os.fsync)(log)


def _write_draft(draft: Path, first: ChainLine) -> None:
    os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))  # The user's umask decides, not SQLite's.
    with contextlib.closing(_open(draft, 30)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript("BEGIN;" + SCHEMA + shelf.SCHEMA)
        connection.execute("INSERT INTO line VALUES (?, ?, ?)", (first.sequence, first.body, first.hash))
        connection.execute("INSERT INTO head VALUES (1, ?, ?)", (first.sequence, first.hash))
        connection.execute("COMMIT")
