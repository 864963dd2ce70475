"""What right guesses about many canaries of one run prove. The proof is in docs/math/canaries.md.

Each of m canaries is in the table or not by a fair coin of its own. From the output r of them are guessed. However the
canaries depend on one another through the output, a mechanism that is (epsilon, delta)-private for each of them has

    P(at least v right) ≤ P(Bin(r, q) ≥ v) + (1 - q) delta (m - r + Σ_{k<r} peak(k)),   q = e^epsilon/(1 + e^epsilon),

where peak(k) is the largest probability of Bin(k, q). With delta = 0 it is the bound of [SNJ23] for pure privacy.
"""

import math
from functools import lru_cache

import numpy as np

from banister.core.exact.search import halved

_SLACK = 1e-9
"""What the incomplete beta function may be wrong by, relatively; it is added against ourselves."""
_LARGEST = 50.0


def chance_of_guesses(right: int, guesses: int, canaries: int, *, epsilon: float, delta: float) -> float:
    """An upper bound of the chance of so many right guesses or more, were the mechanism (epsilon, delta)-private.

    >>> round(chance_of_guesses(9, 10, 10, epsilon=0.0, delta=0.0) * 2**10)
    11
    """
    from scipy.special import betainc

    if right <= 0:
        return 1.0
    likely = 1 / (1 + math.exp(-epsilon))
    tail = float(betainc(right, guesses - right + 1, likely)) if right <= guesses else 0.0
    lost = (1 - likely) * delta * (canaries - guesses + _peaks(guesses, likely)) if delta else 0.0
    return min(1.0, (tail + lost) * (1 + _SLACK) + 1e-300)


def epsilon_of_guesses(right: int, guesses: int, canaries: int, *, delta: float, risk: float) -> float:
    """The largest epsilon that these guesses refute at this risk; 0 when they refute none.

    A mechanism that keeps a smaller epsilon keeps the larger one too, so whatever is refuted refutes all below it.

    >>> round(epsilon_of_guesses(95, 100, 100, delta=0.0, risk=0.01), 2)
    1.94
    """

    def refuted(epsilon: float) -> bool:
        return chance_of_guesses(right, guesses, canaries, epsilon=epsilon, delta=delta) <= risk

    if not refuted(0.0):
        return 0.0
    return _LARGEST if refuted(_LARGEST) else halved(refuted, _LARGEST, 0.0)[1]


@lru_cache(maxsize=256)
def _peaks(guesses: int, likely: float) -> float:
    """The sum over k < guesses of the largest probability of Bin(k, likely), rounded up."""
    from scipy.special import gammaln, xlog1py, xlogy

    k = np.arange(guesses, dtype=float)
    found = np.zeros(guesses)
    for mode in (np.floor((k + 1) * likely), np.floor((k + 1) * likely) - 1):
        at = np.clip(mode, 0, k)
        logs = gammaln(k + 1) - gammaln(at + 1) - gammaln(k - at + 1) + xlogy(at, likely) + xlog1py(k - at, -likely)
        found = np.maximum(found, np.exp(logs))
    return float(found.sum()) * (1 + _SLACK)
