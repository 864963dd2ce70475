"""The staircase on the integers against enumeration and against linear programs ([G13] Thm 2.12, 2.13)."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from banister.core.laws.cost import Cost
from banister.errors import BadValue
from banister.mechanisms import Geometric, IntegerStaircase

COSTS = [Cost.power(1), Cost.power(2), Cost.power(3), Cost.power(0.5), Cost.beyond(2)]


@pytest.mark.parametrize("cost", COSTS, ids=lambda cost: cost.name)
@pytest.mark.parametrize("epsilon", [0.2, 1, 4])
def test_the_step_width_is_the_best_of_all(cost: Cost, epsilon: float) -> None:
    for sensitivity in (1, 2, 3, 7, 20, 50):
        noise = IntegerStaircase(epsilon=epsilon, sensitivity=sensitivity, cost=cost)
        best = min(
            IntegerStaircase.with_step(epsilon=epsilon, sensitivity=sensitivity, step_width=r, cost=cost).risk()
            for r in range(1, sensitivity + 1)
        )
        assert noise.risk() <= best * (1 + 1e-9)


@pytest.mark.parametrize("epsilon", [0.3, 1, 5])
@pytest.mark.parametrize("sensitivity", [2, 9, 1000, 10**12])
def test_closed_forms_of_the_step_width(epsilon: float, sensitivity: int) -> None:
    """|i|: r = ⌈Δ / (1 + e^(ε/2))⌉; i²: from the largest root of y³ - y/4 = C."""
    noise = IntegerStaircase(epsilon=epsilon, sensitivity=sensitivity)
    assert abs(noise.step_width - max(1, math.ceil(sensitivity / (1 + math.exp(epsilon / 2))))) <= sensitivity * 1e-12
    power = IntegerStaircase(epsilon=epsilon, sensitivity=sensitivity, cost="squared")
    beta = sensitivity / math.expm1(epsilon)
    root = (beta * (beta + sensitivity) * (2 * beta + sensitivity) / 2) ** (1 / 3)
    for _ in range(20):
        root -= (root**3 - root / 4 - beta * (beta + sensitivity) * (2 * beta + sensitivity) / 2) / (3 * root**2 - 0.25)
    assert abs(power.step_width - max(1, math.ceil(root - beta))) <= max(0, sensitivity * 1e-9)


def programme(epsilon: float, sensitivity: int, cost: Cost, periods: int, *, continued: bool) -> float:
    """The least cost of any ε-private noise on |i| ≤ N, by linear programming, rescaled as p_i = b^(|i|/Δ) q_i."""
    n = periods * sensitivity
    sizes = np.arange(n + 1.0)
    scale = np.exp(-epsilon * sizes / sensitivity)
    levels = cost.size(sizes)
    weight = np.where(sizes == 0, 1.0, 2.0)
    total, price = weight * scale, weight * scale * levels
    if continued:  # p_(i+Δ) = b p_i beyond the window: a private continuation, so an upper bound.
        for j in range(n + 1 - sensitivity, n + 1):
            tails = np.arange(1.0, int(60 / epsilon))
            total[j] += 2 * scale[j] * np.exp(-epsilon * tails).sum()
            price[j] += 2 * scale[j] * (np.exp(-epsilon * tails) * cost.size(j + tails * sensitivity)).sum()
    rows = []
    for i in range(-n, n + 1):
        for d in range(1, sensitivity + 1):
            if i + d > n:
                continue
            for one, other in ((abs(i), abs(i + d)), (abs(i + d), abs(i))):
                row = np.zeros(n + 1)
                row[one] += scale[one]
                row[other] -= math.exp(epsilon) * scale[other]
                rows.append(row / max(scale[one], scale[other]))
    found = linprog(price, A_ub=np.array(rows), b_ub=np.zeros(len(rows)), A_eq=total[None], b_eq=[1], method="highs")
    assert found.success
    return float(found.fun or 0)


@pytest.mark.parametrize("cost", [Cost.power(1), Cost.power(2), Cost.beyond(2)], ids=lambda cost: cost.name)
@pytest.mark.parametrize("sensitivity", [1, 2, 3, 4])
def test_linear_programs_squeeze_the_optimum(sensitivity: int, cost: Cost) -> None:
    """Thm 2.13: a window without constraints outside is a lower bound, a private continuation an upper one."""
    epsilon = 1.0
    ours = IntegerStaircase(epsilon=1, sensitivity=sensitivity, cost=cost).risk()
    assert programme(epsilon, sensitivity, cost, 12, continued=True) == pytest.approx(ours, rel=1e-6)
    assert programme(epsilon, sensitivity, cost, 12, continued=False) <= ours * (1 + 1e-7)


@pytest.mark.parametrize("cost", COSTS, ids=lambda cost: cost.name)
def test_sensitivity_one_is_geometric_for_every_cost(cost: Cost) -> None:
    staircase, geometric = IntegerStaircase(epsilon=2, sensitivity=1, cost=cost), Geometric(epsilon=2)
    assert all(staircase.mass(i) == pytest.approx(math.tanh(1) * math.exp(-2 * abs(i)), rel=1e-14) for i in range(9))
    assert staircase.risk() == pytest.approx(geometric.risk_for(cost), rel=1e-12)


@pytest.mark.parametrize(("epsilon", "sensitivity", "step"), [(1, 5, 2), (1, 5, 4), (3, 4, 1), (Fraction(1, 2), 6, 6)])
def test_the_loss_is_that_of_the_worst_shift(epsilon: Fraction, sensitivity: int, step: int) -> None:
    noise = IntegerStaircase.with_step(epsilon=epsilon, sensitivity=sensitivity, step_width=step)
    masses = np.array([noise.mass(i) for i in range(-600, 601)])
    for t in (0.0, 0.3, 0.9 * float(epsilon)):
        sums = [np.maximum(masses[:-d] - math.exp(t) * masses[d:], 0).sum() for d in range(1, sensitivity + 1)]
        assert max(sums) == sums[-1]
        bracket = noise.loss().delta_at(t)
        assert bracket.up == pytest.approx(sums[-1], rel=1e-9)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"epsilon": 1, "sensitivity": 2.5}, r"sensitivity = 2\.5 must be a whole number, 1 or above"),
        ({"epsilon": 1, "sensitivity": 0}, "sensitivity = 0 must be a whole number, 1 or above"),
        ({"epsilon": 1, "sensitivity": float("inf")}, "sensitivity = inf must be a whole number, 1 or above"),
        ({"epsilon": float("nan"), "sensitivity": 1}, "epsilon = nan must be a finite number above 0"),
        ({"epsilon": True, "sensitivity": 1}, "epsilon = True must be a number"),
        ({"epsilon": 1e-20, "sensitivity": 1}, "reaches beyond 64-bit integers"),
    ],
)
def test_bad_input_is_told(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(BadValue, match=message):
        IntegerStaircase(**arguments)


def test_a_step_width_outside_is_refused() -> None:
    with pytest.raises(BadValue, match="step_width = 6 must be a whole number from 1 to 5"):
        IntegerStaircase.with_step(epsilon=1, sensitivity=5, step_width=6)
