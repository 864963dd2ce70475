"""The port `accounting.kept.Shelf` inside a ledger's own file: notes and answers, sealed, beside the charges.

They share the file's log with the charges, so an answer takes one wait for the disk, and can neither be lost nor put
back without them. Every function works within a transaction of the caller's.
"""

import sqlite3
from collections.abc import Iterator

from banister.accounting.kept import Noted

TABLE = """
CREATE TABLE IF NOT EXISTS answer (key TEXT PRIMARY KEY, note BLOB NOT NULL, body BLOB) STRICT, WITHOUT ROWID
"""
REMAINS = """
CREATE TRIGGER IF NOT EXISTS answer_remains BEFORE DELETE ON answer
  BEGIN SELECT RAISE(ABORT, 'a ledger is append-only'); END
"""
STAYS = """
CREATE TRIGGER IF NOT EXISTS answer_stays BEFORE UPDATE ON answer
  WHEN new.key <> old.key OR new.note <> old.note OR new.body IS NULL OR (old.body IS NOT NULL AND new.body <> x'')
  BEGIN SELECT RAISE(ABORT, 'a ledger is append-only'); END
"""
SCHEMA = f"{TABLE};{REMAINS};{STAYS};"
NOTE = "INSERT INTO answer (key, note) VALUES (?, ?) ON CONFLICT DO NOTHING"
KEEP = """
INSERT INTO answer VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET body = excluded.body
  WHERE answer.note = excluded.note AND (answer.body IS NULL OR excluded.body = x'')
"""


def begin(connection: sqlite3.Connection, key: str, note: bytes) -> None:
    """A note with its charge."""
    _written(connection, NOTE, (key, note))


def _written(connection: sqlite3.Connection, statement: str, values: tuple[str | bytes, ...]) -> bool:
    """Whether a statement has written a row. Ledgers of older versions get their table here."""
    try:
        return connection.execute(statement, values).rowcount == 1
    except sqlite3.OperationalError as error:
        if not _is_older(error):
            raise
    for each in (TABLE, REMAINS, STAYS):
        connection.execute(each)
    return connection.execute(statement, values).rowcount == 1


def noted(connection: sqlite3.Connection, key: str) -> Noted | None:
    """What stands under a key."""
    try:
        row = connection.execute("SELECT note, body FROM answer WHERE key = ?", (key,)).fetchone()
    except sqlite3.OperationalError as error:
        if not _is_older(error):
            raise
        return None
    return None if row is None else (row[0], row[1])


def keep(connection: sqlite3.Connection, key: str, note: bytes, body: bytes) -> Noted:
    """Put an answer there, unless there is one, or another note; and give what is there."""
    if _written(connection, KEEP, (key, note, body)):
        return note, body
    there = noted(connection, key)
    assert there is not None
    return there


def notes(connection: sqlite3.Connection) -> Iterator[tuple[str, bytes, bool]]:
    """Every key with its note, and whether its answer was given."""
    try:
        rows = connection.execute("SELECT key, note, coalesce(body = x'', 0) FROM answer ORDER BY key").fetchall()
    except sqlite3.OperationalError as error:
        if not _is_older(error):
            raise
        rows = []
    return iter([(key, note, bool(given)) for key, note, given in rows])


def _is_older(error: sqlite3.OperationalError) -> bool:
    """Whether it is about a ledger of a version that kept no answers."""
    return str(error) == "no such table: answer"
