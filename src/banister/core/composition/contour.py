"""Composition of any laws, by one certified sum along a line in the complex plane.

The transform of a sum of independent losses is the product of their transforms, so the delta of the composition is

    delta(g) = (1/2π) ∫ M(c + iy) · e^(−g(c + iy)) / ((c + iy)(c + 1 + iy)) dy        for every c > 0,

where M(s) = Π E[e^(sL)] over the finite losses. With c at the saddle point the integrand is a bump without
cancellation, however small delta is. The integral is replaced by a sum over equidistant y; by Poisson's formula the
sum is exact up to a series of non-negative terms that Chernoff's inequality bounds. Where all losses lie on one
lattice the integrand is periodic and the sum has finitely many terms. Every rounding error is bounded and carried
along. The proofs: docs/math/composition.md.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np
from flint import arb

from banister.core.composition.atoms import turners
from banister.core.composition.law import ROUNDOFF, Law, Sieve, Turner, frequencies
from banister.core.exact.numbers import added_up, ball, precision
from banister.core.programs.linear import Floats, Ints

Terms = Sequence[tuple[Law, int]]
WORK_BITS = 128
"""Bits of the certified factors M(c)·e^(−cg) around the sum in doubles."""
NEGLIGIBLE = -52.0
"""Points whose transform is below e^NEGLIGIBLE are left out, and what they could add is counted as error."""
CHUNK = 1 << 16
WORTH_SIEVING = 1 << 10
SIEVED_AT_ONCE = 16
"""So many laws are sieved with before the points that have become negligible are dropped."""


class Kernel(Protocol):
    """What the transform of the total is summed against."""

    def steps(self) -> int:
        """How many points y = 2πn/period, n ≥ 0, the sum has; those below 0 are their mirror images."""
        ...

    def weights(self, tilt: float, y: Floats, point: Fraction) -> tuple[Floats, Floats, Fraction]:
        """Size and angle of the weight of each point (mirror image included), and the exact place it turns around."""
        ...

    @property
    def period(self) -> Fraction:
        """The spacing of the echoes of delta(g) that the sum adds; exact."""
        ...

    def ceiling(self, tilt: float, y: Floats) -> Floats:
        """A bound on the size of the weights, wherever g is."""
        ...

    def left_out(self, tilt: float) -> float:
        """A bound on what the points beyond the last one could add."""
        ...


@dataclass(frozen=True, slots=True)
class WholeLine:
    """The whole line, cut where a Gaussian factor of this variance has made the transform negligible."""

    period: Fraction
    variance: float
    points: int

    def steps(self) -> int:
        return self.points

    def weights(self, tilt: float, y: Floats, point: Fraction) -> tuple[Floats, Floats, Fraction]:
        near, far = tilt + 1j * y, tilt + 1 + 1j * y
        size = 1 / (np.abs(near) * np.abs(far)) / float(self.period)
        return np.where(y > 0, 2 * size, size), -np.angle(near) - np.angle(far), point

    def ceiling(self, tilt: float, y: Floats) -> Floats:
        bound: Floats = 2.01 / float(self.period) / (tilt * tilt + y * y)
        return bound

    def left_out(self, tilt: float) -> float:
        last = self.points * 2 * math.pi / float(self.period) * (1 - 1e-12)
        edge = (self.points - 1) * 2 * math.pi / float(self.period) * (1 - 1e-12)
        # Σ over n ≥ points of 2/P · e^(−v·y²/2)/y², which lies below an integral from `edge`.
        return 1.01 * math.exp(-self.variance * last * last / 2) / (math.pi * edge)


@dataclass(frozen=True, slots=True)
class Circle:
    """One turn, for losses that all lie on offset + unit · integer: a finite sum of `points` terms."""

    offset: Fraction
    unit: Fraction
    points: int

    @property
    def period(self) -> Fraction:
        return self.unit * self.points

    def steps(self) -> int:
        return self.points // 2 + 1

    def weights(self, tilt: float, y: Floats, point: Fraction) -> tuple[Floats, Floats, Fraction]:
        """Σ e^(−s(v − g))·(1 − e^(g − v)) over the lattice points v above g, in closed form without cancellation."""
        steps = -((self.offset - point) // self.unit)  # Least integer with offset + unit·steps ≥ point.
        first = self.offset + self.unit * steps
        h, gap = float(self.unit), float(first - point)
        near, far = _one_minus_exp(tilt * h, y * h), _one_minus_exp((tilt + 1) * h, y * h)
        step = np.exp(-tilt * h) * (np.cos(y * h) - 1j * np.sin(y * h))
        inner = -math.expm1(-gap) + math.exp(-gap) * -math.expm1(-h) * step / far
        value = inner / near
        size = np.abs(value) * (math.exp(-tilt * gap) / self.points)
        half_turn = (y > math.pi / h * (1 - 0.5 / self.points)) & (self.points % 2 == 0)
        return np.where((y == 0) | half_turn, size, 2 * size), np.angle(value), first

    def ceiling(self, tilt: float, y: Floats) -> Floats:
        h = float(self.unit)
        near, far = _one_minus_exp(tilt * h, y * h), _one_minus_exp((tilt + 1) * h, y * h)
        bound: Floats = 2.01 / self.points * min(h, 1.0) * (1 + 1 / np.abs(far)) / np.abs(near)
        return bound

    def left_out(self, tilt: float) -> float:
        return 0.0


def _one_minus_exp(x: float, angle: Floats) -> "np.ndarray[tuple[int], np.dtype[np.complex128]]":
    """1 − e^(−x − i·angle), to full relative accuracy in both parts, for x > 0."""
    sine = np.sin(angle / 2)
    return (-math.expm1(-x) + math.exp(-x) * 2 * sine * sine) + 1j * (math.exp(-x) * np.sin(angle))


@dataclass(frozen=True, slots=True, eq=False)
class Spectrum:
    """The transform of a composition along the line with real part `tilt`, ready to be summed for any g nearby."""

    kernel: Kernel
    tilt: Fraction
    log_mass: arb
    centre: Fraction
    top: Fraction | None
    y: Floats
    log_size: Floats
    angle: Floats
    error: Floats
    lost: float
    echoes: tuple[tuple[Fraction, arb], tuple[Fraction, arb]]

    def delta(self, point: Fraction) -> arb:
        """The certified delta(point) of the finite losses."""
        with precision(WORK_BITS):
            scale = (self.log_mass - ball(self.tilt * point)).exp()
            low, high = self.sum(point)
            return scale * arb(max(low, 0.0)).union(arb(max(high, 0.0)))

    def sum(self, point: Fraction) -> tuple[float, float]:
        """The sum over y without its factor M(c)·e^(−cg), from both sides."""
        tilt = float(self.tilt)
        size, turn, place = self.kernel.weights(tilt, self.y, point)
        way = float(self.centre - place)
        angle = self.angle + turn + self.y * way
        heights = np.exp(self.log_size) * size
        error = self.error + ROUNDOFF * (256 + 8 * np.abs(self.y * way) + 4 * np.abs(self.angle))
        middle = math.fsum((heights * np.cos(angle)).tolist())
        doubt = float(heights @ np.where(error < 0.5, np.expm1(np.minimum(error, 1.0)), 2.0)) * (1 + 1e-9)
        doubt += self.lost + self.kernel.left_out(tilt) + 16 * ROUNDOFF * abs(middle)
        return middle - doubt - self._echo(point), middle + doubt

    def _echo(self, point: Fraction) -> float:
        """Σ e^(cmP)·delta(g + mP) over m ≠ 0 as a part of M(c)·e^(−cg), by Chernoff at a larger and a smaller tilt."""
        total = 0.0
        for other, log_mass in self.echoes:
            if other > self.tilt and self.top is not None and point + self.kernel.period >= self.top:
                continue
            rate = ball(abs(other - self.tilt) * self.kernel.period)
            bound = (log_mass - self.log_mass - ball((other - self.tilt) * point) - rate).exp() / -(-rate).expm1()
            total += float(bound.upper()) * (1 + 1e-9)
        return total


def spectrum(terms: Terms, kernel: Kernel, tilt: Fraction, echo_tilts: tuple[Fraction, Fraction]) -> Spectrum:
    """The transform of the composition of the terms, at the kernel's frequencies."""
    with precision(WORK_BITS):
        tilted = [(law.tilted(tilt), count) for law, count in terms]
        log_mass = sum((count * each.log_mass for each, count in tilted), arb(0))
        echoes = tuple((other, _log_moments(terms, other + 1)) for other in echo_tilts)
    ways = turners(tilted, kernel.period)
    sieves = [(found, count) for each, count in tilted if (found := each.sieve(kernel.period)) is not None]
    pieces: list[tuple[Floats, Floats, Floats, Floats, float]] = []
    for start in range(0, kernel.steps(), CHUNK):
        steps, gone = _sieved(sieves, kernel, float(tilt), np.arange(start, min(start + CHUNK, kernel.steps())))
        turned = _turned(ways, kernel, float(tilt), steps)
        pieces.append((*turned[:4], turned[4] + gone))
    lost = sum(piece[-1] for piece in pieces)
    y, log_size, angle, error = (np.concatenate([piece[i] for piece in pieces]) for i in range(4))
    centre = added_up(each.centre * count for each, count in tilted)
    return Spectrum(
        kernel, tilt, log_mass, centre, total_top(terms), y, log_size, angle, error, lost, (echoes[0], echoes[1])
    )


