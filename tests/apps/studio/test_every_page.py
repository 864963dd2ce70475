"""Every page of the studio, at both widths, in light and in dark, under axe; no page is forgotten."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from starlette.testclient import TestClient

import banister as bn
from banister.apps import studio as studio_package
from banister.apps import web as web_package
from banister.apps.studio.kept import PREFIX, KeptAnswers
from banister.apps.studio.site import studio
from banister.apps.studio.workbench import AskForm
from banister.apps.web.jobs import Job, Teller
from banister.apps.web.site import Site
from banister.errors import BadValue
from tests.apps.studio.place import QUESTION, fields, released, schema
from tests.apps.studio.shots import TABLE, stays
from tests.apps.web.every import (
    FILE,
    LEADS_ON,
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
from tests.apps.web.running import WIDTHS, running, watched
from tests.apps.web.visit import OURS

WAYS = "graph=regular-tree:3&protocol=adaptive:degree%3D3&steps=4&seed=1"
SURVEY = "epsilon=1&utility=estimation&answers=yes,60%25%0Ano,40%25"


@dataclass
class Studio:
    """A studio in which everything has happened once."""

    site: Site
    answer: str
    look: str
    copy: str
    study: str
    working: str
    stopped: str
    undrawn: str
    price: str

    @property
    def pages(self) -> dict[str, tuple[str, ...]]:
        """Every address of a page, filled in; some of them in several states."""
        plain = ("/", "/ask", "/account", "/look", "/publish", "/noise", "/local", "/parties", "/spread", "/gallery")
        return {
            **{address: (address,) for address in plain},
            "/ask/price/{key}": (self.price,),
            "/answers/{key}": (self.answer, self.undrawn),
            "/looks/{key}": (self.look,),
            "/published/{key}": (self.copy,),
            "/spread/study/{key}": (self.study,),
            "/gallery/corrections": ("/gallery/corrections",),
            "/gallery/{name}": ("/gallery/region",),
            "/work/{key}": (self.working, self.stopped),
        }

    @property
    def others(self) -> dict[str, tuple[str, str]]:
        """Every other address: filled in, and what it gives."""
        chart = f"{self.answer}/chart-1.svg"
        return {
            "/table": ("/table", LEADS_ON),  # No table is being described here; it is looked at by itself.
            "/account/further": ("/account/further?epsilon=0.1", PIECE),
            "/account/budget-narrow.svg": ("/account/budget-narrow.svg", FILE),
            "/account/budget.{kind}": ("/account/budget.svg", FILE),
            "/account/region.{kind}": ("/account/region.svg", FILE),
            "/answers/{key}/report.html": (f"{self.answer}/report.html", FILE),
            "/answers/{key}/answers-{place}.csv": (f"{self.answer}/answers-1.csv", FILE),
            "/answers/{key}/chart-{place:int}.{kind}": (chart, FILE),
            "/answers/{key}/answers.certificate": (f"{self.answer}/answers.certificate", FILE),
            "/looks/{key}/proposed.toml": (f"{self.look}/proposed.toml", FILE),
            "/published/{key}/copy.csv": (f"{self.copy}/copy.csv", FILE),
            "/published/{key}/report.html": (f"{self.copy}/report.html", FILE),
            "/noise/compared": ("/noise/compared?epsilon=1&sensitivity=1&cost=absolute", PIECE),
            "/noise/figure.{kind}": ("/noise/figure.svg?epsilon=1&sensitivity=1", FILE),
            "/local/channel.{kind}": (f"/local/channel.svg?{SURVEY}", FILE),
            "/local/error.{kind}": (f"/local/error.svg?{SURVEY}", FILE),
            "/parties/figure.{kind}": ("/parties/figure.svg?function=xor&parties=2", FILE),
            "/spread/run": (f"/spread/run?{WAYS}", PIECE),
            "/spread/scene.json": (f"/spread/scene.json?{WAYS}", FILE),
            "/spread/movie.html": (f"/spread/movie.html?{WAYS}", FILE),
            "/spread/frame.{kind}": (f"/spread/frame.svg?{WAYS}", FILE),
            "/spread/steps.{kind}": (f"/spread/steps.svg?{WAYS}", FILE),
            "/spread/study/{key}/detection.{kind}": (f"{self.study}/detection.svg", FILE),
            "/gallery/{name}/figure.{kind}": ("/gallery/region/figure.svg", FILE),
            "/work/{key}/events": (f"{self.working}/events", STREAM),
            "/static/style.css": ("/static/style.css", FILE),
        }


def owner_of(site: Site) -> TestClient:
    """The owner, by requests alone."""
    found = TestClient(site.asgi, base_url=site.place.origins[0], follow_redirects=False)
    assert found.get("/", params={"token": site.visitors.token}).status_code == 303
    return found


def finished(site: Site, visitor: TestClient, address: str, **form: object) -> str:
    """Where the result of long work is, once it is there."""
    answer = visitor.post(address, data={"key": site.forms.key(), **form}, headers=OURS)
    assert answer.status_code == 303, answer.text
    state = site.jobs.find(answer.headers["location"].removeprefix("/work/")).wait(120)
    assert state.result, state
    return state.result


@contextmanager
def everything(site: Site, path: Path) -> Iterator[Studio]:
    """A release, a look, a copy, a study; work that goes on, work that was refused; a charge without its answer."""
    visitor, end = owner_of(site), threading.Event()

    def works(tell: Teller) -> str:
        tell("reading the first of three files", 0.3)
        end.wait(300)
        return "/"

    def stops(tell: Teller) -> str:
        raise BadValue("The table 'people.csv' is not there any more. Nothing was paid.")

    asked = AskForm(question=QUESTION, epsilon="0.01")
    undrawn = site.forms.key().partition(".")[0]
    made = Studio(
        site=site,
        answer=released(site, visitor, fields(site)),
        look=finished(site, visitor, "/look/release", epsilon="0.1", delta="0"),
        copy=finished(site, visitor, "/publish/release", epsilon="0.1", column=["plan", "age"]),
        study=finished(site, visitor, "/spread/study", trials="5", steps="4", seed="1"),
        working=site.start("works", lambda: Job("Releasing", works, again="/ask")).headers["location"],
        stopped=site.start("stops", lambda: Job("Releasing", stops, again="/ask")).headers["location"],
        undrawn=f"/answers/{undrawn}",
        price=visitor.post("/ask/price", data=fields(site), headers=OURS).headers["location"],
    )
    site.jobs.find("stops").wait(10)
    KeptAnswers(path).asks(undrawn, asked)
    with bn.open(path).ledger() as ledger:
        level, relation = bn.Guarantee("0.01"), bn.Neighbours.ADD_REMOVE
        ledger.charge(level, label="cut", neighbours=relation, key=PREFIX + undrawn, protects=ledger.protects)
    try:
        yield made
    finally:
        end.set()


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
def test_every_page_is_in_order(browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.chdir(tmp_path)
    path, shelf = schema(tmp_path), Shelf()
    with running(lambda place: studio(place, str(path))) as site:
        shelf.watch(site)
        with watched(browser, site, width=width) as seen:
            look_at(seen, "/account")  # Before the first charge.
            with everything(site, path) as made:
                sorted_all(addresses(site), made.pages, made.others)
                for address in (each for several in made.pages.values() for each in several):
                    look_at(seen, address)
                for name in ("look", "publish"):
                    seen.go(f"/{name}")
                    press(seen, "Go on to the price")
                    look_at(seen)
                for address, status in (("/no-such-page", 404), ("/answers/none/report.html", 422)):
                    look_at(seen, address, status=status)
                hold_to_be_none(owner_of(site), dict(made.others.values()))
    with running(studio) as site:
        shelf.watch(site)
        with watched(browser, site, width=width) as seen:
            look_at(seen, "/")
            stays(tmp_path)
            seen.go("/")
            seen.page.get_by_label("Path").first.fill(TABLE)
            press(seen, "Open")
            seen.page.wait_for_url("**/table")
            look_at(seen)
    missed = whole_pages(*(Path(str(each.__file__)).parent for each in (studio_package, web_package))) - shelf.shown
    assert not missed, f"these pages were not looked at: {sorted(missed)}"
