"""Every broken mechanism of the gallery is found, and no right one."""

import random
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

from tests.audit.gallery import BROKEN, RIGHT, Exhibit, audited


@pytest.mark.parametrize("exhibit", BROKEN, ids=lambda exhibit: exhibit.name)
def test_a_broken_mechanism_is_found(exhibit: Exhibit) -> None:
    found = audited(exhibit, seed=11, draws=20_000)
    assert found.broken, str(found)
    assert found.event
    assert not exhibit.found_by or found.attack in exhibit.found_by, str(found)


@pytest.mark.parametrize("exhibit", RIGHT, ids=lambda exhibit: exhibit.name)
def test_a_right_mechanism_passes(exhibit: Exhibit) -> None:
    found = audited(exhibit, seed=12, draws=4000)
    assert not found.broken, str(found)


def test_a_broken_one_stops_early() -> None:
    assert audited(BROKEN[1], seed=13, draws=1_000_000).draws == 2000


def test_the_claim_that_is_true_passes_where_a_smaller_one_is_broken() -> None:
    response = next(each for each in RIGHT if each.name == "response")
    assert audited(replace(response, epsilon=0.8), seed=14, draws=20_000).broken
    assert not audited(response, seed=14, draws=20_000).broken


@pytest.mark.slow
@pytest.mark.parametrize("name", ["response", "geometric", "on a grid", "choice"])
def test_it_never_cries_wolf(name: str) -> None:
    """At a confidence of 0.8, so that alarms would come if the risk were not paid for."""
    exhibit = next(each for each in RIGHT if each.name == name)
    audits = 300
    alarms = sum(audited(exhibit, seed=seed, draws=1000, confidence="0.8").broken for seed in range(audits))
    assert alarms <= binom.ppf(0.9999, audits, 0.2)


@pytest.mark.slow
def test_an_event_that_is_known_before_raises_alarms_as_often_as_it_may() -> None:
    """One event at the edge of the claim, tested many times: the interval itself, without luck in the proposals."""
    from banister.audit.attacks.bounds import epsilon_shown

    chance = np.random.default_rng(5)
    draws, tries, risk = 500, 20_000, 0.2
    likely = np.e / (1 + np.e)
    shown = epsilon_shown(
        chance.binomial(draws, likely, tries),
        chance.binomial(draws, 1 - likely, tries),
        draws=draws,
        delta=0.0,
        risk=risk,
    )
    alarms = int(np.sum(shown > 1))
    assert alarms <= binom.ppf(0.9999, tries, risk)
    assert alarms > 0, "bounds that never alarm show nothing"


def test_the_gallery_is_as_large_as_it_says() -> None:
    assert len(BROKEN) >= 25
    assert len(RIGHT) >= 9
    assert len({each.name for each in (*BROKEN, *RIGHT)}) == len(BROKEN) + len(RIGHT)
    assert isinstance(BROKEN[0].make(random.Random(1))(3), int)
