"""The best step of a staircase, and a certified bound that no other step is below; on the integers and on the line.

Both families have the cost V = N/D with D rising linearly in the step and N convex, so V is quasi-convex. On the
integers D_r = 2r - 1 + 2bΔ/(1 - b), and V_(r+1) is a weighted mean of V_r and w_r = (V_(r+1) D_(r+1) - V_r D_r)/2,
which never falls in r ([G13] ch. 2; docs/math/integer-staircase.md).
"""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from flint import arb

from banister.core.exact.numbers import ball, exp_ball, precision
from banister.core.exact.search import doubled, halved
from banister.core.laws.pieces import Pieces, certified
from banister.core.laws.power_sums import geometric_sum, power_of, stair_sum

_MOST_BITS = 1024
_WIDTH = 50
_FEW = 64


def stair_peak(epsilon: Fraction, sensitivity: int, step: int) -> arb:
    """a = (1 - b) / (2r + 2b(Δ - r) - (1 - b)), the mass at 0, at the working precision."""
    part = -ball(-epsilon).expm1()
    return part / (2 * step - 1 + exp_ball(-epsilon) * (2 * (sensitivity - step) + 1))


def stair_moment(epsilon: Fraction, sensitivity: int, step: int, exponent: Fraction, above: Fraction) -> arb:
    """E[|Z|^p; |Z| > above] of the staircase on the integers."""
    beyond = stair_sum(epsilon, exponent, period=sensitivity, step=step, above=int(above))
    return 2 * stair_peak(epsilon, sensitivity, step) * beyond


def stair_cost(epsilon: Fraction, sensitivity: int, step: int, cost: Pieces) -> arb:
    """E L(Z) of the staircase on the integers, at the working precision."""
    return cost.expected(
        lambda exponent, above: stair_moment(epsilon, sensitivity, step, exponent, above),
        stair_peak(epsilon, sensitivity, step),
    )


@lru_cache(maxsize=1024)
def best_step(epsilon: Fraction, sensitivity: int, cost: Pieces) -> int:
    """The step from 1 to Δ with the least expected cost, by halving; steps that 1024 bits cannot tell apart are tied.

    Ties are harmless: V_r = V_(r+1) happens at the minimum alone. For many steps the search begins where the best
    gamma of the line has it, to about a step.
    """

    def rises(r: int) -> bool:
        return _proven_sign(
            lambda: stair_cost(epsilon, sensitivity, r + 1, cost) - stair_cost(epsilon, sensitivity, r, cost)
        )

    if sensitivity <= _FEW:
        return halved(rises, 0, sensitivity)[1]
    start = min(max(1, round(_gamma_about(epsilon, sensitivity, cost) * sensitivity)), sensitivity - 1)
    if rises(start):
        near, far = doubled(lambda gap: start - gap < 1 or not rises(start - gap), failing=0, start=1)
        return halved(rises, max(0, start - far), start - near)[1]
    near, far = doubled(lambda gap: start + gap >= sensitivity or rises(start + gap), failing=0, start=1)
    return halved(rises, start + near, min(start + far, sensitivity))[1]


@lru_cache(maxsize=1024)
def least_on_integers(epsilon: Fraction, sensitivity: int, cost: Pieces) -> arb:
    """A ball of which the lower end is below E L of every staircase on the integers, and so of every private noise.

    Exact:  for steps above r, V ≥ min(V_r, w_r); for steps below, D V ≥ D V_r - (D_r - D)(w_(r-1) - V_r), and D ≥ D_1.
            With the best r both give V_r; with a tie they lose what could not be told apart.
    """
    r = best_step(epsilon, sensitivity, cost)

    def value() -> arb:
        def moving(step: int) -> tuple[arb, arb]:
            return stair_cost(epsilon, sensitivity, step, cost), 1 / stair_peak(epsilon, sensitivity, step)

        here, weight = moving(r)
        least = here
        if r < sensitivity:
            after, more = moving(r + 1)
            least = arb.min(least, arb.max((after * more - here * weight) / (more - weight), arb(0)))
        if r > 1:
            before, less = moving(r - 1)
            excess = arb.max((here * weight - before * less) / (weight - less) - here, arb(0))
            first = 1 / stair_peak(epsilon, sensitivity, 1)
            least = arb.min(least, here - excess * (weight / first - 1))
        return least

    return certified(value, good=2.0**-50)


