"""Two people in two browsers: an invitation, a post, approval, a reply, and the end of it."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from banister.apps.wildfire.site import wildfire
from tests.apps.web.running import running, watched
from tests.apps.wildfire.people import befriend, people, until


@pytest.mark.parametrize("width", [360, 1280])
def test_two_people_become_friends_post_approve_reply_and_part(browser: Browser, tmp_path: Path, width: int) -> None:
    with (
        people(tmp_path, 2) as (ann, ben),
        running(lambda place: wildfire(place, ann)) as at_anns,
        running(lambda place: wildfire(place, ben)) as at_bens,
        watched(browser, at_anns, width=width) as seen,
        watched(browser, at_bens, width=width, scheme="dark") as other,
    ):
        hers, his = seen.page, other.page
        seen.check()
        seen.go("/friends")
        hers.get_by_role("button", name="Make an invitation").click()
        line = hers.get_by_label("Invitation", exact=True).input_value()
        seen.check()
        other.go("/friends")
        his.get_by_label("The line you were given").fill(line)
        his.get_by_label("What you call this friend").fill("Ann")
        his.get_by_role("button", name="Use it").click()
        his.get_by_text("has not answered yet").wait_for()
        other.check()
        seen.go("/friends")
        hers.get_by_role("button", name="Accept").click()
        other.go("/")
        his.get_by_label("Write a post").fill("hello from nobody")
        his.get_by_label("My friends may know").check()
        his.get_by_role("button", name="Post", exact=True).click()
        his.locator("article").get_by_text("hello from nobody").wait_for(timeout=60_000)
        seen.go("/")
        hers.get_by_text("hello from nobody").wait_for(timeout=60_000)
        seen.check()
        hers.get_by_role("button", name="Approve").click()
        hers.get_by_text("Approved").wait_for()
        hers.get_by_role("link", name="Reply").click()
        hers.get_by_label("Reply").fill("hello back")
        hers.get_by_label("My friends may know").check()
        hers.get_by_role("button", name="Post", exact=True).click()
        his.get_by_text("hello back").wait_for(timeout=60_000)
        assert his.evaluate("localStorage.length + sessionStorage.length") == 0
        assert his.get_by_label("Write a post").get_attribute("autocomplete") == "off"
        other.go("/node")
        other.check()
        seen.go("/friends")
        hers.get_by_role("button", name="Remove").click()
        hers.get_by_text("You have no friends here yet").wait_for()
        seen.check()


def test_the_figure_is_shown_before_one_posts(browser: Browser, tmp_path: Path) -> None:
    with people(tmp_path, 4) as crowd:
        for other in crowd[1:]:
            befriend(crowd[0], other)
        with running(lambda place: wildfire(place, crowd[0])) as site, watched(browser, site) as seen:
            shown = seen.page.inner_text("main")
            assert "spies alone find the author of one post in at most" in shown
            assert all(f"If {who}:" in shown for who in ("1 in 20 is a spy", "1 in 6 is a spy", "3 in 10 are spies"))
            seen.page.get_by_label("Write a post").fill("with figures")
            seen.page.get_by_role("button", name="Post", exact=True).click()
            seen.page.locator("article").get_by_text("with figures").wait_for()
            seen.check()


def test_looking_for_friends_nearby_is_switched_on_and_off_in_words(browser: Browser, tmp_path: Path) -> None:
    with (
        people(tmp_path, 1) as (ann,),
        running(lambda place: wildfire(place, ann)) as site,
        watched(browser, site, width=360) as seen,
    ):
        seen.go("/node")
        seen.page.get_by_text("are not looked for").wait_for()
        seen.page.get_by_role("button", name="Look for friends there").click()
        seen.page.get_by_text("They cannot find you: your node listens at this machine alone").wait_for()
        assert ann.discovers()
        seen.check()
        seen.page.get_by_role("button", name="Look for nobody there").click()
        seen.page.get_by_text("are not looked for").wait_for()
        assert not ann.discovers()


def test_two_friends_are_introduced_by_pages(browser: Browser, tmp_path: Path) -> None:
    with people(tmp_path, 3) as (ann, ben, cleo):
        befriend(ann, ben)
        befriend(ann, cleo)
        with running(lambda place: wildfire(place, ann)) as at_anns, watched(browser, at_anns, width=360) as seen:
            seen.go("/friends")
            seen.page.get_by_role("button", name="Offer them to each other").click()
            seen.page.get_by_text("You offered friend and friend 2 to each other").wait_for()
            seen.check()
        until(lambda: ben.introductions() and cleo.introductions())
        with running(lambda place: wildfire(place, ben)) as at_bens, watched(browser, at_bens, scheme="dark") as seen:
            seen.go("/friends")
            seen.check()
            seen.page.get_by_role("button", name="Meet friend 2").click()
            seen.page.get_by_text("you agreed").wait_for()
            cleo.agree(cleo.introductions()[0].name, 1)
            until(lambda: len(ben.friends()) == 2)
            seen.go("/friends")
            seen.page.get_by_text("friend 2, through one").first.wait_for()
            seen.check()
