"""Staircase noise on an l1 ball."""

import itertools

import pytest

import banister as bn
from banister.core.laws.lattice import points_within
from banister.errors import BadValue
from banister.mechanisms.vectors.truncated_vector_staircase import TruncatedVectorStaircase, uncovered


@pytest.mark.parametrize(("dimension", "radius"), [(1, 3), (2, 4), (3, 3), (3, 0)])
def test_points_that_a_move_uncovers_are_counted(dimension: int, radius: int) -> None:
    ball = [x for x in itertools.product(range(-radius, radius + 1), repeat=dimension) if sum(map(abs, x)) <= radius]
    assert len(ball) == points_within(dimension, radius)
    for move in range(1, 2 * radius + 3):
        left = sum(abs(x[0] + move) + sum(map(abs, x[1:])) > radius for x in ball)
        assert uncovered(dimension, radius, move) == left


def test_in_one_dimension_it_is_the_truncated_staircase() -> None:
    for delta in ("1/20", "1/1000000"):
        one = TruncatedVectorStaircase(epsilon=1, delta=delta, sensitivity=1, dimension=1)
        assert one.risk() == pytest.approx(
            bn.TruncatedStaircase(epsilon=1, delta=delta, sensitivity=1).risk(), rel=1e-14
        )


def test_a_delta_saves_noise_and_the_comparison_says_so() -> None:
    found = bn.least_noise(epsilon=1, delta="1/100", sensitivity=3, dimension=3, touches="all", over="integers")
    assert found.best.name == "truncated staircase on the l1 ball"
    pure = bn.IntegerVectorStaircase(epsilon=1, sensitivity=3, dimension=3)
    assert found.best.risk == pytest.approx(8.5374, abs=1e-4)
    assert pure.risk() == pytest.approx(8.8323, abs=1e-4)


def test_what_it_cannot_be_is_said() -> None:
    with pytest.raises(BadValue, match="more than 2000 steps. Take a larger epsilon or delta"):  # noqa: RUF043
        TruncatedVectorStaircase(epsilon="1/10000", delta="1e-9", sensitivity=1, dimension=2)
    noise = TruncatedVectorStaircase(epsilon=1, delta="1/20", sensitivity=1, dimension=2)
    with pytest.raises(BadValue, match="are of type float64, but this noise is for whole numbers"):
        noise.release([1.5, 2.5])  # type: ignore[list-item]
    with pytest.raises(BadValue, match=r"The answers have the shape \(3,\)"):
        noise.release([1, 2, 3])
