"""The least distortion of a sanitized table of few records in few cells, by linear program, with a certified bound.

Cells that are equally likely may change places: a mechanism averaged over all such exchanges is as private and as near,
by convexity. So the program has one unknown for each orbit of pairs (histogram, answer) instead of one for each pair:
3 cells and 18 records have 6067 instead of 36 100.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import comb

import numpy as np
from numpy.typing import ArrayLike

from banister import need
from banister.core.exact.numbers import Number
from banister.core.programs.default import SOLVER
from banister.core.programs.linear import Floats, Ints, LinearProgram, LinearSolver
from banister.errors import BadValue

PROGRAM_LIMIT = 2_000_000
"""The largest number of entries in the linear program of `program_optimum`, after symmetry."""
_ROUNDING = 2.0**-50


@dataclass(frozen=True, slots=True, eq=False)
class ProgramOptimum:
    """What a linear program found to be the least distortion, and the mechanism that has it, row by row.

    >>> found = program_optimum(2, ["1/2", "1/2"], 1)
    >>> found.histograms, bool(0 <= found.distortion - found.lower_bound < 1e-9)
    (((0, 2), (1, 1), (2, 0)), True)
    """

    distortion: float
    """Of the mechanism that the solver found: numerical, right to about 1e-8."""
    lower_bound: float
    """No epsilon-private mechanism is below. Certified: it rests on prices alone, and its sums are rounded down."""
    histograms: tuple[tuple[int, ...], ...] = field(repr=False)
    mechanism: Floats = field(repr=False)


def program_size(records: int, cells: int) -> int:
    """The number of entries in the linear program: every pair of histograms, and two for every pair of neighbours.

    >>> program_size(6, 3)
    7840
    """
    size = comb(records + cells - 1, records)
    return size * (2 * cells * (cells - 1) * comb(records + cells - 2, cells - 1) + size)


def histograms_of(records: int, cells: int) -> tuple[tuple[int, ...], ...]:
    """All histograms of so many records in so many cells, in the order of every law on them here.

    >>> histograms_of(2, 2)
    ((0, 2), (1, 1), (2, 0))
    """
    if cells == 1:
        return ((records,),)
    return tuple((first, *rest) for first in range(records + 1) for rest in histograms_of(records - first, cells - 1))


def program_optimum(
    records: int, chances: Sequence[Number], epsilon: Number, *, solver: LinearSolver = SOLVER
) -> ProgramOptimum:
    """The least expected L1 distortion over all epsilon-private mechanisms, for few cells and few records.

    Each record is in a cell with the cell's chance, on its own. Minimise Σ P(h) W(g|h) |g-h|₁ over W ≥ 0 with rows of
    sum 1 and W(g|h) ≥ θ W(g|h') for |h-h'|₁ = 2 ([PKS20] Eqs. (4)-(5)).

    >>> round(program_optimum(6, ["1/3"] * 3, 1).distortion, 4)
    2.062
    """
    n = need.whole("records", records, least=1)
    p = [need.strictly_between("a cell's chance", chance, 0, 1) for chance in chances]
    if not p or abs(float(sum(p)) - 1) > 1e-9:
        raise BadValue(f"The cells' chances add up to {float(sum(p)):.9g}; they must add up to 1.")
    level = float(need.positive("epsilon", epsilon))
    # Equal chances have equal numbers; whichever cells share one may change places.
    alike = [p.index(chance) for chance in p]
    _refuse_large(n, alike)
    points = histograms_of(n, len(p))
    prior = np.array([_multinomial(n, h, [float(chance) for chance in p]) for h in points])
    return _solved(points, alike, prior, level, solver)


def optimum_for_prior(
    records: int, cells: int, prior: ArrayLike, epsilon: Number, *, solver: LinearSolver = SOLVER
) -> ProgramOptimum:
    """The same for any law of the histogram itself: one weight for each of `histograms_of`, in that order.

    >>> round(optimum_for_prior(1, 3, [1, 1, 1], math.log(2)).distortion, 6)  # Randomized response, [PKS20] n = 1.
    1.0
    """
    n, count = need.whole("records", records, least=1), need.whole("cells", cells, least=2)
    level = float(need.positive("epsilon", epsilon))
    _refuse_large(n, list(range(count)))
    points = histograms_of(n, count)
    weights = np.asarray(prior, dtype=np.float64)
    if weights.shape != (len(points),) or not np.all(np.isfinite(weights)) or np.any(weights < 0) or not weights.any():
        raise BadValue(
            f"The prior has the shape {weights.shape}; it must be {len(points)} finite weights, none negative and not "
            "all 0: one for each histogram, in the order of bn.publish.histograms_of."
        )
    return _solved(points, list(range(count)), weights / weights.sum(), level, solver)


def _refuse_large(records: int, alike: list[int]) -> None:
    """Symmetry divides the program by nearly all of the exchanges."""
    exchanges = math.prod(math.factorial(alike.count(cell)) for cell in set(alike))
    size = -(-program_size(records, len(alike)) // exchanges)
    need.whole("size of the linear program", size, least=1, most=PROGRAM_LIMIT)


@dataclass(frozen=True, slots=True, eq=False)
class _Orbits:
    """Pairs (h, g) up to exchanges of cells: `of[h, g]` is the orbit; steps (one, other) say W(one) ≥ θ W(other)."""

    of: Ints
    one: Ints
    other: Ints
    rows: Ints
    """One histogram of each orbit of histograms."""


def _orbits(points: Ints, alike: list[int], far: Floats) -> _Orbits:
    base = int(points.max()) + 1
    joint = points[:, None, :] * base + points[None, :, :]
    places = np.array(alike)
    for cell in set(alike):
        joint[:, :, places == cell] = np.sort(joint[:, :, places == cell], axis=2)
    key = np.zeros(joint.shape[:2], dtype=np.int64)
    for cell in range(len(alike)):  # Cell by cell, so that keys stay small numbers.
        _, key = np.unique(key * base**2 + joint[:, :, cell], return_inverse=True)
        key = key.reshape(joint.shape[:2])
    count = int(key.max()) + 1
    here, there = np.nonzero(far == 2)
    one, other = np.divmod(np.unique(key[here] * count + key[there]), count)
    one, other = one[one != other], other[one != other]  # An orbit is above θ times itself in any case.
    _, rows = np.unique(np.diagonal(key), return_index=True)
    return _Orbits(key, one, other, rows)


def _solved(
    points: tuple[tuple[int, ...], ...], alike: list[int], prior: Floats, level: float, solver: LinearSolver
) -> ProgramOptimum:
    places = np.array(points, dtype=np.int64)
    far = np.abs(places[:, None, :] - places[None, :, :]).sum(axis=2).astype(np.float64)
    orbits = _orbits(places, alike, far)
    cost: Floats = np.bincount(orbits.of.ravel(), weights=(prior[:, None] * far).ravel()).astype(np.float64)
    found = solver.solve(_program(cost, orbits, math.exp(-level)))
    prices = np.maximum(found.row_duals[orbits.rows.size :], 0.0)
    bound = _lower_bound(cost, orbits, prices, math.exp(-level))
    return ProgramOptimum(found.objective, bound, points, found.point[orbits.of])


def _program(cost: Floats, orbits: _Orbits, theta: float) -> LinearProgram:
    """One unknown an orbit; rows: one sum for each orbit of histograms, then W(one) - θ W(other) ≥ 0 for every step."""
    sums, count = orbits.rows.size, cost.size
    owner = np.repeat(np.arange(sums), orbits.of.shape[1]) * count + orbits.of[orbits.rows].ravel()
    shared, times = np.unique(owner, return_counts=True)
    step = sums + np.arange(orbits.one.size)
    columns = np.concatenate([shared % count, orbits.one, orbits.other])
    rows = np.concatenate([shared // count, step, step])
    values = np.concatenate([times.astype(np.float64), np.ones(step.size), np.full(step.size, -theta)])
    order = np.lexsort((rows, columns))
    return LinearProgram(
        cost=cost,
        lower=np.zeros(count),
        upper=np.ones(count),
        row_lower=np.concatenate([np.ones(sums), np.zeros(step.size)]),
        row_upper=np.concatenate([np.ones(sums), np.full(step.size, np.inf)]),
        starts=np.searchsorted(columns[order], np.arange(count + 1)).astype(np.int64),
        rows=rows[order],
        values=values[order],
    )


def _lower_bound(cost: Floats, orbits: _Orbits, prices: Floats, theta: float) -> float:
    """Σ over orbits of histograms h of min_g (c(h,g) - Σ λ + θ Σ λ')/times(h,g), for prices λ ≥ 0 of the steps.

    Certified:  for every private W the prices take off at most what W pays, so Σ c W ≥ Σ (c - Aᵀλ) W, and the W of one
                histogram add up to 1. Sums of m doubles are off by at most m 2^-53 of their sizes, and e^-epsilon by as
                much: four times that is taken off.
    """
    count = cost.size
    given = np.bincount(orbits.one, weights=prices, minlength=count)
    taken = theta * np.bincount(orbits.other, weights=prices, minlength=count)
    steps = np.bincount(orbits.one, minlength=count) + np.bincount(orbits.other, minlength=count)
    terms = steps + np.bincount(orbits.of.ravel(), minlength=count) + 16
    reduced = cost - given + taken - _ROUNDING * terms * (cost + given + taken)
    total, size = 0.0, 0.0
    for row in orbits.of[orbits.rows]:
        which, times = np.unique(row, return_counts=True)
        least = float((reduced[which] / times).min())
        total, size = total + least, size + abs(least)
    return max(0.0, total - _ROUNDING * (orbits.rows.size + 4) * size)


def _multinomial(n: int, h: tuple[int, ...], p: Sequence[float]) -> float:
    value, left = 1.0, n
    for count, chance in zip(h, p, strict=True):
        value *= comb(left, count) * chance**count
        left -= count
    return value
