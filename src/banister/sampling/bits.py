"""Random bits: the port that every draw goes through, and the system's cryptographic source.

Every probability in banister is decided by comparing bits from here with certified thresholds; nothing else in
the package knows chance.
"""

import os
from typing import TYPE_CHECKING, ClassVar, Protocol

from banister.forks import WATCH

if TYPE_CHECKING:  # Who draws single numbers only, as a messenger's node does, never loads NumPy.
    import numpy as np
    from cryptography.hazmat.primitives.ciphers import CipherContext
    from numpy.typing import NDArray

    Words = NDArray[np.uint8] | NDArray[np.uint16] | NDArray[np.uint32] | NDArray[np.uint64]

_CHUNK = bytes(1 << 18)
_POOL_BYTES = 1 << 12
_KEY_BYTES = 1 << 34
_ROOM = 16
"""The cipher wants room for one block more than it writes."""


class BitSource(Protocol):
    """A stream of independent fair bits."""

    def take(self, count: int) -> int:
        """The next `count` bits, as a number from 0 to 2^count - 1."""
        ...

    def words(self, count: int, width: int) -> "Words":
        """The next `count` words of `width` bits (8, 16, 32 or 64) each, as an array of unsigned integers."""
        ...


class _Stream:
    """One stream of AES-256 in counter mode, used by one caller at a time.

    Every refill starts at a counter that the system's entropy gives anew, so that even a copy of the whole machine's
    memory, woken twice, goes on with other bits; the key is drawn anew after 16 GiB of output.
    """

    __slots__ = ("_cipher", "_left", "mark", "pool", "used")

    loading: ClassVar[bool] = False
    """Whether the cipher is being loaded just now. A signal handler that draws in the middle of that import cannot
    import it too, and takes the system's own bytes."""

    def __init__(self) -> None:
        self.mark = WATCH.mark()
        self._left = 0
        self.pool = b""
        self.used = 0

    def refill(self, size: int) -> None:
        """A new pool, of at least that many bytes."""
        size = max(_POOL_BYTES, size)
        room = bytearray(size + _ROOM)
        self._fill(memoryview(room), size)
        self.pool, self.used = bytes(room[:size]), 0

    def fresh(self, size: int) -> "NDArray[np.uint8]":
        """So many bytes that were never in the pool."""
        import numpy as np

        room = np.empty(size + _ROOM, dtype=np.uint8)
        self._fill(room.data, size)
        return room[:size]

    def _fill(self, view: memoryview, size: int) -> None:
        """So many new bytes at the beginning of what is given."""
        if self._left < size:
            if _Stream.loading:
                view[:size] = os.urandom(size)
                return
            self._cipher: CipherContext = self._keyed()
            self._left = max(_KEY_BYTES, size)
        else:
            self._cipher.reset_nonce(os.urandom(16))
        self._left -= size
        for start in range(0, size, len(_CHUNK)):
            self._cipher.update_into(_CHUNK[: size - start], view[start:])

    def _keyed(self) -> "CipherContext":
        """A cipher under a new key; loaded at the first draw, because whoever only plans never draws."""
        _Stream.loading = True
        try:
            from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
        finally:
            _Stream.loading = False
        return Cipher(algorithms.AES(os.urandom(32)), modes.CTR(os.urandom(16))).encryptor()


class SystemBits:
    """Bits that nobody can foresee: AES-256 in counter mode, keyed by the operating system's entropy.

    An object may be used by many threads, by signal handlers, and in a forked child, whoever forked it. A caller
    takes a stream off the shelf, which no other call can reach until it is put back; where none is left a new one is
    made. So there is no lock that a fork could leave closed. A copy or a pickle of a source is a new source.
    """

    __slots__ = ("_shelf",)

    def __init__(self) -> None:
        self._shelf: list[_Stream] = []

    def __reduce__(self) -> tuple[type["SystemBits"], tuple[()]]:
        return SystemBits, ()

    def take(self, count: int) -> int:
        size = (count + 7) >> 3
        while True:
            stream = self._stream()
            end = stream.used + size
            if end > len(stream.pool):
                stream.refill(size)
                end = size
            chunk = stream.pool[end - size : end]
            stream.used = end
            # Asked last: a fork in the middle of a draw leaves the same stream in both.
            if stream.mark is WATCH.mark():
                self._shelf.append(stream)
                return int.from_bytes(chunk, "little") >> (8 * size - count)

    def words(self, count: int, width: int) -> "Words":
        import numpy as np

        size = count * width >> 3
        while True:
            stream = self._stream()
            if size > _POOL_BYTES >> 2:
                drawn = stream.fresh(size)
            else:
                if stream.used + size > len(stream.pool):
                    stream.refill(size)
                drawn = np.frombuffer(stream.pool, dtype=np.uint8, count=size, offset=stream.used).copy()
                stream.used += size
            if stream.mark is WATCH.mark():
                self._shelf.append(stream)
                return drawn.view(f"uint{width}")

    def _stream(self) -> _Stream:
        try:
            return self._shelf.pop()  # One step, which no other thread can divide.
        except IndexError:
            return _Stream()


SYSTEM: BitSource = SystemBits()
"""The system's source, for every release that is not a test."""
