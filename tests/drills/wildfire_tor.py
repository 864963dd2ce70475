"""A private Tor network on the loopback, in which two nodes link through an onion service and a post passes.

Authorities that vote every twenty seconds, relays, and a Tor for each of two people, all from the machine's own `tor`;
none of them speaks to any other machine. Ann's node publishes its onion service over her Tor's control port, Ben's
dials through his; when hers is killed her Tor has no such service any more. It needs `tor` and `tor-gencert` (Debian's
package tor), and some minutes.
"""

import asyncio
import re
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from banister.apps.wildfire.identity import onion_key
from banister.apps.wildfire.roads.onion import FRIENDS
from banister.apps.wildfire.roads.tor import TorControl
from banister.apps.wildfire.store import PostStore
from banister.errors import BadValue
from tests.drills.wildfire_crowd import WORDS, Person, all_here, befriend, until

T = TypeVar("T")

AUTHORITIES, RELAYS = 3, 4
VOTES = """
TestingV3AuthInitialVotingInterval 20
TestingV3AuthInitialVoteDelay 4
TestingV3AuthInitialDistDelay 4
V3AuthVotingInterval 20
V3AuthVoteDelay 4
V3AuthDistDelay 4
TestingDirAuthVoteExit *
TestingDirAuthVoteGuard *
TestingDirAuthVoteHSDir *
AuthoritativeDirectory 1
V3AuthoritativeDirectory 1
ContactInfo nobody@example.org
"""


def possible() -> bool:
    """Whether a Tor is installed here."""
    return all(shutil.which(word) for word in ("tor", "tor-gencert"))


def tor(tick: float) -> bool:
    """Whether two people link through an onion service, a post passes, and the service ends with its node."""
    with tempfile.TemporaryDirectory() as folder, private_network(Path(folder)) as (hers, his):
        begin = time.monotonic()
        if not until(lambda: hers.ready() and his.ready(), 240):
            print(f"the private network did not come up: {hers.last()}; {his.last()}")
            return False
        up = time.monotonic() - begin
        ann = Person(Path(folder) / "ann-node", tick, reach={"control": f"127.0.0.1:{hers.control}"})
        ben = Person(Path(folder) / "ben-node", tick, reach={"socks": f"127.0.0.1:{his.socks}"})
        try:
            begin = time.monotonic()
            place = str(ann.ask("reached"))
            published = until(lambda: ann.ask("published") is True, 120)
            told = time.monotonic() - begin
            begin = time.monotonic()
            befriend(ann, ben)
            linked = until(lambda: all_here(ann) and all_here(ben), 120)
            took = time.monotonic() - begin
            begin = time.monotonic()
            ann.ask("post", words="through an onion service", although_few=True)
            came = until(lambda: "through an onion service" in ben.listen(), 120)
            passed = time.monotonic() - begin
            store = PostStore(Path(folder) / "ann-node", WORDS)
            key = onion_key(bytes.fromhex(store.get(FRIENDS)))
            store.close()
            there = hers.has(key)
            ann.kill()
            gone = there and until(lambda: not hers.has(key), 30)
            print(
                f"network up after {up:.0f} s; {place[:8]}… {'published' if published else 'not published'} after "
                f"{told:.1f} s; {'linked' if linked else 'not linked'} after {took:.1f} s; the post "
                f"{'came' if came else 'did not come'} after {passed:.1f} s; her node killed: the service "
                f"{'is gone' if gone else 'is still there'}"
            )
            return published and linked and came and gone and place.endswith(".onion:4100")
        finally:
            for each in (ann, ben):
                each.kill()


@dataclass(frozen=True)
class Tor:
    """One Tor, with its ports on the loopback."""

    name: str
    folder: Path
    control: int = 0
    socks: int = 0

    def ready(self) -> bool:
        return "Bootstrapped 100%" in self._log()

    def last(self) -> str:
        """What it said last, for whoever looks why it did not come up."""
        return (self._log().strip().splitlines() or ["nothing"])[-1]

    def _log(self) -> str:
        log = self.folder / "log"
        return log.read_text(encoding="utf-8") if log.exists() else ""

    def has(self, key: bytes) -> bool:
        """Whether an onion service with this key is there: Tor refuses to make a second one."""

        async def asked() -> bool:
            control = await TorControl.open(f"127.0.0.1:{self.control}")
            try:
                await control.add_onion(key, {1: ("127.0.0.1", 1)})
            except BadValue as refused:
                return "collision" in str(refused)
            finally:
                control.close()
            return False

        return apart(asked())


def apart(work: Coroutine[object, object, T]) -> T:
    """What comes of it, in a loop of its own: a browser of other tests has one running in this thread."""

    async def done() -> T:
        try:
            return await work
        finally:
            await asyncio.sleep(0.05)  # What was closed is closed in the loop's next rounds.

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(done())).result()


