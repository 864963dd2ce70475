"""An onion service of the node's own: a real Tor is controlled, and whatever else answers there is one sentence."""

import asyncio
import subprocess
from pathlib import Path

import pytest

from banister.apps.wildfire.identity import onion_key, onion_name
from banister.apps.wildfire.messenger import AtTor, Messenger
from banister.apps.wildfire.roads.onion import FRIENDS, ONION_PORT
from banister.apps.wildfire.roads.tor import TorControl
from banister.errors import BadValue
from tests.apps.wildfire.people import TICK, WORDS, until
from tests.drills.wildfire_tor import apart, lone_tor, possible

needs_tor = pytest.mark.skipif(not possible(), reason="needs tor and tor-gencert (Debian's package tor)")


@needs_tor
def test_a_node_publishes_under_the_same_name_until_it_ends(tmp_path: Path) -> None:
    with lone_tor(tmp_path / "tor", "CookieAuthentication 1") as tor:
        at = AtTor(f"127.0.0.1:{tor.control}")
        names = set()
        for _ in range(2):
            one = Messenger(tmp_path / "node", WORDS, tick_seconds=TICK, tor=at)
            try:
                seed = bytes.fromhex(one.store.get(FRIENDS))
                names.add(one.reached())
                assert one.reached() == f"{onion_name(seed)}.onion:{ONION_PORT}"
                assert one.reached().partition(":")[0] in one.node.joining.invite(now=0, seconds=9, friend="").host
                assert tor.has(onion_key(seed))
                assert not one.published()  # This Tor is on no network.
            finally:
                one.close()
            until(lambda seed=seed: not tor.has(onion_key(seed)))  # type: ignore[misc]
        assert len(names) == 1


@needs_tor
def test_the_same_name_twice_is_one_sentence(tmp_path: Path) -> None:
    with lone_tor(tmp_path / "tor", "CookieAuthentication 1") as tor:

        async def twice() -> None:
            one = await TorControl.open(f"127.0.0.1:{tor.control}")
            await one.add_onion(onion_key(bytes(32)), {80: ("127.0.0.1", 9)})
            try:
                await one.add_onion(onion_key(bytes(32)), {80: ("127.0.0.1", 9)})
            finally:
                one.close()

        with pytest.raises(BadValue, match=r"Tor refused control: 550 .*collision"):
            apart(twice())


@needs_tor
def test_a_password_is_taken_and_a_wrong_one_is_one_sentence(tmp_path: Path) -> None:
    secret = 'say "friend" \\ and enter'
    asked = ["tor", "--defaults-torrc", "/dev/null", "--ignore-missing-torrc", "-f", "/nowhere", "--quiet"]
    hashed = subprocess.run([*asked, "--hash-password", secret], capture_output=True, text=True, check=True)
    with lone_tor(tmp_path / "tor", f"HashedControlPassword {hashed.stdout.strip().splitlines()[-1]}") as tor:

        async def enter(password: str) -> None:
            (await TorControl.open(f"127.0.0.1:{tor.control}", password=password)).close()

        apart(enter(secret))
        with pytest.raises(BadValue, match="Tor does not take this password"):
            apart(enter("wrong"))
        with pytest.raises(BadValue, match="wants a password"):
            apart(enter(""))
        with pytest.raises(BadValue, match="is one line"):
            apart(enter("two\r\nQUIT"))


@needs_tor
def test_a_socket_without_a_password_is_enough(tmp_path: Path) -> None:
    path = tmp_path / "tor" / "control"
    with lone_tor(tmp_path / "tor", f"ControlPort unix:{path}"):

        async def enter() -> None:
            (await TorControl.open(str(path))).close()

        apart(enter())


@needs_tor
def test_a_tor_that_ends_is_said_and_one_that_returns_is_used_again(tmp_path: Path) -> None:
    with lone_tor(tmp_path / "tor", "CookieAuthentication 1") as tor:
        one = Messenger(tmp_path / "node", WORDS, tick_seconds=TICK, tor=AtTor(f"127.0.0.1:{tor.control}"))
    try:
        until(lambda: "connection to Tor ended" in one.trouble())
        with lone_tor(tmp_path / "tor", "CookieAuthentication 1", control=tor.control):
            until(lambda: not one.trouble())
    finally:
        one.close()


def test_an_absent_tor_is_one_sentence_and_starts_nothing(tmp_path: Path) -> None:
    with pytest.raises(BadValue, match=r"No Tor answers at 127.0.0.1:1\. Start one with the lines"):
        Messenger(tmp_path, WORDS, tick_seconds=TICK, tor=AtTor("127.0.0.1:1"))
    with pytest.raises(BadValue, match="must be an address and a port, or the path of a socket"):
        Messenger(tmp_path, WORDS, tick_seconds=TICK, tor=AtTor("nonsense"))


@pytest.mark.parametrize(
    ("answers", "says"),
    [
        (["550 no"], "Tor refused control: 550 no."),
        (["\x00\xff"], "Tor refused control"),
        (["250-AUTH METHODS=\r\n250 OK"], "no Tor that can be controlled"),
        (['250-AUTH METHODS=COOKIE COOKIEFILE="{cookie}"\r\n250 OK'], "no Tor that can be controlled"),
        (['250-AUTH METHODS=COOKIE,SAFECOOKIE COOKIEFILE="{absent}"\r\n250 OK'], "cannot be read by you"),
        (
            [
                '250-AUTH METHODS=COOKIE,SAFECOOKIE COOKIEFILE="{cookie}"\r\n250 OK',
                f"250 AUTHCHALLENGE SERVERHASH={'0' * 64} SERVERNONCE={'0' * 64}",
            ],
            "is not the Tor that wrote it",
        ),
        (["250-x\r\n" * 300], "does not speak as Tor does"),
        (["x" * 100_000], "does not speak as Tor does"),
        ([], "No Tor answers"),
    ],
)
def test_whatever_else_answers_is_one_sentence_and_learns_no_secret(
    tmp_path: Path, answers: list[str], says: str
) -> None:
    cookie = tmp_path / "cookie"
    cookie.write_bytes(b"c" * 32)
    heard = b""

    async def meet() -> None:
        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            nonlocal heard
            try:
                for each in answers:
                    heard += await reader.readline()
                    said = each.replace("{cookie}", str(cookie)).replace("{absent}", str(tmp_path / "absent"))
                    writer.write(said.encode("latin-1") + b"\r\n")
                heard += await reader.read(1000) if answers else b""
            finally:
                writer.transport.abort()

        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        try:
            await TorControl.open(f"127.0.0.1:{server.sockets[0].getsockname()[1]}")
        finally:
            server.close()

    with pytest.raises(BadValue, match=says):
        apart(meet())
    assert b"c" * 32 not in heard
    assert b"63" * 32 not in heard
