"""A witness: the head of a ledger's chain, kept in a second place, so that an older or rewritten ledger is seen.

Each charge is told to the witness, and is on its disk, before its receipt is handed out. A ledger may be ahead of its
witness, by charges that nobody has a receipt for; one that is behind it, or beside it, was put back or written anew.
"""

import fcntl
import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

from banister.accounting.book import Store
from banister.accounting.chain import ChainLine
from banister.accounting.kept import Noted
from banister.errors import LedgerDamaged, LedgerExists, LedgerFault, LedgerForeign, LedgerMissing, LedgerUnreachable

SLOTS, SIZE = 64, 512
"""A file of so many places, each in a sector of its own: a torn write loses one state and leaves those before it."""
MARK = "banister witness 1"

Head = tuple[int, str]


class Witness(Protocol):
    """A second place for the head of one ledger, which is known by the hash of its first line."""

    def make(self, ledger: str, head: Head) -> None:
        """Begin with this head; what is there already is never overwritten."""
        ...

    def begin(self, ledger: str, head: Head) -> None:
        """The same, unless there is one for this ledger already."""
        ...

    def unmake(self) -> None:
        """Take away what `make` has just made, when the ledger itself could not be made."""
        ...

    def newest(self, ledger: str) -> Head:
        """The head that was told last."""
        ...

    def tell(self, ledger: str, head: Head) -> None:
        """Keep a head and return when it is on disk. Another line of the same number is refused."""
        ...


class FileWitness:
    """The port `Witness`, kept in a file; it should lie on another disk, or with other people."""

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)

    def make(self, ledger: str, head: Head) -> None:
        """Begin with this head; what is there already is never overwritten."""
        if not self._path.parent.is_dir():
            raise LedgerMissing(f"There is no folder '{self._path.parent}' to put the witness in. Make it first.")
        try:
            handle = os.open(self._path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o666)
        except FileExistsError:
            raise LedgerExists(
                f"There is already a file at '{self._path}', and a witness is never overwritten. Choose another name."
            ) from None
        try:
            os.pwrite(handle, bytes(SLOTS * SIZE), 0)
            os.pwrite(handle, _record(ledger, head), (head[0] % SLOTS) * SIZE)
            os.fsync(handle)
        finally:
            os.close(handle)

    def begin(self, ledger: str, head: Head) -> None:
        """The same, unless there is one for this ledger already."""
        if not self._path.exists():
            self.make(ledger, head)

    def unmake(self) -> None:
        """Take away what `make` has just made, when the ledger itself could not be made."""
        self._path.unlink(missing_ok=True)

    def newest(self, ledger: str) -> Head:
        """The head that was told last."""
        handle = self._open()
        try:
            places = (os.pread(handle, SIZE, place * SIZE) for place in range(SLOTS))
            heads = [head for head in (self._read(raw, ledger) for raw in places) if head is not None]
        finally:
            os.close(handle)
        if not heads:
            raise LedgerDamaged(f"The witness '{self._path}' does not read as one. Find out who changed it.")
        return max(heads)

    def tell(self, ledger: str, head: Head) -> None:
        """Keep a head and return when it is on disk. Another line of the same number is refused."""
        handle = self._open()
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            place = (head[0] % SLOTS) * SIZE
            there = self._read(os.pread(handle, SIZE, place), ledger)
            if there is not None and there[0] == head[0] and there[1] != head[1]:
                raise beside(str(self._path), head[0])
            if there is None or there[0] < head[0]:
                os.pwrite(handle, _record(ledger, head), place)
            fcntl.flock(handle, fcntl.LOCK_UN)
            os.fdatasync(handle)
        finally:
            os.close(handle)

    def _open(self) -> int:
        try:
            return os.open(self._path, os.O_RDWR)
        except FileNotFoundError:
            raise LedgerMissing(
                f"The ledger's witness '{self._path}' is not there. Bring it back, or find out who took it away, "
                f"before you trust the ledger."
            ) from None

    def _read(self, raw: bytes, ledger: str) -> Head | None:
        """What a place says; nothing where it is empty or torn."""
        words = raw.rstrip(b"\0").decode("ascii", "replace").split("|")
        if len(words) != 5 or words[4] != _seal("|".join(words[:4])) or not words[2].isdecimal():
            return None
        if words[0] != MARK or words[1] != ledger:
            raise LedgerForeign(f"'{self._path}' is the witness of another ledger. Name the one of this ledger.")
        return int(words[2]), words[3]


class Witnessed:
    """The port `Store`: another store, every line of which is told to a witness before it is answered."""

    def __init__(self, store: Store, witness: Witness, *, name: str) -> None:
        """Refuse a ledger that is behind its witness, or beside it."""
        self._store, self._witness, self._name = store, witness, name
        self._ledger = store.first().hash
        sequence, value = self._told(lambda: witness.newest(self._ledger))
        line = store.line(sequence)
        if line is None:
            raise LedgerDamaged(
                f"The ledger ends with line {store.head()[0]}, but its witness '{name}' has seen line {sequence}: an "
                f"older state was put in its place. Restore the newest; do not charge this one."
            )
        if line.hash != value:
            raise beside(name, sequence)

    def append(self, decide: Callable[[ChainLine], ChainLine], *, key: str = "", note: bytes = b"") -> ChainLine:
        line = self._store.append(decide, key=key, note=note)
        self._told(lambda: self._witness.tell(self._ledger, (line.sequence, line.hash)))
        return line

    def noted(self, key: str) -> Noted | None:
        return self._store.noted(key)

    def keep(self, key: str, note: bytes, body: bytes) -> Noted:
        return self._store.keep(key, note, body)

    def notes(self) -> Iterator[tuple[str, bytes, bool]]:
        return self._store.notes()

    def first(self) -> ChainLine:
        return self._store.first()

    def last(self) -> ChainLine:
        return self._store.last()

    def line(self, sequence: int) -> ChainLine | None:
        return self._store.line(sequence)

    def head(self) -> Head:
        return self._store.head()

    def lines(self) -> Iterator[ChainLine]:
        return self._store.lines()

    def close(self) -> None:
        self._store.close()

    def _told(self, act: Callable[[], Head | None]) -> Head:
        try:
            return act() or (0, "")
        except LedgerFault:
            raise
        except OSError as error:
            raise LedgerUnreachable(
                f"The ledger's witness '{self._name}' cannot be read or written ({error.strerror}). No receipt was "
                f"given and nothing was drawn; a charge under way stands, and is found again under its key."
            ) from error


def beside(name: str, sequence: int) -> LedgerDamaged:
    return LedgerDamaged(
        f"Line {sequence} of the ledger is not the one that its witness '{name}' has seen: the ledger was put back to "
        f"an older state and charged again, or written anew. Restore the true one; do not charge this one."
    )


def _record(ledger: str, head: Head) -> bytes:
    text = f"{MARK}|{ledger}|{head[0]}|{head[1]}"
    return f"{text}|{_seal(text)}".encode().ljust(SIZE, b"\0")


def _seal(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