def _log_moments(terms: Terms, order: Fraction) -> arb:
    """log E[e^((order − 1)·L)] of the composition: one logarithm of the product, as balls may be of any size."""
    product = arb(1)
    for law, count in terms:
        product *= law.moment(order) ** count
    return product.log()


def _sieved(sieves: Sequence[tuple[Sieve, int]], kernel: Kernel, tilt: float, steps: Ints) -> tuple[Ints, float]:
    """The steps whose transform may matter, and what the others can add, by quick bounds on the size alone."""
    lost = 0.0
    if len(steps) < WORTH_SIEVING or len(sieves) < SIEVED_AT_ONCE:
        return steps, lost
    log_size = np.zeros(len(steps))
    for start in range(0, len(sieves), SIEVED_AT_ONCE):
        y = frequencies(steps, kernel.period)
        size = np.ones(len(steps), dtype=np.float32)
        for sieve, count in sieves[start : start + SIEVED_AT_ONCE]:
            size *= np.minimum(sieve(y), np.float32(1)) ** min(count, 2)
        # Each product is rounded once or twice; bounds below 1e-30 are as good as that one.
        log_size += 0.5 * np.log(np.maximum(size.astype(np.float64), 1e-30) * (1 + 2.0**-18))
        alive = log_size > NEGLIGIBLE - 1
        if not alive.all():
            lost += float(np.exp(log_size[~alive]) @ kernel.ceiling(tilt, y[~alive])) * (1 + 1e-6)
            steps, log_size = steps[alive], log_size[alive]
        if len(steps) < WORTH_SIEVING:
            break
    return steps, lost


