"""Noise for counts that go on: one payment for all periods, whichever way they are measured.

What a person can move in all measured sums of all periods together is known before the first of them ends, so that the
whole stream is one charge. Proof: docs/math/streams.md.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from banister.core.exact.search import next_double
from banister.core.laws.factors import Factor
from banister.core.privacy.guarantee import Guarantee, Neighbours
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import Uncertified
from banister.mechanisms import DiscreteLaplace, RoundedGaussian
from banister.mechanisms.integers.integer_noise import IntegerNoise
from banister.questions.measures import Measure
from banister.release.answering.combine import NoiseSpread, pooled, spread_of
from banister.release.answering.wording import number
from banister.release.payments.joint import allowed
from banister.release.payments.stated import Stated, law_of
from banister.sampling.bits import BitSource


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamReach:
    """How much of one person counts in a measure: in so many cells of a period, and in so many periods."""

    measure: Measure
    neighbours: Neighbours
    groups: int
    many: int

    def squares(self, factor: Factor) -> int:
        """The squared distance by which a neighbour moves all measured sums of all cells.

        With Gram matrix G of the factor's columns and her cells v_t of period t, it is Σ G_st ⟨v_s, v_t⟩, at most
        Σ |G_st| times the largest |v|². Of two people who only add, in factors whose columns do not point apart, the
        products between them are not below 0, so that the squares add up; else the distances do.
        """
        once = self.groups * self.measure.sensitivity() ** 2 * factor.squares(self.many)
        if self.neighbours is Neighbours.ADD_REMOVE:
            return once
        return 2 * once if factor.positive and self.measure.low >= 0 else 4 * once

    def sums(self, factor: Factor) -> int:
        """How far a neighbour moves all measured sums of all cells, added up."""
        once = self.groups * self.measure.sensitivity() * factor.sums(self.many)
        return once if self.neighbours is Neighbours.ADD_REMOVE else 2 * once


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamNoise(ABC):
    """A payment for one measure in all periods."""

    kind: ClassVar[str]

    reach: StreamReach
    factor: Factor
    noise: IntegerNoise

    @abstractmethod
    def loss(self) -> PrivacyLoss:
        """What all periods together give away about one person."""

    @property
    @abstractmethod
    def law(self) -> str:
        """The noise of one measured sum, exactly, as text."""

    @abstractmethod
    def stated(self) -> Stated:
        """The law of the noise, and how far one person moves all measured sums of all periods together."""

    @abstractmethod
    def spread(self, period: int) -> NoiseSpread:
        """The law of the error of the answer for a period, from 0."""

    def deviation(self, period: int) -> float:
        """The standard deviation of the answer for a period, from 0."""
        return self.factor.errors[period] * math.sqrt(self.noise.risk_for("squared"))

    def largest(self) -> float:
        """The largest standard deviation of any period's answer."""
        return max(self.factor.errors) * math.sqrt(self.noise.risk_for("squared"))

    def draw(self, exact: Sequence[int], bits: BitSource) -> list[int]:
        """A measured sum with noise, for every cell. Sums have no bound here, so whole numbers of any size are kept."""
        return [count + int(z) for count, z in zip(exact, self.noise.draw_many(len(exact), bits), strict=True)]

    def describe(self, what: str) -> str:
        """The noise in words, for a measure that adds up something."""
        return f"{self.kind} for {what}, {self.factor.name} (deviation at most {number(self.largest())})"


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianStream(StreamNoise):
    """Rounded Gaussian noise on every measured sum, paid by the Euclidean distance of all of them."""

    kind: ClassVar[str] = "Gaussian"

    reach: StreamReach
    factor: Factor
    noise: RoundedGaussian

    def __post_init__(self) -> None:
        if self.factor.ahead:
            raise Uncertified(
                f"Gaussian noise by {self.factor.name} would be drawn ahead, which is proven for pure noise alone. "
                "Take another factor."
            )

    def loss(self) -> PrivacyLoss:
        """Exact before rounding where `squares` is; else an upper bound. Later periods may depend on earlier answers.

        Each measured sum is one Gaussian question; mu² of adaptively chosen ones add up on every path
        (docs/math/filters.md).
        """
        return PrivacyLoss.gaussian(self.reach.squares(self.factor) / Fraction(self.noise.sigma) ** 2)

    @property
    def law(self) -> str:
        return f"sigma {self.noise.sigma.hex()}"

    def stated(self) -> Stated:
        return {"noise": law_of(self.noise), "squares": int(self.reach.squares(self.factor))}

    def spread(self, period: int) -> NoiseSpread:
        from scipy.special import erfc

        # Roundings are bounded by half a step each and independent: as wide as a normal law of the same variance.
        deviation = self.deviation(period)
        return NoiseSpread(deviation, lambda x: np.asarray(erfc(x / (deviation * math.sqrt(2)))))


@dataclass(frozen=True, slots=True, kw_only=True)
class PureStream(StreamNoise):
    """Discrete Laplace noise on every measured sum, paid by all distances added up; no delta."""

    kind: ClassVar[str] = "Laplace"

    reach: StreamReach
    factor: Factor
    part: Fraction
    noise: DiscreteLaplace

    def loss(self) -> PrivacyLoss:
        """Upper bound: a ratio of e^(part · moved / sums) for what is moved, which is at most `sums` on every path.

        So it is where noise is drawn ahead: answers are exact functions of what has come and of the noise.
        """
        return PrivacyLoss.pure(self.part * self.reach.sums(self.factor) / self.noise.sensitivity)

    @property
    def law(self) -> str:
        return f"epsilon {self.part} for {self.noise.sensitivity}"

    def stated(self) -> Stated:
        return {"noise": law_of(self.noise), "moved": int(self.reach.sums(self.factor))}

    def spread(self, period: int) -> NoiseSpread:
        own = spread_of(self.noise)
        counted: dict[float, int] = {}
        for _, weight in self.factor.weights(period):
            counted[abs(weight)] = counted.get(abs(weight), 0) + 1
        return pooled([(weight, own, count) for weight, count in counted.items()])


def gaussian_stream(reach: StreamReach, factor: Factor, level: Guarantee, part: Fraction) -> GaussianStream:
    """The least Gaussian noise for a part of what a guarantee allows."""
    squares, room = reach.squares(factor), allowed(level) * part
    sigma = next_double(lambda s: squares <= room * Fraction(s) ** 2, math.sqrt(float(squares / room)))
    noise = RoundedGaussian.with_sigma(sigma=sigma, sensitivity=reach.measure.sensitivity(), cost="squared")
    return GaussianStream(reach=reach, factor=factor, noise=noise)


def pure_stream(reach: StreamReach, factor: Factor, part: Fraction) -> PureStream:
    """Laplace noise for a part of epsilon."""
    noise = DiscreteLaplace(epsilon=part, sensitivity=reach.sums(factor), cost="squared")
    return PureStream(reach=reach, factor=factor, part=part, noise=noise)
