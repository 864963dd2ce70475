"""The (epsilon, delta)-private noise of least cost, by linear program, repaired and bounded in exact arithmetic.

Minimise Σ_i L(i) p_i over symmetric p with Σ p_i = 1 and, for each shift d = 1 … Δ, Σ_i s_(d,i) ≤ delta, where
s_(d,i) ≥ p_i - e^epsilon p_(i+d) and s ≥ 0. All shifts are needed: the optimum is in general not monotone in |i|.

The window |i| ≤ W is wider than the support, and rows that would look beyond it are left out. So the program is a
relaxation, its dual values speak about noise on all integers, and its optimum is private when nothing lies at the edge.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil, lcm
from typing import ClassVar

import numpy as np
from flint import arb
from numpy.typing import NDArray

from banister.core.exact.numbers import (
    BALL_BITS,
    Bracket,
    exp_ball,
    float_down,
    fraction_down,
    fraction_of,
    fraction_up,
    precision,
)
from banister.core.laws.cost import Cost
from banister.core.programs.linear import LinearProgram, LinearSolver
from banister.errors import BadValue
from banister.mechanisms.integers.truncated_staircase import TruncatedStaircase
from banister.mechanisms.integers.uniform import Uniform, uniform_edge

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LARGEST_PROGRAM = 40_000
"""Rows of the program: the sensitivity times the width of the window."""
_UNIT_BITS = 120
_ATTEMPTS = ((1.0, 1.0), (1.0, 0.5), (1.5, 1.0), (1.5, 0.5), (2.25, 1.0), (1.0, 0.0))
"""Widths of the window, and parts of the natural decay to scale by: where the masses span many decades, a solver that
is good at small masses is less so at large prices, and the other way round."""
_WIDER = ((8.0, 1.0), (32.0, 1.0))
"""Windows for a cost that ends somewhere: noise that is as good as lost may then lie as far out as it likes, and the
optimum has no end. They are tried while more than a thousandth is left."""
_GOOD_ENOUGH = 1e-7
_WIDE_ENOUGH = 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class _Window:
    """The rows (shift, place) of the program, with weights w_i = e^(-decay |i|) that even out its numbers."""

    epsilon: float
    delta: float
    sensitivity: int
    width: int
    decay: float

    def rows(self) -> tuple[Ints, Ints]:
        """The shift d and the place i of each row, with i and i + d in the window."""
        shifts = range(1, self.sensitivity + 1)
        places = [np.arange(-self.width, self.width - d + 1) for d in shifts]
        return np.repeat(np.arange(1, self.sensitivity + 1), [p.size for p in places]), np.concatenate(places)

    @property
    def row_count(self) -> int:
        return self.sensitivity * (2 * self.width + 1)

    def weights(self) -> Floats:
        return np.asarray(np.exp(-self.decay * np.arange(self.width + 1)), dtype=np.float64)

    def program(self, costs: Floats) -> LinearProgram:
        """Unknowns q_i with p_i = w_i q_i, and t with s_(d,i) = w_i t_(d,i)."""
        d, i = self.rows()
        w, count, states = self.weights(), d.size, self.width + 1
        here, there, row = np.abs(i), np.abs(i + d), np.arange(count)
        twice = np.where(np.arange(states) == 0, 1.0, 2.0) * w
        entries = [
            (row, states + row, np.ones(count)),
            (row, here, -np.ones(count)),
            (row, there, np.exp(self.epsilon) * w[there] / w[here]),
            (count + d - 1, states + row, w[here] / self.delta),
            (np.full(states, count + self.sensitivity), np.arange(states), twice),
        ]
        starts, rows, values = _by_columns(entries, states + count)
        return LinearProgram(
            cost=np.concatenate([twice * costs / max(float(costs.max()), 1e-300), np.zeros(count)]),
            lower=np.zeros(states + count),
            upper=np.full(states + count, np.inf),
            row_lower=np.concatenate([np.zeros(count), np.full(self.sensitivity, -np.inf), [1.0]]),
            row_upper=np.concatenate([np.full(count, np.inf), np.ones(self.sensitivity), [1.0]]),
            starts=starts,
            rows=rows,
            values=values,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Prices:
    """Prices λ_(d,i) ≥ 0 that prove a lower bound: multiples of 2^-80, one row a shift d, places -W … W - d."""

    width: int
    rows: list[list[int]]

    UNIT: ClassVar[int] = 80


@dataclass(frozen=True, slots=True, eq=False)
class LeastTable:
    """Masses P(0), P(1), … that are private for certain, a certified lower bound, and the prices that prove it."""

    masses: list[Fraction]
    bound: float
    prices: Prices


def least_table(
    epsilon: Fraction, delta: Fraction, sensitivity: int, cost: Cost, solver: LinearSolver
) -> tuple[list[Fraction], float]:
    """Masses P(0), P(1), … of a noise that is (epsilon, delta)-private for certain, and a certified lower bound."""
    found = priced_table(epsilon, delta, sensitivity, cost, solver)
    return found.masses, found.bound


def priced_table(epsilon: Fraction, delta: Fraction, sensitivity: int, cost: Cost, solver: LinearSolver) -> LeastTable:
    """The same, with the prices that prove the bound."""
    safe = _closed_form(epsilon, delta / 2, sensitivity, cost)
    closed = _closed_form(epsilon, delta, sensitivity, cost)
    best = _private(closed, safe, epsilon, delta, sensitivity)
    best_cost, bound = _expected(best, cost), 0.0
    prices = Prices(sensitivity, [[0] * (2 * sensitivity + 1 - d) for d in range(1, sensitivity + 1)])
    for widen, part in (*_ATTEMPTS, *_WIDER):
        if (widen, part) in _WIDER and best_cost - bound <= _WIDE_ENOUGH * best_cost:
            break
        width = int((len(closed) + sensitivity + 1) * widen)
        if sensitivity * (2 * width + 1) > LARGEST_PROGRAM:
            if bound > 0:
                continue
            raise BadValue(
                f"The linear program for sensitivity {sensitivity} would have {sensitivity * (2 * width + 1)} rows; at "
                f"most {LARGEST_PROGRAM} are tried. Use TruncatedStaircase or Uniform, which are nearly as good there."
            )
        if not epsilon and part < 1:
            continue
        window = _Window(float(epsilon), float(delta), sensitivity, width, float(epsilon) / sensitivity * part)
        costs = levels_below(cost, width + 1)
        found = solver.solve(window.program(costs))
        masses = _private(_rounded(found.point[: width + 1] * window.weights()), safe, epsilon, delta, sensitivity)
        if (value := _expected(masses, cost)) < best_cost:
            best, best_cost = masses, value
        if (proven := _lower_bound(window, found.row_duals, costs, epsilon, delta)) > bound:
            bound, prices = proven, _prices(window, found.row_duals, costs)
        if best_cost - bound <= _GOOD_ENOUGH * best_cost:
            break
    return LeastTable(best, bound, prices)


def levels_below(cost: Cost, count: int) -> Floats:
    """L(0), L(1), …, rounded down where the cost is written exactly: what is proven from them is proven of it."""
    if cost.pieces is None:
        return cost.size(np.arange(count, dtype=np.float64))
    with precision(BALL_BITS):
        written = cost.pieces
        return np.array([max(0.0, Bracket.of_ball(written.at(Fraction(i))).down) for i in range(count)])


def program_bound(
    epsilon: Fraction, delta: Fraction, sensitivity: int, levels: Callable[[int], Floats], solver: LinearSolver
) -> float:
    """A certified lower bound on Σ L(i) p_i over all (epsilon, delta)-private p, for levels L(0), L(1), … in doubles.

    0 where the program would have too many rows.
    """
    window = program_window(epsilon, delta, sensitivity)
    if window.row_count > LARGEST_PROGRAM:
        return 0.0
    costs = levels(window.width + 1)
    found = solver.solve(window.program(costs))
    return _lower_bound(window, found.row_duals, costs, epsilon, delta)


def program_window(epsilon: Fraction, delta: Fraction, sensitivity: int) -> "_Window":
    """The window that holds the support of the best closed form, and one sensitivity more.

    What is near the edge of the window is bound by fewer rows. Where much may lie there, it is wider by a half.
    """
    if epsilon:
        edge = TruncatedStaircase.law(epsilon=epsilon, delta=delta, sensitivity=sensitivity).edge
    else:
        edge = uniform_edge(delta, sensitivity)
    width, decay = edge + sensitivity + 2, float(epsilon) / sensitivity
    width += width // 2 if 4 * sensitivity < edge <= 24 * sensitivity else 0
    return _Window(float(epsilon), float(delta), sensitivity, width, decay)


def hockey_stick_up(masses: Sequence[Fraction], epsilon: Fraction, sensitivity: int) -> Fraction:
    """The largest of Σ_i max(0, P(i) - e^epsilon P(i + d)) over the shifts d = 1 … Δ, rounded up.

    Exact:  whole numbers over one denominator; only e^epsilon is rounded, down, by less than 2^-200 of itself.
    """
    whole = lcm(*(mass.denominator for mass in masses))
    half = [int(mass * whole) for mass in masses]
    edge = len(half) - 1
    row = [*half[:0:-1], *half]
    with precision(BALL_BITS):
        factor = fraction_down(exp_ball(epsilon))
    over, times = factor.denominator, factor.numerator
    worst = 0
    for shift in range(1, sensitivity + 1):
        moved = [*row[shift:], *([0] * min(shift, 2 * edge + 1))]
        worst = max(worst, sum(max(0, p * over - times * q) for p, q in zip(row, moved, strict=True)))
    return min(Fraction(1), Fraction(worst, whole * over))


def _lower_bound(window: _Window, duals: Floats, costs: Floats, epsilon: Fraction, delta: Fraction) -> float:
    """y - delta Σ_d μ_d for the prices λ_(d,i) ≥ 0 of the rows, in exact arithmetic, rounded down.

    Exact:  For every (epsilon, delta)-private p and μ_d = max_i λ_(d,i),
            delta μ_d ≥ Σ_i λ_(d,i) (p_i - e^epsilon p_(i+d)), so Σ L(i) p_i ≥ Σ_i p_i h_i - delta Σ μ_d with
            h_i = L(i) + Σ_d (λ_(d,i) - e^epsilon λ_(d,i-d)). For symmetric p only (h_i + h_-i)/2 counts, and y is its
            least value. Beyond the window h_i = L(i), at least the cost at its edge.
    """
    with precision(BALL_BITS):
        factor = fraction_up(exp_ball(epsilon))
    # All numbers as whole multiples of 2^-80.
    times, over = factor.numerator, factor.denominator
    levels = [int(Fraction(x) * (1 << Prices.UNIT)) * over for x in costs.tolist()]
    h = {place: levels[abs(place)] for place in range(-window.width, window.width + 1)}
    most = 0
    for shift, row in enumerate(_prices(window, duals, costs).rows, 1):
        for place, price in enumerate(row, -window.width):
            h[place] += price * over
            h[place + shift] -= price * times
        most += max(row, default=0)
    least = min(Fraction(h[place] + h[-place], 2 * over) for place in range(window.width + 1))
    least = min(least, Fraction(float(costs[-1])) * (1 << Prices.UNIT))
    return max(0.0, float_down((least - delta * most) / (1 << Prices.UNIT)))


def _prices(window: _Window, duals: Floats, costs: Floats) -> Prices:
    """The dual values of the rows as prices, rounded down to whole multiples of 2^-80, which leaves them prices."""
    d, i = window.rows()
    scale = max(float(costs.max()), 1e-300)
    prices = np.maximum(duals[: d.size], 0.0) * scale / window.weights()[np.abs(i)]
    level = int(np.ceil(np.log2(max(float(prices.max(initial=0.0)), 1.0)))) + 1
    whole = [int(price * 2.0 ** (60 - level)) << (Prices.UNIT - 60 + level) for price in prices.tolist()]
    ends = np.searchsorted(d, np.arange(1, window.sensitivity + 2)).tolist()
    return Prices(window.width, [whole[start:end] for start, end in pairwise(ends)])


def _rounded(point: Floats) -> list[Fraction]:
    """What the solver found as exact masses."""
    return _normalised([max(0, int(x * 2.0**60)) << (_UNIT_BITS - 60) for x in point.tolist()])


def _private(
    masses: list[Fraction], safe: list[Fraction], epsilon: Fraction, delta: Fraction, sensitivity: int
) -> list[Fraction]:
    """The masses, mixed with a safe noise as far as the guarantee asks.

    The hockey-stick sum is convex in the masses: with sums h and h' < delta, the share (h - delta)/(h - h') is enough.
    """
    excess = hockey_stick_up(masses, epsilon, sensitivity)
    if excess <= delta:
        return masses
    share = (excess - delta) / (excess - hockey_stick_up(safe, epsilon, sensitivity))
    share = Fraction(ceil(share * (1 << 70)), 1 << 70)
    length = max(len(masses), len(safe))
    padded = [row + [Fraction(0)] * (length - len(row)) for row in (masses, safe)]
    return [(1 - share) * p + share * q for p, q in zip(*padded, strict=True)]


def _closed_form(epsilon: Fraction, delta: Fraction, sensitivity: int, cost: Cost) -> list[Fraction]:
    """The best noise in closed form for (epsilon, delta), as exact fractions to within 2^-100."""
    noise: TruncatedStaircase | Uniform
    if epsilon:
        noise = TruncatedStaircase(epsilon=epsilon, delta=delta, sensitivity=sensitivity, cost=cost)
    else:
        noise = Uniform(delta=delta, sensitivity=sensitivity, cost=cost)
    with precision(BALL_BITS):
        balls: list[arb] = [noise.mass_ball(i) for i in range(noise.edge + 1)]
        return _normalised([max(0, int(fraction_of(mass.mid()) * (1 << _UNIT_BITS))) for mass in balls])


def _normalised(units: list[int]) -> list[Fraction]:
    total = units[0] + 2 * sum(units[1:])
    return [Fraction(x, total) for x in units]


def _expected(masses: list[Fraction], cost: Cost) -> float:
    levels = cost.size(np.arange(len(masses), dtype=np.float64))
    both = np.array([float(mass) * (2 if place else 1) for place, mass in enumerate(masses)])
    return float(np.dot(both, levels))


def _by_columns(entries: list[tuple[Ints, Ints, Floats]], columns: int) -> tuple[Ints, Ints, Floats]:
    """The entries column by column; what falls on the same place is added up."""
    rows = np.concatenate([entry[0] for entry in entries])
    places = np.concatenate([entry[1] for entry in entries])
    height = int(rows.max()) + 1
    keys, back = np.unique(places * height + rows, return_inverse=True)
    values = np.bincount(back, weights=np.concatenate([entry[2] for entry in entries]))
    starts = np.searchsorted(keys // height, np.arange(columns + 1))
    return starts.astype(np.int64), (keys % height).astype(np.int64), np.asarray(values, dtype=np.float64)
