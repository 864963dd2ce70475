"""The laws a privacy loss can have: where log(p/q) lies when the output was drawn from p.

A law is told to nobody but the account. Each kind answers the same questions for itself: how far apart the two
hypotheses are at a given epsilon, how much mass lies at infinity, where the finite part ends, what the law is when the
two neighbours change places, and how it turns under a Fourier transform, which is how laws of any kind compose.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb, arb_poly, fmpz, fmpz_poly
from numpy.typing import NDArray

from banister.core.exact.numbers import BALL_BITS, ball, exp_ball, precision
from banister.core.programs.linear import Floats, Ints

Singles = NDArray[np.float32]
ROUNDOFF = 2.0**-53
"""Relative error of one rounded operation on doubles."""

LIBRARY_ULPS = 4.0
"""What we grant NumPy's sin, cos, exp, log and arctan2: an error of this many units in the last place."""


@dataclass(frozen=True, slots=True, eq=False)
class Turn:
    """log E[e^(iy(L − centre))] under a tilted law, point by point: never below in size, error as stated."""

    log_size: Floats
    angle: Floats
    error: Floats


class Tilted(ABC):
    """A law whose finite part was multiplied by e^(tilt · L) and scaled to total mass 1."""

    __slots__ = ()
    log_mass: arb
    """The certified log E[e^(tilt · L)] over the finite losses, by which it was scaled."""
    centre: Fraction
    """About the mean of the tilted law; turns are taken around it."""

    @abstractmethod
    def turner(self, period: Fraction) -> "Turner":
        """How to get the transform at the frequencies 2πn/period, for whole numbers n ≥ 0."""

    @abstractmethod
    def sieve(self, period: Fraction) -> "Sieve | None":
        """A quick upper bound on the squared size of the transform, in single precision, where there is one."""


Turner = Callable[[Ints], Turn]
Sieve = Callable[[Floats], Singles]
"""From frequencies to bounds."""


class Law(ABC):
    """The law of log(p/q) under p, for one pair of neighbours."""

    __slots__ = ()

    @abstractmethod
    def hockey_stick(self, epsilon: Fraction) -> arb:
        """E[(1 − e^(epsilon − L))⁺], the mass at infinity included: the delta at that epsilon, of either sign."""

    @abstractmethod
    def infinite(self) -> arb:
        """Mass of the outputs that only the first neighbour can give."""

    @abstractmethod
    def escape(self) -> Fraction | None:
        """The mass at infinity as an exact fraction; nothing where it is known as a ball alone."""

    @abstractmethod
    def top(self) -> Fraction | None:
        """The largest finite loss; nothing where the loss has no bound."""

    @abstractmethod
    def reverse(self) -> "Law":
        """The law when the two neighbours change places; itself for a symmetric pair."""

    @abstractmethod
    def atoms(self) -> Mapping[Fraction, arb] | None:
        """Every finite loss with its mass; nothing where there are infinitely many."""

    @abstractmethod
    def grid(self) -> tuple[Fraction, Fraction] | None:
        """An offset and a unit such that every loss is the offset plus whole units; nothing where there are none."""

    @abstractmethod
    def breaks(self, count: int) -> int | None:
        """How many exponentials so many copies have, in the form of `exponentials`; nothing where they have none."""

    @abstractmethod
    def exponentials(self, count: int) -> "Mapping[Fraction, arb_poly]":
        """E[e^(sL)] of so many copies as Σ e^(a·t)·Q(u), t = s + ½ and u = 1/(2t): the polynomial Q of each end a."""

    @abstractmethod
    def moment(self, order: Fraction) -> arb:
        """E[e^((order − 1)·L)] over the finite losses, for order > 1; infinite where it is not known.

        Its logarithm over order − 1 is the Rényi divergence of that order, which filters add up.
        """

    @abstractmethod
    def gaussian(self) -> Fraction | None:
        """mu² where the pair is that of Gaussian noise, which composes by adding it; nothing elsewhere."""

    @abstractmethod
    def identity(self) -> Hashable:
        """What the law is, in words and exact numbers: equal for equal laws, on every machine."""

    @abstractmethod
    def cumulants(self, tilt: float) -> tuple[float, float, float]:
        """About log E[e^(tilt · L)] and the mean and variance of the tilted law; for planning, not certified."""

    @abstractmethod
    def bounds(self, relative_width: float) -> tuple["Law", "Law"]:
        """Laws that can be tilted: one gives away no less, one no more. Twice itself where it can be tilted."""

    @abstractmethod
    def tilted(self, tilt: Fraction) -> Tilted:
        """The law tilted by e^(tilt · L)."""


