"""Tabulated noise keeps its guarantee exactly, and the optimum lies between a certified bound and what is built."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb

from banister.core.exact.numbers import exp_ball, fraction_down, precision
from banister.core.programs.highs import HighsSolver
from banister.core.programs.linear import LinearProgram, LinearSolution
from banister.errors import BadValue
from banister.mechanisms.integers.tabulated import TabulatedNoise
from banister.mechanisms.integers.truncated_staircase import TruncatedStaircase
from banister.mechanisms.integers.uniform import Uniform
from tests.tape import exact_mass

SOLVER = HighsSolver()


def hockey_stick(noise: TabulatedNoise, shift: int) -> arb:
    """Written anew, in balls of 400 bits, to hold the code's whole-number arithmetic to account."""
    with precision(400):
        level, total = exp_ball(noise.epsilon), arb(0)
        for i in range(-noise.edge - shift, noise.edge + 1):
            total += arb.max(noise.mass_ball(i) - level * noise.mass_ball(i + shift), arb(0))
        return total


def closed_form(epsilon: Fraction, delta: Fraction, sensitivity: int, cost: str) -> float:
    if epsilon:
        return TruncatedStaircase(epsilon=epsilon, delta=delta, sensitivity=sensitivity, cost=cost).risk()
    return Uniform(delta=delta, sensitivity=sensitivity, cost=cost).risk()


@pytest.mark.parametrize("cost", ["absolute", "squared"])
@pytest.mark.parametrize("sensitivity", [1, 2, 3, 5])
@pytest.mark.parametrize(
    ("epsilon", "delta"),
    [
        ("0", "1/10"),
        ("0", "13/100"),
        ("1/2", "1/100"),
        ("1", "1/1000000"),
        ("1", "1/10"),
        ("1/5", "7/10"),
        ("3", "1/1000"),
    ],
)
def test_the_optimum_is_squeezed_and_private(epsilon: str, delta: str, sensitivity: int, cost: str) -> None:
    level, chance = Fraction(epsilon), Fraction(delta)
    noise, bound = TabulatedNoise.least_with_bound(
        epsilon=level, delta=chance, sensitivity=sensitivity, cost=cost, solver=SOLVER
    )
    assert noise.delta <= chance
    for shift in range(1, sensitivity + 1):
        # Equal to delta up to the ball's own radius; the exact fraction above is the claim.
        assert fraction_down(hockey_stick(noise, shift)) <= noise.delta
    assert bound <= noise.risk() * (1 + 1e-14)
    assert noise.risk() <= bound * (1 + 1e-6)
    assert noise.risk() <= closed_form(level, chance, sensitivity, cost) * (1 + 1e-9)


def test_known_optima() -> None:
    least = TabulatedNoise.least(epsilon=0, delta="1/10", sensitivity=3, cost="squared", solver=SOLVER)
    assert least.risk() == pytest.approx(75.1207, abs=5e-5)
    assert Uniform(delta="1/10", sensitivity=3, cost="squared").risk() == pytest.approx(75.1667, abs=5e-5)
    # Uniform noise is exactly optimal for magnitude where 1/(2 delta) is whole.
    assert TabulatedNoise.least(epsilon=0, delta="1/10", sensitivity=3, solver=SOLVER).risk() == pytest.approx(7.5)


@pytest.mark.parametrize("delta", ["1/10", "1/100", "3/10"])
def test_for_sensitivity_one_the_truncated_staircase_is_optimal_for_every_cost(delta: str) -> None:
    for cost in ("absolute", "squared", 0.5, lambda x: abs(x) > 2):
        args: dict[str, Any] = {"epsilon": 1, "delta": delta, "sensitivity": 1, "cost": cost}
        best, bound = TabulatedNoise.least_with_bound(solver=SOLVER, **args)
        assert best.risk() == pytest.approx(TruncatedStaircase(**args).risk(), rel=1e-6)
        # A bounded cost never outgrows the price of the window's edge, so its bound is a little lower.
        assert best.risk() * (1 - 1e-5) <= bound <= best.risk() * (1 + 1e-12)