def _turned(
    ways: Sequence[tuple[Turner, int]], kernel: Kernel, tilt: float, steps: Ints
) -> tuple[Floats, Floats, Floats, Floats, float]:
    """The product of the turns at these steps; points are left out as soon as they are negligible."""
    log_size, angle, error = np.zeros(len(steps)), np.zeros(len(steps)), np.zeros(len(steps))
    lost = 0.0
    for turner, count in ways:
        turn = turner(steps)
        log_size += count * turn.log_size
        angle += count * turn.angle
        error += count * turn.error + ROUNDOFF * (4 * np.abs(angle) + 4 * np.abs(log_size))
        alive = log_size > NEGLIGIBLE
        if not alive.all():
            gone = frequencies(steps[~alive], kernel.period)
            lost += float(np.exp(log_size[~alive]) @ kernel.ceiling(tilt, gone)) * (1 + 1e-6)
            steps, log_size, angle, error = steps[alive], log_size[alive], angle[alive], error[alive]
    return frequencies(steps, kernel.period), log_size, angle, error, lost


def total_top(terms: Terms) -> Fraction | None:
    """The largest finite loss of the composition, if it is bounded."""
    tops = [(law.top(), count) for law, count in terms]
    if any(top is None for top, _ in tops):
        return None
    return added_up(count * top for top, count in tops if top is not None)
