"""Charge a ledger from many processes and kill them with signal 9, again and again, at moments they cannot foresee.

Run as a program: python -m tests.kills ADDRESS FOLDER KILLS SEED EPSILON. Each worker writes down what it is about to
charge before it does, and what it was answered afterwards, in a file of its own that outlives it. A kill may tear its
last line, since a write that crosses a page is not one step; a torn line says nothing.
"""

import os
import random
import signal
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import banister as bn

AT_ONCE = 8


def work(address: str, log: Path, name: str, epsilon: bn.Guarantee) -> None:
    """Charge until killed, writing down each attempt and its outcome."""
    handle = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    ledger = bn.Ledger.open(address)
    number = 0
    while True:
        number += 1
        label = f"{name}-{number}"
        os.write(handle, f"try {label}\n".encode())
        try:
            ledger.charge(epsilon, label=label, neighbours=bn.Neighbours.REPLACE)
            os.write(handle, f"got {label}\n".encode())
        except bn.BudgetExceeded:
            os.write(handle, f"no {label}\n".encode())
            time.sleep(0.002)


def kill_many(address: str, folder: Path, kills: int, seed: int, epsilon: bn.Guarantee) -> None:
    """Start workers in rounds and kill every one of them, in some rounds all at the same moment."""
    bn.Ledger.open(address).close()  # Loads what a worker needs, so that it is not killed while loading.
    chance = random.Random(seed)
    done = 0
    while done < kills:
        workers = []
        for place in range(min(AT_ONCE, kills - done)):
            child = os.fork()
            if child == 0:
                try:
                    work(address, folder / f"log-{done + place}", f"{seed}-{done + place}", epsilon)
                finally:
                    os._exit(1)  # Only an error ends a worker by itself.
            workers.append(child)
        together = chance.random() < 0.5
        time.sleep(chance.uniform(0.01, 0.08))
        for worker in workers:
            os.kill(worker, signal.SIGKILL)
            time.sleep(0 if together else chance.uniform(0, 0.004))
        for worker in workers:
            if os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1]) != -signal.SIGKILL:
                sys.exit("a worker ended by itself")
        done += len(workers)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the workers wrote down, all together."""

    tried: set[str]
    answered: set[str]
    refused: set[str]


def outcome(folder: Path) -> Outcome:
    lines = [line for log in folder.glob("log-*") for line in log.read_text().splitlines(keepends=True)]
    words = [line.split() for line in lines if line.endswith("\n")]
    told = {kind: {label for word, label in words if word == kind} for kind in ("try", "got", "no")}
    return Outcome(told["try"], told["got"], told["no"])


def check(ledger: bn.Ledger, seen: Outcome) -> int:
    """No charge lost, none doubled, none refused and yet written; the chain whole. Gives the number of charges."""
    labels = Counter(entry.label for entry in ledger.history())
    written = set(labels)
    assert all(times == 1 for times in labels.values()), "a charge was doubled"
    assert seen.answered <= written, "a charge was answered and is not in the ledger"
    assert written <= seen.tried, "the ledger holds a charge that nobody made"
    assert not written & seen.refused, "a charge was refused and yet written"
    charges, _ = ledger.verify()
    assert charges == len(written)
    return charges


if __name__ == "__main__":
    kill_many(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), bn.Guarantee(sys.argv[5]))
