from fractions import Fraction

import numpy as np
import pytest

import banister as bn
from banister.core.programs.highs import HighsSolver
from banister.errors import BadValue
from banister.local.channels.matrix import MatrixChannel
from banister.local.channels.response import RandomizedResponse
from banister.local.channels.subset import SubsetSelection
from banister.local.channels.support import counting_error
from banister.local.comparison import compare
from banister.local.designs.estimation import design_estimation, design_frequency, error_bound, least_error
from tests.local.seeded import SeededBits

SOLVER, ONE = HighsSolver(), Fraction(1)


def error_at(matrix: np.ndarray, prior: np.ndarray) -> float:
    return float(np.trace(np.linalg.inv((matrix / (prior @ matrix)) @ matrix.T)) - prior @ prior)


def test_the_notes_example_is_reached() -> None:
    """tr J⁻¹ - Σ P² = 8.112 at this prior, against 8.131 for randomized response, the best fixed channel."""
    prior = np.array([0.6, 0.2, 0.15, 0.05])
    channel = design_estimation(ONE, prior, SOLVER)
    assert -channel.utility == pytest.approx(8.112, abs=1e-3)
    assert error_at(channel.matrix, prior) == pytest.approx(-channel.utility, rel=1e-9)
    assert error_at(RandomizedResponse(1, 4).matrix, prior) == pytest.approx(8.131, abs=1e-3)
    assert channel.utility <= channel.upper_bound
    assert channel.certificate is not None
    assert 0 <= channel.certificate.gap < 2e-4


def test_a_uniform_prior_has_its_closed_form() -> None:
    for k, epsilon in ((4, 1.0), (6, 0.5), (5, 2.0)):
        channel = design_estimation(Fraction(epsilon), np.full(k, 1 / k), SOLVER)
        assert -channel.utility == pytest.approx(least_error(epsilon, k), rel=2e-4)


def test_no_random_channel_has_less_error_than_the_bound() -> None:
    rng = np.random.default_rng(0)
    prior = rng.dirichlet(np.ones(4))
    bound = -design_estimation(ONE, prior, SOLVER).upper_bound
    for _ in range(1000):
        steep = np.exp(rng.integers(0, 2, size=(4, 6)))
        weights = np.linalg.lstsq(steep, np.ones(4), rcond=None)[0]
        if weights.min() >= 0 and np.linalg.matrix_rank(steep * weights) == 4:
            assert error_at(steep * weights, prior) >= bound


@pytest.mark.parametrize(
    ("k", "kind"), [(9, "every-set"), (11, "subset-selection"), (1000, "subset-selection"), (3, "randomized-response")]
)
def test_many_categories_take_the_better_simple_channel(k: int, kind: str) -> None:
    channel = design_frequency(ONE, np.full(k, 1 / k))
    assert channel.kind == kind
    assert channel.utility == pytest.approx(-counting_error(k, channel.keep, channel.spill), rel=1e-9)
    assert -channel.utility >= -channel.upper_bound
    assert channel.upper_bound / channel.utility > (1 - 1e-9 if k <= 56 else 0.9999)


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1, 2), ONE, Fraction(2), Fraction(3), Fraction(4)])
def test_with_even_frequencies_the_optimum_is_reached_up_to_56_and_nearly_beyond(epsilon: Fraction) -> None:
    """Padding to a prime cost 9.8 % at k = 8 and 5.4 % at k = 14, and bases of two alone 8.7 % at k = 10^5."""
    for k in (*range(3, 57), 62, 114, 212, 1000, 5004, 100_000):
        channel = design_frequency(epsilon, np.full(k, 1 / k))
        assert channel.utility / channel.upper_bound - 1 <= (1e-9 if k <= 56 else 0.005 if k <= 5003 else 0.01)


