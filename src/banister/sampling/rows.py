"""Exact draws from the rows of a matrix of whole weights: each compares one 62-bit word with whole thresholds."""

from dataclasses import dataclass

import numpy as np

from banister.core.laws.stochastic import ONE, WORD_BITS, Weights, check_private, check_rows, level_ratio, level_up
from banister.core.privacy.guarantee import Guarantee
from banister.core.programs.linear import Floats, Ints
from banister.sampling.bits import BitSource


@dataclass(frozen=True, slots=True, eq=False)
class PrivateRows:
    """Rows of whole multiples of 2^-62, each the law of what is said for one value, and what they promise.

    Private:  the claimed guarantee is checked on the whole weights themselves when the value is built.

    >>> PrivateRows(np.array([[3, 1], [1, 3]]) << 60, Guarantee("1.1")).matrix
    array([[0.75, 0.25],
           [0.25, 0.75]])
    """

    weights: Weights
    guarantee: Guarantee

    def __post_init__(self) -> None:
        check_rows(self.weights)
        check_private(self.weights, self.guarantee.epsilon, self.guarantee.delta)
        frozen = np.array(self.weights, dtype=np.int64)
        frozen.setflags(write=False)
        object.__setattr__(self, "weights", frozen)

    @property
    def level(self) -> float:
        """The true level: the largest ln of a ratio within a column, rounded up to a double."""
        return level_up(level_ratio(self.weights))

    @property
    def matrix(self) -> Floats:
        """The rows as doubles."""
        return self.weights / float(ONE)

    def draw(self, rows: Ints, bits: BitSource) -> Ints:
        """One exact draw for each of the rows asked for."""
        words = (bits.words(rows.size, 64).astype(np.uint64) >> np.uint64(64 - WORD_BITS)).astype(np.int64)
        return _first_above(np.cumsum(self.weights, axis=1), rows, words)


def _first_above(thresholds: Ints, rows: Ints, words: Ints) -> Ints:
    """For each draw, the first column whose cumulated weight is above the word: binary search, all at once."""
    low = np.zeros(rows.size, dtype=np.int64)
    high = np.full(rows.size, thresholds.shape[1] - 1)
    for _ in range(int(thresholds.shape[1] - 1).bit_length()):
        middle = (low + high) >> 1
        above = thresholds[rows, middle] > words
        high = np.where(above, middle, high)
        low = np.where(above, low, np.minimum(middle + 1, high))
    return low
