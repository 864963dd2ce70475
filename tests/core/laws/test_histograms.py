"""D and the counts behind it, by several roads to one number."""

import math
from fractions import Fraction
from itertools import product
from math import comb

import mpmath
import numpy as np
import pytest

from banister.core.laws.histograms import (
    cell_variance,
    clipped_response_distortion,
    high_privacy_distortion,
    laplace_distortion,
    lattice_weights,
    limit_distortion,
    limit_distortion_bracket,
    low_privacy_distortion,
    per_cell_distortion,
    points_at,
    response_distortion,
)
from banister.errors import BadValue


@pytest.mark.parametrize(("cells", "most"), [(2, 5), (3, 5), (4, 4), (5, 3)])
def test_counts_equal_brute_force(cells: int, most: int) -> None:
    found = [0] * (most + 1)
    for z in product(range(-most, most + 1), repeat=cells):
        if sum(z) == 0 and sum(map(abs, z)) <= 2 * most:
            found[sum(map(abs, z)) // 2] += 1
    assert found == [points_at(cells, d) for d in range(most + 1)]


def test_counts_equal_the_form_of_the_paper() -> None:
    for cells in range(2, 12):
        for d in range(1, 12):
            paper = sum(comb(cells, r) * comb(d + r - 1, r - 1) * comb(d - 1, cells - r - 1) for r in range(1, cells))
            assert points_at(cells, d) == paper


@pytest.mark.parametrize("cells", [2, 3, 7, 40, 300])
@pytest.mark.parametrize("epsilon", ["1/100", "1/2", "1", "4", "12"])
def test_distortion_three_ways_to_twelve_digits(cells: int, epsilon: str) -> None:
    """The recurrence, the logarithmic derivative of Σ C(K-1,j)² θ^j, and the Legendre form with its sign corrected."""
    with mpmath.workdps(80):
        theta = mpmath.exp(-mpmath.mpf(Fraction(epsilon).numerator) / Fraction(epsilon).denominator)
        s = mpmath.fsum(comb(cells - 1, j) ** 2 * theta**j for j in range(cells))
        slope = mpmath.fsum(j * comb(cells - 1, j) ** 2 * theta ** (j - 1) for j in range(1, cells))
        second = 2 * theta * ((cells - 1) / (1 - theta) + slope / s)
        y = (1 + theta) / (1 - theta)
        third = cells * (mpmath.legendre(cells, y) / mpmath.legendre(cells - 1, y) - y)
        assert limit_distortion(cells, epsilon) == pytest.approx(float(second), rel=1e-12)
        assert limit_distortion(cells, epsilon) == pytest.approx(float(third), rel=1e-12)
    bracket = limit_distortion_bracket(cells, epsilon)
    assert bracket.down <= float(second) * (1 + 1e-15)
    assert bracket.up >= float(second) * (1 - 1e-15)
    assert bracket.width <= 1e-14 * bracket.up


def test_distortion_equals_the_mean_of_the_exact_law() -> None:
    weights = lattice_weights(3, Fraction(1, 2), 120)
    assert float(sum(2 * d * w for d, w in enumerate(weights))) == pytest.approx(72 / 13, rel=1e-12)
    assert limit_distortion(3, math.log(2)) == pytest.approx(72 / 13, rel=1e-14)


@pytest.mark.parametrize(
    ("cells", "epsilon", "value"),
    [
        (44064, "1/10", 880892.9029),
        (44064, 1, 84558.305787),
        (44064, 3, 20693.537279),
        (44064, 10, 593.32175841),
        (1_000_000, 1, 1919032.709841),
    ],
)
def test_distortion_of_large_tables(cells: int, epsilon: str | int, value: float) -> None:
    assert limit_distortion(cells, epsilon) == pytest.approx(value, rel=1e-10)


def test_limits_of_distortion() -> None:
    assert limit_distortion(1, 1) == 0
    assert limit_distortion(50, "1/10000") == pytest.approx(high_privacy_distortion(50, "1/10000"), rel=1e-6)
    assert limit_distortion(5, 30) == pytest.approx(low_privacy_distortion(5, 30), rel=1e-6)
    values = [limit_distortion(k, 1) for k in range(1, 30)]
    assert values == sorted(values)
    assert limit_distortion(9, 1) > limit_distortion(9, "1.01")


def test_variance_equals_the_exact_law() -> None:
    theta, most = Fraction(1, 3), 40
    scale = sum(comb(2, j) ** 2 * theta**j for j in range(3)) / (1 - theta) ** 2
    total = Fraction(0)
    for a in range(-most, most + 1):
        for b in range(-most, most + 1):
            total += a * a * theta ** ((abs(a) + abs(b) + abs(a + b)) // 2) / scale
    assert cell_variance(3, math.log(3)) == pytest.approx(float(total), rel=1e-12)
    assert cell_variance(1, 1) == 0


def test_the_alternatives_are_never_better() -> None:
    for cells in (2, 5, 100):
        for epsilon in (0.1, 1, 5):
            best = limit_distortion(cells, epsilon)
            assert best < per_cell_distortion(cells, epsilon) < laplace_distortion(cells, epsilon)
    assert per_cell_distortion(2, 1) / limit_distortion(2, 1) == pytest.approx(2 * math.cosh(0.5))
    assert response_distortion(1, 1, 10) == 0
    assert response_distortion(100, 1, 10_000) > 10 * limit_distortion(100, 1)


def test_bad_parameters_are_named() -> None:
    with pytest.raises(BadValue, match="number of cells = 0 must be a whole number, 1 or above"):
        limit_distortion(0, 1)
    with pytest.raises(BadValue, match="epsilon = -1 must be a finite number above 0"):
        limit_distortion(3, -1)


@pytest.mark.parametrize(("cells", "epsilon", "records"), [(50, 1, 2000), (200, 0.5, 100_000), (20, 4, 1000)])
def test_clipped_response_has_the_error_of_clipped_estimates(cells: int, epsilon: float, records: int) -> None:
    """Against draws of the approximation itself: normal errors, then the nearest histogram."""
    spread = response_distortion(cells, epsilon, records) / cells * math.sqrt(math.pi / 2)
    chance = np.random.Generator(np.random.Philox(7))
    errors = []
    for _ in range(200):
        noisy = np.sort(records / cells + spread * chance.standard_normal(cells))[::-1]
        cuts = (np.cumsum(noisy) - records) / np.arange(1, cells + 1)
        cut = cuts[np.flatnonzero(noisy > cuts)[-1]]
        errors.append(np.abs(np.maximum(noisy - cut, 0) - records / cells).sum())
    # The threshold is chosen for each draw, and not once as in the formula: a few per cent for these few cells.
    assert clipped_response_distortion(cells, epsilon, records) == pytest.approx(np.mean(errors), rel=0.04)


def test_clipped_response_never_loses_more_than_everything() -> None:
    assert clipped_response_distortion(1, 1, 10) == 0
    for records in (10, 1000, 10**6):
        assert clipped_response_distortion(44064, 1, records) <= 2 * records
    many = 10**14
    assert clipped_response_distortion(10, 3, many) == pytest.approx(response_distortion(10, 3, many), rel=1e-6)
