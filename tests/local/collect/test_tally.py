"""Running totals: heaps add up to the estimate of all reports at once."""

import numpy as np
import pytest

from banister.errors import BadValue
from banister.local import RandomizedResponse, design
from banister.local.channels import ALL
from banister.local.channels.base import Channel
from banister.local.collect.campaign import read_campaign
from banister.local.collect.making import make_campaign, needed
from banister.local.collect.repeat import Repetition
from banister.local.collect.tally import Tally, empty, estimate, read_values, tally, told, verdict, write_value
from tests.local.collect.campaigns import KEY
from tests.seeded import SeededBits

ONCE = Repetition("once")
EXAMPLES = [channel for kind in ALL for channel in kind.examples()]


@pytest.mark.parametrize("channel", EXAMPLES, ids=lambda channel: channel.kind)
def test_two_heaps_give_the_estimate_of_all_reports(channel: Channel) -> None:
    drawn = channel.draw(np.arange(600) % channel.categories, SeededBits(1))
    total = empty(channel, ONCE).plus(tally(channel, ONCE, drawn[:250])).plus(tally(channel, ONCE, drawn[250:]))
    assert total.reports == 600
    try:
        whole = channel.estimate(drawn)
    except BadValue as error:
        with pytest.raises(BadValue, match=str(error)[:40]):
            estimate(channel, ONCE, total)
        return
    assert np.array_equal(estimate(channel, ONCE, total).frequencies, whole.frequencies)


@pytest.mark.parametrize("channel", EXAMPLES, ids=lambda channel: channel.kind)
def test_reports_are_read_as_they_are_written(channel: Channel) -> None:
    drawn = channel.draw(np.arange(50) % channel.categories, SeededBits(2))
    assert np.array_equal(read_values(channel, list(write_value(channel, drawn))), drawn)


def test_the_second_step_is_taken_out_again() -> None:
    channel, people = design(epsilon=2, prior=[0.6, 0.3, 0.1], utility="estimation"), 200_000
    asked = Repetition("permanent", rounds=3, second=3)
    answers = np.repeat([0, 1, 2], [120_000, 60_000, 20_000])
    bits = SeededBits(3)
    sent = asked.step(channel).draw(channel.draw(answers, bits), bits)
    found = estimate(channel, asked, tally(channel, asked, sent))
    assert found.people == people
    assert np.all(np.abs(found.frequencies - [0.6, 0.3, 0.1]) < 5 * found.standard_errors)
    assert np.all(found.standard_errors < 0.02)


@pytest.mark.parametrize("given", [[True], [1.0], ["1"], [-1], [4], [10**30], [None], [[1]]])
def test_what_cannot_be_a_report_is_refused(given: list[object]) -> None:
    with pytest.raises(BadValue, match="Nothing was counted"):
        read_values(RandomizedResponse(1, categories=4), [0, *given])


@pytest.mark.parametrize("given", ["", "0" * 15, "g" * 16, "F" * 16, 7, "0" * 17])
def test_what_cannot_be_a_row_of_bits_is_refused(given: object) -> None:
    channel = next(channel for channel in EXAMPLES if channel.packed)
    with pytest.raises(BadValue):
        read_values(channel, [given])


def test_nothing_is_estimated_from_nothing() -> None:
    channel = RandomizedResponse(1, categories=4)
    with pytest.raises(BadValue, match="no reports yet"):
        estimate(channel, ONCE, empty(channel, ONCE))


def test_the_verdict_names_the_law_that_holds() -> None:
    laws = [{"name": "a", "shares": [0.5, 0.3, 0.2]}, {"name": "b", "shares": [0.2, 0.3, 0.5]}]
    asked = {"text": "?", "answers": ["x", "y", "z"]}
    settings = {"title": "T", "asked_by": "A", "until": "2030-01-01", "people": 900, "epsilon": 2}
    found, _ = make_campaign({**settings, "question": [asked], "law": laws})
    channel = found.questions[0].channel
    for truth, rejects in ((0, False), (2, True)):
        drawn = channel.draw(np.full(900, truth), SeededBits(4))
        assert verdict(found, tally(channel, ONCE, drawn)).rejects_zero is rejects


def test_of_three_laws_the_likeliest_is_told_and_the_campaign_says_how_many_it_takes() -> None:
    laws = [
        {"name": "spring", "shares": [0.7, 0.2, 0.1]},
        {"name": "summer", "shares": [0.2, 0.6, 0.2]},
        {"name": "autumn", "shares": [0.1, 0.3, 0.6]},
    ]
    asked = {"text": "How was it?", "answers": ["bad", "fair", "good"]}
    settings = {"title": "T", "asked_by": "A", "until": "2030-01-01", "people": 1000, "epsilon": 1}
    found, _ = make_campaign({**settings, "question": [asked], "law": laws})
    again = read_campaign(found.signed(KEY)).campaign
    assert again.hypotheses is not None
    assert again.hypotheses.names == ("spring", "summer", "autumn")
    channel, people = again.questions[0].channel, needed(again)
    assert people is not None
    counts = (people * channel.output_law(np.array([0.2, 0.6, 0.2]))).round().astype(np.int64)
    seen = told(again, Tally(counts, int(counts.sum()), 1))
    assert again.hypotheses.names[seen.law] == "summer"
    assert seen.errors.largest <= 0.11  # The counts were rounded, so there may be a report less than is needed.
    with pytest.raises(BadValue, match="no two laws"):
        verdict(again, Tally(counts, int(counts.sum()), 1))
