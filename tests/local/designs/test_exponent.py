"""The design for the Chernoff exponent: no partition, and no order of power, has a larger one."""

import numpy as np

from banister.local import chernoff_exponent, design, design_chernoff, power, stein_exponent

P0, P1 = [0.6, 0.3, 0.1], [0.2, 0.2, 0.6]


def test_no_design_of_another_aim_has_a_larger_exponent() -> None:
    for epsilon in ("0.5", "2", "4"):
        best = chernoff_exponent(design_chernoff(epsilon, P0, P1), P0, P1)[0]
        for aim in ("kl", "reverse-kl", "hellinger", "total-variation", power(0.2), power(0.77)):
            other = design(epsilon=epsilon, utility=aim, between=(P0, P1))
            assert chernoff_exponent(other, P0, P1)[0] <= best + 1e-9


def test_steins_exponent_is_largest_for_the_kl_design() -> None:
    best = stein_exponent(design(epsilon=2, utility="kl", between=(P0, P1)), P0, P1)
    assert best >= stein_exponent(design_chernoff(2, P0, P1), P0, P1) - 1e-12


def test_random_channels_of_the_level_are_not_better() -> None:
    rng, best = np.random.default_rng(4), chernoff_exponent(design_chernoff(1, P0, P1), P0, P1)[0]
    for _ in range(300):
        columns = np.where(rng.random((3, 4)) < 0.5, np.e, 1.0)
        weights = np.linalg.lstsq(columns, np.ones(3), rcond=None)[0]
        if weights.min() < 0 or not np.allclose(columns @ weights, 1):
            continue
        m0, m1 = np.array(P0) @ (columns * weights), np.array(P1) @ (columns * weights)
        orders = np.linspace(0.01, 0.99, 99)
        found = max(-np.log((m0**s * m1 ** (1 - s))[(m0 > 0)].sum()) for s in orders)
        assert found <= best + 1e-9
