"""Where a team's accounts, sessions, keys, requests and log lie: one SQLite file, for its owner alone.

Every change is one transaction that is on disk before it is answered. Passwords, sessions, keys and codes are never in
it themselves, only what they hash to.
"""

import hashlib
import os
import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from banister import keys
from banister.accounting.chain import ChainLine, check_link
from banister.errors import BadValue, LedgerDamaged

T = TypeVar("T")
FORMAT = 2
"""2 added drafts, the seal of forms and who signs in elsewhere; a file of the first is taken, and goes on as one."""
APPLICATION_ID = 0x62746D31
TABLES = """
CREATE TABLE IF NOT EXISTS account (
  name TEXT PRIMARY KEY, role TEXT NOT NULL, password TEXT, active INTEGER NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS pass (
  hash TEXT PRIMARY KEY, kind TEXT NOT NULL, account TEXT NOT NULL REFERENCES account, label TEXT NOT NULL,
  made TEXT NOT NULL, ends TEXT NOT NULL, revoked TEXT NOT NULL DEFAULT '') STRICT;
CREATE TABLE IF NOT EXISTS asked (
  account TEXT NOT NULL REFERENCES account, key TEXT NOT NULL, at TEXT NOT NULL, request TEXT NOT NULL,
  state TEXT NOT NULL, words TEXT NOT NULL, plan TEXT NOT NULL, price TEXT NOT NULL, decided TEXT NOT NULL,
  answer TEXT NOT NULL, PRIMARY KEY (account, key)) STRICT;
CREATE TABLE IF NOT EXISTS outside (
  account TEXT PRIMARY KEY REFERENCES account, issuer TEXT NOT NULL, subject TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS draft (
  key TEXT PRIMARY KEY, account TEXT NOT NULL REFERENCES account, asked TEXT NOT NULL, at TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS seal (one INTEGER PRIMARY KEY CHECK (one = 1), secret TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS line (sequence INTEGER PRIMARY KEY, body TEXT NOT NULL, hash TEXT NOT NULL) STRICT;
CREATE TRIGGER IF NOT EXISTS line_stays BEFORE UPDATE ON line
  BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
CREATE TRIGGER IF NOT EXISTS line_remains BEFORE DELETE ON line
  BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
"""


@dataclass(slots=True)
class _Waiting:
    """A line that waits to be written, and what became of it."""

    body: str
    done: bool = False
    line: ChainLine | None = None
    fault: sqlite3.Error | None = None


