"""A team's ledger on PostgreSQL: the same lines and the same rules as in a file, many ledgers to a database.

SELECT … FOR UPDATE locks the ledger's head before anything is read, so charges take their turns. The lock is given back
before the wait for the disk, so that the waits of many clients fall together: the charge is committed first without a
wait, and a second, empty commit waits for the log up to its own end, which lies behind the charge
(docs/decisions/0004-ledger.md). Only then is the charge answered.

When the connection is lost on the way, the same line is looked for under the lock of a new one before anything is
decided again, so that a charge that had been committed is not made twice.
"""

import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar, cast

from banister.accounting.chain import FORMAT, ChainLine, check_head, check_link
from banister.accounting.kept import Noted
from banister.accounting.stores.processes import Process
from banister.errors import (
    BadValue,
    LedgerDamaged,
    LedgerExists,
    LedgerFault,
    LedgerForeign,
    LedgerFull,
    LedgerLocked,
    LedgerMissing,
    LedgerUnreachable,
    MissingExtra,
)

if TYPE_CHECKING:
    import psycopg

TABLES = """
CREATE TABLE IF NOT EXISTS banister_request (
  ledger text NOT NULL REFERENCES banister_ledger, key text NOT NULL, sequence bigint NOT NULL,
  PRIMARY KEY (ledger, key));
CREATE TABLE IF NOT EXISTS banister_answer (
  ledger text NOT NULL REFERENCES banister_ledger, key text NOT NULL, note bytea NOT NULL, body bytea,
  PRIMARY KEY (ledger, key));
"""
SCHEMA = f"""
SELECT pg_advisory_xact_lock(42414549);
CREATE TABLE IF NOT EXISTS banister_ledger (
  name text PRIMARY KEY, format integer NOT NULL, sequence bigint NOT NULL, hash text NOT NULL);
CREATE TABLE IF NOT EXISTS banister_line (
  ledger text NOT NULL REFERENCES banister_ledger, sequence bigint NOT NULL, body text NOT NULL, hash text NOT NULL,
  PRIMARY KEY (ledger, sequence));
{TABLES}CREATE OR REPLACE FUNCTION banister_append_only() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'a ledger is append-only'; END $$;
CREATE OR REPLACE TRIGGER banister_answer_remains BEFORE DELETE OR TRUNCATE ON banister_answer
  EXECUTE FUNCTION banister_append_only();
CREATE OR REPLACE TRIGGER banister_answer_stays BEFORE UPDATE ON banister_answer FOR EACH ROW
  WHEN (new.ledger <> old.ledger OR new.key <> old.key OR new.note <> old.note OR new.body IS NULL
    OR (old.body IS NOT NULL AND new.body <> ''))
  EXECUTE FUNCTION banister_append_only();
CREATE OR REPLACE TRIGGER banister_line_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON banister_line
  EXECUTE FUNCTION banister_append_only();
CREATE OR REPLACE TRIGGER banister_head_remains BEFORE DELETE OR TRUNCATE ON banister_ledger
  EXECUTE FUNCTION banister_append_only();
CREATE OR REPLACE TRIGGER banister_head_moves_on BEFORE UPDATE ON banister_ledger FOR EACH ROW
  WHEN (new.sequence <> old.sequence + 1 OR new.name <> old.name OR new.format <> old.format)
  EXECUTE FUNCTION banister_append_only();
"""
KEYS = f"SELECT pg_advisory_xact_lock(42414549);{TABLES}"
"""Databases of older versions get the tables of keys and of kept answers with the first charge that needs them."""
WRITE = """
WITH moved AS (UPDATE banister_ledger SET sequence = %(sequence)s, hash = %(hash)s WHERE name = %(name)s)
INSERT INTO banister_line VALUES (%(name)s, %(sequence)s, %(body)s, %(hash)s)
"""
NOTE_KEY = """
INSERT INTO banister_request VALUES (%(name)s, %(key)s, %(sequence)s)
ON CONFLICT (ledger, key) DO UPDATE SET sequence = excluded.sequence
"""
NOTE = "INSERT INTO banister_answer VALUES (%(name)s, %(key)s, %(note)s) ON CONFLICT DO NOTHING"
KEEP = """
INSERT INTO banister_answer AS there VALUES (%(name)s, %(key)s, %(note)s, %(body)s)
ON CONFLICT (ledger, key) DO UPDATE SET body = excluded.body
WHERE there.note = excluded.note AND (there.body IS NULL OR excluded.body = '')
"""
AT_ONCE = 4096
TRIES = 4
T = TypeVar("T")
NAME = re.compile(r"[A-Za-z0-9_.-]{1,60}")


