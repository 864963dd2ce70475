"""The public coin for delta > 0: exact chances, and its advantage."""

from fractions import Fraction

import numpy as np
import pytest

import banister as bn
from banister.errors import BadValue
from banister.parties.games.coin import play
from banister.parties.games.tables import protocol_matrix
from banister.sampling.bits import SYSTEM

GAME = bn.parties.Game


@pytest.mark.parametrize(
    ("make", "k", "level", "joint", "apart"),
    [
        (bn.parties.xor, 2, (0, 0.1), 0.550, 0.505),
        (bn.parties.majority, 3, (0, 0.2), 0.650, 0.624),
        (bn.parties.conjunction, 2, (0.5, 0.1), 0.775, 0.7635),
    ],
)
def test_the_coin_beats_independent_reveals(make, k, level, joint, apart) -> None:
    coin = bn.parties.public_coin(GAME(make(k), [level] * k))
    assert coin.accuracy == pytest.approx(joint, abs=5e-5)
    assert coin.independent == pytest.approx(apart, abs=5e-5)
    for party in range(1, k + 1):
        assert coin.chance(party) <= Fraction(level[1])


def test_counting_sizes_equals_trying_every_set() -> None:
    levels = [(0.7, 0.15)] * 4
    by_size = bn.parties.public_coin(GAME(bn.parties.majority(4), levels))
    by_set = bn.parties.public_coin(GAME(bn.parties.majority(4), [*levels[:3], (0.7, "0.1500000000001")]))
    assert by_size.shuffled
    assert not by_set.shuffled
    assert by_set.accuracy == pytest.approx(by_size.accuracy, abs=1e-9)


def test_the_protocol_with_the_coin_has_the_level_it_claims() -> None:
    game = GAME(bn.parties.formula("x1 ^ (x2 & x3)"), [(1, 0.2), (0.5, 0.1), (0.5, 0.3)])
    coin = bn.parties.public_coin(game)
    assert coin.advantage > 0
    parts = []
    for who, chance in coin.reveals:
        shown = [bn.Guarantee(level.epsilon, 1 if i in who else 0) for i, level in enumerate(game.levels, 1)]
        parts.append(float(chance) * protocol_matrix(shown))
    whole = np.concatenate(parts, axis=1)  # The coin is public, so it is part of what everybody sees.
    for party, level in enumerate(game.levels, 1):
        assert bn.parties.protocol_delta(whole, party, level.epsilon) <= float(level.delta) + 1e-12
        assert coin.chance(party) <= level.delta
    found = bn.parties.protocol_average(whole, game.function.table(), game.score, np.full(8, 1 / 8))
    assert found == pytest.approx(coin.accuracy, abs=1e-12)


def test_the_coin_is_drawn_and_followed() -> None:
    game = GAME(bn.parties.majority(3), [(1, 0.9)] * 3)
    coin = bn.parties.public_coin(game)
    drawn = {coin.draw(SYSTEM) for _ in range(200)}
    assert {len(who) for who in drawn} <= {len(who) for who, _ in coin.reveals}
    assert play((1,), game, (3, 0, None)).decide((3, 0, None)).answer in (0, 1)
    with pytest.raises(BadValue, match="Party 2 did not follow the coin"):
        play((1,), game, (3, 3, 0))


def test_too_many_different_parties_are_refused() -> None:
    with pytest.raises(BadValue, match="up to 10 are tried"):
        bn.parties.public_coin(GAME(bn.parties.xor(11), [(1, i / 100) for i in range(11)]))
