"""Which channel for frequencies: errors and report sizes of every kind, side by side, without data."""

import math
from dataclasses import dataclass
from fractions import Fraction

from banister import need
from banister.core.exact.numbers import Number, brief
from banister.local.channels import for_frequencies
from banister.local.channels.support import SupportChannel, counting_error
from banister.local.designs.bounds import contraction
from banister.local.designs.estimation import least_error


@dataclass(frozen=True, slots=True)
class Candidate:
    """One kind of channel: people · variance and standard error of a frequency, bits of a report.

    `quick` says whether reports are decoded in seconds; one that is not comes last and is not recommended.
    """

    name: str
    scaled_variance: float
    standard_error: float
    report_bits: int
    quick: bool


@dataclass(frozen=True, slots=True)
class FrequencyComparison:
    """What was asked, all candidates, best first (those slow to decode last), and what no channel can beat."""

    epsilon: Fraction
    categories: int
    people: int
    candidates: tuple[Candidate, ...]
    least_scaled_variance: float
    effective_people: float

    def _repr_html_(self) -> str:
        from banister.show.facts import grid_html

        words = f"{self.people} people, {self.categories} answers, epsilon {brief(self.epsilon)}; the best first."
        header = ["channel", "standard error", "bits of a report"]
        rows = [[each.name, f"{each.standard_error:.4g}", str(each.report_bits)] for each in self.candidates]
        return grid_html(words, header, rows)


def compare(epsilon: Number, categories: int, people: int) -> FrequencyComparison:
    """Standard errors of an estimated frequency when all are equal, for each kind of channel.

    >>> compare(1, 1000, 1_000_000).candidates[0].name
    'subset selection'
    """
    level = need.positive("epsilon", epsilon, "At 0 a report says nothing.")
    k = need.whole("categories", categories, least=2, most=1 << 24)
    n = need.whole("people", people, least=1)
    found = [_candidate(kind.for_frequencies(level, k), n) for kind in for_frequencies()]
    return FrequencyComparison(
        level,
        k,
        n,
        tuple(sorted(found, key=lambda candidate: (not candidate.quick, candidate.scaled_variance))),
        least_error(float(level), k) / k,
        n * contraction(float(level)),
    )


def _candidate(channel: SupportChannel, people: int) -> Candidate:
    variance = counting_error(channel.categories, channel.keep, channel.spill) / channel.categories
    return Candidate(channel.title, variance, math.sqrt(variance / people), channel.report_bits, channel.quick)
