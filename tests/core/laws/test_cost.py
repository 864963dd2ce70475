"""One vocabulary of costs, and the words of earlier versions beside it."""

import warnings

import numpy as np
import pytest

from banister.core.laws.cost import OLD_WORDS, WORDS, Cost
from banister.errors import BadValue
from banister.mechanisms import Geometric, IntegerStaircase
from banister.parties.games.scores import Score

ERRORS = np.array([-2.0, 0.0, 0.5])


@pytest.mark.parametrize(
    ("word", "costs"),
    [("absolute", [2, 0, 0.5]), ("squared", [4, 0, 0.25]), ("zero-one", [1, 0, 1]), ("3", [8, 0, 0.125])],
)
def test_every_word_is_the_cost_it_says(word: str, costs: list[float]) -> None:
    assert Cost.of(word).of_errors(ERRORS).tolist() == costs


@pytest.mark.parametrize("old", OLD_WORDS)
def test_an_old_word_is_understood_with_a_notice_at_the_line_that_wrote_it(old: str) -> None:
    with pytest.warns(DeprecationWarning, match=f"cost = '{old}' is now called '{OLD_WORDS[old]}'") as seen:
        noise = IntegerStaircase(epsilon=1, sensitivity=3, cost=old)
    assert seen[0].filename == __file__
    assert noise.cost.name == OLD_WORDS[old]
    assert noise.risk() == IntegerStaircase(epsilon=1, sensitivity=3, cost=OLD_WORDS[old]).risk()


@pytest.mark.parametrize("word", [*WORDS, 1, 2, "1.5"])
def test_the_words_of_today_give_no_notice(word: str | float) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Cost.of(word)


def test_zero_one_is_the_chance_of_any_error() -> None:
    noise = Geometric(epsilon=1)
    assert noise.risk_for("zero-one") == pytest.approx(1 - noise.mass(0), rel=1e-6)


def test_exponents_one_and_two_have_their_words() -> None:
    assert [Cost.of(x).in_words for x in (1, "2", 1.5)] == ["absolute error", "squared error", "|error|^1.5"]


def test_decisions_know_the_same_costs() -> None:
    truth = np.array([0.0, 1.0, 3.0])
    assert Score.of(2, truth).name == "squared"
    assert Score.of("1", truth).worth.tolist() == Score.of("absolute", truth).worth.tolist()
    cubes = Score.of(3, truth)
    assert cubes.worth[0].tolist() == [0, -1, -27]
    assert cubes.among(np.array([0, 2])).worth.tolist() == [[0, -27], [-27, 0]]
    with pytest.warns(DeprecationWarning, match="is now called 'absolute'"):
        assert Score.of("magnitude", truth).name == "absolute"


@pytest.mark.parametrize("bad", ["huge", "-1", 0, "nan"])
def test_what_is_no_cost_is_refused(bad: str | int) -> None:
    with pytest.raises(BadValue, match=r"must be one of: 'absolute' \(\|error\|\), 'squared'"):
        Cost.of(bad)
