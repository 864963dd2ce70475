"""Exponents against their definitions, and the delta of any channel."""

import math

import numpy as np
import pytest

from banister.local import RandomizedResponse, design, power, quaternary
from banister.local.exponents import channel_delta, chernoff_exponent, stein_exponent

P0, P1 = np.array([0.6, 0.3, 0.1]), np.array([0.2, 0.2, 0.6])


def test_the_chernoff_exponent_is_the_least_over_all_orders() -> None:
    channel = RandomizedResponse(2, 3)
    m0, m1 = P0 @ channel.matrix, P1 @ channel.matrix
    grid = [-math.log(float((m0**s * m1 ** (1 - s)).sum())) for s in np.linspace(0, 1, 2001)]
    best, order = chernoff_exponent(channel, P0, P1)
    assert best == pytest.approx(max(grid), rel=1e-6)
    assert 0 < order < 1
    swapped, other = chernoff_exponent(channel, P1, P0)
    assert swapped == pytest.approx(best, rel=1e-12)
    assert other == pytest.approx(1 - order, abs=1e-9)


def test_the_exponent_of_the_best_channel_is_larger() -> None:
    plain = chernoff_exponent(RandomizedResponse(1, 3), P0, P1)
    best = chernoff_exponent(design(epsilon=1, utility=power(plain[1]), between=(P0, P1)), P0, P1)
    assert best[0] > plain[0]
    kept = design(epsilon=1, utility="kl", between=(P0, P1))
    assert stein_exponent(kept, P0, P1) == pytest.approx(kept.utility, rel=1e-9)
    assert stein_exponent(kept, P0, P1) > stein_exponent(RandomizedResponse(1, 3), P0, P1)


@pytest.mark.parametrize("epsilon", [0, 0.5, 1, 2])
def test_the_delta_of_a_channel_is_that_of_its_worst_pair(epsilon: float) -> None:
    matrix = np.array([[0.5, 0.3, 0.2], [0.2, 0.3, 0.5], [0.1, 0.1, 0.8]])
    pairs = [np.maximum(a - math.exp(epsilon) * b, 0).sum() for a in matrix for b in matrix]
    assert channel_delta(matrix, epsilon=epsilon) == pytest.approx(max(pairs), abs=1e-12)
    assert channel_delta(quaternary(1, "0.1").matrix, epsilon=1) == pytest.approx(0.1, abs=1e-9)
