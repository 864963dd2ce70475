"""What counts prove: the least epsilon that an event shows, with a confidence that holds for every sample size."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from banister.core.exact.search import least_whole

Floats = NDArray[np.float64]

_SLACK = 1e-9
"""What the inverse of the beta law may be wrong by, relatively; it is taken off against ourselves."""


def chance_down(hits: Any, draws: int, risk: float) -> Floats:
    """Clopper and Pearson's lower bound: at most `risk` to lie above the true chance.

    >>> round(float(chance_down(60, 100, 0.025)), 4)
    0.4972
    """
    from scipy.special import betaincinv

    hits = np.asarray(hits, dtype=float)
    found = betaincinv(np.maximum(hits, 1.0), draws - hits + 1, risk)
    return np.asarray(np.where(hits > 0, found * (1 - _SLACK), 0.0), dtype=float)


def chance_up(hits: Any, draws: int, risk: float) -> Floats:
    """Clopper and Pearson's upper bound: at most `risk` to lie below the true chance.

    >>> round(float(chance_up(0, 100, 0.05)), 4)
    0.0295
    """
    return np.asarray(1 - chance_down(draws - np.asarray(hits, dtype=float), draws, risk), dtype=float)


def epsilon_shown(hits: Any, others: Any, *, draws: int, delta: float, risk: float) -> Floats:
    """The largest epsilon that cannot hold: log((P - delta)/Q) with P from below and Q from above, and 0 at least.

    >>> round(float(epsilon_shown(731, 269, draws=1000, delta=0.0, risk=0.01)), 3)
    0.816
    """
    low = chance_down(hits, draws, risk / 2) - delta
    high = chance_up(others, draws, risk / 2)
    ratio = np.where(low > 0, np.maximum(low, 1e-300) / np.maximum(high, 1e-300), 1.0)
    return np.asarray(np.maximum(np.log(ratio), 0.0), dtype=float)


def draws_needed(epsilon: float, strength: float, *, risk: float) -> int:
    """How many outputs a side must be tested to show `strength` of an epsilon on the event that shows most.

    That is the event of randomized response: chances e^epsilon/(1 + e^epsilon) and 1/(1 + e^epsilon). An audit proposes
    events on one half of its outputs, so it has to draw twice as many; what it proposes may be less telling.

    >>> draws_needed(1.0, 0.9, risk=0.01)
    3381
    """
    likely = float(1 / (1 + np.exp(-epsilon)))

    def shows(draws: int) -> bool:
        found = epsilon_shown(draws * likely, draws * (1 - likely), draws=draws, delta=0.0, risk=risk)
        return bool(found >= strength * epsilon)

    return least_whole(shows, start=100)
