"""Rooms of the relay, in SQLite: boxes that the relay cannot open, each once, and the day of the last one."""

import hashlib
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

from banister.errors import BadValue

VERSION = 1
MOST_BOX = (1 << 20) + 64
MOST_BYTES = 1 << 26
"""What one room may hold."""
MOST_ROOMS = 10_000
AT_ONCE = 64
KEPT_DAYS = 90
_TABLES = """
CREATE TABLE IF NOT EXISTS room(name TEXT PRIMARY KEY, day INTEGER NOT NULL, bytes INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS box(room TEXT, place INTEGER, digest BLOB, content BLOB NOT NULL,
  PRIMARY KEY(room, place), UNIQUE(room, digest)) WITHOUT ROWID;
"""


class RoomFull(Exception):
    """A box that cannot be kept, in one sentence."""


class Rooms:
    """One file. A box is on disk when `put` comes back."""

    def __init__(self, path: Path, day: Callable[[], int]) -> None:
        self._day = day
        self._lock = threading.Lock()
        try:
            self._base = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            self._base.execute("PRAGMA journal_mode=WAL")
            self._base.execute("PRAGMA synchronous=FULL")
            found = self._base.execute("PRAGMA user_version").fetchone()[0]
            if found not in (0, VERSION):
                raise BadValue(f"'{path}' holds rooms of version {found}; this program writes version {VERSION}.")
            self._base.executescript(f"BEGIN IMMEDIATE;{_TABLES}PRAGMA user_version={VERSION};COMMIT;")
        except sqlite3.Error as error:
            raise BadValue(f"'{path}' cannot be used for the relay's rooms: {error}.") from None

    def close(self) -> None:
        self._base.close()

    def put(self, room: str, content: bytes) -> None:
        """Keep a box; the same box twice is kept once."""
        digest = hashlib.sha256(content).digest()
        with self._lock:
            try:
                self._base.execute("BEGIN IMMEDIATE")
                self._keep(room, digest, content)
                self._base.execute("COMMIT")
            except sqlite3.Error:
                raise RoomFull("The relay has no room left. Nothing was kept; send it again later.") from None
            finally:
                if self._base.in_transaction:
                    self._base.execute("ROLLBACK")

    def _keep(self, room: str, digest: bytes, content: bytes) -> None:
        today = self._day()
        if self._base.execute("SELECT 1 FROM box WHERE room=? AND digest=?", (room, digest)).fetchone():
            return
        held = self._base.execute("SELECT bytes FROM room WHERE name=?", (room,)).fetchone()
        if held is None:
            old = [row[0] for row in self._base.execute("SELECT name FROM room WHERE day<?", (today - KEPT_DAYS,))]
            for name in old:
                self._base.execute("DELETE FROM box WHERE room=?", (name,))
                self._base.execute("DELETE FROM room WHERE name=?", (name,))
            if self._base.execute("SELECT count(*) FROM room").fetchone()[0] >= MOST_ROOMS:
                raise RoomFull("The relay has as many rooms as it can hold. Use another relay, or come back later.")
            self._base.execute("INSERT INTO room VALUES(?,?,0)", (room, today))
        elif held[0] + len(content) > MOST_BYTES:
            raise RoomFull(f"A room holds at most {MOST_BYTES} bytes. Nothing was kept; begin a new meeting.")
        place = self._base.execute("SELECT coalesce(max(place), 0) + 1 FROM box WHERE room=?", (room,)).fetchone()[0]
        self._base.execute("INSERT INTO box VALUES(?,?,?,?)", (room, place, digest, content))
        self._base.execute("UPDATE room SET day=?, bytes=bytes+? WHERE name=?", (today, len(content), room))

    def boxes(self, room: str, after: int) -> list[tuple[int, bytes]]:
        """The next boxes of a room behind a place, with their places."""
        query = "SELECT place, content FROM box WHERE room=? AND place>? ORDER BY place LIMIT ?"
        with self._lock:
            return self._base.execute(query, (room, after, AT_ONCE)).fetchall()
