"""How often intervals of frequencies hold the truth: exactly, by summing over everything that can be reported.

The tests run a short grid. The long one: python -m tests.local.coverage
"""

import itertools
from collections.abc import Iterator
from functools import cache

import numpy as np
from scipy.special import gammaln
from scipy.stats import binom

from banister.local.channels import ALL
from banister.local.channels.base import Channel
from banister.local.channels.matrix import MatrixChannel, geometric, quaternary
from banister.local.channels.support import SupportChannel
from banister.local.designing import design
from banister.local.estimates import Intervals, of_counts, of_histogram
from banister.local.evidence import Counted, Weighed, tilted_bounds

CONFIDENCE = 0.95


def laws(categories: int) -> list[np.ndarray]:
    """Corners, rare and very rare categories, the middle, and a few in between."""
    corner, rng = np.eye(categories)[0], np.random.default_rng(categories)
    middle = np.full(categories, 1 / categories)
    near = [(1 - share) * corner + share * middle for share in (0.0001, 0.01, 0.1, 0.5)]
    return [corner, corner[::-1], *near, middle, *rng.dirichlet(np.full(categories, 0.5), size=3)]


def coverage(channel: Channel, law: np.ndarray, people: int) -> np.ndarray:
    """The chance, of each category, that its interval holds its frequency."""
    if isinstance(channel, SupportChannel):
        return counted_coverage(channel, law, people)
    return weighed_coverage(channel.matrix, law, people)


def counted_coverage(channel: SupportChannel, law: np.ndarray, people: int) -> np.ndarray:
    possible = np.arange(people + 1)
    held = counted_intervals(channel.keep, channel.spill, people)
    chances = channel.spill + (channel.keep - channel.spill) * law
    inside = (held.lower[:, None] <= law) & (law <= held.upper[:, None])
    return np.asarray((binom.pmf(possible[:, None], people, chances) * inside).sum(axis=0))


@cache
def counted_intervals(keep: float, spill: float, people: int) -> Intervals:
    """The interval of every count that there can be."""
    counts = np.arange(people + 1)
    counted = Counted(counts=counts, keep=keep, spill=spill, people=people, commonest=1, likeliest=1.0)
    return of_counts(counted).intervals(CONFIDENCE)


def weighed_coverage(matrix: np.ndarray, law: np.ndarray, people: int) -> np.ndarray:
    """Over all histograms of reports; the bounds of each are those that an estimate gives."""
    histograms = np.array(list(splits(people, matrix.shape[1])))
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(histograms > 0, histograms * np.log(law @ matrix), 0.0)
    chances = np.exp(gammaln(people + 1) - gammaln(histograms + 1).sum(axis=1) + logs.sum(axis=1))
    evidence = of_histogram(histograms[0], matrix).evidence
    assert isinstance(evidence, Weighed)
    means = histograms / people @ evidence.decoder.T
    low, high = tilted_bounds(matrix, evidence.decoder, means, people=people, tail=(1 - CONFIDENCE) / 2)
    for i in range(0, len(histograms), max(1, len(histograms) // 5)):
        one = of_histogram(histograms[i], matrix).intervals(CONFIDENCE)
        assert np.allclose(one.lower, np.clip(low[i], 0, 1))
        assert np.allclose(one.upper, np.clip(high[i], 0, 1))
        assert (one.upper - one.lower).min() > 0
    return np.asarray(chances) @ np.asarray((low <= law + 1e-12) & (law <= high + 1e-12))


def splits(people: int, outputs: int) -> Iterator[list[int]]:
    """Every histogram of so many reports."""
    for bars in itertools.combinations(range(people + outputs - 1), outputs - 1):
        yield [b - a - 1 for a, b in itertools.pairwise((-1, *bars, people + outputs - 1))]


def shelf() -> list[Channel]:
    """Every kind of channel that can estimate frequencies: its examples."""
    return [channel for kind in ALL for channel in kind.examples() if channel.rank == channel.categories]


def more() -> list[Channel]:
    """Other levels and alphabets, for the long grid."""
    levels = (0.1, 0.5, 2.0, 4.0, 8.0)
    counted = [
        kind.for_frequencies(level, k)
        for kind in ALL
        if issubclass(kind, SupportChannel)
        for level in levels
        for k in (2, 9, 40)
    ]
    weighed: list[Channel] = [geometric(level, k) for level in levels for k in (2, 3, 4)]
    weighed += [quaternary(level, delta) for level in levels for delta in (1e-6, 0.01, 0.3)]
    weighed += [design(epsilon=level, prior=[0.6, 0.3, 0.1], utility="estimation") for level in levels]
    weighed += [MatrixChannel.of_matrix([[0.7, 0.2, 0.1], [0.2, 0.7, 0.1], [0.3, 0.3, 0.4]], 2)]
    return [*counted, *weighed]


def main() -> None:
    worst = 1.0
    for channel in (*shelf(), *more()):
        few = isinstance(channel, MatrixChannel)
        for people in (5, 6, 8, 12, 20, 30) if few else (5, 7, 10, 30, 100, 1000, 10_000):
            if few and people > 12 and channel.outputs > 4:
                continue
            least = min(float(coverage(channel, law, people).min()) for law in laws(channel.categories))
            worst = min(worst, least)
            print(
                f"{channel.kind:20} {channel.guarantee!s:28} k={channel.categories:<4} n={people:<7} {least:.5f}",
                flush=True,
            )
    print(f"The least coverage of all: {worst:.5f}")


if __name__ == "__main__":
    main()
