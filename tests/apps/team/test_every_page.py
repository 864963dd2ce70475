"""Every page of a team, at both widths, in light and in dark, under axe; no page is forgotten."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page
from starlette.testclient import TestClient

from banister.apps import team as team_package
from banister.apps.team.openid import OpenId
from banister.apps.team.page_outside import OutsidePages
from tests.apps.team.place import PASSWORD, Team, running, team
from tests.apps.web.every import (
    FILE,
    PIECE,
    STREAM,
    Shelf,
    addresses,
    hold_to_be_none,
    look_at,
    press,
    sorted_all,
    whole_pages,
)
from tests.apps.web.running import WIDTHS, watching
from tests.postgres import free_port

ANSWERS, LARGE = "/requests/ana/june", "/requests/ana/large"
PAGES = {
    "/": ("ana", "olga", "ada"),
    "/sign-in": ("",),
    "/code": ("",),
    "/who": ("", "ana"),
    "/me": ("ana", "ada"),
    "/people": ("olga", "ada"),
    "/log": ("olga", "ada"),
    "/shares": ("olga",),
    "/charges": ("olga", "ada"),
    "/requests": ("ana", "olga", "ada"),
    "/ask": ("ana", "olga"),
}
"""Pages whose address has no part to be filled in, and who looks at them."""
STATES = {
    "/requests/ana/june": ("ana", "olga", "ada"),
    "/requests/ana/large": ("ana", "olga", "ada"),
    "/requests/ana/no": ("ana",),
    "/requests/ben/gone": ("olga",),
}
"""The page of a request, in each of its states."""
FILLED = ("/requests/{account}/{key}", "/ask/price/{key}", "/practice/{key}", "/work/{key}", "/outside")
"""Pages whose address has a part that is filled in, or that another server would fill in."""
OTHERS = {
    "/requests/list": ("/requests/list", PIECE),
    "/requests/events": ("/requests/events", STREAM),
    "/requests/{account}/{key}/report.html": (f"{ANSWERS}/report.html", FILE),
    "/requests/{account}/{key}/answers-{place}.csv": (f"{ANSWERS}/answers-1.csv", FILE),
    "/requests/{account}/{key}/chart-{place:int}.{kind}": (f"{ANSWERS}/chart-1.svg", FILE),
    "/requests/{account}/{key}/report.certificate": (f"{ANSWERS}/report.certificate", FILE),
    "/charges/budget-narrow.svg": ("/charges/budget-narrow.svg", FILE),
    "/charges/budget.{kind}": ("/charges/budget.svg", FILE),
    "/log.csv": ("/log.csv", FILE),
    "/static/style.css": ("/static/style.css", FILE),
    "/outside/back": ("/outside/back", STREAM),  # It leads on, or is the refusal that /outside shows, too.
    "/work/{key}/events": ("/work/none/events", STREAM),
}


def come_in(made: Team, page: Page, name: str) -> None:
    """A browser of a member, who signed in elsewhere; nobody's where there is no name."""
    page.context.clear_cookies()
    if name:
        session = made.room.people.sign_in(name, PASSWORD)
        cookie = f"banister-team-{made.room.settings.port}"
        page.context.add_cookies([{"name": cookie, "value": session, "url": made.room.settings.origin}])


def everything(made: Team) -> None:
    """A request in each of its states: answered, waiting, refused by an owner, withdrawn as its analyst left."""
    assert made.release("ana", "0.1", "june").json()["state"] == "answered"
    assert made.release("ana", "0.29", "large").json()["state"] == "waiting"
    assert made.release("ana", "0.3", "no").json()["state"] == "waiting"
    assert made.release("ben", "0.25", "gone").json()["state"] == "waiting"
    made.ask("olga", "POST", "/requests/ana/no/decision", allow=False)
    made.ask("olga", "DELETE", "/accounts/ben")


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
def test_every_page_is_in_order(browser: Browser, tmp_path: Path, width: int) -> None:
    port, shelf = free_port(), Shelf()
    made = team(tmp_path, f'listen = "127.0.0.1:{port}"\n')
    site = made.room.pages
    away = OpenId(issuer="http://127.0.0.1:9", client="c", secret="s", claim="email", name="elsewhere")
    OutsidePages(site, made.room, away)
    shelf.watch(site)
    with running(made, port) as origin, watching(browser, origin, width=width) as seen:
        come_in(made, seen.page, "ada")
        look_at(seen, "/charges")  # Before the first charge.
        everything(made)
        sorted_all(addresses(site), {*PAGES, *FILLED}, OTHERS)
        for address, names in (PAGES | STATES).items():
            for name in names:
                come_in(made, seen.page, name)
                look_at(seen, address)
        come_in(made, seen.page, "ana")
        seen.go("/ask")
        seen.page.locator("#epsilon").fill("0.05")
        seen.page.get_by_role("heading", name="What to expect at epsilon 0.05").wait_for()
        press(seen, "Practise it for nothing")
        look_at(seen)
        press(seen, "The same for real")
        look_at(seen)
        for address, status in (("/no-such-page", 404), ("/people", 403), ("/work/none", 422)):
            look_at(seen, address, status=status)
        come_in(made, seen.page, "")
        look_at(seen, "/outside", status=401)  # The other server does not answer.
        visitor = TestClient(made.room.app, base_url=origin, follow_redirects=False)
        visitor.cookies.set(site.place.cookie, made.room.people.sign_in("olga", PASSWORD), domain="127.0.0.1")
        hold_to_be_none(visitor, dict(OTHERS.values()))
    made.room.desk.ledger.close()
    made.room.store.close()
    missed = whole_pages(Path(str(team_package.__file__)).parent) - shelf.shown
    assert not missed, f"these pages were not looked at: {sorted(missed)}"
