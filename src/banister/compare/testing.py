"""How many people a curator needs to tell two laws apart: a count with geometric noise, and its exact power."""

import math

import numpy as np
from numpy.typing import ArrayLike

from banister.core.exact.search import least_whole
from banister.core.programs.linear import Floats
from banister.errors import BadValue

MOST = 1 << 14


def curator_test_people(first: ArrayLike, second: ArrayLike, *, epsilon: float, power: float, size: float) -> int:
    """The least number of people with which a noisy count of the draws that speak for the second law has the power.

    Upper bound:  the number is enough; another private test may need fewer. The laws are summed in doubles.

    >>> curator_test_people([0.5, 0.5], [0.2, 0.8], epsilon=1, power=0.9, size=0.05)
    29
    """
    p, q = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    favoured = q > p
    ends = float(p[favoured].sum()), float(q[favoured].sum())
    if not ends[0] < ends[1]:
        raise BadValue("The two laws are the same, so no number of people tells them apart.")

    def enough(people: int) -> bool:
        if people > MOST:
            raise BadValue(f"More than {MOST} people would be needed. Raise epsilon, or ask for less power.")
        tails = [_noisy_tail(people, share, epsilon) for share in ends]
        within = np.flatnonzero(tails[0] <= size)
        return bool(within.size) and float(tails[1][within[0]]) >= power

    return least_whole(enough)


def _noisy_tail(people: int, share: float, epsilon: float) -> Floats:
    """P(count + noise ≥ t) for t = -reach … people + reach, for a binomial count and two-sided geometric noise."""
    counts = np.arange(people + 1)
    logs = np.array([math.lgamma(people + 1) - math.lgamma(c + 1) - math.lgamma(people - c + 1) for c in counts])
    with np.errstate(divide="ignore"):
        odds = np.where(counts > 0, counts * np.log(share), 0.0) + np.where(
            counts < people, (people - counts) * np.log1p(-share) if share < 1 else -np.inf, 0.0
        )
    masses = np.exp(logs + odds)
    reach = math.ceil(40 / epsilon)
    b = math.exp(-epsilon)
    noise = (1 - b) / (1 + b) * b ** np.abs(np.arange(-reach, reach + 1))
    law = np.convolve(masses, noise)
    return np.asarray(np.cumsum(law[::-1])[::-1], dtype=np.float64)
