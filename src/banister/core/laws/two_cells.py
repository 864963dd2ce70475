"""Two cells, as [PKS20] solves them: geometric noise folded at two ends. Beside it the optimum is smaller.

The count i of n records in the first cell has the prior C_i. With θ = e^-epsilon, f_i = Σ_(j ≤ i) 2 C_j θ^(i-j) and
b_i = Σ_(j ≥ i) 2 C_j θ^(j-i) say how much of the prior lies below and above. `two_cell_optimum` has the least
distortion.
"""

import math
from collections.abc import Sequence

import numpy as np

from banister import need
from banister.core.exact.numbers import Number
from banister.core.laws.small_tables import decayed
from banister.core.programs.linear import Floats, Ints


def folded_ends(log_prior: Sequence[float] | Floats, epsilon: Number) -> tuple[int, int]:
    """A_n and B_n: noise is folded back to A_n - 1 and B_n + 1 ([PKS20] Eq. (31)).

    A_n is the least i ≥ 1 with f_(k-1) ≥ θ b_k for all k ≥ i, or n + 1; B_n the largest i with b_(k+1) ≥ θ f_k for all
    k ≤ i, or -1. For records that are in the first cell with chance p they are near n p/(p + (1 - p) cosh epsilon) and
    n p cosh epsilon/(p cosh epsilon + 1 - p): a part of n away from n p, not √n as [PKS20] appendix H says.

    >>> from banister.core.laws.small_tables import binomial_prior
    >>> folded_ends(binomial_prior(1280, 0.5), math.log(2))
    (569, 711)
    """
    logs, level = _checked(log_prior, epsilon)
    below, above, last = decayed(logs, level), decayed(logs[::-1], level)[::-1], logs.size - 1
    rises = np.append(
        below[:-1] >= above[1:] - level, True
    )  # Place k - 1 says f_(k-1) ≥ θ b_k; k = n + 1 always holds.
    falls = above[1:] >= below[:-1] - level  # Place k says b_(k+1) ≥ θ f_k.
    failing = np.flatnonzero(~rises)
    first = int(failing[-1]) + 2 if failing.size else 1
    missed = np.flatnonzero(~falls)
    return first, int(missed[0]) - 1 if missed.size else last - 1


def folded_distortion(log_prior: Sequence[float] | Floats, epsilon: Number) -> float:
    """Expected L1 distortion of two-sided geometric noise folded at A_n - 1 and B_n + 1 ([PKS20] Eqs. (32) and (33)).

    Private, and optimal as n grows. It is claimed to be optimal for every n and is not: `two_cell_optimum` is up to
    12.8 % below it, since outside of the ends the best map shrinks towards the prior's middle.

    >>> from banister.core.laws.small_tables import binomial_prior, two_cell_optimum
    >>> prior = binomial_prior(16, 0.5)
    >>> round(folded_distortion(prior, math.log(2)), 4), round(two_cell_optimum(prior, math.log(2)).distortion, 4)
    (2.3095, 2.047)
    """
    logs, level = _checked(log_prior, epsilon)
    first, last = folded_ends(logs, epsilon)
    low, high = first - 1, last + 1
    count = np.arange(logs.size)
    down = _steps(np.maximum(count - high, 0) + 1, count - low, level)
    up = _steps(np.maximum(low - count, 0) + 1, high - count, level)
    outside = np.maximum(low - count, 0) + np.maximum(count - high, 0)
    return float(2 * np.exp(logs) @ (outside + down + up))


def _steps(nearest: Ints, furthest: Ints, level: float) -> Floats:
    """Σ θ^m/(1 + θ) over m from the nearest to the furthest: the expected way on one side, from its tails."""
    theta = math.exp(-level)
    ends = theta ** nearest.astype(np.float64) - theta ** (np.maximum(furthest, nearest - 1) + 1.0)
    return np.asarray(ends / ((1 - theta) * (1 + theta)))


def _checked(log_prior: Sequence[float] | Floats, epsilon: Number) -> tuple[Floats, float]:
    logs = np.asarray(log_prior, dtype=np.float64)
    need.whole("records of the prior", logs.size - 1, least=1)
    return logs, float(need.positive("epsilon", epsilon))
