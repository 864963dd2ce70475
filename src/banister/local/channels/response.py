"""Randomized response, on the categories themselves or on cells of them."""

import math
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from flint import arb

from banister import need
from banister.core.exact.numbers import Number, exp_ball, float_up
from banister.core.privacy.guarantee import Guarantee
from banister.core.programs.linear import Floats, Ints
from banister.errors import BadValue
from banister.local.channels.base import Certificate, Channel, Field, Values, dense, whole_reports
from banister.local.estimates import Counted, Estimate, of_counts
from banister.local.likelihood import Operators
from banister.sampling.bernoulli import Coin
from banister.sampling.bits import BitSource
from banister.sampling.uniform import uniform_below_many


@dataclass(frozen=True, slots=True, eq=False, init=False)
class RandomizedResponse(Channel):
    """Report the true cell with probability e^epsilon/(e^epsilon + b - 1), else one of the other b - 1 at random.

    Without `cells` each category is its own cell. Two cells give the binary channel.

    Private:  epsilon-local privacy; the ratio e^epsilon is attained.
    Optimal:  for every f-divergence between two hypotheses some partition into cells of neighbouring likelihood
              ratios is optimal (docs/math/local-design.md); two cells of [K16] Thm 3.4.2 for total variation.
    """

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

    @property
    def kind(self) -> str:
        return "randomized-response"

    @property
    def categories(self) -> int:
        return int(self.cell_of.size)

    @property
    def outputs(self) -> int:
        return self.cells

    @property
    def rank(self) -> int:
        return self.cells

    @property
    def guarantee(self) -> Guarantee:
        return Guarantee(self.epsilon)

    @property
    def level(self) -> float:
        return float_up(self.epsilon) if self.cells > 1 else 0.0

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

    def checked(self, values: Values) -> Ints:
        return whole_reports(values, self.cells)

    def unbiased(self, values: Values) -> Estimate:
        if self.cells < self.categories:
            raise BadValue(
                f"This channel tells {self.cells} groups of categories apart, so the frequencies of its "
                f"{self.categories} categories cannot be estimated. It serves the test it was designed for: "
                "bn.local.test."
            )
        counts = np.bincount(values, minlength=self.cells)
        return of_counts(Counted(counts=counts, keep=self.keep, spill=self.spill), values.size)

    def output_law(self, law: Floats) -> Floats:
        masses: Floats = np.bincount(self.cell_of, weights=law, minlength=self.cells).astype(np.float64)
        return self.spill + (self.keep - self.spill) * masses

    def operators(self, values: Values) -> Operators:
        spread = self.keep - self.spill

        def backward(weights: Floats) -> Floats:
            result: Floats = self.spill * weights.sum() + spread * weights[self.cell_of]
            return result

        shares = np.bincount(values, minlength=self.cells) / values.size
        return Operators(shares, self.output_law, backward, self.categories, values.size)
