"""Which files this process has open: SQLite opens by name, and only its descriptors say what lay under it then."""

import contextlib
import fcntl
import os
import stat
from pathlib import Path

Identity = tuple[int, int]
FOLDERS = ("/proc/self/fd", "/dev/fd")
OPENED_BY_SQLITE = os.O_NOFOLLOW
"""SQLite follows links itself, and opens every file so; few others do, and we do not."""


class Descriptors(dict[int, Identity]):
    """The files that are open now in SQLite's way, by number. Where a system does not list them, there are none.

    >>> import sqlite3, tempfile
    >>> with tempfile.NamedTemporaryFile() as handle:
    ...     before = Descriptors.now()
    ...     connection = sqlite3.connect(handle.name)
    ...     opened = Descriptors.now().since(before)
    ...     connection.close()
    >>> len(opened)
    1
    """

    @classmethod
    def now(cls) -> "Descriptors":
        """Look."""
        for folder in FOLDERS:
            with contextlib.suppress(OSError):
                return cls(_opened(os.listdir(folder)))
        return cls()

    def since(self, before: "Descriptors") -> dict[int, Identity]:
        """What was opened in between; a number that stands for another file now was opened anew."""
        return {number: file for number, file in self.items() if before.get(number) != file}


def identity(file: int | str | Path) -> Identity | None:
    """Device and number of a file, or nothing where there is none."""
    try:
        found = os.stat(file)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _opened(names: list[str]) -> dict[int, Identity]:
    files = {}
    for name in names:
        with contextlib.suppress(OSError):  # The listing's own descriptor is closed by now.
            found = os.fstat(int(name))
            if stat.S_ISREG(found.st_mode) and fcntl.fcntl(int(name), fcntl.F_GETFL) & OPENED_BY_SQLITE:
                files[int(name)] = (found.st_dev, found.st_ino)
    return files
