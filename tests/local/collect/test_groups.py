"""Shares within groups: the truth lies within all intervals at once, and plain answers have no groups."""

import numpy as np

from banister.local import RandomizedResponse
from banister.local.collect.groups import PART, shares_in_groups
from banister.local.collect.making import make_campaign
from tests.seeded import SeededBits

LABELS = [f"{group}{PART}{answer}" for group in ("north", "south") for answer in ("yes", "no", "maybe")]
TRUTH = np.array([0.1, 0.2, 0.1, 0.45, 0.1, 0.05])


def test_the_shares_within_groups_hold_together() -> None:
    channel = RandomizedResponse(2, categories=6)
    within = np.concatenate([TRUTH[:3] / TRUTH[:3].sum(), TRUTH[3:] / TRUTH[3:].sum()])
    answers, held = np.repeat(np.arange(6), (4000 * TRUTH).round().astype(int)), 0
    for seed in range(30):
        found = channel.estimate(channel.draw(answers, SeededBits(seed)))
        shares = shares_in_groups(LABELS, found, 0.95)
        assert [(one.group, one.answer) for one in shares] == [tuple(label.split(PART)) for label in LABELS]
        held += all(one.low <= true <= one.high for one, true in zip(shares, within, strict=True))
        assert all(one.low <= one.share <= one.high for one in shares)
    assert held >= 28


def test_a_campaign_with_groups_has_them_and_others_have_none() -> None:
    asked = {"text": "?", "answers": ["yes", "no", "maybe"], "groups": ["north", "south"]}
    given = {"title": "T", "asked_by": "A", "until": "2030-01-01", "people": 1000, "epsilon": 2, "question": [asked]}
    assert make_campaign(given)[0].questions[0].labels == LABELS
    channel = RandomizedResponse(2, categories=6)
    found = channel.estimate(channel.draw(np.arange(600) % 6, SeededBits(1)))
    assert shares_in_groups(list("abcdef"), found, 0.95) == []
    assert shares_in_groups([*LABELS[:5], f"west{PART}no"], found, 0.95) == []
