"""What a key costs: a release under one over a release without, in processor time, in turns in one run.

The table has 600 rows and three groups, so that the engine's own work hides as little as possible. Python's collection
of garbage is done between the releases: it falls upon whichever comes when it is due.
"""

import gc
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

import banister as bn

TURNS = 100
SCHEMA = """
[source]
table = "t.parquet"
neighbours = "add-remove"
[budget]
epsilon = 100.0
delta = 1e-6
ledger = "here.ledger"
[columns]
g = { kind = "category", values = ["a", "b", "c"] }
x = { kind = "integer", range = [0, 9] }
"""
QUESTION = "SELECT g, COUNT(*) AS n, SUM(x) AS s FROM data GROUP BY g"


def cpu_seconds(table: bn.Dataset, turns: int) -> tuple[list[float], list[float]]:
    """Processor time of releases without a key, and of as many under a new key each."""
    plan = table.plan(QUESTION, epsilon="1/1000")
    table.create_ledger().close()
    plain: list[float] = []
    keyed: list[float] = []
    for turn in range(turns + 5):
        order = ("", f"key {turn}")
        gc.collect()
        for key in order if turn % 2 else reversed(order):
            start = time.process_time()
            table.release(plan, key=key)
            (keyed if key else plain).append(time.process_time() - start)
    return plain[5:], keyed[5:]


def main() -> None:
    """Print both, and the median of their ratios with its quartiles."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "here.toml").write_text(SCHEMA)
        frame = pd.DataFrame({"g": ["a", "b", "c"] * 200, "x": np.arange(600) % 10})
        frame.to_parquet(folder / "t.parquet")
        gc.disable()
        plain, keyed = cpu_seconds(bn.open(folder / "here.toml"), TURNS)
    ratios = [with_key / without for with_key, without in zip(keyed, plain, strict=True)]
    low, middle, high = statistics.quantiles(ratios, n=4)
    print(f"A release of a small table, {TURNS} turns, processor time:")
    print(f"  without a key {1000 * statistics.median(plain):6.2f} ms")
    print(f"  under a key   {1000 * statistics.median(keyed):6.2f} ms")
    print(f"  with/without  {middle:6.3f}    [{low:.3f}, {high:.3f}]")


if __name__ == "__main__":
    main()
