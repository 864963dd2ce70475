"""How many histograms lie at each distance from one, and what the best noise on them costs.

Histograms of n records over K cells are points of a lattice: whole numbers with a fixed sum. Noise z with
P(z) ∝ θ^(|z|₁/2), θ = e^-epsilon, moves one histogram to others with the same total. Everything here is about
that law: its counts N_d of points at |z|₁ = 2d, its expected size D, its variances.
"""

import math
from fractions import Fraction
from functools import lru_cache
from math import comb

from flint import arb

from banister import need
from banister.core.exact.numbers import BALL_BITS, Bracket, Number, ball, precision
from banister.core.exact.search import halved

CELLS_LIMIT = 10_000_000
"""The largest domain that is enumerated cell by cell."""


def points_at(cells: int, distance: int) -> int:
    """N_d: the number of z in Z^K with sum 0 and |z|₁ = 2d.

    Exact:  the coordination sequence of the root lattice A_(K-1): Σ_j C(K-1, j)² C(d-j+K-2, K-2); [PKS20] Eq. (8) in
            another form.

    >>> [points_at(3, d) for d in range(4)], points_at(4, 3)
    ([1, 6, 12, 18], 92)
    """
    if distance == 0:
        return 1
    if cells == 1:
        return 0
    return sum(
        comb(cells - 1, j) ** 2 * comb(distance - j + cells - 2, cells - 2) for j in range(min(cells - 1, distance) + 1)
    )


def points_within_distance(cells: int, distance: int) -> int:
    """L(d): the number of z in Z^K with sum 0 and |z|₁ ≤ 2d, which is the Ehrhart polynomial of a root polytope.

    Exact:  N_0 + … + N_d, summed: Σ_j C(K-1, j)² C(d-j+K-1, K-1); [PKS20] Eqs. (14)-(16). Figure 2 there counts the
            boundaries, 6, 12 and 24; the dilations hold 7, 19 and 61 points.

    >>> [points_within_distance(3, d) for d in (0, 1, 2, 4)]
    [1, 7, 19, 61]
    """
    count, far = _cells(cells), need.whole("distance", distance, least=0)
    return sum(comb(count - 1, j) ** 2 * comb(far - j + count - 1, count - 1) for j in range(min(count - 1, far) + 1))


def ehrhart_series(cells: int, epsilon: Number) -> float:
    """Σ_d L(d) θ^d = S(θ)/(1-θ)^K with S(θ) = Σ_j C(K-1, j)² θ^j ([PKS20] Eqs. (21)-(23)).

    (1-θ) times it is what the lattice noise is divided by, E(θ) = Σ_d N_d θ^d: a Legendre polynomial of
    coth(epsilon/2).

    >>> round(ehrhart_series(3, math.log(2)), 9)  # (1 + 4/2 + 1/4)/(1/2)³
    26.0
    """
    level = float(need.positive("epsilon", epsilon))
    return math.exp(log_normaliser(cells, epsilon) - math.log(-math.expm1(-level)))


def log_normaliser(cells: int, epsilon: Number) -> float:
    """log E(θ), E(θ) = Σ_d N_d θ^d: what the lattice noise is divided by. Also the chance that independent noise of
    decay √θ adds up to 0, times ((1 + √θ)/(1 - √θ))^K.

    >>> round(math.exp(log_normaliser(3, math.log(2))), 9)  # 26 · (1 - 1/2)
    13.0
    """
    count, level = _cells(cells), float(need.positive("epsilon", epsilon))
    whole = math.lgamma(count)
    logs = [2 * (whole - math.lgamma(j + 1) - math.lgamma(count - j)) - j * level for j in range(count)]
    top = max(logs)
    total = math.log(math.fsum(math.exp(log - top) for log in logs))
    return top + total - (count - 1) * math.log(-math.expm1(-level))


def large_table_distortion(cells: int, epsilon: Number) -> float:
    """What D tends to for many cells: K/sinh(epsilon/2) - coth(epsilon/4)/2.

    An asymptotic formula: at epsilon 1 it is off by 5.6 % for 2 cells, 4.6e-4 for 10, 3.5e-6 for 100; it needs
    K e^(-epsilon/2) well above 1. The gain over noise in each cell on its own, 1 - cosh²(epsilon/4)/K, follows from it.

    >>> round(large_table_distortion(1000, 1) / limit_distortion(1000, 1), 6)
    1.0
    """
    level = float(need.positive("epsilon", epsilon))
    return _cells(cells) * _over_sinh(level / 2) - _coth(level / 4) / 2


def limit_distortion(cells: int, epsilon: Number) -> float:
    """D: the expected |z|₁ of the lattice noise, and the limit of what any epsilon-private table must suffer.

    With y = coth(epsilon/2) and s = 1/sinh²(epsilon/2):  D_1 = 0,  D_(k+1) = k (k s + y D_k)/(k y + D_k).
    All terms are positive and each step contracts errors, so doubles keep about 14 digits up to a million cells.

    Optimal:  for L1 distortion as n grows, K fixed, records independent ([PKS20] Thm 1; the lower bound is proven
              for K ≤ 3 and verified numerically beyond, see docs/math/sanitize.md). For every n it is the exact
              expected error of the noise before any post-processing.

    >>> round(limit_distortion(2, 1) * math.sinh(1), 12)
    2.0
    >>> round(limit_distortion(44064, 1), 5)
    84558.30579
    """
    return _limit(_cells(cells), float(need.positive("epsilon", epsilon)))


