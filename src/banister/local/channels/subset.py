"""Subset selection, with subsets coded by two small numbers."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar, TypeVar

import numpy as np
from flint import arb
from numpy.typing import NDArray

from banister import need
from banister.core.exact.numbers import BALL_BITS, Number, ball, exp_ball, precision
from banister.core.privacy.guarantee import Guarantee
from banister.core.programs.linear import Floats, Ints
from banister.errors import BadValue
from banister.local.channels.base import Certificate, Field, Fields, Values, dense, whole_field
from banister.local.channels.strips import inverses, strip_counts
from banister.local.channels.support import SupportChannel, counting_error
from banister.sampling.bernoulli import Coin
from banister.sampling.bits import BitSource
from banister.sampling.uniform import uniform_below_many

Kind = TypeVar("Kind", np.int64, np.float64)

_BLOCK = 1 << 18
_QUICK = 1 << 18
"""Primes up to which a million reports are decoded in seconds, in steps of p √n."""
_FEW = 100
"""Sizes up to which they are at any number of categories, because members are listed."""
_TABLED = 1 << 14
"""Primes up to which members of sets are looked up: twice the prime fits into 16 bits with a sign."""
_LARGEST_HISTOGRAM = 1 << 25


@dataclass(frozen=True, slots=True, eq=False, init=False)
class SubsetSelection(SupportChannel):
    """Report a set of `size` categories that holds the true one e^epsilon times as often as a set that does not.

    The sets are {v : a v + b mod p < size} for a = 1..p - 1 and b = 0..p - 1, p the first prime from k on. Every
    pair of categories lies in equally many of them, so all means and covariances are those of uniformly random
    sets (docs/math/local-frequency.md; block designs for this are from [PNL23]); a report is (a - 1) p + b, of
    2 log₂ k bits instead of k.

    Private:  epsilon-local privacy; the ratio e^epsilon is attained.
    Optimal:  if k is prime and the size the best one near k/(e^epsilon + 1), the squared error is the least possible
              to first order in n ([YB18] for uniformly random sets, whose first two moments these have). Elsewhere
              the step from k to p costs up to 23 % at k = 4 and below 0.5 % from k = 57 on where p/(e^epsilon + 1) is
              not small; EverySet has no such step.
    """

    kind: ClassVar[str] = "subset-selection"
    title: ClassVar[str] = "subset selection"

    epsilon: Fraction
    categories: int
    size: int
    prime: int
    certificate: Certificate | None = field(default=None)

    def __init__(self, epsilon: Number, categories: int, size: int, *, certificate: Certificate | None = None) -> None:
        level = need.non_negative("epsilon", epsilon)
        k = need.whole("categories", categories, least=2, most=1 << 24)
        prime = next_prime(k)
        object.__setattr__(self, "epsilon", level)
        object.__setattr__(self, "categories", k)
        object.__setattr__(self, "size", need.whole("size", size, least=1, most=prime - 1))
        object.__setattr__(self, "prime", prime)
        object.__setattr__(self, "certificate", certificate)

    @classmethod
    def least_variance(cls, epsilon: Number, categories: int) -> "SubsetSelection":
        """With the size that gives a rare category the least variance.

        >>> SubsetSelection.least_variance(1, 1000).size
        271
        """
        return cls._least(epsilon, categories, lambda k, keep, spill: spill * (1 - spill) / (keep - spill) ** 2)

    @classmethod
    def least_error(cls, epsilon: Number, categories: int) -> "SubsetSelection":
        """With the size that gives the least total squared error when all categories are equally frequent.

        >>> SubsetSelection.least_error(3, 38).size, SubsetSelection.least_variance(3, 38).size
        (2, 1)
        """
        return cls._least(epsilon, categories, counting_error)

    @classmethod
    def _least(cls, epsilon: Number, categories: int, error: Callable[[int, float, float], float]) -> "SubsetSelection":
        """With the size of least error; each error has one least size, next to p/(e^epsilon + 1)."""
        level = float(need.non_negative("epsilon", epsilon))
        k = need.whole("categories", categories, least=2, most=1 << 24)
        prime = next_prime(k)
        centre = math.floor(prime / (1 + math.exp(min(level, 700))))
        best, least = 0, math.inf
        for size in range(max(1, centre - 2), min(centre + 4, prime)):
            keep, spill = _supports(level, prime, size)
            if keep > spill and error(k, keep, spill) < least:
                best, least = size, error(k, keep, spill)
        return cls(epsilon, categories, best or max(1, centre))

    @classmethod
    def for_frequencies(cls, epsilon: Number, categories: int) -> "SubsetSelection":
        return cls.least_error(epsilon, categories)

    @classmethod
    def examples(cls) -> "tuple[SubsetSelection, ...]":
        return cls(1, 5, 2), cls(1, 6, 2)

    @classmethod
    def of_fields(cls, guarantee: Guarantee, fields: Fields, certificate: Certificate | None) -> "SubsetSelection":
        size = whole_field(fields["size"])
        return cls(guarantee.epsilon, whole_field(fields["categories"]), size, certificate=certificate)

    def certified(self, certificate: Certificate) -> "SubsetSelection":
        return SubsetSelection(self.epsilon, self.categories, self.size, certificate=certificate)

    @property
    def outputs(self) -> int:
        return self.prime * (self.prime - 1)

    @property
    def rank(self) -> int:
        return self.categories

    @property
    def keep(self) -> float:
        """The chance that the reported set holds the true category."""
        return _supports(float(self.epsilon), self.prime, self.size)[0]

    @property
    def spill(self) -> float:
        """The chance that it holds a given other category."""
        return _supports(float(self.epsilon), self.prime, self.size)[1]

    @property
    def likeliest(self) -> float:
        return self.keep / self.size / (self.prime - 1)

    @property
    def matrix(self) -> Floats:
        dense(self.categories, self.outputs)
        a, b = np.divmod(np.arange(self.outputs), self.prime)
        holds = (np.arange(self.categories)[:, None] * (a + 1) + b) % self.prime < self.size
        return np.where(holds, self.keep / self.size, (1 - self.keep) / (self.prime - self.size)) / (self.prime - 1)

    def fields(self) -> dict[str, Field]:
        return {"categories": self.categories, "size": self.size}

    def draw(self, answers: Ints, bits: BitSource) -> Values:
        p, d, n = self.prime, self.size, answers.size
        inside = Coin(self._keep).draw_many(n, bits)
        place = np.where(inside, uniform_below_many(d, n, bits), d + uniform_below_many(p - d, n, bits))
        slope = 1 + uniform_below_many(p - 1, n, bits)
        reports: Values = (slope - 1) * p + (place - slope * answers) % p
        return reports

    def _keep(self) -> arb:
        return self.size / (self.size + (self.prime - self.size) * exp_ball(-self.epsilon))

    def distance(self) -> arb:
        """keep · (p - size)/(p - 1) · (1 - e^-epsilon): two categories share (size - 1)/(p - 1) of the sets of one."""
        with precision(BALL_BITS):
            return self._keep() * (self.prime - self.size) / (self.prime - 1) * -ball(-self.epsilon).expm1()

    @property
    def quick(self) -> bool:
        """Whether a million reports are decoded in seconds."""
        return self.prime <= _QUICK or self.size <= _FEW

    def supports(self, values: Values) -> Ints:
        """How many of the reported sets hold each category, by the fastest of three ways."""
        p, n = self.prime, values.size
        ways = (self._listed, self._slid, self._cut)
        return ways[int(np.argmin(_nanoseconds(n, p, self.size)))](values)

    def _cut(self, values: Values) -> Ints:
        """The same in about 2 p √n steps."""
        slopes, offsets = np.divmod(values, self.prime)
        return strip_counts(slopes + 1, offsets, self.size, self.prime)[: self.categories]

    def _slid(self, values: Values) -> Ints:
        """The same in min(n, p) · p steps: for each slope a histogram of b, and sums of `size` neighbours in it."""
        p = self.prime
        slopes, row = np.unique(values // p, return_inverse=True)
        cells = row * p + values % p
        order = np.argsort(cells, kind="stable") if slopes.size * p > _BLOCK else np.arange(0)
        ordered = cells[order] if order.size else cells
        total = np.zeros(self.categories, dtype=np.int64)
        step = max(1, _BLOCK // p)
        for first in range(0, slopes.size, step):
            some = slopes[first : first + step] + 1
            if order.size:
                low, high = np.searchsorted(ordered, (first * p, (first + some.size) * p))
                part = ordered[low:high] - first * p
            else:
                part = cells
            histogram = np.bincount(part, minlength=some.size * p).reshape(-1, p)
            total += self._gathered(self._windows(histogram), some).sum(axis=0)
        return total

    def _listed(self, values: Values) -> Ints:
        """The same by listing the members of each set: v = (place - b)/a mod p for each place below the size."""
        p, total = self.prime, np.zeros(self.prime, dtype=np.int64)
        if _looked_up(p, self.size):
            return self._looked_up(values)
        places = np.arange(self.size)
        step = max(1, _BLOCK // self.size)
        for first in range(0, values.size, step):
            slopes, offsets = np.divmod(values[first : first + step], p)
            inverse = inverses(slopes + 1, p)
            members = (places - offsets[:, None]) % p * inverse[:, None] % p
            total += np.bincount(members.ravel(), minlength=p)
        return total[: self.categories]

    def _looked_up(self, values: Values) -> Ints:
        """The same from a table of the sets with b = 0, in 16 bits: another b only turns a set around."""
        p = self.prime
        inverse, sets = _sets(p, self.size)
        total = np.zeros(2 * p, dtype=np.int64)
        step = max(1, _BLOCK // self.size)
        for first in range(0, values.size, step):
            slopes, offsets = np.divmod(values[first : first + step], p)
            members = sets[slopes]
            members -= (offsets * inverse[slopes] % p).astype(np.int16)[:, None]
            total += np.bincount(members.ravel(), minlength=2 * p)
        return (total[:p] + total[p:])[: self.categories]

    def output_law(self, law: Floats) -> Floats:
        p, k = self.prime, self.categories
        self._refuse_large()
        outside, extra = self._entries()
        laid = np.zeros((p - 1, p))
        laid[np.arange(p - 1)[:, None], np.arange(1, p)[:, None] * np.arange(k) % p] = law
        windows = self._windows(laid)  # At s, the mass of places s..s + size - 1; report b starts at -b.
        result: Floats = (outside * law.sum() + extra * windows[:, -np.arange(p) % p]).ravel()
        return result

    def backward(self, weights: Floats) -> Floats:
        p = self.prime
        self._refuse_large()
        outside, extra = self._entries()
        windows = self._windows(weights.reshape(p - 1, p))
        result: Floats = outside * weights.sum() + extra * self._gathered(windows, np.arange(1, p)).sum(axis=0)
        return result

    def _entries(self) -> tuple[float, float]:
        """The probability of a set without the true category, and how much more one with it has."""
        outside = (1 - self.keep) / (self.prime - self.size) / (self.prime - 1)
        return outside, self.keep / self.size / (self.prime - 1) - outside

    def _refuse_large(self) -> None:
        if self.outputs > _LARGEST_HISTOGRAM:
            raise BadValue(
                f"With {self.categories} categories there are {self.outputs} different reports, too many to hold the "
                "law of. Use estimate, which does not need it."
            )

    def _windows(self, rows: NDArray[Kind]) -> NDArray[Kind]:
        """Circular sums of `size` neighbours, from each place on, in each row."""
        twice = np.concatenate((np.zeros_like(rows[:, :1]), rows, rows[:, : self.size]), axis=1).cumsum(axis=1)
        windows: NDArray[Kind] = twice[:, self.size : self.size + self.prime] - twice[:, : self.prime]
        return windows

    def _gathered(self, windows: NDArray[Kind], slopes: Ints) -> NDArray[Kind]:
        """For each slope and category v, the window that starts at -slope·v."""
        starts = -(slopes[:, None] * np.arange(self.categories)) % self.prime
        return np.take_along_axis(windows, starts, axis=1)


def _supports(epsilon: float, prime: int, size: int) -> tuple[float, float]:
    keep = size / (size + (prime - size) * math.exp(-epsilon))
    return keep, (keep * (size - 1) + (1 - keep) * size) / (prime - 1)


@lru_cache(maxsize=8)
def _sets(p: int, size: int) -> tuple[Ints, NDArray[np.int16]]:
    """1/a mod p for each slope a, and p + the members of the set of each slope with b = 0."""
    inverse = inverses(np.arange(1, p), p)
    return inverse, (np.arange(size) * inverse[:, None] % p + p).astype(np.int16)


def _looked_up(p: int, size: int) -> bool:
    """Whether the sets of all slopes are few enough for a table."""
    return p <= _TABLED and p * size <= _BLOCK << 1


def _nanoseconds(n: int, p: int, size: int) -> tuple[float, float, float]:
    """About how long listing, sliding and cutting take (bench/local.py)."""
    listed = n * size * (1.5 if _looked_up(p, size) else 7.0)
    return listed, 12.0 * min(n, p) * p + 200.0 * n, 12.0 * p * math.sqrt(n) + 350.0 * n


def next_prime(n: int) -> int:
    """The first prime from n on.

    >>> next_prime(1000)
    1009
    """
    from flint import fmpz

    while not fmpz(n).is_prime():
        n += 1
    return n
