"""Lists of people's groups in files, kept between releases: for their owner alone, and used only while nothing changed.

A file begins with a line that says what it is (which rows, which parts, which files they come from and how these
looked), and goes on with the arrays. A table's file is known by its path, device, inode, size, times and last bytes.
Its time of change is the one thing that nobody can set, so a list is kept only if that is older than the list's own
making; then whatever is written later has another time. On any doubt a list is not there.
"""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from stat import S_IMODE

import numpy as np

from banister.clock import pause
from banister.errors import BadValue
from banister.files import Access, folder, whole
from banister.release.sources.lists import PersonLists, Whole
from banister.release.sources.sql.compile import Listing

FORMAT = "banister-lists-1"
ENDING = ".lists"
TAIL = 1 << 16
"""So many bytes at the end of a table's file are looked at: the footer of a Parquet file says where all else is."""

LONGEST_LINE = 1 << 22
FINE, COARSE = 20_000_000, 2_000_000_000
"""How many nanoseconds a file's time may stand still: on most file systems a tick of the clock, on some two seconds."""

MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Mark:
    """What a file looked like."""

    path: str
    device: int
    inode: int
    size: int
    written: int
    changed: int
    tail: str

    @classmethod
    def of(cls, path: Path) -> "Mark | None":
        """The mark of a file; nothing where there is none."""
        try:
            with path.open("rb") as file:
                found = os.fstat(file.fileno())
                file.seek(max(0, found.st_size - TAIL))
                tail = blake2b(file.read(), digest_size=16).hexdigest()
        except OSError:
            return None
        return cls(
            os.path.realpath(path),
            found.st_dev,
            found.st_ino,
            found.st_size,
            found.st_mtime_ns,
            found.st_ctime_ns,
            tail,
        )


def marks_of(paths: Sequence[Path]) -> list[list[object] | None]:
    """How files look now, ready to be written down."""
    return [None if mark is None else [*_fields(mark)] for mark in map(Mark.of, paths)]


