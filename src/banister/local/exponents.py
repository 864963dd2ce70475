"""How fast errors fall with the number of reports, and what (epsilon, delta) any matrix keeps."""

import math

import numpy as np
from numpy.typing import ArrayLike

from banister import need
from banister.core.exact.numbers import Number
from banister.core.exact.search import halved
from banister.core.laws.stochastic import delta_up, level_ratio, level_up, weights_of
from banister.core.laws.utility import KL, divergence_after
from banister.core.programs.linear import Floats
from banister.local.channels.base import Channel
from banister.local.designs.priors import pair


def stein_exponent(channel: Channel, p0: ArrayLike, p1: ArrayLike) -> float:
    """KL(M₀, M₁) of the reports: with false alarms held below any level, missed detections fall like e^(-n times it).

    `design(utility="kl", between=(p0, p1))` is the channel for which it is largest.

    >>> from banister.local import RandomizedResponse
    >>> round(stein_exponent(RandomizedResponse(1, 2), [0.5, 0.5], [0.2, 0.8]), 6)
    0.039997
    """
    first, second = pair((p0, p1))
    return divergence_after(KL, channel.matrix, first, second)


def chernoff_exponent(channel: Channel, p0: ArrayLike, p1: ArrayLike) -> tuple[float, float]:
    """-min over s of log Σ M₀^s M₁^(1-s), and that s: the sum of both errors falls like e^(-n times it), at best.

    For a fixed s the best channel is `design(utility=power(s), between=(p0, p1))`.

    >>> from banister.local import RandomizedResponse
    >>> best, order = chernoff_exponent(RandomizedResponse(1, 2), [0.5, 0.5], [0.2, 0.8])
    >>> round(best, 6), round(order, 3)
    (0.0099, 0.503)
    """
    first, second = pair((p0, p1))
    m0, m1 = first @ channel.matrix, second @ channel.matrix
    both = (m0 > 0) & (m1 > 0)
    if not both.any():
        return math.inf, 0.5
    log0, log1 = np.log(m0[both]), np.log(m1[both])

    def rises(s: float) -> bool:  # The sum is convex in s, so its slope changes sign once.
        return bool(_terms(log0, log1, s) @ (log0 - log1) >= 0)

    order = halved(rises, 0.0, 1.0)[1]
    return -math.log(float(_terms(log0, log1, order).sum())), order


def _terms(log0: Floats, log1: Floats, s: float) -> Floats:
    return np.asarray(np.exp(s * log0 + (1 - s) * log1))


def channel_level(matrix: ArrayLike) -> float | None:
    """The epsilon that a channel of one's own keeps without a delta, rounded up; None where no finite one does.

    >>> round(channel_level([[0.75, 0.25], [0.25, 0.75]]), 9)  # ln 3
    1.098612289
    """
    ratio = level_ratio(weights_of(np.asarray(matrix, dtype=np.float64)))
    return None if ratio is None else level_up(ratio)


def channel_delta(matrix: ArrayLike, *, epsilon: Number) -> float:
    """The least delta with which a channel of one's own is (epsilon, delta)-private, rounded up: one row an answer.

    The largest Σ max(Q(y|x) - e^epsilon Q(y|x'), 0) over two answers ([K16] Eq. (3.25)).

    >>> round(channel_delta([[0.75, 0.25], [0.25, 0.75]], epsilon=0), 9)
    0.5
    """
    level = need.non_negative("epsilon", epsilon)
    found = delta_up(weights_of(np.asarray(matrix, dtype=np.float64)), level)
    return float(np.nextafter(float(found), 1.0)) if found else 0.0
