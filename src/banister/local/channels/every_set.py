"""Subset selection among all sets of one size, coded by their rank."""

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from typing import ClassVar

import numpy as np
from flint import arb

from banister import need
from banister.core.exact.numbers import BALL_BITS, Number, ball, exp_ball, precision
from banister.core.privacy.guarantee import Guarantee
from banister.core.programs.linear import Floats, Ints
from banister.errors import BadValue
from banister.local.channels.base import Certificate, Field, Fields, Values, dense, whole_field
from banister.local.channels.support import SupportChannel, counting_error
from banister.sampling.bernoulli import Coin
from banister.sampling.bits import BitSource
from banister.sampling.uniform import uniform_below_many

MOST_SETS = 1 << 53
"""Reports are whole numbers that a browser keeps exactly."""
_BLOCK = 1 << 16
_LISTED = 1 << 20
"""Sets up to which the law of the reports is held."""


@dataclass(frozen=True, slots=True, eq=False, init=False)
class EverySet(SupportChannel):
    """Report any set of `size` categories; sets that hold the true one are e^epsilon times as likely.

    A set x_1 < x_2 < ... is the number Σ_i C(x_i, i), its place among all sets of its size. Subset selection with
    short reports pads the categories to a prime; here nothing is padded.

    Private:  epsilon-local privacy; the ratio e^epsilon is attained.
    Optimal:  with the best size, the total squared error when all categories are equally frequent is the least of any
              channel of the level, at every number of categories ([YB18]; docs/math/local-frequency.md).

    >>> channel = EverySet.least_error(1, 8)
    >>> channel.size, channel.outputs, channel.respond([0, 7]).values.shape
    (2, 28, (2,))
    """

    kind: ClassVar[str] = "every-set"
    title: ClassVar[str] = "subset selection, all sets"

    epsilon: Fraction
    categories: int
    size: int
    certificate: Certificate | None = field(default=None)

    def __init__(self, epsilon: Number, categories: int, size: int, *, certificate: Certificate | None = None) -> None:
        level = need.non_negative("epsilon", epsilon)
        k = need.whole("categories", categories, least=2, most=1 << 24)
        d = need.whole("size", size, least=1, most=k - 1)
        if not few_sets(k, d):
            raise BadValue(
                f"{k} categories have more than 2^53 sets of size {d}, too many for one number. "
                "Use SubsetSelection, whose reports stay short."
            )
        object.__setattr__(self, "epsilon", level)
        object.__setattr__(self, "categories", k)
        object.__setattr__(self, "size", d)
        object.__setattr__(self, "certificate", certificate)

    @classmethod
    def least_error(cls, epsilon: Number, categories: int) -> "EverySet":
        """With the size of least total squared error when all are equally frequent, of those that one number codes.

        >>> EverySet.least_error(1, 16).size, EverySet.least_error(1, 1000).size
        (4, 6)
        """
        level = float(need.non_negative("epsilon", epsilon))
        k = need.whole("categories", categories, least=2, most=1 << 24)
        centre = max(1, math.floor(k / (1 + math.exp(min(level, 700)))))
        while not few_sets(k, centre):
            centre -= 1
        sizes = [size for size in range(max(1, centre - 2), min(centre + 3, k)) if few_sets(k, size)]
        errors = [_error(level, k, size) for size in sizes]
        return cls(epsilon, k, sizes[int(np.argmin(errors))] if min(errors) < math.inf else centre)

    @classmethod
    def for_frequencies(cls, epsilon: Number, categories: int) -> "EverySet":
        return cls.least_error(epsilon, categories)

    @classmethod
    def examples(cls) -> "tuple[EverySet, ...]":
        return cls(1, 6, 2), cls(1, 5, 3)

    @classmethod
    def of_fields(cls, guarantee: Guarantee, fields: Fields, certificate: Certificate | None) -> "EverySet":
        size = whole_field(fields["size"])
        return cls(guarantee.epsilon, whole_field(fields["categories"]), size, certificate=certificate)

    def certified(self, certificate: Certificate) -> "EverySet":
        return EverySet(self.epsilon, self.categories, self.size, certificate=certificate)

    @property
    def outputs(self) -> int:
        return math.comb(self.categories, self.size)

    @property
    def rank(self) -> int:
        return self.categories

    @property
    def keep(self) -> float:
        """The chance that the reported set holds the true category."""
        return _supports(float(self.epsilon), self.categories, self.size)[0]

    @property
    def spill(self) -> float:
        """The chance that it holds a given other category."""
        return _supports(float(self.epsilon), self.categories, self.size)[1]

    @property
    def likeliest(self) -> float:
        return self.keep / math.comb(self.categories - 1, self.size - 1)

    @property
    def matrix(self) -> Floats:
        dense(self.categories, self.outputs)
        outside, extra = self._entries()
        result: Floats = np.full((self.categories, self.outputs), outside)
        np.add.at(result, (self._sets().T, np.arange(self.outputs)), extra)
        return result

    def fields(self) -> dict[str, Field]:
        return {"categories": self.categories, "size": self.size}

    def draw(self, answers: Ints, bits: BitSource) -> Values:
        k, d, n = self.categories, self.size, answers.size
        reports = np.zeros(n, dtype=np.int64)
        inside = Coin(self._keep).draw_many(n, bits)
        for holds, members in ((True, d - 1), (False, d)):
            chosen = np.flatnonzero(inside == holds)
            if not chosen.size:
                continue
            own = answers[chosen]
            # A uniform set of the others: places from the own category on stand for the next category.
            others = self._unranked(uniform_below_many(math.comb(k - 1, members), chosen.size, bits), k - 1, members)
            others += others >= own[:, None]
            whole = np.sort(np.column_stack((others, own)), axis=1) if holds else others
            reports[chosen] = self._ranked(whole)
        return reports

    def _keep(self) -> arb:
        return self.size / (self.size + (self.categories - self.size) * exp_ball(-self.epsilon))

    def distance(self) -> arb:
        """keep · (k - size)/(k - 1) · (1 - e^-epsilon): two categories share (size - 1)/(k - 1) of the sets of one."""
        k, d = self.categories, self.size
        with precision(BALL_BITS):
            return self._keep() * (k - d) / (k - 1) * -ball(-self.epsilon).expm1()

    def supports(self, values: Values) -> Ints:
        total = np.zeros(self.categories, dtype=np.int64)
        for first in range(0, values.size, _BLOCK):
            members = self._unranked(values[first : first + _BLOCK], self.categories, self.size)
            total += np.bincount(members.ravel(), minlength=self.categories)
        return total

    def output_law(self, law: Floats) -> Floats:
        outside, extra = self._entries()
        result: Floats = outside * law.sum() + extra * law[self._sets()].sum(axis=1)
        return result

    def backward(self, weights: Floats) -> Floats:
        outside, extra = self._entries()
        held = np.bincount(self._sets().ravel(), weights=np.repeat(weights, self.size), minlength=self.categories)
        result: Floats = outside * weights.sum() + extra * held
        return result

    def _entries(self) -> tuple[float, float]:
        """The probability of a set without the true category, and how much more one with it has."""
        outside = (1 - self.keep) / math.comb(self.categories - 1, self.size)
        return outside, self.likeliest - outside

    def _sets(self) -> Ints:
        """The members of every set, in the order of their ranks."""
        if self.outputs > _LISTED:
            raise BadValue(
                f"With {self.categories} categories there are {self.outputs} different reports, too many to hold the "
                "law of. Use estimate, which does not need it."
            )
        return _listed(self.categories, self.size)

    @staticmethod
    def _ranked(members: Ints) -> Ints:
        """Σ_i C(x_i, i) for rising members."""
        total = np.zeros(len(members), dtype=np.int64)
        for i in range(members.shape[1]):
            total += _binomials(int(members[:, i].max()) + 1, i + 1)[members[:, i]]
        return total

    @staticmethod
    def _unranked(ranks: Ints, categories: int, size: int) -> Ints:
        """The rising members of the sets: the largest is the last x with C(x, size) at most the rank, and so on."""
        members, left = np.zeros((ranks.size, size), dtype=np.int64), ranks.copy()
        for i in range(size, 0, -1):
            steps = _binomials(categories, i)
            members[:, i - 1] = np.searchsorted(steps, left, side="right") - 1
            left -= steps[members[:, i - 1]]
        return members


