"""Points of a ball are uniform tape by tape; the radius has its law; close calls are settled in whole numbers."""

from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from banister.core.laws.lattice import points_within
from banister.errors import BadValue
from banister.sampling.bits import SYSTEM
from banister.sampling.lattice import LatticeStaircaseDraw, uniform_in_ball, uniform_in_balls
from banister.sampling.uniform import uniform_below_each
from tests.tape import Tape, exact_mass


def ball_points(dimension: int, radius: int) -> list[tuple[int, ...]]:
    cube = product(range(-radius, radius + 1), repeat=dimension)
    return [x for x in cube if sum(map(abs, x)) <= radius]


@pytest.mark.parametrize("n", [1, 2, 3, 5, 7])
def test_bounded_numbers_are_uniform(n: int) -> None:
    mass, undecided = exact_mass(lambda bits: int(uniform_below_each(np.array([n]), bits, word=3)[0]), depth=12)
    assert undecided < Fraction(1, 15)
    assert all(mass[i] == (1 - undecided) / n for i in range(n))


def test_bounded_numbers_use_all_of_a_64_bit_word() -> None:
    # 2^64 mod 3 = 1: the word 0 is drawn again, the word 1 gives 1.
    words = [0] * 64 + [0] * 63 + [1]
    assert uniform_below_each(np.array([3]), Tape(words))[0] == 1
    assert uniform_below_each(np.array([1 << 62]), Tape([1] * 64))[0] == (1 << 62) - 1


@pytest.mark.parametrize(("dimension", "radius", "depth"), [(1, 1, 14), (2, 1, 16), (1, 2, 14)])
def test_points_of_a_ball_are_uniform(dimension: int, radius: int, depth: int) -> None:
    def draw(bits: Tape) -> tuple[int, ...]:
        return tuple(uniform_in_balls(np.array([radius]), dimension, bits, word=2)[0].tolist())

    mass, undecided = exact_mass(draw, depth=depth)
    assert undecided < Fraction(1, 2)
    share = Fraction(1, points_within(dimension, radius))
    for point in ball_points(dimension, radius):
        assert 0 <= share - mass[point] <= undecided
    assert sum(mass.values()) + undecided == 1


@pytest.mark.parametrize(("dimension", "radius", "depth"), [(1, 1, 12), (2, 1, 14), (1, 3, 12), (2, 2, 16)])
def test_one_point_of_a_ball_is_uniform(dimension: int, radius: int, depth: int) -> None:
    mass, undecided = exact_mass(lambda bits: tuple(uniform_in_ball(radius, dimension, bits)), depth=depth)
    assert undecided < Fraction(1, 4)
    share = Fraction(1, points_within(dimension, radius))
    for point in ball_points(dimension, radius):
        assert 0 <= share - mass[point] <= undecided
    assert sum(mass.values()) + undecided == 1


def test_one_vector_and_many_have_the_same_law() -> None:
    sampler = LatticeStaircaseDraw(Fraction(1), 3, 2, 3)
    n = 6000
    one = np.abs([sampler.draw(SYSTEM) for _ in range(n)]).sum(axis=1)
    many = np.abs(sampler.draw_many(20 * n, SYSTEM)).sum(axis=1)
    for size in (0, 2, 5, 10, 20):
        p = np.mean(many <= size)
        assert abs(np.mean(one <= size) - p) < 6 * np.sqrt(p * (1 - p) / n) + 1e-9


@pytest.mark.parametrize(("dimension", "radius"), [(2, 3), (3, 2), (4, 1)])
def test_many_points_of_a_ball_are_uniform(dimension: int, radius: int) -> None:
    points = ball_points(dimension, radius)
    n = 400 * len(points)
    counts = Counter(map(tuple, uniform_in_balls(np.full(n, radius), dimension, SYSTEM).tolist()))
    assert set(counts) == set(points)
    square = sum((counts[x] - 400) ** 2 / 400 for x in points)
    freedom = len(points) - 1
    assert square < freedom + 6 * np.sqrt(2 * freedom) + 12


def test_a_close_call_of_the_support_is_settled_exactly() -> None:
    # d = 1, n = 1: P(support 0) = 1/3; a word that begins like 1/3 needs the next one.
    third = [int(digit) for digit in f"{(1 << 64) // 3:064b}"]
    assert uniform_in_balls(np.array([1]), 1, Tape(third + [0] * 64))[0].tolist() == [0]
    one = uniform_in_balls(np.array([1]), 1, Tape(third + [1] * 64 + [0] * 64 + [1] * 8))[0].tolist()
    assert one == [-1]


def test_radius_zero_is_the_origin_in_every_dimension() -> None:
    assert not uniform_in_balls(np.zeros(1000, dtype=np.int64), 40, SYSTEM).any()


@pytest.mark.parametrize(("period", "step", "dimension"), [(1, 1, 2), (3, 2, 3), (4, 1, 6)])
def test_radii_have_their_law(period: int, step: int, dimension: int) -> None:
    epsilon, n = Fraction(3, 2), 200_000
    sampler = LatticeStaircaseDraw(epsilon, period, step, dimension)
    periods = (sampler.radii(n, SYSTEM) - step + 1) // period
    k = np.arange(200)
    weights = np.array([float(points_within(dimension, step - 1 + int(i) * period)) for i in k]) * np.exp(-1.5 * k)
    weights /= weights.sum()
    for i in range(12):
        p = weights[i]
        assert abs(np.mean(periods == i) - p) < 6 * np.sqrt(p * (1 - p) / n)


def test_no_vectors_and_one_vector_have_the_right_shape() -> None:
    sampler = LatticeStaircaseDraw(Fraction(1), 2, 1, 5)
    assert sampler.draw_many(0, SYSTEM).shape == (0, 5)
    assert sampler.draw_many(1, SYSTEM).shape == (1, 5)


def test_a_reach_beyond_64_bits_is_refused() -> None:
    with pytest.raises(BadValue, match=r"reaches beyond 64-bit integers\. Take a coarser grid"):
        LatticeStaircaseDraw(Fraction(1, 10**6), 10**12, 1, 3)
