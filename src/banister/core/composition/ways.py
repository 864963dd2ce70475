"""The ways to compose the finite parts of independent losses, from the most exact to the most general.

A way is asked two things: delta at a point, and the point at which delta comes down to a goal. `way_for` takes the
first that fits: nothing to compose, one law alone, few enough products to count, a common lattice, a smoothed line.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from flint import arb, arb_poly

from banister.core.composition import exponentials, saddle
from banister.core.composition.atoms import MANY_ATOMS, common_unit, lattice
from banister.core.composition.contour import Circle, Spectrum, Terms, WholeLine, spectrum, total_top
from banister.core.composition.exponentials import Exponentials
from banister.core.composition.law import GaussianLaw, Law
from banister.core.composition.smooth import Smoothed
from banister.core.composition.stairs import Stairs
from banister.core.exact.descent import crossing
from banister.core.exact.numbers import BALL_BITS, Bracket, added_up, ball, float_up, precision
from banister.core.exact.search import halved, least_epsilon

FEW_PRODUCTS = 300
"""Up to so many values of the total loss, counting is faster than a transform."""
NARROW = 1e-11
"""Relative width that a lattice should reach; where secants do not, halving does."""
TINY = Fraction(1, 10**100)
"""Total losses below this are bounded by their sum alone."""
MOST_BITS = 1 << 13
"""The most bits that counting takes beyond the usual ones."""
MOST_POINTS = 1 << 20
"""The largest sum along a line; beyond it brackets grow wider rather than the wait longer."""


class Way(Protocol):
    """One way to compose."""

    def delta(self, point: Fraction) -> arb:
        """A ball around delta(point) of the finite losses, point ≥ 0."""
        ...

    def epsilon(self, goal: arb) -> Bracket:
        """The least epsilon ≥ 0 at which delta comes down to the goal, which is above 0."""
        ...


def way_for(terms: Terms, *, relative_width: float) -> Way:
    """The way that fits these terms; the width is asked of those ways that can trade time for it."""
    if not terms:
        return NoLoss()
    top = total_top(terms)
    if len(terms) == 1 and terms[0][1] == 1:
        return Alone(terms[0][0])
    if products(terms) <= FEW_PRODUCTS:
        return Stairs.of_masses(counted(terms))
    if top is not None and top < TINY:
        return Negligible(top)
    if exponentials.fits(terms):
        return Exponentials(tuple(terms))
    common = _common_lattice(terms)
    if common is not None:
        return OnLattice(tuple(terms), *common)
    return OnLine(tuple(terms), relative_width)


@dataclass(frozen=True, slots=True)
class NoLoss:
    """No loss at all."""

    def delta(self, point: Fraction) -> arb:
        return arb(0)

    def epsilon(self, goal: arb) -> Bracket:
        return Bracket(0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Negligible:
    """Losses so small that doubles cannot plan with them: delta lies between 0 and 1 − e^(g − top)."""

    top: Fraction

    def delta(self, point: Fraction) -> arb:
        with precision(BALL_BITS):
            return arb(0) if point >= self.top else arb(0).union(-ball(point - self.top).expm1())

    def epsilon(self, goal: arb) -> Bracket:
        with precision(BALL_BITS):
            up = 0.0 if self.delta(Fraction(0)) <= goal else float_up(self.top)
            return Bracket(0.0, up)


@dataclass(frozen=True, slots=True)
class Alone:
    """One law by itself has its own exact curve."""

    law: Law

    def delta(self, point: Fraction) -> arb:
        with precision(BALL_BITS):
            return self.law.hockey_stick(point) - self.law.infinite()

    def epsilon(self, goal: arb) -> Bracket:
        return least_epsilon(self.delta, goal, top=self.law.top())


@dataclass(frozen=True, slots=True)
class OnLattice:
    """All total losses lie on offset + unit · integer: the transform is a finite sum, without any other error."""

    terms: tuple[tuple[Law, int], ...]
    offset: Fraction
    unit: Fraction

    def delta(self, point: Fraction) -> arb:
        top = total_top(self.terms)
        if top is not None and point >= top:
            return arb(0)
        return self._around(saddle.for_point(self.terms, float(point))).delta(point)

    def epsilon(self, goal: arb) -> Bracket:
        plan = saddle.for_log_delta(self.terms, float(goal.mid().log()))
        if plan.point <= 0 and self.delta(Fraction(0)) <= goal:
            return Bracket(0.0, 0.0)
        here = self._around(plan)
        found = crossing(here.delta, here.delta, goal, start=plan.point, rate=plan.tilt, top=total_top(self.terms))
        return found if found.width <= NARROW * found.up else _halved(here.delta, goal, found)

    def _around(self, plan: saddle.Saddle) -> Spectrum:
        period, (more, less) = saddle.period_for(self.terms, plan)
        points = max(2, math.ceil(period / float(self.unit)))
        if _tabled(self.terms):
            points = 1 << (points - 1).bit_length()
        tilts = saddle.dyadic(more), saddle.dyadic(less)
        return spectrum(self.terms, Circle(self.offset, self.unit, points), saddle.dyadic(plan.tilt), tilts)


@dataclass(frozen=True, slots=True)
class OnLine:
    """Any laws: the sum along the whole line, made finite by the Gaussian terms or by one tiny extra Gaussian."""

    terms: tuple[tuple[Law, int], ...]
    relative_width: float

    def delta(self, point: Fraction) -> arb:
        top = total_top(self.terms)
        if top is not None and point >= top:
            return arb(0)
        plan = saddle.for_point(self.terms, float(point))
        here = self._around(plan, 1 / plan.tilt)
        return here.lower(point).union(here.upper(point))

    def epsilon(self, goal: arb) -> Bracket:
        plan = saddle.for_log_delta(self.terms, float(goal.mid().log()))
        if plan.point <= 0 and self.delta(Fraction(0)) <= goal:
            return Bracket(0.0, 0.0)
        here = self._around(plan, max(plan.point, 1e-3 / plan.tilt))
        top = total_top(self.terms)
        found = crossing(here.upper, here.lower, goal, start=plan.point, rate=plan.tilt, top=top)
        return Bracket(min(max(found.down, self._below_top(goal)), found.up), found.up)

    def _below_top(self, goal: arb) -> float:
        """delta(g) is at least what the largest loss adds, its mass times 1 − e^(g − top); 0 where that is little."""
        top, mass = Fraction(0), arb(1)
        with precision(BALL_BITS):
            for law, count in self.terms:
                atoms = law.atoms()
                if atoms is None:
                    return 0.0
                top, mass = top + count * max(atoms), mass * atoms[max(atoms)] ** count
            if not goal < mass:
                return 0.0
            return max(0.0, Bracket.of_ball(ball(top) + (-goal / mass).log1p()).down)

    def _around(self, plan: saddle.Saddle, scale: float) -> Smoothed:
        """Smoothing by a variance v widens the bracket by about 3.2·v·(1 + tilt)."""
        own = sum(((law.gaussian() or 0) * count for law, count in self.terms), Fraction(0))
        extra = saddle.dyadic(self.relative_width * scale / (3.2 * (1 + plan.tilt)))
        if own >= extra / 64:
            extra = Fraction(0)  # The Gaussian terms make the total smooth enough.
        period, tilts = self._period(plan, extra)
        most = period / (2 * math.pi * MOST_POINTS)  # More points than this are not taken: smooth more instead.
        if own + extra < 2 * saddle.REACH * most**2:
            extra = saddle.dyadic(2 * saddle.REACH * most**2)
            period, tilts = self._period(plan, extra)
        variance = float(own + extra)
        points = 2 + math.ceil(period / (2 * math.pi) * math.sqrt(2 * saddle.REACH / variance))
        line = WholeLine(saddle.dyadic(period), variance * (1 - 1e-12), points)
        found = spectrum(_fastest_first(self._smoothed(extra)), line, saddle.dyadic(plan.tilt), tilts)
        return Smoothed(found, extra)

    def _smoothed(self, extra: Fraction) -> Terms:
        return (*self.terms, (GaussianLaw(extra), 1)) if extra else self.terms

    def _period(self, plan: saddle.Saddle, extra: Fraction) -> tuple[float, tuple[Fraction, Fraction]]:
        period, (more, less) = saddle.period_for(self._smoothed(extra), plan)
        if _tabled(self.terms):
            period = 2.0 ** math.ceil(math.log2(period))
        return period, (saddle.dyadic(more), saddle.dyadic(less))


def _halved(curve: Callable[[Fraction], arb], goal: arb, found: Bracket) -> Bracket:
    """A bracket made narrower: secants do not get there where a coarse lattice gives the curve corners."""
    _, up = halved(lambda x: bool(curve(Fraction(x)) <= goal), found.down, found.up)
    _, down = halved(lambda x: bool(curve(Fraction(x)) > goal), up, found.down)
    return Bracket(down, up)


def _tabled(terms: Terms) -> bool:
    """Whether a law has so many losses that a fast transform is worth a longer period that fits its grid."""
    return any(_many(law) for law, _ in terms)


def _many(law: Law) -> bool:
    atoms = law.atoms()
    return law.grid() is not None if atoms is None else len(atoms) > MANY_ATOMS


def _fastest_first(terms: Terms) -> Terms:
    """The terms that make the transform vanish soonest come first, so that the others meet few points."""
    return sorted(terms, key=lambda term: -term[1] * term[0].cumulants(0.0)[2])


def _common_lattice(terms: Terms) -> tuple[Fraction, Fraction] | None:
    """Offset and unit of the total loss, if it has few enough values within reach."""
    reach, unit, leasts = 60 * math.sqrt(saddle.cumulants(terms, 0.0)[2]), Fraction(0), []
    for law, count in terms:
        grid = law.grid()
        if grid is None:
            return None
        leasts.append(count * grid[0])
        unit = common_unit((unit, grid[1]))
        if unit and reach / float(unit) > MOST_POINTS:  # A common unit only gets smaller with more laws.
            return None
    return (added_up(leasts), unit) if unit else None


def products(terms: Terms) -> float:
    """About how many values the total loss has; infinite where a law is not discrete."""
    size = 1.0
    for law, count in terms:
        atoms = law.atoms()
        if atoms is None:
            return math.inf
        least, unit = lattice(atoms)
        size *= 1 if unit == 0 else 1 + count * float((max(atoms) - least) / unit)
        if size > FEW_PRODUCTS:
            break
    return size


def counted(terms: Terms) -> dict[Fraction, arb]:
    """The law of the total loss, every value with its mass."""
    total = {Fraction(0): arb(1)}
    with precision(_bits_for(terms)):
        for law, count in terms:
            atoms = law.atoms() or {}
            least, unit = lattice(atoms)
            row = [arb(0)] * (1 + int((max(atoms) - least) / (unit or 1)))
            for value, mass in atoms.items():
                row[int((value - least) / (unit or 1))] = mass
            powers = (arb_poly(row) ** count).coeffs()
            total = _convolved(total, [(count * least + j * unit, mass) for j, mass in enumerate(powers)])
    return total


def _bits_for(terms: Terms) -> int:
    """Powers of polynomials keep errors relative to their largest term, so small ones need as many bits more."""
    bits = 0.0
    for law, count in terms:
        least = min((mass for mass in (law.atoms() or {}).values() if mass > 0), default=arb(1), key=float)
        bits += count * max(0.0, -float(least.mid().log()) / math.log(2))
    return BALL_BITS + min(int(bits) + 1, MOST_BITS)


def _convolved(masses: dict[Fraction, arb], step: Sequence[tuple[Fraction, arb]]) -> dict[Fraction, arb]:
    found: dict[Fraction, arb] = {}
    for value, mass in masses.items():
        for more, share in step:
            found[value + more] = found.get(value + more, arb(0)) + mass * share
    return found
