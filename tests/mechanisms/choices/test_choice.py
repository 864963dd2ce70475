"""Private choices: the guarantee over random neighbours, the laws against enumeration, and bad input."""

import math
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from banister.errors import BadValue
from banister.mechanisms.choices.choice import (
    Choice,
    ExponentialChoice,
    Moves,
    PermuteAndFlip,
    StaircaseChoice,
    examples,
)
from tests.seeded import SeededBits

KINDS = [ExponentialChoice, PermuteAndFlip, StaircaseChoice]


def neighbours(moves: Moves, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Two rows of scores that differ by at most 1 each, often by exactly 0 or 1, where the worst cases are."""
    size = int(rng.integers(1, 6))
    first = rng.choice([rng.uniform(-4, 4, size), rng.integers(-4, 4, size).astype(float)])
    move = rng.choice([rng.uniform(0, 1, size), rng.integers(0, 2, size).astype(float)])
    if moves is Moves.ANY_WAY:
        move *= rng.choice([-1.0, 1.0], size)
    return first, first + move


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("moves", Moves)
def test_no_neighbours_are_told_apart_better_than_epsilon(kind: type[Choice], moves: Moves) -> None:
    rng = np.random.default_rng(7)
    worst = 0.0
    for _ in range(600):
        epsilon = float(rng.choice([0.3, 1.0, 3.0]))
        choice = kind(epsilon=epsilon, sensitivity=1, moves=moves)  # type: ignore[call-arg]
        one, other = neighbours(moves, rng)
        ratio = np.abs(np.log(choice.probabilities(one) / choice.probabilities(other))).max() / epsilon
        assert ratio <= 1 + 1e-9
        worst = max(worst, float(ratio))
    # The bound is nearly met, so the calibration wastes nothing.
    assert worst > 0.9


@pytest.mark.parametrize("kind", KINDS)
def test_scores_that_move_any_way_break_the_one_way_calibration(kind: type[Choice]) -> None:
    choice = kind(epsilon=1, sensitivity=1, moves=Moves.ONE_WAY)  # type: ignore[call-arg]
    one, other = np.array([0.0] + [0.0] * 50), np.array([1.0] + [-1.0] * 50)
    ratio = np.log(choice.probabilities(other)[0] / choice.probabilities(one)[0])
    assert ratio > 1.5


def test_permute_and_flip_equals_all_orders() -> None:
    choice = PermuteAndFlip(epsilon=2, sensitivity=1, moves=Moves.ANY_WAY)
    scores = [0.0, -0.3, -1.0, 0.0, -4.0]
    heads = np.exp(scores)
    expected = np.zeros(5)
    for order in permutations(range(5)):
        quiet = 1.0
        for place in order:
            expected[place] += quiet * heads[place] / math.factorial(5)
            quiet *= 1 - heads[place]
    assert choice.probabilities(scores) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("size", [1, 2, 1000, 100_000])
def test_probabilities_add_up(size: int) -> None:
    scores = np.linspace(0, 3, size)
    for choice in examples():
        assert choice.probabilities(scores).sum() == pytest.approx(1, rel=1e-10)


def test_permute_and_flip_never_costs_more_than_exponential() -> None:
    rng = np.random.default_rng(3)
    for _ in range(200):
        scores = rng.normal(0, rng.uniform(0.1, 5), int(rng.integers(1, 30)))
        epsilon = float(rng.uniform(0.1, 4))
        flip = PermuteAndFlip(epsilon=epsilon, sensitivity=1, moves=Moves.ANY_WAY)
        plain = ExponentialChoice(epsilon=epsilon, sensitivity=1, moves=Moves.ANY_WAY)
        assert flip.risk(scores) <= plain.risk(scores) * (1 + 1e-12)
    far = [0.0, -40.0]
    assert plain.risk(far) / flip.risk(far) == pytest.approx(2, rel=1e-2)


def test_a_staircase_of_whole_scores_is_the_exponential() -> None:
    scores = [3, 1, -2, 0]
    for gamma in (0, "1/3", 1):
        stairs = StaircaseChoice(epsilon=1, sensitivity=1, moves=Moves.ANY_WAY, gamma=gamma)
        plain = ExponentialChoice(epsilon=1, sensitivity=1, moves=Moves.ANY_WAY)
        assert stairs.probabilities(scores) == pytest.approx(plain.probabilities(scores), rel=1e-14)


def test_the_staircase_falls_at_its_steps() -> None:
    stairs = StaircaseChoice(epsilon=2, sensitivity=2, moves=Moves.ANY_WAY, gamma="1/4")
    # Costs 0, 0.49 are below gamma·Δ = 1/2; 0.5 and 2.49 one step down; 2.5 two.
    weights = stairs.probabilities([0.0, -0.49, -0.5, -2.49, -2.5])
    assert weights / weights[0] == pytest.approx(np.exp([0, 0, -1, -1, -2]), rel=1e-14)


@pytest.mark.parametrize("choice", examples(), ids=lambda c: type(c).__name__)
@pytest.mark.parametrize("scores", [[2, 1, 0, 0], [0.7, 0.1, -1.3, 0.7], [Fraction(1, 3), Fraction(2, 3)]], ids=str)
def test_choices_follow_their_probabilities(choice: Choice, scores: list[float]) -> None:
    n = 3000
    drawn = np.bincount([choice.choose(scores) for _ in range(n)], minlength=len(scores)) / n
    shares = choice.probabilities(scores)
    assert np.all(np.abs(drawn - shares) < 5.5 * np.sqrt(shares * (1 - shares) / n) + 1e-12)


def test_a_million_scores_are_chosen_from() -> None:
    scores = np.zeros(10**6)
    scores[77] = 1e6
    for choice in examples():
        assert choice.choose(scores) == 77
    assert 0 <= examples()[0].choose(np.arange(10**6) % 3) < 10**6


def test_a_shift_of_all_scores_changes_nothing() -> None:
    for choice in examples():
        one = choice.probabilities([10**15, 10**15 - 1, 10**15 - 3])
        assert choice.probabilities([0, -1, -3]) == pytest.approx(one, rel=1e-14)
        assert choice.loss().epsilon_at(0).up == pytest.approx(1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"epsilon": 0}, r"epsilon = 0 must be a finite number above 0\. To choose without looking"),
        ({"sensitivity": -1}, r"sensitivity = -1 must be a finite number above 0\."),
        ({"moves": True}, r"moves = True must be Moves\.ONE_WAY or Moves\.ANY_WAY: how neighbours' scores differ\."),
        ({"sensitivity": Fraction(1, 10**300)}, r"is beyond what can be drawn from\. Measure the scores"),
    ],
)
def test_bad_parameters_are_refused(arguments: dict[str, object], message: str) -> None:
    good: dict[str, object] = {"epsilon": 1, "sensitivity": 1, "moves": Moves.ANY_WAY}
    for kind in KINDS:
        with pytest.raises(BadValue, match=message):
            kind(**(good | arguments))  # type: ignore[arg-type]


def test_a_gamma_beyond_one_is_refused() -> None:
    with pytest.raises(BadValue, match=r"gamma = 1\.5 must be a number from 0 to 1\."):
        StaircaseChoice(epsilon=1, sensitivity=1, moves=Moves.ANY_WAY, gamma=1.5)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("moves", list(Moves))
def test_scores_and_sensitivity_in_another_unit_are_the_same_choice(kind: type, moves: Moves) -> None:
    """On the same bits, draw by draw: only scores measured in sensitivities count."""
    scores = np.array([0, -1, -2, -5])
    for unit in (2, 7):
        plain, scaled = (kind(epsilon=1, sensitivity=size, moves=moves) for size in (1, unit))
        assert scaled.probabilities(unit * scores) == pytest.approx(plain.probabilities(scores), rel=1e-12)
        one, other = SeededBits(11), SeededBits(11)
        draws = [plain.choose(scores, one) for _ in range(200)]
        assert len(set(draws)) > 1
        assert draws == [scaled.choose(unit * scores, other) for _ in range(200)]
