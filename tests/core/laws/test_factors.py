"""Factors of running totals: they give what is wanted, move no further than they say, and err as known."""

import math
from itertools import combinations, product

import numpy as np
import pytest

from banister.core.laws.ahead import candidates
from banister.core.laws.factors import MOST_PERIODS, Factor, RootFactor, TreeFactor, _products, causal_factors
from banister.errors import BadValue

SMALL = [(6, 6), (6, 2), (7, 3), (5, 1), (1, 1)]


def matrices(factor: Factor) -> tuple[np.ndarray, np.ndarray]:
    rows = [row for period in range(factor.periods) for row in factor.measured(period)]
    right = np.zeros((len(rows), factor.periods), dtype=object)
    for place, row in enumerate(rows):
        for period, weight in row:
            right[place, period] = weight
    left = np.zeros((factor.periods, len(rows)))
    for period in range(factor.periods):
        for place, share in factor.weights(period):
            left[period, place] = share
    return left, right


@pytest.mark.parametrize(("periods", "window"), SMALL)
def test_what_is_put_together_is_the_sum_of_the_last_periods(periods: int, window: int) -> None:
    for factor in candidates(periods, window):
        left, right = matrices(factor)
        wanted = [[float(0 <= i - j < window) for j in range(periods)] for i in range(periods)]
        # Doubles: the inverse of a root has entries below 1, and there are few of them.
        assert np.abs(left @ right.astype(float) - wanted).max() < 1e-12
        assert np.allclose(np.sqrt((left**2).sum(axis=1)), factor.errors, rtol=1e-12)


@pytest.mark.parametrize(("periods", "window"), SMALL)
def test_nothing_that_is_measured_or_used_lies_in_the_future(periods: int, window: int) -> None:
    for factor in causal_factors(periods, window):
        assert not factor.ahead
        assert not any(factor.later(period) for period in range(periods))
        so_far = 0
        for period in range(periods):
            rows = factor.measured(period)
            so_far += len(rows)
            assert all(at <= period for row in rows for at, _ in row)
            assert all(place < so_far for place, _ in factor.weights(period))


@pytest.mark.parametrize("many", [1, 2, 3])
@pytest.mark.parametrize(("periods", "window"), SMALL)
def test_no_choice_of_periods_moves_further(periods: int, window: int, many: int) -> None:
    many = min(many, periods)
    for factor in candidates(periods, window):
        _, right = matrices(factor)
        moved = [
            right[:, list(chosen)] @ np.array(signs, dtype=object)
            for chosen in combinations(range(periods), many)
            for signs in product((1, -1), repeat=many)
        ]
        squares, sums = max((v**2).sum() for v in moved), max(np.abs(v).sum() for v in moved)
        assert squares <= factor.squares(many)
        assert sums <= factor.sums(many)
        if factor.positive or many == 1:
            assert squares == factor.squares(many)
        products = right.T @ right
        assert not factor.positive or (products >= 0).all()


def test_products_of_columns_with_mixed_signs_are_counted_by_their_sizes() -> None:
    root = RootFactor(6, 2)
    _, right = matrices(root)
    products = right.T @ right
    assert (products < 0).any()
    assert (_products(root.column) == np.abs(products)).all()


def test_a_year_of_days_costs_less_than_three_counts() -> None:
    root = RootFactor(365, 365)
    figure = math.sqrt(root.squares(1)) * max(root.errors)
    assert 2.94 < figure < 2.95
    # No factorisation gets below the mean of the singular values (docs/math/streams.md).
    bound = sum(1 / (2 * math.sin((2 * j - 1) * math.pi / (4 * 365 + 2))) for j in range(1, 366)) / 365
    assert 2.57 < bound < 2.59 < figure
    # Four adjacent periods, and fifty-two.
    assert math.sqrt(root.squares(4) / root.squares(1)) == pytest.approx(3.6, abs=0.02)
    assert math.sqrt(root.squares(52) / root.squares(1)) == pytest.approx(37, abs=0.5)


def test_without_a_delta_blocks_are_best_where_nothing_is_drawn_ahead() -> None:
    def figure(factor: Factor) -> float:
        return factor.sums(1) * max(factor.errors)

    found = {factor.name: figure(factor) for factor in causal_factors(365, 365)}
    assert min(found, key=lambda name: found[name]) == "blocks of 1 and 16"
    assert found["blocks of 1 and 16"] == 12
    assert found["noise each period"] == pytest.approx(math.sqrt(365))
    assert found["tree by 2, 9 levels"] == pytest.approx(9 * math.sqrt(8))
    assert found["square root"] == pytest.approx(37, abs=0.1)
    # Every size of block, not only those that are tried: none is better.
    assert min(2 * math.sqrt(max(t // m + t % m for t in range(1, 366))) for m in range(2, 365)) == 12


def test_what_is_rounded_away_costs_nothing_that_shows() -> None:
    exact = np.cumprod([1, *((2 * k - 1) / (2 * k) for k in range(1, 3650))])
    root = RootFactor(3650, 3650)
    assert math.sqrt(root.squares(1)) * max(root.errors) == pytest.approx(float((exact**2).sum()), rel=1e-4)


def test_a_root_never_overflows() -> None:
    root = RootFactor(MOST_PERIODS, MOST_PERIODS)
    column = [int(x) for x in root.column]
    assert root.squares(1) == sum(x * x for x in column)
    assert root.squares(MOST_PERIODS) == sum(sum(column[: t + 1]) ** 2 for t in range(MOST_PERIODS))


def test_bad_factors_are_refused() -> None:
    with pytest.raises(BadValue, match=r"periods = 5000 must be at most 4096"):
        RootFactor(5000, 5000)
    with pytest.raises(BadValue, match=r"periods"):
        causal_factors(0, 1)
    with pytest.raises(BadValue, match=r"sizes = \(1, 4, 6\) must begin with 1, and each must be a multiple"):
        TreeFactor(12, 12, (1, 4, 6))
