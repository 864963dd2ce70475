"""A source of bits that gives the same stream in every run, for statistics that must not depend on luck."""

import numpy as np


class SeededBits:
    def __init__(self, seed: int) -> None:
        self._generator = np.random.default_rng([7919, seed])  # Not the stream that a test draws its answers from.

    def take(self, count: int) -> int:
        return int.from_bytes(self._generator.bytes((count + 7) // 8), "little") >> (-count % 8)

    def words(self, count: int, width: int) -> np.ndarray:
        return np.frombuffer(self._generator.bytes(count * width // 8), dtype=f"u{width // 8}").copy()


class WordsFrom:
    """Gives the words of a list, in order, whatever width is asked for."""

    def __init__(self, words: np.ndarray) -> None:
        self._words = words

    def take(self, count: int) -> int:
        return 0

    def words(self, count: int, width: int) -> np.ndarray:
        assert count == self._words.size
        return self._words
