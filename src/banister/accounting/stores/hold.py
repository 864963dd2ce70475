"""A process's hold on a ledger's file: who may write, who is there, and whether it is still the same file.

SQLite's own locks are POSIX locks. A child does not inherit them, and they end when the process closes any descriptor
of the file, be it of a backup copy. So nothing here rests on them (docs/decisions/0008-ledger-locks.md):

- a flock on a descriptor of our own is held by whoever writes, opens or closes, and shared by readers;
- while a ledger is open, a lock that belongs to our open file (OFD) lies over the bytes that SQLite locks before it
  folds up and deletes the log, so that nobody does so behind our back, not even a child that inherited SQLite's state;
- more such locks, on the file at bytes named for the log and its index, and on the log at one named for the file, tell
  whoever opens the file under another name, or another file under this name, that these do not belong together.

Nor does anything rest on names. SQLite opens file and log by name, a moment after we looked: what it has got hold of is
read off its descriptors, before it is used. SQLite deletes the log by name, a moment after it looked: it is never let.
We fold the log ourselves, by descriptor, and take away only what is known to be ours, and empty.
"""

import contextlib
import fcntl
import glob
import os
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, TypeVar

from banister.accounting.stores.descriptors import Descriptors, Identity, identity
from banister.errors import LedgerFault, LedgerLocked, LedgerMissing, LedgerUnreachable

SHARED_FIRST, SHARED_SIZE = 0x40000002, 510
"""The bytes that SQLite locks alone before it deletes the log (its file format, "the lock-byte page")."""
ATTEMPTS = 5
"""So often a ledger is opened anew whose log looks replaced."""
LOOKS = 200
"""So often SQLite opens the file until its descriptor is seen for sure. Threads that open other databases meanwhile, by
the dozen, spoil one look in five; a file that was really replaced is noticed at once."""
LOGS, INDEXES, SIZE = 1 << 61, 1 << 62, 1 << 61
"""Far beyond any file's end: one byte for each number that a log may have, and one for each that its index may have."""
FLOCK = "hhqqi4x"
"""Type, from where, first byte, how many, process: C's struct flock on 64-bit Linux."""

OFD = hasattr(fcntl, "F_OFD_SETLK")
"""Whether the system has locks that belong to an open file. Elsewhere the checks before each answer stand alone."""


class Closeable(Protocol):
    """A connection, as far as it matters here."""

    def close(self) -> None:
        """Let go."""
        ...


Connection = TypeVar("Connection", bound=Closeable)


class ReplacedMeanwhile(LedgerUnreachable):
    """What SQLite opened does not look like the log that lies there.

    It may really have been replaced. Or a number and a file's number were used again: another thread closed and deleted
    its draft of a ledger, and the new log got both. Opening once more tells which.
    """


