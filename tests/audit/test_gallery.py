"""Every broken mechanism of the gallery is found, and no right one."""

import random
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

from tests.audit import gallery_page
from tests.audit.alarms import alarms, limit
from tests.audit.gallery import BROKEN, RIGHT, Exhibit, audited
from tests.sizes import sized


@pytest.mark.parametrize("exhibit", BROKEN, ids=lambda exhibit: exhibit.name)
def test_a_broken_mechanism_is_found(exhibit: Exhibit) -> None:
    found = audited(exhibit, seed=11, draws=20_000)
    assert found.broken, str(found)
    assert found.event
    assert {**found.as_record(), "target": exhibit.name} == gallery_page.stored()[exhibit.name], "make the page anew"
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
    audits = sized(100, 1000)
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


def test_the_page_of_the_gallery_is_up_to_date() -> None:
    """What was found is compared where each is audited; here its words, and that each has a picture."""
    assert gallery_page.PAGE.read_text(encoding="utf-8") == gallery_page.page(gallery_page.stored())
    assert {path.stem for path in gallery_page.FIGURES.glob("*.svg")} == {
        gallery_page.slug(each.name) for each in BROKEN
    }
    assert set(gallery_page.WHY) == {each.name for each in BROKEN}


def test_a_few_of_ten_thousand_audits_of_right_ones_raise_no_alarm() -> None:
    assert limit(10_000) == 124
    assert alarms(20, 200).total() <= 3, "python -m tests.audit.alarms counts them over 10,000"


def test_the_gallery_is_as_large_as_it_says() -> None:
    assert len(BROKEN) >= 25
    assert len(RIGHT) >= 10
    assert len({each.name for each in (*BROKEN, *RIGHT)}) == len(BROKEN) + len(RIGHT)
    assert isinstance(BROKEN[0].make(random.Random(1))(3), int)
