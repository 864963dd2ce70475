"""The most powerful test between two hypotheses from randomized reports, with its true errors."""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from banister import need
from banister.core.exact.search import between, doubled, halved, largest_whole, least_whole
from banister.core.programs.linear import Floats, Ints
from banister.errors import BadValue
from banister.local.channels.base import Channel, Reports
from banister.local.designs.priors import law, same_length

MOST_EXACT = 400_000
"""Kinds of samples up to which the law of the statistic is summed exactly; beyond, the saddle point is used."""

_MOST_PEOPLE = 1 << 40
_MOST_BINOMIAL = 1 << 30
"""People up to which the binomial law of two scores is known to more digits than any error is asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Errors:
    """The test that rejects when the statistic is at least `threshold`, and how often it errs.

    >>> from banister.local import RandomizedResponse
    >>> found = errors_with(RandomizedResponse(1, categories=2), [0.5, 0.5], [0.2, 0.8], people=200)
    >>> round(found.false_alarm, 4), round(found.missed_detection, 4), found.method
    (0.0384, 0.0133, 'exact')
    """

    people: int
    threshold: float
    false_alarm: float
    missed_detection: float
    method: str

    @property
    def power(self) -> float:
        return 1 - self.missed_detection


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the reports say: `statistic` is Σ ln M1(y)/M0(y), and large values speak for hypothesis 1.

    >>> from banister.local import RandomizedResponse
    >>> channel = RandomizedResponse(3, categories=2)
    >>> found = test(channel.respond([1] * 200), channel, [0.5, 0.5], [0.2, 0.8])
    >>> found.rejects_zero, found.p_value < 1e-6
    (True, True)
    """

    statistic: float
    rejects_zero: bool
    p_value: float
    errors: Errors


def test(reports: Reports, channel: Channel, p0: ArrayLike, p1: ArrayLike, *, size: float = 0.05) -> Verdict:  # noqa: PT028
    """The most powerful test of hypothesis 0 against 1 from reports, with its true errors.

    Its exponent is in [K16] Sec. 3.4.

    >>> p0, p1 = [0.5, 0.3, 0.2], [0.2, 0.3, 0.5]
    >>> from banister.local import design
    >>> channel = design(epsilon=2, between=(p0, p1), utility="kl")
    >>> test(channel.respond([0] * 60), channel, p0, p1).rejects_zero
    False
    """
    if reports.channel != channel.hash:
        raise BadValue("These reports come from another channel (the hash differs). Test with the one that made them.")
    counts = np.bincount(channel.checked(reports.values), minlength=channel.outputs)
    return verdict_of(counts, channel, p0, p1, size=size)


def verdict_of(counts: Ints, channel: Channel, p0: ArrayLike, p1: ArrayLike, *, size: float) -> Verdict:
    """The same from how often each report came; a running total is enough."""
    scores, law0, law1, score_of = _scores(channel, *_hypotheses(p0, p1))
    people, each = int(counts.sum()), np.zeros(scores.size)
    np.add.at(each, np.searchsorted(scores, score_of[counts > 0]), counts[counts > 0])
    statistic = float(scores @ each)
    errors = _errors(scores, law0, law1, people, _checked(size))
    p_value = _tail(scores, law0, people, statistic - 1e-9 * max(1.0, abs(statistic)))
    return Verdict(statistic=statistic, rejects_zero=statistic >= errors.threshold, p_value=p_value, errors=errors)


def errors_with(channel: Channel, p0: ArrayLike, p1: ArrayLike, *, people: int, size: float = 0.05) -> Errors:
    """How often the best test of the size errs with that many reports.

    >>> from banister.local import RandomizedResponse
    >>> round(errors_with(RandomizedResponse(1, categories=2), [0.5, 0.5], [0.2, 0.8], people=200).power, 4)
    0.9867
    """
    count = need.whole("people", people, least=1)
    scores, law0, law1, _ = _scores(channel, *_hypotheses(p0, p1))
    return _errors(scores, law0, law1, count, _checked(size))


def people_needed(channel: Channel, p0: ArrayLike, p1: ArrayLike, *, power: float, size: float = 0.05) -> int:
    """The least number of reports from which on the test of the size reaches the power, for all larger ones too.

    The power of a test without coin tosses goes up and down with the number of reports. With tosses at the threshold it
    only grows, and it loses at most the likeliest single value of the statistic without them, which only falls: from
    the number on where their difference reaches the power, all numbers suffice, and below it they are tried one by
    one. Where the law of the statistic is not summed exactly, the answer is the saddle point's, to one part in 4096.

    >>> from banister.local import RandomizedResponse
    >>> people_needed(RandomizedResponse(1, categories=2), [0.5, 0.5], [0.2, 0.8], power=0.9)
    122
    """
    if not size < power < 1:
        raise BadValue(f"power = {power} must be above the size {size} and below 1.")
    scores, law0, law1, _ = _scores(channel, *_hypotheses(p0, p1))
    if float(np.abs(law0 - law1).sum()) < 1e-12:
        raise BadValue("The reports have the same law under both hypotheses, so no number of them is enough.")
    wanted = _checked(size)

    def reached(people: int) -> bool:
        if people > _MOST_PEOPLE:
            raise BadValue("More than 10^12 reports would be needed. Raise epsilon, or ask for less power.")
        return _errors(scores, law0, law1, people, wanted).power >= power

    def certain(people: int) -> bool:
        if not _exactly(people, scores):
            return reached(people)
        return _surely(scores, law0, law1, people, wanted) >= power

    last = _most_exact(scores)
    if not certain(last):
        return least_whole(reached, above=last, start=last + 1, within=Fraction(1, 4096))
    enough = halved(certain, 0, last)[1]
    while enough > 1 and reached(enough - 1):
        enough -= 1
    return enough


