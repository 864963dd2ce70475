"""One measure of a question with the noise that protects it, whichever noise that is."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from banister.core.privacy.loss import PrivacyLoss
from banister.mechanisms.integers.integer_noise import IntegerNoise
from banister.questions.measures import Measure, Share
from banister.release.answering.combine import NoiseSpread, spread_of
from banister.release.answering.wording import number
from banister.release.payments.stated import Stated
from banister.sampling.bits import BitSource


class Measured(ABC):
    """A payment for one measure. Each kind has a file, and says there what its noise gives away."""

    __slots__ = ()

    together: ClassVar[bool]
    """Whether the noise is paid for all cells of a person at once."""

    measure: Measure
    share: Share
    noise: IntegerNoise

    @property
    @abstractmethod
    def kind(self) -> str:
        """The name of the noise, for people."""

    @property
    @abstractmethod
    def epsilon(self) -> Fraction:
        """Its part of epsilon; 0 where the noise is paid together."""

    @property
    @abstractmethod
    def bar(self) -> int | None:
        """What an unknown value's noisy number must exceed for the value to appear; None where every cell appears."""

    @abstractmethod
    def loss(self) -> PrivacyLoss:
        """What the noise of all cells gives away about one person, and that values appear."""

    @abstractmethod
    def stated(self) -> Stated:
        """What is drawn and how far one person moves it, so that others can work out the loss for themselves."""

    @abstractmethod
    def reach(self, parts: Sequence[tuple[float, int]], confidence: float) -> float:
        """How far a weighted sum of its cells is off at most: so many cells with each weight."""

    @property
    def spread(self) -> NoiseSpread:
        """The law of the errors."""
        return spread_of(self.noise)

    @property
    def paid(self) -> str:
        """What of epsilon it takes, in words."""
        return "together" if self.together else number(float(self.epsilon))

    def draw(self, exact: NDArray[np.int64], bits: BitSource) -> NDArray[np.int64]:
        """The measure with noise, for every cell."""
        return self.noise.release(exact, bits)

    def appearing(self, noisy: NDArray[np.int64] | NDArray[np.float64]) -> NDArray[np.intp]:
        """The places of the cells that appear."""
        return np.arange(len(noisy)) if self.bar is None else np.flatnonzero(noisy > self.bar)

    def describe(self, what: str) -> str:
        """The noise in words, for a measure that adds up something."""
        return f"{self.kind} for {what} (deviation {number(math.sqrt(self.noise.risk_for('squared')))})"
