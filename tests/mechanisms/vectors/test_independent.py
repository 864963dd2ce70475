"""Independent noise: the privacy of one coordinate, the cost of all, and the two ways it is usually compared."""

from fractions import Fraction

import numpy as np
import pytest

from banister.core.laws.cost import Cost
from banister.errors import BadValue
from banister.mechanisms.integers.integer_staircase import IntegerStaircase
from banister.mechanisms.line.staircase import Staircase
from banister.mechanisms.vectors.independent import Independent, examples, laplace_vector_risk, split_staircase_risk
from banister.mechanisms.vectors.radial import best_gamma, radial_risk
from banister.mechanisms.vectors.vector_staircase import VectorStaircase


@pytest.mark.parametrize("noise", examples())
def test_the_loss_is_that_of_one_coordinate_and_the_cost_that_of_all(noise: Independent) -> None:
    if noise.touches == 1:
        assert noise.loss() == noise.noise.loss()
    # Rounded up once more, after the product.
    assert noise.risk() == pytest.approx(noise.dimension * noise.noise.risk_for(noise.noise.cost), rel=1e-15)
    assert noise.risk() >= noise.dimension * Fraction(noise.noise.risk_for(noise.noise.cost))


def test_a_cost_that_only_doubles_know_counts_for_every_coordinate() -> None:
    """Nothing about it is proven, so the cost of one number is multiplied as it is."""
    noise = Independent(noise=IntegerStaircase(epsilon=1, sensitivity=2), dimension=3, touches=1)
    cost = Cost.of_function(lambda x: x * x)
    assert noise.risk_bracket(cost) is None
    assert noise.risk_for(cost) == 3 * noise.noise.risk_for(cost)
    assert noise.risk_for(cost) == pytest.approx(noise.risk_for("squared"), rel=1e-9)


def test_coordinates_get_noise_of_their_own() -> None:
    noise = Independent(noise=IntegerStaircase(epsilon=1, sensitivity=2), dimension=2, touches=1)
    n = 50_000
    drawn = noise.release(np.zeros((n, 2), dtype=np.int64))
    assert abs(np.corrcoef(drawn.T)[0, 1]) < 6 / np.sqrt(n)
    assert abs(np.abs(drawn).sum(axis=1).mean() - noise.risk()) < 0.1
    assert noise.release([3, 4]).shape == (2,)


def test_real_noise_is_taken_as_well() -> None:
    noise = Independent(noise=Staircase(epsilon=10, sensitivity=1), dimension=3, touches=1)
    released = noise.release(np.zeros((1000, 3)))
    assert released.shape == (1000, 3)
    assert released.dtype == np.float64
    # Full epsilon on each coordinate: d Δ / (2 sinh(epsilon/2)).
    assert noise.risk() == pytest.approx(3 / (2 * np.sinh(5)), rel=1e-9)
    assert noise.release([0.5, 1.5, 2.5]).shape == (3,)


@pytest.mark.parametrize(
    ("dimension", "ratios"), [(2, (1.99, 2.35, 3.60)), (4, (3.99, 4.30, 6.11)), (8, (7.99, 8.04, 9.63))]
)
def test_splitting_epsilon_over_coordinates_loses_what_theory_says(dimension: int, ratios: tuple[float, ...]) -> None:
    for epsilon, ratio in zip((1, 5, 10), ratios, strict=True):
        joint = VectorStaircase(epsilon=epsilon, sensitivity=1, dimension=dimension).risk()
        split = split_staircase_risk(epsilon=epsilon, sensitivity=1, dimension=dimension)
        assert split / joint == pytest.approx(ratio, abs=0.0051)


def test_power_of_the_comparisons() -> None:
    assert laplace_vector_risk(epsilon="1/2", sensitivity=3, dimension=2, cost="squared") == 2 * 2 * 36
    split = split_staircase_risk(epsilon=6, sensitivity=2, dimension=3, cost="squared")
    from fractions import Fraction

    one = radial_risk(Fraction(2), 1, 2, best_gamma(Fraction(2), 1, 2))
    assert split == pytest.approx(3 * 4 * one, rel=1e-12)


def test_bad_input_is_refused() -> None:
    with pytest.raises(BadValue, match=r"dimension = 0 must be a whole number, 1 or above"):
        Independent(noise=IntegerStaircase(epsilon=1, sensitivity=1), dimension=0, touches=1)
    with pytest.raises(BadValue, match=r"noise = 3 must be a noise for one number, such as IntegerStaircase"):
        Independent(noise=3, dimension=2, touches=1)  # type: ignore[arg-type]
    with pytest.raises(BadValue, match=r"have the shape \(3,\)"):
        Independent(noise=IntegerStaircase(epsilon=1, sensitivity=1), dimension=2, touches=1).release([1, 2, 3])
    with pytest.raises(BadValue, match="is not offered for vectors"):
        laplace_vector_risk(epsilon=1, sensitivity=1, dimension=2, cost=3)
