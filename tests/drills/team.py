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
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path

import duckdb
import psycopg

import banister as bn
from banister.apps.team.people import Role, TeamPeople
from banister.apps.team.store import TeamStore
from banister.errors import LedgerUnreachable
from banister.release.remote import RemoteTable
from tests.apps.team.place import PASSWORD, settings
from tests.drills.nursery import Nursery, in_memory
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
ROWS = 400
"""Of the demo: adding up many more would only take time."""


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
    table, small = folder / "randhie.parquet", folder / "small.parquet"
    duckdb.read_parquet(str(table)).limit(ROWS).write_parquet(str(small))
    small.replace(table)
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


@dataclass
class Work:
    """What each analyst still asks for, and every answer that was seen."""

    todo: dict[str, deque[str]]
    ends: float
    """When no further request is begun; one that may have been cut off is finished all the same."""
    seen: dict[tuple[str, str], Sequence[Mapping[str, object]]] = field(default_factory=dict)
    waiting: set[tuple[str, str]] = field(default_factory=set)
    counts: Counter[str] = field(default_factory=Counter)
    faults: list[BaseException] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    ended: int = 0
    """How many requests have ended so far, whichever way."""

    @property
    def left(self) -> bool:
        return any(self.todo.values()) and not self.faults

    def ask(self, name: str, server: "Server", key: str, price: str) -> None:
        """One program of an analyst, until her list is done or the server is gone. What is wrong is told at the end."""
        try:
            with suppress(LedgerUnreachable):
                table = server.connected(key)
                self._all(name, table, table.plan(QUESTION, epsilon=price), server)
        except BaseException as fault:  # A thread has nobody to raise it to.
            self.faults.append(fault)

    def after(self, requests: int, seconds: float, server: "Server", do: Callable[[], None]) -> None:
        """Do something when so many more requests have ended, and so many seconds later; not if the server is gone."""
        goal = self.ended + requests
        while self.ended < goal and not server.raised.gone:
            time.sleep(0.002)
        time.sleep(seconds)
        do()

    def every(self, requests: int) -> Callable[[], bool]:
        """Whether so many more requests have ended since this was last so."""
        goal = self.ended + requests

        def due() -> bool:
            nonlocal goal
            if self.ended < goal:
                return False
            goal = self.ended + requests
            return True

        return due

    def _all(self, name: str, table: RemoteTable, plan: "bn.release.Plan", server: "Server") -> None:
        todo = self.todo[name]
        while todo and not self.faults:
            if time.monotonic() > self.ends:
                with self.lock:
                    while len(todo) > 1:
                        todo.pop()
            try:
                key = todo[0]
                found = table.release(plan, key=key).table
            except IndexError:  # Her other program was quicker.
                return
            except LedgerUnreachable:
                if server.raised.gone:
                    raise
                self.counts["refused while the database was away"] += 1
                time.sleep(0.02)
                continue
            except bn.BudgetExceeded:
                with self.lock:
                    self.waiting.add((name, key))
            else:
                with self.lock:
                    assert self.seen.setdefault((name, key), found) == found, "an answer changed"
            with self.lock:
                self.ended += 1
                if todo and todo[0] == key:
                    todo.popleft()


def drill(
    folder: Path,
    *,
    requests: int,
    chance: random.Random,
    epsilon: str = "0.3",
    price: str = "0.05",
    between: int = 6,
    database: str = "",
    seconds: float = math.inf,
) -> Counter[str]:
    """Ask so often, killing as we go; raise where something was paid and not given, or given and not paid.

    The analysts ask at once, and one of them by two programs, which send the same request at the same moment. A server
    lives for at most `between` requests and a moment more. After so many seconds no further request is sent, and what
    was done is judged.
    """
    port = free_port()
    keys = prepared(folder, port, epsilon, database)
    todo = {name: deque(f"request-{place}" for place in range(turn, requests, 3)) for turn, name in enumerate(ANALYSTS)}
    work, passwords = Work(todo, time.monotonic() + seconds), Passwords("ben", PASSWORD)
    nursery = Nursery(*MODULES)
    while work.left:
        server = Server(folder, port, nursery)
        work.counts["kills"] += 1
        ending = [threading.Thread(target=work.after, args=(*_moment(chance, between), server, server.kill))]
        if database and chance.random() < 0.5:
            work.counts["kills of the database"] += 1
            end = _quietly(kill_database, database)
            ending.append(threading.Thread(target=work.after, args=(*_moment(chance, between), server, end)))
        asking = [
            threading.Thread(target=work.ask, args=(name, server, keys[name], price))
            for name in (*ANALYSTS, ANALYSTS[-1])
        ]
        for each in ending + asking:
            each.start()
        changing = passwords.again_and_again(server.address, work.every(chance.randint(2, max(2, between // 3))))
        for each in asking:
            each.join()
        server.kill()
        changing()
        for each in ending:
            each.join()
        if database:
            wait_for(database)
    if work.faults:
        nursery.close()
        raise work.faults[0]
    _check(folder, port, nursery, keys, work, price, passwords)
    nursery.close()
    counts = work.counts
    counts.update(requests=len(work.seen) + len(work.waiting), charges=len(work.seen), waiting=len(work.waiting))
    counts.update({"changed passwords": len(passwords.ended), "of them cut off": passwords.cut_off})
    counts["seconds of processor"] = round(nursery.processor_seconds)
    return counts


def _check(
    folder: Path,
    port: int,
    nursery: Nursery,
    keys: dict[str, str],
    work: Work,
    price: str,
    passwords: Passwords,
) -> None:
    """Everything once more, after a last start."""
    seen, waiting = work.seen, work.waiting
    assert not set(seen) & waiting, "a request waits that was answered"
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


def _moment(chance: random.Random, between: int) -> tuple[int, float]:
    """When something happens: after how many requests, and how many seconds later, somewhere within the next ones."""
    return chance.randint(0, between), 0.15 * chance.random() ** 2


def _quietly(do: Callable[[str], None], database: str) -> Callable[[], None]:
    """The same, where what it meets may be gone already."""

    def done() -> None:
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
    parser.add_argument("--between", type=int, default=120, help="Requests between two kills, at most.")
    parser.add_argument("--minutes", type=float, default=math.inf, help="Judge what was done after so long.")
    asked = parser.parse_args()
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=in_memory())))
        database = stack.enter_context(postgres_server(in_memory())) if asked.postgres else ""
        # Small charges add up like their squares, so two thirds of what each asks fit her share, and the rest waits.
        began, price = time.monotonic(), f"{0.1 / (4 * math.sqrt(1 + 4 * asked.requests / 15)):.9f}"
        counts = drill(
            place,
            requests=asked.requests,
            chance=random.Random(asked.seed),
            price=price,
            epsilon="0.1",
            between=asked.between,
            database=database,
            seconds=60 * asked.minutes,
        )
        print(f"{dict(counts)} in {time.monotonic() - began:.0f} s; seed {asked.seed}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
