"""Estimates of frequencies, with standard errors and intervals that hold what they say."""

import math
from dataclasses import dataclass

import numpy as np

from banister.core.programs.linear import Floats, Ints
from banister.errors import BadValue

FEWEST = 30
"""Reports below which the normal law is not trusted for an interval."""

WORST_SKEW = 0.3
"""Largest skewness of an estimate for which the normal law is trusted: it moves a 95 % tail by half a percent."""


@dataclass(frozen=True, slots=True)
class Intervals:
    """One interval a category; `confidence` holds for each alone, or for all at once, as asked."""

    lower: Floats
    upper: Floats
    confidence: float

    def hold(self, truth: Floats) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
        """Which of the intervals hold the true frequencies."""
        return (self.lower <= truth) & (truth <= self.upper)


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """How often each category was supported, when a report supports its own with `keep` and others with `spill`."""

    counts: Ints
    keep: float
    spill: float


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Estimate:
    """Unbiased frequencies of the categories; single values may be below 0 or above 1."""

    frequencies: Floats
    standard_errors: Floats
    people: int
    counted: Counted | None
    skewness: float

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

        Exact (Clopper-Pearson) where a report supports sets of categories; else from the normal law.
        """
        return self._intervals(confidence, 1)

    def simultaneous_intervals(self, confidence: float = 0.95) -> Intervals:
        """Intervals that all hold at once with that confidence (Bonferroni)."""
        return self._intervals(confidence, self.frequencies.size)

    def _intervals(self, confidence: float, tests: int) -> Intervals:
        if not 0 < confidence < 1:
            raise BadValue(f"confidence = {confidence} must be a number above 0 and below 1, such as 0.95.")
        tail = (1 - confidence) / 2 / tests
        if self.counted is not None:
            lower, upper = _binomial(self.counted, self.people, tail)
        else:
            lower, upper = self._normal(tail)
        return Intervals(np.clip(lower, 0, 1), np.clip(upper, 0, 1), confidence)

    def _normal(self, tail: float) -> tuple[Floats, Floats]:
        from scipy.special import ndtri

        if self.people < FEWEST or self.skewness > WORST_SKEW:
            skew = min(self.skewness, 10.0)  # A handful of equal reports has no spread to measure skewness by.
            needed = max(FEWEST, math.ceil(self.people * (skew / WORST_SKEW) ** 2))
            raise BadValue(
                f"{self.people} reports are too few for an interval from this channel; about {needed} are needed."
            )
        half = -float(ndtri(tail)) * self.standard_errors
        return self.frequencies - half, self.frequencies + half


@dataclass(frozen=True, slots=True, eq=False)
class Likelihood:
    """The most likely frequencies, and a proof: no law is likelier by more than `gap` nats a report."""

    frequencies: Floats
    gap: float
    steps: int
    people: int


def of_counts(counted: Counted, people: int) -> Estimate:
    """The unbiased estimate (count/people - spill)/(keep - spill) and its error."""
    spread = counted.keep - counted.spill
    if not abs(spread) > 0:
        raise BadValue("This channel says nothing (epsilon = 0), so nothing can be estimated from its reports.")
    shares = counted.counts / people
    errors = np.sqrt(np.maximum(shares * (1 - shares), 0) / people) / abs(spread)
    return Estimate(
        frequencies=(shares - counted.spill) / spread,
        standard_errors=errors,
        people=people,
        counted=counted,
        skewness=0.0,
    )


def of_histogram(counts: Ints, matrix: Floats) -> Estimate:
    """The unbiased estimate from any channel matrix of full rank.

    L = (Q D⁻¹ Qᵀ)⁻¹ Q D⁻¹ with D the law of reports of a uniform prior: L Qᵀ = 1, so L f is unbiased for every law;
    n Cov = L (diag f - f fᵀ) Lᵀ.
    """
    people = int(counts.sum())
    shares = counts / people
    used = matrix.max(axis=0) > 0
    q, f = matrix[:, used], shares[used]
    weighted = q / q.mean(axis=0)
    normal = weighted @ q.T
    rank = int(np.linalg.matrix_rank(q))
    if rank < q.shape[0]:
        raise BadValue(
            f"This channel tells {rank} things apart, not {q.shape[0]} categories, so their frequencies cannot be "
            "estimated from it. Use it for the test it was designed for, or design with utility='estimation'."
        )
    inverse = np.linalg.solve(normal, weighted)
    frequencies = inverse @ f
    second = np.maximum(inverse**2 @ f - frequencies**2, 0)
    third = np.abs(inverse**3 @ f - 3 * frequencies * (inverse**2 @ f) + 2 * frequencies**3)
    with np.errstate(divide="ignore", invalid="ignore"):
        skew = np.where(second > 0, third / second**1.5, np.inf)
    return Estimate(
        frequencies=frequencies,
        standard_errors=np.sqrt(second / people),
        people=people,
        counted=None,
        skewness=float(skew.max()) / math.sqrt(people),
    )


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


def _binomial(counted: Counted, people: int, tail: float) -> tuple[Floats, Floats]:
    """Clopper-Pearson bounds on the support probability, mapped to the frequency."""
    from scipy.special import betaincinv

    c, some, most = counted.counts, np.maximum(counted.counts, 1), np.minimum(counted.counts, people - 1)
    low = np.where(c > 0, betaincinv(some, people - some + 1, tail), 0.0)
    high = np.where(c < people, betaincinv(most + 1, people - most, 1 - tail), 1.0)
    spread = counted.keep - counted.spill
    return (low - counted.spill) / spread, (high - counted.spill) / spread
