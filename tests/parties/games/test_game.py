"""Accuracy and decisions against exhaustive search and closed forms."""

import itertools
import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

import banister as bn
from banister.core.privacy.guarantee import Guarantee
from banister.errors import BadValue
from banister.parties.games import counts, functions, tables
from banister.parties.games.scores import Score
from tests.parties import brute

WORTHS = {
    "zero-one": lambda true, guess: float(true == guess),
    "absolute": lambda true, guess: -abs(true - guess),
}
GAME = bn.parties.Game


def uniform(x: tuple[int, ...]) -> float:
    return 0.5 ** len(x)


def truth_of(function: functions.JointFunction) -> Callable[[tuple[int, ...]], float]:
    return lambda x: float(function.answer(x))


@pytest.mark.parametrize("text", ["xor", "and", "or", "majority", "threshold:2", "sum", "mean", "argmax"])
@pytest.mark.parametrize("cost", ["zero-one", "absolute"])
def test_average_accuracy_is_that_of_exhaustive_search(text: str, cost: str) -> None:
    for levels in ([(1, 0)] * 4, [(0.5, 0), (2, 0), (0.5, 0), (1, 0)], [(1, 0.1), (1, 0.1), (0.3, 0)]):
        function = functions.function_of(text, len(levels))
        game = GAME(function, levels, cost=cost)
        truth = truth_of(function)
        expected = brute.average(truth, levels, WORTHS[cost], prior=uniform)
        assert game.accuracy() == pytest.approx(expected, abs=1e-12)
        own = sum(brute.average(truth, levels, WORTHS[cost], prior=uniform, fixed={1: bit}) for bit in (0, 1))
        assert game.accuracy(view=2) == pytest.approx(own, abs=1e-12)


def test_any_function_of_eight_parties_matches_exhaustive_search() -> None:
    rng = np.random.default_rng(5)
    levels = rng.uniform(0.2, 3, 8).tolist()
    table = rng.integers(0, 3, 256)
    chance = rng.dirichlet(np.ones(256))
    p = [1 / (1 + math.exp(-e)) for e in levels]
    said = np.array(list(itertools.product((0, 1), repeat=8)))
    law = np.ones((256, 256))
    for i in range(8):
        law *= np.where(said[:, None, i] == said[None, :, i], p[i], 1 - p[i])
    expected = sum(
        max(sum(chance[x] * law[x, t] for x in range(256) if table[x] == y) for y in range(3)) for t in range(256)
    )
    game = GAME(bn.parties.of_table(table.tolist()), levels, prior=chance)
    assert game.accuracy() == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("cost", ["zero-one", "absolute", "squared"])
def test_counting_ones_equals_listing_inputs(cost: str) -> None:
    rng = np.random.default_rng(1)
    for k in range(1, 7):
        levels = [Guarantee(Fraction(int(rng.integers(0, 30)), 10), Fraction(int(rng.integers(0, 3)), 10))] * 2
        levels = [*levels, Guarantee(1), Guarantee("1/3"), Guarantee(2, "0.1"), Guarantee(0)][:k]
        priors = [Fraction(1, 3), Fraction(1, 3), *[Fraction(int(rng.integers(0, 11)), 10) for _ in range(4)]][:k]
        for function in (functions.majority(k), functions.total(k), functions.mean(k), functions.xor(k)):
            score = Score.of(cost, function.values)
            by_counts = counts.average_value(function, levels, priors, score)
            listed = tables.average_value(function.table(), levels, tables.product_prior(priors), score)
            assert by_counts == pytest.approx(listed, abs=1e-12)
            assert GAME(function, levels, cost=cost, prior=priors).accuracy() == pytest.approx(listed, abs=1e-12)


def test_large_groups_lose_nothing_to_their_window() -> None:
    function = functions.majority(129)
    levels, priors = [Guarantee(1)] * 129, [Fraction(1, 2)] * 129
    score = Score.of("zero-one", function.values)
    windowed = counts.average_value(function, levels, priors, score)
    full = counts.FULL
    try:
        counts.FULL = 1000
        assert windowed == pytest.approx(counts.average_value(function, levels, priors, score), abs=1e-13)
    finally:
        counts.FULL = full


@pytest.mark.parametrize(("k", "value"), [(3, 0.6856), (11, 0.6608), (101, 0.6537), (501, 0.6531)])
def test_majority_of_many(k: int, value: float) -> None:
    assert GAME(bn.parties.majority(k), [1] * k).accuracy() == pytest.approx(value, abs=5e-5)


