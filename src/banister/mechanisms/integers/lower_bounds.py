"""What no noise on the integers can beat: certified lower bounds on the expected cost, rounded down.

Each holds for every noise that is added to an integer answer of any size, does not depend on it, and is (epsilon,
delta)-private when neighbours move the answer by at most the sensitivity. With delta the cost is "absolute" (|error|)
or "squared" (error²); without, any that is written exactly.
"""

import math
from fractions import Fraction

from flint import arb

from banister import need
from banister.core.exact.numbers import BALL_BITS, Bracket, Number, ball, exp_ball, float_down, precision
from banister.core.laws.cost import Cost, CostLike
from banister.core.laws.staircases import least_on_integers
from banister.errors import BadValue
from banister.mechanisms.offers import HINT

_MOST_TERMS = 4096
_DIGITS = 512


def lower_bound(*, epsilon: Number, delta: Number, sensitivity: Number, cost: CostLike = "absolute") -> float:
    """The best of the bounds below that apply; for delta = 0 it is the optimum itself.

    >>> round(lower_bound(epsilon=1, delta=1e-6, sensitivity=3, cost="squared"), 4)
    15.8223
    """
    if need.between("delta", delta, 0, 1) == 0:
        return pure_bound(epsilon=epsilon, sensitivity=sensitivity, cost=cost)
    level, chance, reach, exponent = _checked(epsilon, delta, sensitivity, cost)
    bounds = [scaling_bound(epsilon=level, delta=chance, sensitivity=reach, cost=cost)]
    bounds.append(
        _uniform_steps(chance, reach, exponent) if level == 0 else _falling_steps(level, chance, reach, exponent)
    )
    return max(bounds)


def pure_bound(*, epsilon: Number, sensitivity: Number, cost: CostLike = "absolute") -> float:
    """The least expected cost of epsilon-private noise: that of the best staircase ([G13] Thm 2.13).

    For every cost that is written exactly: powers with any exponent, thresholds, steps. Rounded down.
    """
    chosen = Cost.of(cost)
    if chosen.pieces is None:
        raise BadValue(
            f"The cost {chosen.name!r} is a function of which only values are known: nothing can be proven about it. "
            "Write it as an exponent, or with Cost.steps or Cost.capped."
        )
    level, reach = need.level("epsilon", epsilon, HINT), need.whole("sensitivity", sensitivity, least=1)
    with precision(BALL_BITS):
        return max(0.0, Bracket.of_ball(least_on_integers(level, reach, chosen.pieces)).down)


def scaling_bound(*, epsilon: Number, delta: Number, sensitivity: Number, cost: CostLike = "absolute") -> float:
    """Δ V₁ for magnitude and Δ² (V₁ - 1/4) for power, where V₁ is the optimum for sensitivity 1.

    Exact:  Let Z be the noise and U uniform on 0 … Δ - 1. Then ⌊(Z + U)/Δ⌋ is private for sensitivity 1, being made
            from Z; E|⌊(Z + U)/Δ⌋| = E|Z|/Δ, and E⌊(Z + U)/Δ⌋² ≤ E Z²/Δ² + 1/4 (docs/math/tabulated.md).
    """
    level, chance, reach, exponent = _checked(epsilon, delta, sensitivity, cost)
    if level == 0:
        need.positive("delta", chance, "With delta = 0 and epsilon = 0 nothing can be published.")
    with precision(_DIGITS):
        unit = _unit_optimum(level, chance, exponent)
        bound = reach * unit if exponent == 1 else reach * reach * (unit - ball(Fraction(1, 4)))
        return max(0.0, Bracket.of_ball(bound).down)


def _unit_optimum(epsilon: Fraction, delta: Fraction, exponent: int) -> arb:
    """The least cost for sensitivity 1, from below.

    The tails T_1 = b(1 - delta)/(1 + b), T_(k+1) = b(T_k - delta) fall below 0 at some k; the cost is
    2 Σ T_k or 2 Σ (2k - 1) T_k over the positive ones. Any other number of terms gives less, so it need not be exact.
    """
    if delta >= 1:
        return arb(0)
    if epsilon == 0:
        n = int((1 / delta + 1) / 2)  # T_k = (1 - delta)/2 - (k - 1) delta
        weight, rises = (n, Fraction(n * (n - 1), 2)) if exponent == 1 else (n * n, _rising(n))
        return ball(weight * (1 - delta) - 2 * delta * rises)
    b = exp_ball(-epsilon)
    eta = ball(delta) * b / (1 - b)
    height = (1 + 2 * eta) / (1 + b)  # T_k = height b^k - eta
    n = _last_positive(epsilon, height, eta)
    end = exp_ball(-epsilon * n)
    if exponent == 1:
        return 2 * (height * b * (1 - end) / (1 - b) - n * eta)
    odd = b * (1 + b - (2 * n + 1) * end + (2 * n - 1) * end * b) / (1 - b) ** 2
    return 2 * (height * odd - n * n * eta)


