"""What privacy costs beside the plain query: ratios to DuckDB's own time, in one run, on a generated table.

    python -m bench.tables [rows] [people] [--peers]

The table has 100 groups; defaults are 10 million rows and 1 million people. Each time is the least of several runs, and
the ratios of the middle ones follow, ours and plain in turn; on a shared machine the ratio of processor time is the one
to read. A release includes compiling the question, adding up, drawing and intervals; the ledger's charge is left out
(bench/ledger.py has it).
"""

import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from statistics import median

import duckdb
import numpy as np

import bench.peers
from banister.questions.reading.parser import read_questions
from banister.release.aggregates import ALL
from banister.release.planning.planner import Plan, plan_release
from banister.release.planning.request import PlanRequest
from banister.release.run import _add_up, _draw, works
from banister.release.sources.duckdb import DuckDBSource
from banister.sampling.bits import SYSTEM
from banister.tables.schema import Schema

REPEATS = 7
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
    found = read_questions(question, schema, aggregates=ALL)
    return plan_release(PlanRequest.of(found, epsilon=1, delta=Fraction(1, 10**6)), schema)


@dataclass(frozen=True, slots=True, order=True)
class Took:
    """The times of a job by the clock, and by the processor, which counts both cores."""

    walls: tuple[float, ...]
    cpus: tuple[float, ...]

    @property
    def wall(self) -> float:
        """The least time by the clock."""
        return min(self.walls)

    @property
    def cpu(self) -> float:
        """The least time of the processor."""
        return min(self.cpus)


def best(*jobs: Callable[[], object]) -> list[Took]:
    """The times of each job, the jobs taken in turn."""
    found: list[list[tuple[float, float]]] = [[] for _ in jobs]
    for _ in range(REPEATS):
        for took, job in zip(found, jobs, strict=True):
            start, used = time.perf_counter(), time.process_time()
            job()
            took.append((time.perf_counter() - start, time.process_time() - used))
    return [Took(*zip(*took, strict=True)) for took in found]


def release_of(plan: Plan, folder: Path) -> Callable[[], object]:
    """A release; with an index where one is kept in the folder."""
    source = DuckDBSource(plan.schema, folder=folder, frames={}, index=folder / "index")

    def job() -> object:
        part = plan.parts[0]
        return _draw(part, _add_up(part, source, SYSTEM), plan.confidence, SYSTEM)

    return job


def say(name: str, took: Took, plain: Took) -> None:
    """One row: the time, and its ratios to the plain query's."""
    print(
        f"{name:52s} {took.wall:7.3f} s   {took.wall / plain.wall:5.1f} x plain ({plain.wall:.3f} s), "
        f"{took.cpu / plain.cpu:5.1f} x its processor time; middle {median(took.walls) / median(plain.walls):5.1f} x, "
        f"{median(took.cpus) / median(plain.cpus):5.1f} x",
        flush=True,
    )


def compare(name: str, plain: str, plans: dict[str, Plan], folder: Path) -> dict[str, float]:
    """Rows for some plans beside one plain query."""
    connection = duckdb.connect()
    times = best(lambda: connection.execute(plain).fetchall(), *(release_of(plan, folder) for plan in plans.values()))
    for (label, _), took in zip(plans.items(), times[1:], strict=True):
        say(f"{name}, {label}", took, times[0])
    return {label: took.wall for label, took in zip(plans, times[1:], strict=True)}


def indexed(plain: str, folder: Path) -> None:
    """People with many rows: an index is made, and then serves one and five groups each."""
    connection = duckdb.connect()
    (quick,) = best(lambda: connection.execute(plain).fetchall())
    plans = {groups: planned(QUESTION, person=people(groups)) for groups in (1, 5)}
    for groups, plan in plans.items():
        source = DuckDBSource(plan.schema, folder=folder, frames={}, index=folder / "index")
        start, used = time.perf_counter(), time.process_time()
        source.listed.make(works(plan.parts[0], SYSTEM)[0])
        if groups == 1:
            once = Took((time.perf_counter() - start,), (time.process_time() - used,))
            say("making the index", once, quick)
        compare(f"people, {groups} groups each", plain, {"index": plan}, folder)


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


TWO, THREE = "COUNT(*), SUM(v)", "COUNT(*), SUM(v), AVG(v)"
QUESTION = f"SELECT g, {TWO} FROM data GROUP BY g"


def people(groups: int) -> str:
    """The declaration of people with many rows who count in so many groups."""
    return f'person = "person"\nrows = 3\ngroups = {groups}'


ENGINE_ALONE = """
import duckdb, json, pathlib, re, sys
connection = duckdb.connect()
connection.execute("SET enable_progress_bar = false")
connection.execute(f"CREATE VIEW data AS SELECT * FROM '{sys.argv[1]}/rows.parquet'")
for query in json.loads(pathlib.Path(sys.argv[1], "queries.json").read_text()):
    connection.execute(query).fetchall()
print(int(re.search(r"VmHWM:\\s+(\\d+)", pathlib.Path("/proc/self/status").read_text())[1]) / 1024)
"""