class Hold:
    """The descriptors of one open ledger, in one process. Made anew after a fork, never carried over."""

    def __init__(self, path: Path) -> None:
        """Open the file that lies there, and nothing more."""
        self.path = path
        self.real = Path(os.path.realpath(path))
        self.log_path = self.real.with_name(self.real.name + "-wal")
        self._index_path = self.real.with_name(self.real.name + "-shm")
        self._texts = (str(path), str(self.log_path), str(self._index_path))  # Asked for twice a charge.
        self._index: Identity | None = None
        self._before = Descriptors()
        self._lent: dict[int, Identity] = {}
        self._foreign = False
        self.log = self._presence = self._guard = -1
        try:
            self._guard = os.open(self.real, os.O_RDWR)
        except FileNotFoundError:
            raise missing(path) from None
        except OSError as error:
            raise LedgerUnreachable(
                f"'{path}' cannot be read or written ({error.strerror}). Nothing was charged; check the disk and your "
                f"rights."
            ) from error

    @contextmanager
    def alone(self, wait_seconds: float) -> Iterator[None]:
        """Write, open or close: nobody else reads or writes meanwhile."""
        self._lock(fcntl.LOCK_EX, wait_seconds)
        try:
            yield
        finally:
            self._unlock()

    @contextmanager
    def among_readers(self, wait_seconds: float) -> Iterator[None]:
        """Read: nobody writes meanwhile."""
        self._lock(fcntl.LOCK_SH, wait_seconds)
        try:
            yield
        finally:
            self._unlock()

    def enter(self, wait_seconds: float) -> None:
        """Before SQLite opens the file: it is the one, under this name alone, and nobody lets its log go from here."""
        self._check_file()
        self._presence = os.open(self.real, os.O_RDWR)
        if identity(self._presence) != identity(self._guard):
            raise moved(self.path, "another file was put in its place")
        self._insist(lambda: place(self._presence, fcntl.F_RDLCK, SHARED_FIRST, SHARED_SIZE), wait_seconds)
        log = identity(self.log_path)
        if held_otherwise(self._presence, log):
            raise self._astray("its newest charges lie beside that name")
        if log is not None:
            self._take_log()

    def open_by_name(self, connect: Callable[[], Connection]) -> Connection:
        """Let SQLite open the file, and see to it that this is the file that we hold, before it looks for a log.

        In the instant between our look and SQLite's another file may have the name. SQLite would read the true log into
        it, and at the end fold it up there and delete it. As long as it has not read anything, closing does nothing.
        """
        mine = identity(self._guard)
        assert mine is not None
        for _ in range(LOOKS):
            self._before = Descriptors.now()
            connection = connect()
            now = Descriptors.now()
            opened = now.since(self._before)
            if mine in opened.values():
                self._lent = {number: file for number, file in opened.items() if file == mine}
                return connection
            if not opened and (mine in self._before.values() or not now):
                return connection  # SQLite has taken up a descriptor that another connection of this process left it.
            connection.close()  # Another file; or another thread opened a database, while SQLite did as above.
            self._check_file()
        raise moved(self.path, "another file was put in its place")

    def attach_log(self) -> None:
        """After SQLite's first look at the file, with which it opens the log: take hold of the log, and check that
        nothing was put in place of either, and that SQLite has the same."""
        if self.log < 0:
            self._take_log()
        self._index = identity(self._index_path)
        self.check()
        now, log = Descriptors.now(), identity(self.log)
        opened = now.since(self._before)
        if now and (log not in opened.values() or self._index not in now.values()):
            raise ReplacedMeanwhile(str(moved(self.path, "the log beside it was replaced while it was opened")))
        self._lent |= {number: file for number, file in opened.items() if file == log}
        assert self._index is not None
        place(self._presence, fcntl.F_RDLCK, mark(self._index, INDEXES), 1)
        if held_otherwise(self._presence, self._index, INDEXES):
            self._foreign = True
            raise self._astray("the log's index that they use was removed")

    def _take_log(self) -> None:
        """Mark the log as this file's, and the file as this log's. A log that others hold with another file is theirs:
        whoever folded it into a copy of the ledger would take their charges away."""
        self.log = os.open(self.log_path, os.O_RDWR)
        mine, log = identity(self._guard), identity(self.log)
        assert mine is not None
        assert log is not None
        place(self.log, fcntl.F_RDLCK, mark(mine), 1)
        place(self._presence, fcntl.F_RDLCK, mark(log), 1)
        self._foreign = held_otherwise(self.log, mine)
        if self._foreign:
            raise self._astray("the log beside it belongs to that file")

    def _astray(self, why: str) -> LedgerFault:
        return LedgerUnreachable(
            f"'{self.path}' is held open by another process under another name, and {why}. The ledger was moved, "
            f"linked or swapped while in use: stop who uses it, or put it back. Nothing was charged."
        )

    def check(self) -> None:
        """Raise unless name, file, log and index still belong together, and SQLite has the same. Before a line is
        written, so that nothing is charged where nobody would find it."""
        self.check_names()
        try:
            listed = os.stat(self._texts[2])
        except OSError:
            raise self._without_log() from None
        if (listed.st_dev, listed.st_ino) != self._index:
            raise self._without_log()
        self._check_lent()

    def check_names(self) -> None:
        """Raise unless file and log are still those of that name. Again before a line is answered: a receipt never
        comes from a file that nobody else can find."""
        self._check_file()
        try:
            mine, there = os.fstat(self.log), os.stat(self._texts[1])
        except OSError:
            raise self._without_log() from None
        if mine.st_ino != there.st_ino or mine.st_dev != there.st_dev:
            raise self._without_log()

    def _without_log(self) -> LedgerFault:
        return moved(self.path, "the log beside it, or the log's index, was removed or replaced")

    def _check_lent(self) -> None:
        """SQLite's descriptors are still those of file and log. A process that closes what it does not know, and opens
        something of its own, would have it written over."""
        for number, file in self._lent.items():
            if identity(number) != file:
                raise moved(self.path, "this process closed it")

    def leave(self, close: Callable[[], None], *, fold: Callable[[], None] | None = None) -> None:
        """Let go of everything. The last to leave folds the log into the file, and takes it away.

        SQLite itself closes under our lock, and so neither folds nor deletes anything. Where the file is not ours any
        more, or somebody else is there, all is left as it is. A log that has lost its name is folded by everybody who
        leaves: what was charged must not end with whoever still has it open.
        """
        last = self._is_last()
        try:
            if fold is not None and (last or self._is_nameless()):
                fold()
        finally:
            try:
                close()
                self._lent = {}
                if last:
                    self._tidy()
            finally:
                self._shut_all()

    def _is_last(self) -> bool:
        log = identity(self.log) if self.log >= 0 else None
        return log is not None and self._is_whole() and not taken(self._presence, mark(log), 1)

    def _is_nameless(self) -> bool:
        """Whether the log was removed or replaced, and nobody has begun another one with this file."""
        log = identity(self.log) if self.log >= 0 else None
        if log is None or not self._is_ours() or log == identity(self.log_path):
            return False
        return not held_otherwise(self._presence, log)

    def _tidy(self) -> None:
        """Take an empty log and its index away, unless anybody has the file open, with banister or without."""
        try:
            place(self._presence, fcntl.F_WRLCK, SHARED_FIRST, SHARED_SIZE)
        except OSError:
            return
        try:
            mine, log = identity(self._guard), identity(self.log)
            if OFD and self._is_whole() and os.fstat(self.log).st_size == 0 and not held_otherwise(self.log, mine):
                take_away(self.log_path, log)
                take_away(self._index_path, self._index)
        finally:  # A child that C code made has a share of this lock; it must keep SQLite off, and nobody else.
            place(self._presence, fcntl.F_RDLCK, SHARED_FIRST, SHARED_SIZE)

    def leave_as_child(self, close: Callable[[], None]) -> None:
        """Let go of what was inherited while the lock is in place: SQLite closes, and touches neither file nor log."""
        try:
            close()
        finally:
            self._shut_all()

    def _shut_all(self) -> None:
        for name in ("_presence", "log", "_guard"):
            self._shut(name)

    def _shut(self, name: str) -> None:
        descriptor = getattr(self, name)
        setattr(self, name, -1)
        if descriptor >= 0:
            with contextlib.suppress(OSError):  # Somebody closed it for us: there is nothing left to close.
                os.close(descriptor)

    def _is_ours(self) -> bool:
        try:
            self._check_file()
            self._check_lent()
        except LedgerFault:
            return False
        return not self._foreign

    def _is_whole(self) -> bool:
        return self._is_ours() and identity(self.log) == identity(self.log_path)

    def _check_file(self) -> None:
        try:
            mine, there = os.fstat(self._guard), os.stat(self._texts[0])
        except OSError:
            raise moved(self.path, "it was removed or moved, or this process closed it") from None
        if (mine.st_dev, mine.st_ino) != (there.st_dev, there.st_ino):
            raise moved(self.path, "another file was put in its place, or this process closed it")
        if mine.st_nlink != 1 and _names_left(self.real, there) != 1:
            raise moved(self.path, f"it has {mine.st_nlink} names, of which each would have a log of its own")

    def __del__(self) -> None:
        if self._presence < 0:  # Else a connection may still be open, which without the lock would delete the log.
            self._shut_all()

    def _lock(self, kind: int, wait_seconds: float) -> None:
        try:
            fcntl.flock(self._guard, kind | fcntl.LOCK_NB)  # Nearly always free.
        except OSError:
            self._insist(lambda: fcntl.flock(self._guard, kind | fcntl.LOCK_NB), wait_seconds)

    def _unlock(self) -> None:
        if self._guard >= 0:
            with contextlib.suppress(OSError):  # Closed by somebody in this process, and with it unlocked.
                fcntl.flock(self._guard, fcntl.LOCK_UN)

    def _insist(self, take: Callable[[], None], wait_seconds: float) -> None:
        """Ask again in short steps while somebody else is at it: a charge takes far below one."""
        deadline, pause_seconds = None, 0.0002
        while True:
            try:
                return take()
            except (BlockingIOError, PermissionError):  # The two ways in which a system says that a lock is taken.
                now = time.monotonic()
                deadline = now + wait_seconds if deadline is None else deadline
                if now >= deadline:
                    raise LedgerLocked(
                        f"'{self.path}' is held by another process for too long. Nothing was charged; try again, or "
                        f"wait longer."
                    ) from None
            except OSError as error:
                raise moved(self.path, f"this process closed it ({error.strerror})") from None
            time.sleep(pause_seconds)
            pause_seconds = min(2 * pause_seconds, 0.003)


