"""The linear program over all 2^k staircase columns, straight from the theorem, by another road (scipy)."""

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
