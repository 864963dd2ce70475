"""Several bits a party: the corrected values of the two examples, and the builder."""

from fractions import Fraction

import numpy as np
import pytest

import banister as bn
from banister.core.programs.highs import HighsSolver
from banister.errors import BadValue, Uncertified
from banister.parties.games import two

# epsilon: XOR-or-AND (bitwise, selected, best second message), Hamming (bitwise, selected).
VALUES = {
    0: (0.625, 0.625, 0.625, 1.5, 1.5),
    0.5: (0.625, 0.625, 0.625, 1.5, 1.5),
    1: (0.625, 0.6603056947, 0.6603056947, 1.5, 1.5),
    1.5: (0.7006794482, 0.7306739409, 0.7483890519, 1.5, 1.5),
    2: (0.7812674003, 0.8127088914, 0.8255927115, 1.6241202703, 1.6409181222),
    3: (0.9014863262, 0.9203785421, 0.9260116269, 1.8274570834, 1.8437602116),
    4: (0.9607310748, 0.9690093882, 0.9712164858, 1.9305970599, 1.9384837202),
    5: (0.9851083893, 0.9883547023, 0.9891856716, 1.9735845599, 1.9767755476),
}


@pytest.mark.parametrize("epsilon", VALUES)
def test_the_corrected_figure(epsilon: float) -> None:
    first, second = (
        bn.parties.curves(q, np.array([float(epsilon)])) for q in (two.xor_or_and(), two.hamming_distance())
    )
    found = (first.bitwise[0], first.selected[0], first.best[0], second.bitwise[0], second.selected[0])
    assert found == pytest.approx(VALUES[epsilon], abs=2e-10)
    assert second.best[0] == pytest.approx(second.selected[0], abs=1e-9)


def test_more_epsilon_is_never_worse_and_talking_never_loses() -> None:
    for question in (two.xor_or_and(), two.hamming_distance()):
        found = bn.parties.curves(question, np.linspace(0, 5, 26))
        for curve in (found.bitwise, found.selected, found.best):
            assert np.all(np.diff(curve) >= -1e-9)
        assert np.all(found.selected >= found.bitwise - 1e-12)
        assert np.all(found.best >= found.selected - 1e-9)


def test_flat_parts_end_where_the_notes_say() -> None:
    question = two.xor_or_and()
    assert two.non_interactive(question, 1.0185) == pytest.approx(0.625, abs=1e-12)
    assert two.non_interactive(question, 1.0187) > 0.625
    assert two.selected_response(question, 0.6931) == pytest.approx(0.625, abs=1e-12)
    assert two.selected_response(question, 0.6932) > 0.625
    assert two.non_interactive(two.hamming_distance(), 1.5285) == pytest.approx(1.5, abs=1e-12)
    assert two.non_interactive(two.hamming_distance(), 1.5287) > 1.5


def test_the_builder_is_exactly_private_and_as_good_as_claimed() -> None:
    rng = np.random.default_rng(2)
    table = rng.integers(0, 3, (4, 4))
    question = two.TwoPartyQuestion.of_function("random", table, np.eye(3))
    for case in (two.xor_or_and(), question):
        protocol = bn.parties.best_protocol(case, Fraction(3, 2))
        assert two.edge_private(protocol.first, Fraction(3, 2))
        assert all(two.edge_private(part, Fraction(3, 2)) for part in protocol.second)
        assert not two.edge_private(protocol.second[0], Fraction(1, 100))
        assert protocol.value == pytest.approx(protocol.history[-1], abs=1e-7)
        assert protocol.value >= two.non_interactive(case, 1.5) - 1e-7
        assert list(protocol.history) == sorted(protocol.history)


def test_bad_questions_are_refused() -> None:
    for call, words in (
        (lambda: two.TwoPartyQuestion.of_function("x", np.zeros((3, 2), dtype=int), np.eye(2)), "shape \\(3, 2\\)"),
        (lambda: two.TwoPartyQuestion.of_function("x", np.full((2, 2), 5), np.eye(2)), "outside 0 to 1"),
        (lambda: two.build(two.xor_or_and(), 31, HighsSolver()), "above 30"),
        (lambda: two.build(two.xor_or_and(), 0, HighsSolver()), "epsilon = 0 must be"),
        (lambda: bn.parties.curves(two.xor_or_and(), np.array([-1.0])), "epsilon = -1 must be"),
    ):
        with pytest.raises(BadValue, match=words):
            call()
    with pytest.raises(Uncertified, match="could not be brought within its level"):
        two.edge_weights(np.eye(2), Fraction(1))
