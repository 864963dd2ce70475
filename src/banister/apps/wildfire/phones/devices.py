"""Phones that are paired with this node: each by a code that works once, and then by a secret that only it has.

The store keeps a digest of that secret, a name that the person gave, and the day; not when a phone came, nor from
where.
"""

import hashlib
import hmac
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from banister import keys
from banister.apps.wildfire.store import PostStore
from banister.errors import BadValue

CODE_SECONDS = 600
DAYS = 180
"""After so long a phone is paired anew."""
MOST = 8
LONGEST_NAME = 40


@dataclass(frozen=True, slots=True)
class Device:
    """A paired phone."""

    id: str
    name: str
    since: date


class Devices:
    """All that are paired, and the one code that is open."""

    def __init__(self, store: PostStore, *, wall: Callable[[], float]) -> None:
        self._store, self._wall = store, wall
        self._code, self._ends = "", 0.0

    def code(self) -> str:
        """A new code, for ten minutes and one phone; the one before is worth nothing any more."""
        if len(self.all()) >= MOST:
            raise BadValue(f"{MOST} phones are paired, the most there may be. Take one back first.")
        self._code, self._ends = keys.nonce(), self._wall() + CODE_SECONDS
        return self._code

    def pair(self, code: str, name: str) -> str:
        """The secret by which a phone is known from now on."""
        right = hmac.compare_digest(code.encode("utf-8", "surrogateescape"), self._code.encode())
        if not (self._code and right and self._wall() < self._ends):
            raise BadValue(
                "This code was used before, or is older than ten minutes. Ask for a new one on your node's own page."
            )
        self._code = ""
        secret, called = keys.nonce() + keys.nonce(), " ".join(name.split())[:LONGEST_NAME] or "phone"
        with self._store.writing():
            self._store.rows(
                "INSERT INTO devices VALUES (?, ?, ?, ?)",
                keys.nonce(),
                called,
                _digest(secret),
                self._today().isoformat(),
            )
        return secret

    def known(self, secret: str) -> Device | None:
        """The phone whose secret it is, while it may come in."""
        found = self._store.rows("SELECT id, name, since FROM devices WHERE proof = ?", _digest(secret))
        return next((each for each in map(_device, found) if self._today() < each.since + timedelta(DAYS)), None)

    def all(self) -> tuple[Device, ...]:
        """Those that may come in, in the order in which they were paired."""
        day = (self._today() - timedelta(DAYS)).isoformat()  # A clock that jumps a year ahead, and back, ends nothing.
        found = self._store.rows("SELECT id, name, since FROM devices WHERE since > ? ORDER BY rowid", day)
        return tuple(map(_device, found))

    def revoke(self, name: str) -> None:
        """A phone may not come in any more, from its next request on."""
        if not self._store.rows("SELECT id FROM devices WHERE id = ?", name):
            raise BadValue("There is no such phone any more. Load the page again.")
        with self._store.writing():
            self._store.rows("DELETE FROM devices WHERE id = ?", name)
        self._store.cut_the_log()

    def _today(self) -> date:
        return datetime.fromtimestamp(self._wall(), UTC).date()


def _device(row: tuple[str, str, str]) -> Device:
    return Device(row[0], row[1], date.fromisoformat(row[2]))


def _digest(secret: str) -> str:
    """The secret is as long as a key, so a plain digest hides it."""
    return hashlib.sha256(b"phone" + secret.encode("utf-8", "surrogateescape")).hexdigest()
