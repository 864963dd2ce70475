"""The loss of discrete Gaussian noise, which lies on a lattice: (Δ² − 2iΔ)/(2 sigma²) for the noise i.

Tilting it by e^(c·L) moves the centre of the noise by −c·Δ and changes nothing else, so every tilted law is known by a
short sum around its centre, however far out that is.
"""

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb, arb_poly

from banister.core.composition.atoms import TiltedAtoms
from banister.core.composition.curve import CurveLaw
from banister.core.composition.law import Law
from banister.core.exact.numbers import BALL_BITS, ball, exp_ball, precision
from banister.core.laws.gaussian_sum import gaussian_total, gaussian_upper_sum

REACH = 9
"""Sums go so many sigma to each side of the centre, and one more: beyond lies less than e^-40 of the mass."""
SMOOTH = 4
"""From this sigma on the sum over the integers is the integral, up to e^-300."""
MOST_SIGMA = 1 << 9
"""Above this the lattice is too fine to be worth it, and a composition goes through the curve on a coarser grid."""


def hockey_stick(sigma: Fraction, shift: int, epsilon: Fraction) -> arb:
    """delta at epsilon for a neighbour that moves the answer by `shift`, as a ball.

    Exact:  P(i ≥ first) − e^epsilon·P(i ≥ first + shift) with the first outcome that speaks for the neighbour without
            the shift ([CKS20] Thm 7).
    """
    with precision(BALL_BITS):
        centre = epsilon * sigma**2 / shift
        first = math.floor(centre - Fraction(shift, 2)) + 1
        mine = gaussian_upper_sum(sigma, first)
        others = gaussian_upper_sum(sigma, first + shift)
        return (mine - exp_ball(epsilon) * others) / gaussian_total(sigma)


@dataclass(frozen=True, slots=True)
class DiscreteGaussianLaw(Law):
    """Noise i with P(i) ∝ e^(−i²/2 sigma²) on the integers, for a neighbour that moves the answer by `shift`."""

    sigma: Fraction
    shift: int

    def hockey_stick(self, epsilon: Fraction) -> arb:
        if epsilon >= 0:
            return hockey_stick(self.sigma, self.shift, epsilon)
        return -ball(epsilon).expm1() + exp_ball(epsilon) * hockey_stick(self.sigma, self.shift, -epsilon)

    def infinite(self) -> arb:
        return arb(0)

    def escape(self) -> Fraction | None:
        return Fraction(0)

    def top(self) -> Fraction | None:
        return None

    def reverse(self) -> "DiscreteGaussianLaw":
        return self

    def atoms(self) -> Mapping[Fraction, arb] | None:
        return None

    def grid(self) -> tuple[Fraction, Fraction] | None:
        return (self._loss(0), self.shift / self.sigma**2) if self.sigma <= MOST_SIGMA else None

    def breaks(self, count: int) -> int | None:
        return None

    def exponentials(self, count: int) -> Mapping[Fraction, arb_poly]:
        raise ArithmeticError("A loss without bounds has no ends.")

    def moment(self, order: Fraction) -> arb:
        return self._log_mass(order - 1).exp()

    def gaussian(self) -> Fraction | None:
        return None

    def identity(self) -> Hashable:
        return ("discrete gaussian", self.sigma, self.shift)

    def cumulants(self, tilt: float) -> tuple[float, float, float]:
        sigma, shift = float(self.sigma), self.shift
        centre = -tilt * shift
        far = self._far()
        noise = np.arange(math.floor(centre) - far, math.ceil(centre) + far + 1, dtype=np.float64)
        heights = -((noise - centre) ** 2) / (2 * sigma**2)
        peak = float(heights.max())
        weights = np.exp(heights - peak)
        total = float(weights.sum())
        mean = float(weights @ noise) / total
        variance = float(weights @ (noise - mean) ** 2) / total
        log_mass = tilt * (tilt + 1) * shift**2 / (2 * sigma**2) + peak + math.log(total)
        log_mass -= math.log(float(self._around_zero()))
        return log_mass, (shift**2 - 2 * mean * shift) / (2 * sigma**2), variance * (shift / sigma**2) ** 2

    def bounds(self, relative_width: float) -> tuple[Law, Law]:
        if self.sigma <= MOST_SIGMA:
            return self, self
        return CurveLaw(self.identity(), self.hockey_stick, self.hockey_stick).bounds(relative_width)

    def tilted(self, tilt: Fraction) -> TiltedAtoms:
        """The noise around −tilt·Δ; what lies beyond the sum counts as doubt about the shares."""
        noise, weights = self._weights(tilt)
        total = sum(weights, arb(0))
        shares = [weight / total for weight in weights]
        values = tuple(self._loss(i) for i in noise)
        centre = Fraction(self.cumulants(float(tilt))[1])
        blur = sum(float(s.rad()) for s in shares) + 4 * float((self._rest() / total).upper())
        middles = np.array([float(s.mid()) for s in shares])
        return TiltedAtoms(self._log_mass(tilt), centre, values, middles, blur)

    def _log_mass(self, tilt: Fraction) -> arb:
        """log E[e^(tilt·L)] = tilt·(tilt + 1)·Δ²/(2 sigma²) + log of two sums, one around −tilt·Δ and one around 0."""
        outside = ball(tilt * (tilt + 1) * self.shift**2 / (2 * self.sigma**2))
        return outside + (self._sum(tilt) / self._around_zero()).log()

    def _sum(self, tilt: Fraction) -> arb:
        """Σ e^(−(i + tilt·Δ)²/2 sigma²) over the integers i.

        By Poisson's formula it is sigma·√(2π)·(1 + 2·Σ e^(−2π²m²sigma²)·cos(…)) over m ≥ 1, within a hair of the first
        factor unless sigma is small.
        """
        if self.sigma >= SMOOTH:
            doubt = 3 * (-2 * arb.pi() ** 2 * ball(self.sigma**2)).exp()
            return ball(self.sigma) * (2 * arb.pi()).sqrt() * (1 + (-doubt).union(doubt))
        return sum(self._weights(tilt)[1], arb(0)) + arb(0).union(self._rest())

    def _around_zero(self) -> arb:
        return self._sum(Fraction(0))

    def _weights(self, tilt: Fraction) -> tuple[range, list[arb]]:
        centre = -tilt * self.shift
        noise = range(math.floor(centre) - self._far(), math.ceil(centre) + self._far() + 1)
        return noise, [exp_ball(-((i - centre) ** 2) / (2 * self.sigma**2)) for i in noise]

    def _far(self) -> int:
        return math.ceil(REACH * self.sigma) + 1

    def _rest(self) -> arb:
        """Both tails beyond: they start at least `far` away, and from there each term falls by e^(−far/sigma²)."""
        far = self._far()
        return 2 * exp_ball(Fraction(-(far**2)) / (2 * self.sigma**2)) / (1 - exp_ball(-far / self.sigma**2))

    def _loss(self, noise: int) -> Fraction:
        return (self.shift**2 - 2 * noise * self.shift) / (2 * self.sigma**2)
