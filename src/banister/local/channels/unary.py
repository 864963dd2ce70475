"""Optimized unary encoding: one bit for each category."""

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
from banister.local.channels.support import SupportChannel
from banister.sampling.bernoulli import Coin
from banister.sampling.bits import BitSource

_BLOCK_BITS = 1 << 26


@dataclass(frozen=True, slots=True, eq=False, init=False)
class UnaryEncoding(SupportChannel):
    """Send one bit per category: the true one is 1 with chance 1/2, each other with chance 1/(e^epsilon + 1).

    A report is a row of ⌈k/64⌉ words, whose bytes in memory order hold the categories, first in the highest bit.

    Private:  epsilon-local privacy; the ratio e^epsilon is attained.
    Accuracy: n · variance at frequency 0 is 4 e^epsilon/(e^epsilon - 1)², the least of any pair of chances
              (docs/math/local-frequency.md; the scheme is OUE of [WBLJ17]).

    >>> channel = UnaryEncoding(1, 3)
    >>> float(channel.keep), round(float(channel.spill), 4), channel.respond([0, 1, 2]).values.shape
    (0.5, 0.2689, (3, 1))
    """

    kind: ClassVar[str] = "unary-encoding"
    title: ClassVar[str] = "unary encoding"
    packed: ClassVar[bool] = True

    epsilon: Fraction
    categories: int
    certificate: Certificate | None = field(default=None)

    def __init__(self, epsilon: Number, categories: int) -> None:
        object.__setattr__(self, "epsilon", need.non_negative("epsilon", epsilon))
        object.__setattr__(self, "categories", need.whole("categories", categories, least=2))
        object.__setattr__(self, "certificate", None)

    @classmethod
    def for_frequencies(cls, epsilon: Number, categories: int) -> "UnaryEncoding":
        return cls(epsilon, categories)

    @classmethod
    def examples(cls) -> "tuple[UnaryEncoding, ...]":
        return (cls(1, 5),)

    @classmethod
    def of_fields(cls, guarantee: Guarantee, fields: Fields, certificate: Certificate | None) -> "UnaryEncoding":
        return cls(guarantee.epsilon, whole_field(fields["categories"]))

    @property
    def outputs(self) -> int:
        return 1 << self.categories

    @property
    def rank(self) -> int:
        return self.categories

    @property
    def keep(self) -> float:
        """The chance of a 1 for the true category."""
        return 0.5

    @property
    def spill(self) -> float:
        """The chance of a 1 for a category that is not the true one."""
        small = math.exp(-self.epsilon)
        return small / (1 + small)

    @property
    def likeliest(self) -> float:
        return (1 - self.spill) ** (self.categories - 1) / 2

    @property
    def matrix(self) -> Floats:
        dense(self.categories, self.outputs)
        on = np.arange(self.outputs) >> np.arange(self.categories - 1, -1, -1)[:, None] & 1
        single = np.where(on, self.spill, 1 - self.spill)
        result: Floats = single.prod(axis=0) / single / 2
        return result

    def fields(self) -> dict[str, Field]:
        return {"categories": self.categories}

    def draw(self, answers: Ints, bits: BitSource) -> Values:
        k = self.categories
        half, rare = Coin(Fraction(1, 2)), Coin(self._spill)
        packed = np.zeros((answers.size, self.words * 8), dtype=np.uint8)
        step = max(1, _BLOCK_BITS // k)
        for first in range(0, answers.size, step):
            some = answers[first : first + step]
            rows = rare.draw_many(some.size * k, bits).reshape(some.size, k)
            rows[np.arange(some.size), some] = half.draw_many(some.size, bits)
            packed[first : first + step, : (k + 7) // 8] = np.packbits(rows, axis=1)
        return packed.view(np.int64)

    @property
    def words(self) -> int:
        """How many 64-bit words a report has."""
        return -(-self.categories // 64)

    def _spill(self) -> arb:
        small = exp_ball(-self.epsilon)
        return small / (1 + small)

    def distance(self) -> arb:
        """tanh(epsilon/2)/2: two bits tell the answers apart, and only where they differ."""
        with precision(BALL_BITS):
            return ball(self.epsilon / 2).tanh() / 2

    def supports(self, values: Values) -> Ints:
        counts = np.zeros(self.categories, dtype=np.int64)
        step = max(1, _BLOCK_BITS // self.categories)
        for first in range(0, len(values), step):
            some = np.ascontiguousarray(values[first : first + step]).view(np.uint8)
            rows = np.unpackbits(some, axis=1, count=self.categories)
            counts += rows.sum(axis=0, dtype=np.int64)
        return counts

    def output_law(self, law: Floats) -> Floats:
        return law @ self.matrix

    def backward(self, weights: Floats) -> Floats:
        return self.matrix @ weights
