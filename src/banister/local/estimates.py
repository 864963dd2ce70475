"""Estimates of frequencies, with standard errors and intervals that hold what they say."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from banister.core.programs.linear import Floats, Ints
from banister.errors import BadValue
from banister.local.evidence import Counted, Evidence, Weighed, bounds_of_all

UNLIKELY = 1e-4
"""Chance of reports below which they are said not to fit the channel."""


@dataclass(frozen=True, slots=True)
class Intervals:
    """One interval per category; `confidence` holds for each alone, or for all at once, as asked.

    >>> from banister.local import RandomizedResponse
    >>> channel = RandomizedResponse(2, categories=2)
    >>> held = channel.estimate(channel.respond([0] * 500 + [1] * 500)).intervals(0.95)
    >>> held.confidence, bool((held.lower < held.upper).all())
    (0.95, True)
    """

    lower: Floats
    upper: Floats
    confidence: float

    def hold(self, truth: Floats) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
        """Which of the intervals hold the true frequencies."""
        return (self.lower <= truth) & (truth <= self.upper)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Estimate:
    """Unbiased frequencies of the categories; single values may be below 0 or above 1.

    >>> from banister.local import RandomizedResponse
    >>> channel = RandomizedResponse(2, categories=2)
    >>> found = channel.estimate(channel.respond([0] * 500 + [1] * 500))
    >>> found.people, abs(float(found.frequencies.sum()) - 1) < 1e-9, bool(abs(found.frequencies[0] - 0.5) < 0.2)
    (1000, True, True)
    """

    frequencies: Floats
    standard_errors: Floats
    people: int
    evidence: Evidence

    @property
    def effective_people(self) -> float:
        """How many unprotected answers would give the same total squared error."""
        law = self.on_simplex()
        total = float((self.standard_errors**2).sum())
        return float((law * (1 - law)).sum()) / total if total > 0 else math.inf

    def on_simplex(self) -> Floats:
        """The nearest probability law (least squares): never negative, sums to 1."""
        return projected(self.frequencies)

    def intervals(self, confidence: float = 0.95) -> Intervals:
        """Intervals that hold the truth with that confidence, each for its own category.

        They hold for every number of reports and every law of the answers, and never have width zero: exact
        (Clopper-Pearson) where a report supports sets of categories, else from Chernoff's bound, about 1.4 times as
        wide as the normal law would have them (docs/math/local-frequency.md).
        """
        return self._intervals(confidence, 1)

    def simultaneous_intervals(self, confidence: float = 0.95) -> Intervals:
        """Intervals that all hold at once with that confidence (Bonferroni)."""
        return self._intervals(confidence, self.frequencies.size)

    def _intervals(self, confidence: float, tests: int) -> Intervals:
        if not 0 < confidence < 1:
            raise BadValue(f"confidence = {confidence} must be a number above 0 and below 1, such as 0.95.")
        tail = (1 - confidence) / 2 / tests
        lower, upper = self.evidence.bounds(tail)
        return Intervals(np.clip(lower, 0, 1), np.clip(upper, 0, 1), confidence)

    @property
    def misfit(self) -> float:
        """A p-value for "all reports were drawn from this channel", whatever the answers are.

        It holds for every number of reports; below `UNLIKELY` somebody sent what the channel does not draw.
        """
        return self.evidence.misfit()

    @property
    def doubt(self) -> str:
        """What to say when the reports do not fit the channel; empty when they do."""
        chance = self.misfit
        if chance >= UNLIKELY:
            return ""
        return (
            "These reports do not fit the channel: whatever the answers are, the chance of such reports is below "
            f"{max(chance, 1e-300):.1g}. Somebody sent reports that the channel did not draw, or they come from "
            "another channel. Do not trust the estimate."
        )


@dataclass(frozen=True, slots=True, eq=False)
class Likelihood:
    """The most likely frequencies, and a proof: no law is likelier by more than `gap` nats per report.

    >>> from banister.local import RandomizedResponse
    >>> channel = RandomizedResponse(2, categories=2)
    >>> found = channel.maximum_likelihood(channel.respond([0] * 100))
    >>> found.people, bool(found.frequencies.min() >= 0), found.gap < 1e-3
    (100, True, True)
    """

    frequencies: Floats
    gap: float
    steps: int
    people: int


def of_counts(counted: Counted) -> Estimate:
    """The unbiased estimate (count/people - spill)/(keep - spill) and its error."""
    spread = counted.keep - counted.spill
    if not abs(spread) > 0:
        raise BadValue("This channel says nothing (epsilon = 0), so nothing can be estimated from its reports.")
    shares = counted.counts / counted.people
    # The error at the nearest possible share: a category that nobody named has an error too.
    least, most = sorted((counted.spill, counted.keep))
    possible = np.clip(shares, least, most)
    return Estimate(
        frequencies=(shares - counted.spill) / spread,
        standard_errors=np.sqrt(possible * (1 - possible) / counted.people) / abs(spread),
        people=counted.people,
        evidence=counted,
    )


def of_histogram(counts: Ints, matrix: Floats) -> Estimate:
    """The unbiased estimate from any channel matrix of full rank.

    L = (Q D⁻¹ Qᵀ)⁻¹ Q D⁻¹ with D the law of reports of a uniform prior: L Qᵀ = 1, so L f is unbiased for every law;
    n Cov = L (diag M - M Mᵀ) Lᵀ, taken at the law M of reports of the nearest possible law of answers, so that no
    error is zero because nobody happened to send some report.
    """
    people = int(counts.sum())
    decoder = _decoder(np.ascontiguousarray(matrix, dtype=np.float64).tobytes(), matrix.shape[0])
    frequencies = decoder @ (counts / people)
    nearest = projected(frequencies)
    second = decoder**2 @ (nearest @ matrix) - nearest**2
    return Estimate(
        frequencies=frequencies,
        standard_errors=np.sqrt(np.maximum(second, 0) / people),
        people=people,
        evidence=Weighed(counts=counts, matrix=matrix, decoder=decoder),
    )


@lru_cache(maxsize=8)
def _decoder(of_matrix: bytes, rows: int) -> Floats:
    """The weights L of a channel's matrix, worked out once for all days of a campaign; 0 where nothing is ever sent."""
    matrix = np.frombuffer(of_matrix, dtype=np.float64).reshape(rows, -1)
    used = matrix.max(axis=0) > 0
    q = matrix[:, used]
    weighted = q / q.mean(axis=0)
    rank = int(np.linalg.matrix_rank(q))
    if rank < rows:
        raise BadValue(
            f"This channel tells {rank} things apart, not {rows} categories, so their frequencies cannot be "
            "estimated from it. Use it for the test it was designed for, or design with utility='estimation'."
        )
    decoder = np.zeros_like(matrix)
    decoder[:, used] = np.linalg.solve(weighted @ q.T, weighted)
    decoder.flags.writeable = False
    return decoder


