"""A cost written exactly, piece by piece: on each stretch a constant and a multiple of a power of the error."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from flint import arb
from numpy.typing import NDArray

from banister.core.exact.numbers import BALL_BITS, Bracket, ball, precision
from banister.core.laws.power_sums import power_of
from banister.errors import BadValue, Uncertified

Floats = NDArray[np.float64]
Moment = Callable[[Fraction, Fraction], arb]
"""E[|X|^p; |X| > x] of a law, as a ball at the working precision, from p ≥ 0 and x ≥ 0."""

_FIRST_BITS = 128
_MOST_BITS = 1 << 13
_GOOD_ENOUGH = 2.0**-56


@dataclass(frozen=True, slots=True)
class CostPiece:
    """constant + factor · size^exponent for sizes above the edge, up to and including the edge of the next piece."""

    above: Fraction
    constant: Fraction
    factor: Fraction = Fraction(0)
    exponent: Fraction = Fraction(1)


@dataclass(frozen=True, slots=True)
class Pieces:
    """What an error of size 0 costs, and the pieces for larger ones, the first above 0. Errors are counted in units."""

    zero: Fraction
    pieces: tuple[CostPiece, ...]
    unit: Fraction = Fraction(1)

    @classmethod
    def power(cls, exponent: Fraction) -> "Pieces":
        return cls(Fraction(0), (CostPiece(Fraction(0), Fraction(0), Fraction(1), exponent),))

    @classmethod
    def beyond(cls, limit: Fraction) -> "Pieces":
        low = (CostPiece(Fraction(0), Fraction(0)),) if limit else ()
        return cls(Fraction(0), (*low, CostPiece(limit, Fraction(1))))

    def __post_init__(self) -> None:
        if not self.pieces or self.pieces[0].above != 0:
            raise BadValue("The first piece of a cost must begin at 0.")
        with precision(BALL_BITS):
            before = ball(self.zero)
            for place, piece in enumerate(self.pieces):
                if place and piece.above <= self.pieces[place - 1].above:
                    raise BadValue(f"The pieces of a cost must follow each other; {float(piece.above):g} comes late.")
                if piece.factor < 0 or piece.exponent <= 0:
                    raise BadValue("Each piece of a cost needs a factor of 0 or more and an exponent above 0.")
                if self._inside(piece, ball(piece.above)) < before:
                    raise BadValue(
                        f"The cost falls at an error of {float(piece.above):g}. A larger error must never cost less."
                    )
                if place + 1 < len(self.pieces):
                    before = self._inside(piece, ball(self.pieces[place + 1].above))

    @staticmethod
    def _inside(piece: CostPiece, size: arb) -> arb:
        return ball(piece.constant) + ball(piece.factor) * power_of(size, piece.exponent)

    def at(self, size: Fraction) -> arb:
        """The cost of an error of so many units, at the working precision."""
        x = size * self.unit
        if x == 0:
            return ball(self.zero)
        return self._inside([each for each in self.pieces if each.above < x][-1], ball(x))

    def in_units(self, unit: Fraction) -> "Pieces":
        """The same cost for errors counted in that unit."""
        return replace(self, unit=self.unit * unit)

    def __call__(self, x: Floats) -> Floats:
        """The cost of many sizes, in doubles."""
        scaled = np.asarray(x, dtype=np.float64) * float(self.unit)
        total = np.full(scaled.shape, float(self.zero))
        for piece in self.pieces:
            here = scaled > float(piece.above)
            total[here] = float(piece.constant)
            if piece.factor:
                total[here] += float(piece.factor) * scaled[here] ** float(piece.exponent)
        return total

    def expected(self, moment: Moment, at_zero: arb) -> arb:
        """E L(|X|) from the moments of a law beyond an edge, and P(X = 0), at the working precision."""
        total = ball(self.zero) * at_zero
        edges = [piece.above / self.unit for piece in self.pieces]
        for place, piece in enumerate(self.pieces):
            for factor, exponent in ((piece.constant, Fraction(0)), (piece.factor, piece.exponent)):
                if factor:
                    inside = moment(exponent, edges[place])
                    if place + 1 < len(edges):
                        inside -= moment(exponent, edges[place + 1])
                    total += ball(factor) * power_of(ball(self.unit), exponent) * inside
        return total


def certified(value: Callable[[], arb], *, good: float = _GOOD_ENOUGH) -> arb:
    """A number that is 0 or more, with as many bits as it takes to know it to about a double; 0 is found too."""
    bits = _FIRST_BITS
    while bits <= _MOST_BITS:
        with precision(bits):
            x = value()
            if x == 0 or (x > 0 and x.rad() <= good * x.mid()):
                return x
        bits *= 2
    if x.is_finite() and x.upper() < arb(2) ** -1100:
        return arb(0).union(x.upper())
    raise Uncertified(f"An expected cost could not be told with {_MOST_BITS} bits. Take a cost with fewer edges.")


def bracket(value: Callable[[], arb]) -> Bracket:
    """The same as two doubles with the truth between them."""
    with precision(BALL_BITS):
        found = Bracket.of_ball(certified(value))
    return Bracket(max(0.0, found.down), found.up)


def expected_bracket(
    written: Pieces | None, moment: Callable[[Fraction, Fraction], arb | None], at_zero: Callable[[], arb]
) -> Bracket | None:
    """The expected cost of a law between two doubles; nothing for a cost or a law that only doubles know."""
    if written is None or moment(Fraction(0), Fraction(0)) is None:
        return None

    def told(exponent: Fraction, above: Fraction) -> arb:
        found = moment(exponent, above)
        return arb.nan() if found is None else found

    return bracket(lambda: written.expected(told, at_zero()))
