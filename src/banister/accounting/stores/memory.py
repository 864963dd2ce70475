"""A ledger in memory: for tests and for trying things out. It forgets everything when the program ends."""

import threading
from collections.abc import Callable, Iterator

from banister.accounting.chain import Line, check_link


class MemoryStore:
    """The port `accounting.ledger.Store`, kept in a list."""

    def __init__(self, first: Line) -> None:
        self._lines = [first]
        self._lock = threading.Lock()

    def append(self, decide: Callable[[Line], Line]) -> Line:
        """Ask for the line that follows the last one, and keep it; a refusal leaves everything as it was."""
        with self._lock:
            line = decide(self._lines[-1])
            check_link(self._lines[-1], line)
            self._lines.append(line)
            return line

    def first(self) -> Line:
        return self._lines[0]

    def last(self) -> Line:
        return self._lines[-1]

    def head(self) -> tuple[int, str]:
        return self._lines[-1].sequence, self._lines[-1].hash

    def lines(self) -> Iterator[Line]:
        return iter(tuple(self._lines))

    def close(self) -> None:
        """Nothing is held open."""
