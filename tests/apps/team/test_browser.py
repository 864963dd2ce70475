"""Three people share a budget over a year, in a real browser, every page under axe."""

from pathlib import Path

from playwright.sync_api import Browser

from tests.apps.studio.shots import Eye
from tests.apps.team.walk import PAGES, walk_a_year, walkers


def test_three_people_share_a_budget_over_a_year(browser: Browser, tmp_path: Path) -> None:
    eye = Eye()
    with walkers(browser, tmp_path, width=360, scheme="dark") as walk:
        walk_a_year(walk, eye)
        charged = [entry for entry in walk.room.desk.ledger.history() if not entry.states]
        whose = [(entry.whose.analyst, entry.whose.allowed) for entry in charged if entry.whose]
        assert whose == [("ana", ""), ("ana", "olga"), ("ana", "")]
        assert not walk.olga.noticed + walk.ana.noticed + walk.ada.noticed
    assert set(eye.names) == set(PAGES)
