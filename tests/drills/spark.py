"""Every question on a Spark of several workers, or through Spark Connect: the whole numbers that DuckDB gives.

    python -m tests.drills.spark --on workers
    python -m tests.drills.spark --on connect

`workers` starts two executors in processes of their own (`local-cluster[2, 1, 1024]`) and tables of four partitions, so
that people's rows meet only through a shuffle. `connect` starts a server for Spark Connect on loopback and asks through
it, with nothing of Spark in this process; it needs pyspark[connect]. The questions are those of the suite, about people
and about rows, on the fixed table and on random ones.
"""

import argparse
import os
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from tests.release.sources.places import TABLES, in_duckdb, in_spark, random_tables, schema
from tests.release.sources.test_conformance import PERSON_QUESTIONS, ROW_QUESTIONS, exact

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOOPBACK = "127.0.0.1"


def workers() -> "SparkSession":
    """A session on two executors, each a process with one core and 1024 MB."""
    from pyspark.sql import SparkSession

    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "4",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.log.level": "OFF",
        "spark.executor.memory": "1024m",
        "spark.driver.bindAddress": LOOPBACK,
        "spark.driver.host": LOOPBACK,
    }
    builder = SparkSession.builder.master("local-cluster[2,1,1024]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def connect() -> "SparkSession":
    """A session that speaks to a server of its own through Spark Connect."""
    from pyspark.sql import SparkSession

    settings = {
        "spark.connect.grpc.binding.address": LOOPBACK,
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.session.timeZone": "UTC",
        "spark.ui.enabled": "false",
        "spark.log.level": "OFF",
        "spark.driver.bindAddress": LOOPBACK,
        "spark.driver.host": LOOPBACK,
    }
    builder = SparkSession.builder.remote("local[2]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def compare(session: "SparkSession", seeds: int, questions: int | None) -> int:
    """Ask everything; how many questions gave the same. The first that does not ends the run."""
    asked = 0
    for person, questioned in ((True, PERSON_QUESTIONS), (False, ROW_QUESTIONS)):
        here = schema(person=person)
        for seed in range(seeds + 1):
            whole = random_tables(seed) if seed else TABLES
            given = whole if person else {"data": whole["data"]}
            with tempfile.TemporaryDirectory() as folder:
                duck = in_duckdb(here, given, Path(folder))
                spark = in_spark(here, given, session, partitions=4)
                for question in questioned[:questions]:
                    if exact(spark, here, question) != exact(duck, here, question):
                        raise SystemExit(f"Spark gives something else (table {seed}): {question}")
                    asked += 1
    return asked


def main() -> int:
    """Start a session, ask, and say how long it took."""
    parser = argparse.ArgumentParser(prog="python -m tests.drills.spark", description=__doc__)
    parser.add_argument("--on", choices=["workers", "connect"], required=True)
    parser.add_argument("--seeds", type=int, default=1, help="how many random tables besides the fixed one")
    parser.add_argument("--questions", type=int, default=None, help="only so many of the questions")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    os.environ["SPARK_LOCAL_IP"] = LOOPBACK  # Master, workers and driver: nothing listens beyond this machine.
    start = time.perf_counter()
    session = workers() if given.on == "workers" else connect()
    asked = compare(session, given.seeds, given.questions)
    session.stop()
    print(f"{asked} questions on {given.on}: all as DuckDB, in {time.perf_counter() - start:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
