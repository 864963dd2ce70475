"""Noise with a shape of its own: its law, its loss by brute force, its draws, refusals."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from flint import arb

from banister.core.exact.numbers import Bracket, precision
from banister.errors import BadValue
from banister.mechanisms.integers.shaped import ShapedNoise
from tests.seeded import SeededBits

HEIGHTS = [0, 1, 2, 4, 6, 9]


def law(noise: ShapedNoise) -> dict[int, float]:
    return {i: noise.mass(i) for i in range(-noise.edge, noise.edge + 1)}


@pytest.mark.parametrize("width", [1, 5])
@pytest.mark.parametrize("reach", [1, 2])
def test_the_loss_is_true_for_every_shift(width: int, reach: int) -> None:
    """The curve of each shift of what is drawn, whole cells or not, is at most that of the loss; the largest is it."""
    noise = ShapedNoise(heights=HEIGHTS, unit="1/2", reach=reach, width=width)
    masses = law(noise)
    for epsilon in (0.0, 0.3, 0.5, 1.0, 1.7, 3.0):
        claimed = noise.loss().delta_at(epsilon)
        found = [
            sum(max(0.0, p - np.exp(epsilon) * masses.get(i + shift, 0.0)) for i, p in masses.items())
            for shift in range(1, noise.sensitivity + 1)
        ]
        assert max(found) <= claimed.up + 1e-12
        assert found[-1] == pytest.approx(claimed.up, abs=1e-12)


@pytest.mark.parametrize("width", [1, 3])
def test_the_law_adds_up_and_tails_and_moments_agree_with_it(width: int) -> None:
    noise = ShapedNoise(heights=HEIGHTS, unit="1/3", reach=1, width=width)
    masses = law(noise)
    assert sum(masses.values()) == pytest.approx(1, abs=1e-14)
    for size in range(-1, noise.edge + 3):
        tail = sum(p for i, p in masses.items() if abs(i) >= size)
        assert float(noise.at_least(np.array([float(size)]))[0]) == pytest.approx(tail, abs=1e-14)
    with precision(200):
        found = Bracket.of_ball(noise.moment(Fraction(2), Fraction(1)))
        assert found.up == pytest.approx(sum(p * i * i for i, p in masses.items() if abs(i) > 1), rel=1e-13)
        assert Bracket.of_ball(sum((noise.mass_ball(i) for i in masses), arb(0))).holds(1)


@pytest.mark.slow
@pytest.mark.parametrize("width", [1, 3])
def test_draws_follow_the_law(width: int) -> None:
    noise = ShapedNoise(heights=HEIGHTS, unit="1/2", reach=1, width=width)
    drawn = Counter(noise.draw_many(40_000, SeededBits(7)).tolist())
    one = Counter(noise.draw(SeededBits(i)) for i in range(2000))
    assert set(one) <= set(law(noise))
    for value, mass in law(noise).items():
        assert abs(drawn[value] / 40_000 - mass) < 5 * (mass / 40_000) ** 0.5 + 1e-3


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"heights": [0]}, "more than its reach"),
        ({"heights": [0, -1]}, "heights"),
        ({"width": 4}, "must be odd"),
        ({"unit": 0}, "unit"),
        ({"reach": 2, "heights": [0, 8, 0, 8, 0, 8, 20, 28]}, "A shift by 1 cells gives away more"),
    ],
)
def test_refusals(changed, words) -> None:
    with pytest.raises(BadValue, match=words):
        ShapedNoise(**({"heights": HEIGHTS, "unit": "1/2", "reach": 1} | changed))
