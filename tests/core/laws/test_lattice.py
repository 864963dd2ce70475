"""Counts of whole vectors agree with enumeration, and averages over geometric numbers with their sums."""

from fractions import Fraction
from itertools import product

import mpmath
import pytest

from banister.core.exact.numbers import precision
from banister.core.laws.lattice import (
    geometric_mean_of,
    points_within,
    polynomial_differences,
    sizes_within,
    squares_within,
    supports_within,
)


@pytest.mark.parametrize("dimension", [1, 2, 3, 4])
@pytest.mark.parametrize("radius", [0, 1, 2, 4])
def test_counts_equal_enumeration(dimension: int, radius: int) -> None:
    cube = product(range(-radius, radius + 1), repeat=dimension)
    inside = [x for x in cube if sum(map(abs, x)) <= radius]
    assert points_within(dimension, radius) == len(inside)
    assert sizes_within(dimension, radius) == sum(sum(map(abs, x)) for x in inside)
    assert squares_within(dimension, radius) == sum(sum(t * t for t in x) for x in inside)
    for j, count in enumerate(supports_within(dimension, radius)):
        assert count == sum(1 for x in inside if sum(t != 0 for t in x) == j)


@pytest.mark.parametrize(("dimension", "step", "period"), [(1, 1, 1), (2, 3, 5), (6, 1, 4), (9, 7, 7)])
def test_counts_have_positive_coordinates_in_binomials(dimension: int, step: int, period: int) -> None:
    # Without this the mixture of the sampler would not be one.
    heads = polynomial_differences(lambda k: points_within(dimension, step - 1 + k * period), dimension)
    assert all(head >= 0 for head in heads)
    assert heads[-1] > 0


@pytest.mark.parametrize("epsilon", [Fraction(1, 20), Fraction(1), Fraction(6)])
def test_averages_equal_their_sums(epsilon: Fraction) -> None:
    with mpmath.workdps(40), precision(200):
        b = mpmath.exp(-mpmath.mpf(epsilon.numerator) / epsilon.denominator)
        heads = polynomial_differences(lambda k: points_within(3, 1 + 2 * k), 3)
        counted = (1 - b) * mpmath.nsum(lambda k: b**k * points_within(3, 1 + 2 * int(k)), [0, 4000])
        assert abs(float(geometric_mean_of(heads, epsilon)) / float(counted) - 1) < 1e-14
