"""Counting whole vectors by the sum of their sizes, and sums over geometric numbers, exactly.

The counts are coefficients of (1 + z)^d / (1 - z)^(d + 1) and its relatives; all are polynomials in the radius, so
their averages over a geometric radius are finite sums of positive terms.
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from math import comb

from flint import arb, fmpz

from banister.core.exact.numbers import exp_ball


def points_within(dimension: int, radius: int) -> int:
    """How many whole vectors have |x₁| + … + |x_d| ≤ radius: Σ_j 2^j C(d, j) C(radius, j).

    >>> points_within(2, 1), points_within(3, 2)
    (5, 25)
    """
    return sum(supports_within(dimension, radius))


def supports_within(dimension: int, radius: int) -> list[int]:
    """The same count by the number j of coordinates that are not 0: 2^j C(d, j) C(radius, j), j = 0 … d."""
    counts = [1]
    for j in range(dimension):
        counts.append(counts[-1] * 2 * (dimension - j) * max(radius - j, 0) // (j + 1) ** 2)
    return counts


def sizes_within(dimension: int, radius: int) -> int:
    """Σ (|x₁| + … + |x_d|) over those vectors: 2d Σ_i C(d - 1, i) C(radius + d - i, d + 1).

    From Σ_t |t| z^|t| = 2z/(1 - z)² for one coordinate, times (1 + z)^(d-1) / (1 - z)^d for the others.
    """
    d = dimension
    return 2 * d * sum(comb(d - 1, i) * c for i, c in enumerate(_falling_binomials(radius + d, d + 1, d)))


def squares_within(dimension: int, radius: int) -> int:
    """Σ (x₁² + … + x_d²) over those vectors: 2d Σ_i C(d, i) C(radius + d + 1 - i, d + 2).

    From Σ_t t² z^|t| = 2z(1 + z)/(1 - z)³ for one coordinate.
    """
    d = dimension
    return 2 * d * sum(comb(d, i) * c for i, c in enumerate(_falling_binomials(radius + d + 1, d + 2, d + 1)))


def _falling_binomials(top: int, below: int, count: int) -> Iterator[int]:
    """C(top, below), C(top - 1, below), …, each from the one before; `count` of them, all with a top of at least 1."""
    value = comb(top, below)
    for step in range(count):
        yield value
        value = value * max(top - step - below, 0) // (top - step)


def differences(values: Sequence[int]) -> list[int]:
    """Δ^j f(0) for j = 0, 1, …, from f(0), f(1), …; then f(k) = Σ_j Δ^j f(0) C(k, j)."""
    row, heads = list(values), []
    while row:
        heads.append(row[0])
        row = [after - before for before, after in pairwise(row)]
    return heads


def polynomial_differences(polynomial: Callable[[int], int], degree: int) -> list[int]:
    """Δ^j f(0) for a polynomial f of at most that degree."""
    return differences([polynomial(k) for k in range(degree + 1)])


def geometric_mean_of(heads: Sequence[int], epsilon: Fraction) -> arb:
    """E f(G) = Σ_j Δ^j f(0) (b/(1-b))^j for P(G = k) = (1 - b) b^k, b = e^-epsilon, at the working precision."""
    odds = 1 / (exp_ball(epsilon) - 1)
    total = arb(0)
    for head in reversed(heads):
        total = total * odds + arb(fmpz(head))
    return total