def tail_between(channel: Channel, holds: ArrayLike, other: ArrayLike, *, people: int) -> float:
    """The chance that another law is at least as likely as the one that holds, after so many reports.

    Exact:  as the law of the statistic is, up to 400 000 kinds of samples; else by the saddle point.
    """
    scores, law0, _, _ = _scores(channel, *_hypotheses(holds, other))
    return _tail(scores, law0, need.whole("people", people, least=1), -1e-9)


def _exactly(people: int, scores: Floats) -> bool:
    """Whether the errors come from the exact law of the statistic: a binomial one for two scores."""
    if scores.size == 2:
        return people <= _MOST_BINOMIAL
    return math.comb(people + scores.size - 1, scores.size - 1) <= MOST_EXACT


def _most_exact(scores: Floats) -> int:
    """The largest number of people for which the law of the statistic is summed exactly."""
    return max(1, largest_whole(lambda people: _exactly(people, scores)))


def _surely(scores: Floats, law0: Floats, law1: Floats, people: int, size: float) -> float:
    """A power that this number of people and every larger one has."""
    if scores.size == 2:
        least, tail0, tail1 = _rejected(law0, law1, people, size)
        atom0, atom1 = _at_least(law0, people, least - 1) - tail0, _at_least(law1, people, least - 1) - tail1
        likeliest = math.floor((people + 1) * float(law1[1]))
        peak = _at_least(law1, people, likeliest) - _at_least(law1, people, likeliest + 1)
        return float(tail1 + (min(1.0, (size - tail0) / atom0) * atom1 if atom0 > 0 else 0) - peak)
    sums, mass0, mass1 = _enumerated(scores, law0, law1, people)
    order = np.argsort(-sums)
    starts = np.append(0, np.flatnonzero(np.diff(sums[order]) < -1e-9) + 1)
    atoms0, atoms1 = np.add.reduceat(mass0[order], starts), np.add.reduceat(mass1[order], starts)
    before = np.cumsum(atoms0) - atoms0
    part = np.clip((size - before) / np.maximum(atoms0, 1e-300), 0, 1)  # Of each atom, what the tossed test rejects.
    return float(part @ atoms1 - atoms1.max())


def _hypotheses(p0: ArrayLike, p1: ArrayLike) -> tuple[Floats, Floats]:
    first, second = same_length([law("p0", p0), law("p1", p1)])
    return first, second


