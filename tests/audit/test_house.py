"""Our own house under attack, lightly: `make audit` does the same with a million draws."""

from dataclasses import replace
from pathlib import Path

import pytest

from banister.audit import attack
from banister.audit.attacks.bounds import draws_needed, epsilon_shown
from banister.errors import BadValue
from banister.local import RandomizedResponse
from banister.local.document import Survey
from banister.local.files import write_survey
from tests.audit.house import all_findings, attacked, channels, payments
from tests.audit.house_wholes import Audited, wholes


@pytest.mark.slow
def test_nothing_of_ours_is_broken() -> None:
    found = list(all_findings(2000, "0.999999", of_wholes=200))
    assert len(found) >= 60
    assert [name for name, each in found if each.broken] == []


@pytest.mark.slow
def test_a_claim_that_is_too_small_is_broken_for_every_kind() -> None:
    """The same targets with a quarter of their claim: an audit that could not find this would find nothing."""
    blunt = ("wide table", "VarianceSketch, replace")  # A few thousand draws show less than that of them.
    some = [each for each in wholes() if not each.name.startswith(blunt)]
    seen = [
        each
        for each in (*channels(), *payments(), *some)
        if each.epsilon and not each.name.startswith("MatrixChannel 2")
    ]
    missed = [each.name for each in seen if not any(quartered(each, draws) for draws in (1500, 12_000))]
    assert missed == []


def quartered(each: Audited, draws: int) -> bool:
    """Whether a quarter of a claim is broken; most are by few draws already."""
    return attacked(replace(each, epsilon=each.epsilon / 4, delta=0.0), draws, "0.99").broken


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    path = tmp_path / "question.channel"
    channel = RandomizedResponse(epsilon=1, categories=3)
    write_survey(path, Survey(channel=channel, labels=["a", "b", "c"], question="Which?", asked_by="us"))
    return path


def test_a_channel_in_a_file_is_audited_on_its_answers(survey: Path) -> None:
    found = attack(f"channel:{survey}", epsilon=1, draws=4000)
    assert not found.broken
    assert attack(f"channel:{survey}", epsilon="1/2", draws=8000).broken
    with pytest.raises(BadValue, match="whole numbers from 0 to 2, such as"):
        attack(f"channel:{survey}", epsilon=1, pairs=[(0, 3)], draws=1000)


def test_as_many_draws_as_are_said_to_be_needed_are_needed() -> None:
    likely = 2.718281828459045 / 3.718281828459045

    def shown(draws: int) -> float:
        return float(epsilon_shown(draws * likely, draws * (1 - likely), draws=draws, delta=0.0, risk=0.001))

    needed = draws_needed(1.0, 0.95, risk=0.001)
    assert shown(needed - 1) < 0.95 <= shown(needed)


def test_what_is_not_broken_says_how_much_more_would_show() -> None:
    found = attack("geometric", epsilon=1, draws=2000)
    assert f"takes {found.draws_for_nearly_all:,} draws." in str(found)
    assert found.draws_for_nearly_all > 500_000


def test_a_finding_is_drawn(tmp_path: Path) -> None:
    target = tmp_path / "region.svg"
    attack(lambda count: count, epsilon=1, pairs=[(3, 4)], draws=1000).draw(target)
    text = target.read_text()
    assert "claimed: epsilon 1" in text
    assert "the event" in text
