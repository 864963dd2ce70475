"""An invitation: one line that one person gives one other, by a channel that both trust, or as a QR code."""

import base64
import binascii
import struct
from dataclasses import dataclass

from banister.apps.wildfire.relay import MARK
from banister.errors import BadValue

PREFIX = "wildfire:1:"
LIFE_SECONDS = 7 * 86_400
_FIXED = struct.Struct(">16s32s32sQ")


@dataclass(frozen=True, slots=True)
class Invitation:
    """Where to knock (at a relay, where a ~ stands before the address), with which secret, which certificate must
    answer, and until when.

    >>> one = Invitation(b"i" * 16, b"s" * 32, b"f" * 32, 1_900_000_000, "127.0.0.1", 4100)
    >>> Invitation.read(one.text()) == one
    True
    """

    id: bytes
    secret: bytes
    fingerprint: bytes
    expires: int
    host: str
    port: int

    def text(self) -> str:
        """The line."""
        data = _FIXED.pack(self.id, self.secret, self.fingerprint, self.expires)
        data += struct.pack(">H", self.port) + self.host.encode("ascii")
        return PREFIX + base64.urlsafe_b64encode(data).decode("ascii").rstrip("=")

    @classmethod
    def read(cls, text: str) -> "Invitation":
        """The invitation that a line is; refused where it is none."""
        words = "".join(text.split())
        problem = f"This is no invitation: one begins with {PREFIX} and is one long line. Copy it whole."
        if not words.startswith(PREFIX) or len(words) > 600:
            raise BadValue(problem)
        try:
            code = words.removeprefix(PREFIX)
            data = base64.b64decode(code + "=" * (-len(code) % 4), altchars=b"-_", validate=True)
            name, secret, mark, expires = _FIXED.unpack(data[: _FIXED.size])
            (port,) = struct.unpack(">H", data[_FIXED.size : _FIXED.size + 2])
            host = data[_FIXED.size + 2 :].decode("ascii")
        except (binascii.Error, struct.error, UnicodeDecodeError, ValueError):
            raise BadValue(problem) from None
        if not host or not all(mark.isalnum() or mark in ".:-" for mark in host.removeprefix(MARK)):
            raise BadValue(problem)
        return cls(name, secret, mark, expires, host, port)
