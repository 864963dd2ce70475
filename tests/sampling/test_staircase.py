"""The staircase sampler has exactly its law, on both roads, and never counts zero twice."""

from fractions import Fraction

import numpy as np
import pytest

from banister.errors import BadValue
from banister.sampling.bits import SYSTEM
from banister.sampling.staircase import StaircaseDraw
from tests.sizes import sized
from tests.tape import exact_mass


def mass_of(i: int, epsilon: float, period: int, step: int) -> float:
    b = np.exp(-epsilon)
    k, j = divmod(abs(i), period)
    peak = (1 - b) / (2 * step + 2 * b * (period - step) - (1 - b))
    return float(peak * b ** (k if j < step else k + 1))


@pytest.mark.parametrize("how", ["one", "many"])
@pytest.mark.parametrize(("period", "step"), [(1, 1), (3, 1), (3, 3)])
def test_masses_from_the_table_are_exact(period: int, step: int, how: str) -> None:
    sampler = StaircaseDraw(Fraction(2), period, step, glance=3, word=4)
    draw = sampler.draw if how == "one" else lambda bits: int(sampler.draw_many(1, bits)[0])
    # Each bit of depth doubles the tapes; arrays take ten times as long for each.
    depth = 16 if how == "one" else sized(13, 16)
    mass, undecided = exact_mass(draw, depth=depth)
    assert float(undecided) < (0.6 if depth == 16 else 0.85)
    for i in range(-4, 5):
        assert -1e-15 <= mass_of(i, 2.0, period, step) - float(mass[i]) <= float(undecided)


@pytest.mark.parametrize(("period", "step"), [(1, 1), (3, 1), (3, 3)])
def test_masses_from_digits_are_exact(period: int, step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("banister.sampling.staircase._LARGEST_TABLE", 0)
    monkeypatch.setattr("banister.sampling.staircase._MOST_JOINT", 0)
    sampler = StaircaseDraw(Fraction(2), period, step, glance=2, word=2)
    mass, undecided = exact_mass(sampler.draw, depth=16)
    assert float(undecided) < 0.4
    for i in range(-4, 5):
        assert -1e-15 <= mass_of(i, 2.0, period, step) - float(mass[i]) <= float(undecided)


@pytest.mark.parametrize(("period", "step"), [(1, 1), (3, 1), (3, 2), (3, 3)])
def test_masses_from_period_and_part_are_exact(period: int, step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("banister.sampling.staircase._LARGEST_TABLE", 0)
    sampler = StaircaseDraw(Fraction(2), period, step, glance=2, word=2)
    mass, undecided = exact_mass(sampler.draw, depth=12)
    assert float(undecided) < 0.14
    for i in range(-4, 5):
        assert -1e-15 <= mass_of(i, 2.0, period, step) - float(mass[i]) <= float(undecided)


def test_both_roads_and_both_ways_agree_in_law_on_many_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    table = StaircaseDraw(Fraction(1), 4, 2)
    monkeypatch.setattr("banister.sampling.staircase._LARGEST_TABLE", 0)
    digits = StaircaseDraw(Fraction(1), 4, 2)
    assert table._table is not None
    assert digits._table is None
    n = 200_000
    for values in (table.draw_many(n, SYSTEM), digits.draw_many(n, SYSTEM)):
        for i in (-5, -1, 0, 1, 2, 4):
            p = mass_of(i, 1.0, 4, 2)
            assert abs(np.mean(values == i) - p) < 5.5 * np.sqrt(p * (1 - p) / n)


@pytest.mark.parametrize("largest", [0, 2048])
def test_values_beyond_the_table_keep_their_law(largest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("banister.sampling.staircase._TAIL_RATE", 1)
    monkeypatch.setattr("banister.sampling.staircase._LARGEST_TABLE", largest)
    sampler = StaircaseDraw(Fraction(1), 2, 1)
    assert sampler._periods == 1
    n = 200_000
    values = sampler.draw_many(n, SYSTEM)
    singles = np.array([sampler.draw(SYSTEM) for _ in range(20_000)])
    for i in (-3, -2, 0, 1, 2, 5):
        p = mass_of(i, 1.0, 2, 1)
        assert abs(np.mean(values == i) - p) < 5.5 * np.sqrt(p * (1 - p) / n)
        assert abs(np.mean(singles == i) - p) < 5.5 * np.sqrt(p * (1 - p) / singles.size)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("epsilon", "period"), [(Fraction(1, 10**6), 10), (Fraction(30), 10**12), (Fraction(1), 10**12)]
)
def test_extreme_parameters_keep_their_mean_size(epsilon: Fraction, period: int) -> None:
    step = max(1, period // 3)
    values = np.abs(StaircaseDraw(epsilon, period, step).draw_many(10**6, SYSTEM)) / period
    b, g = np.exp(-float(epsilon)), step / period
    s = g + b * (1 - g)
    one_minus_b = -np.expm1(-float(epsilon))
    mean = b / one_minus_b + (b + one_minus_b * g * g) / (2 * s)
    assert abs(values.mean() - mean) < 6 * values.std() / 1000 + 1.0 / period


def test_a_reach_beyond_64_bits_is_refused() -> None:
    with pytest.raises(BadValue, match=r"reaches beyond 64-bit integers\. Take a coarser grid"):
        StaircaseDraw(Fraction(1, 10**6), 10**12, 1)