class TeamStore:
    """The file of a team, used by the threads of one process, and by several processes."""

    __slots__ = ("_connection", "_lock", "_waiting", "path")

    def __init__(self, path: str | Path, *, make: bool = False) -> None:
        """Open the file; it is made only where that is asked for."""
        self.path = Path(path)
        if not make and not self.path.is_file():
            raise BadValue(f"There is no team at '{self.path}' yet. Make its first owner: banister team add.")
        if not self.path.exists():
            os.close(os.open(self.path, os.O_CREAT | os.O_WRONLY, 0o600))
        self._lock = threading.RLock()
        self._waiting: deque[_Waiting] = deque()
        self._connection = sqlite3.connect(self.path, timeout=30, isolation_level=None, check_same_thread=False)
        try:
            self._prepare()
        except sqlite3.DatabaseError:
            self._connection.close()
            raise BadValue(
                f"'{self.path}' is not the file of a team, or is damaged. Restore it from a back-up."
            ) from None

    def _prepare(self) -> None:
        found = self._connection.execute("PRAGMA application_id").fetchone()[0]
        if found not in (0, APPLICATION_ID) or (
            found == 0 and self._connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        ):
            raise sqlite3.DatabaseError
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute("PRAGMA foreign_keys = ON")
        version = self._connection.execute("PRAGMA user_version").fetchone()[0]
        if found != 0 and not 1 <= version <= FORMAT:
            raise sqlite3.DatabaseError
        if version < FORMAT:
            with self.writing() as connection:
                for statement in TABLES.split(";\n"):
                    if statement.strip():
                        connection.execute(statement)
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                connection.execute(f"PRAGMA user_version = {FORMAT}")

    def seal(self) -> str:
        """A secret that all processes of the server share, to know each other's forms by; it lets nobody in."""
        with self.writing() as connection:
            connection.execute("INSERT OR IGNORE INTO seal VALUES (1, ?)", (keys.nonce() + keys.nonce(),))
            found = connection.execute("SELECT secret FROM seal").fetchone()
            return str(found[0])

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction that excludes all other writers; undone where anything is raised."""
        with self._lock:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:  # Nothing is swallowed: what was half written is undone.
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The connection, for this thread alone and to look only."""
        with self._lock:
            yield self._connection

    def rows(self, query: str, *given: object) -> list[tuple[str, ...]]:
        """What a query finds."""
        with self._lock:
            return self._connection.execute(query, given).fetchall()

    def note(self, body: str) -> ChainLine:
        """Write a line to the log; each carries the hash of the one before it.

        Lines that come while another one is being put on disk wait for it, and then go there together.
        """
        mine = _Waiting(body)
        self._waiting.append(mine)
        with self._lock:
            if not mine.done:
                self._note_all()
        if mine.fault is not None:
            raise mine.fault
        assert mine.line is not None
        return mine.line

    def _note_all(self) -> None:
        """All lines that wait, in one transaction, which is theirs whatever becomes of it."""
        together = [self._waiting.popleft() for _ in range(len(self._waiting))]
        try:
            with self.writing() as connection:
                lines = [note(connection, each.body) for each in together]
            for each, line in zip(together, lines, strict=True):
                each.line = line
        except sqlite3.Error as error:
            for each in together:
                each.fault = error
        finally:
            for each in together:
                each.done = True

    def lines(self) -> list[ChainLine]:
        """The whole log, each line checked against the one before it."""
        previous: ChainLine | None = None
        found = []
        for row in self.rows("SELECT sequence, body, hash FROM line ORDER BY sequence"):
            line = ChainLine(int(row[0]), row[1], row[2])
            try:
                check_link(previous, line)
            except LedgerDamaged:
                raise LedgerDamaged(
                    f"Line {line.sequence} of the team's log does not follow the one before it: it was changed by hand."
                ) from None
            found.append(line)
            previous = line
        return found

    def back_up(self, target: str | Path) -> None:
        """Copy everything, as of one moment, into a new file."""
        place = Path(target)
        if place.exists():
            raise BadValue(f"'{place}' is there already, and a back-up overwrites nothing. Name another file.")
        os.close(os.open(place, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        with self._lock:
            copy = sqlite3.connect(place)
            try:
                self._connection.backup(copy)
            finally:
                copy.close()

    @classmethod
    def put_back(cls, copy: str | Path, path: str | Path, settle: "Callable[[TeamStore], T]") -> T:
        """The file anew from a back-up whose log holds together, settled before it has its name."""
        place = Path(path)
        if place.exists():
            raise _in_the_way(place)
        if not Path(copy).is_file():
            raise BadValue(f"There is no back-up at '{copy}'. Name a file that `banister team backup` wrote.")
        draft = place.with_name(place.name + ".restoring")
        for left in (draft, *(draft.with_name(draft.name + end) for end in ("-wal", "-shm"))):
            left.unlink(missing_ok=True)  # Of a restoring that was cut off: it never had the name.
        found = cls(copy)
        try:
            found.lines()
            found.back_up(draft)
        finally:
            found.close()
        made = cls(draft)
        try:
            result = settle(made)
        finally:
            made.close()
        try:
            os.link(draft, place)
        except FileExistsError:
            raise _in_the_way(place) from None
        finally:
            draft.unlink()
        return result

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._connection.close()


def _in_the_way(place: Path) -> BadValue:
    return BadValue(
        f"'{place}' is there, and putting a back-up in its place overwrites nothing. Stop the server, and move "
        "the file away with those beside it that end in -wal and -shm."
    )


def note(connection: sqlite3.Connection, body: str) -> ChainLine:
    """Write a line to the log, in the transaction of what it tells of."""
    row = connection.execute("SELECT sequence, body, hash FROM line ORDER BY sequence DESC LIMIT 1").fetchone()
    line = ChainLine.first(body) if row is None else ChainLine(*row).follow(body)
    connection.execute("INSERT INTO line VALUES (?, ?, ?)", (line.sequence, line.body, line.hash))
    return line


def hashed(secret: str) -> str:
    """What is kept of a secret that was drawn at random, and so cannot be guessed."""
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()
