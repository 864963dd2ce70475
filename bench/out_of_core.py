"""Tables larger than memory: releases about people with many rows from DuckDB held to 4 GB, at several sizes.

    python -m bench.out_of_core [rows ...] [--sql]

Without sizes it does nothing, as these take minutes. Each is made by DuckDB as a Parquet file of ten rows a person and
100 groups, in a process of its own, and read in others, of which the peak is printed: the plain query, a release
without an index, making an index, a release with it, and with --sql the engine's own windows, which spill to disk.
DuckDB is told 2 GB, so that the arrays beside it have the rest. The slopes are what a larger table is planned with.
"""

import json
import re
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

from banister.release.run import works
from banister.release.sources.duckdb import DuckDBSource
from banister.sampling.bits import SYSTEM
from bench.tables import QUESTION, make, people, planned

ENGINE = "2GB"
LIMIT_MB = 4096
STEPS = ("plain", "no index", "making an index", "index")


def step(name: str, folder: Path) -> dict[str, float]:
    """One of the steps in this process: seconds by the clock and the processor, and the peak in MB."""
    plan = planned(QUESTION, person=people(5))
    index = folder / "index" if "index" in name and name != "no index" else None
    source = DuckDBSource(plan.schema, folder=folder, frames={}, index=index)
    source._run(f"SET memory_limit = '{ENGINE}'")
    source._run(f"SET temp_directory = '{folder / 'spilled'}'")
    work = works(plan.parts[0], SYSTEM)[0]
    start, used = time.perf_counter(), time.process_time()
    match name:
        case "plain":
            source._run('SELECT g, COUNT(*), SUM(v) FROM "data" GROUP BY g').fetchall()
        case "making an index":
            source.listed.make(work)
        case "windows in SQL":
            source._added_up(work, source._names, source._types)
        case _:
            source.totals(work)
    found = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())
    return {
        "wall": time.perf_counter() - start,
        "cpu": time.process_time() - used,
        "peak": int(found[1]) / 1024 if found else 0,
    }


def measure(rows: int, steps: tuple[str, ...]) -> dict[str, dict[str, float]]:
    """Every step for one size, each in a process of its own."""
    found = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([sys.executable, "-m", "bench.out_of_core", "--make", str(folder), str(rows)], check=True)
        size = (folder / "rows.parquet").stat().st_size / 2**20
        print(f"{rows} rows, {rows // 10} people, {size:.0f} MB")
        for one in steps:
            command = [sys.executable, "-m", "bench.out_of_core", "--step", one, str(folder)]
            output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            found[one] = took = json.loads(output)
            ratio = took["cpu"] / found["plain"]["cpu"]
            print(
                f"   {one:16s} {took['wall']:8.1f} s, {took['cpu']:8.1f} s of processor = {ratio:5.1f} x plain, "
                f"peak {took['peak']:6.0f} MB of {LIMIT_MB}",
                flush=True,
            )
    return found


def main() -> None:
    """Measure the sizes that were asked for."""
    if sys.argv[1:2] == ["--step"]:
        print(json.dumps(step(sys.argv[2], Path(sys.argv[3]))))
        return
    if sys.argv[1:2] == ["--make"]:
        make(Path(sys.argv[2], "rows.parquet"), int(sys.argv[3]), int(sys.argv[3]) // 10)
        return
    steps = (*STEPS, *(["windows in SQL"] if "--sql" in sys.argv else []))
    sizes = [int(word) for word in sys.argv[1:] if word.isdigit()]
    found = {rows: measure(rows, steps) for rows in sizes}
    for low, high in pairwise(sizes):
        for one in steps:
            a, b = found[low][one], found[high][one]
            per = 1e9 / (high - low)
            print(
                f"{one:16s} {low} to {high}: {(b['cpu'] - a['cpu']) * per:8.0f} s of processor and "
                f"{(b['peak'] - a['peak']) * per / 1024:6.1f} GB of memory for 10^9 rows more"
            )


if __name__ == "__main__":
    main()
