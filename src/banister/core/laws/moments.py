"""Moments of a shifted geometric number, from which every closed form of the staircase is made."""

from fractions import Fraction
from math import comb

from flint import arb

from banister.core.exact.numbers import exp_ball


def shifted_moments(epsilon: Fraction, shift: arb, highest: int) -> list[arb]:
    """S_n = E (G + shift)^n for n = 0 … highest, where P(G = k) = (1 - b) b^k and b = e^-epsilon.

    Exact:  E (G + 1)^n = E G^n / b for n ≥ 1 gives each plain moment from the lower ones; the binomial theorem
            shifts them. Balls at the working precision.
    """
    b = exp_ball(-epsilon)
    plain = [arb(1)]
    for n in range(1, highest + 1):
        lower: arb = sum((comb(n, i) * plain[i] for i in range(n)), arb(0))
        plain.append(b / (1 - b) * lower)
    powers = [arb(1)]
    for _ in range(highest):
        powers.append(powers[-1] * shift)
    return [sum((comb(n, i) * powers[n - i] * plain[i] for i in range(n + 1)), arb(0)) for n in range(highest + 1)]
