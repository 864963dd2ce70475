"""Hadamard response: short reports and fast decoding for very large alphabets."""

import math
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from flint import arb

from banister.core import need
from banister.core.exact import Number, exp_ball, float_up
from banister.core.guarantee import Guarantee
from banister.core.linear import Floats, Ints
from banister.local.channel import Certificate, Channel, Field, Values, dense, whole_reports
from banister.local.estimate import Counted, Estimate, of_counts
from banister.local.likelihood import Operators
from banister.sampling.bernoulli import Coin
from banister.sampling.bits import BitSource
from banister.sampling.uniform import uniform_below_many


@dataclass(frozen=True, slots=True, eq=False, init=False)
class HadamardResponse(Channel):
    """Report a random column in which the row of the answer is +1, with probability e^epsilon/(e^epsilon + 1).

    The rows are 1 to k of the Hadamard matrix of the next power of two above k. A report is one such column number:
    ⌈log₂(k + 1)⌉ bits.

    Private:  epsilon-local privacy; the ratio e^epsilon is attained.
    Accuracy: n · variance at frequency 0 is ((e^epsilon + 1)/(e^epsilon - 1))², whatever k is (scheme of [ASZ19]).
    """

    epsilon: Fraction
    categories: int
    certificate: Certificate | None = field(default=None)

    def __init__(self, epsilon: Number, categories: int) -> None:
        object.__setattr__(self, "epsilon", need.non_negative("epsilon", epsilon))
        object.__setattr__(self, "categories", need.whole("categories", categories, least=2, most=1 << 28))
        object.__setattr__(self, "certificate", None)

    @property
    def kind(self) -> str:
        return "hadamard-response"

    @property
    def outputs(self) -> int:
        return 1 << self.categories.bit_length()

    @property
    def rank(self) -> int:
        return self.categories

    @property
    def guarantee(self) -> Guarantee:
        return Guarantee(self.epsilon)

    @property
    def level(self) -> float:
        return float_up(self.epsilon)

    @property
    def keep(self) -> float:
        """The chance that a report supports its own category; each other one is supported with chance 1/2."""
        return 1 / (1 + math.exp(-self.epsilon))

    @property
    def matrix(self) -> Floats:
        dense(self.categories, self.outputs)
        columns = np.arange(self.outputs)
        odd = np.bitwise_count(columns & np.arange(1, self.categories + 1)[:, None]) & 1
        return np.where(odd, 1 - self.keep, self.keep) * 2 / self.outputs

    def fields(self) -> dict[str, Field]:
        return {"categories": self.categories}

    def draw(self, answers: Ints, bits: BitSource) -> Values:
        row = answers + 1
        column = uniform_below_many(self.outputs, row.size, bits)
        supports = Coin(self._keep).draw_many(row.size, bits)
        wrong = (np.bitwise_count(column & row) & 1).astype(bool) == supports
        # Flipping the lowest bit of the row in the column changes the sign and keeps the half uniform.
        return np.where(wrong, column ^ (row & -row), column)

    def _keep(self) -> arb:
        return 1 / (1 + exp_ball(-self.epsilon))

    def checked(self, values: Values) -> Ints:
        return whole_reports(values, self.outputs)

    def unbiased(self, values: Values) -> Estimate:
        histogram = np.bincount(values, minlength=self.outputs)
        signed = np.rint(walsh(histogram.astype(np.float64))[1 : self.categories + 1]).astype(np.int64)
        counted = Counted(counts=(values.size + signed) // 2, keep=self.keep, spill=0.5)
        return of_counts(counted, values.size)

    def output_law(self, law: Floats) -> Floats:
        placed = np.zeros(self.outputs)
        placed[1 : self.categories + 1] = law
        return (1 + (2 * self.keep - 1) * walsh(placed)) / self.outputs

    def operators(self, values: Values) -> Operators:
        size, k, slope = self.outputs, self.categories, 2 * self.keep - 1

        def backward(weights: Floats) -> Floats:
            result: Floats = (weights.sum() + slope * walsh(weights)[1 : k + 1]) / size
            return result

        shares = np.bincount(values, minlength=size) / values.size
        return Operators(shares, self.output_law, backward, k, values.size)


def walsh(values: Floats) -> Floats:
    """The Walsh-Hadamard transform, Σ_y (-1)^popcount(x & y) values_y, for a power-of-two length.

    >>> walsh(np.array([1.0, 2.0]))
    array([ 3., -1.])
    """
    result = values.copy()
    half = 1
    while half < result.size:
        pairs = result.reshape(-1, 2, half)
        pairs[:] = np.stack((pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]), axis=1)
        half *= 2
    return result
