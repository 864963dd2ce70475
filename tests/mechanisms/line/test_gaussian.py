"""Gaussian noise, ideal and discrete: calibrated to the guarantee and not a digit more."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import ndtr

from banister.core.exact.numbers import precision
from banister.core.laws.gaussian_sum import _euler_maclaurin, _term_by_term, gaussian_total
from banister.errors import BadValue
from banister.mechanisms import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace, RoundedGaussian


@pytest.mark.parametrize(("epsilon", "delta"), [(1, 1e-6), (0.1, 1e-9), (4, 0.01), (0, 0.1)])
def test_sigma_is_the_least_that_holds(epsilon: float, delta: float) -> None:
    """[BW18] Thm 8, both sides."""
    noise = Gaussian(epsilon=epsilon, delta=delta, sensitivity=2)

    def loss(sigma: float) -> float:
        mu = 2 / sigma
        return float(ndtr(-epsilon / mu + mu / 2) - math.exp(epsilon) * ndtr(-epsilon / mu - mu / 2))

    assert noise.loss().delta_at(epsilon).up <= Fraction(delta)
    assert loss(noise.sigma) == pytest.approx(delta, rel=1e-7)
    slightly_less = Gaussian.with_sigma(sigma=noise.sigma * (1 - 1e-12), sensitivity=2)
    assert slightly_less.loss().delta_at(epsilon).down > Fraction(delta) * (1 - Fraction(1, 10**9))


@pytest.mark.parametrize(("epsilon", "delta", "sensitivity"), [(1, 1e-6, 1), (0.5, 1e-3, 4), (1, 1e-5, 300)])
def test_the_discrete_sigma_is_the_least_that_holds(epsilon: float, delta: float, sensitivity: int) -> None:
    noise = DiscreteGaussian(epsilon=epsilon, delta=delta, sensitivity=sensitivity)

    def loss(sigma: float) -> float:
        i = np.arange(-int(40 * sigma), int(40 * sigma) + 1)
        log_p = -(i**2) / (2 * sigma**2)
        p = np.exp(log_p) / np.exp(log_p).sum()
        return float(np.maximum(p[sensitivity:] - math.exp(epsilon) * p[:-sensitivity], 0).sum())

    assert loss(noise.sigma) == pytest.approx(delta, rel=1e-5)
    assert loss(noise.sigma) <= delta * (1 + 1e-9)
    assert loss(noise.sigma * (1 - 1e-5)) > delta


def test_certified_sums_agree_by_both_roads_and_with_poisson() -> None:
    with precision(200):
        for sigma in (Fraction(20), Fraction(99)):
            for first in (1, 10, 60, 300):
                assert _euler_maclaurin(sigma, first).overlaps(_term_by_term(sigma, first))
        # Σ e^(-n²/2σ²) = σ √(2π) (1 + 2 e^(-2π²σ²) + …)
        assert float(gaussian_total(Fraction(5))) == pytest.approx(5 * math.sqrt(2 * math.pi), rel=1e-14)
        assert gaussian_total(Fraction(1000)).rel_accuracy_bits() > 30


def test_discrete_gaussian_moments() -> None:
    noise = DiscreteGaussian.with_sigma(sigma=6, sensitivity=1)
    assert noise.risk_for("squared") == pytest.approx(36, rel=1e-9)
    wide = DiscreteGaussian.with_sigma(sigma=10**6, sensitivity=1)
    assert wide.risk_for("squared") == pytest.approx(1e12, rel=1e-5)


def test_the_gaussian_needs_a_delta() -> None:
    with pytest.raises(
        BadValue, match=r"delta = 0 must be a number above 0 and below 1\. Gaussian noise needs some delta"
    ):
        Gaussian(epsilon=1, delta=0, sensitivity=1)
    with pytest.raises(BadValue, match=r"delta = 1 must be .* Use IntegerStaircase for delta = 0"):
        DiscreteGaussian(epsilon=1, delta=1, sensitivity=1)
    with pytest.raises(BadValue, match="sigma = -3 must be a finite number above 0"):
        Gaussian.with_sigma(sigma=-3, sensitivity=1)


@pytest.mark.parametrize("sensitivity", [1, 3, 100, 5000])
def test_the_loss_of_discrete_laplace_is_the_polygon_through_the_continuous_one(sensitivity: int) -> None:
    """delta(t) = 1 - e^((t - ε)/2) at the corners t = (Δ - 2m)ε/Δ, and never below it between them."""
    noise, ideal = DiscreteLaplace(epsilon=2, sensitivity=sensitivity), Laplace(epsilon=2, sensitivity=1)
    for m in range(0, sensitivity // 2 + 1, max(1, sensitivity // 10)):
        t = Fraction(sensitivity - 2 * m, sensitivity) * 2
        assert noise.loss().delta_at(t).up >= ideal.loss().delta_at(t).down - 1e-15
        if sensitivity <= 512:
            assert noise.loss().delta_at(t).up == pytest.approx(-math.expm1((float(t) - 2) / 2), abs=1e-14)
        else:
            assert noise.loss().delta_at(t).up == pytest.approx(-math.expm1((float(t) - 2) / 2), abs=1e-5)


def test_discrete_laplace_costs() -> None:
    """[G13] Thm 4.10: E|Z| = 1/sinh(ε/Δ), E Z² = 2l/(1-l)²."""
    noise = DiscreteLaplace(epsilon=1, sensitivity=4)
    decay = math.exp(-1 / 4)
    assert noise.risk_for("absolute") == pytest.approx(1 / math.sinh(1 / 4), rel=1e-13)
    assert noise.risk_for("squared") == pytest.approx(2 * decay / (1 - decay) ** 2, rel=1e-13)


def test_rounding_changes_the_variance_by_a_twelfth_and_the_account_not_at_all() -> None:
    ideal = Gaussian(epsilon=1, delta=1e-6, sensitivity=2)
    noise = RoundedGaussian(epsilon=1, delta=1e-6, sensitivity=2)
    assert noise.sigma == ideal.sigma
    assert noise.loss() == ideal.loss()
    assert noise.risk_for("squared") == pytest.approx(ideal.sigma**2 + 1 / 12, rel=1e-6)
    with pytest.raises(BadValue, match=r"sensitivity = 1\.5 must be a whole number"):
        RoundedGaussian(epsilon=1, delta=1e-6, sensitivity=Fraction(3, 2))
