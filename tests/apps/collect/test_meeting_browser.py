"""Clinics answer a meeting in browsers: key, bit and secret stay there; the relay forges and drops nothing."""

import base64
import json
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, Request

from banister.apps.collect.relaying.carrying import RoomLink, open_room, visit
from banister.core.privacy.guarantee import Guarantee
from banister.parties.games.levels import response_matrix
from banister.parties.meetings.conduct import answer_plan, decide_meeting, invite, public_key, write_plan
from banister.parties.meetings.home import PartyHome
from banister.parties.meetings.room import Paper, Room
from banister.parties.request import MeetingRequest
from tests.apps.collect.test_browser import look, person
from tests.apps.collect.test_relay import relay

CLINICS = ("party-1", "party-2")
BY_COMMAND = "party-3"


def key_line(page: Page, address: str, name: str) -> str:
    page.goto(f"{address}/m")
    page.get_by_label("Your name in the plan").fill(name)
    page.get_by_role("button", name="Make my key").click()
    return page.locator("#line code").inner_text()


def planned(folder: Path, lines: dict[str, str]) -> Path:
    write_plan(folder / "plan.toml", MeetingRequest.of("majority", [2, 2, 2]))
    keys = {name: line.partition(" ")[2] for name, line in lines.items()}
    keys[BY_COMMAND] = public_key(BY_COMMAND, PartyHome(folder / BY_COMMAND))
    return invite(folder / "plan.toml", folder / "made", keys=keys, home=PartyHome(folder / "organiser"))[1]


def test_two_clinics_answer_in_browsers_and_one_by_command(browser: Browser, tmp_path: Path) -> None:
    sent: list[Request] = []
    with relay(tmp_path) as (address, rooms), person(browser, width=360, scheme="dark") as one, person(browser) as two:
        pages = dict(zip(CLINICS, (one, two), strict=True))
        for page in pages.values():
            page.on("request", lambda request: sent.append(request))
        lines = {name: key_line(page, address, name) for name, page in pages.items()}
        look(one)
        assert key_line(one, address, "party-1") == lines["party-1"], "made once"
        link = open_room(planned(tmp_path, lines), address)
        for name, page in pages.items():
            page.goto(link.text)
            page.get_by_text("asked by").wait_for()
            look(page)
            page.get_by_label("yes", exact=True).check()
            page.get_by_role("button", name="Draw, sign and send my answer").click()
            page.get_by_text("Your answer is at the relay, sealed.").wait_for()
            look(page)
            first = page.locator("#wire").inner_text()
            page.goto("about:blank")
            page.goto(link.text)
            page.get_by_text("Your answer is at the relay, sealed.").wait_for()
            assert page.locator("#wire").inner_text() == first, f"{name} is drawn once"
        mine = tmp_path / "mine"
        home = PartyHome(tmp_path / BY_COMMAND)
        visit(link, mine, party=BY_COMMAND, home=home)
        out = tmp_path / "party-3.json"
        answer_plan(mine / "plan.json", party=BY_COMMAND, bit=1, out=out, home=home)
        visit(link, mine, party=BY_COMMAND, home=home, send=[out])
        for page in pages.values():
            page.get_by_role("button", name="Look again").click()
            page.get_by_text("party-3", exact=False).first.wait_for()
        seen = visit(link, mine, party=BY_COMMAND, home=home)
        organiser = visit(link, tmp_path / "his", party="organiser", home=PartyHome(tmp_path / "organiser"))
        assert seen.amiss == organiser.amiss == ()
        boxes = rooms.boxes(link.room.name, 0)
        assert {len(box) for _, box in boxes} == {4096 + 12 + 16}
        verdict = decide_meeting(
            tmp_path / "his" / "plan.json", [tmp_path / "his" / f"party-{n}.json" for n in (1, 2, 3)]
        )
        assert verdict.hearing.missing == ()
        assert verdict.hearing.set_aside == ()
        hidden = link.text.partition("#")[2]
        assert not any(
            hidden in request.url or hidden in (request.post_data_buffer or b"").decode("latin-1") for request in sent
        )
        assert all(request.url.startswith((f"{address}/", "data:", "about:")) for request in sent)


