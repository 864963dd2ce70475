"""Who beats randomized response: nobody for delta = 0, and whom the notes name for delta > 0."""

import math

import numpy as np
import pytest

import banister as bn
from banister.core.privacy.guarantee import Guarantee
from banister.core.programs.highs import HighsSolver
from banister.errors import BadValue
from banister.parties.games import tables
from banister.parties.games.protocols import coincident_reveals, protocol_average, protocol_delta, protocol_worst
from banister.parties.games.scores import Score


def random_interactive(rng: np.random.Generator, epsilons: tuple[float, float], rounds: int) -> np.ndarray:
    """Two parties speak in turn, each message a random function of its bit and of all before; pure privacy is used up.

    Each party may spend its epsilon over its messages in any way: here the odds of a message move by a random share.
    """
    histories: list[np.ndarray] = [np.ones((2, 2))]
    left = [list(epsilons)]
    for turn in range(rounds):
        nxt, spent = [], []
        for law, rest in zip(histories, left, strict=True):
            who = turn % 2
            budget = rest[who] * (rng.uniform() if turn < rounds - 2 else 1)
            base = rng.uniform(0.05, 0.95)
            # The two laws of one message: ratio of each symbol at most e^budget.
            low, high = math.exp(-budget), math.exp(budget)
            top = min(base * high, 1 - (1 - base) * low)
            bottom = max(base * low, 1 - (1 - base) * high)
            other = rng.choice([top, bottom, rng.uniform(bottom, top)])
            ones = np.array([base, other])
            for symbol in (0, 1):
                chance = ones if symbol else 1 - ones
                step = law * (chance[:, None] if who == 0 else chance[None, :])
                nxt.append(step)
                after = list(rest)
                after[who] -= budget
                spent.append(after)
        histories, left = nxt, spent
    return np.stack([law.ravel() for law in histories], axis=1)


def test_random_interactive_protocols_never_beat_randomized_response() -> None:
    rng = np.random.default_rng(11)
    solver = HighsSolver()
    for trial in range(60):
        epsilons = tuple(rng.uniform(0.1, 2.5, 2))
        matrix = random_interactive(rng, epsilons, int(rng.integers(2, 7)))
        assert matrix.sum(axis=1) == pytest.approx(np.ones(4))
        for party, epsilon in enumerate(epsilons, 1):
            assert protocol_delta(matrix, party, float(epsilon)) < 1e-12
        response = tables.protocol_matrix([Guarantee(float(e)) for e in epsilons])
        simulator = np.linalg.solve(response, matrix)
        assert simulator.min() > -1e-12  # The protocol is a post-processing of the two responses.
        answers = rng.integers(0, 3, 4)
        score = Score("matrix", np.arange(3.0), np.arange(3.0), rng.normal(size=(3, 3)), False)
        prior = rng.dirichlet(np.ones(4))
        gain = protocol_average(matrix, answers, score, prior) - protocol_average(response, answers, score, prior)
        assert gain < 1e-12
        if trial % 6 == 0:
            ours = protocol_worst(response, answers, score, solver).value
            assert protocol_worst(matrix, answers, score, solver).value.down <= ours.up + 1e-9


@pytest.mark.parametrize(
    ("epsilon", "delta", "joint", "apart"),
    [(0, 0.1, 0.5500, 0.5050), (0.5, 0.1, 0.5770, 0.5513), (1, 0.2, 0.6854, 0.6623)],
)
def test_coinciding_reveals_beat_independent_reports_for_xor(epsilon, delta, joint, apart) -> None:
    level = Guarantee(epsilon, delta)
    matrix = coincident_reveals(level)
    for party in (1, 2):
        assert protocol_delta(matrix, party, epsilon) == pytest.approx(delta, abs=1e-15)
    game = bn.parties.Game(bn.parties.xor(2), [level, level])
    score, uniform = Score.of("zero-one", np.array([0.0, 1.0])), np.full(4, 0.25)
    table = game.function.table()
    assert protocol_average(matrix, table, score, uniform) == pytest.approx(joint, abs=5e-5)
    assert protocol_worst(matrix, table, score, HighsSolver()).value.down == pytest.approx(joint, abs=5e-5)
    assert game.accuracy() == pytest.approx(apart, abs=5e-5)
    assert game.accuracy("worst") == pytest.approx(apart, abs=5e-5)
    t = math.tanh(epsilon / 2)
    assert protocol_average(matrix, table, score, uniform) == pytest.approx((1 + delta + (1 - delta) * t * t) / 2)


def test_coinciding_reveals_for_and() -> None:
    level = Guarantee(0.5, 0.1)
    game = bn.parties.Game(bn.parties.conjunction(2), [level, level])
    found = protocol_average(coincident_reveals(level), game.function.table(), game.score, np.full(4, 0.25))
    assert found == pytest.approx(0.7750, abs=5e-5)
    assert game.accuracy() == pytest.approx(0.7635, abs=5e-5)


def test_what_is_no_protocol_is_refused() -> None:
    for matrix, words in (
        (np.ones((3, 1)), "one row for each of the 2\\^k inputs"),
        (np.ones(4), "one row for each"),
        (np.full((2, 2), 0.4), "sum to 1"),
        (np.array([[1.5, -0.5], [0.5, 0.5]]), "0 or above"),
    ):
        with pytest.raises(BadValue, match=words):
            protocol_delta(matrix, 1, 1)
    with pytest.raises(BadValue, match="delta above 0"):
        coincident_reveals(Guarantee(1))
