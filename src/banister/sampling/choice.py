"""Choose one place among many whose chances are e^-(rate · gap), exactly, without ever adding them up.

A gap is how far a candidate is behind the best one, an exact number ≥ 0. A double decides each toss that is not close;
close ones are decided in certified arithmetic, from the exact gap.
"""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from banister.core.exact.numbers import Computable, exp_ball
from banister.sampling.bernoulli import coins_near
from banister.sampling.bits import BitSource
from banister.sampling.uniform import uniform_below, uniform_below_many

Gap = Callable[[int], Fraction]
_FIRST_ROUND = 64
_LARGEST_ROUND = 1 << 18


def choose_in_proportion(nearly: NDArray[np.float64], gap: Gap, rate: Fraction, bits: BitSource) -> int:
    """A place i with P(i) ∝ e^(-rate · gap(i)), where nearly[i] is that weight as a double.

    Rejection: a uniform place is kept with probability e^(-rate · gap). The best place is always kept, so the number of
    rounds is at most the number of places, on average.
    """
    count = _FIRST_ROUND
    while True:
        places = uniform_below_many(nearly.size, count, bits)
        kept = np.flatnonzero(coins_near(nearly[places], _weights(gap, rate, places), bits))
        if kept.size:
            return int(places[kept[0]])
        count = min(2 * count, _LARGEST_ROUND)


def choose_first_heads(nearly: NDArray[np.float64], gap: Gap, rate: Fraction, bits: BitSource) -> int:
    """The first place in a random order whose coin, heads with probability e^(-rate · gap), shows heads.

    The order is independent of the coins, so the first heads is a uniform choice among all places that show heads; the
    best place always does.
    """
    everywhere = np.arange(nearly.size, dtype=np.int64)
    heads = np.flatnonzero(coins_near(nearly, _weights(gap, rate, everywhere), bits))
    return int(heads[uniform_below(heads.size, bits)])


def _weights(gap: Gap, rate: Fraction, places: NDArray[np.int64]) -> Callable[[int], Computable]:
    def at(draw: int) -> Computable:
        exponent = -rate * gap(int(places[draw]))
        return lambda: exp_ball(exponent)

    return at
