"""Bits from a seed, for tests that repeat many draws."""

import numpy as np


class SeededBits:
    """The port `BitSource` on a generator that can be started again."""

    def __init__(self, seed: int) -> None:
        self._generator = np.random.default_rng(seed)

    def take(self, count: int) -> int:
        return int.from_bytes(self._generator.bytes((count + 7) // 8), "little") >> (-count % 8)

    def words(self, count: int, width: int) -> np.ndarray:
        kinds = {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}
        return np.frombuffer(self._generator.bytes(count * width // 8), dtype=kinds[width])
