"""How epsilon is shared out over several measures so that the errors a user cares about are least.

Noise of sensitivity s at epsilon e has variance close to 2 (s/e)². To minimise Σ aᵢ / eᵢ² with Σ eᵢ = epsilon, take
eᵢ in proportion to the cube root of aᵢ. The shares are exact fractions that add up to epsilon: no part of it is left
over, and none is given twice.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

from banister.errors import BadValue

PARTS = 2**40
"""Shares are whole multiples of the whole / 2^40."""


def proportions(sizes: Sequence[float]) -> tuple[Fraction, ...]:
    """Parts of a whole in proportion to sizes above 0: none of them is 0, and they add up to exactly 1.

    Each is rounded down to a multiple of 2^-40, but not to 0; the largest takes or gives the rest.

    >>> [str(part) for part in proportions([2.0, 1.0, 1.0])]
    ['1/2', '1/4', '1/4']
    >>> sum(proportions([1.0, 1e-60, 1e-300]))
    Fraction(1, 1)
    """
    whole = math.fsum(sizes)
    parts = [max(1, int(size / whole * PARTS)) for size in sizes]
    parts[sizes.index(max(sizes))] += PARTS - sum(parts)
    return tuple(Fraction(part, PARTS) for part in parts)


def share_out(epsilon: Fraction, importance: Sequence[float]) -> tuple[Fraction, ...]:
    """Shares of epsilon in proportion to the cube roots.

    >>> [str(share) for share in share_out(Fraction(1, 2), [8.0, 1.0, 1.0])]
    ['1/4', '1/8', '1/8']
    """
    if not importance or not all(0 < a < float("inf") for a in importance):
        raise BadValue("Every aggregate needs a weight above 0.")
    return tuple(epsilon * part for part in proportions([a ** (1 / 3) for a in importance]))


def cost(epsilon: Fraction, importance: Sequence[float]) -> float:
    """The minimum of Σ aᵢ / eᵢ²: (Σ cube roots)³ / epsilon²."""
    return float(sum(a ** (1 / 3) for a in importance) ** 3 / float(epsilon) ** 2)
