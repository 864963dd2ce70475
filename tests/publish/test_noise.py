"""Noise on histograms: what it gives away, exactly, and how far it goes."""

import math
from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest

from banister.core.exact.numbers import Bracket
from banister.core.laws.histograms import cell_variance
from banister.core.privacy.guarantee import Neighbours
from banister.errors import BadValue
from banister.publish.noise import FixedTotal, PerCell, check_pair, noise_for
from banister.sampling.bits import SYSTEM


@pytest.mark.parametrize("cells", [3, 4])
def test_loss_has_the_masses_of_the_exact_law(cells: int) -> None:
    """P(loss = +epsilon) by enumerating z with θ = 1/5 in rationals, against the Legendre form."""
    epsilon = Fraction(math.log(5))
    theta, most = math.exp(-float(epsilon)), 12 if cells == 4 else 25
    scale = sum(comb(cells - 1, j) ** 2 * theta**j for j in range(cells)) / (1 - theta) ** (cells - 1)
    masses = {-1: 0.0, 0: 0.0, 1: 0.0}
    for head in product(range(-most, most + 1), repeat=cells - 1):
        z = [*head, -sum(head)]
        moved = [z[0] - 1, z[1] + 1, *z[2:]]
        step = (sum(map(abs, moved)) - sum(map(abs, z))) // 2
        masses[step] += theta ** (sum(map(abs, z)) / 2) / scale
    atoms = FixedTotal(cells=cells, epsilon=epsilon).loss().law.atoms()
    assert atoms is not None
    for sign in (-1, 0, 1):
        assert float(Bracket.of_ball(atoms[sign * epsilon]).up) == pytest.approx(masses[sign], abs=1e-6)


def test_loss_of_two_cells_is_randomized_response_and_of_one_is_nothing() -> None:
    two = FixedTotal(cells=2, epsilon=Fraction(1)).loss()
    assert two.delta_at(0).up == pytest.approx(math.tanh(0.5))
    assert FixedTotal(cells=1, epsilon=Fraction(1)).loss().delta_at(0).up == 0


def test_more_cells_give_away_less_at_the_same_epsilon() -> None:
    found = [FixedTotal(cells=k, epsilon=Fraction(1)).loss().delta_at("1/2").up for k in (2, 3, 10, 4096, 10**6)]
    assert found == sorted(found, reverse=True)
    for k in (2, 3, 10, 10**6):
        assert FixedTotal(cells=k, epsilon=Fraction(1)).loss().delta_at(1).up == 0


@pytest.mark.parametrize("neighbours", list(Neighbours))
def test_per_cell_loss_is_epsilon(neighbours: Neighbours) -> None:
    loss = PerCell(cells=9, epsilon=Fraction(1), neighbours=neighbours).loss()
    assert loss.delta_at(1).up == 0
    assert loss.delta_at("0.99").down > 0


def test_the_fixed_total_keeps_it_and_the_other_does_not_have_to() -> None:
    counts = np.arange(100)
    assert FixedTotal(cells=100, epsilon=Fraction(1)).release(counts, SYSTEM).sum() == counts.sum()
    other = PerCell(cells=100, epsilon=Fraction(1, 10), neighbours=Neighbours.ADD_REMOVE)
    assert len({int(other.release(counts, SYSTEM).sum()) for _ in range(8)}) > 1


def test_the_wrong_pair_is_refused() -> None:
    with pytest.raises(BadValue, match="publishes the number of records, so it protects nobody"):
        check_pair(FixedTotal(cells=3, epsilon=Fraction(1)), Neighbours.ADD_REMOVE)
    check_pair(noise_for(3, Fraction(1), Neighbours.ADD_REMOVE), Neighbours.ADD_REMOVE)
    check_pair(noise_for(3, Fraction(1), Neighbours.REPLACE), Neighbours.REPLACE)


def test_deviations_of_counts_and_means() -> None:
    noise = FixedTotal(cells=10, epsilon=Fraction(1))
    assert noise.deviation(10) == 0
    assert noise.deviation(1) == pytest.approx(math.sqrt(cell_variance(10, 1)))
    values = np.zeros(10)
    values[:4] = 1
    # The mean of an indicator is a count over four cells, divided by n.
    assert noise.mean_deviation(values, 100) == pytest.approx(noise.deviation(4) / 100)
    cell = PerCell(cells=10, epsilon=Fraction(1), neighbours=Neighbours.ADD_REMOVE)
    assert cell.deviation(1) == pytest.approx(math.sqrt(2 * math.exp(-1)) / (1 - math.exp(-1)))
    assert cell.distortion() == pytest.approx(10 / math.sinh(1))


@pytest.mark.slow
def test_deviation_of_half_the_cells_is_measured() -> None:
    noise = FixedTotal(cells=40, epsilon=Fraction(1, 2))
    draws = np.array([noise.release(np.zeros(40, dtype=np.int64), SYSTEM)[:20].sum() for _ in range(4000)])
    assert draws.std() == pytest.approx(noise.deviation(20), rel=6 / math.sqrt(2 * 4000))
