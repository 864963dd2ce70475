"""Tor's control port: just what it takes to publish an onion service through a Tor that the person runs.

Lines of text (Tor's control-spec.txt): a command, and an answer that begins with a number. A service that is added so
ends with the connection over which it was added, so none is left behind, whatever ends this program.
"""

import asyncio
import base64
import contextlib
import hashlib
import hmac
import re
from collections.abc import Mapping
from pathlib import Path

from banister import keys
from banister.errors import BadValue

CONTROLS = ("127.0.0.1:9051", "/run/tor/control")
"""Where Tor is controlled unless it was told otherwise: upstream's port, and Debian's socket."""
ANSWER_SECONDS = 15
MOST_LINES = 200
COOKIE_BYTES = 32
_SERVER = b"Tor safe cookie authentication server-to-controller hash"
_CONTROLLER = b"Tor safe cookie authentication controller-to-server hash"
_ABSENT = (
    "No Tor answers at {}. Start one with the lines 'ControlPort 9051' and 'CookieAuthentication 1' in its torrc, or "
    "name where it is controlled with --tor-control."
)


class TorControl:
    """A connection to a Tor that lets us control it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    @classmethod
    async def open(cls, address: str = "", *, password: str = "") -> "TorControl":
        """Connect and authenticate, by the cookie that this Tor names, or by a password."""
        for place in (address,) if address else CONTROLS:
            with contextlib.suppress(OSError, TimeoutError):
                made = cls(*await asyncio.wait_for(_connected(place), ANSWER_SECONDS))
                try:
                    await made._authenticate(password)
                except BaseException:  # Nothing is swallowed: the connection ends with whatever ended it.
                    made.close()
                    raise
                return made
        raise BadValue(_ABSENT.format(address or " or ".join(CONTROLS)))

    async def _authenticate(self, password: str) -> None:
        said = " ".join(await self._asked("PROTOCOLINFO 1"))
        found = re.search(r'METHODS=([A-Z,]+)(?: COOKIEFILE="((?:[^"\\]|\\.)*)")?', said)
        methods = found[1].split(",") if found else []
        if "NULL" in methods:
            await self._asked("AUTHENTICATE")
        elif password:
            if "HASHEDPASSWORD" not in methods:
                raise BadValue("This Tor takes no password. Leave --tor-password-file out: its cookie is read instead.")
            await self._asked(f"AUTHENTICATE {_quoted(password)}", refused="Tor does not take this password.")
        elif found and found[2] and "SAFECOOKIE" in methods:
            await self._by_cookie(Path(re.sub(r"\\(.)", r"\1", found[2])))
        elif "HASHEDPASSWORD" in methods:
            raise BadValue("This Tor wants a password. Name a file that holds it with --tor-password-file.")
        else:
            raise BadValue("What answers there is no Tor that can be controlled by a cookie or a password.")

    async def _by_cookie(self, file: Path) -> None:
        """Each shows the other that it knows the cookie, which itself is not sent."""
        try:
            with file.open("rb") as opened:
                cookie = opened.read(COOKIE_BYTES + 1)
        except OSError:
            raise BadValue(
                f"Tor's cookie '{file}' cannot be read by you. Join the group that may (on Debian debian-tor), or set "
                "a password and name its file with --tor-password-file."
            ) from None
        own = bytes.fromhex(keys.nonce() + keys.nonce())
        said = " ".join(await self._asked(f"AUTHCHALLENGE SAFECOOKIE {own.hex()}"))
        found = re.search(r"SERVERHASH=([0-9A-Fa-f]{64}) SERVERNONCE=([0-9A-Fa-f]{64})", said)
        theirs = bytes.fromhex(found[2]) if found else b""
        shown = hmac.new(_SERVER, cookie + own + theirs, hashlib.sha256).digest()
        if found is None or len(cookie) != COOKIE_BYTES or not hmac.compare_digest(bytes.fromhex(found[1]), shown):
            raise BadValue(f"What answers there does not know what is in '{file}': it is not the Tor that wrote it.")
        proof = hmac.new(_CONTROLLER, cookie + own + theirs, hashlib.sha256).hexdigest()
        await self._asked(f"AUTHENTICATE {proof}")

    async def add_onion(self, key: bytes, ports: Mapping[int, tuple[str, int]]) -> str:
        """Publish a service with this key (64 bytes, expanded); its name without `.onion`."""
        to = " ".join(f"Port={outer},{host}:{inner}" for outer, (host, inner) in ports.items())
        said = await self._asked(f"ADD_ONION ED25519-V3:{base64.b64encode(key).decode()} {to}")
        return next((line.removeprefix("ServiceID=") for line in said if line.startswith("ServiceID=")), "")

    async def socks(self) -> tuple[str, int] | None:
        """Where this Tor is asked for connections, if by a port."""
        said = " ".join(await self._asked("GETINFO net/listeners/socks"))
        found = re.search(r'"([0-9.]+):(\d{1,5})"', said)
        return (found[1], int(found[2])) if found else None

    async def follow(self) -> None:
        """Ask to be told when a service can be found."""
        await self._asked("SETEVENTS HS_DESC")

    async def told(self) -> str:
        """The next that Tor tells by itself; an `OSError` when the connection ends."""
        line = await self._reader.readline()
        if not line:
            raise ConnectionError("Tor closed the connection.")
        return line.decode("ascii", "replace").strip()

    def close(self) -> None:
        """End the connection, and with it what was added over it."""
        self._writer.transport.abort()

    async def _asked(self, command: str, *, refused: str = "") -> list[str]:
        """What Tor answers to a command; its own words in a sentence where it refuses."""
        self._writer.write(command.encode("utf-8") + b"\r\n")
        said: list[str] = []
        async with asyncio.timeout(ANSWER_SECONDS):
            while len(said) < MOST_LINES:
                try:
                    line = await self.told()
                except ValueError:
                    break
                code, mark, rest = line[:3], line[3:4], line[4:]
                if code == "650":
                    continue
                said.append(rest)
                if code != "250":
                    raise BadValue(refused or f"Tor refused control: {code} {rest[:200]}.")
                if mark == " ":
                    return said
        raise BadValue("What answers there does not speak as Tor does.")


async def _connected(place: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    if place.startswith("/"):
        return await asyncio.open_unix_connection(place)
    host, _, port = place.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 65_536:
        raise BadValue(f"--tor-control {place[:80]} must be an address and a port, or the path of a socket.")
    return await asyncio.open_connection(host.strip("[]"), int(port))


def _quoted(text: str) -> str:
    if any(mark in text for mark in "\r\n\0"):
        raise BadValue("Tor's password is one line.")
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
