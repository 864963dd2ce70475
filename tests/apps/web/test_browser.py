"""The foundation in a real browser: the trade of the token, progress that moves, forms of ours that pass the gate."""

import threading
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from banister.apps.web.gate import Place
from banister.apps.web.jobs import Job, Teller, Work
from banister.apps.web.site import NavLink, Site
from banister.errors import BadValue
from tests.apps.web.running import WIDTHS, running, watched


def make(place: Place) -> Site:
    site = Site("Small", place=place, links=(NavLink("/", "Start"), NavLink("/other", "Other")))

    def start() -> object:
        return site.page("refusal.html", here="/", title="Start", message="Something to read.", back="/")

    def bad() -> object:
        raise BadValue("epsilon = -1 must be above 0.")

    site.app.add_api_route("/", start, response_model=None)
    site.app.add_api_route("/bad", bad, response_model=None)
    return site


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with running(make) as found:
        yield found


@pytest.mark.parametrize("width", WIDTHS)
def test_pages_of_the_foundation_are_clean(browser: Browser, site: Site, width: int) -> None:
    hold = threading.Event()
    site.jobs.once(f"hold-{width}", lambda: Job("Working", _held(hold), again="/"))
    try:
        with watched(browser, site, width=width) as seen:
            assert "token" not in seen.page.url
            assert [c["httpOnly"] and c["sameSite"] for c in seen.page.context.cookies()] == ["Strict"]
            seen.check()
            seen.go(f"/work/hold-{width}")
            seen.check()
            seen.go("/bad")
            seen.noticed.clear()  # A browser says in its console that the page came with status 422, as it should.
            seen.check()
            seen.page.context.clear_cookies()
            seen.go("/")
            assert seen.page.locator("h1").inner_text() == "Not let in"
            seen.noticed.clear()  # The same, with 403.
            seen.check()
    finally:
        hold.set()


def test_progress_moves_and_a_form_of_ours_stops_it(browser: Browser, site: Site) -> None:
    """The form is sent with Origin: null, since our pages have no referrer; the gate must know it for ours."""
    stages = [threading.Event() for _ in range(2)]
    job = site.jobs.once("moves", lambda: Job("Working", _held(*stages), again="/"))
    with watched(browser, site) as seen:
        seen.go("/work/moves")
        stages[0].set()
        seen.page.get_by_text("stage 1", exact=True).wait_for()
        seen.page.get_by_role("button", name="Stop").click()
        stages[1].set()
        seen.page.get_by_text("It was stopped. Nothing was paid.").wait_for()
        assert not seen.noticed
    assert job.wait(5).refusal


def test_work_that_ends_leads_to_its_result(browser: Browser, site: Site) -> None:
    hold = threading.Event()
    site.jobs.once("ends", lambda: Job("Working", _held(hold), again="/"))
    with watched(browser, site) as seen:
        seen.go("/work/ends")
        hold.set()
        seen.page.wait_for_url("**/")
        assert not seen.noticed


def _held(*events: threading.Event) -> Work:
    def work(tell: Teller) -> str:
        for place, event in enumerate(events):
            tell(f"stage {place}")
            event.wait(20)
        tell("the last")
        return "/"

    return work
