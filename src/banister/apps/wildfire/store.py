"""What a node keeps on disk: one file, encrypted whole (its log too), under a key that a passphrase gives.

Bodies of posts are sealed once more, under a key for each epoch. When the last post of an epoch is forgotten its key is
overwritten (`secure_delete`) and the log cut off, so that the passphrase alone does not open it again. The author's own
post is a row like every other, and the log is cut off after every write, so that it cannot tell what a row was before.
Nothing is ever written to a log of events.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import sqlcipher3
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

from banister import files, keys
from banister.apps.wildfire.identity import LinkKey
from banister.errors import BadValue
from banister.spread.node.messages import MessageId, Tick
from banister.spread.node.state import Held, NodeState, Settings
from banister.spread.node.stored import read_held, read_state, write_held, write_rest

VERSION = "1"
FILE, SALT = "store.db", "salt"
SHORTEST = 8
_TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE epochs (epoch INTEGER PRIMARY KEY, key BLOB NOT NULL);
CREATE TABLE posts (place INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, epoch INTEGER NOT NULL, held TEXT NOT NULL,
  body BLOB NOT NULL, word TEXT NOT NULL DEFAULT '');
CREATE TABLE friends (link INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, private BLOB NOT NULL,
  certificate BLOB NOT NULL, theirs BLOB NOT NULL, secret BLOB NOT NULL, host TEXT NOT NULL, port INTEGER NOT NULL,
  state TEXT NOT NULL, met INTEGER NOT NULL DEFAULT 0);
CREATE TABLE invitations (id BLOB PRIMARY KEY, private BLOB NOT NULL, certificate BLOB NOT NULL, secret BLOB NOT NULL,
  expires INTEGER NOT NULL, used INTEGER NOT NULL DEFAULT 0, name TEXT NOT NULL DEFAULT '');
"""
_SINCE = """
CREATE TABLE IF NOT EXISTS introductions (id BLOB NOT NULL, link INTEGER NOT NULL, mine INTEGER NOT NULL,
  name TEXT NOT NULL, state TEXT NOT NULL, key BLOB NOT NULL, reach INTEGER NOT NULL, line TEXT NOT NULL,
  expires INTEGER NOT NULL, PRIMARY KEY (id, link));
CREATE TABLE IF NOT EXISTS notes (id BLOB NOT NULL, link INTEGER NOT NULL, what INTEGER NOT NULL, body BLOB NOT NULL,
  expires INTEGER NOT NULL, PRIMARY KEY (id, link, what));
CREATE TABLE IF NOT EXISTS devices (id TEXT PRIMARY KEY, name TEXT NOT NULL, proof TEXT NOT NULL UNIQUE,
  since TEXT NOT NULL);
"""
"""What stores of earlier days do not have yet."""


@dataclass(frozen=True, slots=True)
class Friend:
    """One end of a link as it is kept. `state` is asked (she used my invitation), friend, or blocked."""

    link: int
    name: str
    own: LinkKey
    theirs: bytes
    secret: bytes
    host: str
    port: int
    state: str
    met: bool
    """Whether the link was ever up: only then both have agreed."""

    @property
    def dials(self) -> bool:
        """Whoever was invited knocks; whoever invited listens."""
        return bool(self.host)


@dataclass(frozen=True, slots=True)
class Invited:
    """An invitation that was given out."""

    id: bytes
    own: LinkKey
    secret: bytes
    expires: int
    used: bool
    name: str = ""
    """What the person calls the one whom she invited."""


