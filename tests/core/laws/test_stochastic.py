import math
from fractions import Fraction

import numpy as np
import pytest

from banister.core.exact.numbers import ball, exp_ball, precision
from banister.core.laws.stochastic import (
    ONE,
    _pour,
    check_rows,
    delta_up,
    exp_down,
    level_ratio,
    level_up,
    matrix_level,
    pulled_within,
    staircase_weights,
    weights_of,
    weights_within,
    within,
)
from banister.errors import BadValue, Uncertified


def row_sums(weights: np.ndarray) -> list[int]:
    return [sum(int(w) for w in row) for row in weights]


def test_rounded_rows_sum_to_one_exactly() -> None:
    rng = np.random.default_rng(0)
    weights = weights_of(rng.dirichlet(np.ones(7), size=5))
    assert row_sums(weights) == [ONE] * 5


def test_zero_entries_stay_zero() -> None:
    assert weights_of(np.array([[0.0, 1.0], [0.5, 0.5]]))[0, 0] == 0


def test_level_of_randomized_response_is_its_log_ratio() -> None:
    weights = np.array([[3, 1], [1, 3]], dtype=np.int64) << 60
    assert level_ratio(weights) == 3
    assert np.log(3) <= level_up(Fraction(3)) <= np.log(3) + 4e-16
    assert within(Fraction(3), Fraction(11, 10))
    assert not within(Fraction(3), Fraction(109, 100))


def test_an_output_that_only_one_row_has_is_unbounded() -> None:
    weights = weights_of(np.array([[1.0, 0.0], [0.5, 0.5]]))
    assert level_ratio(weights) is None
    assert level_up(None) == np.inf
    assert not within(None, Fraction(100))


@pytest.mark.parametrize("epsilon", [Fraction(1, 1000), Fraction(1), Fraction(5), Fraction(30)])
def test_a_rough_proposal_is_repaired_within_its_level(epsilon: Fraction) -> None:
    rng = np.random.default_rng(1)
    k = 6
    theta = np.full(k, 1 / (np.exp(float(epsilon)) + k - 1))
    weights = staircase_weights(theta * (1 + 1e-10 * rng.random(k)), np.eye(k, dtype=bool), epsilon)
    ratio = level_ratio(weights)
    assert row_sums(weights) == [ONE] * k
    assert ratio is not None
    assert ratio <= exp_down(epsilon)
    assert np.log(float(ratio)) == pytest.approx(float(epsilon), rel=1e-5)  # Nothing is given up in the repair.


def test_matrices_stop_where_weights_would_vanish() -> None:
    assert matrix_level(Fraction(30)) == 30
    with pytest.raises(BadValue, match="epsilon = 31 is above 30"):
        matrix_level(Fraction(31))


def test_a_proposal_far_from_stochastic_is_refused() -> None:
    with pytest.raises(Uncertified, match="too far from stochastic"):
        weights_within(np.array([[0.6, 0.6], [0.5, 0.5]]), Fraction(1))


def test_a_proposal_far_above_its_level_is_refused() -> None:
    with pytest.raises(Uncertified, match=r"above 1 after rounding|no room"):
        weights_within(np.array([[0.9, 0.1], [0.1, 0.9]]), Fraction(1, 10))


def test_rounding_above_the_level_is_pulled_within_it() -> None:
    epsilon = Fraction(float(np.log(3)) - 1e-12)
    weights = np.array([[3, 1], [1, 3]], dtype=np.int64) << 60
    assert not within(level_ratio(weights), epsilon)
    assert within(level_ratio(pulled_within(weights, epsilon)), epsilon)


def test_a_level_too_fine_for_the_repair_is_uncertified() -> None:
    weights = np.array([[(ONE >> 1) + (1 << 20), (ONE >> 1) - (1 << 20)]] * 2)
    weights[1] = weights[0, ::-1]
    with pytest.raises(Uncertified, match="could not be brought within epsilon = 1e-14"):
        pulled_within(weights, Fraction(1, 10**14))


def test_rows_above_one_are_uncertified() -> None:
    with pytest.raises(Uncertified, match="above 1 after rounding"):
        _pour(np.array([[ONE, 1]]), np.array([[0, 0]]))


def test_a_matrix_above_its_level_is_refused_with_its_true_level() -> None:
    weights = np.array([[3, 1], [1, 3]], dtype=np.int64) << 60
    with pytest.raises(BadValue, match=r"level 1\.09861229, above the claimed epsilon = 1"):
        pulled_within(weights, Fraction(1))


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[0.5, 0.4], [0.5, 0.5]], r"Row 0 of the matrix sums to 0\.9, not 1"),
        ([[1.5, -0.5], [0.5, 0.5]], r"entry -0\.5"),
        ([[np.nan, 1.0], [0.5, 0.5]], "finite numbers"),
    ],
)
def test_matrices_that_are_not_stochastic_are_refused(matrix: list[list[float]], message: str) -> None:
    with pytest.raises(BadValue, match=message):
        weights_of(np.array(matrix))


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.zeros((0, 2), dtype=np.int64), "one row a category"),
        (np.array([[-1, ONE + 1]]), "negative weight"),
        (np.array([[ONE - 1, 0]]), "sum to 2\\^62 exactly"),
    ],
)
def test_whole_weights_are_checked(weights: np.ndarray, message: str) -> None:
    with pytest.raises(BadValue, match=message):
        check_rows(weights)


def test_delta_of_an_open_answer_is_its_chance() -> None:
    quarter = ONE // 4
    weights = np.array([[quarter, ONE - quarter, 0], [0, ONE - quarter, quarter]])
    assert delta_up(weights, Fraction(1)) == Fraction(1, 4)
    assert delta_up(weights[:1], Fraction(1)) == 0


@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(1, 2), Fraction(1)])
def test_delta_of_a_randomized_answer_is_its_hockey_stick(epsilon: Fraction) -> None:
    """Three to one against one to three: (3 − e^epsilon)/4 is left, rounded up."""
    weights = np.array([[3, 1], [1, 3]]) << 60
    found, truth = delta_up(weights, epsilon), (3 - math.exp(epsilon)) / 4
    assert float(found) == pytest.approx(truth, rel=1e-12)
    with precision(400):
        assert not ball(found) < (3 - exp_ball(epsilon)) / 4
