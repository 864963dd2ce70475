"""Charge one ledger from many processes while others fork, daemonise, copy, hash, unlink, swap, link and roll it back.

Run as a program: python -m tests.drills.ledger --events 10000. What is promised, and judged at the end: while somebody
holds the ledger, whatever is done to the names of its files, and undone again, loses no charge that was granted and
grants none twice; so all granted ones stand in the ledger and never exceed the budget, and everything odd is refused
aloud. A log that is deleted for good is no loss either, as long as one of those who had it open can leave in peace. The
ledger has a witness, without which nobody who comes later can know that a file is an older one.

One charge in five has a key, and what is drawn for it is kept: nothing else may ever be given for it. Each worker
writes down what it was granted and showed, or which error it was told, in a file of its own. The trouble is made one
piece at a time, and the true file is put back after each, as an operator would; the workers never stop.
"""

import argparse
import hashlib
import os
import random
import shutil
import signal
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import banister as bn
from banister.accounting.kept import KeptRequest

REPLACE = bn.Neighbours.REPLACE
WORKERS = 16
KEYED = 0.2
"""The share of charges whose answer is kept under a key."""


@dataclass
class Stage:
    """Where it all takes place."""

    folder: Path
    charges: int
    """How many charges fit."""
    chance: random.Random
    done: Counter[str] = field(default_factory=Counter)
    service: bn.Ledger | None = None
    """Somebody who only looks. While nobody at all holds the ledger, a copy in its place gets the true log, as it
    should when both are restored; putting the file back without it is then behind the witness, and ends the drill."""

    @property
    def ledger(self) -> Path:
        return self.folder / "drill.ledger"

    @property
    def log(self) -> Path:
        return self.folder / "drill.ledger-wal"

    def price(self) -> bn.Guarantee:
        return bn.Guarantee(Fraction(1, self.charges))


def request(key: str) -> KeptRequest:
    return KeptRequest(key=key, plan="", label=key, epsilon="1", delta="0")


