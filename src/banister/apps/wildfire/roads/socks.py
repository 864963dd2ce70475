"""The way to an onion address: a Tor that the person runs is asked, by SOCKS 5, to open the connection.

The name goes to Tor as it is and is looked up nowhere else. Each link asks under a name and password of its own, so
that Tor gives it a circuit of its own.
"""

import asyncio
import socket

from banister import keys

ONION = ".onion"
PROXY = ("127.0.0.1", 9050)
"""Where Tor listens unless it was told otherwise."""
WITH_PASSWORD = 2
CONNECT = 1
NAME = 3
_LENGTHS = {1: 4, 4: 16}
"""Bytes of an address in an answer, by its kind."""


async def through_tor(host: str, port: int, *, proxy: tuple[str, int] = PROXY) -> socket.socket:
    """A connected socket, or an `OSError` that says what Tor said."""
    loop = asyncio.get_running_loop()
    held = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    held.setblocking(False)
    try:
        await loop.sock_connect(held, proxy)
        await _ask(loop, held, host, port)
    except BaseException:  # Nothing is swallowed: the socket ends with whatever ended it.
        held.close()
        raise
    return held


async def _ask(loop: asyncio.AbstractEventLoop, held: socket.socket, host: str, port: int) -> None:
    await loop.sock_sendall(held, bytes([5, 1, WITH_PASSWORD]))
    if await _read(loop, held, 2) != bytes([5, WITH_PASSWORD]):
        raise ConnectionError("What listens there is no Tor that takes a name and a password.")
    own = keys.nonce().encode()
    await loop.sock_sendall(held, bytes([1, len(own)]) + own + bytes([1]) + b"x")
    if (await _read(loop, held, 2))[1] != 0:
        raise ConnectionError("Tor did not take the name and the password.")
    name = host.encode("ascii")
    await loop.sock_sendall(held, bytes([5, CONNECT, 0, NAME, len(name)]) + name + port.to_bytes(2, "big"))
    version, answer, _, kind = await _read(loop, held, 4)
    if version != 5 or answer != 0:
        raise ConnectionError(f"Tor could not reach the address (answer {answer}).")
    length = _LENGTHS.get(kind) or (await _read(loop, held, 1))[0]
    await _read(loop, held, length + 2)


async def _read(loop: asyncio.AbstractEventLoop, held: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        more = await loop.sock_recv(held, count - len(data))
        if not more:
            raise ConnectionError("Tor closed the connection.")
        data += more
    return data