def test_the_optimum_need_not_be_monotone_so_all_shifts_matter() -> None:
    noise = TabulatedNoise(masses=["1/5", "0", "2/5"], epsilon=0, sensitivity=4)
    by_shift = [TabulatedNoise(masses=noise.masses, epsilon=0, sensitivity=1).delta, noise.delta]
    assert by_shift == [1, 1]  # The atoms -2, 0, 2 moved by one are all new, though moved by 2 or 4 they are not.
    assert hockey_stick(noise, 4) < 1


class Careless:
    """A solver that answers with all mass at 0 and prices of 1: neither private nor optimal."""

    def solve(self, program: LinearProgram) -> LinearSolution:
        point = np.zeros(program.cost.size)
        point[0] = 1.0
        rows = np.full(program.row_lower.size, 1.0)
        return LinearSolution(point=point, objective=0.0, row_duals=rows, column_duals=np.zeros(point.size))


def test_a_wrong_answer_of_the_solver_costs_accuracy_and_never_privacy() -> None:
    noise, bound = TabulatedNoise.least_with_bound(epsilon=1, delta="1/100", sensitivity=2, solver=Careless())
    assert noise.delta <= Fraction(1, 100)
    best = TabulatedNoise.least(epsilon=1, delta="1/100", sensitivity=2, solver=SOLVER)
    assert bound <= best.risk() <= noise.risk()


@pytest.mark.parametrize("how", ["one", "many"])
def test_draws_are_exact(how: str) -> None:
    from banister.mechanisms.integers.tabulated import _cumulative
    from banister.sampling.table import ExactTable

    noise = TabulatedNoise(masses=["2/5", "1/10", "1/5"], epsilon=1, sensitivity=2)
    table = ExactTable(_cumulative(noise.masses), glance=2, word=4)
    object.__setattr__(noise, "_table", table)
    draw = noise.draw if how == "one" else lambda bits: int(noise.draw_many(1, bits)[0])
    mass, undecided = exact_mass(draw, depth=16)
    assert undecided < Fraction(1, 500)
    for i in range(-3, 4):
        assert 0 <= noise.exact_mass(i) - mass[i] <= undecided


def test_trailing_zeros_are_dropped_and_the_law_is_exact() -> None:
    noise = TabulatedNoise(masses=["1/2", "1/4", 0, 0], epsilon=0, sensitivity=1)
    assert noise.edge == 1
    assert noise.exact_mass(-1) == Fraction(1, 4)
    assert noise.exact_mass(5) == 0
    assert "masses" not in repr(noise)
    assert TabulatedNoise(masses=[1], epsilon=0, sensitivity=1).delta == 1


@pytest.mark.parametrize(
    ("masses", "message"),
    [
        (["1/2", "1/2"], r"The masses add up to 1\.5, counting those beyond 0 twice, and must add up to exactly 1\."),
        ([], r"The masses add up to 0,"),
        ([2, "-1/2"], r"masses\[1\] = -0\.5 must be a finite number, 0 or above\."),
        ("1/2", r"masses = '1/2' must be a list of numbers: P\(0\), P\(1\)"),
        (3, r"masses = 3 must be a list of numbers"),
        ([float("nan")], r"masses\[0\] = nan must be a finite number"),
    ],
)
def test_masses_that_are_no_law_are_refused(masses: Any, message: str) -> None:
    with pytest.raises(BadValue, match=message):
        TabulatedNoise(masses=masses, epsilon=1, sensitivity=1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"delta": 0}, r"delta = 0 must be a number above 0 and below 1\. For delta = 0 use IntegerStaircase\."),
        ({"delta": 1.5}, r"delta = 1\.5 must be"),
        ({"epsilon": -1}, r"epsilon = -1 must be a number from 0 to 500\."),
        ({"sensitivity": 0}, r"sensitivity = 0 must be a whole number, 1 or above\."),
        ({"sensitivity": 60, "delta": 1e-9}, r"would have \d+ rows; at most 40000 are tried\. Use TruncatedStaircase"),
    ],
)
def test_bad_parameters_are_refused(arguments: dict[str, object], message: str) -> None:
    good: dict[str, object] = {"epsilon": 1, "delta": "1/100", "sensitivity": 2, "solver": SOLVER}
    with pytest.raises(BadValue, match=message):
        TabulatedNoise.least(**(good | arguments))  # type: ignore[arg-type]
