"""The truncated staircase and uniform noise: private for every (epsilon, delta), best for sensitivity 1."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb
from scipy.optimize import linprog

from banister.core.exact.numbers import BALL_BITS, exp_ball, precision
from banister.core.laws.cost import Cost
from banister.errors import BadValue
from banister.mechanisms import Gaussian, Grid, OnGrid, TruncatedStaircase, Uniform
from tests.tape import Tape

PAIRS = [(1, 1e-6), (1, 0.1), (0.2, 0.4), (0.05, 0.7), (3, 0.01), (0.5, 0.999), (Fraction(1, 10), Fraction(13, 100))]


@pytest.mark.parametrize(("epsilon", "delta"), PAIRS)
@pytest.mark.parametrize("sensitivity", [1, 2, 3, 5])
def test_every_shift_stays_within_delta_in_certified_arithmetic(epsilon: float, delta: float, sensitivity: int) -> None:
    noise = TruncatedStaircase(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
    far = noise.edge + sensitivity
    with precision(BALL_BITS):
        level, masses = exp_ball(noise.epsilon), {i: noise.mass_ball(i) for i in range(-far, far + 1)}
        assert all(mass > 0 for i, mass in masses.items() if abs(i) <= noise.edge)
        assert sum(masses.values(), arb(0)).contains(1)
        for shift in range(1, sensitivity + 1):
            excess = sum(
                (
                    arb.max(masses.get(i, arb(0)) - level * masses.get(i + shift, arb(0)), arb(0))
                    for i in range(-far, far + 1)
                ),
                arb(0),
            )
            allowed = arb(noise.delta.numerator) / noise.delta.denominator
            assert excess.lower() <= allowed.upper()
            if shift == sensitivity == 1 and noise.edge > 0:
                assert excess.overlaps(allowed)  # Nothing is left unused.


def optimum(epsilon: float, delta: float, sensitivity: int, cost: Cost, reach: int) -> float:
    """The full linear program over symmetric noise on |i| ≤ reach, all shifts."""
    n, shifts = reach, range(1, sensitivity + 1)
    sizes = np.arange(n + 1.0)
    pairs = [(d, i) for d in shifts for i in range(-n - d, n + 1)]
    width = n + 1 + len(pairs)
    price = np.zeros(width)
    price[: n + 1] = cost.size(sizes) * np.where(sizes == 0, 1, 2)
    equal = np.zeros((1, width))
    equal[0, : n + 1] = np.where(sizes == 0, 1, 2)
    rows, limits = [], []
    for index, (d, i) in enumerate(pairs):
        row = np.zeros(width)
        if abs(i) <= n:
            row[abs(i)] += 1
        if abs(i + d) <= n:
            row[abs(i + d)] -= math.exp(epsilon)
        row[n + 1 + index] = -1
        rows.append(row)
        limits.append(0.0)
    for d in shifts:
        row = np.zeros(width)
        row[[n + 1 + index for index, (e, _) in enumerate(pairs) if e == d]] = 1
        rows.append(row)
        limits.append(delta)
    found = linprog(price, A_ub=np.array(rows), b_ub=limits, A_eq=equal, b_eq=[1], method="highs")
    assert found.success
    return float(found.fun or 0)


@pytest.mark.parametrize("cost", [Cost.power(1), Cost.power(2), Cost.beyond(1)], ids=lambda cost: cost.name)
@pytest.mark.parametrize(("epsilon", "delta"), [(1, 0.01), (0.5, 0.1), (2, 0.3)])
def test_for_sensitivity_one_nothing_is_better(epsilon: float, delta: float, cost: Cost) -> None:
    noise = TruncatedStaircase(epsilon=epsilon, delta=delta, sensitivity=1, cost=cost)
    assert noise.risk() == pytest.approx(optimum(epsilon, delta, 1, cost, noise.edge + 3), rel=1e-6)


def test_for_larger_sensitivity_it_is_close_to_the_linear_program() -> None:
    noise = TruncatedStaircase(epsilon=1, delta=0.05, sensitivity=3)
    best = optimum(1, 0.05, 3, Cost.power(1), noise.edge + 6)
    assert best <= noise.risk() * (1 + 1e-7)
    assert noise.risk() <= best * 1.005


@pytest.mark.parametrize(
    ("epsilon", "delta", "gaussian", "ours"),
    [(1, 1e-6, 17.85, 1.9179), (0.1, 1e-6, 1318, 199.65), (3, 1e-6, 2.384, 0.15267), (5, 1e-6, 0.9605, 0.02971)],
)
def test_one_question_on_the_line_against_the_gaussian(
    epsilon: float, delta: float, gaussian: float, ours: float
) -> None:
    grid = Grid(Fraction(1, 2**12))
    cut = TruncatedStaircase(epsilon=epsilon, delta=delta, sensitivity=2**12, cost="squared")
    assert OnGrid(cut, grid).risk_for("squared") == pytest.approx(ours, rel=1e-4)
    assert Gaussian(epsilon=epsilon, delta=delta, sensitivity=1).risk_for("squared") == pytest.approx(
        gaussian, rel=5e-4
    )


@pytest.mark.parametrize(
    "delta", [Fraction(1, 10), Fraction(13, 100), Fraction(7, 100), Fraction(1234, 10**6), Fraction(9, 10), 1]
)
@pytest.mark.parametrize("sensitivity", [1, 3, 4])
def test_uniform_noise_fills_windows_up_to_delta_exactly(delta: Fraction, sensitivity: int) -> None:
    noise = Uniform(delta=delta, sensitivity=sensitivity)
    edge = noise.edge
    masses = {i: noise.exact_mass(i) for i in range(-edge - sensitivity, edge + sensitivity + 1)}
    assert sum(masses.values()) == 1
    for shift in range(1, sensitivity + 1):
        excess = sum(max(Fraction(0), mass - masses.get(i + shift, Fraction(0))) for i, mass in masses.items())
        assert excess <= delta


@pytest.mark.parametrize(
    "noise", [Uniform(delta="1/10", sensitivity=1), Uniform(delta="13/100", sensitivity=3)], ids=repr
)
def test_an_edge_of_uniform_noise_is_kept_exactly_as_often_as_its_mass_says(noise: Uniform) -> None:
    """A word just below and just above 2^64 · (edge mass / inner mass); what is not kept is drawn again, here as 0."""
    edge = noise.edge
    width, threshold = (2 * edge).bit_length(), int(noise.exact_mass(edge) / noise.height * 2**64)
    assert 0 < threshold < 2**64
    for value in (edge, -edge):
        for word, found in ((threshold - 1, value), (threshold + 1, 0)):
            bits = f"{value + edge:0{width}b}{word:064b}{edge:0{width}b}"
            assert noise.draw(Tape(int(bit) for bit in bits)) == found


def test_uniform_costs_of_the_thesis() -> None:
    """[G13] Cor 4.4, 4.5: E|Z| = Δ/(4δ), E Z² = Δ²/(12δ²) + 1/6 where 1/(2δ) is whole."""
    noise = Uniform(delta=Fraction(1, 20), sensitivity=6)
    assert noise.risk_for("absolute") == 30
    assert noise.risk_for("squared") == pytest.approx(36 * 400 / 12 + 1 / 6)


def test_both_roads_of_the_sampler_have_one_law() -> None:
    """Little delta rejects from the staircase, much delta from the uniform law; both follow the masses."""
    for epsilon, delta in ((1, 0.05), (0.05, 0.3)):
        noise = TruncatedStaircase(epsilon=epsilon, delta=delta, sensitivity=3)
        values = noise.release(np.zeros(300_000, dtype=np.int64))
        assert np.abs(values).max() == noise.edge
        for i in (-noise.edge, -1, 0, 2, noise.edge):
            p = noise.mass(i)
            assert abs(np.mean(values == i) - p) < 5.5 * math.sqrt(p * (1 - p) / values.size)


def test_the_limit_of_no_epsilon_is_uniform() -> None:
    nearly = TruncatedStaircase(epsilon=Fraction(1, 10**9), delta=Fraction(1, 10), sensitivity=1)
    uniform = Uniform(delta=Fraction(1, 10), sensitivity=1)
    assert all(nearly.mass(i) == pytest.approx(uniform.mass(i), abs=1e-8) for i in range(7))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"epsilon": 1, "delta": 0, "sensitivity": 1},
            r"delta = 0 must be a finite number above 0\. For delta = 0 use",
        ),
        ({"epsilon": 0, "delta": 0.1, "sensitivity": 1}, r"epsilon = 0 must be .* For epsilon = 0 use Uniform"),
        ({"epsilon": 1, "delta": 1.5, "sensitivity": 1}, r"delta = 1\.5 must be a number from 0 to 1"),
        ({"epsilon": 1, "delta": 0.1, "sensitivity": 1.5}, r"sensitivity = 1\.5 must be a whole number"),
    ],
)
def test_bad_input_is_told(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(BadValue, match=message):
        TruncatedStaircase(**arguments)


def test_uniform_refuses_what_allows_nothing() -> None:
    with pytest.raises(BadValue, match="With delta = 0 and epsilon = 0 nothing can be published"):
        Uniform(delta=0, sensitivity=1)
    with pytest.raises(BadValue, match="sensitivity / delta = "):
        Uniform(delta=Fraction(1, 10**30), sensitivity=1)
