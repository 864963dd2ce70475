from fractions import Fraction

import numpy as np
import pytest

from banister.core.programs.highs import HighsSolver
from banister.errors import BadValue
from banister.local.designs.distortion import design_distortion, least_mistakes

SOLVER, ONE = HighsSolver(), Fraction(1)


@pytest.mark.parametrize("seed", range(6))
def test_wrong_categories_have_their_closed_form(seed: int) -> None:
    rng = np.random.default_rng(seed)
    prior, epsilon = rng.dirichlet(np.ones(6)), float(rng.choice([0.5, 1, 3]))
    channel = design_distortion(Fraction(epsilon), prior, distortion=1 - np.eye(6))
    truth, _ = least_mistakes(epsilon, prior)
    assert -channel.utility == pytest.approx(truth, abs=1e-9)
    assert channel.utility <= channel.upper_bound <= channel.utility + 1e-8
    assert channel.level <= epsilon


def test_no_random_channel_has_less_distortion_than_the_bound() -> None:
    rng = np.random.default_rng(9)
    prior, distance = rng.dirichlet(np.ones(5)), abs(np.subtract.outer(np.arange(5.0), np.arange(5.0)))
    channel = design_distortion(ONE, prior, distortion=distance)
    for _ in range(2000):
        steep = np.exp(rng.random((5, 5)))
        weights = np.linalg.lstsq(steep, np.ones(5), rcond=None)[0]
        if weights.min() >= 0:
            assert -(prior[:, None] * steep * weights * distance).sum() <= channel.upper_bound


@pytest.mark.parametrize(
    ("distortion", "message"),
    [(np.eye(3), "one row for each of the 4 categories"), (-np.eye(4), "finite numbers, 0 or above")],
)
def test_bad_distortions_are_refused(distortion: np.ndarray, message: str) -> None:
    with pytest.raises(BadValue, match=message):
        design_distortion(ONE, np.full(4, 0.25), distortion=distortion)


def test_too_many_categories_are_refused() -> None:
    with pytest.raises(BadValue, match="61 categories are too many"):
        design_distortion(ONE, np.full(61, 1 / 61), distortion=np.zeros((61, 61)))
