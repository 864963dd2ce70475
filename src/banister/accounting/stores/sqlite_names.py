"""How the file of a new ledger gets its name: whole, once, and never beside another one's log."""

import os
from pathlib import Path

from banister.errors import LedgerExists


def refuse_a_log(target: Path) -> None:
    """SQLite takes whatever bears the log's name for the log: a new ledger would turn into the one that left it."""
    log = target.with_name(target.name + "-wal")
    if not target.exists() and log.exists() and log.stat().st_size:
        raise LedgerExists(
            f"'{log}' is the log of a ledger that is not there any more, with its newest charges. Bring that ledger "
            f"back, or move the log away, or choose another name."
        )


def publish(draft: Path, target: Path) -> None:
    """Give the finished file its name, unless the name is taken, and put both on disk."""
    with draft.open("rb") as handle:
        os.fsync(handle.fileno())
    try:
        os.link(draft, target)
    except FileExistsError:
        raise LedgerExists(
            f"There is already a file at '{target}', and a ledger is never overwritten. "
            f"Open it with Ledger.open, or choose another name."
        ) from None
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