@dataclass(frozen=True, slots=True)
class LaplaceLaw(Law):
    """Laplace noise of scale sensitivity/epsilon: atoms at ±epsilon and the density ¼·e^((s − epsilon)/2) between."""

    epsilon: Fraction

    def hockey_stick(self, epsilon: Fraction) -> arb:
        if epsilon >= self.epsilon:
            return arb(0)
        if epsilon <= -self.epsilon:
            return -ball(epsilon).expm1()
        return -ball((epsilon - self.epsilon) / 2).expm1()

    def infinite(self) -> arb:
        return arb(0)

    def escape(self) -> Fraction | None:
        return Fraction(0)

    def top(self) -> Fraction | None:
        return self.epsilon

    def reverse(self) -> "LaplaceLaw":
        return self

    def atoms(self) -> Mapping[Fraction, arb] | None:
        return None

    def grid(self) -> tuple[Fraction, Fraction] | None:
        return None

    def breaks(self, count: int) -> int | None:
        return count + 1

    def exponentials(self, count: int) -> Mapping[Fraction, arb_poly]:
        """½^k·e^(−k·epsilon/2)·C(k, j)·(1 + u)^(k − j)·(1 − u)^j at the end (k − 2j)·epsilon."""
        plus, minus = fmpz_poly([1, 1]), fmpz_poly([1, -1])
        scale = exp_ball(-count * self.epsilon / 2) / arb(2) ** count
        row, found = plus**count, {}
        for j in range(count + 1):
            found[(count - 2 * j) * self.epsilon] = arb_poly(row * fmpz.bin_uiui(count, j)) * scale
            row = (row * minus) // plus if j < count else row
        return found

    def moment(self, order: Fraction) -> arb:
        high, low = exp_ball((order - 1) * self.epsilon), exp_ball(-order * self.epsilon)
        return (ball(order) * high + ball(order - 1) * low) / ball(2 * order - 1)

    def gaussian(self) -> Fraction | None:
        return None

    def identity(self) -> Hashable:
        return ("laplace", self.epsilon)

    def cumulants(self, tilt: float) -> tuple[float, float, float]:
        """log N(t) − epsilon/2 with N(t) = cosh(epsilon·t) + sinh(epsilon·t)/(2t), t = tilt + ½; see docs/math."""
        e, t = float(self.epsilon), tilt + 0.5
        th = math.tanh(e * t)
        value = 1 + th / (2 * t)  # N / cosh
        first = e * th + (e - th / t) / (2 * t)  # N' / cosh
        second = e * e + (e * e * th - 2 * e / t + 2 * th / (t * t)) / (2 * t)
        mean = first / value
        return math.log(value) + _log_cosh(e * t) - e / 2, mean, max(second / value - mean * mean, 0.0)

    def bounds(self, relative_width: float) -> tuple[Law, Law]:
        return self, self

    def tilted(self, tilt: Fraction) -> "TiltedLaplace":
        t, e = ball(tilt + Fraction(1, 2)), ball(self.epsilon)
        log_mass = ((e * t).cosh() + (e * t).sinh() / (2 * t)).log() - e / 2
        return TiltedLaplace(log_mass, Fraction(self.cumulants(float(tilt))[1]), float(self.epsilon), float(tilt) + 0.5)


