"""Known answers for the staircase on the line ([G13] chapter 2), by two roads each."""

import math
from fractions import Fraction
from typing import Any

import mpmath as mp
import numpy as np
import pytest

from banister.core.laws.cost import Cost
from banister.errors import BadValue
from banister.mechanisms import Grid, Laplace, Staircase


def by_quadrature(epsilon: float, gamma: float, cost, sensitivity: float = 1.0) -> float:
    """E L(X) from the density of [G13] eq. 2.13, period by period."""
    mp.mp.dps = 30
    b = mp.exp(-epsilon)
    a = (1 - b) / (2 * sensitivity * (gamma + b * (1 - gamma)))
    total = mp.mpf(0)
    for k in range(int(60 / epsilon) + 4):
        low, knee, high = k * sensitivity, (k + gamma) * sensitivity, (k + 1) * sensitivity
        total += 2 * a * b**k * (mp.quad(cost, [low, knee]) + b * mp.quad(cost, [knee, high]))
    return float(total)


@pytest.mark.parametrize("epsilon", [0.1, 1, 4])
def test_closed_forms_for_magnitude_and_power(epsilon: float) -> None:
    """[G13] Thm 2.5: Δ / (2 sinh(ε/2)); Thm 2.7: Δ² ((b(1+b)/2)^(2/3) + b)/(1-b)²."""
    b = math.exp(-epsilon)
    magnitude = Staircase(epsilon=epsilon, sensitivity=2)
    assert magnitude.gamma == pytest.approx(1 / (1 + math.exp(epsilon / 2)), rel=1e-14)
    assert magnitude.risk() == pytest.approx(2 / (2 * math.sinh(epsilon / 2)), rel=1e-13)
    power = Staircase(epsilon=epsilon, sensitivity=2, cost="squared")
    assert power.gamma == pytest.approx(((b * (1 + b) / 2) ** (1 / 3) - b) / (1 - b), rel=1e-11)
    assert power.risk() == pytest.approx(4 * ((b * (1 + b) / 2) ** (2 / 3) + b) / (1 - b) ** 2, rel=1e-12)


@pytest.mark.parametrize("epsilon", [0.5, 2])
@pytest.mark.parametrize("exponent", [1, 2, 3, 4])
def test_powers_agree_with_quadrature_and_are_stationary(epsilon: float, exponent: int) -> None:
    """[G13] App. A.5: S_(m+1) / ((m+1) S_1), which at the optimum is S_m(gamma)."""
    noise = Staircase(epsilon=epsilon, sensitivity=1, cost=exponent)
    assert noise.risk() == pytest.approx(by_quadrature(epsilon, noise.gamma, lambda x: x**exponent), rel=1e-12)
    b = math.exp(-epsilon)
    moment = (1 - b) * sum(b**k * (k + noise.gamma) ** exponent for k in range(400))
    assert noise.risk() == pytest.approx(moment, rel=1e-9)
    for other in np.linspace(0.01, 0.99, 25):
        worse = Staircase.with_gamma(epsilon=epsilon, sensitivity=1, gamma=float(other), cost=exponent)
        assert worse.risk() >= noise.risk() * (1 - 1e-12)


@pytest.mark.parametrize(
    "cost",
    [Cost.power(1.5), Cost.beyond(3), Cost.of(lambda x: np.sqrt(np.abs(x))), Cost.of(lambda x: np.floor(np.abs(x)))],
)
@pytest.mark.parametrize("epsilon", [0.5, 2])
def test_any_cost_gets_its_best_gamma(cost: Cost, epsilon: float) -> None:
    noise = Staircase(epsilon=epsilon, sensitivity=1, cost=cost)
    for other in np.linspace(0.02, 0.98, 33):
        worse = Staircase.with_gamma(epsilon=epsilon, sensitivity=1, gamma=float(other), cost=cost)
        assert worse.risk() >= noise.risk() * (1 - 3e-6)


