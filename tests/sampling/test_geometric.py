from fractions import Fraction

import numpy as np
import pytest

from banister.errors import BadValue
from banister.sampling.bits import SYSTEM
from banister.sampling.geometric import GeometricDraw, geometric_draw
from tests.tape import exact_mass


@pytest.mark.parametrize("how", ["one", "many"])
@pytest.mark.parametrize("rate", [Fraction(1), Fraction(3, 2)])
def test_masses_are_exact(rate: Fraction, how: str) -> None:
    sampler = GeometricDraw(rate, glance=3, word=6)
    draw = sampler.draw if how == "one" else lambda bits: int(sampler.draw_many(1, bits)[0])
    mass, undecided = exact_mass(draw, depth=18)
    b = np.exp(-float(rate))
    assert float(undecided) < 0.01
    for k in range(8):
        assert -1e-15 <= (1 - b) * b**k - float(mass[k]) <= float(undecided)


def test_digits_make_the_same_law_as_one_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """With radix 2 and a rate that needs low digits, every tape still gives (1 - b) b^k."""
    monkeypatch.setattr("banister.sampling.geometric._RADIX", 2)
    monkeypatch.setattr("banister.sampling.geometric._SMALL_RATE", Fraction(2))
    sampler = GeometricDraw(Fraction(3, 4), glance=2, word=2)
    assert len(sampler._low_digits) == 2
    mass, undecided = exact_mass(sampler.draw, depth=14)
    b = np.exp(-0.75)
    assert float(undecided) < 0.1
    for k in range(8):
        assert -1e-15 <= (1 - b) * b**k - float(mass[k]) <= float(undecided)


def test_the_tail_goes_on_beyond_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("banister.sampling.geometric._TAIL_RATE", Fraction(1))
    sampler = GeometricDraw(Fraction(1), glance=2, word=2)
    assert sampler._top_size == 1
    for draw in (sampler.draw, lambda bits: int(sampler.draw_many(1, bits)[0])):
        mass, undecided = exact_mass(draw, depth=13)
        for k in range(3):
            assert -1e-15 <= (1 - np.exp(-1)) * np.exp(-k) - float(mass[k]) <= float(undecided) < 0.2


def test_a_decay_below_the_slowest_is_refused() -> None:
    with pytest.raises(BadValue, match=r"too slow to draw from: it must be at least 2\^-50"):
        GeometricDraw(Fraction(1, 2**60))


@pytest.mark.slow
@pytest.mark.parametrize("rate", [Fraction(1, 10**6), Fraction(1, 500), Fraction(1, 3), Fraction(5)])
def test_moments_of_a_million_draws(rate: Fraction) -> None:
    values = geometric_draw(rate).draw_many(10**6, SYSTEM).astype(float)
    b = np.exp(-float(rate))
    mean, spread = b / -np.expm1(-float(rate)), np.sqrt(b) / -np.expm1(-float(rate))
    assert abs(values.mean() - mean) < 5 * spread / 1000
    assert np.mean(values == 0) == pytest.approx(1 - b, abs=5 * np.sqrt(b * (1 - b)) / 1000)
