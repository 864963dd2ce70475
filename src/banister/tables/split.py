"""How epsilon is shared out over several measures so that the errors a user cares about are least.

Noise of sensitivity s at epsilon e has variance close to 2 (s/e)². To minimise Σ aᵢ / eᵢ² with Σ eᵢ = epsilon, take
eᵢ in proportion to the cube root of aᵢ. The shares are exact fractions that never add up to more than epsilon.
"""

from collections.abc import Sequence
from fractions import Fraction

from banister.errors import BadValue

PARTS = 2**40
"""Shares are whole multiples of epsilon / 2^40, rounded down."""


def share_out(epsilon: Fraction, importance: Sequence[float]) -> tuple[Fraction, ...]:
    """Shares of epsilon in proportion to the cube roots.

    >>> [str(share) for share in share_out(Fraction(1, 2), [8.0, 1.0, 1.0])]
    ['1/4', '1/8', '1/8']
    """
    if not importance or not all(0 < a < float("inf") for a in importance):
        raise BadValue("Every aggregate needs a weight above 0.")
    roots = [a ** (1 / 3) for a in importance]
    whole = sum(roots)
    return tuple(epsilon * Fraction(max(1, int(root / whole * PARTS)), PARTS) for root in roots)


def cost(epsilon: Fraction, importance: Sequence[float]) -> float:
    """The minimum of Σ aᵢ / eᵢ²: (Σ cube roots)³ / epsilon²."""
    return float(sum(a ** (1 / 3) for a in importance) ** 3 / float(epsilon) ** 2)
