"""The least distortion of a sanitized table of two cells for a fixed number of records; more cells: `table_programs`.

For large n the answer is `histograms.limit_distortion`; here is what is true before that limit is reached.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from banister import need
from banister.core.exact.numbers import Number
from banister.core.programs.linear import Floats, Ints


@dataclass(frozen=True, slots=True, eq=False)
class TwoCellOptimum:
    """The best mechanism for a count i among n records: geometric noise, then y ↦ remap[clamped y]."""

    distortion: float
    """Expected L1 distance of the histograms, which is twice the error of the count."""
    remap: Ints


def binomial_prior(records: int, chance: Number) -> Floats:
    """The logarithm of P(i of n records are in the first cell) when each is so with that chance.

    >>> np.exp(binomial_prior(2, 0.5)).round(6).tolist()
    [0.25, 0.5, 0.25]
    """
    n, p = need.whole("records", records, least=1), float(need.strictly_between("chance", chance, 0, 1))
    i = np.arange(n + 1)
    from scipy.special import gammaln

    logs = gammaln(n + 1) - gammaln(i + 1) - gammaln(n - i + 1) + i * math.log(p) + (n - i) * math.log1p(-p)
    return np.asarray(logs, dtype=np.float64)


def two_cell_optimum(log_prior: Sequence[float] | Floats, epsilon: Number) -> TwoCellOptimum:
    """The least expected distortion for two cells, any n and any prior on the count, in O(n).

    Two-sided geometric noise on the count, then the median of the posterior w_i ∝ C_i θ^|y-i|.

    Optimal:  for every n, prior and epsilon, among all epsilon-private mechanisms (replaced records), by universal
              optimality of the geometric mechanism for counts ([GRS12], main theorem). The folded mechanism of [PKS20]
              Eqs. (31)-(33) is claimed to be that and is not: up to 12.8 % worse.

    >>> round(two_cell_optimum(binomial_prior(16, 0.5), math.log(2)).distortion, 4)
    2.047
    """
    level = float(need.positive("epsilon", epsilon))
    logs = np.asarray(log_prior, dtype=np.float64)
    theta, last = math.exp(-level), logs.size - 1
    below, above = decayed(logs, level), decayed(logs[::-1], level)[::-1]
    remap = _medians(below, above, level)
    f, g = np.exp(below), np.append(np.exp(above), 0.0)
    f1, g1 = _first_moments(f, theta), np.append(_first_moments(g[-2::-1], theta)[::-1], 0.0)
    total = 0.0
    for y, k in enumerate(remap.tolist()):
        shift, fall = abs(k - y), theta ** abs(k - y)
        if k >= y:
            cost = shift * f[y] + f1[y] - g1[y] + shift * theta * g[y + 1] + 2 * fall * g1[k]
        else:
            cost = shift * g[y] + g1[y] - f1[y] + shift * theta * (f[y - 1] if y else 0.0) + 2 * fall * f1[k]
        total += 2 * cost * (1 / (1 + theta) if y in (0, last) else (1 - theta) / (1 + theta))
    if last == 0:
        total = 0.0
    return TwoCellOptimum(float(total), remap)


def decayed(logs: Floats, level: float) -> Floats:
    """log Σ_(j ≤ i) C_j θ^(i-j) for each i.

    >>> decayed(np.log([0.5, 0.5]), math.log(2)).round(6).tolist() == np.log([0.5, 0.75]).round(6).tolist()
    True
    """
    found = np.empty_like(logs)
    value = -math.inf
    for i, log in enumerate(logs.tolist()):
        value = float(np.logaddexp(value - level, log))
        found[i] = value
    return found


def _first_moments(f: Floats, theta: float) -> Floats:
    found = np.zeros_like(f)
    for i in range(1, f.size):
        found[i] = theta * (found[i - 1] + f[i - 1])
    return found


def _medians(below: Floats, above: Floats, level: float) -> Ints:
    """The posterior median for each y, by one pointer that only moves up; all comparisons are between logarithms."""
    last = below.size - 1
    medians = np.empty(below.size, dtype=np.int64)
    k = 0
    for y in range(last + 1):
        beyond = above[y + 1] - level if y < last else -math.inf
        half = float(np.logaddexp(below[y], beyond)) - math.log(2)
        while k < last:
            if k >= y:
                more = above[k + 1] - (k + 1 - y) * level > half
            else:
                more = below[k] - (y - k) * level < half
            if not more:
                break
            k += 1
        medians[y] = k
    return medians
