"""Sums of powers are balls that hold the truth, for every exponent and every decay."""

import random
from fractions import Fraction

import pytest
from flint import arb
from mpmath import mp, mpf

from banister.core.exact.numbers import fraction_of, precision
from banister.core.laws.power_sums import geometric_sum, range_sum, stair_sum
from tests.drills.noise import power_series, rational


def holds(x: arb, truth: mpf) -> bool:
    """Whether the ball, made wider by what the other road may be off, holds the truth; and whether it is narrow."""
    low, high = fraction_of(x.lower()), fraction_of(x.upper())
    slack = abs(truth) * mpf(10) ** -35
    narrow = high - low <= abs(high) / 10**20
    return narrow and rational(low) - slack <= truth <= rational(high) + slack


@pytest.mark.parametrize("seed", range(60))
def test_geometric_sums_hold_an_independent_value(seed: int) -> None:
    chance = random.Random(seed)
    decay = Fraction(repr(float(f"{10 ** chance.uniform(-18, 2.6):.5g}")))
    exponent = Fraction(chance.randint(1, 40), chance.choice((1, 2, 3, 7)))
    start = Fraction(chance.randint(0, 30), chance.choice((1, 4, 9)))
    with mp.workdps(60), precision(160):
        truth = power_series(rational(decay), rational(exponent), rational(start))
        assert holds(geometric_sum(decay, exponent, start), truth)


@pytest.mark.parametrize("exponent", [Fraction(0), Fraction(1), Fraction(3), Fraction(1, 2), Fraction(5, 2)])
@pytest.mark.parametrize(("low", "high"), [(0, 0), (0, 7), (3, 900), (500, 2000)])
def test_sums_over_a_range_are_those_of_its_terms(exponent: Fraction, low: int, high: int) -> None:
    with mp.workdps(50), precision(160):
        truth = sum((mpf(i) ** rational(exponent) for i in range(low + 1, high + 1)), mpf(0))
        found = range_sum(exponent, low, high)
        assert holds(found, truth) or (truth == 0 and found == 0)


@pytest.mark.parametrize("exponent", [Fraction(0), Fraction(2), Fraction(3, 2)])
@pytest.mark.parametrize(("decay", "period", "step"), [("1", 7, 3), ("0.1", 1, 1), ("0.05", 2, 1), ("34", 8, 1)])
@pytest.mark.parametrize("above", [0, 5, 700])
def test_sums_over_a_staircase_are_those_of_its_terms(
    exponent: Fraction, decay: str, period: int, step: int, above: int
) -> None:
    with mp.workdps(50), precision(256):
        rate, truth, i = mpf(decay), mpf(0), above + 1
        while True:
            k, j = divmod(i, period)
            term = mpf(i) ** rational(exponent) * mp.exp(-rate * (k + (j >= step)))
            truth += term
            if i > above + 2 * period and term < truth * mpf(10) ** -42 * rate:
                break
            i += 1
        assert holds(stair_sum(Fraction(decay), exponent, period=period, step=step, above=above), truth)
