"""Release under a key, killed with signal 9 at every step in turn, and asked again.

Run as a program: python -m tests.release.kept_kills FOLDER. A step is a call that changes what is on disk, or a
statement of the ledger's database; the child counts them and kills itself before one of them, in each round before a
later one, until it lives to the end. Each round says on one line how many calls were made, what the first child had
written when it died, and what the two that came after it wrote.
"""

import json
import os
import signal
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pandas as pd

import banister as bn
from banister.release import run  # noqa: F401
from banister.release.answering import keeping  # noqa: F401
from banister.release.planning.plan import Plan
from banister.release.sources import duckdb  # noqa: F401

STEPS = ("open", "link", "replace", "unlink", "fsync", "fdatasync", "mkdir")
SCHEMA = """
[source]
table = "t.parquet"
neighbours = "add-remove"
[budget]
epsilon = 1.0
delta = 1e-6
ledger = "here.ledger"
[columns]
g = { kind = "category", values = ["a", "b"] }
"""


def die_before(number: int) -> None:
    """Count the calls that change a disk, and end this process, as a power cut would, before the one of that number."""
    made = 0

    def counted(call: Callable[..., object]) -> Callable[..., object]:
        def wrapped(*args: object, **words: object) -> object:
            nonlocal made
            made += 1
            if made == number:
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*args, **words)

        return wrapped

    for name in STEPS:
        setattr(os, name, counted(getattr(os, name)))

    class Counted(sqlite3.Connection):
        """A connection whose every statement is a step too; Python cannot look into what SQLite does for one."""

        execute = counted(sqlite3.Connection.execute)  # type: ignore[assignment]

    connect = sqlite3.connect
    sqlite3.connect = lambda *args, **words: connect(*args, **words, factory=Counted)  # type: ignore[assignment]


def ask(folder: Path, outs: list[Path], *, number: int = 0) -> int:
    """Release in a child, into each file in turn, which dies before a step; gives its exit code, or minus the signal
    that ended it."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            health, plan = planned(folder)
            health.source()
            die_before(number)
            for out in outs:
                health.release(plan, key="june").write(out)
            code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def planned(folder: Path) -> tuple[bn.Dataset, Plan]:
    health = bn.open(folder / "here.toml", data=pd.DataFrame({"g": ["a", "b", "b"]}))
    return health, health.plan("SELECT g, COUNT(*) AS n FROM data GROUP BY g", epsilon="0.7")


def charges(ledger: Path) -> int:
    """How often the ledger was charged, read without banister."""
    with closing(sqlite3.connect(ledger)) as connection:
        return int(connection.execute("SELECT max(sequence) FROM line").fetchone()[0])


def main(folder: Path) -> None:
    first, number = -1, 0
    while first:
        number += 1
        place = folder / str(number)
        place.mkdir()
        (place / "here.toml").write_text(SCHEMA)
        health, _ = planned(place)  # Loads what a child needs; an engine must not be open across a fork.
        health.create_ledger().close()
        outs = [place / f"{name}.json" for name in ("first", "second", "third")]
        first = ask(place, outs[:1], number=number)
        paid = charges(place / "here.ledger")
        again = ask(place, outs[1:])
        texts = [out.read_text() if out.exists() else "" for out in outs]
        print(json.dumps([first, paid, again, texts, charges(place / "here.ledger")]), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