def test_a_million_draws_cost_what_theory_says_for_a_users_own_cost() -> None:
    for cost, reference in (
        (lambda x: abs(x) ** 1.5, lambda e: np.abs(e) ** 1.5),
        (lambda x: 1.0 if abs(x) > 3 else 0.0, lambda e: (np.abs(e) > 3).astype(float)),
    ):
        noise = Staircase(epsilon=1, sensitivity=1, cost=cost)
        costs = reference(noise.release(np.zeros(10**6)))
        assert abs(costs.mean() - noise.risk()) < 5 * costs.std() / 1000


@pytest.mark.parametrize(
    ("epsilon", "absolute", "squared"),
    [
        (0.5, 1.0104, 1.0105),
        (1, 1.0422, 1.0427),
        (2, 1.1752, 1.1828),
        (3, 1.4195, 1.4555),
        (5, 2.4201, 2.6926),
        (10, 14.8406, 23.6069),
    ],
)
def test_gain_over_laplace(epsilon: float, absolute: float, squared: float) -> None:
    for cost, gain in (("absolute", absolute), ("squared", squared)):
        ours = Staircase(epsilon=epsilon, sensitivity=1, cost=cost).risk()
        assert Laplace(epsilon=epsilon, sensitivity=1).risk_for(cost) / ours == pytest.approx(gain, abs=6e-5)


def test_small_epsilon_follows_the_expansion() -> None:
    """[G13] Cor 2.6 and 2.8: the gap to Laplace is Δ(ε/24 - 7ε³/5760) and Δ²(1/12 - ε²/720)."""
    epsilon = 0.01
    assert 1 / epsilon - Staircase(epsilon=epsilon, sensitivity=1).risk() == pytest.approx(
        epsilon / 24 - 7 * epsilon**3 / 5760, rel=1e-6
    )
    gap = 2 / epsilon**2 - Staircase(epsilon=epsilon, sensitivity=1, cost="squared").risk()
    assert gap == pytest.approx(1 / 12 - epsilon**2 / 720, rel=1e-6)


def test_the_heuristic_gamma_of_the_thesis_is_not_our_default() -> None:
    """[G13] 2.7.2 proposes gamma = b/2; at epsilon 5 it costs 4.13 times the optimum."""
    heuristic = Staircase.with_gamma(epsilon=5, sensitivity=1, gamma=math.exp(-5) / 2)
    assert heuristic.risk() / Staircase(epsilon=5, sensitivity=1).risk() == pytest.approx(4.13, abs=0.01)


def test_the_density_never_falls_faster_than_the_guarantee() -> None:
    noise = Staircase(epsilon=1, sensitivity=1)
    x = np.linspace(-4, 4, 801)
    for shift in (-1.0, -0.377, 0.25, 0.999, 1.0):
        assert (noise.densities(x) / noise.densities(x + shift)).max() <= math.e * (1 + 1e-12)


@pytest.mark.parametrize("epsilon", [Fraction(1, 10**6), Fraction(1, 2), 5, 20])
def test_the_default_grid_loses_less_than_a_ten_thousandth(epsilon: Fraction) -> None:
    for cost in ("absolute", "squared"):
        noise = Staircase(epsilon=epsilon, sensitivity=Fraction(1, 10), cost=cost)
        step = float(noise.grid.step)
        drawn = noise.lattice.risk_for(cost) * step ** (1 if cost == "absolute" else 2)
        rounding = step / 4 if cost == "absolute" else step**2 / 12
        assert drawn + rounding * (cost == "squared") < noise.risk() * 1.0001
        assert drawn > noise.risk() * 0.9999


def test_the_privacy_of_a_release_is_that_of_the_grid_not_of_real_numbers() -> None:
    """The sensitivity in steps is rounded up, so the lattice law covers every pair of rounded neighbours."""
    noise = Staircase(epsilon=1, sensitivity=Fraction(1, 10), grid=Fraction(1, 64))
    assert noise.lattice.sensitivity == 7
    assert noise.loss().delta_at(1).up == 0


