"""Noise cell by cell with a shape of its own, all cells of a person paid together under their exact composition.

It needs a delta, and wins where a person counts in a handful of cells: between the staircase, which is best for one,
and the Gaussian, which is best for many (docs/math/many.md).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

from banister.accounting.totals.shaping import best_shape
from banister.core.laws.cost import Cost
from banister.core.privacy.guarantee import Guarantee
from banister.core.privacy.loss import PrivacyLoss
from banister.mechanisms.integers.shaped import ShapedNoise
from banister.questions.measures import Measure, Share
from banister.release.answering.combine import bounded_reach
from banister.release.payments.joint import allowed
from banister.release.payments.measured import Measured
from banister.release.payments.stated import Stated, law_of

WIDEST = 1000
"""Whole numbers in a cell of the noise up to which its expected cost is added up term by term."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapedCells(Measured):
    """Shaped noise for each cell, which keeps a level over all cells that a person touches."""

    together: ClassVar[bool] = True

    measure: Measure
    share: Share
    noise: ShapedNoise
    level: Guarantee

    @property
    def kind(self) -> str:
        return "shaped"

    @property
    def epsilon(self) -> Fraction:
        return Fraction(0)

    @property
    def bar(self) -> None:
        return None

    def stated(self) -> Stated:
        return {
            "noise": law_of(self.noise),
            "cells": self.share.touches,
            "sensitivity": self.share.sensitivity,
            "epsilon": str(self.level.epsilon),
            "delta": str(self.level.delta),
        }

    def reach(self, parts: Sequence[tuple[float, int]], confidence: float) -> float:
        return bounded_reach(self.spread, parts, confidence)

    def loss(self) -> PrivacyLoss:
        """What the noise of all cells gives away about one person.

        Exact:  a person moves `touches` cells by up to the sensitivity each, and the losses of moves by less lie below.
        """
        return self.noise.loss().times(self.share.touches)


def shaped_cells(measure: Measure, share: Share, level: Guarantee) -> ShapedCells | None:
    """The best shape that is found for all cells of a person; None where none is sought, or none is found.

    A cell of the noise is as wide as the sensitivity, or one wider, since its width is odd.
    """
    width = share.sensitivity | 1
    if share.moves != 1 or share.touches < 2 or not 1 <= width <= WIDEST:
        return None
    noise = _shape(level, share.touches, width)
    return None if noise is None else ShapedCells(measure=measure, share=share, noise=noise, level=level)


@lru_cache(maxsize=64)
def _shape(level: Guarantee, cells: int, width: int) -> ShapedNoise | None:
    sigma = math.sqrt(cells / float(allowed(level)))
    found = best_shape(level, cells, cost=Cost.of("squared"), sigma=sigma)
    if found is None:
        return None
    return ShapedNoise(heights=found.heights, unit=found.unit, reach=found.reach, width=width, cost="squared")
