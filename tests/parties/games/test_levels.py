"""What a party says: exact chances, and exactly its level."""

from fractions import Fraction

import numpy as np
import pytest

from banister.core.privacy.guarantee import Guarantee
from banister.errors import BadValue
from banister.parties.games.levels import (
    ABSENT,
    Symbol,
    chance_of_one,
    level_of,
    levels_of,
    possible,
    respond,
    response_matrix,
    symbols_of,
)
from banister.parties.games.protocols import protocol_delta
from tests.tape import Tape, exact_mass


@pytest.mark.parametrize("bit", [0, 1])
@pytest.mark.parametrize("delta", [Fraction(0), Fraction(3, 8)])
def test_draws_have_exactly_the_chances_of_the_level(bit: int, delta: Fraction, monkeypatch) -> None:
    monkeypatch.setattr("banister.sampling.bernoulli.Coin.__init__.__kwdefaults__", {"glance": 4, "word": 4})
    level = Guarantee(1, delta)
    mass, undecided = exact_mass(lambda bits: respond(level, bit, bits), depth=16)
    assert undecided < Fraction(1, 400)
    law = response_matrix(level)[bit]
    for symbol in symbols_of(level):
        assert abs(float(mass[symbol]) - law[symbol]) <= float(undecided) + 1e-15


def test_the_same_bits_are_used_whatever_the_bit() -> None:
    for level in (Guarantee(1), Guarantee(1, Fraction(1, 3))):
        used = []
        for bit in (0, 1):
            tape = Tape([0, 0, 1] * 200)
            respond(level, bit, tape)
            used.append(tape.used)
        assert used[0] == used[1]


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 0), (1, 0.1), (0, 0.25), (2, 0.01)])
def test_the_level_is_attained_and_no_smaller_one_holds(epsilon: float, delta: float) -> None:
    matrix = response_matrix(Guarantee(epsilon, delta))
    assert np.allclose(matrix.sum(axis=1), 1, atol=1e-15)
    assert protocol_delta(matrix, 1, epsilon) == pytest.approx(delta, abs=1e-15)
    if epsilon:
        assert protocol_delta(matrix, 1, epsilon * 0.99) > delta + 1e-4


def test_beliefs_follow_bayes() -> None:
    level = Guarantee(1, Fraction(1, 10))
    matrix = response_matrix(level)
    for prior in (Fraction(1, 2), Fraction(1, 5)):
        for symbol in Symbol:
            one, zero = float(prior) * matrix[1, symbol], float(1 - prior) * matrix[0, symbol]
            assert chance_of_one(prior, level, symbol) == pytest.approx(one / (one + zero), abs=1e-15)
        assert chance_of_one(prior, level, None) == float(prior)
    assert chance_of_one(Fraction(0), Guarantee(5000), 1) == 0.0


def test_levels_are_read_as_people_write_them() -> None:
    assert level_of("1/2") == Guarantee(0.5) == level_of(0.5)
    assert level_of((1, 1e-6)) == Guarantee(1, 1e-6)
    assert possible(Guarantee(1), 1)
    assert not possible(Guarantee(1), 3)
    assert possible(Guarantee(1, 0.1), 3)
    assert not possible(Guarantee(1, 0.1), 4)
    assert response_matrix(ABSENT).shape == (2, 1)
    with pytest.raises(BadValue, match="3 numbers"):
        level_of((1, 2, 3))  # type: ignore[arg-type]
    with pytest.raises(BadValue, match="2 levels were given for 3"):
        levels_of([1, 1], 3)


@pytest.mark.parametrize("bit", [2, -1, 0.5, "1"])
def test_a_bad_bit_is_refused_without_showing_it(bit: object) -> None:
    with pytest.raises(BadValue, match=r"^The bit must be 0 or 1\. Nothing was drawn\.$"):
        respond(Guarantee(1), bit, Tape([]))  # type: ignore[arg-type]
