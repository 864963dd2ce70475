"""One exact whole number from 0 to n - 1, all equally likely; vectors of them are in `uniform`."""

from banister.sampling.bits import BitSource


def uniform_below(n: int, bits: BitSource) -> int:
    """A whole number from 0 to n - 1, by drawing ⌈log₂ n⌉ bits until they are below n.

    >>> from banister.sampling.bits import SYSTEM
    >>> uniform_below(1, SYSTEM)
    0
    """
    length = (n - 1).bit_length()
    while True:
        candidate = bits.take(length) if length else 0
        if candidate < n:
            return candidate
