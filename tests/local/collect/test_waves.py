"""Two waves: the second is designed for what the first showed, and its gain is true."""

from dataclasses import replace

import numpy as np
import pytest

from banister.errors import BadValue
from banister.local.collect.campaign import Campaign, SignedCampaign, read_campaign
from banister.local.collect.making import make_campaign
from banister.local.collect.tally import Tally, estimate, tally
from banister.local.collect.waves import both_waves, error_a_person, likely_law, second_wave
from tests.local.collect.campaigns import KEY
from tests.seeded import SeededBits

TRUTH = np.array([0.9] + [0.1 / 7] * 7)


def pilot(**more: object) -> SignedCampaign:
    asked = {"text": "How is it?", "answers": [f"at {place}" for place in range(8)]}
    settings = {"title": "T", "asked_by": "A", "until": "2030-01-01", "people": 3000, "epsilon": 2, **more}
    return read_campaign(make_campaign({**settings, "question": [asked]})[0].signed(KEY))


def answered(campaign: Campaign, people: int, seed: int) -> Tally:
    channel = campaign.questions[0].channel
    answers = np.searchsorted(np.cumsum(TRUTH), (np.arange(people) + 0.5) / people)
    return tally(channel, campaign.repetition, channel.draw(answers, SeededBits(seed)))


def test_the_second_wave_is_designed_for_what_the_first_showed_and_gains() -> None:
    first = pilot()
    wave, (gain,) = second_wave(first, [answered(first.campaign, 3000, 1)], people=9000, until="2031-01-01")
    again = read_campaign(wave.signed(KEY)).campaign
    assert again.after == first.name
    assert (again.people, again.until, again.once) == (9000, "2031-01-01", first.campaign.once)
    assert gain.expected > 1.1
    assert gain.least <= gain.expected <= gain.most
    old, new = first.campaign.questions[0].channel, again.questions[0].channel
    true = error_a_person(old, first.campaign.repetition, TRUTH) / error_a_person(new, again.repetition, TRUTH)
    assert gain.least <= true <= gain.most
    # The errors behind the gain are those of the estimates themselves.
    for channel, campaign in ((old, first.campaign), (new, again)):
        found = estimate(channel, campaign.repetition, answered(campaign, 200_000, 2))
        drawn = 200_000 * float((found.standard_errors**2).sum())
        assert drawn == pytest.approx(error_a_person(channel, campaign.repetition, TRUTH), rel=0.03)


def test_both_waves_together_are_better_than_either() -> None:
    first = pilot()
    wave, _ = second_wave(first, [answered(first.campaign, 3000, 3)], people=3000, until="2031-01-01")
    seen = [
        estimate(one.questions[0].channel, one.repetition, answered(one, 3000, 4)) for one in (first.campaign, wave)
    ]
    law = likely_law(seen[0])
    one, other = (error_a_person(each.questions[0].channel, each.repetition, law) for each in (first.campaign, wave))
    both = both_waves(seen[0], seen[1], errors=(one, other))
    assert 0.5 < both.weight < 1
    total = float((both.standard_errors**2).sum())
    assert total < min(float((found.standard_errors**2).sum()) for found in seen)
    np.testing.assert_allclose(both.frequencies, TRUTH, atol=5 * float(both.standard_errors.max()))


def test_there_is_nothing_after_an_empty_wave_a_test_or_a_second_wave() -> None:
    first = pilot()
    with pytest.raises(BadValue, match="no reports to some question"):
        second_wave(first, [replace(answered(first.campaign, 10, 1), reports=0)], people=10, until="2031-01-01")
    wave, _ = second_wave(first, [answered(first.campaign, 3000, 1)], people=9000, until="2031-01-01")
    with pytest.raises(BadValue, match="there is no third"):
        second_wave(read_campaign(wave.signed(KEY)), [answered(wave, 10, 1)], people=10, until="2031-01-01")
    with pytest.raises(BadValue, match="64 digits"):
        replace(wave, after="first")


def test_numbers_over_time_have_no_second_wave() -> None:
    """It would ask for classes instead of numbers, and gain nothing."""
    numbers = {"least": 0, "most": 4, "classes": 8, "unit": "kW"}
    given = {"title": "T", "asked_by": "A", "until": "2030-01-01", "people": 900, "epsilon": 4}
    made, _ = make_campaign({**given, "question": [{"text": "Your load", "numbers": numbers, "times": 2}]})
    first = read_campaign(made.signed(KEY))
    totals = [tally(one.channel, made.repetition, np.arange(8)) for one in made.questions]
    with pytest.raises(BadValue, match="a second wave gains nothing"):
        second_wave(first, totals, people=900, until="2031-01-01")
