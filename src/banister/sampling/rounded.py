"""The nearest lattice point to value + scale · X, exactly, for an ideal real-valued X.

A real X is an infinite expansion of which one only needs enough to know on which side of a rounding boundary
the sum lies. Let U be uniform, read bit by bit, with P(|X| > x) = U at x = |X|. The first 64 bits put |X| into a tiny
interval; if the whole interval rounds to one lattice point, that is the answer, and otherwise more bits are drawn. The
result has exactly the law of the rounded ideal mechanism, so its privacy is that of the ideal one (post-processing).

Doubles settle the draws that are not close to a boundary; close ones are settled in certified arithmetic.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist
from typing import Protocol, TypeVar

import numpy as np
from flint import arb, fmpz
from numpy.typing import NDArray

from banister.core.exact.numbers import ball, precision, scaled_floor
from banister.errors import Uncertified
from banister.sampling.bits import BitSource

_RELATIVE_MARGIN = 2.0**-40
"""Relative error allowed to a double quantile: a thousand times what the libraries in use show, and `trusted` asks."""
_TAIL_ROUNDED = 2.0**-50
_CHECKED = 2.0**-46
"""What is asked of the libraries' quantiles at the points where they are checked: 64 times less than is granted."""
_FEW = 1 << 28
"""Below this many units of 2^-64 the tail is too thin for doubles and is settled exactly."""


_STANDARD_NORMAL = NormalDist()


class SizeLaw(Protocol):
    """The law of |X| through its upper quantile, in doubles and in certified arithmetic."""

    def __hash__(self) -> int: ...

    def nearly(self, tail: NDArray[np.float64]) -> NDArray[np.float64]:
        """x with P(|X| > x) = tail, to a relative error far below 2^-40."""
        ...

    def nearly_one(self, tail: float) -> float:
        """The same for one value."""
        ...

    def exactly(self, tail: arb) -> arb:
        """The same as a ball."""
        ...


@dataclass(frozen=True, slots=True)
class NormalSize:
    """|X| for a standard normal X: P(|X| > x) = erfc(x / √2)."""

    def nearly(self, tail: NDArray[np.float64]) -> NDArray[np.float64]:
        from scipy.special import ndtri

        return np.asarray(-ndtri(0.5 * tail), dtype=np.float64)

    def nearly_one(self, tail: float) -> float:
        return -_STANDARD_NORMAL.inv_cdf(0.5 * tail)

    def exactly(self, tail: arb) -> arb:
        return tail.erfcinv() * arb(2).sqrt()


@dataclass(frozen=True, slots=True)
class ExponentialSize:
    """|X| for a standard Laplace X: P(|X| > x) = e^-x."""

    def nearly(self, tail: NDArray[np.float64]) -> NDArray[np.float64]:
        return -np.log(tail)

    def nearly_one(self, tail: float) -> float:
        return -math.log(tail)

    def exactly(self, tail: arb) -> arb:
        return -tail.log()


@lru_cache(maxsize=8)
def trusted(law: SizeLaw) -> SizeLaw:
    """The law, once its doubles were compared with certified ones at a few hundred tails, in this very process.

    What is granted to them is 2^-40 of the quantile. At the checked tails, from 2^-36 to 1 - 2^-50, they must keep to
    2^-46, so that nothing is assumed but that they are not 64 times worse between those.
    """
    tails = _tails()
    with precision(160):
        for tail, found in zip(tails, law.nearly(np.array(tails)).tolist(), strict=True):
            truth = law.exactly(ball(Fraction(tail)))
            for quick in (found, law.nearly_one(tail)):
                if not abs(ball(Fraction(quick)) - truth) <= truth * arb(_CHECKED):
                    raise Uncertified(
                        f"At the tail {tail!r} the quantile of {type(law).__name__} in the libraries in use is off by "
                        "more than 2^-46 of it, so exact noise cannot be drawn with them. Install other versions of "
                        "NumPy, SciPy or Python."
                    )
    return law