def test_the_event_that_breaks_floating_point_noise_is_harmless_here() -> None:
    """Near 0 and off the lattice of multiples of the noise's own rounding: impossible for every answer alike."""
    noise = Staircase(epsilon=1, sensitivity=1, grid=Fraction(1, 1024))
    for answer in (0.0, 1.0, 0.1, 1 / 3):
        released = noise.release(np.full(100_000, answer)) * 1024
        assert np.array_equal(released, np.floor(released))
    near = [np.abs(noise.release(np.full(10**6, answer))) < 0.25 for answer in (0.0, 1.0)]
    low, high = sorted(float(np.mean(event)) for event in near)
    assert high / low < math.e * (1 + 5 * math.sqrt(2 / (low * 10**6)))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"epsilon": 0, "sensitivity": 1}, r"epsilon = 0 must be a finite number above 0\. To publish nothing"),
        ({"epsilon": -0.5, "sensitivity": 1}, r"epsilon = -0\.5 must be a finite number above 0"),
        ({"epsilon": float("nan"), "sensitivity": 1}, "epsilon = nan must be a finite number above 0"),
        ({"epsilon": float("inf"), "sensitivity": 1}, "epsilon = inf must be a finite number above 0"),
        ({"epsilon": "one", "sensitivity": 1}, "epsilon = 'one' must be a finite number, such as 0.5 or '1/2'"),
        ({"epsilon": 1, "sensitivity": 0}, "sensitivity = 0 must be a finite number above 0"),
        ({"epsilon": 1, "sensitivity": 1, "grid": 0}, "grid = 0 must be a finite number above 0"),
        ({"epsilon": 1, "sensitivity": 1, "cost": "huge"}, "cost = 'huge' must be one of: 'absolute'"),
        ({"epsilon": 1, "sensitivity": 1, "cost": -2}, "cost = -2 must be one of: 'absolute'"),
        ({"epsilon": 1, "sensitivity": 1, "cost": lambda x: -abs(x)}, "The cost falls from"),
        ({"epsilon": 1, "sensitivity": 1, "cost": lambda x: x}, "The cost is not symmetric: it is 0.125 for an error"),
        ({"epsilon": 1, "sensitivity": 1, "cost": lambda x: np.exp(1.5 * abs(x))}, "expectation diverges"),
        ({"epsilon": 1, "sensitivity": 1, "cost": lambda x: x * float("nan")}, r"not a number \(NaN\)"),
        ({"epsilon": 1e6, "sensitivity": 1}, r"epsilon = 1000000 must be at most 500\. Beyond that nothing is hidden"),
        (
            {"epsilon": 1, "sensitivity": 1e300},
            r"sensitivity = 1e\+300 must lie between 1e-100 and 1e100\. Count in other",
        ),
        ({"epsilon": 1e-12, "sensitivity": 1, "grid": 1e-9}, "reaches beyond 64-bit integers"),
    ],
)
@pytest.mark.filterwarnings("ignore:overflow")
def test_bad_input_is_told(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(BadValue, match=message):
        Staircase(**arguments)


def test_a_gamma_outside_is_refused() -> None:
    with pytest.raises(BadValue, match=r"gamma = 1\.5 must be a number from 0 to 1"):
        Staircase.with_gamma(epsilon=1, sensitivity=1, gamma=1.5)


@pytest.mark.parametrize("epsilon", [1e-12, 1e-9, 40, 500])
@pytest.mark.parametrize("sensitivity", [1e-100, 0.3, 1e100])
def test_the_default_grid_fits_64_bits_at_the_ends_of_the_range(epsilon: float, sensitivity: float) -> None:
    noise = Staircase(epsilon=epsilon, sensitivity=sensitivity)
    assert math.isfinite(noise.release(3 * sensitivity))
    assert noise.loss().delta_at(epsilon).up == 0


def test_an_answer_may_be_a_fraction_of_any_grid() -> None:
    noise = Staircase(epsilon=40, sensitivity=Fraction(1, 100), grid=Grid("1/100"))
    assert noise.release(12.34) == pytest.approx(12.34)
    assert noise.release(np.array([1.005, 2.0, 3]))[1] == pytest.approx(2.0)
