"""Random bits: the port that every draw goes through, and the system's cryptographic source.

Every probability in banister is decided by comparing bits from here with certified thresholds; nothing else in
the package knows chance.
"""

import os
import threading
from typing import Protocol

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext, algorithms, modes
from numpy.typing import NDArray

Words = NDArray[np.uint8] | NDArray[np.uint16] | NDArray[np.uint32] | NDArray[np.uint64]

_TYPES = {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}
_CHUNK = bytes(1 << 18)
_POOL_BYTES = 1 << 12
_RESEED_BYTES = 1 << 34


class BitSource(Protocol):
    """A stream of independent fair bits."""

    def take(self, count: int) -> int:
        """The next `count` bits, as a number from 0 to 2^count - 1."""
        ...

    def words(self, count: int, width: int) -> Words:
        """The next `count` words of `width` bits (8, 16, 32 or 64) each, as an array of unsigned integers."""
        ...


class SystemBits:
    """Bits that nobody can foresee: AES-256 in counter mode, keyed by the operating system's entropy.

    The key is drawn anew after a fork and after 16 GiB of output; an object may be used by many threads.
    """

    __slots__ = ("_lock", "_owner", "_pool", "_stream", "_until_reseed", "_used")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._owner = -1
        self._until_reseed = 0
        self._pool = b""
        self._used = 0

    def take(self, count: int) -> int:
        size = (count + 7) >> 3
        with self._lock:
            end = self._used + size
            if end > len(self._pool) or self._owner != os.getpid():
                self._pool, end = self._bytes(max(_POOL_BYTES, size)).tobytes(), size
            chunk = self._pool[end - size : end]
            self._used = end
        return int.from_bytes(chunk, "little") >> (8 * size - count)

    def words(self, count: int, width: int) -> Words:
        with self._lock:
            return self._bytes(count * width >> 3).view(_TYPES[width])

    def _bytes(self, size: int) -> NDArray[np.uint8]:
        if self._owner != os.getpid() or self._until_reseed < size:
            self._reseed(size)
        self._until_reseed -= size
        # The cipher wants room for one block more than it writes.
        room = np.empty(size + 16, dtype=np.uint8)
        view = room.data
        for start in range(0, size, len(_CHUNK)):
            self._stream.update_into(_CHUNK[: size - start], view[start:])
        return room[:size]

    def _reseed(self, size: int) -> None:
        self._stream: CipherContext = Cipher(algorithms.AES(os.urandom(32)), modes.CTR(os.urandom(16))).encryptor()
        self._owner = os.getpid()
        self._until_reseed = max(_RESEED_BYTES, size)
        self._pool, self._used = b"", 0


SYSTEM: BitSource = SystemBits()
"""The system's source, for every release that is not a test."""
