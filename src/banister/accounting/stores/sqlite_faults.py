"""SQLite's errors in the ledger's words, each with what to do."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from banister.errors import LedgerDamaged, LedgerFault, LedgerForeign, LedgerFull, LedgerLocked, LedgerUnreachable


@contextmanager
def faults(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into ours, each with what to do; nothing has been written when one is raised."""
    try:
        yield
    except LedgerFault:
        raise
    except OSError as error:
        raise LedgerUnreachable(
            f"'{path}' cannot be written to disk ({error.strerror}). The charge may stand or not; nothing was drawn."
        ) from error
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise LedgerLocked(
                f"'{path}' is held by another process for too long. Nothing was charged; try again, or wait longer."
            ) from error
        if code == sqlite3.SQLITE_FULL:
            raise LedgerFull(f"There is no room to write to '{path}'. Nothing was charged; free some space.") from error
        if code == sqlite3.SQLITE_NOTADB:
            raise LedgerForeign(f"'{path}' is not a banister ledger. Nothing was changed.") from error
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_FORMAT):
            raise LedgerDamaged(f"'{path}' is damaged ({error}). Restore it from a copy; do not charge it.") from error
        raise LedgerUnreachable(
            f"'{path}' cannot be read or written ({error}). Nothing was charged; check the disk and your rights."
        ) from error
