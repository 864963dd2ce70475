"""Which noise protects the measures of a question: split over the cells that a person touches, or for all at once.

Split:  each cell gets a staircase at its part of epsilon. It is the best where a person counts in few cells, and needs
        no delta.
Joint:  all cells of all measures get Gaussian noise, paid together by their Euclidean distance. It grows with the
        square root of the number of cells, needs a delta, and wins where a person counts in many.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from banister.accounting.gates import GaussianGate
from banister.core.exact.numbers import BALL_BITS, Bracket, brief, precision
from banister.core.exact.search import least_whole, next_double
from banister.core.privacy.guarantee import Guarantee
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue, Uncertified
from banister.mechanisms import IntegerStaircase, RoundedGaussian, TruncatedStaircase
from banister.questions.measures import Measure, Share
from banister.release.split import proportions

Noise = IntegerStaircase | TruncatedStaircase | RoundedGaussian

LARGEST_SIGMA = 2.0**38
"""Beyond this the exact rounding of Gaussian noise is settled draw by draw, which is slow; staircases are not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One measure with the noise that protects it; `epsilon` is its part, and 0 where noise is joint."""

    measure: Measure
    share: Share
    epsilon: Fraction
    noise: Noise

    def loss(self) -> PrivacyLoss:
        """What the noise of all cells gives away about one person.

        Exact:  for staircases, a person moves `touches` cells by up to the sensitivity each. Where one cell can move by
                several sensitivities instead, pure loss dominates both: n · epsilon in one cell is at least as much as
                epsilon in each of n. For Gaussian noise, mu² add up ([BW18] Thm 8).
        """
        if isinstance(self.noise, RoundedGaussian):
            return PrivacyLoss.gaussian(self.share.squares / Fraction(self.noise.sigma) ** 2)
        if self.share.moves == 1:
            return self.noise.loss().times(self.share.touches)
        if isinstance(self.noise, TruncatedStaircase):
            raise Uncertified("The loss of truncated noise is known for one sensitivity a cell, not for several.")
        return PrivacyLoss.pure(self.share.moves * self.noise.epsilon).times(self.share.touches // self.share.moves)

    @property
    def kind(self) -> str:
        """The name of the noise, for people."""
        if isinstance(self.noise, RoundedGaussian):
            return "Gaussian"
        if isinstance(self.noise, TruncatedStaircase):
            return "truncated staircase"
        return "geometric" if self.noise.sensitivity == 1 else "staircase"


def split_noise(measure: Measure, share: Share, epsilon: Fraction, delta: Fraction) -> Measured:
    """A staircase at a part of epsilon a cell; truncated where there is a delta."""
    level = epsilon / share.touches
    if share.sensitivity / level > 2**55:
        raise BadValue(
            f"epsilon = {brief(epsilon)} is too small for what one person can contribute ({share.sensitivity} steps). "
            "Give more epsilon, a coarser step or a narrower range."
        )
    noise: Noise
    if delta > 0:
        noise = TruncatedStaircase(epsilon=level, delta=delta / share.touches, sensitivity=share.sensitivity)
    else:
        noise = IntegerStaircase(epsilon=level, sensitivity=share.sensitivity, cost="squared")
    return Measured(measure=measure, share=share, epsilon=epsilon, noise=noise)


def joint_noise(
    measures: Sequence[Measure], shares: Sequence[Share], matter: Sequence[float], level: Guarantee
) -> tuple[Measured, ...]:
    """Gaussian noise for all measures, each sigma as its error matters: Σ matter · sigma² is the least.

    With Σ squares / sigma² ≤ mu² the least is at shares of mu² in proportion to √(squares · matter).
    """
    allowed = GaussianGate.for_budget(level).limit
    roots = [math.sqrt(share.squares * m) for share, m in zip(shares, matter, strict=True)]
    found = []
    for measure, share, part in zip(measures, shares, proportions(roots), strict=True):
        sigma = _least_sigma(share.squares, allowed * part)
        noise = RoundedGaussian.with_sigma(sigma=sigma, sensitivity=share.sensitivity, cost="squared")
        found.append(Measured(measure=measure, share=share, epsilon=Fraction(0), noise=noise))
    return tuple(found)


def joint_price(shares: Sequence[Share], matter: Sequence[float], level: Guarantee) -> float:
    """The least Σ matter · sigma² at a guarantee: (Σ √(squares · matter))² / mu²."""
    roots = sum(math.sqrt(share.squares * m) for share, m in zip(shares, matter, strict=True))
    return roots**2 / float(GaussianGate.for_budget(level).limit)


def _least_sigma(squares: int, allowed: Fraction) -> float:
    """The least double with squares / sigma² ≤ allowed."""
    return next_double(lambda sigma: squares <= allowed * Fraction(sigma) ** 2, math.sqrt(float(squares / allowed)))


def least_bar(noise: RoundedGaussian, cells: int, delta: Fraction) -> int:
    """The least number that a value which only one person has exceeds with a chance of delta at most, over all cells.

    One person alone gives 1 + noise. Nothing else about her cells is told by whether they appear, so a release with
    this bar gives away Gaussian noise and, beside it, everything with probability delta.
    """

    def holds(bar: int) -> bool:
        with precision(BALL_BITS):
            return Fraction(Bracket.of_ball(noise.tail_ball(bar)).up) * cells <= delta

    return least_whole(holds)