def place(descriptor: int, kind: int, first: int, size: int) -> None:
    """Lay a lock that belongs to the open file, where the system has such locks."""
    if OFD:
        fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, struct.pack(FLOCK, kind, os.SEEK_SET, first, size, 0))


def taken(descriptor: int, first: int, size: int) -> bool:
    """Whether somebody else has a lock there."""
    if not OFD:
        return False
    asked = struct.pack(FLOCK, fcntl.F_WRLCK, os.SEEK_SET, first, size, 0)
    answer = fcntl.fcntl(descriptor, fcntl.F_OFD_GETLK, asked)
    return bool(struct.unpack(FLOCK, answer)[0] != fcntl.F_UNLCK)


def mark(file: Identity, first: int = LOGS) -> int:
    """The byte that stands for a file."""
    return first + file[1] % SIZE


def held_otherwise(descriptor: int, file: Identity | None, first: int = LOGS) -> bool:
    """Whether anybody holds the descriptor's file together with another than this one; with any, if there is none."""
    if file is None:
        return taken(descriptor, first, SIZE - 1)
    byte = mark(file, first)
    before = byte > first and taken(descriptor, first, byte - first)
    return before or taken(descriptor, byte + 1, first + SIZE - byte - 2)


def take_away(path: Path, mine: Identity | None) -> None:
    """Delete the file of that name if it is ours. It gets a name that nobody else uses first: between a look and a
    deletion another file could come to bear the old one. If that happened, it is put back."""
    if mine is None or identity(path) != mine:
        return
    aside = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}.gone")
    with contextlib.suppress(OSError):  # Gone already, or no right to: an empty log does no harm.
        path.rename(aside)
        if identity(aside) != mine:
            os.link(aside, path)  # Never over a third one.
        aside.unlink()


def missing(path: Path) -> LedgerMissing:
    return LedgerMissing(
        f"There is no ledger at '{path}'. Make one with Ledger.create or `banister ledger create`; "
        f"if there was one, find out where it went before you charge anything."
    )


def moved(path: Path, how: str) -> LedgerFault:
    return LedgerUnreachable(
        f"'{path}' is not the ledger that was opened any more: {how}. No receipt was given and nothing was drawn; a "
        f"charge under way may stand or not. Put the ledger back, and open it again."
    )


def _names_left(real: Path, there: os.stat_result) -> int:
    """How many names a file has once those are gone that a killed creation left behind."""
    for draft in real.parent.glob(f".{glob.escape(real.name)}.*.new"):
        if identity(draft) == (there.st_dev, there.st_ino):
            draft.unlink(missing_ok=True)
    return os.stat(real).st_nlink
