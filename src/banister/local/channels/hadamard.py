"""Hadamard response: short reports and fast decoding for very large alphabets."""

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

import numpy as np
from flint import arb

from banister import need
from banister.core.exact.numbers import BALL_BITS, Number, ball, exp_ball, precision
from banister.core.privacy.guarantee import Guarantee
from banister.core.programs.linear import Floats, Ints
from banister.local.channels.base import Certificate, Field, Fields, Values, dense, whole_field
from banister.local.channels.finite_fields import SIZES, FiniteField, field_of
from banister.local.channels.support import SupportChannel
from banister.sampling.bernoulli import Coin
from banister.sampling.bits import BitSource
from banister.sampling.uniform import uniform_below_many

BASES = SIZES


@dataclass(frozen=True, slots=True, eq=False, init=False)
class HadamardResponse(SupportChannel):
    """Report a random vector y over the field of `base` elements, more often if it is orthogonal to the answer's.

    Each category has its own direction c in that space; y·c = 0 with probability e^epsilon/(e^epsilon + base - 1).
    With base 2 these are the rows of a Hadamard matrix ([ASZ19]); larger bases are the projective geometry of
    [FNNT22]: powers of two up to 256, and primes between them. A report has a few bits more than log₂ k, and decoding
    is one Walsh-Hadamard or Fourier transform.

    Private:  epsilon-local privacy; the ratio e^epsilon is attained.
    Accuracy: n · variance at frequency 0 is (e^epsilon + q - 1)²/((q - 1)(e^epsilon - 1)²) for base q, whatever k is
              (docs/math/local-frequency.md); its least value over real q is 4 e^epsilon/(e^epsilon - 1)².
    """

    kind: ClassVar[str] = "hadamard-response"
    title: ClassVar[str] = "Hadamard response"

    epsilon: Fraction
    categories: int
    base: int
    certificate: Certificate | None = field(default=None)

    def __init__(
        self, epsilon: Number, categories: int, *, base: int = 2, certificate: Certificate | None = None
    ) -> None:
        object.__setattr__(self, "epsilon", need.non_negative("epsilon", epsilon))
        object.__setattr__(self, "categories", need.whole("categories", categories, least=2, most=1 << 24))
        object.__setattr__(self, "base", need.one_of("base", base, BASES))
        object.__setattr__(self, "certificate", certificate)

    @classmethod
    def least_variance(cls, epsilon: Number, categories: int) -> "HadamardResponse":
        """With the base that gives a rare category the least variance.

        >>> HadamardResponse.least_variance(1, 1000).base
        4
        """
        steep = math.exp(min(float(need.non_negative("epsilon", epsilon)), 30))
        return cls(epsilon, categories, base=min(BASES, key=lambda q: (steep + q - 1) ** 2 / (q - 1)))

    @classmethod
    def for_frequencies(cls, epsilon: Number, categories: int) -> "HadamardResponse":
        return cls.least_variance(epsilon, categories)

    @classmethod
    def examples(cls) -> "tuple[HadamardResponse, ...]":
        return cls(1, 5), cls(1, 5, base=3), cls(1, 5, base=4)

    @classmethod
    def of_fields(cls, guarantee: Guarantee, fields: Fields, certificate: Certificate | None) -> "HadamardResponse":
        base = whole_field(fields["base"])
        return cls(guarantee.epsilon, whole_field(fields["categories"]), base=base, certificate=certificate)

    def certified(self, certificate: Certificate) -> "HadamardResponse":
        return HadamardResponse(self.epsilon, self.categories, base=self.base, certificate=certificate)

    @property
    def length(self) -> int:
        """How many coordinates a vector has: as many as give each category a direction of its own."""
        length = 1
        while (self.base**length - 1) // (self.base - 1) < self.categories:
            length += 1
        return length

    @property
    def outputs(self) -> int:
        return int(self.base**self.length)

    @property
    def rank(self) -> int:
        return self.categories

    @property
    def keep(self) -> float:
        """The chance that a report is orthogonal to its own category's direction."""
        return 1 / (1 + (self.base - 1) * math.exp(-self.epsilon))

    @property
    def spill(self) -> float:
        """The chance that it is orthogonal to a given other one's."""
        return 1 / self.base

    @property
    def likeliest(self) -> float:
        return self.keep * self.base / self.outputs

    @property
    def matrix(self) -> Floats:
        dense(self.categories, self.outputs)
        products = self._field.products(self._directions()[:, None], np.arange(self.outputs)[None, :], self.length)
        outside, extra = self._entries()
        result: Floats = outside + extra * (products == 0)
        return result

    def fields(self) -> dict[str, Field]:
        return {"categories": self.categories, "base": self.base}

    def draw(self, answers: Ints, bits: BitSource) -> Values:
        directions = self._directions()[answers]
        vectors = uniform_below_many(self.outputs, answers.size, bits)
        orthogonal = Coin(self._keep).draw_many(answers.size, bits)
        wanted = np.where(orthogonal, 0, 1 + uniform_below_many(self.base - 1, answers.size, bits))
        # The leading coordinate of a direction is 1, so adding to that of the vector moves the product by as much;
        # the vector stays uniform among those with the wanted product.
        products = self._field.products(directions, vectors, self.length)
        return self._field.moved(vectors, self._leading(directions), products, wanted)

    def _keep(self) -> arb:
        return 1 / (1 + (self.base - 1) * exp_ball(-self.epsilon))

    def distance(self) -> arb:
        """keep · (1 - 1/base) · (1 - e^-epsilon): of the vectors orthogonal to one direction 1/base are to another."""
        with precision(BALL_BITS):
            return self._keep() * (self.base - 1) / self.base * -ball(-self.epsilon).expm1()

    def supports(self, values: Values) -> Ints:
        return self._field.orthogonal(values, self._directions(), self.length)

    def output_law(self, law: Floats) -> Floats:
        outside, extra = self._entries()
        spread = self._field.spread(law, self._directions(), self.length)
        result: Floats = outside * law.sum() + extra * (law.sum() + spread) / self.base
        return result

    def backward(self, weights: Floats) -> Floats:
        outside, extra = self._entries()
        found = self._field.characters(weights, self._directions(), self.length)
        result: Floats = outside * weights.sum() + extra * (weights.sum() + found) / self.base
        return result

    def _entries(self) -> tuple[float, float]:
        """The probability of a vector that is not orthogonal, and how much more one that is has."""
        inside = self.outputs // self.base
        outside = (1 - self.keep) / (self.outputs - inside)
        return outside, self.keep / inside - outside

    def _directions(self) -> Ints:
        """One vector per category, with leading coordinate 1: no two are multiples of each other."""
        pieces = [self.base**j + np.arange(self.base**j) for j in range(self.length)]
        return np.concatenate(pieces)[: self.categories]

    def _leading(self, directions: Ints) -> Ints:
        """Which coordinate is the leading one."""
        lead = np.zeros(directions.shape, dtype=np.int64)
        for j in range(1, self.length):
            lead += directions >= self.base**j
        return lead

    @property
    def _field(self) -> FiniteField:
        return field_of(self.base)
