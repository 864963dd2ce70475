"""Files are exchanged in every single instant of a ledger's opening, charge and closing, and put back in a later one.

SQLite opens and deletes by name. Whoever looks first and lets it act then leaves an instant in between, and a drill of
many processes found it: a copy lay under the name just while SQLite opened it, and the true log was folded into that
copy and deleted. Here no instant is left to chance: Python tells of each system call before it is made, and there the
trouble is made. Another process holds the true ledger meanwhile, and its newest charges lie in the log.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

import banister as bn
from banister.errors import LedgerFault

REPLACE = bn.Neighbours.REPLACE
CALLS = {"open", "os.listdir", "os.rename", "os.link", "os.remove", "fcntl.flock", "fcntl.fcntl", "sqlite3.connect"}
CALLS |= {"sqlite3.connect/handle"}
HOLDER = """
import sys
import banister as bn
ledger = bn.Ledger.open(sys.argv[1])
for number, _ in enumerate(sys.stdin):
    try:
        ledger.charge(bn.Guarantee("0.001"), label=f"holder {number}", neighbours=bn.Neighbours.REPLACE)
        print("granted", flush=True)
    except bn.LedgerFault as error:
        print(error, flush=True)
"""


class Instants:
    """Counts the calls, and acts at those that are asked for. A hook is for good, so there is one, and it is idle."""

    def __init__(self) -> None:
        self._acts: dict[int, Callable[[], None]] = {}
        self.passed, self._awake = 0, False
        sys.addaudithook(self._hook)

    def _hook(self, event: str, arguments: tuple[object, ...]) -> None:
        if self._awake and event in CALLS:
            self._awake = False
            self._acts.get(self.passed, lambda: None)()
            self._awake = True
            self.passed += 1

    @contextmanager
    def acting(self, acts: dict[int, Callable[[], None]]) -> Iterator[None]:
        self._acts, self.passed, self._awake = acts, 0, True
        try:
            yield
        finally:
            self._awake = False


INSTANTS = Instants()


class Scene:
    """A ledger, held by another process, with a witness."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "a.ledger"
        self.names = [folder / f"a.ledger{ending}" for ending in ("", "-wal", "-shm")]
        made = bn.Ledger.create(
            self.path,
            budget=bn.Guarantee(1000),
            neighbours=REPLACE,
            questions=bn.AsYouGo(),
            witness=folder / "witness",
        )
        made.close()
        shutil.copy(self.path, folder / "oldest")
        command = [sys.executable, "-c", HOLDER, str(self.path)]
        self._holder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self._aside: list[Path] = []
        self.granted = 0
        self.hold_on()

    def hold_on(self) -> None:
        """The other process charges once more, as if nothing had been."""
        assert self._holder.stdin is not None
        assert self._holder.stdout is not None
        self._holder.stdin.write("\n")
        assert self._holder.stdout.readline() == "granted\n"
        self.granted += 1

    def use(self) -> None:
        """Open, charge, close; a refusal is as good."""
        with suppress(LedgerFault), bn.Ledger.open(self.path, wait_seconds=0.1) as ledger:
            ledger.charge(bn.Guarantee("0.001"), label="guest", neighbours=REPLACE)
            self.granted += 1

    def trouble(self, kind: str) -> None:
        """Put something else in the place of file, log, or both."""
        file, log, index = self.names
        moved = {"copy": [file], "oldest": [file], "log": [log, index], "index": [index], "all": self.names}[kind]
        for name in moved:
            name.rename(name.with_name(f"true-{name.name}"))
        self._aside = moved
        if kind == "copy":
            shutil.copy(self.path.with_name("true-a.ledger"), self.path)
        elif file in moved:
            shutil.copy(self.path.with_name("oldest"), self.path)

    def put_back(self) -> None:
        """What an operator would do, the file last."""
        moved, self._aside = self._aside, []
        for name in reversed(moved):
            name.with_name(f"true-{name.name}").replace(name)

    def end(self) -> None:
        """The holder leaves; then nothing that was granted is missing, and nothing is left lying about."""
        assert self._holder.stdin is not None
        self._holder.stdin.close()
        assert self._holder.wait(timeout=30) == 0
        assert self._holder.stdout is not None
        self._holder.stdout.close()
        with bn.Ledger.open(self.path) as ledger:
            assert ledger.verify()[0] >= self.granted
            labels = [entry.label for entry in ledger.history()]
        assert sum(label.startswith("holder") for label in labels) + labels.count("guest") >= self.granted


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    made = Scene(tmp_path)
    yield made
    made.end()


@pytest.mark.parametrize("kind", ["copy", "oldest", "log", "index", "all"])
def test_no_instant_of_an_exchange_loses_a_charge(scene: Scene, kind: str) -> None:
    with INSTANTS.acting({}):
        scene.use()
    steps = INSTANTS.passed
    assert steps > 20
    for later in (1, 2, 7, steps):
        for step in range(steps):
            with INSTANTS.acting({step: lambda: scene.trouble(kind), step + later: scene.put_back}):
                scene.use()
            scene.put_back()
            scene.hold_on()


@pytest.mark.parametrize("kind", ["log", "index"])
def test_nobody_begins_another_log_or_index_while_one_is_in_use(scene: Scene, kind: str) -> None:
    """Was: with a second index, the first one's user knew nothing of the other's charges, folded the log without them,
    and deleted it."""
    before = scene.granted
    scene.trouble(kind)
    scene.use()
    assert scene.granted == before


def test_only_what_is_ours_is_taken_away(tmp_path: Path) -> None:
    """The true log comes to bear the name between the look and the deletion."""
    from banister.accounting.stores.descriptors import identity
    from banister.accounting.stores.hold import take_away

    name, true = tmp_path / "a.ledger-wal", tmp_path / "true"
    for step in range(4):
        name.write_bytes(b"")
        true.write_bytes(b"charges")
        mine = identity(name)
        with INSTANTS.acting({step: lambda: os.replace(true, name)}):
            take_away(name, mine)
        kept = [found.read_bytes() for found in tmp_path.iterdir()]
        assert b"charges" in kept, step
        for found in tmp_path.iterdir():
            found.unlink()
