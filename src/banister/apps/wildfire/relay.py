"""A relay for two people who cannot reach each other: both dial out to it, and it passes on cells of one size.

It knows two connections that name the same meeting, and nothing else: no name, no key, no frame. What the cells carry
is the same TLS between the two ends as on a straight link. Whoever runs it sees both addresses, when they are there,
and as many cells as there are ticks.

    the first cell of a connection    1 (listens) or 2 (dials), and 32 bytes that name the meeting
    every other cell                  two bytes of length, so many bytes, and zeros
"""

import asyncio
import contextlib
import hashlib
import hmac
import socket

from banister.errors import BadValue

CELL_BYTES = 1152
"""One frame with what TLS puts around it fits, and so does a part of a handshake."""
ROOM = CELL_BYTES - 2
MEETING_BYTES = 32
LISTENS, DIALS = 1, 2
MARK = "~"
"""Before an address in an invitation: there is a relay, and not the friend herself."""
MOST_WAITING = 4096
HELLO_SECONDS = 10
IDLE_SECONDS = 7200


def meeting_of(secret: bytes) -> bytes:
    """By what both ends of a link are known at a relay; it tells nothing about the link."""
    return hmac.new(secret, b"meeting", hashlib.sha256).digest()


def hello(role: int, meeting: bytes) -> bytes:
    """The first cell."""
    return (bytes([role]) + meeting).ljust(CELL_BYTES, b"\0")


def cell_of(data: bytes) -> bytes:
    """A cell with some bytes in it."""
    return (len(data).to_bytes(2, "big") + data).ljust(CELL_BYTES, b"\0")


def in_cell(cell: bytes) -> bytes:
    """What a cell carries; nothing of one that lies about its length."""
    length = int.from_bytes(cell[:2], "big")
    return cell[2 : 2 + length] if length <= ROOM else b""


class CellRelay:
    """The program in the middle."""

    def __init__(self) -> None:
        self._waiting: dict[bytes, tuple[asyncio.StreamReader, asyncio.StreamWriter, asyncio.Event]] = {}
        self._server: asyncio.Server | None = None
        self._serving: set[asyncio.Task[None]] = set()
        self.carried = 0
        """Cells so far."""

    async def start(self, host: str, port: int) -> int:
        """Listen; the port."""
        try:
            self._server = await asyncio.start_server(self._accept, host, port)
        except OSError:
            raise BadValue(f"{host}:{port} cannot be listened on. Choose another with --listen.") from None
        return int(self._server.sockets[0].getsockname()[1])

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()
        for task in list(self._serving):
            task.cancel()
        await asyncio.gather(*self._serving, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        without_delay(writer)
        task = asyncio.current_task()
        assert task is not None
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)
        try:
            first = await asyncio.wait_for(reader.readexactly(CELL_BYTES), HELLO_SECONDS)
            role, meeting, rest = first[0], first[1 : 1 + MEETING_BYTES], first[1 + MEETING_BYTES :]
            if role == LISTENS and not any(rest) and len(self._waiting) < MOST_WAITING:
                await self._wait(meeting, reader, writer)
            elif role == DIALS and not any(rest) and meeting in self._waiting:
                await self._join(self._waiting.pop(meeting), reader, writer)
        except (OSError, asyncio.IncompleteReadError, TimeoutError):
            pass
        finally:
            writer.transport.abort()
            await asyncio.sleep(0)  # The socket is closed in the loop's next round.

    async def _wait(self, meeting: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Until somebody dials, or the one who waits is gone; the newest of a meeting waits, an older one ends."""
        before, done = self._waiting.pop(meeting, None), asyncio.Event()
        if before is not None:
            before[1].transport.abort()
            before[2].set()
        self._waiting[meeting] = (reader, writer, done)
        try:
            while not done.is_set() and not writer.is_closing() and not reader.at_eof():
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(done.wait(), 1)
        finally:
            if self._waiting.get(meeting, (None, None, None))[2] is done:
                del self._waiting[meeting]

    async def _join(
        self,
        other: tuple[asyncio.StreamReader, asyncio.StreamWriter, asyncio.Event],
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        try:
            ways = (self._carry(reader, other[1]), self._carry(other[0], writer))
            tasks = [asyncio.ensure_future(way) for way in ways]
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        finally:
            other[1].transport.abort()
            other[2].set()

    async def _carry(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        while True:
            cell = await asyncio.wait_for(source.readexactly(CELL_BYTES), IDLE_SECONDS)
            sink.write(cell)
            self.carried += 1
            await sink.drain()


async def met(host: str, port: int, role: int, secret: bytes) -> tuple[socket.socket, "asyncio.Future[None]"]:
    """A socket whose other end is the friend at the relay, and what moves its bytes (to be held on to while it is in
    use). Who listens gets it when the first cell has come."""
    reader, writer = await asyncio.open_connection(host, port)
    without_delay(writer)
    writer.write(hello(role, meeting_of(secret)))
    first = await reader.readexactly(CELL_BYTES) if role == LISTENS else b""
    ours, theirs = socket.socketpair()
    for end in (ours, theirs):
        end.setblocking(False)
    inner_reader, inner_writer = await asyncio.open_connection(sock=theirs)  # Its own from here on.
    if first:
        inner_writer.write(in_cell(first))
    return ours, asyncio.ensure_future(_both_ways(reader, writer, inner_reader, inner_writer))


async def _both_ways(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    inner_reader: asyncio.StreamReader,
    inner_writer: asyncio.StreamWriter,
) -> None:
    async def outward() -> None:
        while data := await inner_reader.read(ROOM):
            writer.write(cell_of(data))
            await writer.drain()

    async def inward() -> None:
        while True:
            inner_writer.write(in_cell(await reader.readexactly(CELL_BYTES)))
            await inner_writer.drain()

    tasks = [asyncio.ensure_future(way) for way in (outward(), inward())]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        writer.transport.abort()
        inner_writer.transport.abort()


def without_delay(writer: asyncio.StreamWriter) -> None:
    """No record waits for another, and a line that died is noticed."""
    held = writer.get_extra_info("socket")
    with contextlib.suppress(OSError, AttributeError):
        held.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        held.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)


def address_of(text: str) -> tuple[str, int]:
    """Host and port of `host:port`."""
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 65_536:
        raise BadValue(f"'{text[:80]}' must be an address and a port, such as relay.example.org:4200.")
    return host.strip("[]"), int(port)
