"""Exact symmetric staircase numbers on the integers, for every sensitivity and every epsilon.

The law ([G13] eq. 2.17): with b = e^-epsilon and |i| = k·period + j, 0 ≤ j < period,

    P(i) ∝ b^k        where j < step,
    P(i) ∝ b^(k+1)    where j ≥ step.

Period 1 is the two-sided geometric law. Two roads lead to it, and tests hold them to the same law:

* when few values carry almost all of the mass, |i| is looked up in one table, and the sign is one more bit;
* otherwise |i| = G·period + j with G geometric, a coin for which part of the period, j uniform in that part; a
  negative zero starts again, because zero must not be counted twice.
"""

from fractions import Fraction
from functools import lru_cache

import numpy as np
from flint import arb
from numpy.typing import NDArray

from banister.core.exact.numbers import ball, exp_ball
from banister.errors import Undrawable
from banister.sampling.bernoulli import Coin
from banister.sampling.bits import BitSource
from banister.sampling.geometric import GeometricDraw
from banister.sampling.table import ExactTable
from banister.sampling.uniform import uniform_below, uniform_below_many

_LARGEST_TABLE = 2048
_TAIL_RATE = 15
_MOST_JOINT = 1024
"""Periods up to which one number is drawn with one table for the period and its part."""
_FARTHEST = 1 << 61
"""Sizes up to here are drawn in 64-bit integers; the chance of a larger one is below e^-1000."""


def drawable(epsilon: Fraction, period: int) -> bool:
    """Whether a staircase of that epsilon and sensitivity stays within 64-bit integers.

    >>> drawable(Fraction(1), 8000), drawable(Fraction(1, 2**40), 8000)
    (True, False)
    """
    return period * 1000 <= _FARTHEST * min(epsilon, Fraction(1))


