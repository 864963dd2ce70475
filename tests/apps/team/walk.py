"""A year of three people who share a budget, in a real browser: an owner, an analyst, an auditor.

The pictures of docs/guide/team.md are taken on this walk by `make shots`; a test walks it, too.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from playwright.sync_api import Browser

import banister as bn
from banister.apps.team.interface import Interface
from banister.apps.team.people import Role
from banister.apps.team.store import TeamStore
from tests.apps.studio.shots import Camera, Eye
from tests.apps.team.place import COUNT, PASSWORD, Team, running, settings
from tests.apps.web.running import Watched, watching
from tests.postgres import free_port

PAGES = (
    *("code", "sign-in", "people", "shares", "budget", "ask", "practice", "price", "answers"),
    *("waits", "requests", "decide", "me", "december", "audit", "charges", "log", "who"),
)


class Year:
    """A clock that stands in a month and goes on by itself from there."""

    def __init__(self) -> None:
        self.month = 1
        self._ticks = 0
        self._lock = threading.Lock()

    def now(self) -> str:
        with self._lock:
            self._ticks += 1
            return f"2026-{self.month:02d}-03T09:{self._ticks // 60 % 60:02d}:{self._ticks % 60:02d}.000000Z"


@dataclass
class Walkers:
    """Three browsers, one server, and the clock."""

    room: Interface
    year: Year
    olga: Watched
    ana: Watched
    ada: Watched


@contextmanager
def walkers(browser: Browser, folder: Path, *, width: int, scheme: str) -> Iterator[Walkers]:
    """A server with one owner who has a code and nothing else."""
    port, year = free_port(), Year()
    with mock.patch("banister.clock.now", year.now), ExitStack() as stack:
        found = settings(folder, f'listen = "127.0.0.1:{port}"\n')
        room = Interface(found, bn.open(found.schema), TeamStore(found.store, make=True))
        origin = stack.enter_context(running(Team(room, {}), port))
        look = [stack.enter_context(watching(browser, origin, width=width, scheme=scheme)) for _ in range(3)]
        try:
            yield Walkers(room, year, *look)
        finally:
            room.desk.ledger.close()
            room.store.close()


def come_in(seen: Watched, name: str, code: str = "", eye: "Eye | Camera | None" = None) -> None:
    """Set a password where there is a code, and sign in."""
    page = seen.page
    if code:
        seen.go("/code")
        page.get_by_label("Code").fill(code)
        page.get_by_label("New password").fill(PASSWORD)
        if eye is not None:
            eye.shot(seen, "code")
        page.get_by_role("button", name="Set the password").click()
        page.get_by_text(f"The password of {name} is set.").wait_for()
    seen.go("/")  # Who is not signed in is led to where that is done.
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    if eye is not None:
        eye.shot(seen, "sign-in")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("heading", name="health").wait_for()


def january(walk: Walkers, eye: "Eye | Camera") -> None:
    """The owner comes in, makes two accounts and shares the year out by the month."""
    page = walk.olga.page
    come_in(walk.olga, "olga", walk.room.people.add("olga", Role.OWNER), eye)
    codes = {}
    for name, role in (("ana", "analyst"), ("ada", "auditor")):
        walk.olga.go("/people")
        page.get_by_label("Name", exact=True).fill(name)
        page.get_by_label("Role").select_option(role)
        page.get_by_role("button", name="Make the account").click()
        codes[name] = page.locator(".once code").inner_text()
    eye.shot(walk.olga, "people")
    walk.olga.go("/shares")
    for line, share in enumerate((("", "", "1", "1e-6", "2026-01", "12"), ("ana", "", "0.5", "5e-7", "", "")), 1):
        for words, value in zip(("Analyst", "Project", "Epsilon", "Delta", "First", "Over"), share, strict=True):
            page.get_by_label(words).nth(line - 1).fill(value)
    eye.shot(walk.olga, "shares")
    page.get_by_role("button", name="State these shares").click()
    page.get_by_text("everybody", exact=True).wait_for()
    eye.shot(walk.olga, "budget")
    come_in(walk.ana, "ana", codes["ana"])
    come_in(walk.ada, "ada", codes["ada"])


def practise_and_release(walk: Walkers, eye: "Eye | Camera") -> None:
    """The analyst practises for nothing; the real run is one press away."""
    page = walk.ana.page
    walk.ana.go("/ask")
    page.get_by_role("heading", name="What it takes").wait_for()
    page.locator("#question").fill(COUNT)
    page.locator("#epsilon").fill("0.05")
    page.get_by_role("heading", name="What to expect at epsilon 0.05").wait_for()
    eye.shot(walk.ana, "ask")
    page.get_by_role("button", name="Practise it for nothing").click()
    page.get_by_role("heading", name="Practice", exact=True).wait_for()
    assert not [entry for entry in walk.room.desk.ledger.history() if not entry.states]
    eye.shot(walk.ana, "practice")
    page.get_by_role("button", name="The same for real").click()
    eye.shot(walk.ana, "price")
    page.get_by_role("button", name="Pay epsilon 0.05 and release").click()
    page.get_by_role("heading", name="Private answers").wait_for()
    eye.shot(walk.ana, "answers")
    page.reload()  # Nothing is paid twice.
    assert len([entry for entry in walk.room.desk.ledger.history() if not entry.states]) == 1


def above_the_share(walk: Walkers, eye: "Eye | Camera") -> float:
    """In March a request waits; the owner's open page shows it; she says yes. Gives how long it took to be seen."""
    walk.year.month = 3
    for seen, name in ((walk.olga, "olga"), (walk.ana, "ana")):  # Sessions of January have ended.
        come_in(seen, name)
    walk.olga.go("/requests")
    walk.olga.page.get_by_text("Nothing waits.").wait_for()
    page = walk.ana.page
    walk.ana.go("/ask")
    page.get_by_role("heading", name="What it takes").wait_for()
    page.locator("#epsilon").fill("0.28")
    page.get_by_text("It is above your share").wait_for()
    walk.ana.settled()
    page.get_by_role("button", name="Go on to the price").click()
    page.get_by_role("button", name="Ask an owner").click()
    page.get_by_role("heading", name="Waits for an owner").wait_for()
    began = time.monotonic()
    walk.olga.page.get_by_role("heading", name="One request waits").wait_for()
    took = time.monotonic() - began
    eye.shot(walk.ana, "waits")
    eye.shot(walk.olga, "requests")
    walk.olga.page.get_by_role("link", name="SELECT").first.click()
    eye.shot(walk.olga, "decide")
    walk.olga.page.get_by_role("button", name="Yes, release").click()
    walk.olga.page.get_by_role("heading", name="Private answers").wait_for()
    page.reload()
    page.get_by_role("heading", name="Private answers").wait_for()
    return took


