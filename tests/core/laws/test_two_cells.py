"""The folded mechanism of two cells, against its definition and against the optimum."""

import math

import numpy as np
import pytest

from banister.core.laws.histograms import (
    ehrhart_series,
    large_table_distortion,
    limit_distortion,
    points_at,
    points_within_distance,
)
from banister.core.laws.small_tables import binomial_prior, two_cell_optimum
from banister.core.laws.two_cells import folded_distortion, folded_ends


@pytest.mark.parametrize("records", [1, 2, 5, 16, 20])
@pytest.mark.parametrize("theta", [0.2, 0.5, 0.8])
@pytest.mark.parametrize("chance", [0.5, 0.1])
def test_folding_is_what_its_definition_says(records: int, theta: float, chance: float) -> None:
    logs, epsilon = binomial_prior(records, chance), -math.log(theta)
    prior, low, high = np.exp(logs), *_ends(np.exp(logs), theta)
    assert folded_ends(logs, epsilon) == (low + 1, high - 1)
    total = 0.0
    for i, weight in enumerate(prior):
        for y in range(-300, records + 301):
            law = (1 - theta) / (1 + theta) * theta ** abs(y - i)
            total += weight * law * 2 * abs(min(max(y, low), high) - i)
    assert folded_distortion(logs, epsilon) == pytest.approx(total, rel=1e-10)
    assert folded_distortion(logs, epsilon) >= two_cell_optimum(logs, epsilon).distortion * (1 - 1e-12)


def test_the_ends_are_a_part_of_n_away() -> None:
    """n p/(p + (1 - p) cosh epsilon): 568.9 and 711.1 at n = 1280, p = θ = 1/2."""
    for records in (1280, 5120):
        first, last = folded_ends(binomial_prior(records, 0.5), math.log(2))
        assert first == pytest.approx(records / (1 + math.cosh(math.log(2))), abs=1)
        assert last == pytest.approx(records - first, abs=1)


def _ends(prior: np.ndarray, theta: float) -> tuple[int, int]:
    n = prior.size - 1
    f = [sum(2 * prior[j] * theta ** (i - j) for j in range(i + 1)) for i in range(n + 1)]
    b = [sum(2 * prior[j] * theta ** (j - i) for j in range(i, n + 1)) for i in range(n + 1)]
    first = min(i for i in range(1, n + 2) if all(f[k - 1] >= theta * b[k] for k in range(i, n + 1)))
    last = max(i for i in range(-1, n) if all(b[k + 1] >= theta * f[k] for k in range(i + 1)))
    return first - 1, last + 1


def test_points_within_are_points_at_added_up() -> None:
    for cells in range(1, 8):
        for far in range(8):
            assert points_within_distance(cells, far) == sum(points_at(cells, d) for d in range(far + 1))


@pytest.mark.parametrize("cells", [1, 2, 3, 6])
@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_the_series_is_the_sum_of_its_terms(cells: int, epsilon: float) -> None:
    terms = [points_within_distance(cells, d) * math.exp(-epsilon * d) for d in range(400)]
    assert ehrhart_series(cells, epsilon) == pytest.approx(math.fsum(terms), rel=1e-10)


def test_many_cells_are_near_their_asymptotic_error() -> None:
    off = [abs(large_table_distortion(cells, 1) / limit_distortion(cells, 1) - 1) for cells in (2, 10, 100, 1000)]
    assert off == pytest.approx([5.6e-2, 4.6e-4, 3.5e-6, 3.4e-8], rel=0.05)
