"""Laws with finitely many exact losses: randomized response, the geometric, every staircase."""

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce

import numpy as np
from flint import arb

from banister.core.composition.law import LIBRARY_ULPS, ROUNDOFF, Law, Tilted, Turn, Turner, frequencies
from banister.core.exact.numbers import ball, exp_ball
from banister.core.programs.linear import Floats, Ints

MANY_ATOMS = 48
"""From here on the transform of a law is tabled at once, where its lattice fits the period."""
LONGEST_TRANSFORM = 1 << 21
FFT_ULPS = 16.0
"""What we grant NumPy's fast Fourier transform a level, relative to the sum of the sizes of its input."""


@dataclass(frozen=True, slots=True, eq=False)
class Atoms(Law):
    """Finitely many exact losses with certified masses, and a mass at infinity. Laws of one key are the same law."""

    key: Hashable
    values: tuple[Fraction, ...]
    masses: tuple[arb, ...]
    beyond: arb
    symmetric: bool = True
    floats: tuple[tuple[float, float], ...] = field(init=False, repr=False)
    """Values and logarithms of their masses in doubles, for planning."""

    def __post_init__(self) -> None:
        pairs = zip(self.values, self.masses, strict=True)
        object.__setattr__(self, "floats", tuple((float(v), float(m.mid().log())) for v, m in pairs if m.mid() > 0))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Atoms) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def hockey_stick(self, epsilon: Fraction) -> arb:
        total = self.beyond
        for value, mass in zip(self.values, self.masses, strict=True):
            if value > epsilon:
                total -= mass * ball(epsilon - value).expm1()
        return total

    def infinite(self) -> arb:
        return self.beyond

    def top(self) -> Fraction | None:
        return max(self.values)

    def reverse(self) -> "Atoms":
        if self.symmetric:
            return self
        masses = tuple(mass * exp_ball(-value) for value, mass in zip(self.values, self.masses, strict=True))
        beyond = arb.max(1 - sum(masses, arb(0)), arb(0))
        return Atoms(("reverse", self.key), tuple(-value for value in self.values), masses, beyond, symmetric=False)

    def atoms(self) -> Mapping[Fraction, arb] | None:
        return dict(zip(self.values, self.masses, strict=True))

    def moment(self, order: Fraction) -> arb:
        terms = (mass * exp_ball((order - 1) * value) for value, mass in zip(self.values, self.masses, strict=True))
        return sum(terms, arb(0))

    def gaussian(self) -> Fraction | None:
        return None

    def identity(self) -> Hashable:
        return self.key

    def cumulants(self, tilt: float) -> tuple[float, float, float]:
        peak, height = max(self.floats, key=lambda pair: pair[1] + tilt * pair[0])
        weights = [(x - peak, math.exp(log - height + tilt * (x - peak))) for x, log in self.floats]
        total = sum(weight for _, weight in weights)
        mean = sum(weight * x for x, weight in weights) / total
        variance = sum(weight * (x - mean) ** 2 for x, weight in weights) / total
        return math.log(total) + height + tilt * peak, mean + peak, variance

    def bounds(self, relative_width: float) -> tuple[Law, Law]:
        return self, self

    def tilted(self, tilt: Fraction) -> "TiltedAtoms":
        weights = [mass * exp_ball(tilt * value) for value, mass in zip(self.values, self.masses, strict=True)]
        total = sum(weights, arb(0))
        shares = [weight / total for weight in weights]
        centre = Fraction(sum(float(s) * float(v) for s, v in zip(shares, self.values, strict=True)))
        blur = sum(float(s.rad()) for s in shares)
        return TiltedAtoms(total.log(), centre, self.values, np.array([float(s.mid()) for s in shares]), blur)


@dataclass(frozen=True, slots=True, eq=False)
class TiltedAtoms(Tilted):
    log_mass: arb
    centre: Fraction
    values: tuple[Fraction, ...]
    shares: Floats
    blur: float
    """How far the shares may be off, added up."""

    def turner(self, period: Fraction) -> Turner:
        if len(self.values) > MANY_ATOMS:
            least, unit = lattice(self.values)
            if (period / unit).denominator == 1 and period / unit <= LONGEST_TRANSFORM:
                return self._tabled(period, least, unit)
        offsets = np.array([float(value - self.centre) for value in self.values])
        return lambda steps: self._turn(frequencies(steps, period), offsets)

    def _turn(self, y: Floats, offsets: Floats) -> Turn:
        """log(1 + w) with w = Σ share·(e^(ix) − 1), so that small frequencies lose nothing.

        Every term of w is at most share·|x| in size, and so is its rounding error up to a constant: w is off by
        `slack` at most, and |1 + w|² by a few times as much.
        """
        real, imaginary = np.zeros_like(y), np.zeros_like(y)
        for share, offset in zip(self.shares, offsets, strict=True):
            half = y * (offset / 2)
            sine = np.sin(half)
            real -= (2 * share) * sine * sine
            imaginary += (2 * share) * sine * np.cos(half)
        far = float(np.max(np.abs(offsets)))
        travel = np.abs(y) * float(self.shares @ np.abs(offsets))
        slack = (8 * LIBRARY_ULPS + 2 * len(offsets)) * ROUNDOFF * travel + 2 * self.blur * np.minimum(
            np.abs(y) * far, 2
        )
        square = 2 * real + real * real + imaginary * imaginary
        wobble = 8 * slack + 32 * ROUNDOFF * np.minimum(travel, 2.0)
        square = np.maximum(square, wobble - 1)
        angle = np.arctan2(imaginary, 1 + real)
        error = 2 * wobble / np.maximum(1 + square - wobble, 1e-300) + 4 * LIBRARY_ULPS * ROUNDOFF * np.abs(angle)
        log_size = 0.5 * np.log1p(square + wobble)
        rounding = 4 * LIBRARY_ULPS * ROUNDOFF * np.abs(log_size)
        return Turn(log_size + rounding, angle, error + 2 * rounding)

    def _tabled(self, period: Fraction, least: Fraction, unit: Fraction) -> Turner:
        """All frequencies at once by a fast transform, off by FFT_ULPS roundings a level of the total share, 1."""
        length = int(period / unit)
        row = np.zeros(length)
        np.add.at(row, [int((value - least) / unit) % length for value in self.values], self.shares)
        table = np.conj(np.fft.fft(row))
        doubt = 2 * self.blur + FFT_ULPS * ROUNDOFF * (1 + math.log2(length))
        way = float(least - self.centre)

        def turn(steps: Ints) -> Turn:
            value = table[steps % length]
            shift = frequencies(steps, period) * way
            size = np.abs(value) + doubt
            error = 2 * doubt / np.maximum(size - 2 * doubt, 1e-300) + ROUNDOFF * (32 + 8 * np.abs(shift))
            return Turn(np.log(size) + 8 * LIBRARY_ULPS * ROUNDOFF, np.angle(value) + shift, error)

        return turn


def lattice(values: Iterable[Fraction]) -> tuple[Fraction, Fraction]:
    """Least value and unit: every value is the least plus a whole number of units. A unit of 0 means one value."""
    least, *more = sorted(values)
    return least, common_unit(value - least for value in more)


def common_unit(values: Iterable[Fraction]) -> Fraction:
    """The largest fraction of which all of these are whole multiples; 0 if all are 0."""
    return reduce(_gcd, values, Fraction(0))


def _gcd(a: Fraction, b: Fraction) -> Fraction:
    denominator = math.lcm(a.denominator, b.denominator)
    return Fraction(
        math.gcd(a.numerator * (denominator // a.denominator), b.numerator * (denominator // b.denominator)),
        denominator,
    )
