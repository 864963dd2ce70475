"""Several analysts ask a team's server at once, and it is killed with signal 9 at moments it cannot foresee.

Run as a program: python -m tests.drills.team --requests 1000. Whatever happens no answer is without its charge, no
charge without its answer, no request is charged twice, no answer that was seen changes, no share and no budget is
overspent, the log holds together, and a session that ended with a changed password stays ended.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import banister as bn
from banister.apps.team.people import Role, TeamPeople
from banister.apps.team.store import TeamStore
from banister.errors import LedgerUnreachable
from banister.release.remote import RemoteTable
from tests.apps.team.place import PASSWORD, settings
from tests.postgres import free_port

PROGRAM = [sys.executable, "-c", "from banister.apps.cli import main; main()", "serve"]
ANALYSTS = ("ana", "ben", "cleo")
QUESTION = "SELECT COUNT(*) AS years FROM data"


class Server:
    """A server in a process of its own."""

    def __init__(self, folder: Path, port: int) -> None:
        command = [*PROGRAM, str(folder / "team.toml")]
        self.address = f"http://127.0.0.1:{port}"
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert self.process.stdout is not None
        assert self.process.stdout.readline().startswith("The team of")

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()

    def connected(self, key: str) -> RemoteTable:
        deadline = time.monotonic() + 120
        while True:
            try:
                return bn.connect(self.address, key=key)
            except LedgerUnreachable:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise
                time.sleep(0.05)


def prepared(folder: Path, port: int, epsilon: str) -> dict[str, str]:
    """The team's file, with a key for each analyst and shares that two of them fill."""
    found = settings(folder, f'listen = "127.0.0.1:{port}"\nwitness = "w"\n')
    store = TeamStore(found.store, make=True)
    people = TeamPeople(store, session_hours=1)
    keys = {}
    for name in ANALYSTS:
        member = people.recover(people.add(name, Role.ANALYST), PASSWORD)
        keys[name] = people.make_key(member, "drill")
    keys["ended"] = people.sign_in("ana", PASSWORD)
    people.change_password(people.known(keys["ana"]), PASSWORD, "another long password")
    store.close()
    with bn.open(found.schema).create_ledger() as ledger:
        level = bn.Guarantee(epsilon, "1e-7")
        ledger.state_shares([bn.accounting.BudgetShare(guarantee=level, analyst=name) for name in ANALYSTS], by="olga")
    return keys


def drill(folder: Path, *, requests: int, chance: random.Random, epsilon: str = "0.3") -> Counter[str]:
    """Ask so often, killing as we go; raise where something was paid and not given, or given and not paid."""
    port = free_port()
    keys = prepared(folder, port, epsilon)
    counts: Counter[str] = Counter()
    seen: dict[tuple[str, str], Sequence[Mapping[str, object]]] = {}
    waiting: set[tuple[str, str]] = set()
    todo = [(ANALYSTS[place % len(ANALYSTS)], f"request-{place}") for place in range(requests)]
    while todo:
        server = Server(folder, port)
        with suppress(LedgerUnreachable):
            tables = {name: server.connected(keys[name]) for name in ANALYSTS}
            counts["kills"] += 1
            timer = threading.Timer(chance.uniform(0.05, 3.0 if counts["kills"] < requests else 60), server.kill)
            timer.start()
            while todo:
                name, key = todo[0]
                plan = tables[name].plan(QUESTION, epsilon="0.05")
                try:
                    found = tables[name].release(plan, key=key).table
                    assert seen.setdefault((name, key), found) == found, "an answer changed"
                except bn.BudgetExceeded:
                    waiting.add((name, key))
                todo.pop(0)
            timer.cancel()
        server.kill()
    _check(folder, port, keys, seen, waiting)
    counts.update(requests=requests, charges=len(seen), waiting=len(waiting))
    return counts


def _check(
    folder: Path,
    port: int,
    keys: dict[str, str],
    seen: dict[tuple[str, str], Sequence[Mapping[str, object]]],
    waiting: set[tuple[str, str]],
) -> None:
    """Everything once more, after a last start."""
    server = Server(folder, port)
    try:
        tables = {name: server.connected(keys[name]) for name in ANALYSTS}
        for (name, key), before in seen.items():
            plan = tables[name].plan(QUESTION, epsilon="0.05")
            assert tables[name].release(plan, key=key).table == before
        assert "session was revoked" in _refused(server.address, keys["ended"]), "a session outlived its password"
    finally:
        server.kill()
    with bn.Ledger.open(folder / "health.ledger") as ledger:
        ledger.verify()
        charged = Counter(entry.key for entry in ledger.history() if not entry.states)
        assert charged == Counter(f"team/{name}/{key}" for name, key in seen), "paid and not given, or given twice"
        assert all(left.used <= 1 for left in ledger.shares())
    store = TeamStore(folder / "team.db")
    states = {(row[0], row[1]): row[2] for row in store.rows("SELECT account, key, state FROM asked")}
    assert {each for each, state in states.items() if state == "answered"} == set(seen)
    assert {each for each, state in states.items() if state == "waiting"} == waiting
    assert len(store.lines()) >= len(seen)
    store.close()


def _refused(address: str, key: str) -> str:
    """What is said to who is not let in; nothing where the key is taken."""
    try:
        bn.connect(address, key=key)
    except bn.BanisterError as error:
        return str(error)
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.drills.team", description=__doc__)
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=os.getpid())
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        print(dict(drill(Path(place), requests=asked.requests, chance=random.Random(asked.seed))))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
