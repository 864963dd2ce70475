"""Campaigns as signed files: what is read is what was signed, and what it says is what its channels have."""

import json

import numpy as np
import pytest

from banister.core.privacy.guarantee import Guarantee
from banister.errors import BadValue
from banister.keys import SigningKey
from banister.local import EverySet, RandomizedResponse, SubsetSelection
from banister.local.channels import ALL
from banister.local.collect.campaign import read_campaign
from banister.local.collect.making import make_campaign, needed
from banister.local.collect.repeat import Repetition
from banister.local.collect.sharing import LevelShare
from tests.local.collect.campaigns import KEY, campaign, signed

ASKED = {"title": "T", "asked_by": "A", "until": "2030-01-01", "people": 10_000, "epsilon": 1}
SMOKE = {"text": "Do you smoke?", "answers": {"yes": 0.2, "no": 0.8}}


def test_every_kind_of_channel_goes_through_a_signed_file() -> None:
    for kind in ALL:
        for channel in kind.examples():
            found = signed(channel)
            assert found.campaign.questions[0].channel.hash == channel.hash
            assert found.key == KEY.public
            assert found.name == found.campaign.name


def test_a_letter_changed_anywhere_is_noticed() -> None:
    text = signed(RandomizedResponse(1, categories=3), title="Été").text
    body, seal, _ = text.split("\n")
    for place in range(0, len(body), 7):
        other = "b" if body[place] != "b" else "c"
        with pytest.raises(BadValue, match="changed after it was signed"):
            read_campaign(f"{body[:place]}{other}{body[place + 1 :]}\n{seal}\n")
    with pytest.raises(BadValue, match="changed after it was signed"):
        read_campaign(text.replace(KEY.public, SigningKey.generate().public))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"epsilon": "1/10"}, "says something else"),
        ({"people": 10**6}, "says something else"),
        ({"format": "banister-campaign/9"}, "not a campaign of the format"),
        ({"until": "soon"}, "must be a day"),
        ({"rounds": "1"}, "lacks a field or has one of the wrong kind"),
        ({"more": 1}, "says something else"),
        ({"share": "some"}, "lacks a field or has one of the wrong kind"),
    ],
)
def test_who_signs_something_false_is_not_believed(change: dict[str, object], words: str) -> None:
    body = json.loads(signed(RandomizedResponse(1, categories=3)).text.split("\n")[0]) | change
    line = json.dumps(body, sort_keys=True, separators=(",", ":"))
    seal = {"format": "banister-campaign-seal/1", "key": KEY.public, "signature": KEY.sign(line.encode())}
    with pytest.raises(BadValue, match=words):
        read_campaign(f"{line}\n{json.dumps(seal)}\n")


@pytest.mark.parametrize(
    "text", ["", "{}\n{}\n", "a\nb", "[]\n[]\n\n", '{"format":1}\n{"format":"banister-campaign-seal/1"}\n']
)
def test_what_is_no_campaign_is_refused(text: str) -> None:
    with pytest.raises(BadValue):
        read_campaign(text)


def test_levels_of_questions_add_up_unless_one_is_picked() -> None:
    channels = RandomizedResponse(1, categories=2), RandomizedResponse("1/2", categories=3)
    assert campaign(*channels).once == Guarantee("3/2")
    assert campaign(*channels, share=LevelShare.ONE).once == Guarantee(1)
    fresh = campaign(*channels, repetition=Repetition("fresh", rounds=4))
    assert fresh.over_all_rounds == Guarantee(6)
    kept = campaign(*channels, repetition=Repetition("permanent", rounds=4))
    assert kept.over_all_rounds == Guarantee("3/2")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"title": " "}, "Give a title"),
        ({"until": "31.1.2030"}, "must be a day"),
        ({"people": 0}, "people = 0"),
        ({"title": "x" * 2001}, "title has 2001 characters"),
        ({"share": LevelShare.ONE, "repetition": Repetition("fresh", rounds=2)}, "for one round"),
    ],
)
def test_a_campaign_that_says_too_little_is_refused(more: dict[str, object], words: str) -> None:
    with pytest.raises(BadValue, match=words):
        campaign(RandomizedResponse(1, categories=2), **more)  # type: ignore[arg-type]


