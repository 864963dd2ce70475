"""Exact coins: P(heads) is any fraction or any computable number.

The first 64 bits of a uniform number decide against ⌊2^64 p⌋; only when they are equal (once in 2^64) are more drawn.
"""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from flint import arb
from numpy.typing import NDArray

from banister.core.exact.numbers import Computable, ball, precision, scaled_floor
from banister.sampling.bits import BitSource

_GUARD_BITS = 64
FILTER_MARGIN = 2.0**-36
"""How far a double may be from the truth in `coins_near`: 2^16 times the error of any exp in use, and still rare."""


class Coin:
    """A coin with P(heads) = probability, for one toss or many."""

    __slots__ = ("_constant", "_glance", "_glance_high", "_glance_low", "_high", "_low", "_probability", "_word")

    def __init__(self, probability: Fraction | Computable, *, glance: int = 16, word: int = 64) -> None:
        self._constant: bool | None = None
        if isinstance(probability, Fraction):
            fixed = probability
            self._constant = fixed == 1 if fixed in (0, 1) else None
            self._probability: Computable = lambda: ball(fixed)
        else:
            self._probability = probability
        self._glance = glance
        self._word = word
        self._low, self._high = _floors(self._probability, word)
        self._glance_low, self._glance_high = self._low >> (word - glance), self._high >> (word - glance)

    def draw(self, bits: BitSource) -> bool:
        """One toss."""
        if self._constant is not None:
            return self._constant
        prefix = bits.take(self._word)
        if not self._low <= prefix <= self._high:
            return prefix < self._low
        return toss_from(self._probability, prefix, self._word, bits, step=self._word)

    def draw_many(self, count: int, bits: BitSource) -> NDArray[np.bool_]:
        """Many tosses."""
        if self._constant is not None:
            return np.full(count, self._constant)
        glances = bits.words(count, self._glance)
        heads = np.less(glances, self._glance_low)
        for place in np.flatnonzero((glances >= self._glance_low) & (glances <= self._glance_high)):
            heads[place] = toss_from(self._probability, int(glances[place]), self._glance, bits, step=self._word)
        return heads


def bernoulli(probability: Fraction | Computable, bits: BitSource) -> bool:
    """True with exactly that probability.

    >>> from banister.sampling.bits import SYSTEM
    >>> bernoulli(Fraction(1), SYSTEM)
    True
    """
    return Coin(probability).draw(bits)


def toss_from(probability: Computable, prefix: int, length: int, bits: BitSource, *, step: int = 64) -> bool:
    """Whether a uniform number that begins with the `length` bits of `prefix` lies below the probability."""
    while True:
        low, high = _floors(probability, length)
        if not low <= prefix <= high:
            return prefix < low
        prefix = (prefix << step) | bits.take(step)
        length += step


def coins_near(nearly: NDArray[np.float64], exactly: Callable[[int], Computable], bits: BitSource) -> NDArray[np.bool_]:
    """One toss for each place i, with P(heads) = exactly(i), of which nearly[i] is a double within FILTER_MARGIN.

    The double only decides tosses that are not close; each close call is decided in certified arithmetic.
    """
    words = bits.words(nearly.size, 64)
    uniform = words.astype(np.float64) * 2.0**-64
    heads = uniform < nearly
    for place in np.flatnonzero(np.abs(uniform - nearly) <= FILTER_MARGIN):
        heads[place] = toss_from(exactly(int(place)), int(words[place]), 64, bits)
    return heads


def coin_near(nearly: float, exactly: Computable, bits: BitSource) -> bool:
    """One toss of `coins_near`."""
    word = bits.take(64)
    if abs(word * 2.0**-64 - nearly) > FILTER_MARGIN:
        return word * 2.0**-64 < nearly
    return toss_from(exactly, word, 64, bits)


def _floors(probability: Computable, length: int) -> tuple[int, int]:
    with precision(length + _GUARD_BITS):
        value: arb = probability()
        return scaled_floor(value, length)
