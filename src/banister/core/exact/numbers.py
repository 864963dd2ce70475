"""Exact numbers, and brackets that are certain to hold what they speak of.

A number that a user gives is an exact fraction (a float is one too). What cannot be a fraction, such as
e^-epsilon, is a ball of certified arithmetic ([J17], the library FLINT) from which brackets and integer
thresholds are read, rounded in the direction that the reader asks for.
"""

import math
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, fmpq

from banister.core.exact.working import precision as precision
from banister.core.exact.written import Number as Number
from banister.core.exact.written import brief as brief
from banister.core.exact.written import brief_down as brief_down
from banister.core.exact.written import nearest
from banister.errors import Uncertified

Computable = Callable[[], arb]
"""A real number as a recipe: a ball that holds it, at the working precision of the moment."""

_MOST_BITS = 1 << 14
BALL_BITS = 256
"""Bits to which balls are kept when nothing else is said: far beyond a double, still microseconds."""


def added_up(values: Iterable[Fraction]) -> Fraction:
    """The exact sum; quick where many have the same denominator, as doubles do.

    >>> added_up([Fraction(1, 4), Fraction(3, 4), Fraction(1, 3)])
    Fraction(4, 3)
    """
    parts: dict[int, int] = {}
    for value in values:
        parts[value.denominator] = parts.get(value.denominator, 0) + value.numerator
    return sum((Fraction(part, whole) for whole, part in parts.items()), Fraction(0))


def ball(value: Fraction | int) -> arb:
    """The exact fraction as a ball at the working precision."""
    return arb(fmpq(value.numerator, value.denominator))


def exp_ball(exponent: Fraction | int) -> arb:
    """e^exponent as a ball at the working precision."""
    return ball(exponent).exp()


def fraction_of(exact_ball: arb) -> Fraction:
    """The exact value of a ball without radius, such as `x.lower()`."""
    mantissa, exponent = exact_ball.man_exp()
    m, e = int(mantissa), int(exponent)
    return Fraction(m << e) if e >= 0 else Fraction(m, 1 << -e)


def fraction_down(x: arb) -> Fraction:
    """An exact fraction at or below the ball."""
    return fraction_of(x.lower())


def fraction_up(x: arb) -> Fraction:
    """An exact fraction at or above the ball."""
    return fraction_of(x.upper())


def scaled_floor(x: arb, bits: int) -> tuple[int, int]:
    """Least and greatest possible value of ⌊2^bits · x⌋ for x in the ball.

    >>> scaled_floor(ball(Fraction(3, 4)), 2)
    (3, 3)
    """
    return _floor_shifted(x.lower(), bits), _floor_shifted(x.upper(), bits)


def _floor_shifted(exact_ball: arb, bits: int) -> int:
    mantissa, exponent = exact_ball.man_exp()
    shift = int(exponent) + bits
    return int(mantissa) << shift if shift >= 0 else int(mantissa) >> -shift  # Python's >> rounds down.


def certainly_positive(value: Computable) -> bool:
    """Whether a computable number that is not 0 is above 0, with as many bits as it takes to tell."""
    bits = BALL_BITS
    while bits <= _MOST_BITS:
        with precision(bits):
            x = value()
        if x > 0 or x < 0:
            return bool(x > 0)
        bits *= 2
    raise Uncertified(
        f"A number could not be told from 0 with {_MOST_BITS} bits. Change a parameter in its last digit."
    )


def float_down(value: Fraction) -> float:
    """The largest double at or below an exact fraction."""
    x = nearest(value)
    return x if x == -math.inf or (x != math.inf and Fraction(x) <= value) else math.nextafter(x, -math.inf)


def float_up(value: Fraction) -> float:
    """The smallest double at or above an exact fraction."""
    return 0.0 - float_down(-value)  # Not the negative zero.


def _double_below(exact_ball: arb) -> float:
    """The largest double at or below; numbers far outside the range of doubles are never written out in full."""
    if not exact_ball.is_finite():
        return -math.inf
    mantissa, exponent = (int(part) for part in exact_ball.man_exp())
    if mantissa.bit_length() + exponent < -1100:
        return 0.0 if mantissa >= 0 else -5e-324
    if mantissa.bit_length() + exponent > 1100:
        return sys.float_info.max if mantissa > 0 else -math.inf
    return float_down(fraction_of(exact_ball))


@dataclass(frozen=True, slots=True)
class Bracket:
    """Two doubles with the truth between them: `down` is never above it, `up` never below.

    >>> Bracket.of_exact(Fraction(1, 3)).up
    0.33333333333333337
    """

    down: float
    up: float

    def __post_init__(self) -> None:
        if not self.down <= self.up:
            raise ArithmeticError(f"A bracket needs down <= up, not [{self.down}, {self.up}].")

    @classmethod
    def of_ball(cls, x: arb) -> "Bracket":
        """The narrowest pair of doubles around a ball."""
        return cls(_double_below(x.lower()), 0.0 - _double_below(-x.upper()))

    @classmethod
    def of_exact(cls, value: Fraction) -> "Bracket":
        """The narrowest pair of doubles around an exact fraction."""
        return cls(float_down(value), float_up(value))

    @property
    def width(self) -> float:
        return self.up - self.down

    def meets(self, relative_width: float) -> bool:
        """Whether the bracket is as narrow as was asked for, relative to its upper end.

        >>> Bracket(0.99, 1.0).meets(0.1), Bracket(0.99, 1.0).meets(1e-6)
        (True, False)
        """
        return self.down == self.up or self.width <= relative_width * abs(self.up)

    def holds(self, value: Fraction | float) -> bool:
        """Whether the value lies in the bracket."""
        return self.down <= value <= self.up
