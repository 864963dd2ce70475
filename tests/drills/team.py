"""Several analysts ask a team's server at once, and it is killed with signal 9 at moments it cannot foresee.

Run as a program: python -m tests.drills.team --requests 1000; with --postgres the ledger is on a PostgreSQL server,
which is killed likewise and recovers from its log. Whatever happens no answer is without its charge, no charge without
its answer, no request is charged twice, no answer that was seen changes, no share and no budget is
overspent, the log holds together, and no session outlives a password, which is changed again and again meanwhile.
"""

import argparse
import math
import os
import random
import signal
import tempfile
import threading
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

import psycopg

import banister as bn
from banister.apps.team.people import Role, TeamPeople
from banister.apps.team.store import TeamStore
from banister.errors import LedgerUnreachable
from banister.release.remote import RemoteTable
from tests.apps.team.place import PASSWORD, settings
from tests.drills.nursery import Nursery
from tests.drills.passwords import Passwords
from tests.postgres import free_port, wait_for
from tests.postgres import server as postgres_server

MODULES = (
    "banister.apps.team.serve",
    "banister.apps.team.pages",
    "banister.apps.team.page_ask",
    "banister.release.run",
    "banister.release.sources.duckdb",
    "banister.accounting.stores.postgres",
    "duckdb",
    "uvicorn",
)
ANALYSTS = ("ana", "ben", "cleo")
QUESTION = "SELECT COUNT(*) AS years FROM data"


class Server:
    """A server in a process of its own."""

    def __init__(self, folder: Path, port: int, nursery: Nursery) -> None:
        self.address = f"http://127.0.0.1:{port}"
        self.raised = nursery.raised("serve", str(folder / "team.toml"))
        assert self.raised.said.readline().startswith("The team of")

    def kill(self) -> None:
        self.raised.kill()

    def connected(self, key: str) -> RemoteTable:
        deadline = time.monotonic() + 120
        while True:
            try:
                return bn.connect(self.address, key=key)
            except LedgerUnreachable:
                if self.raised.gone or time.monotonic() > deadline:
                    raise
                time.sleep(0.01)


def prepared(folder: Path, port: int, epsilon: str, database: str) -> dict[str, str]:
    """The team's file, with a key for each analyst and shares that two of them fill."""
    found = settings(folder, f'listen = "127.0.0.1:{port}"\nwitness = "w"\n')
    if database:
        text = found.schema.read_text(encoding="utf-8")
        found.schema.write_text(text.replace("health.ledger", f"{database}#team"), encoding="utf-8")
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


def kill_database(database: str) -> None:
    """Signal 9 to a process of PostgreSQL: all connections end, and it recovers from its log as after a crash."""
    with psycopg.connect(database, autocommit=True) as connection:
        query = "SELECT pid FROM pg_stat_activity WHERE usename = current_user AND pid <> pg_backend_pid()"
        found = connection.execute(query).fetchall()
    for (pid,) in found[:1]:
        os.kill(pid, signal.SIGKILL)