@contextmanager
def lone_tor(folder: Path, *lines: str, control: int = 0) -> Iterator[Tor]:
    """One Tor that is let onto no network at all, to be controlled."""
    port = control or _free(1)[0]
    made = Tor("lone", folder, control=port)
    with _running(made, "DisableNetwork 1", "SocksPort 0", f"ControlPort 127.0.0.1:{port}", *lines):
        yield made


@contextmanager
def private_network(folder: Path) -> Iterator[tuple[Tor, Tor]]:
    """Two people's Tors in a network of their own."""
    ports = iter(_free(2 * (AUTHORITIES + RELAYS) + 4))
    known, wanted = [], []
    for number in range(AUTHORITIES):
        each = Tor(f"authority{number}", folder / f"authority{number}")
        onion, directory = next(ports), next(ports)
        lines = [*_relay(each.name, onion), f"DirPort 127.0.0.1:{directory}", *VOTES.split("\n")]
        marks = _identities(each, directory, lines)
        known.append(
            f"DirAuthority {each.name} orport={onion} no-v2 v3ident={marks[0]} 127.0.0.1:{directory} {marks[1]}"
        )
        wanted.append((each, lines))
    for number in range(RELAYS):
        each = Tor(f"relay{number}", folder / f"relay{number}")
        wanted.append((each, _relay(each.name, next(ports))))
    people = []
    for name in ("ann", "ben"):
        person = Tor(name, folder / name, control=next(ports), socks=next(ports))
        people.append(person)
        lines = [f"ControlPort 127.0.0.1:{person.control}", "CookieAuthentication 1"]
        wanted.append((person, [*lines, f"SocksPort 127.0.0.1:{person.socks}"]))
    with ExitStack() as stack:
        for each, lines in wanted:
            stack.enter_context(_running(each, "TestingTorNetwork 1", *known, *lines))
        yield people[0], people[1]


def _relay(name: str, port: int) -> list[str]:
    return [
        f"Nickname {name}",
        "Address 127.0.0.1",
        f"ORPort 127.0.0.1:{port}",
        "SocksPort 0",
        "ExitRelay 0",
        "AssumeReachable 1",
    ]


def _identities(each: Tor, port: int, lines: list[str]) -> tuple[str, str]:
    """The keys of an authority; by what it is known as one, and as a relay."""
    kept = each.folder / "keys"
    kept.mkdir(parents=True, mode=0o700)
    each.folder.chmod(0o700)
    makes = ["tor-gencert", "--create-identity-key", "-m", "12", "-a", f"127.0.0.1:{port}", "--passphrase-fd", "0"]
    for word, name in (("-i", "identity_key"), ("-s", "signing_key"), ("-c", "certificate")):
        makes += [word, str(kept / f"authority_{name}")]
    subprocess.run(makes, input=b"passphrase\n", check=True, capture_output=True)
    written = (kept / "authority_certificate").read_text(encoding="utf-8")
    mark = re.search(r"^fingerprint ([0-9A-F]{40})$", written, re.MULTILINE)
    assert mark is not None
    dummy = f"DirAuthority x orport=1 no-v2 v3ident={'F' * 40} 127.0.0.1:1 {'F' * 40}"
    file = _written(each, "TestingTorNetwork 1", dummy, *lines)
    listed = subprocess.run(
        ["tor", "--ignore-missing-torrc", "-f", str(file), "--list-fingerprint", "--quiet"],
        capture_output=True,
        text=True,
        check=True,
    )
    return mark[1], listed.stdout.strip().splitlines()[-1].partition(" ")[2].replace(" ", "")


def _written(each: Tor, *lines: str) -> Path:
    each.folder.mkdir(exist_ok=True, mode=0o700)
    file = each.folder / "torrc"
    head = [f"DataDirectory {each.folder}", f"Log notice file {each.folder / 'log'}", "ShutdownWaitLength 0"]
    file.write_text("\n".join([*head, *lines, ""]), encoding="utf-8")
    return file


@contextmanager
def _running(each: Tor, *lines: str) -> Iterator[None]:
    file = _written(each, *lines)
    (each.folder / "log").unlink(missing_ok=True)
    words = ["tor", "--defaults-torrc", "/dev/null", "-f", str(file), "--quiet"]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        if each.control:
            assert until(lambda: process.poll() is not None or _answers(each.control), 30)
            assert process.poll() is None, each.last()
        yield
    finally:
        process.kill()
        process.wait()


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def _free(count: int) -> list[int]:
    """Ports that nobody listens on just now."""
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    found = [each.getsockname()[1] for each in held]
    for each in held:
        each.close()
    return found
