"""What privacy costs beside the plain query: ratios to DuckDB's own time, in one run, on a generated table.

    python -m bench.tables [rows] [people]

The table has 100 groups; defaults are 10 million rows and 1 million people. Each time is the least of several runs,
ours and plain in turn. A release includes compiling the question, adding up, drawing and intervals; the ledger's
charge is left out (bench/ledger.py has it).
"""

import resource
import sys
import tempfile
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import duckdb
import numpy as np

from banister.engines.sql.duckdb import DuckDBSource
from banister.engines.sql.front import read_questions
from banister.recipes.plan_release import Plan, plan_release
from banister.recipes.release import _add_up, _draw
from banister.sampling.bits import SYSTEM
from banister.tables.schema import Schema

REPEATS = 5
SCHEMA = """
[source]
table = "rows.parquet"
{person}
neighbours = "add-remove"
[columns]
v = {{ kind = "integer", range = [0, 50], nulls = false }}
g = {{ kind = "category"{values} }}
wide = {{ kind = "integer", range = [0, 999999] }}
"""
VALUES = ", values = [" + ", ".join(f'"g{i:03d}"' for i in range(100)) + "]"


def make(path: Path, rows: int, people: int) -> None:
    """Rows of people in random order, each row in one of 100 groups."""
    duckdb.execute(
        f"COPY (SELECT (hash(i * 7 + 1) % {people})::BIGINT AS person, "
        "'g' || lpad((hash(i) % 100)::VARCHAR, 3, '0') AS g, (hash(i * 3) % 51)::INTEGER AS v, 0::INTEGER AS wide "
        f"FROM range({rows}) t(i)) TO '{path}' (FORMAT parquet)"
    )


def planned(question: str, *, person: str = "", values: str = VALUES) -> Plan:
    schema = Schema.of_text(SCHEMA.format(person=person, values=values))
    return plan_release(read_questions(question, schema), schema, epsilon=1, delta=Fraction(1, 10**6))


def best(*jobs: Callable[[], object]) -> list[float]:
    """The least time of each job, the jobs taken in turn."""
    found = [float("inf")] * len(jobs)
    for _ in range(REPEATS):
        for place, job in enumerate(jobs):
            start = time.perf_counter()
            job()
            found[place] = min(found[place], time.perf_counter() - start)
    return found


def release_of(plan: Plan, folder: Path) -> Callable[[], object]:
    source = DuckDBSource(plan.schema, folder=folder, frames={})

    def job() -> object:
        part = plan.parts[0]
        return _draw(part, _add_up(part, source, SYSTEM), plan.confidence, SYSTEM)

    return job


def compare(name: str, plain: str, plans: dict[str, Plan], folder: Path) -> dict[str, float]:
    connection = duckdb.connect()
    times = best(lambda: connection.execute(plain).fetchall(), *(release_of(plan, folder) for plan in plans.values()))
    for (label, _), seconds in zip(plans.items(), times[1:], strict=True):
        print(f"{name + ', ' + label:52s} {seconds:7.3f} s   {seconds / times[0]:5.1f} x plain ({times[0]:.3f} s)")
    return dict(zip(plans, times[1:], strict=True))


def errors(folder: Path) -> None:
    """Measured error of COUNT and SUM over theory, from many draws on the same totals."""
    plan = planned("SELECT g, COUNT(*) AS n, SUM(v) AS t FROM data GROUP BY g")
    part = plan.parts[0]
    source = DuckDBSource(plan.schema, folder=folder, frames={})
    exact = _add_up(part, source, SYSTEM)
    truth = duckdb.execute(f"SELECT count(*), sum(v) FROM '{folder}/rows.parquet' GROUP BY g ORDER BY g").fetchnumpy()
    columns = [np.asarray(values, dtype=np.float64) for values in truth.values()]
    squares = np.zeros(2)
    for _ in range(50):
        table = _draw(part, exact, 0.95, SYSTEM)
        squares += [np.mean((table.answers[n].values - c) ** 2) for n, c in zip(("n", "t"), columns, strict=True)]
    for name, square, foreseen in zip(("COUNT", "SUM"), squares / 50, part.forecasts(100_000, 0.95), strict=True):
        print(
            f"{name} error: measured {np.sqrt(square):.4g}, foreseen {foreseen.error:.4g}, "
            f"Laplace {foreseen.laplace:.4g}"
        )


def main() -> None:
    """Print every row of the table."""
    rows, people = (int(a) for a in (sys.argv[1:3] if len(sys.argv) > 2 else ("10000000", "1000000")))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make(folder / "rows.parquet", rows, people)
        print(f"{rows} rows, {people} people, 100 groups")
        table = f"'{folder}/rows.parquet'"
        two, three = "COUNT(*), SUM(v)", "COUNT(*), SUM(v), AVG(v)"
        declared = planned(f"SELECT g, {two} FROM data GROUP BY g")
        unknown = planned(f"SELECT g, {two} FROM data GROUP BY g", values="")
        found = compare(
            "COUNT + SUM",
            f"SELECT g, {two} FROM {table} GROUP BY g",
            {"declared keys": declared, "unknown keys": unknown},
            folder,
        )
        print(f"{'unknown over declared keys':52s} {found['unknown keys'] / found['declared keys']:7.2f} x")
        mean = planned(f"SELECT g, {three} FROM data GROUP BY g")
        compare("COUNT + SUM + AVG", f"SELECT g, {three} FROM {table} GROUP BY g", {"declared keys": mean}, folder)
        persons = {
            f"people, {groups} groups each": planned(
                f"SELECT g, {two} FROM data GROUP BY g", person=f'person = "person"\nrows = 3\ngroups = {groups}'
            )
            for groups in (1, 5)
        }
        compare("COUNT + SUM", f"SELECT g, {two} FROM {table} GROUP BY g", persons, folder)
        window = (
            f"SELECT g, {two} FROM (SELECT g, v, row_number() OVER (PARTITION BY person ORDER BY hash(v, g)) AS k "
            f"FROM {table}) WHERE k <= 3 GROUP BY g"
        )
        connection = duckdb.connect()
        plain, slow = best(
            lambda: connection.execute(f"SELECT g, {two} FROM {table} GROUP BY g").fetchall(),
            lambda: connection.execute(window).fetchall(),
        )
        print(f"{'plain window query (3 rows a person)':52s} {slow:7.3f} s   {slow / plain:5.1f} x plain")
        start = time.perf_counter()
        plan = planned("SELECT wide, COUNT(*), AVG(v) FROM data GROUP BY wide")
        plan.parts[0].forecasts(10, 0.95)
        print(f"{'planning a question of one million cells':52s} {time.perf_counter() - start:7.3f} s")
        errors(folder)
        print(f"peak memory of the whole run: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
