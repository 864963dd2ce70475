"""Row-stochastic matrices that are exactly stochastic and exactly within their level.

An entry is a whole number of 2^-62: each row of `weights` sums to 2^62, so a draw from a row is one comparison of
a 62-bit word with whole thresholds, with no rounding left to leak. The level, ln max Q(y|x)/Q(y|x'), is read from
the whole numbers themselves and rounded up.
"""

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from banister.core.exact.numbers import ball, brief, exp_ball, float_up, fraction_down, fraction_up, precision
from banister.core.programs.linear import Floats
from banister.errors import BadValue, Uncertified

WORD_BITS = 62
_MOST_PAIRED = 1 << 28
"""Beyond so many entries times rows the rows of a matrix are not compared in pairs."""
ONE = 1 << WORD_BITS
"""The sum of each row of whole weights."""

STEEPEST = Fraction(30)
"""The largest epsilon of a matrix made by us: e^-30 is still 400 000 units of 2^-62."""

_ROW_SUM_SLACK = 1e-6
_ROUNDING_SLACK = Fraction(1, 10**9)
_BITS = 256

Weights = NDArray[np.int64]


def exp_down(epsilon: Fraction) -> Fraction:
    """A fraction at most e^epsilon, and within one part in 2^100 of it."""
    with precision(_BITS):
        return fraction_down(exp_ball(epsilon))


def matrix_level(epsilon: Fraction) -> Fraction:
    """The epsilon, if a matrix of 62-bit weights can be made for it."""
    if epsilon > STEEPEST:
        raise BadValue(
            f"epsilon = {brief(epsilon)} is above {STEEPEST}, where a report is the answer itself for all practical "
            f"purposes. Ask for at most {STEEPEST}, or send the answers openly."
        )
    return epsilon


def check_rows(weights: Weights) -> None:
    """Refuse weights that are negative or whose rows do not sum to exactly 2^62."""
    if weights.ndim != 2 or weights.size == 0:
        raise BadValue(f"A channel needs a matrix with one row a category, not an array of shape {weights.shape}.")
    if weights.min() < 0:
        raise BadValue("The channel has a negative weight; probabilities are 0 or above.")
    if not np.all(_row_sums(weights) == ONE):
        raise BadValue("The whole weights of each row of a channel must sum to 2^62 exactly.")


def check_private(weights: Weights, epsilon: Fraction, delta: Fraction) -> None:
    """Refuse weights that give away more than (epsilon, delta), by the whole numbers themselves."""
    if delta == 0:
        ratio = level_ratio(weights)
        if not within(ratio, epsilon):
            raise BadValue(
                f"The matrix is private at level {level_up(ratio):.9g}, above the claimed epsilon = {brief(epsilon)}. "
                "Claim its true level, or make its rows more alike."
            )
    elif (needed := delta_up(weights, epsilon)) > delta:
        raise BadValue(
            f"The matrix needs delta = {float(needed):.6g} at epsilon = {brief(epsilon)}, above the claimed delta = "
            f"{brief(delta)}."
        )


def row_distance(weights: Weights) -> Fraction:
    """The largest total variation distance of two rows, exactly; 1 where there are too many pairs to look at.

    >>> row_distance(np.array([[3, 1], [1, 3]]) << 60)
    Fraction(1, 2)
    """
    rows = np.unique(weights, axis=0)
    if rows.shape[0] * rows.size > _MOST_PAIRED:
        return Fraction(1)
    # Sums of the entries of one row fit 62 bits, and so do those of their excess over another.
    largest = max(int(np.maximum(row - rows, 0).sum(axis=1).max()) for row in rows)
    return Fraction(largest, ONE)


def level_ratio(weights: Weights) -> Fraction | None:
    """The largest ratio Q(y|x)/Q(y|x') over outputs y and pairs of rows; None when it is unbounded.

    >>> level_ratio(np.array([[3, 1], [1, 3]]) << 60)
    Fraction(3, 1)
    """
    high, low = weights.max(axis=0), weights.min(axis=0)
    used = high > 0
    if np.any(low[used] == 0):
        return None
    return max(Fraction(int(top), int(bottom)) for top, bottom in zip(high[used], low[used], strict=True))


def level_up(ratio: Fraction | None) -> float:
    """The level ln(ratio), rounded up to a double; infinite where the ratio is unbounded."""
    if ratio is None:
        return math.inf
    with precision(_BITS):
        return float_up(max(Fraction(0), fraction_up(ball(ratio).log())))


def within(ratio: Fraction | None, epsilon: Fraction) -> bool:
    """Whether ratio ≤ e^epsilon for certain."""
    if ratio is None:
        return False
    if ratio == 1:
        return True
    with precision(_BITS):
        return ratio <= fraction_down(exp_ball(epsilon))


