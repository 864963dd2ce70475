"""Vector noise on the lattice: private over every shift, its moments and its norm by enumeration."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from banister.core.exact.numbers import BALL_BITS, exp_ball, precision
from banister.errors import BadValue
from banister.mechanisms.vectors.integer_vector_staircase import IntegerVectorStaircase, examples
from banister.sampling.bits import SYSTEM

SMALL = [(2, 1, 1), (2, 3, 1), (2, 3, 2), (2, 4, 4), (3, 2, 1), (3, 3, 2)]


def noise_of(dimension: int, sensitivity: int, step: int, epsilon: Fraction = Fraction(1)) -> IntegerVectorStaircase:
    return IntegerVectorStaircase.with_step(
        epsilon=epsilon, sensitivity=sensitivity, dimension=dimension, step_width=step
    )


def cube(dimension: int, radius: int) -> list[tuple[int, ...]]:
    return list(product(range(-radius, radius + 1), repeat=dimension))


@pytest.mark.parametrize(("dimension", "sensitivity", "step"), SMALL)
def test_no_shift_within_the_sensitivity_exceeds_e_to_the_epsilon(dimension: int, sensitivity: int, step: int) -> None:
    noise = noise_of(dimension, sensitivity, step)
    shifts = [s for s in cube(dimension, sensitivity) if 0 < sum(map(abs, s)) <= sensitivity]
    with precision(BALL_BITS):
        limit = exp_ball(noise.epsilon)
        masses = [noise.mass_ball(norm) for norm in range(8 * sensitivity + 4 * dimension)]
        pairs = set()
        for x in cube(dimension, 2 * sensitivity + 1):
            pairs |= {(sum(map(abs, x)), sum(abs(a + b) for a, b in zip(x, s, strict=True))) for s in shifts}
        assert all(abs(a - b) <= sensitivity for a, b in pairs)
        # Equal to e^epsilon up to the ball's radius, which is why the bound carries 2^-200.
        assert all(masses[a] <= masses[b] * limit * (1 + exp_ball(-140)) for a, b in pairs)
        assert any(masses[a] > masses[b] * limit * (1 - exp_ball(-140)) for a, b in pairs)


@pytest.mark.parametrize(("dimension", "sensitivity", "step"), SMALL)
def test_masses_and_moments_equal_enumeration(dimension: int, sensitivity: int, step: int) -> None:
    noise = noise_of(dimension, sensitivity, step, Fraction(4))
    points = cube(dimension, 7 * sensitivity + 2 if dimension == 2 else 12)
    norms = np.array([sum(map(abs, x)) for x in points])
    squares = np.array([sum(t * t for t in x) for x in points])
    with precision(BALL_BITS):
        table = np.array([float(noise.mass_ball(n)) for n in range(int(norms.max()) + 1)])
    masses = table[norms]
    left = 1 - masses.sum()  # What lies outside the cube.
    assert -1e-13 < left < 1e-6
    assert noise.risk_for("absolute") == pytest.approx(float(np.dot(masses, norms)), abs=1e3 * left + 1e-12)
    assert noise.risk_for("squared") == pytest.approx(float(np.dot(masses, squares)), abs=1e4 * left + 1e-12)
    for size in range(-1, 8):
        assert noise.norm_beyond(size) == pytest.approx(float(masses[norms > size].sum()), abs=left + 1e-13)
    assert noise.mass(points[0]) == pytest.approx(masses[0], rel=1e-12)


@pytest.mark.parametrize("cost", ["absolute", "squared"])
@pytest.mark.parametrize(("epsilon", "dimension"), [(1, 1), (1, 2), (5, 2), (2, 4)])
def test_the_step_width_is_the_best_of_all(cost: str, epsilon: int, dimension: int) -> None:
    for sensitivity in (1, 5, 40, 100):
        noise = IntegerVectorStaircase(epsilon=epsilon, sensitivity=sensitivity, dimension=dimension, cost=cost)
        others = [
            IntegerVectorStaircase.with_step(
                epsilon=epsilon, sensitivity=sensitivity, dimension=dimension, step_width=r, cost=cost
            ).risk()
            for r in range(1, sensitivity + 1)
        ]
        assert noise.risk() <= min(others) * (1 + 1e-12)


def test_one_dimension_is_the_integer_staircase() -> None:
    from banister.mechanisms.integers.integer_staircase import IntegerStaircase

    for cost in ("absolute", "squared"):
        vector = IntegerVectorStaircase(epsilon=1, sensitivity=7, dimension=1, cost=cost)
        line = IntegerStaircase(epsilon=1, sensitivity=7, cost=cost)
        assert vector.step_width == line.step_width
        assert vector.risk() == pytest.approx(line.risk(), rel=1e-13)
        assert vector.mass([3]) == pytest.approx(line.mass(3), rel=1e-13)


@pytest.mark.parametrize("noise", examples())
def test_draws_cost_what_theory_says(noise: IntegerVectorStaircase) -> None:
    n = 100_000
    drawn = np.abs(noise.release(np.zeros((n, noise.dimension), dtype=np.int64), SYSTEM).astype(np.float64))
    for cost, values in (("absolute", drawn.sum(axis=1)), ("squared", (drawn**2).sum(axis=1))):
        assert abs(values.mean() - noise.risk_for(cost)) < 6 * values.std() / np.sqrt(n)
    inside = np.mean(drawn.sum(axis=1) <= noise.interval(0.9))
    assert inside > 0.9 - 0.006
    assert noise.norm_beyond(noise.interval(0.9) - 1) > 0.1


def test_one_vector_and_many_are_released() -> None:
    noise = IntegerVectorStaircase(epsilon=30, sensitivity=1, dimension=3)
    assert np.abs(noise.release([1, 2, 3]) - np.array([1, 2, 3])).sum() <= 3
    many = noise.release(np.full((1000, 3), 10**12))
    assert many.shape == (1000, 3)
    assert many.dtype == np.int64
    assert noise.loss().epsilon_at(0).up == pytest.approx(30)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"dimension": 0}, r"dimension = 0 must be a whole number from 1 to 128\."),
        ({"sensitivity": 1.5}, r"sensitivity = 1\.5 must be a whole number, 1 or above\."),
        ({"epsilon": float("nan")}, r"epsilon = nan must be a finite number above 0"),
        ({"cost": 3}, r"The cost '\|error\|\^3' is not offered for vectors\. Take 'absolute'"),
    ],
)
def test_bad_parameters_are_refused(arguments: dict[str, object], message: str) -> None:
    good: dict[str, object] = {"epsilon": 1, "sensitivity": 2, "dimension": 3, "cost": "absolute"}
    with pytest.raises(BadValue, match=message):
        IntegerVectorStaircase(**(good | arguments))  # type: ignore[arg-type]


def test_a_step_beyond_the_sensitivity_is_refused() -> None:
    with pytest.raises(BadValue, match=r"step_width = 3 must be a whole number from 1 to 2\."):
        noise_of(2, 2, 3)


def test_answers_that_do_not_fit_are_refused_without_being_shown() -> None:
    noise = examples()[0]
    with pytest.raises(BadValue, match=r"have the shape \(3,\)\. Give one vector of 2 numbers, or an array of n × 2\."):
        noise.release([1, 2, 3])
    with pytest.raises(BadValue, match=r"rows of different lengths\. Give rows of 2 numbers each\."):
        noise.release([[1, 2], [3]])  # type: ignore[list-item]
    with pytest.raises(BadValue, match=r"of type float64, but this noise is for whole numbers.*VectorStaircase"):
        noise.release(np.array([1.5, 2.5]))
    with pytest.raises(BadValue, match=r"beyond ±2\^61"):
        noise.release([1, 1 << 62])