def test_the_limit_of_majorities() -> None:
    found = GAME(bn.parties.majority(2001), [1] * 2001).accuracy()
    assert found == pytest.approx(0.6529515, abs=1e-7)
    assert bn.parties.majority_limit(1) == pytest.approx(0.6529100, abs=1e-7)


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5, 8])
def test_xor_is_its_closed_form_on_average_and_at_worst(k: int) -> None:
    rng = np.random.default_rng(k)
    levels = [(round(float(e), 3), round(float(d), 3)) for e, d in rng.uniform(0, [2, 0.3], (k, 2))]
    levels = levels if k <= 4 else [(e, 0) for e, _ in levels]
    closed = bn.parties.xor_accuracy([Guarantee(*level) for level in levels])
    score = Score.of("zero-one", np.array([0.0, 1.0]))
    exact = [Guarantee(*level) for level in levels]
    uniform_inputs = np.full(1 << k, 0.5**k)
    listed = tables.average_value(functions.xor(k).table(), exact, uniform_inputs, score)
    assert closed == pytest.approx(listed, abs=1e-13)
    game = GAME(bn.parties.xor(k), levels)
    assert game.accuracy() == closed
    assert game.accuracy("worst") == pytest.approx(closed, abs=1e-9)
    product = (1 + math.prod(math.tanh(e / 2) * (1 - d) + d for e, d in levels[1:])) / 2
    assert game.accuracy(view=1) == pytest.approx(product, abs=1e-13)


def test_small_epsilon_of_xor_and_of_a_curator() -> None:
    e = 1e-3
    assert bn.parties.xor_accuracy([Guarantee(e)] * 3) - 0.5 == pytest.approx(e**3 / 16, rel=1e-5)
    assert bn.parties.curator_accuracy(Fraction(e)) - 0.5 == pytest.approx(e / 4, rel=1e-6)


@pytest.mark.parametrize("epsilon", [0.3, 0.5, 0.8813, 0.8814, 1, 2, 4])
@pytest.mark.parametrize("k", [2, 3, 7])
def test_and_on_average_is_its_closed_form(k: int, epsilon: float) -> None:
    game = GAME(bn.parties.conjunction(k), [epsilon] * k)
    assert game.accuracy() == pytest.approx(bn.parties.and_accuracy(k, epsilon), abs=1e-13)


def test_sum_of_ten_thousand_has_the_error_of_the_closed_form() -> None:
    l = math.e  # noqa: E741
    game = GAME(bn.parties.total(10_000), [1] * 10_000, cost="squared")
    assert game.risk() == pytest.approx(10_000 * l / (1 + l) ** 2, rel=1e-12)
    assert bn.parties.Game(bn.parties.mean(100), [1] * 100, cost="squared").risk() == pytest.approx(
        l / (1 + l) ** 2 / 100, rel=1e-12
    )


def test_decisions_earn_what_the_accuracy_promises() -> None:
    for game in (
        GAME(bn.parties.formula("x1 ^ (x2 & x3)"), [1, 1, 0.5]),
        GAME(bn.parties.total(3), [1, 1, (0.5, 0.2)], cost="absolute", prior=[0.3, 0.3, 0.6]),
    ):
        levels = [(float(level.epsilon), float(level.delta)) for level in game.levels]
        for measure in ("average", "worst"):
            earned = {}
            for x in itertools.product((0, 1), repeat=3):
                total = 0.0
                for said in itertools.product(*[range(4) if d else range(2) for _, d in levels]):
                    decision = game.decide(said, measure)
                    true = game.function.answer(x)
                    worth = sum(c * WORTHS[game.score.name](true, g) for g, c in decision.chances)
                    total += brute.chance(levels, x, said) * worth
                earned[x] = total
            weights = {
                x: math.prod(float(p if b else 1 - p) for p, b in zip(game.priors, x, strict=True)) for x in earned
            }
            found = sum(weights[x] * earned[x] for x in earned) if measure == "average" else min(earned.values())
            assert found == pytest.approx(game.accuracy(measure), abs=1e-9)


