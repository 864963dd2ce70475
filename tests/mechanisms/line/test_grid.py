import math
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from banister.core.exact.numbers import exp_ball, precision, scaled_floor
from banister.errors import BadValue
from banister.mechanisms import Gaussian, Grid, Laplace, Staircase
from banister.mechanisms.line.line_noise import BLOCK, rounded_unit, rounded_units
from banister.sampling.rounded import ExponentialSize
from tests.seeded import SeededBits
from tests.tape import Tape

REALS = st.floats(min_value=-1e6, max_value=1e6)


@given(REALS, REALS, st.sampled_from([Fraction(1, 8), Fraction(1, 100), Fraction(3, 7), Fraction(2)]))
def test_rounded_answers_differ_by_at_most_the_rounded_up_distance(x: float, y: float, step: Fraction) -> None:
    grid = Grid(step)
    distance = abs(Fraction(x) - Fraction(y))
    assert abs(grid.unit(x) - grid.unit(y)) <= grid.units_of_sensitivity(distance)


@given(st.lists(st.floats(min_value=-1e9, max_value=1e9), min_size=1, max_size=20), st.integers(-30, 10))
def test_one_and_many_round_alike_and_split_exactly(values: list[float], exponent: int) -> None:
    grid = Grid(Fraction(2) ** exponent)
    array = np.array(values)
    assert grid.units(array).tolist() == [grid.unit(value) for value in values]
    whole, part = grid.split(array)
    for i, value in enumerate(values):
        assert -0.5 <= part[i] <= 0.5
        if abs(value) >= grid.smallest_split():
            assert int(whole[i]) + Fraction(float(part[i])) == Fraction(value) / grid.step
        one, rest = grid.split_one(value)
        assert one + rest == Fraction(value) / grid.step


@given(st.lists(st.integers(-(10**12), 10**12), min_size=1, max_size=20), st.sampled_from(["1/100", "1/3", "7/2", 2]))
def test_many_answers_on_any_grid_round_like_one(values: list[int], step: str) -> None:
    grid = Grid(step)
    for array in (np.array(values), np.array(values) / 200):
        assert grid.units(array).tolist() == [grid.unit(value) for value in array.tolist()]


@pytest.mark.parametrize("step", ["1/100", "3/7", "7/2", "12345/67891", Fraction(10**17 + 3, 3**36)], ids=str)
def test_answers_next_to_a_half_round_like_their_exact_fractions(step: str | Fraction) -> None:
    """The doubles on both sides of boundaries, where doubles alone would round some wrongly: 231 for the last step."""
    grid = Grid(step)
    places = (*range(-40, 40), *(int(1.97 * 2**n) + j for n in range(3, 48) for j in range(12)))
    halves = [(place + Fraction(1, 2)) * grid.step for place in places]
    near = [float(half) for half in halves]
    answers = np.array([*near, *np.nextafter(near, -np.inf), *np.nextafter(near, np.inf)])
    exact = [(Fraction(x) / grid.step + Fraction(1, 2)).__floor__() for x in answers.tolist()]
    assert grid.units(answers).tolist() == exact
    assert [grid.unit(x) for x in answers.tolist()] == exact


def test_halves_go_up_and_never_to_even() -> None:
    """Half-even rounding would put 0.5 and 1.5, one apart, two steps apart."""
    grid = Grid(1)
    assert [grid.unit(x) for x in (-1.5, -0.5, 0.5, 1.5, 2.5)] == [-1, 0, 1, 2, 3]
    assert grid.units(np.array([-1.5, -0.5, 0.5, 1.5, 2.5])).tolist() == [-1, 0, 1, 2, 3]
    halves = [Fraction(odd, 2) for odd in (-3, -1, 1, 3, 5)]  # Fractions and whole numbers go a road of their own.
    assert [grid.unit(x) for x in halves] == [-1, 0, 1, 2, 3]
    assert [Grid(2).unit(x) for x in (-3, -1, 1, 3, 5)] == [-1, 0, 1, 2, 3]
    assert round(1.5) - round(0.5) == 2  # what Python's own rounding does
    assert grid.unit(0.49999999999999994) == 0
    assert grid.units(np.array([0.49999999999999994, -1e-300])).tolist() == [0, 0]


def test_whole_answers_and_fractions_are_exact_on_any_grid() -> None:
    grid = Grid("1/3")
    assert grid.units(np.array([1, -7])).tolist() == [3, -21]
    assert grid.unit(Fraction(1, 2)) == 2
    assert grid.place(3) == 1.0
    assert grid.place_many(np.array([3, 6])).tolist() == [1.0, 2.0]


@pytest.mark.parametrize("mechanism", [Laplace, Gaussian])
def test_ideal_noise_needs_a_power_of_two(mechanism: type) -> None:
    arguments = {"epsilon": 1, "sensitivity": 1, "grid": Fraction(1, 10)} | (
        {"delta": 1e-6} if mechanism is Gaussian else {}
    )
    with pytest.raises(BadValue, match=r"grid = 0\.1 must be a power of two for this noise"):
        mechanism(**arguments)


