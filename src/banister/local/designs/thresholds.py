"""From which epsilon randomized response is the best channel, up to which one bit is, and what large ones lose.

Randomized response is optimal for a sublinear utility exactly if no set A of answers is worth more as one favoured set
than its answers one by one, less what they share: gain(A) ≤ Σ_(x in A) gain(x) - (|A| - 1) V, where V is what
randomized response keeps. (The dual values of [K16] Eq. (B.30) are feasible; see docs/math/local-design.md.)
"""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from banister.core.exact.search import halved as between_two
from banister.core.laws.utility import KL, Divergence, divergence, entropy, favoured_information, mutual_information
from banister.core.programs.linear import Floats
from banister.errors import BadValue, Uncertified
from banister.local.designs.bounds import binary_for_information
from banister.local.designs.columns import MOST_CATEGORIES, subset_sums
from banister.local.designs.information import design_information
from banister.local.designs.priors import pair, positive_law

HIGHEST = 40.0
"""Beyond this epsilon nothing is private, and doubles no longer tell channels apart."""
_GRID = 400
_SMALLEST = 1e-3


def response_threshold(p0: ArrayLike, p1: ArrayLike, *, utility: str | Divergence = "kl") -> float:
    """The epsilon from which randomized response over all answers is optimal for an f-divergence.

    Infinite where two answers share a likelihood ratio, on which [K16] Thm 3.4.4 is silent: merge them first.
    Numerical:  the last of 400 epsilons up to 40 at which it is not optimal, then halving; right to about 1e-9 if there
                is no gap between two of them.

    >>> round(response_threshold([0.6, 0.3, 0.1], [0.2, 0.2, 0.6]), 6)
    2.871389
    >>> response_threshold([0.2, 0.3, 0.5], [0.1, 0.15, 0.75])
    inf
    """
    first, second = pair((p0, p1))
    kind = divergence(utility)
    order = np.argsort(first / second)
    q0, q1 = first[order], second[order]
    if np.any(np.diff(q0 / q1) <= 1e-12 * (q0 / q1)[1:]):
        return math.inf
    totals = np.concatenate([[0.0], np.cumsum(q0)]), np.concatenate([[0.0], np.cumsum(q1)])
    start, end = np.triu_indices(q0.size + 1, 1)  # Favoured sets are intervals of the ratio.
    masses0, masses1 = (total[end] - total[start] for total in totals)

    def optimal(epsilon: float) -> bool:
        low = math.exp(-epsilon)
        gains = _column(kind, low, masses0, masses1)
        one = _column(kind, low, q0, q1)
        sums = np.concatenate([[0.0], np.cumsum(one)])
        kept = low * one.sum() / (1 + (q0.size - 1) * low)
        return _no_better(gains, sums[end] - sums[start] - (end - start - 1) * kept)

    return _from_which(optimal)


def response_information_threshold(prior: ArrayLike) -> float:
    """The epsilon from which randomized response tells most about the answer ([K16] Thm 3.5.3). Up to 20 answers.

    Numerical:  as `response_threshold`; 0 where it is optimal from 0.001 on, as for three equally likely answers.

    >>> round(response_information_threshold([0.5, 0.3, 0.2]), 6)
    0.865645
    """
    law = _small(prior)
    masses, sizes = subset_sums(law)[1:], subset_sums(np.ones(law.size))[1:]

    def optimal(epsilon: float) -> bool:
        low = math.exp(-epsilon)
        one = favoured_information(epsilon, law) * low
        kept = one.sum() / (1 + (law.size - 1) * low)
        return _no_better(favoured_information(epsilon, masses) * low, subset_sums(one)[1:] - (sizes - 1) * kept * low)

    return _from_which(optimal)