def test_simulation_agrees_with_the_exact_accuracy() -> None:
    game = GAME(bn.parties.majority(9), [0.5, 1, (1, 0.2)] * 3, prior=0.6)
    mean, error = game.estimate_accuracy(400, bn.parties.seeded(3))
    assert abs(mean - game.accuracy()) < 4 * error < 0.05
    many = GAME(bn.parties.majority(301), [i / 150 for i in range(301)])
    assert 0.5 < many.estimate_accuracy(20, bn.parties.seeded(3))[0] < 1


def test_a_missing_party_is_one_that_says_nothing() -> None:
    game = GAME(bn.parties.majority(5), [1] * 5)
    decision = game.decide([1, None, 1, 0, None])
    assert decision.missing == (2, 5)
    assert game.without(2, 5).accuracy() == pytest.approx(GAME(game.function, [1, 0, 1, 1, 0]).accuracy(), abs=1e-15)
    assert game.without(2, 5).accuracy() < game.accuracy()
    assert game.without(2).accuracy("worst") < game.accuracy("worst")
    assert game.decide([None] * 5).expected == pytest.approx(0.5)


def test_bits_that_belong_together_are_decided_together() -> None:
    game = GAME(bn.parties.xor(2), [1, 1], prior=[0.5, 0, 0, 0.5])
    assert game.accuracy() == 1.0
    assert game.decide([0, 1]).answer == 0
    assert game.accuracy(view=1) == 1.0


def test_a_matrix_of_costs_may_allow_silence() -> None:
    cost = [[0, 1, 0.3], [1, 0, 0.3]]  # The third guess is to say nothing.
    game = GAME(bn.parties.xor(3), [0.5] * 3, cost=cost)
    assert game.risk() == pytest.approx(0.3)
    assert game.decide([0, 0, 0]).answer == 2


def test_mistakes_are_answered_in_words() -> None:
    game = GAME(bn.parties.xor(3), [1] * 3)
    for call, words in (
        (lambda: game.decide([0, 1]), "2 symbols for 3 parties"),
        (lambda: game.decide([0, 1, 3]), "Party 3 has the level"),
        (lambda: game.accuracy("median"), "measure = 'median' must be one of"),  # type: ignore[arg-type]
        (lambda: game.accuracy(view=4), "party = 4 must be"),
        (lambda: game.knowing(0, 1), "needs its number"),
        (lambda: game.estimate_accuracy(1, bn.parties.seeded(1)), "trials = 1 must be"),
        (
            lambda: GAME(bn.parties.xor(2), [1] * 2, prior=[0.25] * 4).estimate_accuracy(9, bn.parties.seeded(1)),
            "takes independent bits",
        ),
        (lambda: GAME(bn.parties.xor(2), [1] * 2, prior=[1, 0, 0, 0]).decide([0, 0]) and game.decide([]), "0 symbols"),
        (lambda: GAME(bn.parties.xor(3), [1] * 3, prior=[0.1] * 4), "prior has 4 numbers"),
        (lambda: GAME(bn.parties.xor(2), [1] * 2, prior=[0.5] * 4), "sum to 2, not 1"),
        (lambda: GAME(bn.parties.xor(2), [1] * 2, prior=1.5), "prior = 1.5 must be"),
        (lambda: GAME(bn.parties.xor(2), [1] * 2, cost="cubic"), "cost = 'cubic' must be one of"),
        (lambda: GAME(bn.parties.xor(2), [1] * 2, cost=[[1, 2]]), "one row for each of the 2 answers"),
        (lambda: GAME(bn.parties.xor(2), [1]), "1 levels were given for 2"),
        (lambda: GAME(bn.parties.majority(300), [(1, 0.5)] * 300).accuracy(), "too many outcomes to list"),
        (lambda: GAME(bn.parties.majority(90), [i / 7 for i in range(90)]).accuracy(), "too many outcomes"),
        (lambda: GAME(bn.parties.majority(40), [i / 7 for i in range(40)]).accuracy("worst"), "too large to solve"),
        (lambda: GAME(bn.parties.total(5000), [1] * 5000).accuracy("worst"), "too large to solve"),
        (lambda: GAME(bn.parties.argmax(14), [(1, 0.1)] * 14).accuracy(), "too many to list"),
        (lambda: GAME(bn.parties.argmax(14), [1] * 14).accuracy("worst"), "too many to list"),
        (lambda: GAME(bn.parties.xor(2), [1] * 2, prior=[1, 0, 0, 0]).knowing(1, 1), "never holds"),
    ):
        with pytest.raises(BadValue, match=words):
            call()
