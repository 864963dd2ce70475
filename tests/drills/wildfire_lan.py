"""Friends on one local network, in namespaces made for it: a friend whose address changed is found by her beacon.

Ann, Ben and a stranger have a machine each on one switch. Ann's address changes; Ben finds her. The stranger writes
down what she hears, sends it again from her own address while Ben looks for Ann, and waits for somebody to knock. It
needs root and `ip`, and touches no other network.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.drills.wildfire_crowd import Person, all_here, befriend, until

STRANGER = """
import json, socket, sys, threading, time
from banister.apps.wildfire.roads.discovery import GROUP, PORT, LocalNetwork, _ear, _join
here, number, port = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
ear = _ear()
_join(ear, LocalNetwork(number, here))
ear.setblocking(True)
heard, knocks = [], []
def listen():
    while True:
        data, source = ear.recvfrom(65536)
        if source[0] != here:
            heard.append((data, source[0]))
def wait():
    server = socket.create_server((here, port))
    while True:
        knocks.append(server.accept()[1][0])
threading.Thread(target=listen, daemon=True).start()
threading.Thread(target=wait, daemon=True).start()
for line in sys.stdin:
    if line.strip() == "again":
        mouth = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        mouth.bind((here, 0))
        for data, source in heard:
            mouth.sendto(data, (GROUP, PORT))
    sizes = sorted({len(data) for data, source in heard})
    salts = len({data[:16] for data, source in heard})
    said = {"count": len(heard), "sizes": sizes, "salts": salts, "sources": sorted({s for _, s in heard})}
    print(json.dumps({**said, "knocks": len(knocks)}), flush=True)
"""


def possible() -> bool:
    """Whether this machine lets us make namespaces."""
    return os.geteuid() == 0 and shutil.which("ip") is not None


def lan(tick: float) -> bool:
    """Whether Ben finds Ann at her new address, and the stranger learns no more than that nodes are there."""
    with _network() as spaces, tempfile.TemporaryDirectory() as folder:
        inside = {who: ["ip", "netns", "exec", spaces[who]] for who in spaces}
        hers = {"host": "0.0.0.0", "port": 4100, "announced": "10.77.0.2", "discover": True}
        ann = Person(Path(folder) / "ann", tick, within=inside["ann"], reach=hers)
        ben = Person(Path(folder) / "ben", tick, within=inside["ben"], reach={"discover": True})
        number = json.loads(_run("ip", "-j", "-n", spaces["eve"], "link", "show", "eth0"))[0]["ifindex"]
        watching = [*inside["eve"], sys.executable, "-c", STRANGER, "10.77.0.4", str(number), "4100"]
        eve = subprocess.Popen(watching, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            befriend(ann, ben)
            linked = until(lambda: all_here(ann) and all_here(ben), 60)
            _run("ip", "-n", spaces["ann"], "addr", "del", "10.77.0.2/24", "dev", "eth0")
            _run("ip", "-n", spaces["ann"], "addr", "add", "10.77.0.9/24", "dev", "eth0")
            begin = time.monotonic()
            for each in (ann, ben):
                each.ask("lines", count=9)
            found = until(lambda: all_here(ann) and all_here(ben), 90)
            took = time.monotonic() - begin
            ann.ask("post", words="from another address", although_few=True)
            came = until(lambda: "from another address" in ben.listen(), 60)
            ann.kill()
            until(lambda: not all_here(ben), 60)
            said = _say(eve, "again")
            time.sleep(3)
            said = _say(eve, "")
            print(
                f"at home {'linked' if linked else 'not linked'}; her address changed: found "
                f"{'after' if found else 'not within'} {took:.1f} s, the post {'came' if came else 'did not come'}; "
                f"a stranger heard {said['count']} beacons of {said['sizes']} bytes from {said['sources']}, "
                f"{said['salts']} different; sent again from her address: {said['knocks']} knocks"
            )
            told = said["sizes"] == [784] and said["salts"] == said["count"] and "10.77.0.9" in said["sources"]
            return linked and found and came and told and said["knocks"] == 0 and "10.77.0.3" not in said["sources"]
        finally:
            eve.kill()
            eve.wait()
            for pipe in (eve.stdin, eve.stdout):
                assert pipe is not None
                pipe.close()
            for each in (ann, ben):
                each.kill()


def _say(eve: "subprocess.Popen[str]", word: str) -> dict[str, Any]:
    assert eve.stdin is not None
    assert eve.stdout is not None
    eve.stdin.write(word + "\n")
    eve.stdin.flush()
    found: dict[str, Any] = json.loads(eve.stdout.readline())
    return found


@contextmanager
def _network() -> Iterator[dict[str, str]]:
    """Three machines on one switch."""
    mark = f"{os.getpid() % 10_000:04d}"
    spaces = {who: f"banister-{mark}-{who}" for who in ("switch", "ann", "ben", "eve")}
    try:
        for space in spaces.values():
            _run("ip", "netns", "add", space)
            _run("ip", "-n", space, "link", "set", "lo", "up")
        _run("ip", "-n", spaces["switch"], "link", "add", "hub", "type", "bridge", "mcast_snooping", "0")
        _run("ip", "-n", spaces["switch"], "link", "set", "hub", "up")
        for place, who in enumerate(("ann", "ben", "eve"), 2):
            near, far = f"l{mark}{place}a", f"l{mark}{place}b"
            _run("ip", "link", "add", near, "type", "veth", "peer", "name", far)
            _run("ip", "link", "set", near, "netns", spaces[who], "name", "eth0")
            _run("ip", "link", "set", far, "netns", spaces["switch"])
            _run("ip", "-n", spaces["switch"], "link", "set", far, "master", "hub", "up")
            _run("ip", "-n", spaces[who], "addr", "add", f"10.77.0.{place}/24", "dev", "eth0")
            _run("ip", "-n", spaces[who], "link", "set", "eth0", "up")
        yield spaces
    finally:
        for space in spaces.values():
            subprocess.run(["ip", "netns", "del", space], capture_output=True, check=False)


def _run(*words: str) -> str:
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout
