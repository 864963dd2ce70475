"""Laws without a common lattice: one tiny Gaussian makes the total smooth, and convexity takes it back.

Composing with one more Gaussian of variance v can only raise delta, by the average U(g) = E[delta(g − G)] with G normal
of mean v/2 and variance v. And delta is convex in e^g, so that on both sides of g it lies below chords to points where
U bounds it; solving for delta(g) gives a lower bound. Both are off by a multiple of v, not of its root.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from banister.core.composition.contour import WORK_BITS, Spectrum
from banister.core.exact.numbers import ball, precision

CHORD = Fraction(13, 2)
"""How many standard deviations the chords reach to each side."""


@dataclass(frozen=True, slots=True, eq=False)
class Smoothed:
    """Bounds on delta from the spectrum of the terms and one extra Gaussian of variance `extra`."""

    spectrum: Spectrum
    extra: Fraction

    def upper(self, point: Fraction) -> arb:
        """Never below delta(point)."""
        return self.spectrum.delta(point)

    def lower(self, point: Fraction) -> arb:
        """Never above delta(point)."""
        if self.extra == 0:
            return self.spectrum.delta(point)
        with precision(WORK_BITS):
            v = ball(self.extra)
            reach = Fraction(math.ceil(float(CHORD) * math.sqrt(float(self.extra)) * 2**60), 2**60)
            a = ball(reach)
            left = (_mass(arb(0), a, v / 2, v) - _mass(arb(0), a, -v / 2, v)) / -(-a).expm1()
            right = (_mass(-a, arb(0), -v / 2, v) - _mass(-a, arb(0), v / 2, v)) / a.expm1()
            centre = _mass(-a, a, v / 2, v) - left - right
            near, far = self.spectrum.delta(point - reach), self.spectrum.delta(point + reach)
            rest = self._beyond(point, a, v) + far * _tail((a + v / 2) / v.sqrt())
            found = (self.spectrum.delta(point) - left * near - right * far - rest) / centre
            return arb.max(found, arb(0))

    def _beyond(self, point: Fraction, a: arb, v: arb) -> arb:
        """∫ delta(point − s) over s > a, by Chernoff: delta(g) ≤ M(c)·e^(−cg), which shifts the normal law by c·v."""
        c = ball(self.spectrum.tilt)
        return (self.spectrum.log_mass - c * ball(point)).exp() * _tail((a - v / 2 - c * v) / v.sqrt())


def _tail(x: arb) -> arb:
    return (x / arb(2).sqrt()).erfc() / 2


def _mass(low: arb, high: arb, mean: arb, variance: arb) -> arb:
    root = variance.sqrt()
    return _tail((low - mean) / root) - _tail((high - mean) / root)