def few_sets(categories: int, size: int) -> bool:
    """Whether the sets of this size are few enough to be coded by one number.

    >>> few_sets(56, 28), few_sets(57, 28), few_sets(1000, 6)
    (True, False, True)
    """
    widest = min(size, categories // 2)  # All that ranks add up, C(x, i) for x below k and i up to the size, fits too.
    return widest <= 60 and math.comb(categories, widest) <= MOST_SETS


def _supports(epsilon: float, categories: int, size: int) -> tuple[float, float]:
    keep = size / (size + (categories - size) * math.exp(-epsilon))
    return keep, (keep * (size - 1) + (1 - keep) * size) / (categories - 1)


def _error(epsilon: float, categories: int, size: int) -> float:
    keep, spill = _supports(epsilon, categories, size)
    return counting_error(categories, keep, spill) if keep > spill else math.inf


@lru_cache(maxsize=256)
def _binomials(count: int, size: int) -> Ints:
    """C(x, size) for x below the count."""
    return np.array([math.comb(x, size) for x in range(count)], dtype=np.int64)


@lru_cache(maxsize=8)
def _listed(categories: int, size: int) -> Ints:
    rising = np.array(list(combinations(range(categories), size)), dtype=np.int64)
    return rising[np.argsort(EverySet._ranked(rising))]
