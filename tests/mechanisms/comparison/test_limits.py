"""Ratios in the limit of small epsilon and delta: the corollaries' numbers, and the mechanisms themselves."""

from fractions import Fraction

import pytest

from banister.errors import BadValue
from banister.mechanisms import (
    Laplace,
    TruncatedStaircase,
    Uniform,
    laplace_over_least,
    least_in_the_limit,
    uniform_factor,
    uniform_over_bound,
    usual_over_least,
    worst_ratio,
)
from banister.mechanisms.integers.lower_bounds import lower_bound


@pytest.mark.parametrize("ratio", ["1/10", "1/4", 1, 5])
@pytest.mark.parametrize(("cost", "power"), [("absolute", 1), ("squared", 2)])
def test_the_limit_is_that_of_the_optimum_for_sensitivity_one(ratio, cost, power) -> None:
    epsilon = Fraction(1, 2000)
    best = TruncatedStaircase(epsilon=epsilon, delta=epsilon * Fraction(ratio), sensitivity=1, cost=cost)
    assert best.risk() * float(epsilon) ** power == pytest.approx(least_in_the_limit(ratio, cost), rel=5e-3)


@pytest.mark.parametrize(("cost", "power"), [("absolute", 1), ("squared", 2)])
def test_the_ratios_are_those_of_the_noises_that_are_drawn(cost, power) -> None:
    epsilon = Fraction(1, 2000)
    best = TruncatedStaircase(epsilon=epsilon, delta=epsilon, sensitivity=1, cost=cost).risk()
    uniform = Uniform(delta=epsilon, sensitivity=1, cost=cost).risk()
    laplace = Laplace(epsilon=epsilon, sensitivity=1, cost=cost).risk()
    assert uniform / best == pytest.approx(usual_over_least(1, cost), rel=5e-3)
    assert laplace / best == pytest.approx(laplace_over_least(1, cost), rel=5e-3)


def test_the_numbers_of_the_corollaries() -> None:
    assert usual_over_least(1, "absolute") == pytest.approx(1.3223, abs=5e-5)
    assert usual_over_least(1, "squared") == pytest.approx(1.6891, abs=5e-5)
    assert laplace_over_least(1, "absolute") == pytest.approx(5.289, abs=5e-4)
    assert laplace_over_least(1, "squared") == pytest.approx(40.54, abs=5e-3)


@pytest.mark.parametrize("cost", ["absolute", "squared"])
def test_nothing_is_beyond_the_worst_ratio(cost) -> None:
    at, worst = worst_ratio(cost)
    tried = [usual_over_least(Fraction(k, 100), cost) for k in range(1, 300)]
    assert max(tried) <= worst + 1e-9
    assert worst == pytest.approx(2.2188 if cost == "absolute" else 5.508, abs=1e-3)
    assert at == pytest.approx(0.25 if cost == "absolute" else 0.2041, abs=1e-3)


@pytest.mark.parametrize("cost", ["absolute", "squared"])
def test_the_series_meets_the_closed_form(cost) -> None:
    below, above = least_in_the_limit(4999.999, cost), least_in_the_limit(5000.001, cost)
    assert above == pytest.approx(below, rel=1e-6)


@pytest.mark.parametrize("cost", ["absolute", "squared"])
@pytest.mark.parametrize("sensitivity", [3, 7])
def test_uniform_noise_and_the_bound_are_those_of_the_package(cost, sensitivity) -> None:
    for delta in (Fraction(1, 20), Fraction(1, 200)):
        ratio = uniform_over_bound(delta=delta, sensitivity=sensitivity, cost=cost)
        uniform = Uniform(delta=delta, sensitivity=sensitivity, cost=cost).risk()
        bound = lower_bound(epsilon=0, delta=delta, sensitivity=sensitivity, cost=cost)
        assert uniform / float(ratio) <= bound * (1 + 1e-2)  # The package's bound is the larger one of several.
    assert 1 < uniform_over_bound(delta="1/20000", sensitivity=sensitivity, cost=cost) < Fraction(1001, 1000)


def test_refusals() -> None:
    with pytest.raises(BadValue, match="1 over an even whole number"):
        uniform_over_bound(delta="0.3", sensitivity=3, cost="absolute")
    with pytest.raises(BadValue, match="sensitivity"):
        uniform_over_bound(delta="0.1", sensitivity=2, cost="absolute")
    with pytest.raises(BadValue, match="cost"):
        least_in_the_limit(1, "cubed")  # type: ignore[arg-type]
    with pytest.raises(BadValue, match="growth"):
        uniform_factor(3, 0)
