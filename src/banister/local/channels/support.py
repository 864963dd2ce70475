"""Channels for frequencies: a report supports some of the categories, its own more often than others."""

from abc import abstractmethod
from fractions import Fraction
from typing import ClassVar, Self

from banister.core.exact.numbers import Number, float_up
from banister.core.privacy.guarantee import Guarantee
from banister.core.programs.linear import Ints
from banister.errors import BadValue
from banister.local.channels.base import Channel, Values
from banister.local.estimates import Counted, Estimate, of_counts


class SupportChannel(Channel):
    """A channel of pure level epsilon whose report supports its own category with chance `keep`, others with `spill`.

    Being counted is all that its estimate needs, so kinds of it can be compared before anybody answers.
    """

    __slots__ = ()
    title: ClassVar[str]
    """What people call it, in a comparison."""
    epsilon: Fraction

    @classmethod
    @abstractmethod
    def for_frequencies(cls, epsilon: Number, categories: int) -> Self:
        """The one of this kind that estimates the frequencies of so many categories best."""

    @property
    @abstractmethod
    def keep(self) -> float:
        """The chance that a report supports its own category."""

    @property
    @abstractmethod
    def spill(self) -> float:
        """The chance that it supports a given other one."""

    @abstractmethod
    def supports(self, values: Values) -> Ints:
        """How many of the checked reports support each category."""

    @property
    def guarantee(self) -> Guarantee:
        return Guarantee(self.epsilon)

    @property
    def level(self) -> float:
        return float_up(self.epsilon) if self.rank > 1 else 0.0

    @property
    def report_bits(self) -> int:
        """How many bits a report has."""
        return (self.outputs - 1).bit_length()

    def unbiased(self, values: Values) -> Estimate:
        if self.rank < self.categories:
            raise BadValue(
                f"This channel tells {self.rank} groups of categories apart, so the frequencies of its "
                f"{self.categories} categories cannot be estimated. It serves the test it was designed for: "
                "bn.local.test."
            )
        counted = Counted(counts=self.supports(values), keep=self.keep, spill=self.spill)
        return of_counts(counted, len(values))