@lru_cache(maxsize=256)
def _limit(cells: int, level: float) -> float:
    y, s = _coth(level / 2), _over_sinh(level / 2) ** 2
    value = 0.0
    for k in range(1, cells):
        value = k * (k * s + y * value) / (k * y + value)
    return value


def limit_distortion_bracket(cells: int, epsilon: Number) -> Bracket:
    """The same, certain to hold the truth."""
    count, level = _cells(cells), need.positive("epsilon", epsilon)
    with precision(BALL_BITS):
        half = ball(level / 2)
        y, s = half.cosh() / half.sinh(), 1 / half.sinh() ** 2
        value = arb(0)
        for k in range(1, count):
            value = k * (k * s + y * value) / (k * y + value)
        return Bracket.of_ball(value)


def low_privacy_distortion(cells: int, epsilon: Number) -> float:
    """What D tends to for large epsilon: 2K(K-1)θ. [PKS20] Remark 6 prints its second term upside down."""
    return 2.0 * cells * (cells - 1) * math.exp(-float(need.positive("epsilon", epsilon)))


def high_privacy_distortion(cells: int, epsilon: Number) -> float:
    """What D tends to for small epsilon: 2(K-1)/epsilon ([PKS20] Eq. (11))."""
    return 2.0 * (cells - 1) / float(need.positive("epsilon", epsilon))


def cell_variance(cells: int, epsilon: Number) -> float:
    """Variance of the noise in one cell; two cells have the covariance -variance/(K-1).

    v = 2(K-1)/(K(K+1)) · ((1+θ) E[s] + Kθ)/(1-θ) with E[s] = D/2 + Kθ/(1-θ).

    >>> round(cell_variance(2, 1), 6) == round(2 * math.exp(-1) / (1 - math.exp(-1)) ** 2, 6)
    True
    """
    count, level = _cells(cells), float(need.positive("epsilon", epsilon))
    if count == 1:
        return 0.0
    theta, rest = math.exp(-level), -math.expm1(-level)
    mean_size = limit_distortion(count, epsilon) / 2 + count * theta / rest
    return 2 * (count - 1) / (count * (count + 1)) * ((1 + theta) * mean_size + count * theta) / rest


def per_cell_distortion(cells: int, epsilon: Number) -> float:
    """Expected L1 error of independent two-sided geometric noise for replaced records: K/sinh(epsilon/2)."""
    return _cells(cells) * _over_sinh(float(need.positive("epsilon", epsilon)) / 2)


def laplace_distortion(cells: int, epsilon: Number) -> float:
    """Expected L1 error of Laplace noise for replaced records: 2K/epsilon."""
    return 2.0 * _cells(cells) / float(need.positive("epsilon", epsilon))


def response_distortion(cells: int, epsilon: Number, records: int) -> float:
    """About the L1 error of K-ary randomized response, each record on its own, estimated without bias.

    Per cell a normal error of variance n q(1-q)/(p-q)², q = 1/(e^epsilon + K - 1), which is right for rare cells.
    """
    count, level = _cells(cells), float(need.positive("epsilon", epsilon))
    if count == 1:
        return 0.0
    q = 1.0 / (math.expm1(level) + count)
    gap = q * math.expm1(level)
    return count * math.sqrt(2 / math.pi * records * q * (1 - q)) / gap


def clipped_response_distortion(cells: int, epsilon: Number, records: int) -> float:
    """About the L1 error of randomized response as it is used: estimated, then made a histogram again.

    For n records spread evenly over K cells, with the error of `response_distortion` in each cell, the nearest
    histogram is (estimate - t)⁺ with t chosen for the right total; its expected error follows from the normal law. It
    is never above 2n, which the plain estimate, with negative cells and cells beyond n, far exceeds.

    >>> round(clipped_response_distortion(44064, 1, 1_000_000)), round(response_distortion(44064, 1, 1_000_000))
    (1998623, 4295117822)
    """
    count, total = _cells(cells), need.whole("records", records, least=1)
    if count == 1:
        return 0.0
    spread = response_distortion(count, epsilon, total) / count * math.sqrt(math.pi / 2)
    share = total / count / spread
    low, high = -share - 1.0, 40.0  # E (Z - cut)⁺ falls in the cut, and is above the share at the low end.
    low, high = halved(lambda cut: _normal(cut) - cut * _beyond(cut) <= share, low, high)
    cut, top = high, high + share
    inside = _beyond(cut) - _beyond(top)
    return float(2 * spread * count * (share * (1 - _beyond(cut)) + top * inside + _normal(top) - _normal(cut)))


def _normal(x: float) -> float:
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def _beyond(x: float) -> float:
    return math.erfc(x / math.sqrt(2)) / 2


def lattice_weights(cells: int, theta: Fraction, most: int) -> list[Fraction]:
    """P(|z|₁ = 2d) for d = 0, …, most, exactly, for a rational θ. For tests and small figures.

    >>> lattice_weights(2, Fraction(1, 2), 1)
    [Fraction(1, 3), Fraction(1, 3)]
    """
    rest = sum(comb(cells - 1, j) ** 2 * theta**j for j in range(cells)) / (1 - theta) ** (cells - 1)
    return [points_at(cells, d) * theta**d / rest for d in range(most + 1)]


def _cells(cells: int) -> int:
    return need.whole("number of cells", cells, least=1)


def _coth(x: float) -> float:
    return 1 / math.tanh(x)


def _over_sinh(x: float) -> float:
    return 2 * math.exp(-x) / -math.expm1(-2 * x)
