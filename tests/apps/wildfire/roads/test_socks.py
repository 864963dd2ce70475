"""Onion addresses go to Tor by name, each with a name and password of its own; a stand-in for Tor listens here."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

from banister.apps.wildfire.roads.socks import through_tor

ADDRESS = "a" * 56 + ".onion"


class StandIn:
    """Speaks SOCKS 5 as Tor does (RFC 1928 and 1929), and then says back what it is told."""

    def __init__(self, *, answer: int = 0, method: int = 2, kind: int = 1) -> None:
        self.answer, self.method, self.kind = answer, method, kind
        self.asked: list[tuple[bytes, bytes, int]] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(3)
        writer.write(bytes([5, self.method]))
        if self.method == 2:
            length = (await reader.readexactly(2))[1]
            own = await reader.readexactly(length)
            await reader.readexactly((await reader.readexactly(1))[0])
            writer.write(b"\x01\x00")
            length = (await reader.readexactly(5))[4]
            name, port = await reader.readexactly(length), int.from_bytes(await reader.readexactly(2), "big")
            self.asked.append((own, name, port))
            bound = {1: bytes(4), 3: b"\x03abc", 4: bytes(16)}[self.kind]
            writer.write(bytes([5, self.answer, 0, self.kind]) + bound + bytes(2))
            if self.answer == 0:
                writer.write(await reader.readexactly(5))
        await writer.drain()
        writer.close()


def asked(stand_in: StandIn, times: int = 1) -> list[bytes]:
    async def run() -> list[bytes]:
        server = await asyncio.start_server(stand_in.serve, "127.0.0.1", 0)
        proxy, loop, got = server.sockets[0].getsockname()[:2], asyncio.get_running_loop(), []
        try:
            for _ in range(times):
                held = await through_tor(ADDRESS, 4100, proxy=proxy)
                await loop.sock_sendall(held, b"hello")
                got.append(await loop.sock_recv(held, 5))
                held.close()
        finally:
            server.close()
        return got

    with ThreadPoolExecutor(1) as apart:  # A browser of other tests has a loop running in this thread.
        return apart.submit(lambda: asyncio.run(run())).result()


@pytest.mark.parametrize("kind", [1, 3, 4])
def test_a_name_is_asked_of_tor_under_another_password_each_time(kind: int) -> None:
    tor = StandIn(kind=kind)
    assert asked(tor, times=2) == [b"hello", b"hello"]
    assert [(name, port) for _, name, port in tor.asked] == [(ADDRESS.encode(), 4100)] * 2
    assert tor.asked[0][0] != tor.asked[1][0]


def test_what_tor_cannot_do_is_an_error_that_a_knock_tries_again() -> None:
    with pytest.raises(ConnectionError, match=r"Tor could not reach the address \(answer 4\)"):
        asked(StandIn(answer=4))
    with pytest.raises(ConnectionError, match="no Tor that takes a name and a password"):
        asked(StandIn(method=255))