def test_a_relay_that_keeps_an_answer_back_is_caught_in_the_page(browser: Browser, tmp_path: Path) -> None:
    with relay(tmp_path) as (address, rooms), person(browser) as page:
        link = open_room(planned(tmp_path, {name: key_line(page, address, name) for name in CLINICS}), address)
        page.goto(link.text)
        page.get_by_label("no", exact=True).check()
        page.get_by_role("button", name="Draw, sign and send my answer").click()
        page.get_by_text("Your answer is at the relay, sealed.").wait_for()
        whole = rooms.boxes
        rooms.boxes = lambda room, after: [one for one in whole(room, after) if one[0] != 2]  # type: ignore[method-assign]
        page.goto("about:blank")
        page.goto(link.text)
        page.get_by_text("Something is amiss").wait_for()
        assert "The relay does not give a paper that was here before" in page.locator("#rolls").inner_text()


REFUSED = [
    ("another link", "This is no link to a room"),
    ("a changed plan", "There is no plan here that its organiser signed"),
    ("another key", "This browser has no key of a party of the plan"),
]


@pytest.mark.parametrize(("what", "words"), REFUSED)
def test_nobody_answers_what_is_not_as_it_was_signed(browser: Browser, tmp_path: Path, what: str, words: str) -> None:
    with relay(tmp_path) as (address, _), person(browser) as page:
        lines = {name: key_line(page, address, name) for name in CLINICS}
        if what == "another key":
            lines = {name: f"{name} {public_key(name, PartyHome(tmp_path / 'other'))}" for name in CLINICS}
        plan = planned(tmp_path, lines)
        link = open_room(plan, address)
        where = link.text
        if what == "another link":
            where = f"{where[:-2]}{'AA' if where[-2:] != 'AA' else 'BA'}"
        if what == "a changed plan":
            body = json.loads(plan.read_text())
            body["parties"][0]["epsilon"] = "9"
            link = RoomLink.new(address)
            link.leave([Paper("plan.json", json.dumps(body))])
            where = link.text
        page.goto(where)
        page.get_by_text(words).wait_for()
        assert page.get_by_role("button", name="Draw").count() == 0


DRAW = """async ([epsilon, delta, bit, draws]) => { const { respond } = await import("/m/meeting.mjs");
  const found = [0, 0, 0, 0];
  for (let n = 0; n < draws; n++) found[respond({ epsilon, delta }, bit)]++;
  return found; }"""


def test_the_browsers_answer_has_exactly_the_law_of_the_level(browser: Browser, tmp_path: Path) -> None:
    draws = 20_000
    with relay(tmp_path) as (address, _), person(browser) as page:
        page.goto(f"{address}/m")
        for epsilon, delta in (("1/2", "0"), ("2", "1/10")):
            for bit in (0, 1):
                counts = page.evaluate(DRAW, [epsilon, delta, bit, draws])
                law = response_matrix(Guarantee(epsilon, delta))[bit]
                law = np.concatenate([law, np.zeros(4 - len(law))])
                some = law > 0
                assert sum(np.array(counts)[~some]) == 0
                square = float((((np.array(counts) - draws * law) ** 2)[some] / (draws * law[some])).sum())
                assert square < 30  # Three degrees of freedom at most: above 30 once in 700 000 runs.
        secret = base64.urlsafe_b64encode(bytes(32)).decode().rstrip("=")
        assert (
            page.evaluate(
                "async link => (await (await import('/m/meeting.mjs')).Room.of(link)).name",
                RoomLink.of(f"{address}/m/{_name()}#{secret}").text,
            )
            == _name()
        )


def _name() -> str:
    return Room(bytes(32)).name
