"""The discrete Gaussian, exactly: P(i) ∝ e^(-i² / 2 variance) on the integers.

Rejection from the two-sided geometric law ([CKS20] Algorithm 3): with t = ⌊√variance⌋ + 1, a proposal y of decay
1/t is kept with probability exp(-(|y| - variance/t)² / (2 variance)). A double settles the tosses that are not close;
the close ones are settled in certified arithmetic.
"""

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from banister.core.exact.numbers import Computable, exp_ball
from banister.errors import Undrawable
from banister.sampling.bernoulli import coin_near, coins_near
from banister.sampling.bits import BitSource
from banister.sampling.staircase import StaircaseDraw

_WIDEST = 1 << 44


class DiscreteGaussianDraw:
    """Draws with P(i) ∝ e^(-i² / 2 variance)."""

    __slots__ = ("_centre", "_proposal", "_scale", "_spread", "variance")

    def __init__(self, variance: Fraction) -> None:
        self.variance = variance
        self._scale = math.isqrt(int(variance)) + 1
        if self._scale > _WIDEST:
            raise Undrawable(
                f"A standard deviation of {float(self._scale):.3g} grid steps is too wide to draw from exactly: "
                "it must be at most 2^44. Take a coarser grid."
            )
        self._proposal = StaircaseDraw(Fraction(1, self._scale), 1, 1)
        self._centre = float(variance / self._scale)
        self._spread = math.sqrt(variance)

    def draw(self, bits: BitSource) -> int:
        """One number."""
        while True:
            proposal = self._proposal.draw(bits)
            nearly = math.exp(-0.5 * ((abs(proposal) - self._centre) / self._spread) ** 2)
            if coin_near(nearly, self._keep(abs(proposal)), bits):
                return proposal

    def draw_many(self, count: int, bits: BitSource) -> NDArray[np.int64]:
        """Many numbers."""
        kept = np.empty(count, dtype=np.int64)
        done = 0
        while done < count:
            # About two in three are kept; a little more is drawn so that few rounds are needed.
            proposals = self._proposal.draw_many((count - done) * 3 // 2 + 16, bits)
            good = proposals[self._kept(np.abs(proposals), bits)][: count - done]
            kept[done : done + good.size] = good
            done += good.size
        return kept

    def _kept(self, sizes: NDArray[np.int64], bits: BitSource) -> NDArray[np.bool_]:
        nearly = np.exp(-0.5 * ((sizes - self._centre) / self._spread) ** 2)
        return coins_near(nearly, lambda place: self._keep(int(sizes[place])), bits)

    def _keep(self, size: int) -> Computable:
        return lambda: exp_ball(-((size - self.variance / self._scale) ** 2) / (2 * self.variance))


@lru_cache(maxsize=64)
def discrete_gaussian_draw(variance: Fraction) -> DiscreteGaussianDraw:
    """The sampler for that variance, made once."""
    return DiscreteGaussianDraw(variance)
