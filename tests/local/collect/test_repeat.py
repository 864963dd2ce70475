"""What repeated answers give away, against every sequence of reports and every pair of histories."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from banister.errors import BadValue
from banister.local import HadamardResponse, RandomizedResponse, SubsetSelection, UnaryEncoding, design, quaternary
from banister.local.channels.base import Channel
from banister.local.collect.repeat import Repetition, people_a_report

CHANNELS = [
    RandomizedResponse(1, categories=2),
    RandomizedResponse("1.5", categories=3),
    HadamardResponse(1, 3),
    design(epsilon=1, prior=[0.5, 0.3, 0.2], utility="estimation"),
]


def second(asked: Repetition, channel: Channel) -> np.ndarray:
    return asked.step(channel).matrix


def chances(channel: Channel, step: np.ndarray, history: tuple[int, ...]) -> np.ndarray:
    """The law of all sequences of reports: one kept report for each value that occurs, then a second step a round."""
    outputs, law = channel.outputs, channel.matrix
    found = np.zeros((outputs,) * len(history))
    values = sorted(set(history))
    for kept in product(range(outputs), repeat=len(values)):
        place = dict(zip(values, kept, strict=True))
        weight = math.prod(law[value, place[value]] for value in values)
        rows = [step[place[value]] for value in history]
        joint = rows[0]
        for row in rows[1:]:
            joint = np.multiply.outer(joint, row)
        found += weight * joint
    return found


def worst(laws: list[np.ndarray]) -> float:
    return max(float(np.log(one / other).max()) for one in laws for other in laws)


@pytest.mark.parametrize("channel", CHANNELS, ids=lambda channel: channel.kind)
@pytest.mark.parametrize("rounds", [1, 2, 3])
@pytest.mark.parametrize("level", ["1/2", "2"])
def test_the_level_of_permanent_answers_is_the_true_one(channel: Channel, rounds: int, level: str) -> None:
    asked = Repetition("permanent", rounds=rounds, second=level)
    laws = [chances(channel, second(asked, channel), (value,) * rounds) for value in range(channel.categories)]
    assert asked.level(channel) == pytest.approx(worst(laws), abs=1e-9)
    assert asked.level_between_histories(channel) == asked.level(channel) <= channel.level


@pytest.mark.parametrize("channel", CHANNELS[:2], ids=["two answers", "three answers"])
@pytest.mark.parametrize("rounds", [1, 2, 3])
@pytest.mark.parametrize("level", ["1/2", "2"])
def test_memoised_answers_stay_below_their_bound_and_change_costs_more(
    channel: Channel, rounds: int, level: str
) -> None:
    asked = Repetition("memoised", rounds=rounds, second=level)
    step = second(asked, channel)
    histories = list(product(range(channel.categories), repeat=rounds))
    true = worst([chances(channel, step, history) for history in histories])
    stated = asked.level_between_histories(channel)
    assert true <= stated + 1e-12
    assert stated <= float(asked.charge(channel).epsilon) + 1e-12
    if rounds == 1:
        assert true == pytest.approx(stated, abs=1e-9)
    elif level == "2":  # A bound that forgot that values change would be that of values that stay.
        assert true > asked.level(channel)


def test_many_rounds_come_to_the_kept_report_and_no_further() -> None:
    channel = RandomizedResponse(1, categories=4)
    asked = Repetition("permanent", rounds=100_000, second="1/4")
    levels = [asked.level(channel, rounds) for rounds in (1, 10, 100, 100_000)]
    assert levels == sorted(levels)
    assert levels[0] < 0.2
    assert 1 - 1e-6 < levels[-1] <= 1.0
    assert asked.charge(channel).epsilon == 1


def test_fresh_answers_add_up_exactly() -> None:
    channel = RandomizedResponse("1/3", categories=3)
    asked = Repetition("fresh", rounds=30)
    assert asked.charge(channel).epsilon == 10
    assert asked.level(channel) == 10.0
    assert channel.loss().times(30).delta_at(10).up < 1e-12
    assert channel.loss().times(30).delta_at(9.9).down > 0


def test_a_month_of_one_household_equals_an_independent_composition() -> None:
    """30 reports through the second step, by counts: all orders of the same counts have the same chance."""
    channel, rounds, step_level = RandomizedResponse(2, categories=2), 30, Fraction(1, 2)
    asked = Repetition("permanent", rounds=rounds, second=step_level)
    step = second(asked, channel)
    found = 0.0
    for ones in range(rounds + 1):
        by_kept = step[:, 0] ** (rounds - ones) * step[:, 1] ** ones
        told = channel.matrix @ by_kept
        found = max(found, float(np.log(told.max() / told.min())))
    assert asked.level(channel) == pytest.approx(found, abs=1e-9)


def test_what_is_sent_has_the_law_that_is_estimated_by() -> None:
    channel = RandomizedResponse(1, categories=3)
    asked = Repetition("permanent", rounds=2, second=1)
    assert np.allclose(asked.sent_matrix(channel), channel.matrix @ second(asked, channel))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Repetition("memoised", rounds=3), "the loss is infinite"),
        (lambda: Repetition("once", rounds=2), "rounds = 2 with answers given once"),
        (lambda: Repetition("fresh", rounds=2, second=1), "have no second step"),
        (lambda: Repetition("often"), "'often' is no way to answer again"),
        (lambda: Repetition("permanent", rounds=0), "rounds = 0"),
        (lambda: Repetition("permanent", rounds=2).check(SubsetSelection(1, 48, 13), 10_000), "name tag"),
        (lambda: Repetition("permanent", rounds=2, second=1).check(UnaryEncoding(1, 70), 10**9), r"2\^70 reports"),
        (lambda: Repetition("memoised", rounds=2, second=1).check(UnaryEncoding(1, 5), 10**9), "Rows of bits"),
        (lambda: Repetition("permanent", rounds=2, second=1).check(quaternary(1, 0.1), 10), "delta"),
        (lambda: Repetition("fresh", rounds=2).step(RandomizedResponse(1, 2)), "no second step here"),
    ],
)  # fmt: skip
def test_what_would_tell_too_much_is_refused(make: object, words: str) -> None:
    with pytest.raises(BadValue, match=words):
        make()  # type: ignore[operator]


def test_a_kept_report_may_go_out_as_it_is_where_twenty_people_share_it() -> None:
    asked, channel = Repetition("permanent", rounds=5), RandomizedResponse(1, categories=5)
    asked.check(channel, 100)
    with pytest.raises(BadValue, match="5 reports for 99 people"):
        asked.check(channel, 99)
    assert people_a_report(channel, 100) == 20


def test_the_words_name_all_rounds() -> None:
    channel = RandomizedResponse(1, categories=2)
    assert "the same report is sent" in Repetition("once").in_words(channel)
    assert "epsilon 30 after 30 rounds" in Repetition("fresh", rounds=30).in_words(channel)
    assert "never more than epsilon 1." in Repetition("permanent", rounds=30, second=1).in_words(channel)
    assert "who sees all rounds" in Repetition("memoised", rounds=30, second=1).in_words(channel)
