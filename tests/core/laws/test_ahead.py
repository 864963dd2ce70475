"""Blocks by least squares: answers are sums of what has come, exactly, though their noise is drawn ahead."""

import math
from fractions import Fraction

import numpy as np
import pytest

from banister.core.laws.ahead import PARTS, AheadFactor, ahead_factors
from banister.errors import BadValue
from tests.core.laws.test_factors import matrices

SOME = [
    AheadFactor(7, 7, (1, 3)),
    AheadFactor(13, 13, (1, 2, 6)),
    AheadFactor(13, 4, (1, 2, 6)),
    AheadFactor(9, 9, (1, 3, 9)),
    AheadFactor(5, 2, (1, 8)),
]


@pytest.mark.parametrize("factor", SOME, ids=str)
def test_what_is_wanted_is_put_together_exactly(factor: AheadFactor) -> None:
    """Nothing may be rounded: a trace of what has not come would be in the answer."""
    _, right = matrices(factor)
    for period in range(factor.periods):
        left = [Fraction(0)] * len(right)
        for place, weight in factor.weights(period):
            left[place] = Fraction(weight)
            assert (left[place] * PARTS).denominator == 1
        answer = [sum(a * b for a, b in zip(left, right[:, at], strict=True)) for at in range(factor.periods)]
        assert answer == [int(0 <= period - at < factor.window) for at in range(factor.periods)]


@pytest.mark.parametrize("factor", SOME, ids=str)
def test_weights_are_those_of_least_squares(factor: AheadFactor) -> None:
    left, right = matrices(factor)
    ends = np.subtract.outer(np.arange(factor.periods), np.arange(factor.periods))
    wanted = ((ends >= 0) & (ends < factor.window)).astype(float)
    # Rounding to 2^-20 moves a weight by at most as much for each block that a period is in.
    assert np.abs(left - wanted @ np.linalg.pinv(right.astype(float))).max() < 4 / PARTS
    assert np.allclose(np.sqrt((left**2).sum(axis=1)), factor.errors, rtol=1e-12)


@pytest.mark.parametrize("factor", SOME, ids=str)
def test_what_is_used_was_drawn_and_what_comes_is_added_once(factor: AheadFactor) -> None:
    """Period by period, as a run does it: the measured sums so far give what has come, and nothing else."""
    came = [10**period for period in range(factor.periods)]
    sums: list[list[int]] = []
    for period in range(factor.periods):
        for place, weight in factor.later(period):
            sums[place][0] += weight * came[period]
        sums += [[sum(w * came[at] for at, w in row if at <= period)] for row in factor.measured(period)]
        assert all(place < len(sums) for place, _ in factor.weights(period))
        first = max(0, period + 1 - factor.window)
        assert factor.answer(period, sums) == [float(sum(came[first : period + 1]))]


def test_an_answer_is_divided_once_and_shows_no_more_of_what_was_measured() -> None:
    """Sums beyond 2^53 that cancel: doubles would leave a trace of each."""
    factor = AheadFactor(13, 13, (1, 2, 6))
    sums = [[(7**31 * (place + 1)) % 2**61] for period in range(13) for place, _ in enumerate(factor.measured(period))]
    for period in range(13):
        exact = sum(Fraction(weight) * sums[place][0] for place, weight in factor.weights(period))
        assert factor.answer(period, sums) == [float(exact)]


def test_a_year_of_days_without_a_delta_errs_less_than_eight_counts() -> None:
    found = ahead_factors(365, 365)
    figures = {factor.sizes: factor.sums(1) * max(factor.errors) for factor in found}
    assert min(figures, key=lambda sizes: figures[sizes]) == (1, 9, 135)
    assert figures[1, 9, 135] == pytest.approx(7.682, abs=1e-3)
    # Whole blocks added and taken away, as in [APST25], give 10.4; blocks without noise ahead 12.
    assert figures[1, 9, 135] < 2 * math.sqrt(27) < 12


def test_sizes_that_do_not_nest_are_refused() -> None:
    with pytest.raises(BadValue, match=r"sizes = \(2, 4\) must begin with 1"):
        AheadFactor(8, 8, (2, 4))
    with pytest.raises(BadValue, match=r"periods"):
        AheadFactor(0, 1, (1, 2))