def _tails() -> list[float]:
    """Five in each octave down to where doubles are not used, and some ever nearer to 1."""
    octaves = [math.ldexp(part, -k) for k in range(1, 37) for part in (1.0, 1.17, 1.37, 1.61, 1.83)]
    return octaves + [1 - math.ldexp(1.0, -k) for k in range(2, 51)]


def rounded_many(parts: NDArray[np.float64], scale: Fraction, law: SizeLaw, bits: BitSource) -> NDArray[np.int64]:
    """⌊part + 1/2 + scale · X⌋ for each part from -1/2 to 1/2, with independent X."""
    words = bits.words(parts.size, 64)
    negative = np.unpackbits(bits.words((parts.size + 7) // 8, 8).astype(np.uint8), count=parts.size)
    spread = float(scale)
    tail = words.astype(np.float64)
    tail += 0.5
    tail *= 2.0**-64
    reach = trusted(law).nearly(tail)
    reach *= spread
    margin = _margin(reach, spread, tail * 2.0**64)
    reach *= 1 - 2 * negative.astype(np.float64)
    reach += parts
    reach += 0.5
    whole = np.floor(reach)
    # What is left of a double above its floor is exact; nearer to a whole number than the margin, it does not decide.
    reach -= whole
    reach -= 0.5
    close = np.abs(reach, out=reach) + margin >= 0.5
    values = whole.astype(np.int64)
    close |= words < _FEW
    for place in np.flatnonzero(close):
        sign = -1 if negative[place] else 1
        values[place] = _settle(Fraction(float(parts[place])), sign * scale, law, int(words[place]), 64, bits)
    return values


class Scale:
    """A scale as the fraction it is and as a double, which is made once."""

    __slots__ = ("exact", "nearly")

    def __init__(self, exact: Fraction) -> None:
        self.exact, self.nearly = exact, float(exact)


def rounded_one(
    part: Fraction | float, scale: Fraction | Scale, law: SizeLaw, bits: BitSource, *, word: int = 64
) -> int:
    """⌊part + 1/2 + scale · X⌋ for one exact part from -1/2 to 1/2."""
    spread = scale if isinstance(scale, Scale) else Scale(scale)
    sign = -1 if bits.take(1) else 1
    prefix = bits.take(word)
    if word == 64 and prefix >= _FEW:
        reach = spread.nearly * trusted(law).nearly_one((prefix + 0.5) * 2.0**-64)
        total = float(part) + 0.5 + sign * reach
        margin = _margin(reach, spread.nearly, prefix)
        if math.floor(total - margin) == math.floor(total + margin):
            return math.floor(total)
    return _settle(Fraction(part), sign * spread.exact, law, prefix, word, bits, word=word)


F = TypeVar("F", float, NDArray[np.float64])


def _margin(reach: F, scale: float, word: F) -> F:
    """How far a sum of doubles may be from the truth.

    The word leaves 2^-64 of the tail open, which moves |X| by less than 2 / word for both laws here. As a double the
    tail is off by 2^-52 of itself, which moves |X| by less than 2^-51 for both: where |X| is tiny, that is most of it.
    """
    return reach * _RELATIVE_MARGIN + 2.0 * scale / word + scale * _TAIL_ROUNDED + 2.0**-40


def _settle(
    part: Fraction, scale: Fraction, law: SizeLaw, prefix: int, length: int, bits: BitSource, *, word: int = 64
) -> int:
    while True:
        if prefix:
            with precision(2 * length + 64):
                unit = arb(fmpz(1) << length)
                size = law.exactly(arb(fmpz(prefix)) / unit).union(law.exactly(arb(fmpz(prefix + 1)) / unit))
                low, high = scaled_floor(ball(part) + ball(Fraction(1, 2)) + ball(scale) * size, 0)
            if low == high:
                return low
        prefix = (prefix << word) | bits.take(word)
        length += word