class Pen:
    """Writes down what a worker was told, whatever becomes of it."""

    def __init__(self, stage: Stage, name: str) -> None:
        self._handle = os.open(stage.folder / f"told-{name}", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        self.name, self.number = name, 0

    def charge(self, ledger: bn.Ledger, stage: Stage, *, times: int = 1) -> None:
        for _ in range(times):
            self.number += 1
            label = f"{self.name}-{self.number}"
            try:
                if stage.chance.random() < KEYED:
                    self._keyed(ledger, stage, label)
                else:
                    ledger.charge(stage.price(), label=label, neighbours=REPLACE).use()
                    self.write(f"granted {label}")
            except bn.BudgetExceeded:
                self.write(f"full {label}")
                time.sleep(0.005)
            except bn.LedgerFault as error:
                self.write(f"refused {type(error).__name__}")
                raise

    def _keyed(self, ledger: bn.Ledger, stage: Stage, label: str) -> None:
        """Charge under a key, and show what was drawn once it is kept."""
        kept, asked = ledger.kept, request(label)
        assert kept is not None
        begun = kept.begin(asked)
        paid = ledger.charge(
            stage.price(), label=label, neighbours=REPLACE, key=label, claim=begun.claim, note=begun.note
        )
        paid.use()
        self.write(f"granted {label}")
        answer, _ = kept.keep(asked, begun, {"drawn": stage.chance.randrange(1 << 60)})
        self.write(f"shown {label} {answer['drawn']}")

    def write(self, text: str) -> None:
        os.write(self._handle, f"{text}\n".encode())


def work(stage: Stage, name: str) -> None:
    """Charge until told to stop; now and then make children that charge with what they inherited, or leave badly."""
    pen, children = Pen(stage, name), 0
    while not (stage.folder / "stop").exists():
        try:
            with bn.Ledger.open(stage.ledger, wait_seconds=20) as ledger:
                for _ in range(stage.chance.randint(1, 25)):
                    if (stage.folder / "stop").exists():
                        return
                    pen.charge(ledger, stage)
                    act = stage.chance.random()
                    if act < 0.02:
                        children += 1
                        fork(stage, ledger, f"{name}.{children}", daemon=act < 0.01)
                    elif act < 0.05:
                        with suppress(FileNotFoundError, IsADirectoryError):
                            stage.ledger.read_bytes()  # A hash, in the process that holds it.
                    elif act < 0.06:
                        with suppress(FileNotFoundError, IsADirectoryError):
                            shutil.copy(stage.ledger, stage.folder / f"copy-{name}")
        except bn.LedgerFault:
            time.sleep(0.01)


def fork(stage: Stage, ledger: bn.Ledger, name: str, *, daemon: bool) -> None:
    """A child that charges with the inherited ledger; a daemon's parent does not wait, and it closes all it can."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    if daemon and os.fork():
        os._exit(0)
    try:
        if daemon:
            os.setsid()
            os.closerange(3, 64)
        pen = Pen(stage, name)
        pen.charge(ledger, stage, times=3)
        if stage.chance.random() < 0.5:
            ledger.close()
    except bn.LedgerFault:
        pass
    except BaseException:
        (stage.folder / f"broken-{name}").write_text(traceback.format_exc())
    os._exit(0)


def put_back(stage: Stage, aside: Path) -> None:
    """The true file under its name again; whatever stood there meanwhile goes, with a log if it has one of its own."""
    if stage.ledger.is_dir():
        stage.ledger.rmdir()
    aside.replace(stage.ledger)


def unlinked(stage: Stage) -> None:
    aside = stage.folder / "aside"
    stage.ledger.rename(aside)
    time.sleep(stage.chance.uniform(0, 0.03))
    put_back(stage, aside)


def swapped(stage: Stage) -> None:
    aside, copy = stage.folder / "aside", stage.folder / "swap"
    shutil.copy(stage.ledger, copy)
    stage.ledger.rename(aside)
    copy.rename(stage.ledger)
    time.sleep(stage.chance.uniform(0, 0.03))
    put_back(stage, aside)


def rolled_back(stage: Stage) -> None:
    """The oldest state of all in place of the ledger, without the log: the witness knows better."""
    names = [stage.ledger.with_name(stage.ledger.name + ending) for ending in ("", "-wal", "-shm")]
    kept = [name.with_name(f"aside-{name.name}") for name in names]
    for name, place in zip(names, kept, strict=True):
        if name.exists():
            name.rename(place)
    shutil.copy(stage.folder / "first", stage.ledger)
    time.sleep(stage.chance.uniform(0, 0.03))
    for name in names:
        name.unlink(missing_ok=True)
    for name, place in reversed(list(zip(names, kept, strict=True))):
        if place.exists():
            place.rename(name)


def linked(stage: Stage) -> None:
    second = stage.folder / "second.ledger"
    os.link(stage.ledger, second)
    try:
        bn.Ledger.open(second, wait_seconds=1).close()
        (stage.folder / "broken-link").write_text("a second name was opened")
    except bn.LedgerFault:
        pass
    time.sleep(stage.chance.uniform(0, 0.03))
    second.unlink()


def folder_in_place(stage: Stage) -> None:
    aside = stage.folder / "aside"
    stage.ledger.rename(aside)
    stage.ledger.mkdir()
    time.sleep(stage.chance.uniform(0, 0.02))
    put_back(stage, aside)


def hashed(stage: Stage) -> None:
    hashlib.sha256(stage.ledger.read_bytes()).hexdigest()


def copied(stage: Stage) -> None:
    shutil.copy(stage.ledger, stage.folder / "backup")
    if stage.log.exists():
        shutil.copy(stage.log, stage.folder / "backup-wal")


def log_deleted(stage: Stage) -> None:
    """Or its index, or both, for good: nobody gets in until all have left who use it, and they take nothing along."""
    assert stage.service is not None
    index = stage.log.with_name(f"{stage.ledger.name}-shm")
    for gone in stage.chance.choice([(stage.log,), (index,), (stage.log, index)]):
        gone.unlink()
    time.sleep(stage.chance.uniform(0, 0.03))
    stage.service.close()
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with suppress(bn.LedgerFault):
            stage.service = bn.Ledger.open(stage.ledger)
            return
        time.sleep(0.005)
    raise TimeoutError("nobody gets in, although the log was deleted long ago")


TROUBLE: tuple[Callable[[Stage], None], ...] = (
    unlinked,
    swapped,
    rolled_back,
    linked,
    folder_in_place,
    hashed,
    copied,
    log_deleted,
)


def events(stage: Stage) -> int:
    """Everything that was told or done so far."""
    return sum(path.read_bytes().count(b"\n") for path in stage.folder.glob("told-*")) + stage.done.total()


def drill(folder: Path, *, events_wanted: int, seed: int, workers: int = WORKERS) -> str:
    """Make trouble until there were so many events; raise unless everything held, and tell what happened."""
    stage = Stage(folder, max(20, 2 * events_wanted // 3), random.Random(seed))
    (folder / "elsewhere").mkdir()
    bn.Ledger.create(
        stage.ledger,
        budget=bn.Guarantee(1),
        neighbours=REPLACE,
        questions=bn.AsYouGo(),
        witness=folder / "elsewhere" / "witness",
    ).close()
    shutil.copy(stage.ledger, folder / "first")
    stage.service = bn.Ledger.open(stage.ledger)
    running = [start(stage, seed, number) for number in range(workers)]
    try:
        while events(stage) < events_wanted:
            trouble = stage.chance.choice(TROUBLE)
            trouble(stage)
            stage.done[trouble.__name__] += 1
            time.sleep(stage.chance.uniform(0, 0.1))
            if stage.chance.random() < 0.1:
                place = stage.chance.randrange(workers)
                os.kill(running[place], signal.SIGKILL)
                os.waitpid(running[place], 0)
                stage.done["killed"] += 1
                running[place] = start(stage, seed, workers + stage.done["killed"])
    finally:
        (folder / "stop").touch()
        for worker in running:
            os.waitpid(worker, 0)
        stage.service.close()
    time.sleep(1)  # Daemons have no parent to wait for them.
    return judged(stage)


def start(stage: Stage, seed: int, number: int) -> int:
    child = os.fork()
    if child:
        return child
    try:
        stage.chance = random.Random(seed * 1000 + number)
        work(stage, str(number))
        os._exit(0)
    except BaseException:
        (stage.folder / f"broken-{number}").write_text(traceback.format_exc())
    os._exit(1)


def judged(stage: Stage) -> str:
    """The verdict: nothing broken, nothing lost, nothing doubled, nothing over the budget."""
    broken = [path.read_text() for path in stage.folder.glob("broken-*")]
    assert not broken, broken[0]
    lines = [line for path in stage.folder.glob("told-*") for line in path.read_text().splitlines()]
    words = Counter(line.split()[0] for line in lines)
    refused = Counter(line.split()[1] for line in lines if line.startswith("refused"))
    granted = {line.split()[1] for line in lines if line.startswith("granted")}
    shown = dict(line.split()[1:] for line in lines if line.startswith("shown"))
    # Judged first: a ledger that refuses to be opened must not keep the one question that matters from being asked.
    assert len(granted) == words["granted"] <= stage.charges, "more was granted than the budget has"
    with bn.Ledger.open(stage.ledger) as ledger:
        charges, _ = ledger.verify()
        written = Counter(entry.label for entry in ledger.history())
        total = 1 - ledger.remaining().largest_epsilon
        assert ledger.kept is not None
        kept = {key: ledger.kept.fetch(request(key)) for key in shown}
    assert granted <= set(written), "a granted charge is not in the ledger"
    assert max(written.values(), default=0) <= 1, "a charge was doubled"
    assert kept == {key: {"drawn": int(drawn)} for key, drawn in shown.items()}, "another answer than the one shown"
    assert total == Fraction(charges, stage.charges) <= 1
    return (
        f"{len(lines)} answers ({words['granted']} granted of {stage.charges} that fit, {charges} in the ledger, "
        f"{words['shown']} answers kept, {words['full']} over the budget, "
        f"{words['refused']} refused aloud: {dict(refused)}); "
        f"trouble: {dict(stage.done)}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--events", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="banister-drill-") as folder:
        print(drill(Path(folder), events_wanted=wanted.events, seed=wanted.seed))


if __name__ == "__main__":
    main()