def _rising(n: int) -> Fraction:
    """Σ (2k - 1)(k - 1) for k = 1 … n."""
    return Fraction(n * (n + 1) * (2 * n + 1), 3) - Fraction(3 * n * (n + 1), 2) + n


def _last_positive(epsilon: Fraction, height: arb, eta: arb) -> int:
    """About the last k with height e^(-epsilon k) > eta."""
    if eta == 0:
        return math.ceil(Fraction(_DIGITS) / epsilon)
    return max(0, math.floor(float((height / eta).log() / ball(epsilon))))


def _uniform_steps(delta: Fraction, sensitivity: int, exponent: int) -> float:
    """[G13] Thm 4.2 for epsilon = 0: (1/n) Σ_(i<n) L(1 + iΔ), for whole n = 1/(2 delta) and under its condition.

    A smaller delta costs more, so for other delta the next larger 1/(2n) is taken. The condition is
    L(1 + nΔ) ≥ 2 (L(1) + Σ_(i≤n) (L(1 + iΔ) - L(iΔ))); the bound is false without it.
    """
    n, step = int(1 / (2 * delta)), sensitivity
    if n == 0:
        return 0.0
    if exponent == 1:
        holds, mean = 1 + n * step >= 2 * (1 + n), 1 + Fraction(step * (n - 1), 2)
    else:
        holds = (1 + n * step) ** 2 >= 2 * (1 + n + step * n * (n + 1))
        mean = 1 + step * (n - 1) + Fraction(step * step * (n - 1) * (2 * n - 1), 6)
    return float_down(mean) if holds else 0.0


def _falling_steps(epsilon: Fraction, delta: Fraction, sensitivity: int, exponent: int) -> float:
    """[G13] Thm 4.8: 2 Σ_(k<n) a b^k L(1 + kΔ) with Σ_(k<n) a b^k = 1/2, under its condition.

    It is for delta_n = (e^epsilon - 1) b^n / (2 (1 - b^n)); the smallest of those at or above delta is taken. The
    condition is Σ_(0<i<n) b^i (2L(iΔ) - L(1 + (i-1)Δ) - L(1 + iΔ)) ≥ L(1); the bound is false without it.
    """
    with precision(_DIGITS):
        b = exp_ball(-epsilon)
        # b^n ≥ 2 delta / (e^epsilon - 1 + 2 delta)
        share = 2 * ball(delta) / (exp_ball(epsilon) - 1 + 2 * ball(delta))
        n = min(_MOST_TERMS, math.floor(float(-share.log() / ball(epsilon)) * (1 - 2.0**-40)))
        if n < 1 or not exp_ball(-epsilon * n) >= share:
            return 0.0
        condition, total, weight = arb(-1), arb(0), arb(1)
        for k in range(n):
            here = 1 + k * sensitivity
            if k:
                middle, before = k * sensitivity, 1 + (k - 1) * sensitivity
                condition += weight * (2 * middle**exponent - before**exponent - here**exponent)
            total += weight * here**exponent
            weight *= b
        if not condition >= 0:
            return 0.0
        return max(0.0, Bracket.of_ball(total * (1 - b) / (1 - weight)).down)


def _checked(
    epsilon: Number, delta: Number, sensitivity: Number, cost: CostLike
) -> tuple[Fraction, Fraction, int, int]:
    chosen = Cost.of(cost)
    if chosen.exponent not in (1, 2):
        raise BadValue(f"No lower bound is known for the cost {chosen.name!r}. Take 'absolute' or 'squared'.")
    return (
        need.between("epsilon", epsilon, 0, need.LARGEST_EPSILON),
        need.between("delta", delta, 0, 1),
        need.whole("sensitivity", sensitivity, least=1),
        int(chosen.exponent),
    )