class PostgresStore:
    """The port `accounting.ledger.Store`, kept on a server."""

    def __init__(self, address: str, *, wait_seconds: float = 30) -> None:
        """Open the ledger that is there; it is never made anew."""
        self._server, self._name = split(address)
        self._wait_seconds = wait_seconds
        self._lock = threading.Lock()
        self._inherited: list[object] = []
        self._keys_ready = False
        self._connect()
        try:
            self.last()
        except LedgerFault:
            self.close()
            raise

    @classmethod
    def create(cls, address: str, first: ChainLine, *, wait_seconds: float = 30) -> "PostgresStore":
        """Make a ledger with its first line, in one transaction."""
        server, name = split(address)
        with faults(name), session(server, wait_seconds) as connection, connection.transaction():
            connection.execute(SCHEMA)
            made = connection.execute(
                "INSERT INTO banister_ledger VALUES (%s, %s, 0, %s) ON CONFLICT DO NOTHING RETURNING name",
                (name, FORMAT, first.hash),
            ).fetchone()
            if made is None:
                raise LedgerExists(
                    f"There is already a ledger '{name}' in that database, and one is never overwritten. "
                    f"Open it with Ledger.open, or choose another name."
                )
            connection.execute("INSERT INTO banister_line VALUES (%s, 0, %s, %s)", (name, first.body, first.hash))
        return cls(address, wait_seconds=wait_seconds)

    def append(self, decide: Callable[[ChainLine], ChainLine], *, key: str = "", note: bytes = b"") -> ChainLine:
        """One transaction: lock, read the end, decide, write; then wait until it is on disk."""
        sent: list[ChainLine] = []
        return self._again(lambda: self._append(decide, key, note, sent))

    def _again(self, attempt: Callable[[], T]) -> T:
        """What can be tried anew without harm, over a new connection where the old one is lost."""
        with self._lock, faults(self._name):
            for turn in range(TRIES):
                try:
                    return attempt()
                except Exception as error:
                    if turn == TRIES - 1 or not _passing(error, self._connection):
                        raise
                    time.sleep(0.05 * turn)
        raise AssertionError("the last attempt returns or raises")

    def _with_keys(self) -> "psycopg.Connection[tuple[object, ...]]":
        """The connection, to a database that has the tables of keys and of kept answers."""
        connection = self._here()
        if not self._keys_ready:
            with connection.transaction():
                connection.execute(KEYS)
            self._keys_ready = True
        return connection

    def noted(self, key: str) -> Noted | None:
        """What stands under a key for whoever keeps its answer."""
        return self._again(lambda: self._noted(key))

    def _noted(self, key: str) -> Noted | None:
        query = "SELECT note, body FROM banister_answer WHERE ledger = %s AND key = %s"
        row = self._with_keys().execute(query, (self._name, key)).fetchone()
        return None if row is None else (_bytes(row[0]), None if row[1] is None else _bytes(row[1]))

    def keep(self, key: str, note: bytes, body: bytes) -> Noted:
        """Put an answer there, unless there is one, and give what is there once it is on disk."""

        def kept() -> Noted:
            fields = {"name": self._name, "key": key, "note": note, "body": body}
            self._with_keys().execute(KEEP, fields)
            there = self._noted(key)
            assert there is not None
            return there

        return self._again(kept)

    def notes(self) -> Iterator[tuple[str, bytes, bool]]:
        """Every key with its note, and whether its answer was given."""
        query = (
            "SELECT key, note, length(body) IS NOT DISTINCT FROM 0 FROM banister_answer WHERE ledger = %s ORDER BY 1"
        )
        rows = self._again(lambda: self._with_keys().execute(query, (self._name,)).fetchall())
        return iter([(str(key), _bytes(note), bool(given)) for key, note, given in rows])

    def _append(
        self, decide: Callable[[ChainLine], ChainLine], key: str, note: bytes, sent: list[ChainLine]
    ) -> ChainLine:
        connection = self._with_keys() if key else self._here()
        with connection.transaction():
            last = self._tail("SET LOCAL synchronous_commit = off", "FOR UPDATE")
            line = self._written_before(connection, key, sent)
            if line is None:
                line = decide(last)
                check_link(last, line)
                sent.append(line)
                fields = {"name": self._name, "sequence": line.sequence, "body": line.body, "hash": line.hash}
                connection.execute(WRITE, fields)
                if key:
                    connection.execute(NOTE_KEY, fields | {"key": key})
                if note:
                    connection.execute(NOTE, fields | {"key": key, "note": note})
        _to_disk(connection)
        return line

    def _written_before(
        self, connection: "psycopg.Connection[tuple[object, ...]]", key: str, sent: list[ChainLine]
    ) -> ChainLine | None:
        """A line of ours whose commit was not answered, or the one that was written under this key."""
        for line in sent:
            row = connection.execute(
                "SELECT 1 FROM banister_line WHERE ledger = %s AND sequence = %s AND hash = %s",
                (self._name, line.sequence, line.hash),
            ).fetchone()
            if row is not None:
                return line
        if not key:
            return None
        row = connection.execute(
            "SELECT l.sequence, body, hash FROM banister_request r JOIN banister_line l USING (ledger, sequence) "
            "WHERE r.ledger = %s AND r.key = %s",
            (self._name, key),
        ).fetchone()
        return None if row is None else _line(row)

    def first(self) -> ChainLine:
        """The line that opened the ledger."""
        found = self.line(0)
        if found is None:
            raise LedgerDamaged(f"The ledger '{self._name}' has lost its first line. Restore it from a copy.")
        return found

    def line(self, sequence: int) -> ChainLine | None:
        """The line of that number, or nothing where there is none."""
        query = "SELECT sequence, body, hash FROM banister_line WHERE ledger = %s AND sequence = %s"
        with self._lock, faults(self._name):
            row = self._here().execute(query, (self._name, sequence)).fetchone()
        return None if row is None else _line(row)

    def last(self) -> ChainLine:
        """The line at the end, checked against the one before it and against the head."""
        with self._lock, faults(self._name), self._snapshot():
            return self._tail("SELECT 1", "")

    def head(self) -> tuple[int, str]:
        """Number and hash of the last line, as kept apart from the lines."""
        with self._lock, faults(self._name):
            return self._head("")

    def lines(self) -> Iterator[ChainLine]:
        """Every line that is there now, from the first on, read some thousand at a time."""
        with self._lock, faults(self._name):
            row = self._one("SELECT max(sequence) FROM banister_line WHERE ledger = %s")
        return iter(()) if row is None or row[0] is None else self._stream(int(str(row[0])))

    def _stream(self, end: int) -> Iterator[ChainLine]:
        after = -(1 << 63)
        query = (
            "SELECT sequence, body, hash FROM banister_line "
            "WHERE ledger = %s AND sequence > %s AND sequence <= %s ORDER BY sequence LIMIT %s"
        )
        while after < end:
            with self._lock, faults(self._name):
                rows = self._here().execute(query, (self._name, after, end, AT_ONCE)).fetchall()
            lines = [_line(row) for row in rows]
            yield from lines
            after = lines[-1].sequence if lines else end

    def close(self) -> None:
        """Let go of the connection."""
        with self._lock:
            self._connection.close()

    def _connect(self) -> None:
        self._process = Process()
        self._keys_ready = False
        with faults(self._name):
            self._connection = session(self._server, self._wait_seconds)

    def _here(self) -> "psycopg.Connection[tuple[object, ...]]":
        """The connection of this process; after a fork, or when the server went away, a new one."""
        if not self._process.is_this():
            self._inherited.append(self._connection)  # Kept, as closing it here would end the parent's session.
            self._connect()
        elif self._connection.closed:
            self._connect()
        return self._connection

    @contextmanager
    def _snapshot(self) -> "Iterator[psycopg.Connection[tuple[object, ...]]]":
        connection = self._here()
        with connection.transaction():
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield connection

    def _one(self, query: str) -> tuple[object, ...] | None:
        return self._here().execute(query.encode(), (self._name,)).fetchone()

    def _head(self, locking: str) -> tuple[int, str]:
        row = self._one(f"SELECT sequence, hash, format FROM banister_ledger WHERE name = %s {locking}")
        if row is None:
            raise LedgerMissing(
                f"There is no ledger '{self._name}' in that database. Make one with Ledger.create or "
                f"`banister ledger create`; if there was one, find out where it went before you charge anything."
            )
        if row[2] != FORMAT:
            raise LedgerForeign(
                f"'{self._name}' is a ledger of format {row[2]}; this version of banister reads format {FORMAT}. "
                f"Use the version of banister that made it."
            )
        return int(str(row[0])), str(row[1])

    def _tail(self, before: str, locking: str) -> ChainLine:
        """The last line, after checking that it fits the line before it and the head."""
        connection = self._here()
        connection.execute(before.encode())
        head = self._head(locking)
        rows = connection.execute(
            "SELECT sequence, body, hash FROM banister_line WHERE ledger = %s ORDER BY sequence DESC LIMIT 2",
            (self._name,),
        ).fetchall()
        last = _line(rows[0]) if rows else None
        check_head(last, head)
        assert last is not None
        check_link(_line(rows[1]) if len(rows) > 1 else None, last)
        return last


