"""Lower bounds are below every optimum, meet it where theory says, and keep to their conditions."""

from fractions import Fraction
from math import exp, log
from typing import Any

import pytest

from banister.core.programs.highs import HighsSolver
from banister.errors import BadValue
from banister.mechanisms.integers.integer_staircase import IntegerStaircase
from banister.mechanisms.integers.lower_bounds import (
    _falling_steps,
    _uniform_steps,
    lower_bound,
    pure_bound,
    scaling_bound,
)
from banister.mechanisms.integers.tabulated import TabulatedNoise
from banister.mechanisms.integers.truncated_staircase import TruncatedStaircase
from banister.mechanisms.integers.uniform import Uniform

SOLVER = HighsSolver()


@pytest.mark.parametrize("cost", ["absolute", "squared"])
@pytest.mark.parametrize("sensitivity", [1, 2, 3, 4])
@pytest.mark.parametrize(
    ("epsilon", "delta"),
    [(0, "1/10"), (0, "7/50"), (0, "3/5"), ("1/2", "1/100"), (1, "1/1000"), (2, "1/5"), (1, "9/10")],
)
def test_no_bound_is_above_the_optimum(epsilon: str, delta: str, sensitivity: int, cost: str) -> None:
    args: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "sensitivity": sensitivity, "cost": cost}
    best = TabulatedNoise.least(solver=SOLVER, **args).risk()
    assert 0 <= lower_bound(**args) <= best * (1 + 1e-12)
    if sensitivity == 1:
        assert scaling_bound(**args) >= best * (1 - 1e-7) - (0.25 + 1e-12 if cost == "squared" else 1e-12)


@pytest.mark.parametrize(("epsilon", "delta"), [("1/20", 1e-6), ("1/5", 1e-3), ("1/2", 1e-6), (1, 1e-3), (0, "1/10")])
def test_the_optimum_for_sensitivity_one_is_met_for_magnitude(epsilon: str, delta: str) -> None:
    known = (
        TruncatedStaircase(epsilon=epsilon, delta=delta, sensitivity=1)
        if Fraction(epsilon)
        else Uniform(delta=delta, sensitivity=1)
    )
    assert scaling_bound(epsilon=epsilon, delta=delta, sensitivity=1) == pytest.approx(known.risk(), rel=1e-12)
    square = scaling_bound(epsilon=epsilon, delta=delta, sensitivity=1, cost="squared") + 0.25
    assert square == pytest.approx(known.risk_for("squared"), rel=1e-12)


@pytest.mark.parametrize(
    ("epsilon", "delta", "ratio"), [("1/20", 1e-6, 1.0003), ("1/5", 1e-3, 1.005), ("1/2", 1e-6, 1.031), (1, 1e-3, 1.13)]
)
def test_the_certified_gap_is_the_known_one(epsilon: str, delta: float, ratio: float) -> None:
    built = TruncatedStaircase(epsilon=epsilon, delta=delta, sensitivity=1000).risk()
    gap = built / scaling_bound(epsilon=epsilon, delta=delta, sensitivity=1000)
    assert gap == pytest.approx(ratio, abs=1.4e-3)


def test_uniform_noise_is_proven_optimal_for_magnitude() -> None:
    for sensitivity in (1, 2, 7):
        bound = lower_bound(epsilon=0, delta="1/20", sensitivity=sensitivity)
        assert bound == pytest.approx(Uniform(delta="1/20", sensitivity=sensitivity).risk(), rel=1e-15)


def test_the_theorems_give_their_printed_values_where_their_conditions_hold() -> None:
    delta = Fraction(1, 10)
    # Delta/(4 delta) + 1 - Delta/2, and its square cousin; n = 5, Delta = 3.
    assert _uniform_steps(delta, 3, 1) == 7.0
    assert _uniform_steps(delta, 3, 2) == 1 + 3 * 4 + 9 * 4 * 9 / 6
    # For sensitivity 1 the formula would say 3, above the optimum 2.5: the condition must refuse it.
    assert _uniform_steps(delta, 1, 1) == 0.0
    assert _uniform_steps(Fraction(3, 4), 5, 1) == 0.0
    # Sensitivity 2, epsilon 1, n = 3: the formula would say 1.850, the optimum is 1.541.
    b = exp(-1)
    at = Fraction((exp(1) - 1) * b**3 / (2 * (1 - b**3))) * (1 - Fraction(1, 10**9))
    assert _falling_steps(Fraction(1), at, 2, 1) == 0.0
    best = TabulatedNoise.least(epsilon=1, delta=at, sensitivity=2, solver=SOLVER).risk()
    assert best == pytest.approx(1.541, abs=5e-4)
    # Where it holds it helps: above the scaling bound, and below the optimum.
    power: dict[str, Any] = {"epsilon": 1, "delta": 1e-6, "sensitivity": 3, "cost": "squared"}
    assert scaling_bound(**power) < lower_bound(**power) < TabulatedNoise.least(solver=SOLVER, **power).risk()


def test_more_delta_never_raises_the_bound_and_no_delta_gives_the_staircase() -> None:
    for cost in ("absolute", "squared"):
        bounds = [lower_bound(epsilon=1, delta=d, sensitivity=3, cost=cost) for d in (0, 1e-9, 1e-3, 0.1, 0.5, 1)]
        assert bounds == sorted(bounds, reverse=True)
        assert bounds[-1] == 0
        exact = IntegerStaircase(epsilon=1, sensitivity=3, cost=cost).risk()
        assert exact * (1 - 1e-15) <= bounds[0] <= exact
    assert (
        0.5 < pure_bound(epsilon=1, sensitivity=1 << 41) / IntegerStaircase(epsilon=1, sensitivity=1 << 41).risk() < 1
    )


def test_for_small_parameters_the_bound_follows_its_limit() -> None:
    t = 1e-3  # delta/epsilon; the limit of epsilon V is 1 - 2t log(1 + 1/(2t)).
    bound = lower_bound(epsilon="1/1000000", delta="1/1000000000", sensitivity=1)
    assert bound * 1e-6 == pytest.approx(1 - 2 * t * log(1 + 1 / (2 * t)), rel=1e-6)


def test_bad_input_is_refused() -> None:
    with pytest.raises(BadValue, match=r"No lower bound is known for the cost '\|error\|\^3'\. Take 'absolute' or"):
        lower_bound(epsilon=1, delta=0.1, sensitivity=1, cost=3)
    with pytest.raises(BadValue, match=r"epsilon = 0 must be a finite number above 0"):
        lower_bound(epsilon=0, delta=0, sensitivity=1)
    with pytest.raises(BadValue, match=r"delta = 0 must be a finite number above 0\. With delta = 0 and epsilon = 0"):
        scaling_bound(epsilon=0, delta=0, sensitivity=1)
    with pytest.raises(BadValue, match=r"delta = 2 must be a number from 0 to 1"):
        lower_bound(epsilon=1, delta=2, sensitivity=1)