class StaircaseDraw:
    """Draws from the symmetric staircase law with that epsilon, period and step."""

    __slots__ = ("_coin", "_geometric", "_joint", "_periods", "_table", "_whole", "period", "step")

    def __init__(self, epsilon: Fraction, period: int, step: int, *, glance: int = 16, word: int = 64) -> None:
        periods = int(-(-_TAIL_RATE // epsilon))
        if not drawable(epsilon, period):
            raise Undrawable(
                f"A sensitivity of {period} grid steps at epsilon {float(epsilon):.3g} reaches beyond 64-bit integers. "
                "Take a coarser grid or a larger epsilon."
            )
        self.period = period
        self.step = step
        self._periods = periods
        self._geometric = GeometricDraw(epsilon, glance=glance, word=word)
        self._coin = Coin(_FarPart(epsilon, period, step), glance=glance, word=word)
        self._joint: ExactTable | None = None
        self._whole = (glance, word, epsilon)
        self._table = None
        if period * periods <= _LARGEST_TABLE:
            self._table = ExactTable(_SizeLaw(epsilon, period, step, periods), glance=glance, word=word)

    def draw(self, bits: BitSource) -> int:
        """One number."""
        if self._table is None and self._periods <= _MOST_JOINT:
            return self._drawn_jointly(bits)
        while True:
            size = self._size(bits)
            if bits.take(1):
                return size
            if size or self._table is not None:
                return -size

    def _drawn_jointly(self, bits: BitSource) -> int:
        """The same in two draws: the period and its part from one table, then the place and the sign together."""
        table, step = self._joint_table(), self.step
        while True:
            start = 0
            while (found := table.draw(bits)) == 2 * self._periods:
                start += self._periods * self.period  # Beyond whole periods the law is the same again.
            start += (found >> 1) * self.period + (step if found & 1 else 0)
            places = self.period - step if found & 1 else step
            length = (places - 1).bit_length() + 1
            while (word := bits.take(length)) >> 1 >= places:
                pass
            size = start + (word >> 1)
            if word & 1:
                return size
            if size:
                return -size

    def _joint_table(self) -> ExactTable:
        if self._joint is None:
            glance, word, epsilon = self._whole
            law = _JointLaw(epsilon, self.period, self.step, self._periods)
            self._joint = ExactTable(law, glance=glance, word=word)
        return self._joint

    def _size(self, bits: BitSource) -> int:
        if self._table is None:
            return self._one_sided(bits)
        size = self._table.draw(bits)
        beyond = self._periods * self.period
        return size if size < beyond else beyond + self._one_sided(bits)

    def _one_sided(self, bits: BitSource) -> int:
        """A size with zero counted in full, which is also the law of a size beyond whole periods."""
        start = self._geometric.draw(bits) * self.period
        if self._coin.draw(bits):
            return start + self.step + uniform_below(self.period - self.step, bits)
        return start + uniform_below(self.step, bits)

    def draw_many(self, count: int, bits: BitSource) -> NDArray[np.int64]:
        """Many numbers."""
        if self._table is not None:
            return _signed(self._sizes_from_table(self._table, count, bits), bits)
        sizes = self._one_sided_many(count, bits)
        values = _signed(sizes, bits)
        again = np.flatnonzero(sizes == 0)
        while again.size:
            # A positive zero stays, a negative one starts again: half of them, whatever came before.
            again = again[_signs(again.size, bits)]
            sizes = self._one_sided_many(again.size, bits)
            values[again] = _signed(sizes, bits)
            again = again[sizes == 0]
        return values

    def _sizes_from_table(self, table: ExactTable, count: int, bits: BitSource) -> NDArray[np.int64]:
        sizes = table.draw_many(count, bits).astype(np.int64)
        beyond = np.flatnonzero(sizes == self._periods * self.period)
        if beyond.size:
            sizes[beyond] += self._one_sided_many(beyond.size, bits)
        return sizes

    def _one_sided_many(self, count: int, bits: BitSource) -> NDArray[np.int64]:
        sizes = self._geometric.draw_many(count, bits)
        if self.period == 1:
            return sizes
        sizes *= self.period
        far = self._coin.draw_many(count, bits)
        places = np.flatnonzero(far)
        inside = uniform_below_many(self.step, count, bits)
        if places.size:
            inside[places] = self.step + uniform_below_many(self.period - self.step, places.size, bits)
        sizes += inside
        return sizes


@lru_cache(maxsize=256)
def staircase_draw(epsilon: Fraction, period: int, step: int) -> StaircaseDraw:
    """The sampler for that law, made once."""
    return StaircaseDraw(epsilon, period, step)


def _signs(count: int, bits: BitSource) -> NDArray[np.bool_]:
    octets = bits.words((count + 7) // 8, 8).astype(np.uint8)
    return np.unpackbits(octets, count=count).view(np.bool_)


def _signed(sizes: NDArray[np.int64], bits: BitSource) -> NDArray[np.int64]:
    """Each size with a fair sign, by two's complement: (x ^ -s) + s is -x where s is 1."""
    negative = _signs(sizes.size, bits).astype(np.int64)
    return (sizes ^ -negative) + negative


class _FarPart:
    """P(the second part of the period) = b (period - step) / (step + b (period - step))."""

    def __init__(self, epsilon: Fraction, period: int, step: int) -> None:
        self.epsilon, self.period, self.step = epsilon, period, step

    def __call__(self) -> arb:
        far = exp_ball(-self.epsilon) * (self.period - self.step)
        return far / (self.step + far)


class _JointLaw:
    """P(period and part up to here), for the near and the far part of each period in turn."""

    def __init__(self, epsilon: Fraction, period: int, step: int, periods: int) -> None:
        self.epsilon, self.periods = epsilon, periods
        self.far_part = _FarPart(epsilon, period, step)

    def __call__(self) -> list[arb]:
        far, cumulative = self.far_part(), []
        for k in range(self.periods):
            before, after = 1 - ball(-self.epsilon * k).exp(), 1 - ball(-self.epsilon * (k + 1)).exp()
            cumulative += [before + (after - before) * (1 - far), after]
        return cumulative


class _SizeLaw:
    """P(size ≤ i) for i below the table's end, zero counted once."""

    def __init__(self, epsilon: Fraction, period: int, step: int, periods: int) -> None:
        self.epsilon, self.period, self.step, self.periods = epsilon, period, step, periods

    def __call__(self) -> list[arb]:
        b = exp_ball(-self.epsilon)
        step, period = self.step, self.period
        peak = (1 - b) / (2 * step + 2 * b * (period - step) - (1 - b))
        cumulative, total = [], -peak
        for k in range(self.periods):
            near = 2 * peak * ball(-self.epsilon * k).exp()
            for j in range(period):
                total += near if j < step else near * b
                cumulative.append(total)
        return cumulative
