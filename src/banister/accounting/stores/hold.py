"""A process's hold on a ledger's file: who may write, who is there, and whether it is still the same file.

SQLite's own locks are POSIX locks. A child does not inherit them, and they end when the process closes any descriptor
of the file, be it of a backup copy. So nothing here rests on them (docs/decisions/0021-ledger-locks.md):

- a flock on a descriptor of our own is held by whoever writes, opens or closes, and shared by readers;
- while a ledger is open, a lock that belongs to our open file (OFD) lies over the bytes that SQLite locks before it
  folds up and deletes the log, so that nobody does so behind our back, not even a child that inherited SQLite's state;
- two more such locks, on the file at a byte named for the log and on the log at one named for the file, tell whoever
  opens the file under another name, or another file under this name, that the two do not belong together.
"""

import contextlib
import fcntl
import os
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from banister.errors import LedgerFault, LedgerLocked, LedgerMissing, LedgerUnreachable

SHARED_FIRST, SHARED_SIZE = 0x40000002, 510
"""The bytes that SQLite locks alone before it deletes the log (its file format, "the lock-byte page")."""
LOGS, LOGS_SIZE = 1 << 61, 1 << 61
"""Far beyond any file's end: one byte for each number that a log may have."""
FLOCK = "hhqqi4x"
"""Type, from where, first byte, how many, process: C's struct flock on 64-bit Linux."""

Identity = tuple[int, int]


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
        self._foreign = False
        self.log = self._presence = -1
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
        self._insist(lambda: place(self._presence, fcntl.F_RDLCK, SHARED_FIRST, SHARED_SIZE), wait_seconds)
        log = identity(self.log_path)
        if held_otherwise(self._presence, log):
            raise self._astray("its newest charges lie beside that name")
        if log is not None:
            self._take_log()

    def attach_log(self) -> None:
        """After SQLite opened the file: take hold of its log, and check that nothing was put in place of either."""
        if self.log < 0:
            self._take_log()
        self._index = identity(self._index_path)
        self.check()

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
        """Raise unless name, file and log still belong together. Done before a line is written, and before it is
        answered: a receipt never comes from a file that nobody else can find."""
        self._check_file()
        _, log, index = self._texts
        try:
            mine, there, listed = os.fstat(self.log), os.stat(log), os.stat(index)
            whole = mine.st_ino == there.st_ino and mine.st_dev == there.st_dev
            whole = whole and (listed.st_dev, listed.st_ino) == self._index
        except OSError:
            whole = False
        if not whole:
            raise moved(self.path, "the log beside it, or the log's index, was removed or replaced")

    def leave(self, close: Callable[[], None]) -> None:
        """Let go of everything, and of SQLite's connection once nothing of ours keeps it from folding up the log.

        A child that was forked meanwhile has a share of the lock and keeps it, so that the log stays for its sake.
        Where file and log are not ours any more, SQLite would delete by name what belongs to others: it is kept off.
        """
        if self._is_whole():
            self._shut("_presence")
        try:
            close()
        finally:
            for name in ("_presence", "log", "_guard"):
                self._shut(name)

    def leave_as_child(self, close: Callable[[], None]) -> None:
        """Let go of what was inherited while the lock is in place: SQLite closes, and touches neither file nor log."""
        try:
            close()
        finally:
            for name in ("_presence", "log", "_guard"):
                self._shut(name)

    def _shut(self, name: str) -> None:
        descriptor = getattr(self, name)
        setattr(self, name, -1)
        if descriptor >= 0:
            with contextlib.suppress(OSError):  # Somebody closed it for us: there is nothing left to close.
                os.close(descriptor)

    def _is_whole(self) -> bool:
        try:
            self._check_file()
        except LedgerFault:
            return False
        return not self._foreign and (self.log < 0 or identity(self.log) == identity(self.log_path))

    def _check_file(self) -> None:
        try:
            mine, there = os.fstat(self._guard), os.stat(self._texts[0])
        except OSError:
            raise moved(self.path, "it was removed or moved, or this process closed it") from None
        if (mine.st_dev, mine.st_ino) != (there.st_dev, there.st_ino):
            raise moved(self.path, "another file was put in its place, or this process closed it")
        if mine.st_nlink != 1 and _names_left(self.real, there) != 1:
            raise moved(self.path, f"it has {mine.st_nlink} names, of which each would have a log of its own")

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

    def __del__(self) -> None:
        for name in ("_presence", "log", "_guard"):
            if hasattr(self, name):
                self._shut(name)


def identity(file: int | str | Path) -> Identity | None:
    """Device and number of a file, or nothing where there is none."""
    try:
        found = os.stat(file)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def place(descriptor: int, kind: int, first: int, size: int) -> None:
    """Lay a lock that belongs to the open file, where the system has such locks."""
    if hasattr(fcntl, "F_OFD_SETLK"):  # Elsewhere the checks before each answer stand alone.
        fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, struct.pack(FLOCK, kind, os.SEEK_SET, first, size, 0))


def taken(descriptor: int, first: int, size: int) -> bool:
    """Whether somebody else has a lock there."""
    if not hasattr(fcntl, "F_OFD_GETLK"):
        return False
    asked = struct.pack(FLOCK, fcntl.F_WRLCK, os.SEEK_SET, first, size, 0)
    answer = fcntl.fcntl(descriptor, fcntl.F_OFD_GETLK, asked)
    return bool(struct.unpack(FLOCK, answer)[0] != fcntl.F_UNLCK)


def mark(file: Identity) -> int:
    """The byte that stands for a file."""
    return LOGS + file[1] % LOGS_SIZE


def held_otherwise(descriptor: int, file: Identity | None) -> bool:
    """Whether anybody holds the descriptor's file together with another than this one; with any, if there is none."""
    if file is None:
        return taken(descriptor, LOGS, LOGS_SIZE - 1)
    byte = mark(file)
    before = byte > LOGS and taken(descriptor, LOGS, byte - LOGS)
    return before or taken(descriptor, byte + 1, LOGS + LOGS_SIZE - byte - 2)


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
    for draft in real.parent.glob(f".{real.name}.*.new"):
        if identity(draft) == (there.st_dev, there.st_ino):
            draft.unlink(missing_ok=True)
    return os.stat(real).st_nlink