def split(address: str) -> tuple[str, str]:
    """The server's address and the ledger's name: postgresql://host/database#name."""
    server, _, name = address.partition("#")
    if not NAME.fullmatch(name):
        raise BadValue(
            "The address of a ledger on PostgreSQL ends with its name, of letters, digits, dots, dashes and "
            "underscores: postgresql://host/database#name."
        )
    return server, name


def _line(row: tuple[object, ...]) -> ChainLine:
    return ChainLine(int(str(row[0])), str(row[1]), str(row[2]))


def _bytes(found: object) -> bytes:
    return bytes(cast(bytes, found))


def session(server: str, wait_seconds: float) -> "psycopg.Connection[tuple[object, ...]]":
    try:
        import psycopg
    except ImportError as error:
        raise MissingExtra.naming("psycopg", "postgres") from error
    settings = f"-c synchronous_commit=on -c lock_timeout={max(1, round(1000 * wait_seconds))}ms"
    found = psycopg.connect(server, autocommit=True, options=settings, connect_timeout=10, application_name="banister")
    # Whatever the server's default is: FOR UPDATE then waits its turn and reads what is there when it comes.
    found.isolation_level = psycopg.IsolationLevel.READ_COMMITTED
    found.read_only = False
    return found


def _passing(error: Exception, connection: "psycopg.Connection[tuple[object, ...]]") -> bool:
    """Whether trying again may help: the connection was lost, or two transactions got in each other's way."""
    from psycopg import OperationalError, errors

    if isinstance(error, errors.SerializationFailure | errors.DeadlockDetected):
        return True
    return isinstance(error, OperationalError) and connection.closed