def delta_up(weights: Weights, epsilon: Fraction) -> Fraction:
    """The least delta of (epsilon, delta)-privacy, rounded up: the largest Σ_y max(Q(y|x) - e^epsilon Q(y|x'), 0)."""
    steep = exp_down(epsilon)
    rows = [[int(w) for w in row] for row in np.unique(weights, axis=0)]
    worst = Fraction(0)
    for one in rows:
        for other in rows:
            excess = (p - steep * q for p, q in zip(one, other, strict=True))
            worst = max(worst, sum((part for part in excess if part > 0), Fraction(0)))
    return worst / ONE


def weights_of(matrix: Floats) -> Weights:
    """The nearest whole weights to a matrix of probabilities; zeros stay zeros."""
    sums = matrix.sum(axis=1)
    if not np.all(np.isfinite(matrix)):
        raise BadValue("The matrix of a channel must hold finite numbers only.")
    if not matrix.min() >= 0:
        raise BadValue(f"The matrix has the entry {matrix.min():.6g}; probabilities are 0 or above.")
    if not np.all(np.abs(sums - 1) <= _ROW_SUM_SLACK):
        row = int(np.argmax(np.abs(sums - 1)))
        raise BadValue(
            f"Row {row} of the matrix sums to {sums[row]:.9g}, not 1. A row is the law of the report of one category."
        )
    weights: Weights = np.floor(matrix / (sums[:, None] * (1 + 2.0**-48)) * float(ONE)).astype(np.int64)
    _pour(weights, weights.copy())  # Doubles near 2^62 are 2^9 apart; what is missing goes to the largest entries.
    return weights


def pulled_within(weights: Weights, epsilon: Fraction) -> Weights:
    """The weights, moved towards their common mean by 2^-30 where rounding alone had put them above the level.

    A matrix that is above the level by more than rounding explains is refused.
    """
    ratio = level_ratio(weights)
    if within(ratio, epsilon):
        return weights
    if not within(ratio, epsilon + _ROUNDING_SLACK):
        true = level_up(ratio)
        raise BadValue(
            f"The matrix is private at level {true:.9g}, above the claimed epsilon = {float(epsilon):.9g}. "
            "Claim its true level, or make its rows more alike."
        )
    mean = np.maximum(weights.mean(axis=0), 1).astype(np.int64)
    # A little less than a full share of the mean, so that no row overflows.
    towards = np.maximum((mean >> 30) - (mean >> 50) - 1, 0)
    mixed: Weights = weights - (weights >> 30) + towards
    _pour(mixed, np.maximum(mixed.max(axis=0) - mixed, 0))
    if not within(level_ratio(mixed), epsilon):
        raise Uncertified(f"The matrix could not be brought within epsilon = {float(epsilon):.9g}; lower its entries.")
    return mixed


def staircase_weights(theta: Floats, favoured: NDArray[np.bool_], epsilon: Fraction) -> Weights:
    """Whole weights of the staircase channel Q(y|x) = theta_y · (e^epsilon if x is favoured by y, else 1)."""
    return weights_within(theta * np.where(favoured, float(exp_down(epsilon)), 1.0), epsilon)


def weights_within(proposal: Floats, epsilon: Fraction) -> Weights:
    """Whole weights near a solver's floating proposal, for certain within the level.

    Each column gets a whole base u, from its least entry, and a whole top ⌊e^epsilon u⌋; every entry is put between
    them, and what a row then lacks to 2^62 is poured into entries below their top.
    """
    steep = exp_down(epsilon)
    sums = proposal.sum(axis=1)
    if not (proposal.min() >= 0 and abs(sums - 1).max() < 1e-3):
        raise Uncertified("The proposed channel is too far from stochastic to be repaired.")
    scaled = np.floor(proposal / (sums.max() * (1 + 2.0**-47)) * float(ONE)).astype(np.int64)
    base = np.maximum(scaled.min(axis=0), np.where(scaled.max(axis=0) > 0, 1, 0))
    top = np.array([min(int(steep * int(u)), ONE) for u in base], dtype=np.int64)
    weights: Weights = np.clip(scaled, base, top)
    _pour(weights, top - weights)
    return weights


def _row_sums(weights: Weights) -> NDArray[np.object_]:
    """Exact row sums: high and low halves apart, so that nothing overflows."""
    high, low = (weights >> 31).sum(axis=1), (weights & ((1 << 31) - 1)).sum(axis=1)
    sums: NDArray[np.object_] = high.astype(object) * (1 << 31) + low.astype(object)
    return sums


def _pour(weights: Weights, room: Weights) -> None:
    """Add to each row what it lacks to 2^62, where there is room, most roomy entries first; in place."""
    lacking = np.array([ONE - total for total in _row_sums(weights)], dtype=object)
    if any(amount < 0 for amount in lacking):
        raise Uncertified("A row of the proposed channel is above 1 after rounding.")
    for row in np.flatnonzero(lacking):
        left = int(lacking[row])
        for place in np.argsort(-room[row], kind="stable"):
            added = min(left, int(room[row, place]))
            weights[row, place] += added
            left -= added
            if not left:
                break
        if left:
            raise Uncertified("The proposed channel has no room to be made exactly stochastic within its level.")
