"""What no noise on the real line can beat: certified lower bounds on the expected cost, rounded down.

They hold for noise that is added to a real answer of any size and does not depend on it.

Let Z be such noise for sensitivity 1 and U uniform on [0, 1). Then N = ⌊MZ + U⌋ moves by whole numbers where Z moves by
multiples of 1/M, so it is integer noise for sensitivity M, with the same guarantee. Given Z it is one of the two whole
numbers around MZ, with mean MZ. So a cost ℓ on the integers, of which the line from ℓ(n) to ℓ(n + 1) stays below
L(x/M), has E ℓ(N) ≤ E L(Z), and the program for the integers bounds the line (docs/math/tabulated.md).
"""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from flint import arb

from banister.core.exact.numbers import BALL_BITS, Bracket, ball, float_down, precision
from banister.core.laws.cost import Cost
from banister.core.laws.pieces import Pieces
from banister.core.laws.power_sums import power_of
from banister.core.laws.staircases import least_on_line
from banister.core.programs.linear import LinearSolver
from banister.mechanisms.integers.tabulated_program import Floats, program_bound, program_window
from banister.mechanisms.integers.truncated_staircase import TruncatedStaircase
from banister.mechanisms.integers.uniform import Uniform

_MOST_ROWS = 13_000
_REFINEMENTS = (4, 10, 20, 30, 40)
"""How many whole numbers stand for the sensitivity, one after the other until the bound is near enough."""
_NEAR = 0.009
_FEWER_ROWS = 3_000
_EASIER = (Fraction(1, 10**4), Fraction(1, 10**6))

_LEAST_FLAT = Fraction(1, 1 << 60)


def pure_bound_on_line(epsilon: Fraction, sensitivity: Fraction, cost: Pieces) -> float:
    """The least expected cost of epsilon-private noise on the line, that of the best staircase ([G13] Thm 2.4)."""
    with precision(BALL_BITS):
        return max(0.0, Bracket.of_ball(least_on_line(epsilon, sensitivity, cost)).down)


def closed_bound(epsilon: Fraction, delta: Fraction, cost: Pieces, exponent: Fraction) -> float:
    """The bound by rounding to whole multiples of the sensitivity, M = 1, for |x|^p with p ≤ 2.

    Exact:  there the truncated staircase, or uniform noise, is the best for every cost
            (docs/math/truncated-staircase.md), so no program is asked, however wide the noise is.
    """
    best: TruncatedStaircase | Uniform
    if delta < _LEAST_FLAT and not epsilon:
        return 0.0  # Such uniform noise cannot be drawn, and its law is not made.
    if epsilon:
        best = TruncatedStaircase.law(epsilon=epsilon, delta=delta, sensitivity=1)
    else:
        best = Uniform(delta=delta, sensitivity=1)
    proven = best.risk_bracket(Cost.power(exponent))
    scale, loss, _ = _on_integers(cost, exponent, 1)
    if proven is None:
        return 0.0
    with precision(BALL_BITS):
        return max(0.0, Bracket.of_ball((ball(Fraction(proven.down)) - loss) * scale).down)


def rounding_bound(
    epsilon: Fraction, delta: Fraction, cost: Pieces, *, exponent: Fraction | None, reached: float, solver: LinearSolver
) -> float:
    """The best bound by rounding to ever finer whole numbers, until it is within 0.9 % of what is reached.

    The cost counts errors in units of the sensitivity. Nothing is tried that has more than 13 000 rows.
    """
    best = 0.0

    def bound(parts: int, chance: Fraction) -> float:
        scale, loss, levels = _on_integers(cost, exponent, parts)
        found = program_bound(epsilon, chance, parts, levels, solver)
        with precision(BALL_BITS):
            return Bracket.of_ball((ball(Fraction(found)) - loss) * scale).down

    # Noise for a smaller delta is private for a larger one too, so each bound for a larger delta holds; solvers, which
    # work in doubles, are better at those.
    chances = sorted({delta, *(max(delta, larger) for larger in _EASIER)}, reverse=True)
    for parts in _REFINEMENTS:
        for chance in chances:
            rows = program_window(epsilon, chance, parts).row_count
            if rows > (_MOST_ROWS if chance == chances[0] else _FEWER_ROWS):
                continue
            best = max(best, bound(parts, chance))
            if best >= reached * (1 - _NEAR):
                return best
    return best


def _on_integers(cost: Pieces, exponent: Fraction | None, parts: int) -> tuple[arb, arb, Callable[[int], Floats]]:
    """A scale, what rounding may add at most, and the levels: E L(Z) ≥ scale · (E ℓ(N) - loss).

    Exact:  for |x|^p with p ≤ 1 the line between two whole numbers is below the cost, which is concave there. For
            1 < p ≤ 2 it is above by at most max f - f^p = (p - 1) p^(-p/(p-1)), between 0 and 1. For 2 < p ≤ 3 it is
            above by at most c (n + 1)^(p-2), c = p(p-1)/8, between n and n + 1, which is taken off ℓ(n). For any other
            cost |N| < M|Z| + 1, so L((|N| - 1)/M) ≤ L(|Z|).
    """
    with precision(BALL_BITS):
        if exponent is not None and exponent <= 2:
            scale = power_of(ball(cost.unit / parts), exponent)
            p = ball(exponent)
            loss = arb(0) if exponent <= 1 else (p - 1) * p ** (-p / (p - 1))
            return scale, loss, lambda count: _levels(Pieces.power(exponent), count, back=0)
        if exponent is not None and exponent <= 3:
            c = ball(exponent * (exponent - 1) / 8)
            return power_of(ball(cost.unit / parts), exponent), c, lambda count: _bent(exponent, count)
        return arb(1), arb(0), lambda count: _levels(cost.in_units(Fraction(1, parts)), count, back=1)


def _bent(exponent: Fraction, count: int) -> Floats:
    """n^p - c ((n + 1)^(p-2) - 1), rounded down: never negative, and rising, for 2 < p ≤ 3."""
    with precision(BALL_BITS):
        c = ball(exponent * (exponent - 1) / 8)
        balls = [power_of(arb(n), exponent) - c * (power_of(arb(n + 1), exponent - 2) - 1) for n in range(count)]
        return np.array([max(0.0, Bracket.of_ball(x).down) for x in balls])


def _levels(cost: Pieces, count: int, *, back: int) -> Floats:
    """L of max(0, i - back), rounded down."""
    with precision(BALL_BITS):
        sizes = [Fraction(max(0, i - back)) for i in range(count)]
        return np.array([max(0.0, Bracket.of_ball(cost.at(x)).down) for x in sizes])


def scaled_down(value: float, factor: Fraction) -> float:
    """A bound times a fraction, rounded down."""
    return max(0.0, float_down(Fraction(value) * factor))