def _to_disk(connection: "psycopg.Connection[tuple[object, ...]]") -> None:
    """Write a mark to the log and wait until it, and all before it, is on disk (and on a synchronous standby)."""
    connection.execute("SELECT pg_logical_emit_message(true, 'banister', '')")


@contextmanager
def faults(name: str) -> Iterator[None]:
    """Turn PostgreSQL's errors into ours, each with what to do."""
    try:
        import psycopg
        from psycopg import errors
    except ImportError as error:
        raise MissingExtra.naming("psycopg", "postgres") from error
    try:
        yield
    except errors.LockNotAvailable as error:
        raise LedgerLocked(
            f"The ledger '{name}' is held by another client for too long. Nothing was charged; try again, or wait "
            f"longer."
        ) from error
    except errors.DiskFull as error:
        raise LedgerFull(f"The server has no room to write to '{name}'. Nothing was charged.") from error
    except errors.UndefinedTable as error:
        raise LedgerMissing(f"There is no ledger '{name}' in that database, nor any other. Make one first.") from error
    except (errors.RaiseException, errors.IntegrityError, errors.DataError) as error:
        raise LedgerDamaged(f"The ledger '{name}' is damaged ({_brief(error)}). Restore it from a copy.") from error
    except psycopg.Error as error:
        raise LedgerUnreachable(
            f"The server of the ledger '{name}' cannot be used ({_brief(error)}). Nothing was drawn; a charge under "
            f"way may stand or not: look at the history."
        ) from error


def _brief(error: Exception) -> str:
    """The first line of an error; the rest may name the server and its settings."""
    return str(error).strip().splitlines()[0][:160] if str(error).strip() else type(error).__name__
