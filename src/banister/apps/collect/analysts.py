"""Keys of analysts: who else may see the dashboards and download the reports, each by a key that can be taken back.

The file holds names and hashes of keys, so whoever reads it gets in nowhere. It is read again when it has changed: a
key that was taken back opens nothing from then on, and the sessions that it opened end.
"""

import hashlib
import hmac
import json
import re
from pathlib import Path

from banister import keys
from banister.errors import BadValue
from banister.files import Access, whole_text
from banister.foreign import read_json

FORMAT = "banister-analysts/1"
MOST_BYTES = 1 << 20
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9@._-]{0,63}")


class AnalystKeys:
    """The file of keys.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     found = AnalystKeys(Path(folder) / "analysts.json")
    ...     key = found.add("ana")
    ...     print(found.named(key), found.names())
    ...     found.revoke("ana")
    ...     print(repr(found.named(key)), found.names())
    ana ['ana']
    '' []
    """

    __slots__ = ("_hashes", "_stamp", "path")

    def __init__(self, path: Path) -> None:
        self.path = path
        self._stamp: tuple[int, int, int] | None = None
        self._hashes: dict[str, str] = {}

    def names(self) -> list[str]:
        """Who has a key."""
        return sorted(self._read())

    def add(self, name: str) -> str:
        """A new key for somebody; it is shown once. One that she had opens nothing any more."""
        if not _NAME.fullmatch(name):
            raise BadValue(f"The name {name[:40]!r} must be 1 to 64 letters, digits and any of . _ @ -, such as ana.")
        key = keys.nonce() + keys.nonce()
        self._write({**self._read(), name: _hash(key)})
        return key

    def revoke(self, name: str) -> None:
        """Take a key back."""
        found = dict(self._read())
        if found.pop(name, None) is None:
            raise BadValue(
                f"'{name[:64]}' has no key in '{self.path}'. These have: {', '.join(sorted(found)) or 'nobody'}."
            )
        self._write(found)

    def named(self, key: str) -> str:
        """Whose key it is; nothing where it is nobody's."""
        digest = _hash(key)
        return next((name for name, known in self._held().items() if hmac.compare_digest(known, digest)), "")

    def welcome(self, name: str) -> bool:
        """Whether somebody still has a key."""
        return name in self._held()

    def _held(self) -> dict[str, str]:
        """Who has a key at the door: nobody while the file cannot be read."""
        try:
            return self._read()
        except (BadValue, OSError):
            return {}

    def _read(self) -> dict[str, str]:
        try:
            found = self.path.stat()
        except FileNotFoundError:
            self._hashes, self._stamp = {}, None
            return self._hashes
        stamp = found.st_mtime_ns, found.st_size, found.st_ino
        if stamp != self._stamp:
            body = read_json(self.path, "the keys of analysts", most_bytes=MOST_BYTES)
            known = body.get("keys") if isinstance(body, dict) and body.get("format") == FORMAT else None
            if not isinstance(known, dict) or not all(isinstance(one, str) for one in known.values()):
                raise BadValue(f"'{self.path}' is not a file of keys as `banister collect key` writes it. Restore it.")
            self._hashes, self._stamp = {str(name): str(one) for name, one in known.items()}, stamp
        return self._hashes

    def _write(self, hashes: dict[str, str]) -> None:
        whole_text(self.path, json.dumps({"format": FORMAT, "keys": hashes}, indent=1) + "\n", access=Access.OWNER)


def _hash(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()
