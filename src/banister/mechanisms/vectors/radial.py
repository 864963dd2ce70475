"""Where the step of a staircase in d dimensions lies best: gamma, found on the whole circle.

For noise with a staircase of the norm, E‖X‖^m ∝ S_(d+m)(gamma) / S_d(gamma) with S_n(g) = E (G + g)^n, and G geometric.
For d ≥ 2 this is not unimodal on [0, 1]: there is a maximum inside as well as the minimum ([G13] ch. 3 has d = 2), and
gamma = 0 is the same noise as gamma = 1. So the circle is scanned first, and then the condition

    (d + m) S_(d+m-1) S_d = d S_(d+m) S_(d-1)

is bisected where the cost stops falling.
"""

from fractions import Fraction
from functools import lru_cache

from flint import arb

from banister.core.exact.numbers import ball, exp_ball, fraction_of, precision
from banister.core.exact.search import halved
from banister.core.laws.cost import Cost
from banister.core.laws.moments import shifted_moments
from banister.errors import BadValue

_EVEN_POINTS = 32
_SMALL_POINTS = 32
_HALVINGS = 60


def exponent_of(cost: Cost) -> int:
    """1 for the magnitude of a vector, 2 for its power; nothing else has a known best step."""
    if cost.exponent not in (1, 2):
        raise BadValue(
            f"The cost {cost.name!r} is not offered for vectors. Take 'absolute' (the sum of the sizes) or 'squared' "
            "(the sum of the squares)."
        )
    return int(cost.exponent)


@lru_cache(maxsize=256)
def best_gamma(epsilon: Fraction, dimension: int, exponent: int) -> float:
    """The gamma in [0, 1) with the least E‖X‖^exponent in d dimensions.

    >>> round(best_gamma(Fraction(1), 2, 1), 5)
    0.66708
    """
    with precision(_digits(epsilon, dimension)):
        points = _circle(epsilon, dimension)
        costs = [fraction_of(_ratio(epsilon, dimension, exponent, ball(g)).mid()) for g in points]
        least = min(range(len(points)), key=costs.__getitem__)
        # The minimum lies between the neighbours of the least point; the circle closes at 1.
        low = points[least - 1] if least else points[-1] - 1
        high = points[least + 1] if least + 1 < len(points) else Fraction(1)

        def rising(gamma: Fraction) -> bool:
            return bool(slope(epsilon, dimension, exponent, ball(gamma % 1)) > 0)

        return float(halved(rising, low, high, rounds=_HALVINGS)[1] % 1)


def slope(epsilon: Fraction, dimension: int, exponent: int, gamma: arb) -> arb:
    """The sign of the derivative of the cost in gamma: (d + m) S_(d+m-1) S_d - d S_(d+m) S_(d-1), over S_d²."""
    d, m = dimension, exponent
    s = shifted_moments(epsilon, gamma, d + m)
    return ((d + m) * s[d + m - 1] * s[d] - d * s[d + m] * s[d - 1]) / (s[d] * s[d])


def radial_risk(epsilon: Fraction, dimension: int, exponent: int, gamma: float) -> float:
    """E Σ|Xᵢ| (exponent 1) or E Σ Xᵢ² (exponent 2) for sensitivity 1.

    Exact:  d/(d+1) · S_(d+1)/S_d, and 2d/((d+1)(d+2)) · S_(d+2)/S_d for balls of the l1 norm.
    """
    d = dimension
    share = Fraction(d, d + 1) if exponent == 1 else Fraction(2 * d, (d + 1) * (d + 2))
    with precision(_digits(epsilon, dimension)):
        return float(ball(share) * _ratio(epsilon, dimension, exponent, ball(Fraction(gamma))))


def norm_tail(epsilon: Fraction, dimension: int, gamma: float, size: Fraction) -> float:
    """P(‖X‖ > size) for sensitivity 1: b^k (S_d(gamma + k) - size^d) / S_d(gamma), k balls being inside `size`."""
    inside = max(0, int((size - Fraction(gamma)) // 1) + 1)
    with precision(_digits(epsilon, dimension)):
        all_mass = shifted_moments(epsilon, ball(Fraction(gamma)), dimension)[-1]
        beyond = shifted_moments(epsilon, ball(Fraction(gamma) + inside), dimension)[-1] - ball(size) ** dimension
        return float(exp_ball(-epsilon * inside) * beyond / all_mass)


def _ratio(epsilon: Fraction, dimension: int, exponent: int, gamma: arb) -> arb:
    moments = shifted_moments(epsilon, gamma, dimension + exponent)
    return moments[-1] / moments[dimension]


def _circle(epsilon: Fraction, dimension: int) -> list[Fraction]:
    """Points of [0, 1): evenly spaced, and for a large epsilon also near 0, where gamma ~ (d b)^(1/(d+1))."""
    points = {Fraction(i, _EVEN_POINTS) for i in range(_EVEN_POINTS)}
    reach = int(epsilon * 3 / (2 * dimension)) + 2
    points |= {Fraction(1, 1 << 5) / (1 << (reach * i // _SMALL_POINTS)) for i in range(_SMALL_POINTS)}
    return sorted(points)


def _digits(epsilon: Fraction, dimension: int) -> int:
    """The cost varies by about epsilon^(d+1)/(d+1)! of itself; that many bits, and then some."""
    small = max(0, epsilon.denominator.bit_length() - epsilon.numerator.bit_length() + 1)
    return 192 + (dimension + 2) * (small + 16)
