"""Optima by other roads: all 2^k staircase columns at once (scipy), and ascent over channels of any shape."""

from collections.abc import Callable

import numpy as np
from scipy.optimize import linprog


def optimum(k: int, epsilon: float, gain: Callable[[np.ndarray], np.ndarray]) -> float:
    """The value of the program; `gain` takes the columns (k x columns, entries 1 and e^epsilon)."""
    sets = np.arange(1, 1 << k)
    columns = 1 + np.expm1(epsilon) * (sets >> np.arange(k)[:, None] & 1)
    gains = gain(columns)
    scale = float(abs(gains).max()) or 1.0
    found = linprog(-gains / scale, A_eq=columns, b_eq=np.ones(k), method="highs-ds")
    assert found.fun is not None
    return float(-found.fun * scale)


def ascend(
    k: int,
    outputs: int,
    epsilon: float,
    value: Callable[[np.ndarray], float],
    slope: Callable[[np.ndarray], np.ndarray],
    seed: int,
) -> float:
    """A local maximum of a convex utility over all channels of the level, staircases or not.

    Each step maximises the linearised utility over every row-stochastic Q with Q(y|x) ≤ e^epsilon Q(y|x').
    """
    rng = np.random.default_rng(seed)
    pairs = [(x, other, y) for x in range(k) for other in range(k) if x != other for y in range(outputs)]
    ratio = np.zeros((len(pairs), k * outputs))
    for row, (x, other, y) in enumerate(pairs):
        ratio[row, x * outputs + y], ratio[row, other * outputs + y] = 1, -np.exp(epsilon)
    sums = np.repeat(np.eye(k), outputs, axis=1)
    matrix, best = rng.dirichlet(np.ones(outputs)) + 0.01 * rng.random((k, outputs)), -1.0
    matrix /= matrix.sum(axis=1, keepdims=True)
    for _ in range(30):
        found = linprog(-slope(matrix).ravel(), A_ub=ratio, b_ub=np.zeros(len(pairs)), A_eq=sums, b_eq=np.ones(k))
        assert found.x is not None
        matrix = np.maximum(found.x.reshape(k, outputs), 1e-15)
        if value(matrix) <= best + 1e-13:
            break
        best = value(matrix)
    return best
