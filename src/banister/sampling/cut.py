"""Exact draws from a staircase law that is cut off at an edge, where the edge value keeps a part of its mass.

Two roads to one law: reject from the whole staircase, fast when little is cut; reject from the uniform law on
-edge … edge, fast when so much is cut that the steps left are nearly level. Each keeps at least about a third.
"""

from fractions import Fraction

import numpy as np
from flint import arb
from numpy.typing import NDArray

from banister.core.exact.numbers import Computable, exp_ball
from banister.sampling.bernoulli import Coin, bernoulli, coins_near
from banister.sampling.bits import BitSource
from banister.sampling.staircase import staircase_draw
from banister.sampling.uniform import uniform_below, uniform_below_many


class CutDraw:
    """Draws i with |i| ≤ edge, P(i) ∝ the staircase law, times `keep_edge` where |i| = edge."""

    __slots__ = ("_coin", "_keep_edge", "_level", "edge", "epsilon", "period", "step")

    def __init__(
        self,
        epsilon: Fraction,
        period: int,
        step: int,
        *,
        edge: int,
        keep_edge: Computable,
        level: bool,
        glance: int = 16,
        word: int = 64,
    ) -> None:
        """`level` says whether the steps are nearly level, so that uniform proposals are kept more often."""
        self.epsilon, self.period, self.step, self.edge = epsilon, period, step, edge
        self._keep_edge = keep_edge
        self._coin = Coin(keep_edge, glance=glance, word=word)
        self._level = level

    def draw(self, bits: BitSource) -> int:
        """One number."""
        while True:
            if self._level:
                value = uniform_below(2 * self.edge + 1, bits) - self.edge
                if bernoulli(self._height(abs(value)), bits):
                    return value
                continue
            value = staircase_draw(self.epsilon, self.period, self.step).draw(bits)
            if abs(value) < self.edge or (abs(value) == self.edge and self._coin.draw(bits)):
                return value

    def draw_many(self, count: int, bits: BitSource) -> NDArray[np.int64]:
        """Many numbers."""
        values = np.empty(count, dtype=np.int64)
        missing = np.arange(count)
        while missing.size:
            proposals = self._propose(missing.size, bits)
            kept = self._kept(proposals, bits)
            values[missing[kept]] = proposals[kept]
            missing = missing[~kept]
        return values

    def _propose(self, count: int, bits: BitSource) -> NDArray[np.int64]:
        if self._level:
            return uniform_below_many(2 * self.edge + 1, count, bits) - self.edge
        return staircase_draw(self.epsilon, self.period, self.step).draw_many(count, bits)

    def _kept(self, proposals: NDArray[np.int64], bits: BitSource) -> NDArray[np.bool_]:
        sizes = np.abs(proposals)
        if self._level:
            falls = sizes // self.period + (sizes % self.period >= self.step)
            nearly = np.exp(-float(self.epsilon) * falls)
            nearly[sizes == self.edge] *= float(self._keep_edge())
            return coins_near(nearly, lambda place: self._height(int(sizes[place])), bits)
        kept = sizes < self.edge
        at_edge = np.flatnonzero(sizes == self.edge)
        kept[at_edge] = self._coin.draw_many(at_edge.size, bits)
        return kept

    def _height(self, size: int) -> Computable:
        """The mass at that size over the mass at 0."""

        def height() -> arb:
            falls = size // self.period + (size % self.period >= self.step)
            inside = exp_ball(-self.epsilon * falls)
            return inside * self._keep_edge() if size == self.edge else inside

        return height