def intervals_of_all(found: Sequence[Estimate], confidence: float) -> list[Intervals]:
    """What `intervals` gives for each; all at once where they come through one matrix, such as days of one question.

    >>> from banister.local import RandomizedResponse
    >>> channel = RandomizedResponse(2, categories=2)
    >>> found = [channel.estimate(channel.respond([0] * n + [1] * 100)) for n in (100, 300)]
    >>> [held.lower.shape for held in intervals_of_all(found, 0.95)]
    [(2,), (2,)]
    """
    if not 0 < confidence < 1:
        raise BadValue(f"confidence = {confidence} must be a number above 0 and below 1, such as 0.95.")
    bounds = bounds_of_all([each.evidence for each in found], (1 - confidence) / 2)
    return [Intervals(np.clip(low, 0, 1), np.clip(high, 0, 1), confidence) for low, high in bounds]


def projected(values: Floats) -> Floats:
    """The nearest point of the probability simplex.

    >>> projected(np.array([0.75, 0.5, -0.25]))
    array([0.625, 0.375, 0.   ])
    """
    falling = np.sort(values)[::-1]
    shift = (np.cumsum(falling) - 1) / np.arange(1, values.size + 1)
    last = int(np.flatnonzero(falling > shift)[-1])
    nearest: Floats = np.maximum(values - shift[last], 0)
    return nearest
