"""Worst cases: certified from both sides, by the simplex and by the interior point alike."""

import math

import numpy as np
import pytest

import banister as bn
from banister.core.privacy.guarantee import Guarantee
from banister.core.programs.highs import HighsSolver
from banister.core.programs.linear import LinearProgram, LinearSolution
from banister.errors import BadValue, Unsolved
from banister.parties.games import functions, tables, worst
from banister.parties.games.interior import solve_game
from banister.parties.games.levels import LevelLike, level_of
from banister.parties.games.scores import Score
from banister.parties.games.worst import best_worst_case, certified

GAME = bn.parties.Game
AND_OF_TWO = {0.5: 0.5649025363, 1: 0.6402008310, 2: 0.8008345769}


@pytest.mark.parametrize("epsilon", AND_OF_TWO)
@pytest.mark.parametrize("make", [bn.parties.conjunction, bn.parties.disjunction])
def test_and_or_of_two_and_majority_of_three_are_the_closed_form(epsilon: float, make) -> None:
    closed = bn.parties.two_party_and_worst(epsilon)
    assert closed == pytest.approx(AND_OF_TWO[epsilon], abs=1e-10)
    assert GAME(make(2), [epsilon] * 2).accuracy("worst") == pytest.approx(closed, abs=1e-12)
    assert GAME(bn.parties.majority(3), [epsilon] * 3).accuracy("worst") == pytest.approx(closed, abs=1e-12)


@pytest.mark.parametrize(("k", "value"), [(3, 0.6402), (11, 0.5652), (101, 0.5208)])
def test_majority_at_worst(k: int, value: float) -> None:
    (case,) = GAME(bn.parties.majority(k), [1] * k).worst_cases()
    assert case.value.down == pytest.approx(value, abs=5e-5)
    assert case.value.width < 1e-10


@pytest.mark.parametrize("parties", [51, 400, 2000])
def test_xor_of_many_needs_no_solver(parties: int) -> None:
    for epsilon in (1, 10):
        game = GAME(functions.xor(parties), [epsilon] * parties)
        closed = (1 + math.tanh(epsilon / 2) ** parties) / 2
        assert game.accuracy("worst") == pytest.approx(closed, abs=1e-13)
        assert 0.5 <= game.accuracy("worst") <= closed
        inner = (1 + math.tanh(epsilon / 2) ** (parties - 1)) / 2
        assert game.accuracy("worst", view=1) == pytest.approx(inner, abs=1e-13)
        if parties < 1000:
            (case,) = game.worst_cases()
            assert case.value.down <= closed <= case.value.up
            assert case.value.width < 1e-10


