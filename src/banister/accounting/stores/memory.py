"""A ledger in memory: for tests and for trying things out. It forgets everything when the program ends."""

import threading
from collections.abc import Callable, Iterator

from banister.accounting.chain import ChainLine, check_link


class MemoryStore:
    """The port `accounting.ledger.Store`, kept in a list."""

    def __init__(self, first: ChainLine) -> None:
        self._lines = [first]
        self._lock = threading.Lock()
        self._keys: dict[str, ChainLine] = {}

    def append(self, decide: Callable[[ChainLine], ChainLine], *, key: str = "") -> ChainLine:
        """Ask for the line that follows the last one, and keep it; a refusal leaves everything as it was."""
        with self._lock:
            if key in self._keys:
                return self._keys[key]
            line = decide(self._lines[-1])
            check_link(self._lines[-1], line)
            self._lines.append(line)
            if key:
                self._keys[key] = line
            return line

    def line(self, sequence: int) -> ChainLine | None:
        return self._lines[sequence] if 0 <= sequence < len(self._lines) else None

    def first(self) -> ChainLine:
        return self._lines[0]

    def last(self) -> ChainLine:
        return self._lines[-1]

    def head(self) -> tuple[int, str]:
        return self._lines[-1].sequence, self._lines[-1].hash

    def lines(self) -> Iterator[ChainLine]:
        return iter(tuple(self._lines))

    def close(self) -> None:
        """Nothing is held open."""
