"""From noisy numbers back to counts: whole, not negative, with the right total. Always free of charge.

What is done here looks at the released noisy vector and at public knowledge, never at the table.
"""

import numpy as np
from numpy.typing import NDArray

from banister import need
from banister.core.exact.search import halved
from banister.errors import BadValue
from banister.sampling.bits import BitSource
from banister.sampling.histograms import uniform_subset

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

_WINDOW = 1 << 22
"""How many posterior masses are held at once."""


def nearest_counts(noisy: Integers, total: int, bits: BitSource) -> Integers:
    """Counts of that total, by one common threshold: (y - t)⁺, and single units of what is left taken at random.

    Optimal:  for noise that keeps the total, at the least possible L1 distance 2 Σ y⁻ from the noisy vector, and up to
              rounding at the least Euclidean distance as well; so the L1 error to the truth at most doubles, and in
              measurements falls (docs/math/sanitize.md).

    >>> from banister.sampling.bits import SYSTEM
    >>> nearest_counts(np.array([5, -2, 7, 0]), 10, SYSTEM).tolist()
    [4, 0, 6, 0]
    """
    goal = need.whole("total", total, least=0)

    def enough(threshold: int) -> bool:
        return int(np.maximum(noisy - threshold, 0).sum()) >= goal

    # The sum of (y - t)⁺ is at least the goal at the low end, and below or at it at the high end.
    _, threshold = halved(enough, int(noisy.max()), int(noisy.min()) - goal - 1)
    counts = np.maximum(noisy - threshold, 0)
    surplus = int(counts.sum()) - goal
    # Between two whole thresholds each positive cell loses one unit or none.
    positive = np.flatnonzero(counts)
    counts[positive[uniform_subset(positive.size, surplus, bits)]] -= 1
    return counts


def remapped_counts(noisy: Integers, rate: float, prior: Floats, total: int) -> Integers:
    """Counts of that total from a prior: each cell's posterior quantile at one common level.

    The posterior of a cell is taken as Poisson(total · p) times e^(-rate · |y - h|), which ignores how cells depend on
    each other; given that, the sum of expected errors is the least among all counts of that total. It is the second
    half of a cascade ([PKS20] Def. 3): free for whoever has the raw noisy counts, with a prior of one's own.

    >>> remapped_counts(np.array([-3, 5, 8]), 0.5, np.array([0.2, 0.3, 0.5]), 10).tolist()
    [1, 3, 6]
    """
    p = np.asarray(prior, dtype=np.float64)
    if p.shape != noisy.shape or not np.isfinite(p).all() or p.min() < 0 or not p.sum() > 0:
        raise BadValue(f"The prior must be {noisy.size} chances, none negative, not all 0.")
    mean = p / p.sum() * total
    low, high = halved(lambda level: int(_quantiles(noisy, rate, mean, level).sum()) >= total, 0.0, 1.0, rounds=48)
    counts, upper = _quantiles(noisy, rate, mean, low), _quantiles(noisy, rate, mean, high)
    order = np.argsort(-(upper - counts), kind="stable")
    missing = total - int(counts.sum())
    for place in order[: np.count_nonzero(upper > counts)]:
        step = min(int(upper[place] - counts[place]), missing)
        counts[place] += step
        missing -= step
    if missing:  # All posterior mass is used up: what is left goes where the prior expects most.
        counts[int(np.argmax(mean))] += missing
    return counts


def _quantiles(noisy: Integers, rate: float, mean: Floats, level: float) -> Integers:
    """The least h with posterior P(count ≤ h) ≥ level, cell by cell, over a window that holds all but e^-40."""
    from scipy.special import gammaln

    reach = 40.0 / rate
    found = np.empty(noisy.size, dtype=np.int64)
    top = np.maximum(noisy, mean + 12 * np.sqrt(mean) + 40)
    bottom = np.maximum(np.minimum(noisy, mean - 12 * np.sqrt(mean) - 40), 0)
    start = np.floor(np.maximum(bottom, np.minimum(noisy - reach, mean))).astype(np.int64).clip(0)
    width = int(np.ceil(np.minimum(top, np.maximum(noisy + reach, mean)) - start).max()) + 2
    chunk = max(1, _WINDOW // width)
    for begin in range(0, noisy.size, chunk):
        part = slice(begin, begin + chunk)
        h = start[part, None] + np.arange(width)
        with np.errstate(divide="ignore"):
            logs = h * np.log(np.maximum(mean[part, None], 1e-300)) - gammaln(h + 1.0)
        logs -= rate * np.abs(noisy[part, None] - h)
        weights = np.exp(logs - logs.max(axis=1, keepdims=True))
        cumulative = np.cumsum(weights, axis=1)
        found[part] = start[part] + (cumulative < level * cumulative[:, -1:]).sum(axis=1)
    return found
