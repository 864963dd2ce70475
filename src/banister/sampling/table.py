"""Exact draws from finitely many categories, with a look-up for almost all of them.

Let u = 0.w₁w₂… be a uniform number read bit by bit, and C_k = P(category ≤ k). The category of u is the number
of k with C_k ≤ u. The first n bits decide it unless they are the first n bits of some C_k; then, and only then, more
bits are drawn. Nothing is approximated: thresholds are certified floors ⌊2^n C_k⌋ of computable numbers.

A vector draws 16 bits a value and looks them up in a table of 65 536 answers; the few that fall on a threshold are
extended to 64 bits, and what is still undecided (once in 2^64 a threshold) is settled one by one.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import accumulate

import numpy as np
from flint import arb
from numpy.typing import NDArray

from banister.core.exact.numbers import precision, scaled_floor
from banister.sampling.bits import BitSource

_GUARD_BITS = 64


class ExactTable:
    """Categories 0, 1, …, n with P(category ≤ k) = cumulative()[k] for k < n; the last takes the rest.

    `cumulative` is called at whatever working precision is needed, for the first time when something is drawn: whoever
    only plans needs no thresholds. `glance` and `word` are the bits of the first and of the second look, smaller in
    tests that walk every tape.
    """

    __slots__ = ("_cumulative", "_glance", "_high", "_high_list", "_lookup", "_low", "_low_list", "_ready", "_word")

    def __init__(self, cumulative: Callable[[], Sequence[arb]], *, glance: int = 16, word: int = 64) -> None:
        self._cumulative = cumulative
        self._glance = glance
        self._word = word
        self._ready = False
        self._lookup: NDArray[np.int32] | None = None

    def draw(self, bits: BitSource) -> int:
        """One category."""
        if not self._ready:
            self._prepare()
        prefix = bits.take(self._word)
        category = bisect_left(self._high_list, prefix)
        if category == len(self._low_list) or self._low_list[category] > prefix:
            return category
        return self._extend(prefix, bits)

    def draw_many(self, count: int, bits: BitSource) -> NDArray[np.int32]:
        """Many categories, each with the same law as one."""
        if self._lookup is None:
            self._lookup = self._build_lookup()
        glances = bits.words(count, self._glance)
        categories = self._lookup.take(glances)
        open_places = np.flatnonzero(categories < 0)
        if open_places.size:
            rest = bits.words(open_places.size, self._word) >> np.uint64(self._glance)
            words = (glances[open_places].astype(np.uint64) << np.uint64(self._word - self._glance)) | rest
            categories[open_places] = self._decide(words, bits)
        return categories

    def _prepare(self) -> None:
        self._low_list, self._high_list = self._thresholds(self._word)
        self._low = np.array(self._low_list, dtype=np.uint64)
        self._high = np.array(self._high_list, dtype=np.uint64)
        self._ready = True  # The last step, since threads share a table.

    def _decide(self, words: NDArray[np.uint64], bits: BitSource) -> NDArray[np.int32]:
        if not self._ready:
            self._prepare()
        categories = np.searchsorted(self._high, words, side="left").astype(np.int32)
        reachable = np.flatnonzero(categories < self._low.size)
        for place in reachable[self._low[categories[reachable]] <= words[reachable]]:
            categories[place] = self._extend(int(words[place]), bits)
        return categories

    def _extend(self, prefix: int, bits: BitSource) -> int:
        length = self._word
        while True:
            length += self._word
            prefix = (prefix << self._word) | bits.take(self._word)
            low, high = self._thresholds(length)
            category = bisect_left(high, prefix)
            if category == len(low) or low[category] > prefix:
                return category

    def _thresholds(self, length: int) -> tuple[list[int], list[int]]:
        with precision(length + _GUARD_BITS):
            pairs = [scaled_floor(x, length) for x in self._cumulative()]
        top = (1 << length) - 1
        # Balls of neighbouring thresholds may overlap; widening them keeps both lists sorted, and the law exact.
        low = list(accumulate((max(pair[0], 0) for pair in reversed(pairs)), min))[::-1]
        high = list(accumulate((min(pair[1], top) for pair in pairs), max))
        return [min(x, top) for x in low], high

    def _build_lookup(self) -> NDArray[np.int32]:
        if not self._ready:
            self._prepare()
        shift = np.uint64(self._word - self._glance)
        low, high = self._low >> shift, self._high >> shift
        answers = np.searchsorted(high, np.arange(1 << self._glance, dtype=np.uint64), side="left").astype(np.int32)
        for first, last in zip(low.tolist(), high.tolist(), strict=True):
            answers[first : last + 1] = -1
        return answers
