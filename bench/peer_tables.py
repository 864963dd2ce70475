"""Runs in the peers' environment: OpenDP's Polars queries on a Parquet file, and plain DuckDB beside them.

Prints one line of JSON: for each question the seconds of every run of OpenDP and of DuckDB, taken in turn, each by the
clock and by the processor.
"""

import json
import sys
import time
from typing import Any


def timed(*jobs, repeats: int = 3) -> list[list[tuple[float, float]]]:
    found: list[list[tuple[float, float]]] = [[] for _ in jobs]
    for _ in range(repeats):
        for took, job in zip(found, jobs, strict=True):
            start, used = time.perf_counter(), time.process_time()
            job()
            took.append((time.perf_counter() - start, time.process_time() - used))
    return found


def main() -> None:
    import duckdb
    import opendp.prelude as dp
    import polars as pl

    dp.enable_features("contrib")
    path = sys.argv[1]
    connection = duckdb.connect()
    value: Any = pl.col("v").fill_null(0)
    total, mean = value.dp.sum((0, 50)), value.dp.mean((0, 50)).alias("mean")
    answers = {"COUNT + SUM": [dp.len(), total], "COUNT + SUM + AVG": [dp.len(), total, mean]}
    keys = pl.LazyFrame({"g": [f"g{place:03d}" for place in range(100)]}, schema={"g": pl.String})

    def release(unit, expressions, bound=None):
        context = dp.Context.compositor(
            data=pl.scan_parquet(path),
            privacy_unit=unit,
            privacy_loss=dp.loss_of(epsilon=1.0),
            split_evenly_over=1,
            margins=[dp.polars.Margin(max_length=20_000_000)],
        )
        query = context.query()
        if bound is not None:
            query = bound(query)
        return query.group_by("g").agg(*expressions).with_keys(keys).release().collect()

    plain = {
        "COUNT + SUM": f"SELECT g, COUNT(*), SUM(v) FROM '{path}' GROUP BY g",
        "COUNT + SUM + AVG": f"SELECT g, COUNT(*), SUM(v), AVG(v) FROM '{path}' GROUP BY g",
    }
    found = {}
    for name, expressions in answers.items():
        unit = dp.unit_of(contributions=1)
        found[name] = timed(
            lambda u=unit, e=expressions: release(u, e), lambda n=name: connection.execute(plain[n]).fetchall()
        )
    unit = dp.unit_of(contributions=1, identifier=pl.col("person"))
    for groups in (1, 5):

        def bound(query, k=groups):  # Its choice by chance fails with "multiple fields with name 'g'" (opendp 0.16.0).
            return query.truncate_num_groups(k, by=["g"], keep="first").truncate_per_group(3, by=["g"])

        found[f"people, {groups} groups each"] = timed(
            lambda b=bound: release(unit, answers["COUNT + SUM"], b),
            lambda: connection.execute(plain["COUNT + SUM"]).fetchall(),
            repeats=2,
        )
    print(json.dumps(found))


if __name__ == "__main__":
    main()
