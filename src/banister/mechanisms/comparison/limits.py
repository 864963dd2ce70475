"""How far the usual noises are from the best, in the limit of small epsilon and delta: the ratios of [G13] ch. 4.

With t = delta/epsilon fixed and both tending to 0, costs are counted in powers of sensitivity/epsilon: uniform noise
has 1/(4t) and 1/(12 t²), Laplace noise 1 and 2, and the best noise

    1 - 2t A            for the absolute cost,    2 - 2t (2A + A²)    for the squared one,    A = ln(1 + 1/(2t)).

That the truncated staircase reaches these and that nothing is below: docs/math/small-noise.md.
"""

import math
from fractions import Fraction
from typing import Literal

from banister import need
from banister.core.exact.numbers import Number
from banister.errors import BadValue

UsualCost = Literal["absolute", "squared"]
_THIRD = (math.sqrt(5) - 1) / 2


def least_in_the_limit(ratio: Number, cost: UsualCost) -> float:
    """The least expected cost for delta = ratio · epsilon as both tend to 0, in units of sensitivity/epsilon.

    >>> round(least_in_the_limit(1, "absolute"), 6), round(least_in_the_limit(1, "squared"), 6)
    (0.18907, 0.049336)
    """
    t = float(need.positive("ratio", ratio))
    absolute = need.one_of("cost", cost, ("absolute", "squared")) == "absolute"
    if t > 5000:  # The closed forms cancel there; these are their series.
        return 1 / (4 * t) - 1 / (12 * t * t) if absolute else 1 / (12 * t * t) - 5 / (96 * t**3)
    a = math.log1p(1 / (2 * t))
    return 1 - 2 * t * a if absolute else 2 - 2 * t * (2 * a + a * a)


def usual_over_least(ratio: Number, cost: UsualCost) -> float:
    """The better one of uniform and Laplace noise, over the least cost, in the same limit.

    >>> round(usual_over_least(1, "absolute"), 4), round(usual_over_least(1, "squared"), 4)  # [G13] Cor 4.12, 4.13
    (1.3223, 1.6891)
    """
    t = float(need.positive("ratio", ratio))
    uniform, laplace = (1 / (4 * t), 1.0) if cost == "absolute" else (1 / (12 * t * t), 2.0)
    return min(uniform, laplace) / least_in_the_limit(ratio, cost)


def laplace_over_least(ratio: Number, cost: UsualCost) -> float:
    """Laplace noise over the least cost, in the same limit; it grows with the ratio.

    >>> round(laplace_over_least(1, "absolute"), 3), round(laplace_over_least(1, "squared"), 2)  # [G13] Cor 4.14, 4.15
    (5.289, 40.54)
    """
    return (1.0 if cost == "absolute" else 2.0) / least_in_the_limit(ratio, cost)


def worst_ratio(cost: UsualCost) -> tuple[float, float]:
    """The ratio delta/epsilon at which both uniform and Laplace noise are furthest from the least, and how far.

    >>> [round(x, 4) for x in worst_ratio("absolute")], [round(x, 2) for x in worst_ratio("squared")]
    ([0.25, 2.2188], [0.2, 5.51])
    """
    low, high = -3.0, 1.0  # Logarithms: golden section of a function that rises and then falls.
    for _ in range(80):
        left, right = high - _THIRD * (high - low), low + _THIRD * (high - low)
        better = usual_over_least(math.exp(left), cost) > usual_over_least(math.exp(right), cost)
        low, high = (low, right) if better else (left, high)
    found = math.exp((low + high) / 2)
    return found, usual_over_least(found, cost)


def uniform_over_bound(*, delta: Number, sensitivity: Number, cost: UsualCost) -> Fraction:
    """Uniform noise over the lower bound of [G13] Thm 4.2 at epsilon 0, exactly; tends to 1 with delta (Cor 4.6).

    For 1/(2·delta) whole and a sensitivity from 3 on, where the theorem's condition holds.

    >>> [round(float(uniform_over_bound(delta=d, sensitivity=3, cost="squared")), 4) for d in ("0.1", "0.01", "0.001")]
    [1.1219, 1.0102, 1.001]
    """
    chance, reach = need.strictly_between("delta", delta, 0, 1), need.whole("sensitivity", sensitivity, least=3)
    if (1 / (2 * chance)).denominator != 1:
        raise BadValue(f"delta = {chance} must be 1 over an even whole number, such as 1/20.")
    absolute = need.one_of("cost", cost, ("absolute", "squared")) == "absolute"
    if absolute:
        return (reach / (4 * chance)) / (reach / (4 * chance) + 1 - Fraction(reach, 2))
    square = Fraction(reach * reach)
    bound = square / (12 * chance**2) - square / (4 * chance) + reach * (1 / (2 * chance) - 1) + square / 6 + 1
    return (square / (12 * chance**2) + Fraction(1, 6)) / bound


def uniform_factor(sensitivity: Number, growth: Number) -> Fraction:
    """What uniform noise is within of the best at epsilon 0, in the limit, for any cost: [G13] Cor 4.7.

    1 + (1 + 1/(2·sensitivity))·growth, where L(k) ≤ growth · L(k - sensitivity + 1) for all large k.

    >>> str(uniform_factor(3, 1))
    '13/6'
    """
    reach = need.whole("sensitivity", sensitivity, least=1)
    return 1 + (1 + Fraction(1, 2 * reach)) * need.positive("growth", growth)