class PostStore:
    """The file; one thread at a time uses it."""

    def __init__(self, folder: Path, passphrase: str) -> None:
        self.folder = folder
        self._lock = threading.RLock()
        self._saved: dict[MessageId, Held] = {}
        self._rest = ""
        fresh = not (folder / FILE).exists()
        if fresh:
            _check(passphrase)
            files.folder(folder, access=files.Access.OWNER)
            files.whole_bytes(folder / SALT, bytes.fromhex(keys.nonce()), access=files.Access.OWNER)
        self._db = sqlcipher3.connect(str(folder / FILE), check_same_thread=False, isolation_level=None)
        os.chmod(folder / FILE, 0o600)
        self._open(_key(folder, passphrase), fresh)

    def _open(self, key: bytes, fresh: bool) -> None:
        self._db.execute("PRAGMA cipher_log_level = NONE")  # A wrong passphrase is told once, by us.
        self._db.execute(f"PRAGMA key = \"x'{key.hex()}'\"")
        try:
            self._db.execute("SELECT count(*) FROM sqlite_master")
        except sqlcipher3.DatabaseError:
            self._db.close()
            raise BadValue("The passphrase does not open this store. Nothing was changed; try again.") from None
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "secure_delete = ON", "foreign_keys = ON"):
            self._db.execute(f"PRAGMA {pragma}")
        if fresh:
            with self.writing():
                self._make(_TABLES)
                self.put("version", VERSION)
        elif self.get("version") != VERSION:
            raise BadValue(f"The store is of version {self.get('version')}; this program reads version {VERSION}.")
        with self.writing():
            self._make(_SINCE)

    def _make(self, tables: str) -> None:
        for statement in tables.split(";\n"):
            if statement.strip():
                self._db.execute(statement)

    def rows(self, question: str, *values: object) -> list[tuple[Any, ...]]:
        """What the file answers to one statement; whatever writes does so inside `writing`."""
        with self._lock:
            found: list[tuple[Any, ...]] = self._db.execute(question, values).fetchall()
        return found

    @contextmanager
    def writing(self) -> Iterator[None]:
        """All of it is on disk at the end, or nothing."""
        with self._lock:
            if self._db.in_transaction:
                yield
                return
            try:
                self._db.execute("BEGIN IMMEDIATE")
                yield
                self._db.execute("COMMIT")
            except sqlcipher3.OperationalError as error:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise BadValue(f"The store cannot be written ({error}). Nothing was lost; free some space.") from None
            except BaseException:  # Nothing is swallowed: what was half done is undone, whatever ended it.
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    def get(self, name: str, default: str = "") -> str:
        """One of the node's own facts."""
        with self._lock:
            found = self._db.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return default if found is None else str(found[0])

    def put(self, name: str, value: str) -> None:
        with self.writing():
            self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))

    # The node's state.

    def load(self, settings: Settings) -> NodeState:
        """The state as it was last saved; a post whose epoch has no key any more is gone."""
        with self._lock:
            keys_of = dict(self._db.execute("SELECT epoch, key FROM epochs").fetchall())
            rows = self._db.execute("SELECT id, epoch, held, body FROM posts ORDER BY place").fetchall()
        for name, epoch, text, sealed in rows:
            self._saved[name] = read_held(text, _opened(keys_of[epoch], name, sealed))
        text = self.get("state")
        links = tuple(friend.link for friend in self.friends() if friend.state == "friend")
        if not text:
            return NodeState(settings, links, away=frozenset(links))
        self._rest = text
        return read_state(text, settings, self._saved)

    def save(self, state: NodeState, *, now: Tick, wall: float) -> bool:
        """Write whatever changed since the last time, durably; whether there was anything."""
        rest = write_rest(state)
        changed = [held for name, held in state.held.items() if self._saved.get(name) is not held]
        gone = [name for name in self._saved if name not in state.held]
        if not (changed or gone or rest != self._rest):
            return False
        epoch = now // state.settings.epoch if state.settings.epoch else 0
        with self.writing():
            for held in changed:
                self._write(held, epoch)
            for name in gone:
                self._db.execute("DELETE FROM posts WHERE id = ?", (name,))
            self.put("state", rest)
            self.put("clock", f"{now} {wall}")
            if gone or changed:
                self._db.execute(
                    "DELETE FROM epochs WHERE epoch < ? AND epoch NOT IN (SELECT epoch FROM posts)", (epoch,)
                )
        self.cut_the_log()
        self._saved, self._rest = dict(state.held), rest
        return True

    def cut_the_log(self) -> None:
        """The log keeps pages as they were before: which post had come over no link yet, and keys that are gone."""
        with self._lock:
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def _write(self, held: Held, epoch: int) -> None:
        text, before, word = write_held(held), self._saved.get(held.id), ""
        if before is not None and before.since == held.since:
            self._db.execute("UPDATE posts SET held = ? WHERE id = ?", (text, held.id))
            return
        if before is not None:  # One's own, which now is as if it had come: last of all, under the key of the day.
            place, word = self._db.execute("SELECT place, word FROM posts WHERE id = ?", (held.id,)).fetchone()
            self._db.execute("DELETE FROM posts WHERE id = ?", (held.id,))
            self._db.execute("UPDATE posts SET place = -place WHERE place > ?", (place,))  # It leaves no gap.
            self._db.execute("UPDATE posts SET place = -place - 1 WHERE place < 0")
        found = self._db.execute("SELECT key FROM epochs WHERE epoch = ?", (epoch,)).fetchone()
        key = found[0] if found else ChaCha20Poly1305.generate_key()
        if not found:
            self._db.execute("INSERT INTO epochs VALUES (?, ?)", (epoch, key))
        sealed = _sealed(key, held.id, held.body)
        row = (held.id, epoch, text, sealed, word)
        self._db.execute("INSERT INTO posts (id, epoch, held, body, word) VALUES (?, ?, ?, ?, ?)", row)

    def clock(self) -> tuple[Tick, float] | None:
        """The node's tick when it was last saved, and the time of day then."""
        words = self.get("clock").split()
        return (int(words[0]), float(words[1])) if words else None

    # What the person says about posts; it stays here.

    def words(self) -> dict[MessageId, str]:
        """Posts that the person approved or muted."""
        with self._lock:
            rows = self._db.execute("SELECT id, word FROM posts WHERE word != ''").fetchall()
        return {bytes(name): str(word) for name, word in rows}

    def say(self, name: MessageId, word: str) -> None:
        with self.writing():
            self._db.execute("UPDATE posts SET word = ? WHERE id = ?", (word, name))

    # Friends.

    def friends(self) -> tuple[Friend, ...]:
        with self._lock:
            rows = self._db.execute("SELECT * FROM friends ORDER BY link").fetchall()
        return tuple(Friend(r[0], r[1], LinkKey(r[2], r[3]), r[4], r[5], r[6], r[7], r[8], bool(r[9])) for r in rows)

    def add_friend(
        self, *, name: str, own: LinkKey, theirs: bytes, secret: bytes, host: str, port: int, state: str
    ) -> None:
        """Without a name she is the first, second or third friend who has none."""
        taken = {friend.name for friend in self.friends()}
        called = name or next(word for word in _unnamed() if word not in taken)
        with self.writing():
            self._db.execute(
                "INSERT INTO friends (name, private, certificate, theirs, secret, host, port, state) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (called, own.private, own.certificate, theirs, secret, host, port, state),
            )

    def change_friend(self, link: int, *, state: str) -> None:
        with self.writing():
            self._db.execute("UPDATE friends SET state = ? WHERE link = ?", (state, link))

    def met(self, link: int) -> None:
        with self.writing():
            self._db.execute("UPDATE friends SET met = 1 WHERE link = ?", (link,))

    def forget_friend(self, link: int) -> None:
        """The keys of the link are overwritten; nobody can use it again."""
        with self.writing():
            self._db.execute("DELETE FROM friends WHERE link = ?", (link,))
            mine = "SELECT id FROM introductions WHERE link = ? AND mine"  # Who remains of those two waits for nobody.
            for table in ("notes", "introductions"):
                self._db.execute(f"DELETE FROM {table} WHERE link = ? OR id IN ({mine})", (link, link))
        self.cut_the_log()

    # Invitations.

    def invitations(self) -> tuple[Invited, ...]:
        with self._lock:
            rows = self._db.execute("SELECT * FROM invitations").fetchall()
        return tuple(Invited(r[0], LinkKey(r[1], r[2]), r[3], r[4], bool(r[5]), r[6]) for r in rows)

    def add_invitation(self, invited: Invited) -> None:
        with self.writing():
            own = invited.own
            row = (invited.id, own.private, own.certificate, invited.secret, invited.expires, 0, invited.name)
            self._db.execute("INSERT INTO invitations VALUES (?, ?, ?, ?, ?, ?, ?)", row)

    def use_invitation(self, name: bytes) -> None:
        with self.writing():
            self._db.execute("UPDATE invitations SET used = 1, private = x'' WHERE id = ?", (name,))

    def back_up(self, target: Path) -> None:
        """A whole copy, encrypted under the same passphrase, in another folder."""
        if target.exists():
            raise BadValue(f"'{target}' is there already. Give the path of a folder that is not.")
        files.folder(target, access=files.Access.OWNER)
        with self._lock:
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            content = (self.folder / FILE).read_bytes()
        files.whole_bytes(target / FILE, content, access=files.Access.OWNER)
        files.whole_bytes(target / SALT, (self.folder / SALT).read_bytes(), access=files.Access.OWNER)

    def close(self) -> None:
        with self._lock:
            self._db.close()


