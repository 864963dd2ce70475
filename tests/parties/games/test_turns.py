"""Several parties with several bits: never below randomizing every bit, two parties as before, and private per bit."""

from fractions import Fraction

import numpy as np
import pytest

from banister import Guarantee
from banister.errors import BadValue
from banister.parties import TurnQuestion, best_protocol, best_turns, bitwise_value, curves, xor_accuracy, xor_or_and
from banister.parties.games.two import edge_private

MOST = (np.add.outer(np.add.outer([0, 1, 1, 2], [0, 1, 1, 2]), [0, 1]) >= 3).astype(int)


def test_two_parties_are_as_before() -> None:
    question = xor_or_and()
    turns = TurnQuestion(question.name, (1, 2), question.worth)
    assert best_turns(turns, 2).value == pytest.approx(best_protocol(question, 2).value, abs=1e-9)
    assert bitwise_value(turns, 2) == pytest.approx(float(curves(question, np.array([2.0])).bitwise[0]), abs=1e-12)


@pytest.mark.parametrize("epsilon", ["1/2", "2"])
def test_three_parties_with_two_two_and_one_bit(epsilon: str) -> None:
    found = best_turns(TurnQuestion.of_function("most of five", MOST, np.eye(2)), epsilon)
    assert found.value >= found.bitwise - 1e-7
    assert all(later >= earlier - 1e-9 for earlier, later in zip(found.history, found.history[1:], strict=False))
    for channel in found.said:
        for heard in channel.reshape(-1, *channel.shape[-2:]):
            assert edge_private(heard, Fraction(epsilon))


def test_with_one_bit_each_nothing_is_better_than_randomized_response() -> None:
    parity = np.bitwise_xor.outer(np.bitwise_xor.outer([0, 1], [0, 1]), [0, 1])
    found = best_turns(TurnQuestion.of_function("parity", parity, np.eye(2)), 1)
    assert found.value == pytest.approx(xor_accuracy([Guarantee(1)] * 3), abs=1e-8)


def test_the_value_is_that_of_the_drawn_channels() -> None:
    """By walking every input and every transcript of the whole-number channels."""
    question = TurnQuestion.of_function("most of five", MOST, np.eye(2))
    found = best_turns(question, 2)
    one, two, three = (each / float(1 << 62) for each in found.said)
    total = 0.0
    for x, y, z in np.ndindex(4, 4, 2):
        for a, b in np.ndindex(4, 4):
            total += one[x, a] * two[a, y, b] * three[a, b, z, MOST[x, y, z]]
    assert total / 32 == pytest.approx(found.value, abs=1e-12)


def test_what_is_too_large_or_no_table_is_refused() -> None:
    with pytest.raises(BadValue, match="two parties or more"):
        TurnQuestion.of_function("x", np.zeros((3, 2), dtype=int), np.eye(2))
    with pytest.raises(BadValue, match="answers outside 0 to 1"):
        TurnQuestion.of_function("x", np.full((2, 2), 2), np.eye(2))
    with pytest.raises(BadValue, match="more than can be added up"):
        TurnQuestion.of_function("x", np.zeros((16, 16, 16, 2), dtype=int), np.eye(2))
    with pytest.raises(BadValue, match="above 30"):
        best_turns(TurnQuestion.of_function("x", np.zeros((2, 2), dtype=int), np.eye(2)), 31)
