"""Functions of the number of ones: everything through counts, so that hundreds of parties take milliseconds.

Among n parties of one level whose bits are 1 with chance q, independently, let t of them say 1. Each said symbol leaves
its party a chance of holding a 1, the same for all who said the same. So t is binomial, and given t

    the number of ones  =  Bin(t, P(1 | said 1)) + Bin(n - t, P(1 | said 0)),

whoever said what ([K16] Sec. 4.4 with the count as a sufficient statistic; docs/math/parties-symmetric.md). Parties
that say their bit for sure are counted apart.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce

import numpy as np

from banister.core.privacy.guarantee import Guarantee
from banister.core.programs.linear import Floats, Ints
from banister.errors import BadValue
from banister.parties.games.functions import JointFunction
from banister.parties.games.levels import ABSENT, Symbol, chance_of_one, keep_chance, response_matrix
from banister.parties.games.scores import Score

FULL = 128
"""Parties of one level up to which every count is looked at; beyond, those that have any chance in 10^18."""
MOST_ENTRIES = 1 << 25
_REACH = 21.0
"""Hoeffding: a sum of n bits is further than sqrt(n · 21) from its mean with a chance below 10^-18."""
_NEVER = 1e-22


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """What a group of equal parties may say, as counts, and what each leaves to believe about its number of ones."""

    weights: Floats
    """The chance of each outcome."""
    posterior: Floats
    """One row an outcome: the law of the number of ones, from `first` on."""
    first: int


def two_binomials(n: int, ones: Ints, high: float, low: float, window: tuple[int, int]) -> Floats:
    """The law of Bin(t, high) + Bin(n - t, low) on a window, one row for each t in `ones`.

    By its transform at roots of unity; mass outside the window (below 10^-18, or none) folds into it.
    """
    start, stop = window
    length = 1 << max(stop - start - 1, 1).bit_length()
    turn = np.exp(-2j * np.pi * np.arange(length // 2 + 1) / length)
    a, b = 1 - high + high * turn, 1 - low + low * turn
    t = ones[:, None].astype(np.float64)
    size = np.abs(a) ** t * np.abs(b) ** (n - t)
    angle = t * np.angle(a) + (n - t) * np.angle(b) + 2 * np.pi * start * np.arange(turn.size) / length
    law = np.fft.irfft(size * np.exp(1j * angle), length, axis=1)[:, : stop - start]
    return np.maximum(law, 0.0)


def group_outcomes(count: int, level: Guarantee, prior: Fraction) -> Outcomes:
    """Every outcome of a group with a chance worth counting."""
    if level == ABSENT:
        low, high = _window(count, float(prior), float(prior))
        law = two_binomials(count, np.array([count]), float(prior), 0.0, (low, high))
        return Outcomes(np.ones(1), law, low)
    sure_zero, sure_one = float(level.delta * (1 - prior)), float(level.delta * prior)
    sure = _sure_counts(count, sure_zero, sure_one)
    if sum(min(count - zeros - ones + 1, 10 * math.isqrt(count) + 1) ** 2 for zeros, ones, _ in sure) > MOST_ENTRIES:
        raise _too_many(count, level)
    parts: list[tuple[Floats, Floats, int]] = []
    for zeros, ones, chance in sure:
        weights, law, first = _likely(count - zeros - ones, level, prior)
        parts.append((chance * weights, law, first + ones))
    first = min(start for _, _, start in parts)
    width = max(start + law.shape[1] for _, law, start in parts) - first
    if sum(law.shape[0] for _, law, _ in parts) * width > MOST_ENTRIES:
        raise _too_many(count, level)
    rows = [np.pad(law, ((0, 0), (start - first, width - law.shape[1] - start + first))) for _, law, start in parts]
    return Outcomes(np.concatenate([weights for weights, _, _ in parts]), np.concatenate(rows), first)


def _too_many(count: int, level: Guarantee) -> BadValue:
    return BadValue(
        f"{count} parties with delta = {float(level.delta):g} have too many outcomes to list. Use a smaller delta or "
        "fewer parties."
    )


def _too_different(function: JointFunction, groups: int) -> BadValue:
    return BadValue(
        f"{function.parties} parties with {groups} different levels or priors have too many outcomes to list. Give "
        "fewer different ones, or use estimate_accuracy(), which draws them."
    )


def average_value(
    function: JointFunction, levels: Sequence[Guarantee], priors: Sequence[Fraction], score: Score
) -> float:
    """The best average score of an observer, for a function of the number of ones.

    Exact:  to 10^-12; the sum over outcomes of the worth of the best guess, [K16] Eq. (4.5).
    """
    groups = [group_outcomes(count, level, prior) for (level, prior), count in _groups(levels, priors)]
    if not groups:
        return float(score.best(score.features()[:, function.index])[0][0])
    if len(groups) == 1 and _counts_ones(function) and score.name in ("zero-one", "absolute"):
        return float(groups[0].weights @ _best_count(groups[0].posterior, score))
    shape = tuple(group.posterior.shape[1] for group in groups)
    states = max(math.prod(shape), math.prod(group.weights.size for group in groups))
    if states > MOST_ENTRIES:
        raise _too_different(function, len(groups))
    first = sum(group.first for group in groups)
    places = reduce(np.add.outer, [np.arange(size) for size in shape]) + first
    places = np.minimum(places, function.parties)  # Beyond the window nothing has mass.
    used, inverse = np.unique(function.index[places], return_inverse=True)
    part = score.among(used)
    features = part.features()
    if features.shape[0] * states > MOST_ENTRIES:
        raise _too_different(function, len(groups))
    sums: Floats = features[:, inverse.reshape(shape)]
    for group in groups:
        sums = np.moveaxis(np.tensordot(sums, group.posterior, axes=(1, 1)), -1, sums.ndim - 1)
    chances = reduce(np.multiply.outer, [group.weights for group in groups])
    return float((chances * part.best(sums)[0]).sum())


def _counts_ones(function: JointFunction) -> bool:
    """Whether each number of ones has its own answer, evenly spaced: a sum or a mean."""
    steps = np.diff(function.values)
    return function.index.size == steps.size + 1 and bool(np.all(np.diff(function.index) == 1))


def _best_count(posterior: Floats, score: Score) -> Floats:
    """What the mode earns (zero-one) or the median (absolute), for each row; the same as trying every guess."""
    if score.name == "zero-one":
        mode: Floats = posterior.max(axis=1)
        return mode
    step = float(score.truth[1] - score.truth[0]) if score.truth.size > 1 else 1.0
    below = np.cumsum(posterior, axis=1)
    # E|s - m| is the sum over j of the smaller of P(s <= j) and P(s > j).
    around: Floats = np.minimum(below, np.maximum(below[:, -1:] - below, 0)).sum(axis=1)
    return -step * around


def count_law(chances: Floats) -> Floats:
    """The law of the number of ones among independent bits with those chances, by halves.

    >>> count_law(np.array([0.5, 0.5])).tolist()
    [0.25, 0.5, 0.25]
    """
    if chances.size == 0:
        return np.ones(1)
    if chances.size == 1:
        return np.array([1 - chances[0], chances[0]])
    middle = chances.size // 2
    return np.convolve(count_law(chances[:middle]), count_law(chances[middle:]))


def law_given_true_count(count: int, level: Guarantee) -> Floats:
    """P(outcome | number of ones) for a group: one row for each number of ones from 0 to `count`.

    The outcome is (sure zeros, sure ones, said ones), in the order of `outcome_keys`.
    """
    if level == ABSENT:
        return np.ones((count + 1, 1))
    if level.delta == 0:
        keep = keep_chance(level.epsilon)
        return two_binomials(count, np.arange(count + 1), keep, 1 - keep, (0, count + 1))
    one, zero = _symbol_laws(level)
    by_ones = [_multinomial(s, one) for s in range(count + 1)]
    by_zeros = [_multinomial(s, zero) for s in range(count + 1)]
    keys = outcome_keys(count, level)
    place = {key: number for number, key in enumerate(keys)}
    law = np.zeros((count + 1, len(keys)))
    for s in range(count + 1):
        for (a1, b1, t1), p in by_ones[s].items():
            for (a0, b0, t0), q in by_zeros[count - s].items():
                law[s, place[a0 + a1, b0 + b1, t0 + t1]] += p * q
    return law


def outcome_keys(count: int, level: Guarantee) -> list[tuple[int, int, int]]:
    """Every outcome of a group: (sure zeros, sure ones, said ones among the rest)."""
    if level == ABSENT:
        return [(0, 0, 0)]
    most = count if level.delta > 0 else 0
    return [
        (zeros, ones, said)
        for zeros in range(most + 1)
        for ones in range(most - zeros + 1)
        for said in range(count - zeros - ones + 1)
    ]


def parity_rule(groups: Sequence[tuple[Guarantee, int]], even: int) -> tuple[Floats, Floats]:
    """For XOR: say the XOR of what was said, whoever was sure; `even` is the place of the answer for an even number.

    Against uniform bits (given as the law of the counts) no rule does better, and this one is right equally often
    whatever the bits are ([K16] Cor. 4.5.1). Where somebody says nothing, a coin is tossed.
    """
    said = [np.array([ones + likely for _, ones, likely in outcome_keys(count, level)]) for level, count in groups]
    heard = reduce(np.add.outer, said, np.zeros((), dtype=np.int64)).ravel() % 2
    rule = np.zeros((heard.size, 2))
    rule[np.arange(heard.size), np.where(heard == 0, even, 1 - even)] = 1
    if any(level == ABSENT for level, _ in groups):
        rule[:] = 0.5
    uniform = [two_binomials(n, np.array([n]), 0.5, 0.0, (0, n + 1))[0] for _, n in groups]
    prior = reduce(lambda a, b: np.multiply.outer(a, b).ravel(), uniform, np.ones(1))
    return rule, prior / prior.sum()


def parity_said(heard: Sequence[int | None], levels: Sequence[Guarantee], even: int) -> Floats:
    """The row of `parity_rule` for one transcript, without the others: two chances."""
    if any(symbol is None or level == ABSENT for symbol, level in zip(heard, levels, strict=True)):
        return np.array([0.5, 0.5])
    ones = sum(symbol in (1, 3) for symbol in heard) % 2
    return np.array([1.0, 0.0]) if ones == even else np.array([0.0, 1.0])


def _groups(levels: Sequence[Guarantee], priors: Sequence[Fraction]) -> list[tuple[tuple[Guarantee, Fraction], int]]:
    return list(Counter(zip(levels, priors, strict=True)).items())


def _window(n: int, least: float, most: float) -> tuple[int, int]:
    """Where a sum of n bits with chances between the two has its mass."""
    if n <= FULL:
        return 0, n + 1
    reach = math.sqrt(n * _REACH)
    return max(0, math.floor(n * least - reach)), min(n, math.ceil(n * most + reach)) + 1


def _likely(n: int, level: Guarantee, prior: Fraction) -> tuple[Floats, Floats, int]:
    """Chances of the number of said ones, and the law of the number of ones given it, when nobody is sure."""
    if n == 0:
        return np.ones(1), np.ones((1, 1)), 0
    keep, start = keep_chance(level.epsilon), float(prior)
    says_one = start * keep + (1 - start) * (1 - keep)
    low, high = _window(n, says_one, says_one)
    said = np.arange(low, high)
    weights = two_binomials(n, np.array([n]), says_one, 0.0, (low, high))[0]
    if_one = chance_of_one(prior, level, Symbol.ONE)
    if_zero = chance_of_one(prior, level, Symbol.ZERO)
    means = (said[[0, -1]] * if_one + (n - said[[0, -1]]) * if_zero) / n
    window = _window(n, float(means[0]), float(means[-1]))
    return weights, two_binomials(n, said, if_one, if_zero, window), window[0]


def _sure_counts(n: int, sure_zero: float, sure_one: float) -> list[tuple[int, int, float]]:
    """The numbers of sure zeros and sure ones, with their chances, where these are not negligible."""
    if sure_zero == sure_one == 0:
        return [(0, 0, 1.0)]
    rest = 1 - sure_zero - sure_one
    found = []
    for zeros in range(n + 1):
        for ones in range(n - zeros + 1):
            logs = (
                math.lgamma(n + 1) - math.lgamma(zeros + 1) - math.lgamma(ones + 1) - math.lgamma(n - zeros - ones + 1)
            )
            parts = ((sure_zero, zeros), (sure_one, ones), (rest, n - zeros - ones))
            if any(chance == 0 and times for chance, times in parts):
                continue
            chance = math.exp(logs + sum(times * math.log(p) for p, times in parts if times))
            if chance > _NEVER:
                found.append((zeros, ones, chance))
    return found


def _symbol_laws(level: Guarantee) -> tuple[dict[tuple[int, int, int], float], dict[tuple[int, int, int], float]]:
    matrix = response_matrix(level)
    keys = {Symbol.ZERO: (0, 0, 0), Symbol.ONE: (0, 0, 1), Symbol.SURE_ZERO: (1, 0, 0), Symbol.SURE_ONE: (0, 1, 0)}
    one = {key: float(matrix[1, symbol]) for symbol, key in keys.items() if matrix[1, symbol] > 0}
    zero = {key: float(matrix[0, symbol]) for symbol, key in keys.items() if matrix[0, symbol] > 0}
    return one, zero


def _multinomial(n: int, law: dict[tuple[int, int, int], float]) -> dict[tuple[int, int, int], float]:
    """The law of the sum of n independent draws."""
    total = {(0, 0, 0): 1.0}
    for _ in range(n):
        step: defaultdict[tuple[int, int, int], float] = defaultdict(float)
        for (a, b, t), p in total.items():
            for (da, db, dt), q in law.items():
                step[a + da, b + db, t + dt] += p * q
        total = dict(step)
    return total