def test_xor_of_many_different_levels_is_decided_by_what_it_secures() -> None:
    levels: list[LevelLike] = [(number / 10, 0.01 * (number % 3)) for number in range(1, 52)]
    game = GAME(functions.xor(51), levels)
    heard: list[int | None] = [(number * number) % 2 for number in range(1, 52)]
    heard[2] = 3 if level_of(levels[2]).delta > 0 else 1
    said = game.decide(heard, "worst")
    assert said.chances == ((sum(symbol in (1, 3) for symbol in heard) % 2, 1.0),)
    silent = game.decide([None, *heard[1:]], "worst")
    assert [chance for _, chance in silent.chances] == [0.5, 0.5]
    for place in range(3**3):  # Every row of the listed rule, where it can be listed.
        three = GAME(functions.xor(3), [(1, 0.1), (2, 0.1), (0.5, 0.2)])
        symbols = [(place // 3**i) % 3 + 1 for i in range(3)]
        (case,) = three.worst_cases()
        assert three._chances(symbols).tolist() == case.rule[three._place(symbols)].tolist()


def test_the_parity_rule_is_what_the_simplex_finds() -> None:
    """Two roads to the worst case of XOR, with sure answers, different levels and a silent party among them."""
    cases: list[list[LevelLike]] = [[1] * 3, [1, (0.5, 0.2), 1, (0.5, 0.2)], [2, (1, 0.1), 0.3]]
    for levels in cases:
        function, exact = functions.xor(len(levels)), [level_of(level) for level in levels]
        game = GAME(function, exact)
        score = Score.of("zero-one", function.values)
        listed = best_worst_case(tables.protocol_matrix(exact), function.table(), score.worth, HighsSolver())
        (case,) = game.worst_cases()
        assert case.value.down == pytest.approx(listed.value.down, abs=1e-9)
        assert game.without(1).accuracy("worst") == pytest.approx(0.5, abs=1e-12)
        assert game.without(1).worst_cases()[0].value.down == pytest.approx(0.5, abs=1e-9)
        heard = [1] * len(levels)
        assert game.decide(heard, "worst").answer == len(levels) % 2


class GivesUp:
    """A solver that never answers."""

    def solve(self, program: LinearProgram) -> LinearSolution:
        raise Unsolved("The linear program was given up.")


def test_a_solver_that_gives_up_is_replaced_or_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    law, answers, worth = tables.protocol_matrix([level_of(1)] * 3), functions.majority(3).table(), np.eye(2)
    case = best_worst_case(law, answers, worth, GivesUp())
    assert case.value.down == pytest.approx(bn.parties.two_party_and_worst(1), abs=1e-8)
    monkeypatch.setattr(worst, "solve_game", lambda matrix, guesses, gap: (np.full((8, 2), 0.5), np.full(8, 1 / 8)))
    with pytest.raises(Unsolved, match=r"bracketed to 0\.19 only, from 0\.5 on\. Ask for measure='average'"):
        best_worst_case(law, answers, worth, GivesUp())


@pytest.mark.parametrize("cost", ["zero-one", "absolute"])
def test_counts_and_listing_have_one_worst_case(cost: str) -> None:
    for function in (functions.majority(4), functions.total(3), functions.threshold(4, 2)):
        cases: list[list[LevelLike]] = [[1] * 4, [1, 2, 1, 2], [1, (0.5, 0.2), 1, (0.5, 0.2)]]
        for levels in cases:
            exact = [level_of(level) for level in levels[: function.parties]]
            score = Score.of(cost, function.values)
            law = tables.protocol_matrix(exact)
            listed = best_worst_case(law, function.table(), score.worth, HighsSolver())
            counted = GAME(function, exact, cost=cost).accuracy("worst")
            assert counted == pytest.approx(listed.value.down, abs=1e-8)
            assert listed.value.width < 1e-8


@pytest.mark.parametrize("guesses", [2, 3])
def test_the_interior_point_and_the_simplex_agree(guesses: int) -> None:
    rng = np.random.default_rng(guesses)
    levels = [Guarantee(float(e)) for e in np.linspace(0.5, 1.5, 5)]
    table = rng.integers(0, guesses, 32)
    worth = rng.normal(size=(guesses, guesses))
    law = tables.protocol_matrix(levels)
    exact = best_worst_case(law, table, worth, HighsSolver())
    matrix = (law[:, :, None] * worth[table][:, None, :]).reshape(32, -1)
    near = certified(law, table, worth, *solve_game(matrix, guesses, gap=1e-10))
    assert near.value.up >= exact.value.down
    assert near.value.down <= exact.value.up
    assert near.value.down == pytest.approx(exact.value.down, abs=1e-7)
    assert near.value.width < 1e-7


@pytest.mark.slow
def test_nine_general_parties_are_certified() -> None:
    rng = np.random.default_rng(9)
    game = GAME(bn.parties.of_table(rng.integers(0, 2, 512).tolist()), np.linspace(0.5, 1.5, 9).tolist())
    (case,) = game.worst_cases()
    assert 0.5 < case.value.down < case.value.up < case.value.down + 2e-8
    assert case.prior.sum() == pytest.approx(1)
    assert np.all(case.rule >= 0)


def test_a_party_is_at_least_as_sure_as_an_observer() -> None:
    game = GAME(bn.parties.formula("x1 ^ (x2 & x3)"), [1, 1, 0.5])
    for view in (1, 2, 3):
        assert game.accuracy(view=view) >= game.accuracy() - 1e-9
        assert game.accuracy("worst", view=view) >= game.accuracy("worst") - 1e-9
    assert GAME(bn.parties.formula("x1", 2), [1, 1]).accuracy("worst") == pytest.approx(
        1 / (1 + math.exp(-1)), abs=1e-9
    )
    assert GAME(bn.parties.formula("x1", 2), [1, 1]).accuracy("worst", view=1) == pytest.approx(1, abs=1e-9)


def test_a_game_that_is_too_large_is_refused() -> None:
    with pytest.raises(BadValue, match="over 2048 inputs and 2048 transcripts with 2 guesses is too large"):
        GAME(bn.parties.formula("x1 & x2 | x11"), [1] * 11).accuracy("worst")


def test_squared_error_may_say_any_number() -> None:
    game = GAME(bn.parties.total(1), [1], cost="squared")
    # One bit: by symmetry the even prior is the least favourable, and what is left of its variance is p(1 - p).
    (case,) = game.worst_cases()
    p = 1 / (1 + math.exp(-1))
    assert case.value.down <= -p * (1 - p) <= case.value.up
    assert case.value.width < 1e-9
    said = [game.decide([symbol], "worst") for symbol in (0, 1)]
    assert all(len(decision.chances) == 1 for decision in said)
    risks = [sum(q * (x - float(said[s].answer)) ** 2 for s, q in ((x, p), (1 - x, 1 - p))) for x in (0, 1)]
    assert -max(risks) == pytest.approx(case.value.down, abs=1e-9)
    (many,) = GAME(bn.parties.total(40), [1] * 40, cost="squared").worst_cases()
    assert many.value.width < 0.01 * abs(many.value.down)
