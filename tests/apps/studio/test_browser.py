"""The walk of a newcomer through the studio, in a real browser, at the width of a phone and of a desk."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from banister.apps.studio.site import studio
from banister.apps.web.jobs import Job, Teller
from banister.apps.web.site import Site
from tests.apps.studio.place import schema
from tests.apps.studio.shots import PAGES, TABLE, Eye, stays, walk
from tests.apps.web.running import WIDTHS, Watched, running, watched


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with running(lambda place: studio(place, str(schema(tmp_path)))) as found:
        yield found


def looked_at(seen: Watched) -> None:
    seen.settled()
    seen.check()


@pytest.mark.parametrize("width", WIDTHS)
def test_from_a_table_to_a_report_and_the_account(browser: Browser, site: Site, width: int) -> None:
    with watched(browser, site, width=width) as seen:
        page = seen.page
        looked_at(seen)
        page.get_by_role("link", name="Ask a question").click()
        page.get_by_role("heading", name="What it takes").wait_for()
        looked_at(seen)
        before = page.locator("#forecast td.much").first.inner_text()
        page.get_by_label("Epsilon, by a slider").focus()
        page.keyboard.press("Home")
        page.get_by_role("heading", name="What to expect at epsilon 0.01").wait_for()
        assert page.locator("#epsilon").input_value() == "0.01"
        assert page.locator("#forecast td.much").first.inner_text() != before
        page.locator("#question").fill("SELECT height FROM data")
        page.get_by_role("alert").wait_for()
        assert "height" in page.get_by_role("alert").inner_text()
        looked_at(seen)
        page.get_by_text("Columns", exact=True).click()
        page.locator("#question").fill("SELECT COUNT(*) AS n FROM data WHERE > 3")
        page.locator("#question").evaluate("field => field.setSelectionRange(37, 37)")
        page.get_by_role("button", name="age", exact=True).click()
        assert page.locator("#question").input_value() == "SELECT COUNT(*) AS n FROM data WHERE age> 3"
        page.locator("#question").fill("SELECT pl")  # Completion by the keyboard alone.
        page.get_by_role("option", name="plan").wait_for()
        looked_at(seen)
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        assert page.locator("#question").input_value() == "SELECT plan "
        page.get_by_label("sum of age").check()
        page.get_by_role("heading", name="What it takes").wait_for()
        assert "SUM(age) AS sum_age" in page.locator("#question").input_value().replace("\n", " ")
        page.locator("#forecast").get_by_text("sum_age").first.wait_for()
        page.get_by_label("sum of age").uncheck()
        page.locator("#forecast").get_by_text("sum_age").first.wait_for(state="detached")  # A new plan closes the rest.
        seen.settled()
        page.get_by_text("How it is done").click()
        page.get_by_text("Noise, cell by cell").wait_for()
        page.get_by_label("Or say what you need").fill("0.001")
        page.get_by_role("button", name="Find the epsilon").click()
        page.locator("#level .refusal").wait_for()
        looked_at(seen)
        page.get_by_label("Or say what you need").fill("40")
        page.get_by_role("button", name="Find the epsilon").click()
        page.get_by_text("Every answer is within 40 %").wait_for()
        seen.settled()  # Who leaves while a plan is on its way makes htmx say so in the console.
        page.get_by_role("button", name="Go on to the price").click()
        looked_at(seen)
        page.get_by_role("button", name="Pay epsilon").click()
        page.get_by_role("heading", name="Private answers").wait_for()
        looked_at(seen)
        page.reload()
        page.go_back()  # To the price, which leads on to the answer, since it was paid.
        page.get_by_role("heading", name="Private answers").wait_for()
        page.get_by_role("link", name="Account").click()
        looked_at(seen)
        assert page.get_by_text("read it").count() == 1
        page.get_by_label("Drag the point").focus()
        page.keyboard.press("Home")
        page.get_by_text("At 0 % false alarms").wait_for()
        assert not seen.noticed


def test_a_move_of_the_slider_is_asked_for_once_and_at_once(browser: Browser, site: Site) -> None:
    with watched(browser, site) as seen:
        page, asked = seen.page, list[str]()
        seen.go("/ask")
        page.get_by_role("heading", name="What it takes").wait_for()
        seen.settled()
        page.on("request", lambda request: asked.append(request.post_data or "") if request.method == "POST" else None)
        sent = """slider => { slider.value = 0; slider.dispatchEvent(new Event("input", { bubbles: true }));
            return document.querySelector("#forecast").classList.contains("htmx-request") }"""
        assert page.get_by_label("Epsilon, by a slider").evaluate(sent), "it waits before it asks"
        page.get_by_role("heading", name="What to expect at epsilon 0.01").wait_for()
        page.wait_for_timeout(200)  # Long enough for what would be asked after a pause.
        assert ["epsilon=0.01&" in each for each in asked] == [True]
        page.locator("#epsilon").fill("0.017")  # Who types is still waited for.
        page.get_by_role("heading", name="What to expect at epsilon 0.017").wait_for()
        assert not seen.noticed


@pytest.mark.parametrize("width", WIDTHS)
def test_a_lost_connection_is_said_until_there_is_an_answer_again(browser: Browser, site: Site, width: int) -> None:
    with watched(browser, site, width=width) as seen:
        page, said = seen.page, seen.page.locator("#lost")
        seen.go("/ask")
        page.get_by_role("heading", name="What it takes").wait_for()
        seen.settled()
        assert said.is_hidden()
        page.route("**/ask/plan", lambda route: route.abort("connectionrefused"))
        page.get_by_label("Epsilon, by a slider").press("Home")
        said.wait_for()
        assert "There is no answer" in said.inner_text()
        assert "What to expect at epsilon 0.01" not in page.locator("#forecast").inner_text()
        assert said.evaluate("box => box.getBoundingClientRect().top >= 0"), "who is far down the page sees it, too"
        page.unroute("**/ask/plan")
        page.get_by_label("Epsilon, by a slider").press("End")
        page.get_by_role("heading", name="What to expect at epsilon 1").wait_for()
        assert said.is_hidden()
        page.context.clear_cookies()  # As after another start of the program.
        page.get_by_label("Epsilon, by a slider").press("Home")
        said.wait_for()
        assert "Open the whole address that was printed" in said.inner_text()
        assert "banister" in said.evaluate("box => document.querySelector('header').innerText")


def test_progress_of_a_program_that_ended_does_not_look_as_if_it_went_on(browser: Browser, site: Site) -> None:
    end = threading.Event()

    def works(tell: Teller) -> str:
        tell("adding up question 1 of 1")
        end.wait(60)
        return "/"

    site.start("works", lambda: Job("Releasing", works, again="/ask"))
    with watched(browser, site) as seen:
        page = seen.page
        page.route("**/work/works/events", lambda route: route.abort("connectionrefused"))
        seen.go("/work/works")
        page.locator("#lost").wait_for()
        assert "what was paid for is there" in page.locator("#lost").inner_text()
    end.set()


@pytest.mark.parametrize("width", WIDTHS)
def test_noise_and_local_draw_their_pictures(browser: Browser, width: int) -> None:
    with running(studio) as site, watched(browser, site, width=width) as seen:
        for name in ("noise", "local"):
            seen.go(f"/{name}")
            seen.page.locator("figure img").wait_for()
            seen.settled()
            assert seen.page.locator("figure img").evaluate("image => image.naturalWidth") > 0
            looked_at(seen)
        assert seen.page.locator("[data-curve] canvas").count() == 1
        seen.page.locator("#answers").fill("only one, 1")
        seen.page.get_by_role("alert").wait_for()
        assert not seen.noticed


def test_a_newcomer_walks_from_a_csv_file_through_every_page(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The walk of the guide, whose pictures `make shots` takes; here on a phone in the dark, each page under axe."""
    monkeypatch.chdir(tmp_path)
    stays(tmp_path)
    eye = Eye()
    with running(lambda place: studio(place, TABLE)) as found:
        walk(browser, found, eye, width=360, scheme="dark")
    assert set(eye.names) == set(PAGES)


def test_it_is_clean_in_the_dark_and_without_a_table(browser: Browser) -> None:
    with running(studio) as site, watched(browser, site, scheme="dark") as seen:
        looked_at(seen)


@pytest.mark.parametrize("width", WIDTHS)
def test_a_finished_look_is_in_order_and_a_copy_says_what_does_the_same(
    browser: Browser, site: Site, width: int
) -> None:
    with watched(browser, site, width=width) as seen:
        for name, paid in (("look", "The schema that follows"), ("publish", "How close the copy came")):
            seen.go(f"/{name}")
            seen.page.get_by_role("button", name="Go on to the price").wait_for()
            seen.settled()
            seen.page.get_by_role("button", name="Go on to the price").click()
            looked_at(seen)
            seen.page.get_by_role("button", name="Pay epsilon").click()
            seen.page.get_by_text(paid).first.wait_for()
            assert seen.page.get_by_text("The same in Python").count() == 1
            looked_at(seen)