@dataclass(frozen=True, slots=True, eq=False)
class TiltedLaplace(Tilted):
    log_mass: arb
    centre: Fraction
    epsilon: float
    shifted: float

    def turner(self, period: Fraction) -> Turner:
        return lambda steps: self._turn(frequencies(steps, period))

    def sieve(self, period: Fraction) -> Sieve | None:
        return None

    def _turn(self, y: Floats) -> Turn:
        """N(t + iy)/N(t), each factor of modulus at most 1 after division by cosh(epsilon·t)."""
        e, t = self.epsilon, self.shifted
        th = math.tanh(e * t)
        cosh = np.cos(e * y) + 1j * th * np.sin(e * y)
        sinh = th * np.cos(e * y) + 1j * np.sin(e * y)
        value = (cosh + sinh / (2 * (t + 1j * y))) / (1 + th / (2 * t))
        # About thirty roundings, each relative to at most 3/2, and the rounding of the angle epsilon·y itself.
        error = ROUNDOFF * (128 + 8 * e * np.abs(y))
        size = np.abs(value) + error
        relative = error / np.maximum(size - 2 * error, 1e-300)
        shift = y * float(self.centre)
        return Turn(np.log(size), np.angle(value) - shift, 2 * relative + ROUNDOFF * (16 + 4 * np.abs(shift)))


@dataclass(frozen=True, slots=True)
class GaussianLaw(Law):
    """Gaussian noise, mu = sensitivity/sigma: the loss is normal with mean mu²/2 and variance mu²."""

    mu_squared: Fraction

    def hockey_stick(self, epsilon: Fraction) -> arb:
        with precision(BALL_BITS + 128):  # The two tails nearly cancel when mu is small.
            root = ball(2 * self.mu_squared).sqrt()
            first = (ball(epsilon - self.mu_squared / 2) / root).erfc()
            second = (ball(epsilon + self.mu_squared / 2) / root).erfc()
            return (first - exp_ball(epsilon) * second) / 2

    def infinite(self) -> arb:
        return arb(0)

    def escape(self) -> Fraction | None:
        return Fraction(0)

    def top(self) -> Fraction | None:
        return None

    def reverse(self) -> "GaussianLaw":
        return self

    def atoms(self) -> Mapping[Fraction, arb] | None:
        return None

    def grid(self) -> tuple[Fraction, Fraction] | None:
        return None

    def breaks(self, count: int) -> int | None:
        return None

    def exponentials(self, count: int) -> Mapping[Fraction, arb_poly]:
        raise ArithmeticError("A normal loss has no ends.")

    def moment(self, order: Fraction) -> arb:
        return exp_ball(order * (order - 1) * self.mu_squared / 2)

    def gaussian(self) -> Fraction | None:
        return self.mu_squared

    def identity(self) -> Hashable:
        return ("gaussian", self.mu_squared)

    def cumulants(self, tilt: float) -> tuple[float, float, float]:
        variance = float(self.mu_squared)
        return variance * tilt * (tilt + 1) / 2, variance * (tilt + 0.5), variance

    def bounds(self, relative_width: float) -> tuple[Law, Law]:
        return self, self

    def tilted(self, tilt: Fraction) -> "TiltedGaussian":
        centre = self.mu_squared * (tilt + Fraction(1, 2))
        return TiltedGaussian(ball(self.mu_squared * tilt * (tilt + 1) / 2), centre, float(self.mu_squared))


@dataclass(frozen=True, slots=True, eq=False)
class TiltedGaussian(Tilted):
    log_mass: arb
    centre: Fraction
    variance: float

    def turner(self, period: Fraction) -> Turner:
        return lambda steps: self._turn(frequencies(steps, period))

    def sieve(self, period: Fraction) -> Sieve | None:
        return None

    def _turn(self, y: Floats) -> Turn:
        log_size = -self.variance / 2 * y**2
        error = -log_size * (16 * ROUNDOFF)
        return Turn(log_size + error, np.zeros_like(y), 2 * error)


def frequencies(steps: Ints, period: Fraction) -> Floats:
    """2πn/period, each to a relative error of four roundings."""
    return steps.astype(np.float64) * (2 * math.pi / float(period))


def _log_cosh(x: float) -> float:
    return abs(x) + math.log1p(math.exp(-2 * abs(x))) - math.log(2)
