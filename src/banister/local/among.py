"""Which of several hypotheses is true, from randomized reports: the likeliest, and how often that errs."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from banister import need
from banister.core.programs.linear import Floats
from banister.errors import BadValue
from banister.local.channels.base import Channel, Reports
from banister.local.designs.priors import law, same_length
from banister.local.exponents import chernoff_exponent
from banister.local.testing import MOST_EXACT


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """What the reports say about each hypothesis.

    >>> from banister.local import RandomizedResponse
    >>> channel = RandomizedResponse(3, categories=3)
    >>> laws = [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]]
    >>> rank_hypotheses(channel.respond([1] * 200), channel, laws).likeliest
    1
    """

    likeliest: int
    """The number of the hypothesis with the largest posterior, counted from 0."""
    posterior: tuple[float, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Mistakes:
    """How often the likeliest of several hypotheses is not the true one, with so many reports.

    >>> from banister.local import RandomizedResponse
    >>> laws = [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]]
    >>> found = mistakes_among(RandomizedResponse(2, categories=3), laws, people=30)
    >>> found.method, round(found.average, 4)
    ('exact', 0.0017)
    """

    people: int
    each: tuple[float, ...]
    """The chance of a mistake where this hypothesis is true."""
    method: str
    """"exact", or "at most" where there are too many samples to add up: then each is a bound."""
    exponent: float
    """The least Chernoff exponent of two of them: with many reports mistakes fall like e^(-people times it)."""

    @property
    def average(self) -> float:
        return sum(self.each) / len(self.each)

    @property
    def worst(self) -> float:
        return max(self.each)


def rank_hypotheses(
    reports: Reports, channel: Channel, hypotheses: Sequence[ArrayLike], *, prior: Sequence[float] | None = None
) -> Ranked:
    """The posterior of each hypothesis given the reports; all alike likely before, unless a prior says otherwise.

    Optimal:  the likeliest hypothesis errs least on average over the prior, of all rules that see the reports.

    >>> from banister.local import RandomizedResponse
    >>> channel = RandomizedResponse(5, categories=2)
    >>> laws = [[0.9, 0.1], [0.5, 0.5], [0.1, 0.9]]
    >>> rank_hypotheses(channel.respond([0] * 300), channel, laws).likeliest
    0
    """
    if reports.channel != channel.hash:
        raise BadValue("These reports come from another channel (the hash differs). Test with the one that made them.")
    laws, before = _laws(channel, hypotheses), _prior(prior, len(hypotheses))
    counts = np.bincount(channel.checked(reports.values), minlength=laws.shape[1])
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(counts > 0, counts * np.log(laws), 0.0).sum(axis=1) + np.log(before)
    weights = np.exp(logs - logs.max())
    posterior = weights / weights.sum()
    return Ranked(int(posterior.argmax()), tuple(float(each) for each in posterior))


def mistakes_among(channel: Channel, hypotheses: Sequence[ArrayLike], *, people: int) -> Mistakes:
    """How often the likeliest hypothesis is wrong after so many reports, all of them alike likely before.

    Exact up to 400 000 kinds of samples; beyond, at most Σ e^(-people · C) over the others, C by Chernoff.

    >>> from banister.local import RandomizedResponse
    >>> laws = [[0.9, 0.1], [0.5, 0.5], [0.1, 0.9]]
    >>> round(mistakes_among(RandomizedResponse(1, categories=2), laws, people=100).worst, 3)
    0.057
    """
    count = need.whole("people", people, least=1)
    laws = _laws(channel, hypotheses)
    m = len(laws)
    pairs = [(i, j) for i in range(m) for j in range(i)]
    rates = {(i, j): chernoff_exponent(channel, hypotheses[i], hypotheses[j])[0] for i, j in pairs}
    exponent = min(rates.values())
    merged = np.unique(laws.round(15), axis=1, return_inverse=True)[1].ravel()
    grouped = np.stack([np.bincount(merged, weights=each) for each in laws]).astype(np.float64)
    if math.comb(count + grouped.shape[1] - 1, grouped.shape[1] - 1) > MOST_EXACT:
        each = [sum(math.exp(-count * rates[max(i, j), min(i, j)]) for j in range(m) if j != i) for i in range(m)]
        return Mistakes(count, tuple(min(1.0, chance) for chance in each), "at most", exponent)
    logs = _samples(grouped, count)
    top = logs.max(axis=0)
    tied = logs >= top - 1e-9
    won = tied / tied.sum(axis=0)  # A tie is broken by a fair coin.
    each = [1 - float(np.sum(np.exp(logs[i]) * won[i])) for i in range(m)]
    return Mistakes(count, tuple(min(1.0, max(0.0, chance)) for chance in each), "exact", exponent)


def _samples(laws: Floats, people: int) -> Floats:
    """The logarithm of the chance of every kind of sample under each law: one row a law."""
    from scipy.special import gammaln

    left = np.array([people])
    logs = np.full((laws.shape[0], 1), float(gammaln(people + 1)))
    for place in range(laws.shape[1]):
        last = place == laws.shape[1] - 1
        counts = left if last else np.concatenate([np.arange(n + 1) for n in left])
        source = np.arange(left.size) if last else np.repeat(np.arange(left.size), left + 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            chance = np.where(counts > 0, counts * np.log(laws[:, place : place + 1]), 0.0)
        logs = logs[:, source] + chance - gammaln(counts + 1)
        left = left[source] - counts
    return np.asarray(logs, dtype=np.float64)


def _laws(channel: Channel, hypotheses: Sequence[ArrayLike]) -> Floats:
    if len(hypotheses) < 2:
        raise BadValue(f"hypotheses holds {len(hypotheses)} law; a test needs at least two.")
    given = same_length([law(f"hypotheses[{i}]", values) for i, values in enumerate(hypotheses)])
    if given[0].size != channel.categories:
        raise BadValue(f"The hypotheses have {given[0].size} categories; this channel has {channel.categories}.")
    return np.stack([channel.output_law(each) for each in given])


def _prior(prior: Sequence[float] | None, count: int) -> Floats:
    chances = np.full(count, 1 / count) if prior is None else law("prior", prior)
    if chances.size != count:
        raise BadValue(f"The prior has {chances.size} chances for {count} hypotheses.")
    return chances
