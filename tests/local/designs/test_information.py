from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from banister.core.laws.utility import entropy, favoured_information, mutual_information
from banister.core.programs.highs import HighsSolver
from banister.errors import BadValue, Unsolved
from banister.local.channels.response import RandomizedResponse
from banister.local.designs import columns
from banister.local.designs.columns import best_staircase, subset_sums
from banister.local.designs.information import best_mass, design_information, divisible_bound, information_cap, rate
from tests.local.brute import ascend, optimum

SOLVER = HighsSolver()
ONE = Fraction(1)


def brute(prior: np.ndarray, epsilon: float) -> float:
    return optimum(prior.size, epsilon, lambda q: favoured_information(epsilon, (prior @ q - 1) / np.expm1(epsilon)))


@pytest.mark.parametrize("k", [2, 3, 5, 8, 11])
@pytest.mark.parametrize("epsilon", [0.05, 1, 3])
def test_the_design_is_the_optimum_over_all_staircases(k: int, epsilon: float) -> None:
    prior = np.random.default_rng(k).dirichlet(np.ones(k))
    channel = design_information(Fraction(epsilon), prior, SOLVER)
    assert channel.utility == pytest.approx(brute(prior, epsilon), rel=1e-8)
    assert channel.utility <= channel.upper_bound <= channel.utility * (1 + 1e-8)
    assert mutual_information(prior, channel.matrix) == pytest.approx(channel.utility, rel=1e-8)
    assert channel.level <= epsilon


def test_ascent_over_channels_of_any_shape_reaches_the_optimum_and_no_more() -> None:
    prior = np.array([0.5, 0.3, 0.2])
    best = design_information(ONE, prior, SOLVER)

    def slope(q: np.ndarray) -> np.ndarray:
        return np.asarray(prior[:, None] * np.log(q / (prior @ q)))

    climbs = [ascend(3, 4, 1.0, partial(mutual_information, prior), slope, seed) for seed in range(16)]
    assert max(climbs) == pytest.approx(best.utility, rel=1e-8)
    assert max(climbs) <= best.upper_bound + 1e-12


@pytest.mark.parametrize(
    ("epsilon", "cap"), [(0.5, 0.0311420923), (1, 0.1233015615), (2, 0.4744746471), (3, 1.0075056199)]
)
def test_the_cap_is_the_largest_rate(epsilon: float, cap: float) -> None:
    assert information_cap(epsilon) == pytest.approx(cap, abs=1e-10)
    assert float(rate(epsilon, np.linspace(0, 1, 10**5)).max()) == pytest.approx(cap, rel=1e-8)
    assert float(rate(epsilon, np.array([best_mass(epsilon)]))[0]) == pytest.approx(information_cap(epsilon), rel=1e-12)


def test_the_cap_is_smooth_at_small_epsilon() -> None:
    assert information_cap(0) == 0
    assert information_cap(1e-4) == pytest.approx(1e-8 / 8, rel=1e-3)
    assert best_mass(1e-4) == pytest.approx(0.5, abs=1e-4)


@pytest.mark.parametrize(("epsilon", "share"), [(0.01, 0.9978), (0.1, 0.978), (1, 0.803)])
def test_one_bit_is_not_optimal_for_three_equal_categories_as_the_erratum_says(epsilon: float, share: float) -> None:
    """[K16] Thm 3.5.1 is false without uniqueness of the half: the uniform prior on an odd number of categories."""
    bit = favoured_information(epsilon, np.array([1 / 3, 2 / 3])).sum() / (1 + np.exp(epsilon))
    best = design_information(Fraction(epsilon), np.full(3, 1 / 3), SOLVER)
    assert float(bit) / best.utility == pytest.approx(share, abs=6e-4)


