"""A process that has loaded everything and forks servers from itself: a start takes a moment, so that a kill is cheap.

What is forked is the program as a user starts it, in a process of its own with its own files; it dies by signal 9 like
any other. A process that was started afresh would spend two seconds on loading between two kills.
"""

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import IO

LOADED = """
import importlib, json, os, signal, sys
for name in sys.argv[1:]:
    importlib.import_module(name)
from banister.apps.cli import main
signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # Whoever dies is gone at once.
print("ready", flush=True)
for line in sys.stdin:
    words, out = json.loads(line)
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for stream, name in ((0, os.devnull), (1, out), (2, os.devnull)):
            os.dup2(os.open(name, os.O_RDONLY if stream == 0 else os.O_WRONLY), stream)
        sys.argv = ["banister", *words]
        try:
            main()
        finally:
            os._exit(0)
    print(child, flush=True)
"""


class Raised:
    """A server that was forked: what it says, and its end."""

    def __init__(self, process: int, said: IO[str]) -> None:
        self.said = said
        self.processor_seconds = 0.0
        """What it had computed when it was killed."""
        self._process = process
        self._end = os.pidfd_open(process)  # It means this process even when its number is another's.
        self._lock = threading.Lock()

    @property
    def gone(self) -> bool:
        """Whether it has ended."""
        with self._lock:
            return self._end < 0 or bool(select.select([self._end], [], [], 0)[0])

    def signal(self) -> None:
        """Signal 9, without waiting for the end."""
        with self._lock, suppress(ProcessLookupError):
            if self._end >= 0:
                self.processor_seconds = max(self.processor_seconds, processor_seconds(self._process))
                signal.pidfd_send_signal(self._end, signal.SIGKILL)

    def kill(self) -> None:
        """Signal 9, and wait until it is gone with all that it held."""
        self.signal()
        with self._lock:
            if self._end >= 0:
                select.select([self._end], [], [])
                os.close(self._end)
                self._end = -1
                self.said.close()


def in_memory() -> str | None:
    """Where a drill of kills keeps its files: in memory, where the machine has such a place.

    What a process wrote is there for others also when it is killed, on a disk or not; a disk only makes all wait.
    """
    place = Path("/dev/shm")
    return str(place) if place.is_dir() and os.access(place, os.W_OK) else None


def processor_seconds(process: int) -> float:
    """What a process has computed so far; 0 where it is gone."""
    try:
        found = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(found[11]) + int(found[12])) / os.sysconf("SC_CLK_TCK")


class Nursery:
    """The process that forks."""

    def __init__(self, *modules: str) -> None:
        self._place = tempfile.TemporaryDirectory(prefix="banister-nursery-")
        self._fifo = Path(self._place.name) / "said"
        os.mkfifo(self._fifo)
        command = [sys.executable, "-c", LOADED, *modules]
        self._parent = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._raised: list[Raised] = []
        assert self._read() == "ready"

    def raised(self, *words: str) -> Raised:
        """A server that was started by these words of the command line."""
        assert self._parent.stdin is not None
        self._parent.stdin.write(json.dumps([words, str(self._fifo)]) + "\n")
        self._parent.stdin.flush()
        said = self._fifo.open(encoding="utf-8")
        self._raised.append(Raised(int(self._read()), said))
        return self._raised[-1]

    @property
    def processor_seconds(self) -> float:
        """What all servers that were killed had computed, and this process."""
        return sum((each.processor_seconds for each in self._raised), sum(os.times()[:2]))

    def close(self) -> None:
        assert self._parent.stdin is not None
        assert self._parent.stdout is not None
        self._parent.stdin.close()
        self._parent.wait(20)
        self._parent.stdout.close()
        self._place.cleanup()

    def _read(self) -> str:
        assert self._parent.stdout is not None
        return self._parent.stdout.readline().strip()
