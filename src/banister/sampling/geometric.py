"""Exact geometric numbers: P(G = k) = (1 - b) b^k with b = e^-rate, at the same speed for every rate.

Write G in base 512. Its digits are independent ([G13] has the real-valued idea; the digits are elementary): the low
digit has P(l) ∝ b^l on 0 … 511, and the rest is geometric again, with rate 512 times larger. So a few tables of at
most a thousand thresholds serve every rate. The top digit, once its rate is no longer small, is drawn from 0 … n - 1
or "n or more"; in that case n is added and it is drawn again, because a geometric number has no memory.
"""

from fractions import Fraction
from functools import lru_cache

import numpy as np
from flint import arb
from numpy.typing import NDArray

from banister.core.exact.numbers import ball
from banister.errors import Undrawable
from banister.sampling.bits import BitSource
from banister.sampling.table import ExactTable

_RADIX = 512
_SMALL_RATE = Fraction(1, 64)
_TAIL_RATE = 15
"""The top digit's table ends where e^-15 of the mass is left."""
_SLOWEST_RATE = Fraction(1, 1 << 50)


class GeometricDraw:
    """Draws of G with P(G = k) = (1 - e^-rate) e^(-rate k)."""

    __slots__ = ("_low_digits", "_top", "_top_size", "_top_unit")

    def __init__(self, rate: Fraction, *, glance: int = 16, word: int = 64) -> None:
        if rate < _SLOWEST_RATE:
            raise Undrawable(
                f"A decay of {float(rate):.3g} a step is too slow to draw from: it must be at least 2^-50. "
                "Take a coarser grid or a larger epsilon."
            )
        self._low_digits: list[ExactTable] = []
        self._top_unit = 1
        while rate < _SMALL_RATE:
            self._low_digits.append(ExactTable(_DigitLaw(rate), glance=glance, word=word))
            rate *= _RADIX
            self._top_unit *= _RADIX
        self._top_size = int(-(-_TAIL_RATE // rate))
        self._top = ExactTable(_TopLaw(rate, self._top_size), glance=glance, word=word)

    def draw(self, bits: BitSource) -> int:
        """One number."""
        top = 0
        while (digit := self._top.draw(bits)) == self._top_size:
            top += self._top_size
        value = (top + digit) * self._top_unit
        unit = 1
        for table in self._low_digits:
            value += table.draw(bits) * unit
            unit *= _RADIX
        return value

    def draw_many(self, count: int, bits: BitSource) -> NDArray[np.int64]:
        """Many numbers."""
        values = self._top_many(count, bits)
        values *= self._top_unit
        unit = 1
        for table in self._low_digits:
            values += table.draw_many(count, bits) * np.int64(unit)
            unit *= _RADIX
        return values

    def _top_many(self, count: int, bits: BitSource) -> NDArray[np.int64]:
        values = self._top.draw_many(count, bits).astype(np.int64)
        going_on = np.flatnonzero(values == self._top_size)
        while going_on.size:
            more = self._top.draw_many(going_on.size, bits)
            values[going_on] += more
            going_on = going_on[more == self._top_size]
        return values


@lru_cache(maxsize=256)
def geometric_draw(rate: Fraction) -> GeometricDraw:
    """The sampler for that rate, made once."""
    return GeometricDraw(rate)


class _DigitLaw:
    """P(low digit ≤ l) = (1 - b^(l+1)) / (1 - b^512)."""

    def __init__(self, rate: Fraction) -> None:
        self.rate = rate

    def __call__(self) -> list[arb]:
        whole = 1 - ball(-self.rate * _RADIX).exp()
        return [(1 - ball(-self.rate * (digit + 1)).exp()) / whole for digit in range(_RADIX - 1)]


class _TopLaw:
    """P(top digit ≤ l) = 1 - b^(l+1)."""

    def __init__(self, rate: Fraction, size: int) -> None:
        self.rate = rate
        self.size = size

    def __call__(self) -> list[arb]:
        return [1 - ball(-self.rate * (digit + 1)).exp() for digit in range(self.size)]
