"""The best staircase channel for any sublinear utility of a small alphabet: all 2^k columns, priced a batch at a time.

A staircase column favours a set A of categories: its entries are e^epsilon on A and 1 elsewhere. The optimum over
all channels is a linear program over these columns ([K16] Thm 3.3.4),

    max Σ_A gain(A) theta_A   subject to   Σ_A theta_A (1 + a 1[x in A]) = 1 for every x,   a = e^epsilon - 1.

A solver sees few columns at a time; its dual values price all 2^k of them exactly, which both finds the columns
that are missing and certifies the answer: see `StaircaseDesign.bound`.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banister.core.programs.linear import Floats, Ints, LinearProgram, LinearSolver
from banister.errors import BadValue, Unsolved

MOST_CATEGORIES = 20
"""Categories up to which all sets are priced: 2^20 numbers, 8 MB an array."""

_DIRECT = 9
_BATCH = 60
_MOST_ROUNDS = 400


@dataclass(frozen=True, slots=True, eq=False)
class StaircaseDesign:
    """A solved design: weight and favoured set of each output, its value, a bound on all channels, the dual."""

    theta: Floats
    favoured: NDArray[np.bool_]
    value: float
    bound: float
    dual: Floats


def best_staircase(epsilon: float, gains: Floats, solver: LinearSolver, noise: float) -> StaircaseDesign:
    """Maximise the smallest of several utilities over all channels of a level.

    `gains` has one row a utility and one column for each set of categories (bit x of the column's number says
    whether category x is in it); `noise` bounds the rounding error of a gain.

    Upper bound:  for the prices w ≥ 0 (Σ w = 1) of the utilities and any alpha, no channel exceeds
        1·alpha + max(0, max_A w·gain(A) - alpha·S_A) · k/(e^epsilon + k - 1).
    """
    k = gains.shape[1].bit_length() - 1
    if k > MOST_CATEGORIES:
        raise BadValue(f"{k} categories have 2^{k} sets; this exact design takes up to {MOST_CATEGORIES}.")
    low = math.exp(-epsilon)  # Columns are scaled to entries e^-epsilon and 1, so that no number is large.
    scale = float(np.abs(gains).max()) * low
    error = noise * low / scale if scale > 0 else math.inf
    if epsilon == 0 or error >= 0.1:
        return StaircaseDesign(np.array([low]), np.ones((k, 1), dtype=bool), 0.0, scale * k, np.zeros(k))
    scaled = gains * (low / scale)
    chosen = _first_columns(scaled, low, k)
    for _ in range(_MOST_ROUNDS):
        theta, alpha, weights = _restricted(scaled[:, chosen], chosen, low, k, solver)
        reduced = weights @ scaled - (low * alpha.sum() + (1 - low) * subset_sums(alpha))
        reduced[0] = -np.inf  # The empty set is the full set, scaled.
        fresh = _worst(reduced, chosen)
        if reduced.max() <= 2e-13 * k + error or not fresh.size:
            break
        chosen = np.concatenate((chosen, fresh))
    else:
        raise Unsolved("Column generation did not settle. Try a slightly different epsilon.")
    slip = max(0.0, float(reduced.max())) + 2 * error + k * 2.0**-50 * float(np.abs(alpha).sum() + 1)
    bound = (float(alpha.sum()) + slip * k / (1 + (k - 1) * low)) * scale
    return _tidied(theta, chosen, k, low, gains, bound, alpha * scale)


def subset_sums(values: Floats) -> Floats:
    """Σ of `values` over every set of their places; bit x of the result's place says whether x is in the set.

    >>> subset_sums(np.array([1.0, 10.0]))
    array([ 0.,  1., 10., 11.])
    """
    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate((sums, sums + value))
    return sums


def members(sets: Ints, categories: int) -> NDArray[np.bool_]:
    """One row per category, one column per set."""
    inside: NDArray[np.bool_] = (sets >> np.arange(categories)[:, None] & 1).astype(bool)
    return inside


def _first_columns(scaled: Floats, low: float, k: int) -> Ints:
    """All sets for a small alphabet; else single categories (always feasible) and the most valuable sets."""
    if k <= _DIRECT:
        return np.arange(1, 1 << k)
    cost = low + (1 - low) * subset_sums(np.full(k, 1 / k))
    worth = scaled.mean(axis=0) / cost
    best = np.argpartition(worth, -4 * k)[-4 * k :]
    return np.unique(np.concatenate((1 << np.arange(k), best[best > 0])))


def _worst(reduced: Floats, chosen: Ints) -> Ints:
    batch = min(_BATCH, reduced.size)
    top = np.argpartition(reduced, -batch)[-batch:]
    return np.setdiff1d(top[reduced[top] > 0], chosen)


def _restricted(
    scaled: Floats, chosen: Ints, low: float, k: int, solver: LinearSolver
) -> tuple[Floats, Floats, Floats]:
    """The optimum over some columns: theta, the dual values of the categories, the prices of the utilities.

    One utility is the objective itself. Several bound one more variable, their minimum, from above.
    """
    utilities, columns = scaled.shape
    several = utilities > 1
    blocks = [np.where(members(chosen, k), 1.0, low)]
    cost = -scaled[0]
    if several:
        blocks = [np.hstack((blocks[0], np.zeros((k, 1)))), np.hstack((scaled, -np.ones((utilities, 1))))]
        cost = np.append(np.zeros(columns), -1.0)
    dense = np.vstack(blocks)
    height, width = dense.shape
    program = LinearProgram(
        cost=cost,
        lower=np.append(np.zeros(columns), [-np.inf] * several),
        upper=np.full(width, np.inf),
        row_lower=np.append(np.ones(k), np.zeros(height - k)),
        row_upper=np.append(np.ones(k), np.full(height - k, np.inf)),
        starts=np.arange(width + 1, dtype=np.int64) * height,
        rows=np.tile(np.arange(height, dtype=np.int64), width),
        values=dense.T.ravel(),
    )
    found = solver.solve(program)
    prices = np.maximum(found.row_duals[k:], 0) if several else np.ones(1)
    return found.point[:columns], -found.row_duals[:k], prices / prices.sum()


def _tidied(
    theta: Floats, chosen: Ints, k: int, low: float, gains: Floats, bound: float, alpha: Floats
) -> StaircaseDesign:
    """The vertex, solved again on its support, so that its rows sum to 1 as closely as doubles can."""
    support = theta > 1e-11
    inside = members(chosen[support], k)
    rough, columns = theta[support], np.where(inside, 1.0, low)
    shift = np.linalg.lstsq(columns, 1 - columns @ rough, rcond=None)[0]
    exact = np.maximum(rough + shift, 0) * low  # The least change that makes the rows sum to 1; then unscaled.
    value = float((gains[:, chosen[support]] @ exact).min())
    return StaircaseDesign(exact, inside, value, max(bound, value), alpha)