def line_cost(epsilon: Fraction, sensitivity: Fraction, gamma: Fraction, cost: Pieces) -> arb:
    """E L(X) of the staircase on the line: 2a(1 - b) Σ_k b^k ∫ L over the ball of radius (k + gamma)Δ."""
    b, part = exp_ball(-epsilon), -ball(-epsilon).expm1()
    share = ball(gamma) + b * ball(1 - gamma)

    def moment(exponent: Fraction, above: Fraction) -> arb:
        at = above / sensitivity
        first = max(0, int((at - gamma) // 1) + 1)
        inside = geometric_sum(epsilon, exponent + 1, gamma + first) - power_of(ball(at), exponent + 1) / part
        scale = power_of(ball(sensitivity), exponent) * part**2 / share
        return exp_ball(-epsilon * first) * scale * inside / ball(exponent + 1)

    return cost.expected(moment, arb(0))


def line_slope(epsilon: Fraction, sensitivity: Fraction, gamma: Fraction, cost: Pieces) -> arb:
    """(1 - b) Σ_k b^k L((k + gamma)Δ): the cost rises with gamma where this is above it, and falls where below."""
    part = -ball(-epsilon).expm1()

    def moment(exponent: Fraction, above: Fraction) -> arb:
        first = max(0, int((above / sensitivity - gamma) // 1) + 1)
        sums = geometric_sum(epsilon, exponent, gamma + first)
        return exp_ball(-epsilon * first) * part * power_of(ball(sensitivity), exponent) * sums

    at_zero = part if gamma == 0 else arb(0)
    return cost.expected(moment, at_zero)


@lru_cache(maxsize=256)
def best_gamma_between(epsilon: Fraction, cost: Pieces) -> tuple[Fraction, Fraction]:
    """Two neighbouring gammas with the best one between them, proven by the sign of the slope at each.

    The cost counts errors in units of the sensitivity.
    """

    rises = _rising_line(epsilon, cost)
    floor = _small(epsilon)
    low, high = Fraction(0), Fraction(1)
    while high - low > (floor + low) / (1 << _WIDTH):
        middle = _between(low, high, floor)
        low, high = (low, middle) if rises(middle) else (middle, high)
    return low, high


def _gamma_about(epsilon: Fraction, sensitivity: int, cost: Pieces) -> Fraction:
    """The best gamma of the line to within a step: where to begin, and nothing that is relied on."""
    rises = _rising_line(epsilon, cost.in_units(Fraction(sensitivity)))
    return halved(rises, Fraction(0), Fraction(1), rounds=sensitivity.bit_length() - 1)[0]


def _rising_line(epsilon: Fraction, cost: Pieces) -> Callable[[Fraction], bool]:
    """Whether the cost of the staircase on the line, in units of the sensitivity, rises at a gamma."""
    one = Fraction(1)

    def rises(gamma: Fraction) -> bool:
        return _proven_sign(lambda: line_slope(epsilon, one, gamma, cost) - line_cost(epsilon, one, gamma, cost))

    return rises


def _small(epsilon: Fraction) -> Fraction:
    """A power of two at most b: nothing is gained by knowing gamma finer than a part of it."""
    return Fraction(1, 1 << int(epsilon * 3 / 2 + 1))


def _between(low: Fraction, high: Fraction, floor: Fraction) -> Fraction:
    """The middle of the two, by size where they differ by much; whole multiples of a power of two."""
    below = low + floor
    if high <= 4 * below:
        return (low + high) / 2
    bits = (high.numerator.bit_length() - high.denominator.bit_length()) + (
        below.numerator.bit_length() - below.denominator.bit_length()
    )
    middle = Fraction(2) ** (bits // 2)
    return middle if low < middle < high else (low + high) / 2


def _proven_sign(value: Callable[[], arb]) -> bool:
    """Whether a number is above 0; where 1024 bits cannot tell it is taken to be 0, and counts as above."""
    bits = 128
    while bits <= _MOST_BITS:
        with precision(bits):
            x = value()
            if x > 0 or x < 0:
                return bool(x > 0)
        bits *= 2
    return True


@lru_cache(maxsize=256)
def least_on_line(epsilon: Fraction, sensitivity: Fraction, cost: Pieces) -> arb:
    """A ball of which the lower end is below E L of every staircase on the line, and so of every private noise.

    Exact:  below the lower gamma V falls and above the upper it rises; between them V = N/D is at least the least N,
            at the lower gamma, over the largest D, at the upper.
    """
    low, high = best_gamma_between(epsilon, cost.in_units(sensitivity))

    def value() -> arb:
        b = exp_ball(-epsilon)
        share_low, share_high = ball(low) + b * ball(1 - low), ball(high) + b * ball(1 - high)
        return line_cost(epsilon, sensitivity, low, cost) * share_low / share_high

    return certified(value)
