"""People with many rows on PostgreSQL: a release's exact work with and without an index, over the plain query.

Run as a program: python -m bench.postgres_index --rows 1000000. It starts a server of its own on loopback.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
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


def seconds(act: Callable[[], object]) -> float:
    """The median wall time of a few runs, after one that is not counted: the server's work is in another process."""
    act()
    found = []
    for _ in range(REPEAT):
        start = time.perf_counter()
        act()
        found.append(time.perf_counter() - start)
    return statistics.median(found)


def measure(address: str, rows: int, groups: int, folder: Path) -> None:
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

    base = seconds(plain)
    without = time.perf_counter()
    release()
    without = time.perf_counter() - without
    making = time.perf_counter()
    make_index(dataset, SQL)
    making = time.perf_counter() - making
    with_index = seconds(release)
    print(
        f"{rows} rows, {groups} groups a person: plain {base:.3f} s; without an index {without / base:.1f} x, "
        f"making it {making / base:.1f} x, with it {with_index / base:.2f} x (wall)"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    rows = parser.parse_args().rows
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
        for groups in (1, 5):
            measure(address, rows, groups, Path(folder))


if __name__ == "__main__":
    main()
