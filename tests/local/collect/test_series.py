"""Numbers over time: classes, means that hold what they say, and campaigns that ask for them."""

from fractions import Fraction

import numpy as np
import pytest

from banister.errors import BadValue
from banister.local import RandomizedResponse
from banister.local.collect.campaign import read_campaign
from banister.local.collect.making import make_campaign
from banister.local.collect.repeat import Repetition
from banister.local.collect.series import NumberSeries, estimate_series
from tests.local.collect.campaigns import KEY
from tests.seeded import SeededBits

LOAD = NumberSeries(0, times=4, least=0, most=4, classes=8, unit="kW")
SETTINGS = {"title": "T", "asked_by": "A", "until": "2030-01-01", "people": 9000, "epsilon": 8}
ASKED = {"text": "Load", "numbers": {"least": 0, "most": 4, "classes": 8, "unit": "kW"}, "times": 4}


def test_numbers_fall_into_classes_and_beyond_the_range_into_the_last() -> None:
    given = ["-3", "0", "0.49", "0.5", "1.2", "3.99", "4", "1e9"]
    assert [LOAD.class_of(one) for one in given] == [0, 0, 0, 1, 2, 7, 7, 7]
    assert [LOAD.when(place) for place in range(4)] == ["00:00", "06:00", "12:00", "18:00"]
    assert NumberSeries(0, times=7, least=0, most=1, classes=2, unit="").when(2) == "3 of 7"
    with pytest.raises(BadValue, match="is a number") as raised:
        LOAD.class_of("12 kW")
    assert "12" not in str(raised.value)


@pytest.mark.parametrize("second", [None, 2])
def test_means_are_unbiased_and_all_within_their_intervals(second: int | None) -> None:
    channel = RandomizedResponse(2, categories=8)
    repetition = Repetition("once") if second is None else Repetition("permanent", rounds=3, second=second)
    held, middles, tries = 0, LOAD.middles, 40
    for seed in range(tries):
        answers = [np.minimum(np.arange(3000) % (place + 2), 7) for place in range(4)]
        drawn = [channel.draw(one, SeededBits(100 * seed + place)) for place, one in enumerate(answers)]
        if second is not None:
            drawn = [repetition.step(channel).draw(one, SeededBits(7 + seed)) for one in drawn]
        counts = [np.bincount(one, minlength=8) for one in drawn]
        found = estimate_series(LOAD, [channel] * 4, repetition, counts)
        truth = np.array([middles[one].mean() for one in answers])
        held += bool((np.abs(found.mean - truth) <= found.half).all())
        assert found.peak in found.peaks
    assert held >= 0.95 * tries


def test_a_campaign_asks_for_numbers_at_each_time() -> None:
    campaign, _ = make_campaign({**SETTINGS, "question": [ASKED, {"text": "Gas?", "answers": ["yes", "no"]}]})
    again = read_campaign(campaign.signed(KEY)).campaign
    (series,) = again.series
    assert (series.least, series.most, series.unit) == (Fraction(0), Fraction(4), "kW")
    assert [one.question for one in again.questions] == [
        "Load, 00:00", "Load, 06:00", "Load, 12:00", "Load, 18:00", "Gas?",
    ]  # fmt: skip
    assert again.once.epsilon == 8


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"numbers": 3}, "asks for numbers"),
        ({"numbers": {"least": 0, "most": 4}}, "need classes"),
        ({"numbers": {"least": 4, "most": 4, "classes": 3}}, "must be below"),
        ({"times": 65}, "times"),
        ({"answers": ["a", "b"]}, "asks for numbers"),
    ],
)
def test_what_is_no_question_about_numbers_is_refused(change: dict[str, object], words: str) -> None:
    with pytest.raises(BadValue, match=words):
        make_campaign({**SETTINGS, "question": [{**ASKED, **change}]})
