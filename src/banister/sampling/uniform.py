"""Exact whole numbers from 0 to n - 1, all equally likely."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from banister import need
from banister.sampling.bits import BitSource
from banister.sampling.whole import uniform_below as uniform_below

if TYPE_CHECKING:
    from banister.sampling.bits import Words

LARGEST = 1 << 62
"""The largest number of values that a vector draw can choose from."""


def uniform_below_many(n: int, count: int, bits: BitSource) -> NDArray[np.int64]:
    """Many whole numbers from 0 to n - 1.

    A word below the largest multiple of n gives its remainder; a word above it is drawn again.
    """
    need.whole("number of values", n, least=1, most=LARGEST)
    if n == 1:
        return np.zeros(count, dtype=np.int64)
    width = next(width for width in (16, 32, 64) if n <= 1 << (width - 6) or width == 64)
    values = _remainders(bits.words(count, width), n, width)
    while (again := np.flatnonzero(values < 0)).size:
        values[again] = _remainders(bits.words(again.size, width), n, width)
    return values


def _remainders(words: "Words", n: int, width: int) -> NDArray[np.int64]:
    """The words modulo n, and -1 where the word is in the incomplete last multiple of n."""
    if n & (n - 1) == 0:
        return (words & words.dtype.type(n - 1)).astype(np.int64, copy=False)
    divisor = words.dtype.type(n)
    values = (words - words // divisor * divisor).astype(np.int64)
    limit = (1 << width) // n * n
    values[words >= words.dtype.type(limit)] = -1
    return values


def uniform_below_each(limits: NDArray[np.int64], bits: BitSource, *, word: int = 64) -> NDArray[np.int64]:
    """For each n ≥ 1 in `limits` a whole number from 0 to n - 1; `word` is smaller in tests that walk every tape.

    A word below 2^word mod n would favour small remainders and is drawn again.
    """
    divisors = limits.astype(np.uint64)
    spare = (-divisors if word == 64 else np.full_like(divisors, 1 << word)) % divisors
    words = bits.words(limits.size, word).astype(np.uint64)
    again = np.flatnonzero(words < spare)
    while again.size:
        words[again] = bits.words(again.size, word)
        again = again[words[again] < spare[again]]
    return (words % divisors).astype(np.int64)