def test_answers_too_small_to_split_are_released_by_the_exact_road() -> None:
    noise = Laplace(epsilon=1, sensitivity=1000, grid=2)
    answers = np.array([5e-324, -5e-324, 0.0, 7.0])
    assert noise.release(np.tile(answers, 50)).shape == (200,)


def test_an_answer_too_small_to_split_still_decides_a_draw_on_a_boundary() -> None:
    """5e-324 over a step of 2 is no double; noise is steered to end half of that below the boundary without it."""
    grid, spread, law, tiny = Grid(2), Fraction(6), ExponentialSize(), 5e-324
    part = Fraction(tiny) / grid.step
    with precision(4000):
        tail = exp_ball(-(Fraction(1, 2) - part / 2) * grid.step / spread)
        steered = [int(digit) for digit in f"{scaled_floor(tail, 1280)[0]:01280b}"]
    assert rounded_unit(grid, tiny, spread, law, Tape([0, *steered])) == 1
    assert rounded_unit(grid, 0.0, spread, law, Tape([0, *steered])) == 0
    first = [1, *[0] * 71]  # What the vector draws, 2 steps, before it goes back to the answer that lost its bits.
    assert rounded_units(grid, np.array([tiny]), spread, law, Tape([*first, 0, *steered])).tolist() == [1]
    assert rounded_units(grid, np.array([7.0]), spread, law, Tape(first)).tolist() == [6]


def test_doubles_are_split_as_the_fractions_they_are() -> None:
    """The quick way for one double is exact, or says nothing: extreme exponents, halves, neighbours of them."""
    for exponent in (-60, -20, 0, 7, 40):
        grid = Grid(Fraction(2) ** exponent)
        step = math.ldexp(1.0, exponent)
        answers = [
            0.0,
            step / 2,
            -step / 2,
            math.nextafter(step / 2, 0),
            3.7 * step,
            -1e5 * step,
            5e-324,
            1e-300,
            step * 2**60,
        ]
        for answer in answers:
            split = grid.split_double(answer)
            if split is not None:
                assert (split[0], Fraction(split[1])) == grid.split_one(answer)
        assert grid.split_double(3.7 * step) is not None
        assert grid.place(-(2**61) + 1) == float((-(2**61) + 1) * grid.step)
    assert Grid(Fraction(1, 3)).split_double(1.0) is None
    with pytest.raises(BadValue, match="the range that a grid"):
        Grid(Fraction(1, 2**20)).split_double(1e200)


def test_a_whole_number_is_released_as_the_double_it_is() -> None:
    for noise in (Laplace(epsilon=1, sensitivity=1), Gaussian.with_sigma(sigma=2, sensitivity=1)):
        for answer in (41, -(2**39)):
            assert noise.release(answer, SeededBits(3)) == noise.release(float(answer), SeededBits(3))
        assert noise.release(Fraction(41), SeededBits(3)) == noise.release(41, SeededBits(3))


@pytest.mark.parametrize("kind", ["staircase", "laplace", "gaussian"])
def test_many_blocks_are_released_as_one(kind: str) -> None:
    """More answers than a block holds: all in their places, none left undrawn, and rounded to the grid."""
    noise = {
        "staircase": Staircase(epsilon=1, sensitivity=1),
        "laplace": Laplace(epsilon=1, sensitivity=1),
        "gaussian": Gaussian.with_sigma(sigma=1, sensitivity=1),
    }[kind]
    answers = np.arange(2 * BLOCK + 17, dtype=np.float64).reshape(-1, 1) * 1000
    released = noise.release(answers, SeededBits(7))
    assert released.shape == answers.shape
    errors = (released - answers).ravel()
    assert np.abs(errors).max() < 60
    assert (errors != 0).mean() > 0.99
    for block in (errors[:BLOCK], errors[BLOCK : 2 * BLOCK]):
        assert np.abs(block).mean() == pytest.approx(noise.risk_for("absolute"), rel=0.05)
    assert not np.array_equal(errors[:BLOCK], errors[BLOCK : 2 * BLOCK])


def test_one_double_is_rounded_like_the_fraction_that_it_is() -> None:
    chance = random.Random(14)
    for _ in range(300):
        grid = Grid(Fraction(chance.randint(1, 50), chance.choice((3, 5, 7, 10, 64))))
        half = float(grid.step) * (chance.randint(-9, 9) + 0.5)
        for answer in (chance.uniform(-9, 9), chance.uniform(-1e9, 1e9), chance.randint(-40, 40) / 4, half):
            assert grid.unit(answer) == math.floor(Fraction(answer) / grid.step + Fraction(1, 2))
    with pytest.raises(BadValue, match="beyond"):
        Grid("1/5").unit(1e300)
