"""The laws a privacy loss can have: where log(p/q) lies when the output was drawn from p.

A law is told to nobody but the account. Each kind answers the same questions for itself: how far apart the two
hypotheses are at a given epsilon, how much mass lies at infinity, where the finite part ends, and what the law is
when the two neighbours change places.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from fractions import Fraction

from flint import arb

from banister.core.exact import BALL_BITS, ball, exp_ball, precision


class Law(ABC):
    """The law of log(p/q) under p, for one pair of neighbours."""

    __slots__ = ()

    @abstractmethod
    def hockey_stick(self, epsilon: Fraction) -> arb:
        """E[(1 − e^(epsilon − L))⁺], the mass at infinity included: the delta at that epsilon, of either sign."""

    @abstractmethod
    def infinite(self) -> arb:
        """Mass of the outputs that only the first neighbour can give."""

    @abstractmethod
    def top(self) -> Fraction | None:
        """The largest finite loss; nothing where the loss has no bound."""

    @abstractmethod
    def reverse(self) -> "Law":
        """The law when the two neighbours change places; itself for a symmetric pair."""

    @abstractmethod
    def moment(self, order: Fraction) -> arb:
        """E[e^((order − 1)·L)] over the finite losses, for order > 1; infinite where it is not known.

        Its logarithm over order − 1 is the Rényi divergence of that order, which filters add up.
        """

    @abstractmethod
    def gaussian(self) -> Fraction | None:
        """mu² where the pair is that of Gaussian noise; nothing elsewhere."""

    @abstractmethod
    def identity(self) -> Hashable:
        """What the law is, in words and exact numbers: equal for equal laws, on every machine."""


@dataclass(frozen=True, slots=True, eq=False)
class Atoms(Law):
    """Finitely many exact losses with certified masses, and a mass at infinity. Laws of one key are the same law."""

    key: Hashable
    values: tuple[Fraction, ...]
    masses: tuple[arb, ...]
    beyond: arb
    symmetric: bool = True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Atoms) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def hockey_stick(self, epsilon: Fraction) -> arb:
        total = self.beyond
        for value, mass in zip(self.values, self.masses, strict=True):
            if value > epsilon:
                total -= mass * ball(epsilon - value).expm1()
        return total

    def infinite(self) -> arb:
        return self.beyond

    def top(self) -> Fraction | None:
        return max(self.values)

    def reverse(self) -> "Atoms":
        if self.symmetric:
            return self
        masses = tuple(mass * exp_ball(-value) for value, mass in zip(self.values, self.masses, strict=True))
        beyond = arb.max(1 - sum(masses, arb(0)), arb(0))
        return Atoms(("reverse", self.key), tuple(-value for value in self.values), masses, beyond, symmetric=False)

    def moment(self, order: Fraction) -> arb:
        terms = (mass * exp_ball((order - 1) * value) for value, mass in zip(self.values, self.masses, strict=True))
        return sum(terms, arb(0))

    def gaussian(self) -> Fraction | None:
        return None

    def identity(self) -> Hashable:
        return self.key


@dataclass(frozen=True, slots=True)
class Laplace(Law):
    """Laplace noise of scale sensitivity/epsilon: atoms at ±epsilon and the density ¼·e^((s − epsilon)/2) between."""

    epsilon: Fraction

    def hockey_stick(self, epsilon: Fraction) -> arb:
        if epsilon >= self.epsilon:
            return arb(0)
        if epsilon <= -self.epsilon:
            return -ball(epsilon).expm1()
        return -ball((epsilon - self.epsilon) / 2).expm1()

    def infinite(self) -> arb:
        return arb(0)

    def top(self) -> Fraction | None:
        return self.epsilon

    def reverse(self) -> "Laplace":
        return self

    def moment(self, order: Fraction) -> arb:
        high, low = exp_ball((order - 1) * self.epsilon), exp_ball(-order * self.epsilon)
        return (ball(order) * high + ball(order - 1) * low) / ball(2 * order - 1)

    def gaussian(self) -> Fraction | None:
        return None

    def identity(self) -> Hashable:
        return ("laplace", self.epsilon)


@dataclass(frozen=True, slots=True)
class Gaussian(Law):
    """Gaussian noise, mu = sensitivity/sigma: the loss is normal with mean mu²/2 and variance mu²."""

    mu_squared: Fraction

    def hockey_stick(self, epsilon: Fraction) -> arb:
        with precision(2 * BALL_BITS):  # The two tails nearly cancel when mu is small.
            root = ball(2 * self.mu_squared).sqrt()
            first = (ball(epsilon - self.mu_squared / 2) / root).erfc()
            second = (ball(epsilon + self.mu_squared / 2) / root).erfc()
            return (first - exp_ball(epsilon) * second) / 2

    def infinite(self) -> arb:
        return arb(0)

    def top(self) -> Fraction | None:
        return None

    def reverse(self) -> "Gaussian":
        return self

    def moment(self, order: Fraction) -> arb:
        return exp_ball(order * (order - 1) * self.mu_squared / 2)

    def gaussian(self) -> Fraction | None:
        return self.mu_squared

    def identity(self) -> Hashable:
        return ("gaussian", self.mu_squared)


@dataclass(frozen=True, slots=True)
class Curve(Law):
    """A symmetric pair known by its certified delta(epsilon) alone, for epsilon ≥ 0. Curves of one key are the same."""

    key: Hashable
    delta: Callable[[Fraction], arb] = field(compare=False)

    def hockey_stick(self, epsilon: Fraction) -> arb:
        if epsilon >= 0:
            return self.delta(epsilon)
        return -ball(epsilon).expm1() + exp_ball(epsilon) * self.delta(-epsilon)  # Reflection of a symmetric pair.

    def infinite(self) -> arb:
        return arb(0)

    def top(self) -> Fraction | None:
        return None

    def reverse(self) -> "Curve":
        return self

    def moment(self, order: Fraction) -> arb:
        return arb("inf")  # The tail beyond any finite number of points is not known.

    def gaussian(self) -> Fraction | None:
        return None

    def identity(self) -> Hashable:
        return self.key
