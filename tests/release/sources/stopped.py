"""A Spark session that is stopped while it works, and then asked again.

Run: python -m tests.release.sources.stopped FOLDER.
"""

import sys
import threading
from pathlib import Path

import banister as bn
from tests.spark import build


def main(folder: Path) -> None:
    session = build()
    endless = session.range(10**14).selectExpr("CAST(id % 11 AS INT) AS x")
    here = bn.open(folder / "here.toml", data=endless)
    here.create_ledger().close()
    plan = here.plan("SELECT COUNT(*) AS n FROM data WHERE x > 3", epsilon="0.5")
    here.source()
    threading.Timer(2, session.stop).start()
    for again in (here, here, bn.open(folder / "here.toml", data=endless)):
        try:
            again.release(plan)
            print("answered")
        except bn.BanisterError as error:
            print(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