def memory(folder: Path) -> None:
    """The peak of a process that releases, beside a process in which DuckDB answers the very same queries alone."""
    for label, person in (("a row is a person", ""), ("1 group each", people(1)), ("5 groups each", people(5))):
        ours = _output("-m", "bench.tables", "--peak", str(folder), person)
        engine = _output("-c", ENGINE_ALONE, str(folder))
        print(
            f"{'memory, ' + label:52s} {ours:7.0f} MB   {ours - engine:+5.0f} MB beyond the engine's own ({engine:.0f})"
        )


def _output(*arguments: str) -> float:
    return float(subprocess.run([sys.executable, *arguments], check=True, capture_output=True, text=True).stdout)


def _peak(folder: Path, person: str) -> None:
    """Release, keep the queries for the engine alone, and print the peak memory of this process."""
    plan = planned(QUESTION, person=person)
    source = DuckDBSource(plan.schema, folder=folder, frames={})
    seen: list[str] = []
    run = source._run
    source._run = lambda query: (seen.append(query), run(query))[1]  # type: ignore[method-assign,func-returns-value]
    _draw(plan.parts[0], _add_up(plan.parts[0], source, SYSTEM), plan.confidence, SYSTEM)
    (folder / "queries.json").write_text(json.dumps(seen))
    # Not ru_maxrss: that remembers the parent from before the program was loaded.
    found = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())
    print(int(found[1]) / 1024 if found else 0)


def peers(folder: Path) -> None:
    """OpenDP on the same file, in an environment of its own; the ratio is to plain DuckDB there and then."""
    found = bench.peers.measure("peer_tables.py", ["duckdb", "opendp[polars]"], str(folder / "rows.parquet"))
    for label, (theirs, plain) in found.items():
        say(f"opendp, {label}", Took(*zip(*theirs, strict=True)), Took(*zip(*plain, strict=True)))


def main() -> None:
    """Print every row of the table."""
    if sys.argv[1:2] == ["--peak"]:
        _peak(Path(sys.argv[2]), sys.argv[3])
        return
    sizes = [int(argument) for argument in sys.argv[1:] if argument.isdigit()]
    rows, persons = sizes if len(sizes) == 2 else (10_000_000, 1_000_000)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make(folder / "rows.parquet", rows, persons)
        print(f"{rows} rows, {persons} people, 100 groups")
        table = f"'{folder}/rows.parquet'"
        plain = f"SELECT g, {TWO} FROM {table} GROUP BY g"
        plans = {"declared keys": planned(QUESTION), "unknown keys": planned(QUESTION, values="")}
        _unknown_over_declared(compare("COUNT + SUM", plain, plans, folder))
        mean = planned(f"SELECT g, {THREE} FROM data GROUP BY g")
        compare("COUNT + SUM + AVG", f"SELECT g, {THREE} FROM {table} GROUP BY g", {"declared keys": mean}, folder)
        bounded = {
            "declared keys": planned(QUESTION, person=people(1)),
            "unknown keys": planned(QUESTION, person=people(1), values=""),
        }
        _unknown_over_declared(compare("people, 1 group each", plain, bounded, folder))
        compare("people, 5 groups each", plain, {"declared keys": planned(QUESTION, person=people(5))}, folder)
        some = f"SELECT g, {TWO} FROM {{}} WHERE v >= 10 GROUP BY g"
        filtered = {f"a filter, {n} groups": planned(some.format("data"), person=people(n)) for n in (1, 5)}
        compare("people, no index", some.format(table), filtered, folder)
        window = (
            f"SELECT g, {TWO} FROM (SELECT g, v, row_number() OVER (PARTITION BY person ORDER BY hash(v, g)) AS k "
            f"FROM {table}) WHERE k <= 3 GROUP BY g"
        )
        connection = duckdb.connect()
        quick, slow = best(lambda: connection.execute(plain).fetchall(), lambda: connection.execute(window).fetchall())
        say("plain window query (3 rows a person)", slow, quick)
        indexed(plain, folder)
        start = time.perf_counter()
        plan = planned("SELECT wide, COUNT(*), AVG(v) FROM data GROUP BY wide")
        plan.parts[0].forecasts(10, 0.95)
        print(f"{'planning a question of one million cells':52s} {time.perf_counter() - start:7.3f} s")
        errors(folder)
        memory(folder)
        if bench.peers.wanted():
            peers(folder)


def _unknown_over_declared(found: dict[str, float]) -> None:
    print(f"{'unknown over declared keys':52s} {found['unknown keys'] / found['declared keys']:7.2f} x")


if __name__ == "__main__":
    main()
