"""A Spark session that is stopped while it works, and then asked again.

Run: python -m tests.release.sources.stopped FOLDER.
"""

import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import banister as bn
from tests.spark import build

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def stop_at_work(session: "SparkSession") -> None:
    """Stop it once it reads; a busy machine takes its time to come there."""
    tracker = session.sparkContext.statusTracker()
    while not tracker.getActiveStageIds():
        time.sleep(0.1)
    session.stop()


def main(folder: Path) -> None:
    session = build()
    endless = session.range(10**14).selectExpr("CAST(id % 11 AS INT) AS x")
    here = bn.open(folder / "here.toml", data=endless)
    here.create_ledger().close()
    plan = here.plan("SELECT COUNT(*) AS n FROM data WHERE x > 3", epsilon="0.5")
    here.source()
    threading.Thread(target=stop_at_work, args=[session], daemon=True).start()
    for again in (here, here, bn.open(folder / "here.toml", data=endless)):
        try:
            again.release(plan)
            print("answered")
        except bn.BanisterError as error:
            print(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
