"""People with many rows on PostgreSQL: a release's exact work with and without an index, over the plain query.

Run as a program: python -m bench.postgres_index --rows 1000000. It starts a server of its own on loopback. Processor
time is that of this process and of the server's, which its own process is told when a connection ends. Large tables
take minutes without an index: --indexed leaves that out, --groups says which bounds are measured.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psycopg
from tests.postgres import server

from banister.release import make_index
from banister.release import open as open_dataset
from banister.release.planning.planner import plan_release
from banister.release.planning.request import PlanRequest
from banister.release.run import works
from banister.sampling.bits import SYSTEM

SQL = "SELECT g, COUNT(*) AS n, SUM(x) AS s FROM data GROUP BY g"
PLAIN = "SELECT g, COUNT(*) AS n, SUM(x) AS s FROM visits GROUP BY g"
GROUPS = 100
REPEAT = 5


@dataclass(frozen=True, slots=True)
class Took:
    """A time by the clock, and by the processors of both sides."""

    wall: float
    cpu: float

    def over(self, plain: "Took") -> str:
        """Both as ratios."""
        return f"{self.wall / plain.wall:.2f} x ({self.cpu / plain.cpu:.2f} x of processors)"


def took(act: Callable[[], object], server_pid: int, repeat: int = REPEAT) -> Took:
    """The least times of a few runs, after one that is not counted; of a single run where that is all that is asked."""
    if repeat > 1:
        act()
    found = []
    for _ in range(repeat):
        start, used = time.perf_counter(), time.process_time() + _served(server_pid)
        act()
        wall = time.perf_counter() - start
        time.sleep(0.2)  # The server hears of a connection's end a moment later.
        found.append((wall, time.process_time() + _served(server_pid) - used))
    return Took(*(min(each) for each in zip(*found, strict=True)))


def _served(server_pid: int) -> float:
    """Seconds of processor time of all processes of the server that have ended."""
    fields = Path(f"/proc/{server_pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")


def measure(address: str, rows: int, groups: int, folder: Path, *, indexed: bool) -> None:
    names = ", ".join(f'"g{i}"' for i in range(GROUPS))
    (folder / "visits.toml").write_text(
        f'[source]\ntable = "{address}"\nname = "visits"\nperson = "who"\nneighbours = "add-remove"\nrows = 3\n'
        f'groups = {groups}\n[budget]\nepsilon = 1\nledger = "visits{groups}.ledger"\n[columns]\n'
        f'g = {{ kind = "category", values = [{names}] }}\nx = {{ kind = "integer", range = [0, 50] }}\n'
    )
    dataset = open_dataset(folder / "visits.toml")
    plan = plan_release(PlanRequest.of(dataset.questions(SQL), epsilon=1), dataset.schema)

    def release() -> object:
        return dataset.source().totals(works(plan.parts[0], SYSTEM)[0])

    def plain() -> object:
        with psycopg.connect(address) as connection:
            return connection.execute(PLAIN).fetchall()

    with psycopg.connect(address) as connection:
        pid = int(str(connection.execute("SELECT pg_read_file('postmaster.pid')").fetchall()[0][0]).split()[0])
    base = took(plain, pid)
    print(f"{rows} rows, {groups} groups a person: plain {base.wall:.3f} s, {base.cpu:.3f} s of processors")
    if not indexed:
        print(f"   without an index {took(release, pid, 1).over(base)}", flush=True)
    print(f"   making it {took(lambda: make_index(dataset, SQL), pid, 1).over(base)}", flush=True)
    print(f"   with it {took(release, pid).over(base)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--groups", type=int, nargs="*", default=[1, 5])
    parser.add_argument("--indexed", action="store_true")
    asked = parser.parse_args()
    rows = asked.rows
    with server() as address, tempfile.TemporaryDirectory() as folder:
        with psycopg.connect(address) as connection:
            connection.execute("CREATE TABLE visits (who BIGINT, g TEXT, x INTEGER)")
            connection.execute(
                "INSERT INTO visits SELECT (random() * %s)::bigint, 'g' || floor(random() * %s)::int, "
                "floor(random() * 51)::int FROM generate_series(1, %s)",
                (rows // 10, GROUPS, rows),
            )
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute("VACUUM ANALYZE visits")
        for groups in asked.groups:
            measure(address, rows, groups, Path(folder), indexed=asked.indexed)


if __name__ == "__main__":
    main()
