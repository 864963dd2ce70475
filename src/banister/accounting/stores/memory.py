"""A ledger in memory: for tests and for trying things out. It forgets everything when the program ends."""

import threading
from collections.abc import Callable, Iterator

from banister.accounting.chain import ChainLine, check_link
from banister.accounting.kept import GIVEN, Noted


class MemoryStore:
    """The port `accounting.ledger.Store`, kept in a list."""

    def __init__(self, first: ChainLine) -> None:
        self._lines = [first]
        self._lock = threading.Lock()
        self._keys: dict[str, ChainLine] = {}
        self._notes: dict[str, Noted] = {}

    def append(self, decide: Callable[[ChainLine], ChainLine], *, key: str = "", note: bytes = b"") -> ChainLine:
        """Ask for the line that follows the last one, and keep it; a refusal leaves everything as it was."""
        with self._lock:
            if key in self._keys:
                return self._keys[key]
            line = decide(self._lines[-1])
            check_link(self._lines[-1], line)
            self._lines.append(line)
            if key:
                self._keys[key] = line
            if note:
                self._notes.setdefault(key, (note, None))
            return line

    def noted(self, key: str) -> Noted | None:
        with self._lock:
            return self._notes.get(key)

    def keep(self, key: str, note: bytes, body: bytes) -> Noted:
        with self._lock:
            there = self._notes.get(key, (note, None))
            if there[0] == note and (there[1] is None or body == GIVEN):
                there = self._notes[key] = (note, body)
            return there

    def notes(self) -> Iterator[tuple[str, bytes, bool]]:
        with self._lock:
            return iter([(key, note, body == GIVEN) for key, (note, body) in self._notes.items()])

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