def _unnamed() -> Iterator[str]:
    yield "friend"
    yield from (f"friend {number}" for number in count(2))


def wipe(folder: Path) -> None:
    """Overwrite the salt, without which no passphrase opens the store, and delete everything."""
    salt = folder / SALT
    if not (folder / FILE).exists() and not salt.exists():
        raise BadValue(f"There is no messenger in '{folder}'; nothing was deleted.")
    if salt.exists():
        files.whole_bytes(salt, bytes(16), access=files.Access.OWNER)
    for name in (FILE, f"{FILE}-wal", f"{FILE}-shm", SALT):
        (folder / name).unlink(missing_ok=True)


def _check(passphrase: str) -> None:
    if len(passphrase) < SHORTEST:
        raise BadValue(f"The passphrase has {len(passphrase)} characters; take {SHORTEST} or more. Six words are good.")


def _key(folder: Path, passphrase: str) -> bytes:
    try:
        salt = (folder / SALT).read_bytes()
    except OSError:
        raise BadValue(f"'{folder / SALT}' is not there; without it nothing opens the store beside it.") from None
    return Argon2id(salt=salt, length=32, iterations=3, lanes=4, memory_cost=64 * 1024).derive(passphrase.encode())


def _sealed(key: bytes, name: bytes, body: bytes) -> bytes:
    nonce = bytes.fromhex(keys.nonce())[:12]
    return nonce + ChaCha20Poly1305(key).encrypt(nonce, body, name)


def _opened(key: bytes, name: bytes, sealed: bytes) -> bytes:
    return ChaCha20Poly1305(key).decrypt(sealed[:12], sealed[12:], name)
