"""How many charges a second a ledger takes: durable ones, from 16 processes at once, with exact totals.

Side by side in one run: our wait for the disk after the lock is given back, the usual wait inside the lock
(synchronous=FULL), and how often this disk can sync at all, one after the other.
"""

import multiprocessing
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import banister as bn
from banister.accounting.stores import sqlite

PROCESSES = 16
CHARGES = 300
REPEATS = 3


def _charge(address: str) -> None:
    with bn.Ledger.open(address) as ledger:
        for _ in range(CHARGES):
            ledger.charge(bn.Guarantee("1/1000000"), label="bench", neighbours=bn.Neighbours.REPLACE)


def charges_per_second(address: str, processes: int) -> float:
    """Charge a new ledger from so many processes, check its totals, and give the rate."""
    terms = {"budget": bn.Guarantee(1), "neighbours": bn.Neighbours.REPLACE, "questions": bn.AsYouGo()}
    bn.Ledger.create(address, **terms).close()  # type: ignore[arg-type]
    workers = [multiprocessing.get_context("fork").Process(target=_charge, args=(address,)) for _ in range(processes)]
    start = time.perf_counter()
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    seconds = time.perf_counter() - start
    with bn.Ledger.open(address) as ledger:
        charges, _ = ledger.verify()
        assert charges == processes * CHARGES, "a charge was lost"
        assert ledger.history()[-1].totals[1] == Fraction(charges, 10**6), "the total is not exact"
    return charges / seconds


def syncs_per_second(folder: Path) -> float:
    """How often one process can write 4 KiB and sync it."""
    handle = os.open(folder / "sync", os.O_RDWR | os.O_CREAT)
    start = time.perf_counter()
    for _ in range(100):
        os.pwrite(handle, bytes(4096), 0)
        os.fdatasync(handle)
    seconds = time.perf_counter() - start
    os.close(handle)
    return 100 / seconds


@contextmanager
def waiting_inside_the_lock() -> Iterator[None]:
    """The usual way, for comparison: SQLite itself waits for the disk before it gives back the lock."""
    usual, waited = sqlite.SYNCHRONOUS, sqlite._to_disk
    sqlite.SYNCHRONOUS, sqlite._to_disk = "FULL", lambda log: None
    try:
        yield
    finally:
        sqlite.SYNCHRONOUS, sqlite._to_disk = usual, waited


def on_a_server(show: Callable[[str, list[float]], None]) -> None:
    """The same on PostgreSQL, where a server can be started."""
    from tests.postgres import server

    with server() as address:
        rates = [charges_per_second(f"{address}#bench-{turn}", PROCESSES) for turn in range(REPEATS)]
    show(f"PostgreSQL, {PROCESSES} processes", rates)


def main() -> None:
    """Print charges a second, the median of some repeats with their range."""
    print(f"Durable charges a second ({PROCESSES} processes, {CHARGES} charges each, median of {REPEATS})")

    def show(name: str, rates: list[float]) -> None:
        print(f"  {name:<46} {statistics.median(rates):7.0f}   [{min(rates):.0f}, {max(rates):.0f}]")

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ours, strict, alone, syncs = [], [], [], []
        for turn in range(REPEATS):
            syncs.append(syncs_per_second(folder))
            ours.append(charges_per_second(str(folder / f"ours-{turn}.ledger"), PROCESSES))
            with waiting_inside_the_lock():
                strict.append(charges_per_second(str(folder / f"full-{turn}.ledger"), PROCESSES))
            alone.append(charges_per_second(str(folder / f"alone-{turn}.ledger"), 1))
    show("syncs of this disk, one after the other", syncs)
    show(f"file, {PROCESSES} processes", ours)
    show(f"file, {PROCESSES} processes, wait inside the lock", strict)
    show("file, 1 process", alone)
    ratios = [a / b for a, b in zip(ours, strict, strict=True)]
    print(f"  ours over the wait inside the lock: {statistics.median(ratios):.1f} times; totals exact in every run")
    on_a_server(show)


if __name__ == "__main__":
    main()
