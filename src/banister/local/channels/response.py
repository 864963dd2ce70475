"""Randomized response, on the categories themselves or on cells of them."""

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
from banister.errors import BadValue
from banister.local.channels.base import Certificate, Field, Fields, Values, cells_field, dense, whole_field
from banister.local.channels.support import SupportChannel
from banister.sampling.bernoulli import Coin
from banister.sampling.bits import BitSource
from banister.sampling.uniform import uniform_below_many


@dataclass(frozen=True, slots=True, eq=False, init=False)
class RandomizedResponse(SupportChannel):
    """Report the true cell with probability e^epsilon/(e^epsilon + b - 1), else one of the other b - 1 at random.

    Without `cells` each category is its own cell. Two cells give the binary channel.

    Private:  epsilon-local privacy; the ratio e^epsilon is attained.
    Optimal:  for every f-divergence between two hypotheses some partition into cells of neighbouring likelihood
              ratios is optimal (docs/math/local-design.md); two cells of [K16] Thm 3.4.2 for total variation.

    >>> RandomizedResponse(1, categories=2).matrix.round(3).tolist()
    [[0.731, 0.269], [0.269, 0.731]]
    """

    kind: ClassVar[str] = "randomized-response"
    title: ClassVar[str] = "randomized response"

    epsilon: Fraction
    cell_of: Ints
    cells: int
    certificate: Certificate | None = field(default=None)

    def __init__(
        self, epsilon: Number, categories: int, *, cell_of: Ints | None = None, certificate: Certificate | None = None
    ) -> None:
        k = need.whole("categories", categories, least=2)
        chosen = np.arange(k) if cell_of is None else np.asarray(cell_of, dtype=np.int64)
        count = int(chosen.max()) + 1
        if chosen.shape != (k,) or chosen.min() < 0 or np.unique(chosen).size != count:
            raise BadValue(f"cell_of must give each of the {k} categories a cell, numbered from 0 without gaps.")
        object.__setattr__(self, "epsilon", need.non_negative("epsilon", epsilon))
        object.__setattr__(self, "cell_of", chosen)
        object.__setattr__(self, "cells", count)
        object.__setattr__(self, "certificate", certificate)

    @classmethod
    def for_frequencies(cls, epsilon: Number, categories: int) -> "RandomizedResponse":
        return cls(epsilon, categories)

    @classmethod
    def examples(cls) -> "tuple[RandomizedResponse, ...]":
        return cls(1, 5), cls(1, 5, cell_of=np.array([0, 1, 1, 0, 2]))

    @classmethod
    def of_fields(cls, guarantee: Guarantee, fields: Fields, certificate: Certificate | None) -> "RandomizedResponse":
        cells = cells_field(fields.get("cell_of"))
        return cls(guarantee.epsilon, whole_field(fields["categories"]), cell_of=cells, certificate=certificate)

    @property
    def categories(self) -> int:
        return int(self.cell_of.size)

    def certified(self, certificate: Certificate) -> "RandomizedResponse":
        return RandomizedResponse(self.epsilon, self.categories, cell_of=self.cell_of, certificate=certificate)

    @property
    def outputs(self) -> int:
        return self.cells

    @property
    def rank(self) -> int:
        return self.cells

    @property
    def keep(self) -> float:
        """The chance that the true cell is reported."""
        return 1 / (1 + (self.cells - 1) * math.exp(-self.epsilon))

    @property
    def spill(self) -> float:
        """The chance of each other cell."""
        small = math.exp(-self.epsilon)
        return small / (1 + (self.cells - 1) * small)

    @property
    def likeliest(self) -> float:
        return self.keep

    @property
    def matrix(self) -> Floats:
        dense(self.categories, self.cells)
        return np.where(self.cell_of[:, None] == np.arange(self.cells), self.keep, self.spill)

    def fields(self) -> dict[str, Field]:
        plain = np.array_equal(self.cell_of, np.arange(self.categories))
        return {"categories": self.categories} | ({} if plain else {"cell_of": self.cell_of.tolist()})

    def draw(self, answers: Ints, bits: BitSource) -> Values:
        true = self.cell_of[answers]
        if self.cells == 1:
            return true
        kept = Coin(self._keep).draw_many(true.size, bits)
        other = uniform_below_many(self.cells - 1, true.size, bits)
        return np.where(kept, true, other + (other >= true))

    def _keep(self) -> arb:
        # Written with e^-epsilon, so that a huge epsilon does not overflow the ball.
        return 1 / (1 + (self.cells - 1) * exp_ball(-self.epsilon))

    def distance(self) -> arb:
        """(e^epsilon - 1)/(e^epsilon + b - 1) with b cells: the others are as likely for both."""
        with precision(BALL_BITS):
            return arb(0) if self.cells == 1 else self._keep() * -ball(-self.epsilon).expm1()

    def supports(self, values: Values) -> Ints:
        return np.bincount(values, minlength=self.cells)

    def output_law(self, law: Floats) -> Floats:
        masses: Floats = np.bincount(self.cell_of, weights=law, minlength=self.cells).astype(np.float64)
        return self.spill + (self.keep - self.spill) * masses

    def backward(self, weights: Floats) -> Floats:
        result: Floats = self.spill * weights.sum() + (self.keep - self.spill) * weights[self.cell_of]
        return result
