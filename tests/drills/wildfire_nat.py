"""Two nodes behind two NATs, in network namespaces made for it: they link through a relay in the middle.

Each person has a network of her own (both the same addresses, as at home) behind a router that masquerades; the relay
stands between the routers. Neither can be reached from outside. It needs root, `ip` and `nft`, and touches no other
network.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.drills.wildfire_crowd import Person, all_here, befriend, until

RELAY = "203.0.113.1"
RUN_RELAY = f"""
import asyncio
from banister.apps.wildfire.relay import CellRelay
async def run():
    print(await CellRelay().start("{RELAY}", 4200), flush=True)
    await asyncio.Event().wait()
asyncio.run(run())
"""
MASQUERADE = 'table ip nat {{ chain post {{ type nat hook postrouting priority 100; oifname "{}" masquerade; }} ; }}'


def possible() -> bool:
    """Whether this machine lets us make namespaces."""
    return os.geteuid() == 0 and all(shutil.which(word) for word in ("ip", "nft"))


def nat(tick: float) -> bool:
    """Whether two people behind two NATs are linked within a minute, and a post comes through."""
    with _networks() as names, tempfile.TemporaryDirectory() as folder:
        inside = {who: ["ip", "netns", "exec", names[who]] for who in names}
        relay = subprocess.Popen(
            [*inside["middle"], sys.executable, "-c", RUN_RELAY],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert relay.stdout is not None
        relay.stdout.readline()
        ann = Person(Path(folder) / "ann", tick, within=inside["ann"], relay=f"{RELAY}:4200")
        ben = Person(Path(folder) / "ben", tick, within=inside["ben"])
        try:
            reached = _reaches(inside["ben"], "203.0.113.2", int(str(ann.ask("port"))))
            begin = time.monotonic()
            befriend(ann, ben)
            linked = until(lambda: all_here(ann) and all_here(ben), 60)
            took = time.monotonic() - begin
            ann.ask("post", words="through two routers", although_few=True)
            came = until(lambda: "through two routers" in ben.listen(), 60)
            print(
                f"straight: {'reached' if reached else 'no way in'}; linked through the relay "
                f"{'after' if linked else 'not within'} {took:.1f} s; the post {'came' if came else 'did not come'}"
            )
            return linked and came and not reached
        finally:
            for each in (ann, ben):
                each.kill()
            relay.kill()
            relay.wait()
            relay.stdout.close()


def _reaches(inside: list[str], host: str, port: int) -> bool:
    asks = f"import socket; socket.create_connection(({host!r}, {port}), timeout=3)"
    return subprocess.run([*inside, sys.executable, "-c", asks], capture_output=True, check=False).returncode == 0


@contextmanager
def _networks() -> Iterator[dict[str, str]]:
    """Five namespaces: two people, their routers, and the middle."""
    mark = f"{os.getpid() % 10_000:04d}"
    names = {who: f"banister-{mark}-{who}" for who in ("ann", "ben", "anns-router", "bens-router", "middle")}
    try:
        for name in names.values():
            _ip("netns", "add", name)
            _ip("-n", name, "link", "set", "lo", "up")
        for number, (who, outer, inner) in enumerate(
            (("ann", "203.0.113.2/30", f"{RELAY}/30"), ("ben", "203.0.113.6/30", "203.0.113.5/30"))
        ):
            router, near, far = names[f"{who}s-router"], f"n{mark}{number}", f"f{mark}{number}"
            _join(names[who], f"{near}a", "10.0.0.2/24", router, f"{near}b", "10.0.0.1/24")
            _join(router, f"{far}a", outer, names["middle"], f"{far}b", inner)
            _ip("-n", names[who], "route", "add", "default", "via", "10.0.0.1")
            _ip("-n", router, "route", "add", "default", "via", inner.partition("/")[0])
            _run("ip", "netns", "exec", router, "sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward")
            _run("ip", "netns", "exec", router, "nft", MASQUERADE.format(f"{far}a"))
        yield names
    finally:
        for name in names.values():
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)


def _join(one: str, near: str, here: str, other: str, far: str, there: str) -> None:
    _ip("link", "add", near, "type", "veth", "peer", "name", far)
    for space, name, address in ((one, near, here), (other, far, there)):
        _ip("link", "set", name, "netns", space)
        _ip("-n", space, "addr", "add", address, "dev", name)
        _ip("-n", space, "link", "set", name, "up")


def _ip(*words: str) -> None:
    _run("ip", *words)


def _run(*words: str) -> None:
    subprocess.run(words, check=True, capture_output=True)
