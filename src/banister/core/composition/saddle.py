"""Where to lay the line of `core.contour`: plans in plain floating point, which cost only time if they are poor."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from banister.core.composition.contour import Terms
from banister.core.composition.law import Law
from banister.core.programs.linear import Floats

REACH = 42.0
"""Echoes and cut-off points are pushed down to about e^-REACH of the result."""
LARGEST_TILT = 1e7
Cumulants = Callable[[float], tuple[float, float, float]]
MANY = 32
"""From so many terms on they are planned with all at once."""


@dataclass(frozen=True, slots=True)
class Saddle:
    """The tilt c at which the integrand for delta(point) is a bump of width 1/√curvature, and log delta there."""

    tilt: float
    point: float
    curvature: float
    log_delta: float


def cumulants(terms: Terms, tilt: float) -> tuple[float, float, float]:
    """About log E[e^(tilt·L)] of the composition, and mean and variance after tilting."""
    return planner(terms)(tilt)


def planner(terms: Terms) -> Cumulants:
    """The same as a function of the tilt: laws with finitely many losses all at once, a row each, where there are many.

    What is a row is put together once, so keep the function for as long as the terms stay the same.
    """
    values, logs, counts, others = _rows(tuple(terms))

    def found(tilt: float) -> tuple[float, float, float]:
        log_mass = mean = variance = 0.0
        if len(counts):
            heights = logs + tilt * values
            peak = heights.max(axis=1, keepdims=True)
            weights = np.exp(heights - peak)
            totals = weights.sum(axis=1)
            means = (weights * values).sum(axis=1) / totals
            spreads = (weights * (values - means[:, None]) ** 2).sum(axis=1) / totals
            log_mass = float(counts @ (np.log(totals) + peak[:, 0]))
            mean, variance = float(counts @ means), float(counts @ spreads)
        for law, count in others:
            one = law.cumulants(tilt)
            log_mass, mean, variance = log_mass + count * one[0], mean + count * one[1], variance + count * one[2]
        return log_mass, mean, variance

    return found


@lru_cache(maxsize=4)
def _rows(terms: tuple[tuple[Law, int], ...]) -> tuple[Floats, Floats, Floats, Terms]:
    """Values and log masses of every law with finitely many losses, filled up with losses of no mass."""
    rows, counts, others = [], [], []
    for law, count in terms:
        atoms = law.atoms() if len(terms) >= MANY else None
        if atoms is None or len(atoms) > MANY:
            others.append((law, count))
        else:
            rows.append([(float(v), float(m.mid().log())) for v, m in atoms.items() if m.mid() > 0])
            counts.append(float(count))
    longest = max((len(row) for row in rows), default=0)
    values, logs = np.zeros((len(rows), longest)), np.full((len(rows), longest), -1e300)
    for place, row in enumerate(rows):
        values[place, : len(row)] = [value for value, _ in row]
        logs[place, : len(row)] = [log for _, log in row]
    for array in (values, logs):
        array.setflags(write=False)
    return values, logs, np.array(counts), tuple(others)


def saddle_at(plan: Cumulants, tilt: float) -> Saddle:
    """The point for which this tilt is the saddle, and about how large delta is there."""
    log_mass, mean, variance = plan(tilt)
    point = mean - 1 / tilt - 1 / (1 + tilt)
    curvature = variance + 1 / tilt**2 + 1 / (1 + tilt) ** 2
    log_delta = log_mass - tilt * point - math.log(tilt) - math.log1p(tilt) - 0.5 * math.log(2 * math.pi * curvature)
    return Saddle(tilt, point, curvature, log_delta)


def for_point(terms: Terms, point: float) -> Saddle:
    """The saddle for delta(point)."""
    return _search(terms, lambda saddle: saddle.point - point)


def for_log_delta(terms: Terms, log_delta: float) -> Saddle:
    """The saddle at the point where delta is about this."""
    return _search(terms, lambda saddle: log_delta - saddle.log_delta)


def _search(terms: Terms, rising: Callable[[Saddle], float]) -> Saddle:
    """The tilt at which a quantity that grows with the tilt is about 0: secants on log(tilt), kept inside a bracket."""
    plan = planner(terms)
    _, _, variance = plan(0.0)
    wide = -0.5 * math.log(max(variance, 1e-300))  # Losses may all be tiny: tilts are measured in their spread.
    low, high = math.log(1e-9), math.log(LARGEST_TILT) + max(0.0, wide)
    x = min(max(wide + 1.0, low + 1), high - 1)
    found = saddle_at(plan, math.exp(x))
    before: tuple[float, float] | None = None
    for _ in range(60):
        value = rising(found)
        if abs(value) < 1e-3 * min(1.0, 1 / found.tilt) or high - low < 1e-3:
            break
        low, high = (x, high) if value < 0 else (low, x)
        step = (
            -value * (x - before[0]) / (value - before[1])
            if before and value != before[1]
            else math.copysign(1, -value)
        )
        before = (x, value)
        x = x + min(max(step, -4.0), 4.0)
        if not low < x < high:
            x = (low + high) / 2
        found = saddle_at(plan, math.exp(x))
    return found


def period_for(terms: Terms, saddle: Saddle) -> tuple[float, tuple[float, float]]:
    """A spacing of echoes at which they vanish, and the two tilts that prove it."""
    plan = planner(terms)
    log_mass, _, variance = plan(saddle.tilt)
    log_result = saddle.log_delta - (log_mass - saddle.tilt * saddle.point)
    goal = log_result - REACH

    def bound(other: float, period: float) -> float:
        gain = plan(other)[0] - log_mass - (other - saddle.tilt) * saddle.point
        return gain - abs(other - saddle.tilt) * period

    period = 9.0 * math.sqrt(variance) + 2 / saddle.tilt
    for _ in range(60):
        shift = min(period / max(variance, 1e-300), 1000 / period)
        steps = [min(shift, saddle.tilt) * part for part in (1.0, 0.5, 0.25, 0.1)] + [shift, shift / 2]
        up = min((saddle.tilt + step for step in steps), key=lambda other: bound(other, period))
        down = min((max(0.0, saddle.tilt - step) for step in steps[:2]), key=lambda other: bound(other, period))
        if bound(up, period) < goal and bound(down, period) < goal:
            break
        period *= 1.25
    return period, (up, down)


def dyadic(x: float) -> Fraction:
    """The float with its last digits dropped, so that exact arithmetic with it stays short."""
    mantissa, exponent = math.frexp(x)
    return Fraction(math.ceil(mantissa * 2**20)) * Fraction(2) ** (exponent - 20)
