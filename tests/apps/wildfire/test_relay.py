"""Two people who cannot reach each other meet at a relay, which sees cells of one size and nothing in them."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from banister.apps.wildfire.messenger import Messenger
from banister.apps.wildfire.relay import CELL_BYTES, DIALS, LISTENS, CellRelay, address_of, cell_of, hello, in_cell
from banister.errors import BadValue
from tests.apps.wildfire.people import TICK, WORDS, heard, here, until


@pytest.fixture
def relay() -> Iterator[tuple[CellRelay, int]]:
    loop, made = asyncio.new_event_loop(), CellRelay()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    port = asyncio.run_coroutine_threadsafe(made.start("127.0.0.1", 0), loop).result()
    yield made, port
    asyncio.run_coroutine_threadsafe(made.stop(), loop).result()
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


def test_two_people_meet_at_a_relay_post_and_meet_again(relay: tuple[CellRelay, int], tmp_path: Path) -> None:
    made, port = relay
    address = f"127.0.0.1:{port}"
    ann = Messenger(tmp_path / "ann", WORDS, tick_seconds=TICK, relay=address)
    ben = Messenger(tmp_path / "ben", WORDS, tick_seconds=TICK)
    ben.join(ann.invite(), friend="ann")
    ann.accept(ann.friends()[0].link)
    until(lambda: here(ann) and here(ben))
    ben.post("through the middle", although_few=True)
    until(lambda: heard(ann) == {"through the middle"})
    ben.close()
    until(lambda: not here(ann))
    ben = Messenger(tmp_path / "ben", WORDS)
    until(lambda: here(ann) and here(ben))
    assert made.carried > 20
    ann.close()
    ben.close()


def test_who_knows_no_meeting_gets_nothing_and_a_newer_one_takes_the_place(relay: tuple[CellRelay, int]) -> None:
    _, port = relay
    for first in (hello(DIALS, b"m" * 32), bytes(CELL_BYTES), hello(LISTENS, b"m" * 32)[:-1] + b"x"):
        with socket.create_connection(("127.0.0.1", port), timeout=20) as stranger:
            stranger.sendall(first)
            assert stranger.recv(1) == b""
    old, new, far = (socket.create_connection(("127.0.0.1", port), timeout=20) for _ in range(3))
    old.sendall(hello(LISTENS, b"m" * 32))
    new.sendall(hello(LISTENS, b"m" * 32))
    assert old.recv(1) == b""
    far.sendall(hello(DIALS, b"m" * 32) + cell_of(b"sealed"))
    got = b""
    while len(got) < CELL_BYTES:
        got += new.recv(CELL_BYTES)
    assert in_cell(got) == b"sealed"
    for end in (old, new, far):
        end.close()


def test_cells_have_one_size_and_lies_about_it_carry_nothing() -> None:
    assert {len(cell_of(bytes(k))) for k in (0, 1, CELL_BYTES - 2)} == {CELL_BYTES}
    assert in_cell(b"\xff\xff" + bytes(CELL_BYTES - 2)) == b""
    assert address_of("relay.example.org:4200") == ("relay.example.org", 4200)
    for bad in ("relay", ":1", "relay:0", "relay:99999", "relay:x"):
        with pytest.raises(BadValue, match="must be an address and a port"):
            address_of(bad)