@pytest.mark.parametrize(("epsilon", "size"), [(0.5, 4), (1, 3), (2, 2), (3, 1)])
def test_a_uniform_prior_has_its_closed_form(epsilon: float, size: int) -> None:
    prior = np.full(10, 0.1)
    channel = design_information(Fraction(epsilon), prior, SOLVER)
    assert set((channel.matrix > channel.matrix.mean()).sum(axis=0)) == {size}
    assert channel.utility == pytest.approx(brute(prior, epsilon), rel=1e-9)
    assert np.linalg.matrix_rank(channel.matrix) == 10


@pytest.mark.parametrize(("epsilon", "least", "most"), [(1, 0.122536, 0.122539), (3, 0.8625, 0.863034)])
def test_a_skewed_prior_is_bracketed_as_the_notes_measured(epsilon: int, least: float, most: float) -> None:
    prior = np.concatenate(([0.4, 0.2, 0.1], np.full(97, 0.3 / 97)))
    channel = design_information(Fraction(epsilon), prior, SOLVER)
    assert least <= channel.utility <= channel.upper_bound <= most


@pytest.mark.parametrize("epsilon", [1, 3])
def test_large_alphabets_have_a_small_certified_gap(epsilon: int) -> None:
    prior = np.random.default_rng(1).dirichlet(np.ones(1000))
    channel = design_information(Fraction(epsilon), prior, SOLVER)
    assert 0 <= channel.upper_bound - channel.utility <= 1e-5
    assert mutual_information(prior, channel.matrix) == pytest.approx(channel.utility, rel=1e-9)


def test_the_relaxation_is_above_every_optimum() -> None:
    rng = np.random.default_rng(2)
    for epsilon in (0.5, 2.0):
        prior = rng.dirichlet(np.ones(12))
        assert divisible_bound(epsilon, prior, SOLVER) >= brute(prior, epsilon) * (1 - 1e-9)


def test_limits_in_epsilon() -> None:
    prior = np.array([0.5, 0.3, 0.2])
    assert design_information(Fraction(0), prior, SOLVER).utility == 0
    assert design_information(Fraction(0), prior, SOLVER).level == 0
    assert design_information(Fraction(25), prior, SOLVER).utility == pytest.approx(entropy(prior), rel=1e-6)
    small = design_information(Fraction(1, 1000), prior, SOLVER)
    assert small.utility * 10**6 == pytest.approx(0.25 / 2, rel=1e-2)
    with pytest.raises(BadValue, match="epsilon = 99 is above 30"):
        design_information(Fraction(99), prior, SOLVER)


def test_too_many_categories_for_all_sets_are_refused() -> None:
    with pytest.raises(BadValue, match="21 categories have 2\\^21 sets"):
        best_staircase(1.0, np.zeros((1, 1 << 21)), SOLVER, 0.0)


def test_a_search_without_rounds_is_unsolved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "_MOST_ROUNDS", 0)
    with pytest.raises(Unsolved, match="did not settle"):
        design_information(ONE, np.array([0.5, 0.3, 0.2]), SOLVER)


def test_subset_sums_are_in_the_order_of_bits() -> None:
    values = np.array([1.0, 2.0, 4.0])
    assert subset_sums(values).tolist() == list(range(8))


@pytest.mark.parametrize("epsilon", [6, 8])
def test_plain_randomized_response_competes(epsilon: int) -> None:
    """Merged cells kept 2.41 nats of these 21 categories at epsilon 8, where plain randomized response keeps 2.82."""
    prior = np.arange(1, 22) / 231
    found = design_information(Fraction(epsilon), prior)
    assert found.utility >= mutual_information(prior, RandomizedResponse(epsilon, 21).matrix) - 1e-9
    assert found.utility == pytest.approx(mutual_information(prior, found.matrix), rel=1e-9)
    assert found.utility <= found.upper_bound <= entropy(prior)


def test_tiny_levels_are_designed_for() -> None:
    for prior in (np.full(3, 1 / 3), np.array([0.5, 0.3, 0.2]), np.arange(1, 31) / 465):
        found = design_information(Fraction(1, 10**9), prior)
        assert 0.99 * found.upper_bound < found.utility <= found.upper_bound