def december(walk: Walkers, eye: "Eye | Camera") -> None:
    """Everything is open; a key for a program; and what the auditor sees."""
    walk.year.month = 12
    come_in(walk.ana, "ana")
    page = walk.ana.page
    walk.ana.go("/me")
    page.get_by_label("Label of a new key").fill("nightly report")
    page.get_by_role("button", name="Make a key").click()
    key = page.locator(".once code").inner_text()
    eye.shot(walk.ana, "me")
    table = bn.connect(walk.ana.origin, key=key)
    answers = table.release(table.plan(COUNT, epsilon="0.02"), key="december")
    assert [row["plan"] for row in answers.table] == ["free", "shared", "deductible"]
    come_in(walk.olga, "olga")
    eye.shot(walk.olga, "december")
    page = walk.ada.page
    come_in(walk.ada, "ada")
    eye.shot(walk.ada, "audit")
    for name in ("charges", "log", "who"):
        walk.ada.go(f"/{name}")
        eye.shot(walk.ada, name)
    walk.ada.go("/ask")
    page.get_by_text("This is for an analyst or owner; 'ada' is an auditor.").wait_for()
    walk.ada.noticed.clear()  # A browser says in its console that the page came with status 403, as it should.


def walk_a_year(walk: Walkers, eye: "Eye | Camera") -> float:
    """The whole year; gives how long the waiting request took to be seen."""
    january(walk, eye)
    practise_and_release(walk, eye)
    took = above_the_share(walk, eye)
    december(walk, eye)
    walk.room.desk.ledger.verify()
    walk.room.store.lines()
    return took
