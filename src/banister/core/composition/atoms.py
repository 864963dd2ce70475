"""Laws with finitely many exact losses: randomized response, the geometric, every staircase."""

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from itertools import groupby
from typing import cast

import numpy as np
from flint import arb, arb_poly

from banister.core.composition.law import LIBRARY_ULPS, ROUNDOFF, Law, Sieve, Singles, Tilted, Turn, Turner, frequencies
from banister.core.exact.numbers import ball, exp_ball, fraction_of
from banister.core.programs.linear import Floats, Ints

MANY_ATOMS = 48
"""From here on the transform of a law is tabled at once, where its lattice fits the period."""
LONGEST_TRANSFORM = 1 << 21
TAKEN_TOGETHER = 64
"""So many laws of two losses are transformed at once; in between, frequencies that no longer matter are dropped."""
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
    escapes: tuple[Fraction | None, Fraction | None] = (None, None)
    """The mass at infinity in each order of the neighbours as an exact fraction, where it is one."""
    floats: tuple[tuple[float, float], ...] = field(init=False, repr=False)
    """Values and logarithms of their masses in doubles, for planning."""
    table: Mapping[Fraction, arb] = field(init=False, repr=False)
    """The mass of each value."""
    hashed: int = field(init=False, repr=False)
    """The hash of the key: hashes of fractions take long, and a law is looked up a dozen times."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "table", dict(zip(self.values, self.masses, strict=True)))
        object.__setattr__(self, "hashed", hash(self.key))
        pairs = zip(self.values, self.masses, strict=True)
        object.__setattr__(self, "floats", tuple((float(v), float(m.mid().log())) for v, m in pairs if m.mid() > 0))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Atoms) and self.key == other.key

    def __hash__(self) -> int:
        return self.hashed

    def hockey_stick(self, epsilon: Fraction) -> arb:
        total = self.beyond
        for value, mass in zip(self.values, self.masses, strict=True):
            if value > epsilon:
                total -= mass * ball(epsilon - value).expm1()
        return total

    def infinite(self) -> arb:
        return self.beyond

    def escape(self) -> Fraction | None:
        if self.escapes[0] is not None:
            return self.escapes[0]
        return fraction_of(self.beyond) if self.beyond.is_exact() else None

    def top(self) -> Fraction | None:
        return max(self.values)

    def reverse(self) -> "Atoms":
        if self.symmetric:
            return self
        masses = tuple(mass * exp_ball(-value) for value, mass in zip(self.values, self.masses, strict=True))
        exact = self.escapes[1]
        beyond = arb.max(1 - sum(masses, arb(0)), arb(0)) if exact is None else ball(exact)
        values = tuple(-value for value in self.values)
        return Atoms(("reverse", self.key), values, masses, beyond, symmetric=False, escapes=self.escapes[::-1])

    def atoms(self) -> Mapping[Fraction, arb] | None:
        return self.table

    def grid(self) -> tuple[Fraction, Fraction] | None:
        return lattice(self.values)

    def breaks(self, count: int) -> int | None:
        least, unit = lattice(self.values)
        return 1 if unit == 0 else 1 + int(count * (max(self.values) - least) / unit)

    def exponentials(self, count: int) -> Mapping[Fraction, arb_poly]:
        return {value: arb_poly([mass * exp_ball(-value / 2)]) for value, mass in self.powers(count)}

    def powers(self, count: int) -> Iterator[tuple[Fraction, arb]]:
        """Every finite loss of so many copies, with its mass."""
        least, unit = lattice(self.values)
        row = [arb(0)] * (1 + int((max(self.values) - least) / (unit or 1)))
        for value, mass in zip(self.values, self.masses, strict=True):
            row[int((value - least) / (unit or 1))] = mass
        for place, mass in enumerate((arb_poly(row) ** count).coeffs()):
            yield count * least + place * unit, mass

    def moment(self, order: Fraction) -> arb:
        rate, total = ball(order - 1), arb(0)
        for value, mass in zip(self.values, self.masses, strict=True):
            total += mass * (rate * ball(value)).exp()
        return total

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
        rate = ball(tilt)
        weights = [mass * (rate * ball(value)).exp() for value, mass in zip(self.values, self.masses, strict=True)]
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

    def sieve(self, period: Fraction) -> Sieve | None:
        """For two losses at a distance d the squared size is 1 − 4·p·q·sin²(y·d/2), here never below it.

        The angle is rounded to 24 bits and NumPy's single sine is granted 2^-20, so sin² is off by `slack` at most.
        """
        if len(self.values) != 2:
            return None
        half = abs(float(self.values[0] - self.values[1])) / 2
        deep = max(0.0, 4 * float(self.shares[0]) * float(self.shares[1]) - 8 * self.blur - 2.0**-40)

        def bound(y: Floats) -> Singles:
            angle = y * half
            sine = np.sin(angle.astype(np.float32))
            slack = 2.0**-22 * float(np.max(angle, initial=0.0)) + 2.0**-18
            found: Singles = np.float32((1 + deep * slack) * (1 + 2.0**-18)) - np.float32(deep) * (sine * sine)
            return found

        return bound

    def _turn(self, y: Floats, offsets: Floats) -> Turn:
        rows = _turns(y, self.shares[None], offsets[None], np.array([self.blur]))
        return Turn(rows.log_size[0], rows.angle[0], rows.error[0])

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


def turners(tilted: Sequence[tuple[Tilted, int]], period: Fraction) -> list[tuple[Turner, int]]:
    """How to get the transforms of many laws, in their order; neighbours of two losses each are taken together."""
    found: list[tuple[Turner, int]] = []
    for pairs, group in groupby(tilted, key=lambda each: isinstance(each[0], TiltedAtoms) and len(each[0].values) == 2):
        laws = list(group)
        if not pairs:
            found += [(each.turner(period), count) for each, count in laws]
            continue
        for start in range(0, len(laws), TAKEN_TOGETHER):
            some = laws[start : start + TAKEN_TOGETHER]
            found.append((_together(cast("list[tuple[TiltedAtoms, int]]", some), period), 1))
    return found


def _together(laws: Sequence[tuple[TiltedAtoms, int]], period: Fraction) -> Turner:
    """The transform of the composition of these, which have the same number of losses."""
    shares = np.array([law.shares for law, _ in laws])
    offsets = np.array([[float(value - law.centre) for value in law.values] for law, _ in laws])
    blur, counts = np.array([law.blur for law, _ in laws]), np.array([float(count) for _, count in laws])

    def turn(steps: Ints) -> Turn:
        rows = _turns(frequencies(steps, period), shares, offsets, blur)
        log_size, angle = counts @ rows.log_size, counts @ rows.angle
        # Sums of so many numbers are off by as many roundings of the sum of their sizes; bounds on sizes stay bounds.
        rounding = 2 * (len(laws) + 2) * ROUNDOFF * (counts @ np.abs(rows.log_size))
        error = counts @ rows.error + 2 * (len(laws) + 2) * ROUNDOFF * (counts @ np.abs(rows.angle))
        return Turn(log_size + rounding, angle, error * (1 + 2.0**-40) + 2 * rounding)

    return turn


def _turns(y: Floats, shares: Floats, offsets: Floats, blur: Floats) -> Turn:
    """log(1 + w) with w = Σ share·(e^(ix) − 1), a row for each law, so that small frequencies lose nothing.

    Every term of w is at most share·|x| in size, and so is its rounding error up to a constant: w is off by
    `slack` at most, and |1 + w|² by a few times as much.
    """
    real, imaginary = np.zeros((len(shares), y.size)), np.zeros((len(shares), y.size))
    for place in range(shares.shape[1]):
        share, offset = shares[:, place, None], offsets[:, place, None]
        half = y * (offset / 2)
        sine = np.sin(half)
        real -= (2 * share) * sine * sine
        imaginary += (2 * share) * sine * np.cos(half)
    far = np.max(np.abs(offsets), axis=1)[:, None]
    travel = np.abs(y) * np.sum(shares * np.abs(offsets), axis=1)[:, None]
    slack = (8 * LIBRARY_ULPS + 2 * shares.shape[1]) * ROUNDOFF * travel
    slack += 2 * blur[:, None] * np.minimum(np.abs(y) * far, 2)
    square = 2 * real + real * real + imaginary * imaginary
    wobble = 8 * slack + 32 * ROUNDOFF * np.minimum(travel, 2.0)
    square = np.maximum(square, wobble - 1)
    angle = np.arctan2(imaginary, 1 + real)
    error = 2 * wobble / np.maximum(1 + square - wobble, 1e-300) + 4 * LIBRARY_ULPS * ROUNDOFF * np.abs(angle)
    log_size = 0.5 * np.log1p(square + wobble)
    rounding = 4 * LIBRARY_ULPS * ROUNDOFF * np.abs(log_size)
    return Turn(log_size + rounding, angle, error + 2 * rounding)


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
