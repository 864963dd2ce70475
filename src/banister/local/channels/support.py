"""Channels for frequencies: a report supports some of the categories, its own more often than others."""

from abc import abstractmethod
from fractions import Fraction
from typing import ClassVar, Self

from banister.core.exact.numbers import Number, float_up
from banister.core.privacy.guarantee import Guarantee
from banister.core.programs.linear import Ints
from banister.errors import BadValue
from banister.local.channels.base import Channel, Maker, Values, pure
from banister.local.estimates import Estimate, of_counts
from banister.local.evidence import Counted


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

    @classmethod
    def makers(cls) -> dict[str, Maker]:
        return {cls.kind: lambda promise, categories: cls.for_frequencies(pure(promise), categories)}

    @property
    @abstractmethod
    def keep(self) -> float:
        """The chance that a report supports its own category."""

    @property
    @abstractmethod
    def spill(self) -> float:
        """The chance that it supports a given other one."""

    @property
    def quick(self) -> bool:
        """Whether a million reports are decoded in seconds; a channel that is not is not recommended."""
        return True

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

    def tallied(self, values: Values) -> Ints:
        return self.supports(values)

    def unbiased_from(self, tally: Ints, people: int, commonest: int) -> Estimate:
        if self.rank < self.categories:
            raise BadValue(
                f"This channel tells {self.rank} groups of categories apart, so the frequencies of its "
                f"{self.categories} categories cannot be estimated. It serves the test it was designed for: "
                "bn.local.test."
            )
        return of_counts(
            Counted(
                counts=tally,
                keep=self.keep,
                spill=self.spill,
                people=people,
                commonest=commonest,
                likeliest=self.likeliest,
            )
        )


def counting_error(categories: int, keep: float, spill: float) -> float:
    """people · total squared error at the uniform law, for a report that supports sets of categories."""
    share = spill + (keep - spill) / categories
    return categories * share * (1 - share) / (keep - spill) ** 2