@dataclass(frozen=True, slots=True)
class KeptLists:
    """A folder of lists. `rules` is what else they depend on: declarations, and the engine with its version."""

    place: Path
    rules: str
    opened: object
    """How the files looked when they were opened: engines hold on to what they read then, so a list is made of that."""
    making: bool
    """Whether a release makes a list that is missing."""

    def find(self, listing: Listing, paths: Sequence[Path]) -> PersonLists | None:
        """The list, if it is there, whole, ours and as fresh as the files; nothing on any doubt."""
        return self.find_at(listing, marks_of(paths))

    def find_at(self, listing: Listing, looks: object) -> PersonLists | None:
        """The same for a table that looks so, whatever that is in its engine."""
        lists = self.fresh(listing, looks)
        return lists if lists is not None and set(listing.parts) <= set(lists.parts) else None

    def fresh(self, listing: Listing, looks: object) -> PersonLists | None:
        """The fresh list over the same rows, whatever parts it has; nothing where there is none."""
        return self._whole(listing, looks)

    def keep(self, listing: Listing, paths: Sequence[Path], before: object, lists: PersonLists) -> bool:
        """Write a list down that was made from files that looked like `before`; whether they still do."""
        if marks_of(paths) != before:
            return False
        self.keep_at(listing, before, lists)
        if marks_of(paths) != before:
            self._path(listing).unlink(missing_ok=True)
            return False
        return True

    def keep_at(self, listing: Listing, looks: object, lists: PersonLists) -> None:
        """Write a list down that was made from a table that looked so."""
        self._make_folder()
        arrays: dict[str, Whole] = {"codes": lists.codes, "starts": lists.starts, "cells": lists.cells}
        arrays |= {f"p{i}": lists.parts[part] for i, part in enumerate(listing.parts)}
        narrow = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
        says = {
            "format": FORMAT,
            "rules": self.rules,
            "rows": listing.rows,
            "parts": listing.parts,
            "files": looks,
            "arrays": [[name, array.dtype.str, len(array)] for name, array in narrow.items()],
        }
        line = json.dumps(says).encode()
        line += b" " * (-(len(line) + 1) % 64) + b"\n"

        def write(draft: Path) -> None:
            with draft.open("wb") as file:
                file.write(line)
                for array in narrow.values():
                    file.write(array.tobytes() + b"\0" * (-array.nbytes % 64))

        whole(self._path(listing), write, access=Access.OWNER)

    def _make_folder(self) -> None:
        folder(self.place, access=Access.OWNER)
        os.chmod(self.place, 0o700)

    def settled(self, paths: Sequence[Path]) -> object | None:
        """How the files look, once their times of change are past; nothing where these are not to be trusted.

        What is written from now on has a later time, by the same clock: that of a file that is made here.
        """
        self._make_folder()
        for _ in range(2):
            marks = [Mark.of(path) for path in paths]
            waits = [_wait(mark.changed, self._now()) for mark in marks if mark is not None]
            if any(wait > COARSE for wait in waits):
                return None
            if all(wait <= 0 for wait in waits):
                found = [None if mark is None else [*_fields(mark)] for mark in marks]
                return found if found == self.opened else None
            pause(max(waits) / 1e9)
        return None

    def _now(self) -> int:
        """The time that the file system gives to what is written now."""
        probe = self.place / f".now-{os.getpid()}"
        try:
            os.close(os.open(probe, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, Access.OWNER.value))
            os.utime(probe)
            return probe.stat().st_ctime_ns
        except OSError as error:
            raise BadValue(f"The folder '{self.place}' cannot be written to: {error.strerror}.") from None
        finally:
            probe.unlink(missing_ok=True)

    def _path(self, listing: Listing) -> Path:
        named = json.dumps([FORMAT, self.rules, listing.rows]).encode()
        return self.place / (blake2b(named, digest_size=16).hexdigest() + ENDING)

    def _whole(self, listing: Listing, looks: object) -> PersonLists | None:
        try:
            return self._read(listing, looks)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError):
            return None

    def _read(self, listing: Listing, looks: object) -> PersonLists | None:
        path = self._path(listing)
        with path.open("rb") as file:
            found = os.fstat(file.fileno())
            line = file.readline(LONGEST_LINE)
            if S_IMODE(found.st_mode) != Access.OWNER.value or found.st_uid != os.geteuid():
                return None
            says = json.loads(line)
            if (says["format"], says["rules"], says["rows"]) != (FORMAT, self.rules, listing.rows):
                return None
            if looks is None or says["files"] != looks:
                return None
            content = np.memmap(file, dtype=np.uint8, mode="r")
        return _checked(_arrays(content, len(line), says["arrays"]), says["parts"])


def drop_lists(place: Path) -> int:
    """Delete all lists of a folder, and the folder where nothing else is in it; how many there were."""
    found = sorted(place.glob("*" + ENDING)) if place.is_dir() else []
    for path in found:
        path.unlink(missing_ok=True)
    if place.is_dir() and not any(place.iterdir()):
        place.rmdir()
    return len(found)


def _arrays(content: "np.memmap[tuple[int], np.dtype[np.uint8]]", start: int, shapes: object) -> dict[str, Whole]:
    arrays: dict[str, Whole] = {}
    assert isinstance(shapes, list)
    for name, kind, length in shapes:
        size = np.dtype(kind).itemsize * length
        if start + size > len(content):
            raise ValueError(name)
        arrays[name] = content[start : start + size].view(kind)
        start += size + -size % 64
    if start != len(content):
        raise ValueError("arrays")
    return arrays


def _checked(arrays: Mapping[str, Whole], parts: Sequence[str]) -> PersonLists:
    """The lists, if their arrays fit together."""
    starts, cells = arrays["starts"].astype(np.int64), arrays["cells"]
    found = {part: arrays[f"p{i}"] for i, part in enumerate(parts)}
    if starts[0] != 0 or starts[-1] != len(cells) or (np.diff(starts) < 1).any():
        raise ValueError("starts")
    if len(arrays["codes"]) != len(starts) - 1 or any(len(part) != len(cells) for part in found.values()):
        raise ValueError("lengths")
    return PersonLists(arrays["codes"], starts, cells, found)


def _fields(mark: Mark) -> tuple[object, ...]:
    return (mark.path, mark.device, mark.inode, mark.size, mark.written, mark.changed, mark.tail)


def _wait(changed: int, now: int) -> int:
    """How long to wait until what is written next has another time than `changed`."""
    return changed + (FINE if changed % MILLION else COARSE) + 1 - now