def _scores(channel: Channel, p0: Floats, p1: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """The distinct values of ln M1/M0 with their two laws, and the value of each output."""
    if p0.size != channel.categories or p1.size != channel.categories:
        raise BadValue(
            f"The hypotheses have {p0.size} and {p1.size} categories; this channel has {channel.categories}."
        )
    m0, m1 = channel.output_law(p0), channel.output_law(p1)
    used = (m0 > 0) | (m1 > 0)
    if np.any((m0 == 0) != (m1 == 0)):
        raise BadValue("A report is impossible under one hypothesis only: a single one decides, no test is needed.")
    score_of = np.zeros(m0.size)
    score_of[used] = np.log(m1[used] / m0[used])
    values, place = np.unique(score_of[used].round(12), return_inverse=True)
    masses = np.bincount(place, weights=m0[used]), np.bincount(place, weights=m1[used])
    return values, masses[0] / masses[0].sum(), masses[1] / masses[1].sum(), score_of.round(12)


def _errors(scores: Floats, law0: Floats, law1: Floats, people: int, size: float) -> Errors:
    if scores.size < 2:
        return Errors(people=people, threshold=math.inf, false_alarm=0.0, missed_detection=1.0, method="exact")
    if scores.size == 2 and _exactly(people, scores):
        least, false_alarm, power = _rejected(law0, law1, people, size)
        return Errors(
            people=people,
            threshold=math.inf if least > people else float(scores @ (people - least, least)) - 5e-10,
            false_alarm=false_alarm,
            missed_detection=1 - power,
            method="exact",
        )
    if _exactly(people, scores):
        sums, mass0, mass1 = _enumerated(scores, law0, law1, people)
        order = np.argsort(-sums)
        tail0, tail1 = np.cumsum(mass0[order]), np.cumsum(mass1[order])
        ordered = sums[order]
        last = np.append(np.diff(ordered) < -1e-9, True)  # Equal sums are rejected together.
        allowed = np.flatnonzero(last & (tail0 <= size))
        if not allowed.size:
            return Errors(people=people, threshold=math.inf, false_alarm=0.0, missed_detection=1.0, method="exact")
        at = int(allowed[-1])
        return Errors(
            people=people,
            threshold=float(ordered[at]) - 5e-10,
            false_alarm=float(tail0[at]),
            missed_detection=max(0.0, 1 - float(tail1[at])),
            method="exact",
        )
    threshold = _quantile(scores, law0, people, size)
    return Errors(
        people=people,
        threshold=threshold,
        false_alarm=_saddle(scores, law0, people, threshold),
        missed_detection=max(0.0, 1 - _saddle(scores, law1, people, threshold)),
        method="saddle point",
    )


def _rejected(law0: Floats, law1: Floats, people: int, size: float) -> tuple[int, float, float]:
    """For two scores: from how many reports of the higher one on it is rejected, and the chance of that under both."""
    least = halved(lambda count: _at_least(law0, people, count) <= size, 0, people + 1)[1]
    return least, _at_least(law0, people, least), _at_least(law1, people, least)


def _at_least(law: Floats, people: int, least: int) -> float:
    """For two scores: the chance of so many reports of the higher one, or more."""
    from scipy.special import betainc

    if not 0 < least <= people:
        return float(least <= 0)
    return float(betainc(least, people - least + 1, float(law[1])))


def _enumerated(scores: Floats, law0: Floats, law1: Floats, people: int) -> tuple[Floats, Floats, Floats]:
    """Every way to split the people over the scores: the sum of scores, and its mass under both laws."""
    from scipy.special import gammaln

    left = np.array([people])
    total, logs = np.zeros(1), [np.full(1, float(gammaln(people + 1))) for _ in (law0, law1)]
    for i, score in enumerate(scores):
        last = i == scores.size - 1
        counts = left if last else np.concatenate([np.arange(n + 1) for n in left])
        source = np.arange(left.size) if last else np.repeat(np.arange(left.size), left + 1)
        total = total[source] + counts * score
        shift = gammaln(counts + 1)
        logs = [log[source] + counts * math.log(law[i]) - shift for log, law in zip(logs, (law0, law1), strict=True)]
        left = left[source] - counts
    return total, np.exp(logs[0]), np.exp(logs[1])


def _tail(scores: Floats, law: Floats, people: int, at: float) -> float:
    """P(sum of scores ≥ at)."""
    if scores.size < 2:
        return 1.0
    if math.comb(people + scores.size - 1, scores.size - 1) <= MOST_EXACT:
        sums, mass, _ = _enumerated(scores, law, law, people)
        return min(1.0, float(mass[sums >= at].sum()))
    return _saddle(scores, law, people, at)


def _saddle(scores: Floats, law: Floats, people: int, at: float) -> float:
    """P(sum ≥ at) by the formula of Lugannani and Rice ([LR80]); its relative error falls like 1/people."""
    from scipy.special import ndtr

    wanted = at / people
    if wanted >= scores[-1]:
        return 0.0 if wanted > scores[-1] else float(law[-1]) ** people
    if wanted <= scores[0]:
        return 1.0
    tilt = _tilt(scores, law, wanted)
    weights, height = _tilted(scores, law, tilt)
    variance = float(weights @ (scores - weights @ scores) ** 2)
    w = math.copysign(math.sqrt(max(0.0, 2 * people * (tilt * wanted - height))), tilt)
    if abs(tilt) * math.sqrt(people * variance) < 1e-4 or w == 0:  # At scores near the rounding w comes out as 0.
        return float(ndtr((float(law @ scores) - wanted) * math.sqrt(people / variance)))
    u = tilt * math.sqrt(people * variance)
    density = math.exp(-w * w / 2) / math.sqrt(2 * math.pi)
    return min(1.0, max(0.0, float(ndtr(-w)) + density * (1 / u - 1 / w)))


def _tilted(scores: Floats, law: Floats, tilt: float) -> tuple[Floats, float]:
    exponents = np.log(law) + tilt * scores
    peak = float(exponents.max())
    weights = np.exp(exponents - peak)
    return weights / weights.sum(), peak + math.log(float(weights.sum()))


def _tilt(scores: Floats, law: Floats, wanted: float) -> float:
    """Where the tilted mean is the wanted one, by bisection (the mean grows with the tilt)."""

    def mean(tilt: float) -> float:
        return float(_tilted(scores, law, tilt)[0] @ scores)

    _, low = doubled(lambda tilt: mean(tilt) <= wanted, failing=0.0, start=-1.0)
    _, high = doubled(lambda tilt: mean(tilt) >= wanted, failing=0.0, start=1.0)
    return between(*halved(lambda tilt: mean(tilt) >= wanted, low, high, rounds=200))


def _quantile(scores: Floats, law: Floats, people: int, size: float) -> float:
    low, high = people * float(scores[0]), people * float(scores[-1])
    return halved(lambda total: _saddle(scores, law, people, total) <= size, low, high, rounds=100)[1]


def _checked(size: float) -> float:
    if not 0 < size < 1:
        raise BadValue(f"size = {size} must be a number above 0 and below 1, such as 0.05.")
    return size
