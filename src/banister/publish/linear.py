"""How far the noise can move a sum over the cells of a sanitized table: its deviation, and bounds that hold."""

import math

import numpy as np
from numpy.typing import NDArray

from banister import need
from banister.core.exact.numbers import Number
from banister.core.laws.histograms import cell_variance, log_normaliser
from banister.publish.noise import TableNoise

Floats = NDArray[np.float64]
_MOST = 4_000_000
"""Weights times angles up to which the mean is taken; beyond, fewer angles give a wider bound that still holds."""


def linear_deviation(noise: TableNoise, weights: Floats) -> float:
    """The standard deviation of Σ w z over all cells.

    >>> from banister.publish.noise import FixedTotal
    >>> noise = FixedTotal(cells=4, epsilon=1)
    >>> round(linear_deviation(noise, np.array([1.0, 0, 0, 0])), 4), linear_deviation(noise, np.ones(4))
    (2.0073, 0.0)
    """
    if noise.publishes_total:
        spread = weights - weights.mean()
        cells = max(noise.cells, 2)
        return math.sqrt(cell_variance(noise.cells, noise.epsilon) * cells / (cells - 1) * float(spread @ spread))
    decay = math.exp(-noise.rate())
    return math.sqrt(2 * decay * float(weights @ weights)) / (1 - decay)


def half_width(noise: TableNoise, weights: Floats, *, confidence: Number) -> float:
    """A bound that |Σ w z| keeps with at least that chance.

    Upper bound:  for every s > 0 the chance to exceed t is at most 2 e^(-st) E e^(s Σ w z), for both signs of s.
                  Without a fixed total the mean is a product over cells. With one the noise is conditioned on its sum
                  0; the mean of the product over N angles is that of all sums which N divides, so it is a bound.
    """
    chance = float(need.strictly_between("confidence", confidence, 0, 1))
    centred = weights - weights.mean() if noise.publishes_total else weights
    values, counts = np.unique(centred, return_counts=True)
    largest = float(np.abs(values).max(initial=0.0))
    if largest == 0 or largest <= 1e-12 * float(np.abs(weights).max(initial=0.0)):
        return 0.0
    start, best = math.log(2 / (1 - chance)), math.inf
    cells = _Cells(noise, values, counts)
    usual = math.sqrt(2 * start) / linear_deviation(noise, weights)
    for part in (0.4, 0.55, 0.7, 0.8, 0.9, 1.0, 1.15, 1.35):  # Every s gives a bound; the least of some is taken.
        s = min(part * usual, (0.55 + 0.3 * part) * noise.rate() / largest)  # Below the rate, where the mean exists.
        best = min(best, (start + max(cells.log_mean(s), cells.log_mean(-s))) / s)
    return best


class _Cells:
    """Noise in cells that share weights, and the mean of e^(s Σ w z)."""

    def __init__(self, noise: TableNoise, values: Floats, counts: NDArray[np.int64]) -> None:
        self.decay, self.values, self.counts = math.exp(-noise.rate()), values, counts
        self.angles, self.log_chance = np.zeros(1), 0.0
        if noise.publishes_total:
            even = noise.cells * math.log((1 - self.decay) / (1 + self.decay))
            self.log_chance = even + log_normaliser(noise.cells, noise.epsilon)  # That independent noise adds up to 0.
            spread = math.sqrt(2 * self.decay * noise.cells) / (1 - self.decay)
            number = min(int(12 * spread + 60 / noise.rate()) + 16, max(1, _MOST // values.size))
            self.angles = 2 * math.pi * np.arange(number) / number

    def log_mean(self, s: float) -> float:
        """log E e^(s Σ w z), or more where there are many different weights."""
        total = np.zeros(self.angles.size, dtype=np.complex128)
        for value, count in zip(self.values, self.counts, strict=True):
            x = s * value + 1j * self.angles
            each = 2 * math.log1p(-self.decay) - np.log1p(-self.decay * np.exp(x)) - np.log1p(-self.decay * np.exp(-x))
            total += count * each
        top = float(total.real.max())
        return top + math.log(float(np.exp(total - top).real.mean())) - self.log_chance
