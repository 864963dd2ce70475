"""What is best for few records: the O(n) answer for two cells, and linear programs."""

import math

import numpy as np
import pytest

from banister.core.laws.histograms import limit_distortion
from banister.core.laws.small_tables import binomial_prior, two_cell_optimum
from banister.core.laws.table_programs import program_optimum
from banister.core.programs.highs import HighsSolver


@pytest.mark.parametrize("records", [1, 2, 5, 9])
@pytest.mark.parametrize("theta", [0.2, 0.5, 0.8])
@pytest.mark.parametrize("chance", [0.5, 0.1])
def test_two_cells_equal_the_linear_program(records: int, theta: float, chance: float) -> None:
    epsilon = -math.log(theta)
    program = program_optimum(records, [chance, 1 - chance], epsilon, solver=HighsSolver())
    # The histogram's first cell is the count, so both speak of the same prior. 1e-7 is the solver's tolerance.
    assert two_cell_optimum(binomial_prior(records, chance), epsilon).distortion == pytest.approx(
        program.distortion, abs=1e-7
    )


def test_two_cells_equal_enumeration_for_an_odd_prior() -> None:
    weights = np.array([0.3, 0.0001, 0.2, 0.0002, 0.4, 0.0997])
    theta, n = 0.6, 5
    with np.errstate(divide="ignore"):
        found = two_cell_optimum(np.log(weights), -math.log(theta))
    total = 0.0
    for y in range(-200, n + 201):
        law = np.array([(1 - theta) / (1 + theta) * theta ** abs(y - i) for i in range(n + 1)]) * weights
        total += min(2 * sum(law[i] * abs(k - i) for i in range(n + 1)) for k in range(n + 1))
    assert found.distortion == pytest.approx(total, rel=1e-12)
    assert list(found.remap) == sorted(found.remap)


def test_the_folded_mechanism_of_the_paper_is_worse() -> None:
    """n = 16, p = θ = 1/2: 2.0470 against 2.3095 for clamping to [A-1, B+1]."""
    best = two_cell_optimum(binomial_prior(16, 0.5), math.log(2)).distortion
    assert best == pytest.approx(2.0470, abs=1e-4)
    prior = np.exp(binomial_prior(16, 0.5))
    low, high = _fold(prior, 0.5)
    folded = 0.0
    for i, weight in enumerate(prior):
        for y in range(-300, 317):
            folded += weight * (1 / 3) * 0.5 ** abs(y - i) * 2 * abs(min(max(y, low), high) - i)
    assert folded == pytest.approx(2.3095, abs=1e-4)


def _fold(prior: np.ndarray, theta: float) -> tuple[int, int]:
    n = prior.size - 1
    f = [sum(2 * prior[j] * theta ** (i - j) for j in range(i + 1)) for i in range(n + 1)]
    b = [sum(2 * prior[j] * theta ** (j - i) for j in range(i, n + 1)) for i in range(n + 1)]
    a_n = min(i for i in range(1, n + 2) if all(f[k - 1] >= theta * b[k] for k in range(i, n + 1)))
    b_n = max(i for i in range(-1, n) if all(b[k + 1] >= theta * f[k] for k in range(i + 1)))
    return a_n - 1, b_n + 1


def test_the_optimum_rises_to_the_limit() -> None:
    limit = limit_distortion(2, -math.log(0.2))
    gaps = [1 - two_cell_optimum(binomial_prior(n, 0.5), -math.log(0.2)).distortion / limit for n in (10, 40, 80)]
    assert gaps[0] == pytest.approx(4.1e-2, rel=0.05)
    assert gaps[1] == pytest.approx(3.6e-4, rel=0.05)
    assert gaps[2] == pytest.approx(2.4e-6, rel=0.05)


def test_a_hundred_thousand_records_do_not_underflow() -> None:
    found = two_cell_optimum(binomial_prior(100_000, 0.5), 1)
    assert found.distortion == pytest.approx(limit_distortion(2, 1), rel=1e-6)
    assert 0 < found.remap[0] < found.remap[50_000] == 50_000