def drill(
    folder: Path,
    *,
    requests: int,
    chance: random.Random,
    epsilon: str = "0.3",
    price: str = "0.05",
    longest: float = 3.0,
    database: str = "",
    seconds: float = math.inf,
) -> Counter[str]:
    """Ask so often, killing as we go; raise where something was paid and not given, or given and not paid.

    After so many seconds no further request is sent, and what was done is judged.
    """
    port = free_port()
    keys = prepared(folder, port, epsilon, database)
    counts: Counter[str] = Counter()
    seen: dict[tuple[str, str], Sequence[Mapping[str, object]]] = {}
    waiting: set[tuple[str, str]] = set()
    todo = [(ANALYSTS[place % len(ANALYSTS)], f"request-{place}") for place in range(requests)]
    passwords = Passwords("ben", PASSWORD)
    nursery, ends = Nursery(*MODULES), time.monotonic() + seconds
    while todo:
        server = Server(folder, port, nursery)
        changing: Callable[[], object] = tuple
        other = threading.Timer(chance.uniform(0.05, longest), _quietly(kill_database), (database,))
        with suppress(LedgerUnreachable):
            tables = {name: server.connected(keys[name]) for name in ANALYSTS}
            plans = {name: table.plan(QUESTION, epsilon=price) for name, table in tables.items()}
            counts["kills"] += 1
            timer = threading.Timer(chance.uniform(0.05, longest if counts["kills"] < requests else 60), server.kill)
            timer.start()
            changing = passwords.again_and_again(server.address, chance.uniform(0.0, longest / 3))
            if database and chance.random() < 0.5:
                other.start()
                counts["kills of the database"] += 1
            while todo:
                if time.monotonic() > ends:
                    del todo[1:]  # The first may have been cut off: it is finished like any other.
                name, key = todo[0]
                try:
                    found = tables[name].release(plans[name], key=key).table
                    assert seen.setdefault((name, key), found) == found, "an answer changed"
                except bn.BudgetExceeded:
                    waiting.add((name, key))
                todo.pop(0)
            timer.cancel()
        other.cancel()
        server.kill()
        changing()
        if database:
            wait_for(database)
    _check(folder, port, nursery, keys, seen, waiting, price, passwords)
    nursery.close()
    counts.update(requests=len(seen) + len(waiting), charges=len(seen), waiting=len(waiting))
    counts.update({"changed passwords": len(passwords.ended), "of them cut off": passwords.cut_off})
    return counts


def _check(
    folder: Path,
    port: int,
    nursery: Nursery,
    keys: dict[str, str],
    seen: dict[tuple[str, str], Sequence[Mapping[str, object]]],
    waiting: set[tuple[str, str]],
    price: str,
    passwords: Passwords,
) -> None:
    """Everything once more, after a last start."""
    server = Server(folder, port, nursery)
    try:
        tables = {name: server.connected(keys[name]) for name in ANALYSTS}
        plans = {name: table.plan(QUESTION, epsilon=price) for name, table in tables.items()}
        for (name, key), before in seen.items():
            assert tables[name].release(plans[name], key=key).table == before
        assert "session was revoked" in _refused(server.address, keys["ended"]), "a session outlived its password"
        passwords.change(server.address)  # The last, which nothing cuts off.
        for session in passwords.ended:
            assert "session was revoked" in _refused(server.address, session), "a session outlived its password"
    finally:
        server.kill()
    where = str(tomllib.loads((folder / "health.toml").read_text(encoding="utf-8"))["budget"]["ledger"])
    with bn.Ledger.open(where if "://" in where else folder / where) as ledger:
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


def _quietly(do: Callable[[str], None]) -> Callable[[str], None]:
    """The same, where what it meets may be gone already."""

    def done(database: str) -> None:
        with suppress(psycopg.OperationalError, ProcessLookupError):
            do(database)

    return done


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
    parser.add_argument("--postgres", action="store_true", help="Keep the ledger on PostgreSQL, and kill that, too.")
    parser.add_argument("--longest", type=float, default=20.0, help="Seconds that a server lives, at most.")
    parser.add_argument("--minutes", type=float, default=math.inf, help="Judge what was done after so long.")
    asked = parser.parse_args()
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        database = stack.enter_context(postgres_server()) if asked.postgres else ""
        began, price = time.monotonic(), f"{1 / (1 + 2 * asked.requests):.9f}"  # Most of them fit, some wait.
        counts = drill(
            place,
            requests=asked.requests,
            chance=random.Random(asked.seed),
            price=price,
            epsilon="0.1",
            longest=asked.longest,
            database=database,
            seconds=60 * asked.minutes,
        )
        print(f"{dict(counts)} in {time.monotonic() - began:.0f} s; seed {asked.seed}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