def test_nine_categories_use_the_prior() -> None:
    """Subset selection for the uniform law has 1.1888 here, and its bound of 1.9249 was that of another law."""
    prior = np.array([0.92, *[0.01] * 8])
    channel = bn.local.design(epsilon=3, prior=prior, utility="estimation")
    assert -channel.utility == pytest.approx(1.063, abs=0.001)
    assert error_at(channel.matrix, prior) == pytest.approx(-channel.utility, rel=1e-9)
    assert channel.certificate is not None
    assert channel.certificate.gap < 2e-3


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0, 6.0])
@pytest.mark.parametrize("shape", [0.1, 1.0, 100.0])
def test_bounds_of_large_alphabets_are_true_at_the_prior(epsilon: float, shape: float) -> None:
    """Two roads: the bound, and the efficient error of channels that exist, the returned one among them."""
    level, rng = Fraction(epsilon), np.random.default_rng(5)
    prior = np.maximum(rng.dirichlet(np.full(12, shape)), 1e-6)
    prior /= prior.sum()
    channel = design_frequency(level, prior)
    for rival in (channel, RandomizedResponse(level, 12), SubsetSelection.least_error(level, 12)):
        assert -channel.upper_bound <= error_at(rival.matrix, prior) * (1 + 1e-9)
    assert channel.certificate is not None
    assert "not made for this prior" in channel.certificate.method
    assert -channel.utility >= error_at(channel.matrix, prior) * (1 - 1e-9)
    few = prior[:6] / prior[:6].sum()
    assert error_bound(level, few) <= -design_estimation(level, few, SOLVER).utility


def test_tiny_levels_are_designed_for() -> None:
    for k in (3, 4, 10):
        prior = np.arange(1, k + 1) / (k * (k + 1) / 2)
        channel = design_estimation(Fraction(1, 10**9), prior, SOLVER)
        assert channel.certificate is not None
        assert 0 <= channel.certificate.gap < 1e-4
        assert channel.rank == k
        assert 0 < channel.level <= 1e-9
    near = design_estimation(Fraction(1, 50_000), np.array([0.5, 0.3, 0.2]), SOLVER)
    assert error_at(near.matrix, np.array([0.5, 0.3, 0.2])) == pytest.approx(-near.utility, rel=1e-4)


def test_what_is_slow_to_decode_is_not_recommended() -> None:
    k = 300_000
    assert design_frequency(ONE, np.full(k, 1 / k)).kind == "hadamard-response"
    assert design_frequency(Fraction(10), np.full(k, 1 / k)).kind == "subset-selection"
    names = [candidate.name for candidate in compare(1, k, 10**6).candidates]
    assert names[-1] == "subset selection"


def test_subset_selection_is_recommended_among_a_hundred_thousand() -> None:
    k = 100_000
    for epsilon in (Fraction(1, 2), ONE, Fraction(3)):
        channel = design_frequency(epsilon, np.full(k, 1 / k))
        assert channel.kind == "subset-selection"
        assert channel.utility / channel.upper_bound - 1 <= 1e-4
    assert compare(1, k, 10**6).candidates[0].name == "subset selection"


@pytest.mark.slow
def test_the_error_is_that_of_repetition() -> None:
    prior = np.array([0.6, 0.2, 0.15, 0.05])
    channel = design_estimation(ONE, prior, SOLVER)
    rng, bits = np.random.default_rng(1), SeededBits(1)
    squared = []
    for _ in range(400):
        reports = channel.respond(rng.choice(4, 4000, p=prior), bits)
        squared.append(((channel.maximum_likelihood(reports).frequencies - prior) ** 2).sum())
    assert 4000 * np.mean(squared) == pytest.approx(-channel.utility, rel=0.15)  # 400 repetitions: 2 sigma is 8 %.


def test_bad_input_is_refused() -> None:
    with pytest.raises(BadValue, match=r"takes up to 10 categories, not 11\. Use bn\.local\.design"):
        design_estimation(ONE, np.full(11, 1 / 11), SOLVER)
    with pytest.raises(BadValue, match="nothing can be estimated"):
        design_estimation(Fraction(0), np.full(3, 1 / 3), SOLVER)
    with pytest.raises(BadValue, match="above 0"):
        design_frequency(Fraction(0), np.full(9, 1 / 9))


def test_the_designed_channel_is_a_matrix_of_full_rank() -> None:
    channel = design_estimation(ONE, np.array([0.5, 0.35, 0.1, 0.05]), SOLVER)
    assert isinstance(channel, MatrixChannel)
    assert channel.rank == 4
