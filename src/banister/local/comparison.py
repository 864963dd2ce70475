"""Which channel for frequencies: errors and report sizes of every kind, side by side, without data."""

import math
from dataclasses import dataclass

from banister import need
from banister.core.exact.numbers import Number
from banister.local.channels.hadamard import HadamardResponse
from banister.local.channels.response import RandomizedResponse
from banister.local.channels.subset import SubsetSelection
from banister.local.channels.unary import UnaryEncoding
from banister.local.designs.bounds import contraction
from banister.local.designs.estimation import counting_error, least_error


@dataclass(frozen=True, slots=True)
class Candidate:
    """One kind of channel: people · variance and standard error of a frequency, bits of a report."""

    name: str
    scaled_variance: float
    standard_error: float
    report_bits: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """All candidates, best first, and what no channel can beat."""

    candidates: tuple[Candidate, ...]
    least_scaled_variance: float
    effective_people: float


def compare(epsilon: Number, categories: int, people: int) -> Comparison:
    """Standard errors of an estimated frequency when all are equal, for each kind of channel.

    >>> compare(1, 1000, 1_000_000).candidates[0].name
    'subset selection'
    """
    level = need.positive("epsilon", epsilon, "At 0 a report says nothing.")
    k = need.whole("categories", categories, least=2, most=1 << 24)
    n = need.whole("people", people, least=1)
    plain, unary = RandomizedResponse(level, k), UnaryEncoding(level, k)
    sets, fast = SubsetSelection.least_variance(level, k), HadamardResponse.least_variance(level, k)
    found = [
        _candidate("randomized response", (k, plain.keep, plain.spill), n, (k - 1).bit_length()),
        _candidate("subset selection", (k, sets.keep, sets.spill), n, (sets.outputs - 1).bit_length()),
        _candidate("Hadamard response", (k, fast.keep, fast.spill), n, (fast.outputs - 1).bit_length()),
        _candidate("unary encoding", (k, 0.5, unary.spill), n, k),
    ]
    return Comparison(
        tuple(sorted(found, key=lambda candidate: candidate.scaled_variance)),
        least_error(float(level), k) / k,
        n * contraction(float(level)),
    )


def _candidate(name: str, counted: tuple[int, float, float], people: int, bits: int) -> Candidate:
    variance = counting_error(*counted) / counted[0]
    return Candidate(name, variance, math.sqrt(variance / people), bits)