def one_bit_information_threshold(prior: ArrayLike) -> float:
    """The epsilon up to which one bit tells most about the answer; 0 where it never does. Up to 20 answers.

    [K16] Thm 3.5.1 says that there is one above 0, which needs that one partition is nearest to one half, or that some
    is one half exactly: for an odd number of equally likely answers neither is so, and one bit is never optimal.

    Numerical:  one bit counts as optimal where it keeps all but 1e-9 of the certified optimum.

    >>> round(one_bit_information_threshold([0.5, 0.3, 0.2]), 2), one_bit_information_threshold([1 / 3] * 3)
    (0.87, 0.0)
    """
    law = _small(prior)
    misses = np.sort(np.abs(subset_sums(law)[1:-1] - 0.5))  # Each partition is here twice.
    if misses.size > 2 and misses[0] > 1e-12 and misses[2] - misses[0] <= 1e-12:
        return 0.0

    def optimal(epsilon: float) -> bool:
        kept = mutual_information(law, binary_for_information(epsilon, law).matrix)
        return kept >= (1 - 1e-9) * design_information(Fraction(epsilon), law).utility

    grid = [float(_SMALLEST * (HIGHEST / 4 / _SMALLEST) ** (place / 24)) for place in range(25)]
    failing: float | None = next((epsilon for epsilon in grid if not optimal(epsilon)), None)
    if failing is None:
        return math.inf
    return between_two(optimal, failing, 0.0, rounds=24)[1]


def response_kl_slope(p0: ArrayLike, p1: ArrayLike) -> float:
    """G in [K16] Eq. (3.18), corrected: randomized response keeps KL(P₀, P₁) - G e^-epsilon + O(e^-2epsilon).

    G = k KL(P₀, P₁) + Σ (r - 1 - ln r) with r = P₀/P₁, never below 0. The printed one, Σ (1 - P₀) ln(P₁/P₀), is wrong,
    and can be negative.

    >>> round(response_kl_slope([0.6, 0.3, 0.1], [0.2, 0.2, 0.6]), 6)
    3.759242
    """
    first, second = pair((p0, p1))
    ratio = first / second
    return float(first.size * KL.between(first, second) + (ratio - 1 - np.log(ratio)).sum())


def response_information_slope(prior: ArrayLike) -> float:
    """The coefficient of e^-epsilon in what randomized response tells, which [K16] Eq. (3.24) leaves out.

    H - (k - 1) epsilon e^-epsilon - (k - 1 + k H + Σ ln P(x)) e^-epsilon + O(epsilon e^-2epsilon); printed is a
    remainder of e^-2epsilon after the second term.

    >>> round(response_information_slope([0.5, 0.3, 0.2]), 6)
    1.582401
    """
    law = positive_law("prior", prior)
    return float(law.size - 1 + law.size * entropy(law) + np.log(law).sum())


def _column(kind: Divergence, low: float, m0: Floats, m1: Floats) -> Floats:
    """What a favoured set of these masses is worth, with entries e^-epsilon and 1."""
    base = low + (1 - low) * m1
    return np.asarray(kind.gain(base, (1 - low) * (m0 - m1)))


def _no_better(gains: Floats, allowed: Floats) -> bool:
    return bool(np.all(gains <= allowed + 1e-13 * (np.abs(gains).max() + np.abs(allowed).max())))


def _from_which(optimal: Callable[[float], bool]) -> float:
    """The point above which a condition holds, on a grid and then by halving."""
    if not optimal(HIGHEST):
        raise Uncertified(
            f"Randomized response is not yet optimal at epsilon = {HIGHEST:g}, and beyond it doubles cannot tell."
        )
    holding = HIGHEST
    for place in range(_GRID - 1, 0, -1):
        epsilon = HIGHEST * place / _GRID
        if not optimal(epsilon):
            return between_two(optimal, epsilon, holding, rounds=40)[1]
        holding = epsilon
    return 0.0 if optimal(_SMALLEST) else between_two(optimal, _SMALLEST, holding, rounds=40)[1]


def _small(prior: ArrayLike) -> Floats:
    law = positive_law("prior", prior)
    if law.size > MOST_CATEGORIES:
        raise BadValue(
            f"{law.size} answers have 2^{law.size} sets; the threshold is found for up to {MOST_CATEGORIES}."
        )
    return law
