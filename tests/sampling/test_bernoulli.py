from fractions import Fraction

import numpy as np
import pytest

from banister.core.exact.numbers import exp_ball
from banister.sampling.bernoulli import Coin, bernoulli, coin_near, coins_near, toss_from
from banister.sampling.bits import SYSTEM
from tests.tape import Tape, exact_mass


@pytest.mark.parametrize("probability", [Fraction(1, 3), Fraction(1, 2), Fraction(63, 64), Fraction(1, 1000)])
def test_a_coin_is_exact(probability: Fraction) -> None:
    for draw in (
        Coin(probability, glance=1, word=2).draw,
        lambda bits: bool(Coin(probability, glance=1, word=2).draw_many(1, bits)[0]),
    ):
        mass, undecided = exact_mass(draw, depth=13)
        assert 0 <= probability - mass[True] <= undecided <= Fraction(1, 2**11)


def test_an_irrational_coin_is_exact() -> None:
    coin = Coin(lambda: exp_ball(-1), glance=2, word=2)
    mass, undecided = exact_mass(coin.draw, depth=16)
    assert float(mass[True]) <= 0.36787944117144233 <= float(mass[True] + undecided)
    assert undecided <= Fraction(1, 2**14)


def test_certain_coins_draw_no_bits() -> None:
    nothing = Tape([])
    assert Coin(Fraction(1)).draw(nothing) is True
    assert not Coin(Fraction(0)).draw_many(5, nothing).any()
    assert bernoulli(Fraction(0), nothing) is False


def test_a_word_on_the_threshold_asks_for_more() -> None:
    word = (1 << 64) // 3
    bits = [int(digit) for digit in f"{word:064b}"]
    third = Coin(Fraction(1, 3))
    assert third.draw(Tape(bits + [0] * 64)) is True
    assert third.draw(Tape(bits + [1] * 64)) is False
    assert third.draw_many(1, Tape(bits[:16] + bits[16:] + [0] * 80))[0]


def test_close_calls_are_settled_by_the_exact_probability_not_by_the_double() -> None:
    # The double says 0.5 + 2^-40; the truth is 0.5 - 2^-60, and the word is 0.5 exactly.
    truth = Fraction(1, 2) - Fraction(1, 2**60)
    nearly = 0.5 + 2.0**-40
    word = [1] + [0] * 63
    assert coin_near(nearly, lambda: _ball(truth), Tape(word)) is False
    tosses = coins_near(np.array([nearly]), lambda place: lambda: _ball(truth), Tape(word))
    assert not tosses[0]


def test_settling_a_toss_has_the_exact_mass() -> None:
    mass, undecided = exact_mass(lambda bits: toss_from(lambda: _ball(Fraction(2, 7)), 0, 0, bits, step=1), depth=14)
    assert 0 <= Fraction(2, 7) - mass[True] <= undecided == Fraction(1, 2**14)


@pytest.mark.slow
def test_a_million_tosses_lie_within_five_sigma() -> None:
    heads = Coin(lambda: exp_ball(-2)).draw_many(10**6, SYSTEM).mean()
    p = np.exp(-2)
    assert abs(heads - p) < 5 * np.sqrt(p * (1 - p) / 10**6)


def _ball(value: Fraction):
    from banister.core.exact.numbers import ball

    return ball(value)
