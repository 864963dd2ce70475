"""Local privacy: design times, a million people, and coverage of intervals, against the straightforward way."""

import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from statistics import median
from typing import TypeVar

import numpy as np

from banister.core.laws.utility import KL
from banister.core.programs.highs import HighsSolver
from banister.local.channels.base import Channel
from banister.local.channels.hadamard import HadamardResponse
from banister.local.channels.response import RandomizedResponse
from banister.local.channels.subset import SubsetSelection
from banister.local.designs.columns import best_staircase, subset_sums
from banister.local.designs.information import design_information
from banister.local.designs.partition import design_between

Result = TypeVar("Result")
ONE, SOLVER, REPEATS = Fraction(1), HighsSolver(), 5


def main() -> None:
    rng = np.random.default_rng(0)
    designs(rng)
    million(rng)
    coverage(rng)


def designs(rng: np.random.Generator) -> None:
    print("Optimal channels at epsilon 1 (median of 5, laws drawn uniformly), with their certified gap")
    for k in (6, 200, 1000, 5000):
        p0, p1 = rng.dirichlet(np.ones(k)), rng.dirichlet(np.ones(k))
        seconds, channel = timed(partial(design_between, ONE, p0, p1, KL))
        print(f"  KL,          k = {k:5}: {1000 * seconds:8.1f} ms, gap {channel.upper_bound - channel.utility:.1e}")
    for k in (6, 20, 1000):
        prior = rng.dirichlet(np.ones(k))
        seconds, told = timed(partial(design_information, ONE, prior, SOLVER))
        print(f"  information, k = {k:5}: {1000 * seconds:8.1f} ms, gap {told.upper_bound - told.utility:.1e}")
    for k in (6, 12):
        p0, p1 = rng.dirichlet(np.ones(k)), rng.dirichlet(np.ones(k))
        ours, _ = timed(partial(design_between, ONE, p0, p1, KL))
        gains = KL.gain(1 + np.expm1(1) * subset_sums(p1), np.expm1(1) * subset_sums(p0 - p1))
        theirs, _ = timed(partial(best_staircase, 1.0, gains[None, :], SOLVER, 1e-14))
        print(f"  KL,          k = {k:5}: the program over sets takes {theirs / ours:.1f} times as long")


def million(rng: np.random.Generator) -> None:
    k, n = 1000, 1_000_000
    prior = rng.dirichlet(np.ones(k))
    answers = rng.choice(k, size=n, p=prior)
    truth = np.bincount(answers, minlength=k) / n
    print("A million people, 1000 categories, epsilon 1: respond + aggregate + estimate (median of 5)")
    for channel in (
        SubsetSelection.least_variance(1, k),
        HadamardResponse.least_variance(1, k),
        RandomizedResponse(1, k),
    ):
        errors: list[float] = []

        def run(channel: Channel = channel, errors: list[float] = errors) -> None:
            found = channel.estimate(channel.respond(answers))
            errors.append(n * float(((found.frequencies - truth) ** 2).mean()))

        seconds, _ = timed(run)
        mean = f"{np.mean(errors):8.3f} over {len(errors)} runs"
        print(f"  {channel.kind:20}: {seconds:6.3f} s, mean squared error x n = {mean}")
    seconds, _ = timed(lambda: user_by_user(rng, answers[:2000], k))
    ours, _ = timed(lambda: SubsetSelection.least_variance(1, k).respond(answers))
    print(f"  one user at a time in Python: {seconds * 500:.0f} s to respond, {seconds * 500 / ours:.0f} times as long")


def user_by_user(rng: np.random.Generator, answers: np.ndarray, k: int) -> None:
    """Subset selection as it is usually written; inexact, and here only for its time."""
    d = SubsetSelection.least_variance(1, k).size
    keep = d * np.e / (d * np.e + k - d)
    for x in answers:
        others = np.delete(np.arange(k), x)
        if rng.random() < keep:
            np.append(rng.choice(others, d - 1, replace=False), x)
        else:
            rng.choice(others, d, replace=False)


def coverage(rng: np.random.Generator) -> None:
    k, n, repetitions = 20, 5000, 1000
    prior = rng.dirichlet(np.ones(k))
    print("95 % intervals over 1000 repetitions (20 categories, 5000 people, epsilon 1)")
    for channel in (
        SubsetSelection.least_variance(1, k),
        HadamardResponse.least_variance(1, k),
        RandomizedResponse(1, k),
    ):
        held = [
            channel.estimate(channel.respond(rng.choice(k, size=n, p=prior))).intervals().hold(prior).mean()
            for _ in range(repetitions)
        ]
        print(f"  {channel.kind:20}: {100 * np.mean(held):.2f} % hold")


def timed(job: Callable[[], Result]) -> tuple[float, Result]:
    seconds = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        result = job()
        seconds.append(time.perf_counter() - start)
    return median(seconds), result


if __name__ == "__main__":
    main()
