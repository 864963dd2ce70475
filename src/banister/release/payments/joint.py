"""Joint Gaussian noise: all cells of all measures at once, paid together by their Euclidean distance.

It grows with the square root of the number of cells, needs a delta, and wins where a person counts in many cells.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

from banister.accounting.filters.gaussian import GaussianGate
from banister.core.exact.search import next_double
from banister.core.privacy.guarantee import Guarantee
from banister.core.privacy.loss import PrivacyLoss
from banister.mechanisms import RoundedGaussian
from banister.questions.measures import Measure, Share
from banister.release.answering.combine import normal_reach
from banister.release.payments.measured import Measured
from banister.release.payments.stated import Stated, law_of
from banister.release.planning.split import proportions

LARGEST_SIGMA = 2.0**38
"""Beyond this the exact rounding of Gaussian noise is settled draw by draw, which is slow; staircases are not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JointGaussian(Measured):
    """Gaussian noise for all cells of one measure, which is paid together with the others of its question."""

    together: ClassVar[bool] = True

    measure: Measure
    share: Share
    noise: RoundedGaussian

    @property
    def kind(self) -> str:
        return "Gaussian"

    @property
    def epsilon(self) -> Fraction:
        return Fraction(0)

    @property
    def bar(self) -> None:
        return None

    def stated(self) -> Stated:
        return {"noise": law_of(self.noise), "squares": int(self.share.squares)}

    def reach(self, parts: Sequence[tuple[float, int]], confidence: float) -> float:
        return normal_reach(self.noise.sigma, parts, confidence)

    def loss(self) -> PrivacyLoss:
        return gaussian_loss(self.share, self.noise)


def gaussian_loss(share: Share, noise: RoundedGaussian) -> PrivacyLoss:
    """What Gaussian noise on all cells gives away about one person.

    Exact:  before rounding; mu² of several measures add up ([BW18] Thm 8).
    """
    return PrivacyLoss.gaussian(share.squares / Fraction(noise.sigma) ** 2)


def joint_noise(
    measures: Sequence[Measure], shares: Sequence[Share], matter: Sequence[float], level: Guarantee
) -> tuple[JointGaussian, ...]:
    """Gaussian noise for all measures, each sigma as its error matters: Σ matter · sigma² is the least.

    With Σ squares / sigma² ≤ mu² the least is at shares of mu² in proportion to √(squares · matter).
    """
    roots = [math.sqrt(share.squares * m) for share, m in zip(shares, matter, strict=True)]
    found = []
    for measure, share, part in zip(measures, shares, proportions(roots), strict=True):
        sigma = _least_sigma(share.squares, allowed(level) * part)
        noise = RoundedGaussian.with_sigma(sigma=sigma, sensitivity=share.sensitivity, cost="squared")
        found.append(JointGaussian(measure=measure, share=share, noise=noise))
    return tuple(found)


def joint_price(shares: Sequence[Share], matter: Sequence[float], level: Guarantee) -> float:
    """The least Σ matter · sigma² at a guarantee: (Σ √(squares · matter))² / mu²."""
    roots = sum(math.sqrt(share.squares * m) for share, m in zip(shares, matter, strict=True))
    return roots**2 / float(allowed(level))


@lru_cache(maxsize=256)
def allowed(level: Guarantee) -> Fraction:
    """The largest sum of mu² that keeps a guarantee."""
    return GaussianGate.for_budget(level).limit


def _least_sigma(squares: int, allowed: Fraction) -> float:
    """The least double with squares / sigma² ≤ allowed."""
    return next_double(lambda sigma: squares <= allowed * Fraction(sigma) ** 2, math.sqrt(float(squares / allowed)))