def test_a_campaign_from_settings_is_designed_for_its_answers() -> None:
    found, shared = make_campaign({**ASKED, "question": [SMOKE, {"text": "How often?", "answers": ["never", "often"]}]})
    assert found.share is shared.share is LevelShare.ONE
    assert found.over_all_rounds == Guarantee(1)
    split, _ = make_campaign(
        {**ASKED, "share": "all", "question": [SMOKE, {"text": "How?", "answers": ["a", "b", "c"]}]}
    )
    assert split.over_all_rounds == Guarantee(1)
    assert split.share is LevelShare.ALL


def test_kept_answers_get_a_channel_with_few_reports() -> None:
    many = {"text": "Which?", "answers": [f"kind {x}" for x in range(48)]}
    once, _ = make_campaign({**ASKED, "question": [many]})
    assert isinstance(once.questions[0].channel, EverySet)
    assert 20 * once.questions[0].channel.outputs > 10_000
    kept, _ = make_campaign({**ASKED, "question": [many], "answered": "permanent", "rounds": 10})
    assert 20 * kept.questions[0].channel.outputs <= 10_000
    crowd, _ = make_campaign({**ASKED, "question": [many], "answered": "permanent", "rounds": 10, "people": 100_000})
    assert isinstance(crowd.questions[0].channel, SubsetSelection)  # The best of those with few reports.


def test_groups_are_inside_the_channel() -> None:
    found, _ = make_campaign({**ASKED, "question": [{**SMOKE, "groups": ["north", "south"]}]})
    assert found.questions[0].labels == ["north · yes", "north · no", "south · yes", "south · no"]
    assert found.once == Guarantee(1)


def test_a_test_of_two_laws_says_how_many_people_it_needs() -> None:
    laws = [{"name": "as before", "shares": [0.5, 0.3, 0.2]}, {"name": "worse", "shares": [0.2, 0.3, 0.5]}]
    asked = {"text": "How?", "answers": ["good", "fair", "poor"]}
    found, _ = make_campaign({**ASKED, "question": [asked], "law": laws})
    assert found.hypotheses is not None
    assert needed(found) == needed(read_campaign(found.signed(KEY)).campaign)
    assert 50 < (needed(found) or 0) < 500
    assert needed(campaign(RandomizedResponse(1, categories=2))) is None


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"colour": 1}, "'colour' is no setting"),
        ({"question": []}, r"needs a \[\[question\]\]"),
        ({"question": [{"text": "?", "answers": ["a"]}]}, "answers of question 1"),
        ({"question": [{"text": "?", "answers": {"a": 0, "b": 1}}]}, "The share of an answer to question 1"),
        ({"question": [{**SMOKE, "colour": 1}]}, "nothing else"),
        ({"question": [{**SMOKE, "channel": "smoke"}]}, "channel = 'smoke'"),
        ({"epsilon": 0}, "epsilon = 0"),
        ({"title": ""}, "needs title"),
        ({"law": [1]}, "two or more \\[\\[law\\]\\] tables"),
        ({"law": [{"name": "a", "shares": [1, 1]}] * 2}, "a name of its own"),
        ({"law": [{"name": "a"}, {"name": "b"}]}, "Each \\[\\[law\\]\\]"),
        ({"share": "half"}, "share = 'half'"),
    ],
)
def test_bad_settings_are_refused_in_one_sentence(change: dict[str, object], words: str) -> None:
    with pytest.raises(BadValue, match=words):
        make_campaign({**ASKED, "question": [SMOKE], **change})


def test_a_large_channel_says_how_many_reports_a_person_could_have() -> None:
    body = json.loads(campaign(SubsetSelection(1, 48, 13), people=1000).body)
    assert body["shared_by"] == ["3 reports a person"]
    assert np.isclose(float(body["questions"][0]["level"]), 1)
