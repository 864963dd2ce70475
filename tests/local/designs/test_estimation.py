from fractions import Fraction

import numpy as np
import pytest

from banister.core.programs.highs import HighsSolver
from banister.errors import BadValue
from banister.local.channels.matrix import MatrixChannel
from banister.local.channels.response import RandomizedResponse
from banister.local.designs.estimation import counting_error, design_estimation, design_frequency, least_error
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
    ("k", "kind"), [(9, "subset-selection"), (1000, "subset-selection"), (3, "randomized-response")]
)
def test_many_categories_take_the_better_simple_channel(k: int, kind: str) -> None:
    channel = design_frequency(ONE, k)
    assert channel.kind == kind
    assert channel.utility == pytest.approx(-counting_error(k, channel.keep, channel.spill), rel=1e-9)
    assert -channel.utility >= -channel.upper_bound
    assert channel.upper_bound / channel.utility > (0.99 if k > 9 else 0.85)


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
    with pytest.raises(BadValue, match="takes up to 8 categories, not 9"):
        design_estimation(ONE, np.full(9, 1 / 9), SOLVER)
    with pytest.raises(BadValue, match="nothing can be estimated"):
        design_estimation(Fraction(0), np.full(3, 1 / 3), SOLVER)
    with pytest.raises(BadValue, match="above 0"):
        design_frequency(Fraction(0), 9)


def test_the_designed_channel_is_a_matrix_of_full_rank() -> None:
    channel = design_estimation(ONE, np.array([0.5, 0.35, 0.1, 0.05]), SOLVER)
    assert isinstance(channel, MatrixChannel)
    assert channel.rank == 4
