"""Gaussian noise rounded to whole numbers."""

import pytest

from banister.core.laws.cost import Cost
from banister.core.laws.expectation import expected_cost_on_integers
from banister.mechanisms.integers.rounded_gaussian import RoundedGaussian


@pytest.mark.parametrize("epsilon", ["0.02", "1/2", "1.7", "5"])
def test_the_variance_is_known_and_is_the_sum_over_the_tail(epsilon: str) -> None:
    noise = RoundedGaussian(epsilon=epsilon, delta="1e-6", sensitivity=1)
    summed = expected_cost_on_integers(Cost.of("squared"), noise.at_least, scale=noise.scale)
    assert noise.risk_for("squared") == pytest.approx(summed, rel=1e-11)  # The sum adds up to a million doubles.
