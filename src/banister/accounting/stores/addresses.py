"""From an address to a store: a file's path, postgresql://host/database#name, or memory:."""

import os
import re
from pathlib import Path

from banister.accounting.book import Store
from banister.accounting.chain import ChainLine
from banister.accounting.stores.memory import MemoryStore
from banister.accounting.stores.postgres import PostgresStore
from banister.accounting.stores.postgres_witness import PostgresWitness
from banister.accounting.stores.sqlite import SqliteStore
from banister.accounting.stores.witness import FileWitness, Witness
from banister.errors import LedgerMissing

MEMORY = "memory:"
POSTGRES = ("postgresql://", "postgres://")


def create_store(address: str | Path, first: ChainLine) -> Store:
    """Make a new ledger at an address; what is there already is never overwritten."""
    if str(address) == MEMORY:
        return MemoryStore(first)
    if str(address).startswith(POSTGRES):
        return PostgresStore.create(str(address), first)
    return SqliteStore.create(address, first)


def open_store(address: str | Path, *, wait_seconds: float) -> Store:
    """Open the ledger at an address; none is made."""
    if str(address) == MEMORY:
        raise LedgerMissing("A ledger in memory ends with the program that made it. Keep one in a file instead.")
    if str(address).startswith(POSTGRES):
        return PostgresStore(str(address), wait_seconds=wait_seconds)
    return SqliteStore(address, wait_seconds=wait_seconds)


def witness_at(address: str | Path, *, wait_seconds: float = 30) -> Witness:
    """The witness at an address: a file's path, or postgresql://host/database#name."""
    if str(address).startswith(POSTGRES):
        return PostgresWitness(str(address), wait_seconds=wait_seconds)
    return FileWitness(address)


def recorded(address: str | Path) -> str:
    """The address of a witness as the ledger's lines name it: a whole path, or a server without user and password.

    >>> recorded("postgresql://me:secret@host/base#name")
    'postgresql://host/base#name'
    """
    text = str(address)
    return shown(text) if not text or text.startswith(POSTGRES) else os.path.abspath(text)


def shown(address: str | Path) -> str:
    """An address as it may be shown: without the user and the password of a server."""
    return re.sub(r"^(postgres(?:ql)?://)[^/#]*@", r"\1", str(address))
