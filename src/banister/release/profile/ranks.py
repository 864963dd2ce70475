"""Quantiles from the noisy counts of a ladder, each with the rungs between which it lies.

The q-quantile is on the first rung r at which G(r) = (1 - q) · (rows up to r) - q · (rows above r) is at least 0. Each
G(r) is a weighted sum of noisy counts, so how far it is off is known. The interval holds every rung that could be the
first: G(r) not clearly below 0, and G(r - 1) not clearly above. The true rung fails each with half of the risk.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Reach = Callable[[Sequence[tuple[float, int]], float], float]
"""How far a weighted sum of noisy counts is off at most, at a confidence."""


@dataclass(frozen=True, slots=True)
class QuantileFound:
    """The rung of a quantile, and the lowest and the highest rung that it can be."""

    rung: int
    low: int
    high: int


def rung_of(counts: NDArray[np.int64], order: Fraction) -> int:
    """The first rung up to which there is the order's share of all.

    >>> rung_of(np.array([0, 5, 90, 5]), Fraction(1, 2))
    2
    """
    q, upto = float(order), np.cumsum(counts).astype(np.float64)
    gap = (1 - q) * upto - q * (upto[-1] - upto)
    reached = np.flatnonzero(gap[:-1] >= 0)
    return int(reached[0]) if len(reached) else len(counts) - 1


def quantile_found(counts: NDArray[np.int64], order: Fraction, reach: Reach, confidence: float) -> QuantileFound:
    """The rung of a quantile, from noisy counts of which it is known how far sums of them are off.

    >>> quantile_found(np.array([0, 5, 90, 5]), Fraction(1, 2), lambda parts, confidence: 0.0, 0.95)
    QuantileFound(rung=2, low=2, high=2)
    """
    q, size = float(order), len(counts)
    upto = np.cumsum(counts).astype(np.float64)
    above = np.concatenate([np.cumsum(counts[::-1])[::-1][1:], [0]]).astype(np.float64)
    gap = (1 - q) * upto - q * above
    wide = np.array([reach([(1 - q, place + 1), (q, size - place - 1)], confidence) for place in range(size)])
    rung = rung_of(counts, order)
    could = gap >= -wide
    could[-1] = True  # All rows lie up to the last rung.
    could[1:] &= gap[:-1] < wide[:-1]
    places = np.flatnonzero(could)
    if len(places) == 0:
        return QuantileFound(rung, rung, rung)
    return QuantileFound(rung, min(rung, int(places[0])), max(rung, int(places[-1])))
