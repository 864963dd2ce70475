"""The channel with the largest Chernoff exponent: both errors of a test together fall fastest with more people."""

import numpy as np
from numpy.typing import ArrayLike

from banister import need
from banister.core.exact.numbers import Number
from banister.core.laws.utility import power
from banister.local.channels.response import RandomizedResponse
from banister.local.designs.partition import design_between
from banister.local.designs.priors import pair
from banister.local.exponents import chernoff_exponent

CHERNOFF = "chernoff"
_ORDERS = 15
_FINER = 14


def design_chernoff(epsilon: Number, p0: ArrayLike, p1: ArrayLike) -> RandomizedResponse:
    """The channel whose reports tell two hypotheses apart with the least sum of errors, for many people.

    For each order s the channel with the least Σ M₀^s M₁^(1-s) is an exact design, and its certificate goes with it;
    the order itself is searched. `stein_exponent`, with false alarms held, is largest for `design(utility="kl")`.

    >>> p0, p1 = [0.6, 0.3, 0.1], [0.2, 0.2, 0.6]
    >>> round(chernoff_exponent(design_chernoff(1, p0, p1), p0, p1)[0], 6)
    0.028022
    """
    level, (first, second) = need.non_negative("epsilon", epsilon), pair((p0, p1))

    def tried(order: float) -> tuple[float, float, RandomizedResponse]:
        channel = design_between(level, first, second, power(order))
        return chernoff_exponent(channel, first, second)[0], order, channel

    step = 1 / (_ORDERS + 1)
    best = max((tried(float(order)) for order in np.linspace(step, 1 - step, _ORDERS)), key=lambda each: each[0])
    for _ in range(_FINER):
        step /= 2
        around = [tried(order) for order in (best[1] - step, best[1] + step) if 0 < order < 1]
        best = max([best, *around], key=lambda each: each[0])
    return best[2]
