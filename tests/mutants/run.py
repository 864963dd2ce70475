"""Run mutants, each in a copy of the tree, and say which were noticed.

A copy shares its files with one clean copy by hard links; only the changed file is its own. The tests that should
notice a mutant are first run on the clean copy, so that a failure is always the mutant's.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from tests.mutants.mutant import PACKAGE, ROOT, DoesNotApply, Mutant

PARTS = ("src", "tests", "pyproject.toml")
"""What a copy holds."""
LIMIT_SECONDS = 300.0
PYTEST = (sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist")
FAILED, INTERRUPTED = 1, 2
"""What pytest answers when a test failed, and when a test file could not even be read."""

_RUNNING: set[subprocess.Popen[str]] = set()


class Fate(Enum):
    """What became of a mutant."""

    KILLED = "killed"
    SURVIVED = "SURVIVED"
    EXPLAINED = "survived, explained"
    TIMED_OUT = "TIMED OUT"
    STALE = "DID NOT APPLY"
    UNTESTED = "TESTS FAIL WITHOUT IT"

    @property
    def good(self) -> bool:
        return self in (Fate.KILLED, Fate.EXPLAINED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A mutant and what became of it."""

    mutant: Mutant
    fate: Fate
    seconds: float
    note: str = ""

    def __str__(self) -> str:
        note = f" ({self.note})" if self.note else ""
        return f"{self.fate.value:22} {self.mutant.name} [{self.mutant.file}] {self.seconds:.1f} s{note}"


def run(
    mutants: Sequence[Mutant], *, jobs: int = 2, tell: Callable[[Outcome], None] = lambda outcome: None
) -> tuple[Outcome, ...]:
    """Run the mutants, so many at a time, and tell of each as soon as it is done."""
    with _clean_copy() as clean, ThreadPoolExecutor(jobs) as pool:
        clean_runs = _CleanRuns(clean)

        def one(mutant: Mutant) -> Outcome:
            begun = time.monotonic()
            trouble = clean_runs.trouble(mutant.tests)
            fate, note = (Fate.UNTESTED, trouble) if trouble else _fate(mutant, clean)
            outcome = Outcome(mutant=mutant, fate=fate, seconds=time.monotonic() - begun, note=note)
            tell(outcome)
            return outcome

        try:
            return tuple(pool.map(one, mutants))
        except BaseException:  # Nothing is swallowed: a Ctrl-C ends what is running too, which has sessions of its own.
            pool.shutdown(wait=False, cancel_futures=True)
            _stop_all()
            raise


def _fate(mutant: Mutant, clean: Path) -> tuple[Fate, str]:
    try:
        text = mutant.mutated(clean)
    except DoesNotApply as reason:
        return Fate.STALE, str(reason)
    with tempfile.TemporaryDirectory(prefix="mutant-", dir=clean.parent) as folder:
        copy = Path(folder)
        _link(clean, copy)
        _put(mutant.path(copy), text)
        answer, output = _pytest(copy, mutant.tests)
    if answer in (FAILED, INTERRUPTED):
        return Fate.KILLED, "explained, yet noticed: drop the explanation" if mutant.explained else ""
    if answer is None:
        return (Fate.KILLED, "it hangs") if mutant.hangs else (Fate.TIMED_OUT, "")
    if answer != 0:
        return Fate.UNTESTED, _last_line(output)
    return (Fate.EXPLAINED, mutant.explained) if mutant.explained else (Fate.SURVIVED, "")


@contextmanager
def _clean_copy() -> Iterator[Path]:
    """A copy of the tree, with its bytecode, from which all others are linked."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        clean = Path(folder) / "clean"
        clean.mkdir()
        for part in PARTS:
            source = ROOT / part
            if source.is_dir():
                shutil.copytree(source, clean / part)
            else:
                shutil.copy2(source, clean / part)
        where = subprocess.run(
            [sys.executable, "-c", "import banister; print(banister.__file__)"],
            cwd=clean,
            env=_environment(clean),
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()
        if Path(where) != (clean / PACKAGE / "__init__.py"):
            raise RuntimeError(f"The copy does not come first on the path: banister is read from {where}.")
        yield clean


def _link(clean: Path, copy: Path) -> None:
    for part in PARTS:
        if (clean / part).is_dir():
            shutil.copytree(clean / part, copy / part, copy_function=os.link)
        else:
            os.link(clean / part, copy / part)


def _put(path: Path, text: str) -> None:
    """Replace a file and forget its bytecode; what it was linked to stays as it is."""
    path.unlink()
    path.write_text(text, encoding="utf-8")
    for stale in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
        stale.unlink()


class _CleanRuns:
    """The tests on the clean copy, each set of them run once, when the first mutant needs it."""

    def __init__(self, clean: Path) -> None:
        self._clean = clean
        self._found: dict[tuple[str, ...], str] = {}
        self._locks: dict[tuple[str, ...], threading.Lock] = defaultdict(threading.Lock)
        self._guard = threading.Lock()

    def trouble(self, tests: tuple[str, ...]) -> str:
        """Nothing where the tests pass, else why not."""
        with self._guard:
            lock = self._locks[tests]
        with lock:
            if tests not in self._found:
                answer, output = _pytest(self._clean, tests)
                self._found[tests] = "" if answer == 0 else _last_line(output) or "out of time"
            return self._found[tests]


def _pytest(copy: Path, tests: tuple[str, ...]) -> tuple[int | None, str]:
    """What pytest answers, or nothing where it ran out of time, and what it wrote."""
    process = subprocess.Popen(
        [*PYTEST, "--hypothesis-seed=0", *tests],
        cwd=copy,
        env=_environment(copy),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    _RUNNING.add(process)
    try:
        output, _ = process.communicate(timeout=LIMIT_SECONDS)
    except subprocess.TimeoutExpired:
        _stop(process)
        return None, ""
    finally:
        _RUNNING.discard(process)
    return process.returncode, output


def _stop(process: subprocess.Popen[str]) -> None:
    os.killpg(process.pid, signal.SIGKILL)  # Its own children too, and nobody else's.
    process.communicate()


def _stop_all() -> None:
    for process in tuple(_RUNNING):
        os.killpg(process.pid, signal.SIGKILL)


def _environment(copy: Path) -> dict[str, str]:
    """That of this process, with the copy first on the path; bytecode is written, and shared by later copies."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPATH": str(copy / "src")}


def _last_line(output: str) -> str:
    lines = [line for line in output.splitlines() if line.startswith(("FAILED", "ERROR"))] or output.splitlines()
    return lines[-1][:200] if lines else ""
