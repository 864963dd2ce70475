"""The threshold of unknown groups: the noisy number of people that decides whether a value appears at all.

Out of nothing nothing appears: a value is looked at only where somebody has it. One person alone makes it appear with
a chance of delta at most, over all her cells; that is what a threshold pays for, beside its noise.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

from banister.core.exact.numbers import BALL_BITS, Bracket, precision
from banister.core.exact.search import least_whole
from banister.core.privacy.guarantee import Guarantee
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import Uncertified
from banister.mechanisms import RoundedGaussian, TruncatedStaircase
from banister.questions.measures import Measure, Share
from banister.release.answering.combine import bounded_reach, normal_reach
from banister.release.payments.cells import level_of
from banister.release.payments.joint import JointGaussian, gaussian_loss
from banister.release.payments.measured import Measured
from banister.release.payments.stated import Stated, law_of


@dataclass(frozen=True, slots=True, kw_only=True)
class CellThreshold(Measured):
    """Truncated noise: a value appears when its noisy number of people exceeds the largest noise there is.

    The noise has paid for appearing, as out of nothing it never exceeds that. The optimal rule of [DVGM22] lets a value
    through one person earlier at most; there the number of people would have to be paid again.
    """

    together: ClassVar[bool] = False

    measure: Measure
    share: Share
    part: Fraction
    noise: TruncatedStaircase

    @property
    def epsilon(self) -> Fraction:
        return self.part

    @property
    def kind(self) -> str:
        return "truncated staircase"

    @property
    def bar(self) -> int:
        return self.noise.edge

    def stated(self) -> Stated:
        share = self.share
        cells: Stated = {"cells": share.touches, "sensitivity": share.sensitivity, "bar": self.bar}
        return {"noise": law_of(self.noise), **cells}

    def reach(self, parts: Sequence[tuple[float, int]], confidence: float) -> float:
        return bounded_reach(self.spread, parts, confidence)

    def loss(self) -> PrivacyLoss:
        if self.share.moves != 1:
            raise Uncertified("The loss of truncated noise is known for one sensitivity a cell, not for several.")
        return self.noise.loss().times(self.share.touches)


@dataclass(frozen=True, slots=True, kw_only=True)
class JointThreshold(Measured):
    """Gaussian noise with a bar that one person alone exceeds with a chance of delta at most, over all her cells."""

    together: ClassVar[bool] = True

    measure: Measure
    share: Share
    noise: RoundedGaussian
    delta: Fraction

    @property
    def kind(self) -> str:
        return "Gaussian"

    @property
    def epsilon(self) -> Fraction:
        return Fraction(0)

    @property
    def bar(self) -> int:
        return least_bar(self.noise, self.share.touches, self.delta)

    def stated(self) -> Stated:
        appearing: Stated = {"cells": self.share.touches, "bar": self.bar, "delta": str(self.delta)}
        return {"noise": law_of(self.noise), "squares": int(self.share.squares), **appearing}

    def reach(self, parts: Sequence[tuple[float, int]], confidence: float) -> float:
        return normal_reach(self.noise.sigma, parts, confidence)

    def loss(self) -> PrivacyLoss:
        """That of the noise, and beside it everything with a chance of delta: the noise has not paid for appearing."""
        return gaussian_loss(self.share, self.noise).with_(PrivacyLoss.of_guarantee(Guarantee(0, self.delta)))


def cell_threshold(measure: Measure, share: Share, epsilon: Fraction, delta: Fraction) -> CellThreshold:
    """Truncated noise at a part of epsilon and of delta a cell."""
    noise = TruncatedStaircase(
        epsilon=level_of(share, epsilon), delta=delta / share.touches, sensitivity=share.sensitivity
    )
    return CellThreshold(measure=measure, share=share, part=epsilon, noise=noise)


def with_bar(paid: JointGaussian, delta: Fraction) -> JointThreshold:
    """The same noise, with a bar that is paid for with a delta."""
    return JointThreshold(measure=paid.measure, share=paid.share, noise=paid.noise, delta=delta)


@lru_cache(maxsize=256)
def least_bar(noise: RoundedGaussian, cells: int, delta: Fraction) -> int:
    """The least number that a value which only one person has exceeds with a chance of delta at most, over all cells.

    One person alone gives 1 + noise. Nothing else about her cells is told by whether they appear, so a release with
    this bar gives away Gaussian noise and, beside it, everything with probability delta.
    """

    def holds(bar: int) -> bool:
        with precision(BALL_BITS):
            return Fraction(Bracket.of_ball(noise.tail_ball(bar)).up) * cells <= delta

    return least_whole(holds)
