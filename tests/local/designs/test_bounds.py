from fractions import Fraction

import numpy as np
import pytest

from banister.core.laws.utility import KL, mutual_information
from banister.core.programs.highs import HighsSolver
from banister.errors import BadValue
from banister.local.designs import bounds
from banister.local.designs.bounds import (
    binary_for_information,
    binary_for_testing,
    contraction,
    halved,
    information_up,
    kl_up,
    one_bit_information_factor,
    one_bit_testing_factor,
    one_bit_threshold,
)
from banister.local.designs.information import design_information
from banister.local.designs.partition import design_between


@pytest.mark.parametrize("epsilon", [0.1, 1, 3])
def test_converses_are_above_the_optimum_and_factors_below(epsilon: float) -> None:
    rng = np.random.default_rng(0)
    for _ in range(8):
        p0, p1 = rng.dirichlet(np.ones(5)), rng.dirichlet(np.ones(5))
        best = design_between(Fraction(epsilon), p0, p1, KL)
        bit = binary_for_testing(Fraction(epsilon), p0, p1)
        kept = float(KL.between(bit.output_law(p0), bit.output_law(p1)))
        assert one_bit_testing_factor(epsilon) * best.utility <= kept <= best.upper_bound <= kl_up(epsilon, p0, p1)
        told = design_information(Fraction(epsilon), p0, HighsSolver())
        assert told.utility <= information_up(epsilon, p0)
        if epsilon <= 1:
            half = mutual_information(p0, binary_for_information(Fraction(epsilon), p0).matrix)
            assert one_bit_information_factor(epsilon) * told.utility <= half <= told.upper_bound


def test_effective_samples_of_the_notes() -> None:
    assert [round(100 * contraction(e), 2) for e in (0.1, 0.5, 1, 2, 4)] == [0.25, 6.0, 21.36, 58.0, 92.93]


def test_threshold_is_zero_with_a_tie_and_infinite_for_two_categories() -> None:
    assert one_bit_threshold(np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.3, 0.5])) == 0
    assert one_bit_threshold(np.array([0.7, 0.3]), np.array([0.4, 0.6])) == np.inf
    assert one_bit_threshold(np.array([0.5, 0.5, 0.0]), np.array([0.0, 0.4, 0.6])) > 0


@pytest.mark.parametrize(("k", "miss"), [(5, 0.2), (15, 1e-3), (30, 1e-7), (200, 1e-6)])
def test_halves_are_near_one_half(k: int, miss: float) -> None:
    prior = np.random.default_rng(k).dirichlet(np.ones(k))
    assert abs(prior @ halved(prior) - 0.5) < miss


def test_meeting_in_the_middle_finds_the_best_half(monkeypatch: pytest.MonkeyPatch) -> None:
    prior = np.random.default_rng(1).dirichlet(np.ones(13))
    best = abs(prior @ halved(prior) - 0.5)
    monkeypatch.setattr(bounds, "_EXHAUSTIVE", 1)
    assert abs(prior @ halved(prior) - 0.5) == pytest.approx(best, abs=1e-15)


def test_bad_input_is_refused() -> None:
    with pytest.raises(BadValue, match="the same law"):
        binary_for_testing(Fraction(1), np.array([0.5, 0.5]), np.array([0.5, 0.5]))
    with pytest.raises(BadValue, match="epsilon = 2 must be from 0 to 1"):
        one_bit_information_factor(2)
