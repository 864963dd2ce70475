"""Exact vectors and exact choices, beside what NumPy needs for the same number of inexact ones, in one run."""

import statistics
import time
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

import banister as bn

REPEATS = 5
ROWS = 50_000
CANDIDATES = 10**6


def seconds(work: Callable[[], object]) -> float:
    """The median time of a few runs, after one to warm up."""
    work()
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def vectors(rng: np.random.Generator) -> None:
    """Whole arrays of vectors against NumPy's Laplace of as many numbers."""
    for dimension in (2, 5, 20):
        answers = np.zeros((ROWS, dimension))
        noise = bn.VectorStaircase(epsilon=1, sensitivity=1, dimension=dimension)
        ours = seconds(partial(noise.release, answers))
        theirs = seconds(partial(rng.laplace, size=answers.shape))
        each = ours / answers.size * 1e9
        print(f"vectors of {dimension:2}: {each:5.0f} ns a coordinate, {ours / theirs:5.1f} x NumPy's inexact Laplace")


def _noisy_best(scores: NDArray[np.int64], rng: np.random.Generator) -> int:
    return int(np.argmax(scores + rng.gumbel(size=scores.size)))


def choices(rng: np.random.Generator) -> None:
    """One choice among a million against the usual inexact one: the largest of scores with Gumbel noise."""
    for name, scores in (("even", rng.integers(0, 3, CANDIDATES)), ("peaked", rng.integers(0, 2000, CANDIDATES))):
        theirs = seconds(partial(_noisy_best, scores, rng))
        for kind in (bn.ExponentialChoice, bn.PermuteAndFlip, bn.StaircaseChoice):
            choice = kind(epsilon=1, sensitivity=1, moves=bn.Moves.ONE_WAY)
            ours = seconds(partial(choice.choose, scores))
            label = f"{kind.__name__}, {name} scores"
            print(f"{label:34} {ours * 1e3:7.1f} ms, {ours / theirs:5.2f} x NumPy's inexact Gumbel")


def main() -> None:
    """Print the ratios."""
    rng = np.random.default_rng()
    vectors(rng)
    choices(rng)


if __name__ == "__main__":
    main()
