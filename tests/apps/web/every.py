"""Every page of a site, in a browser: at the width of a phone and of a desk, in light and in dark.

Which pages there are is asked of the site itself. Each address that gives something has to be sorted by the test: as a
page, or as something else (a piece of a page, a file, a stream), which is then held to be none. And each template of a
whole page has to have been shown. So a page that is added is looked at, or the test says that it was forgotten.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from fastapi.routing import APIRoute
from playwright.sync_api import Response as Shown
from starlette.responses import HTMLResponse
from starlette.testclient import TestClient

from banister.apps.web.site import Site
from tests.apps.web.running import Watched

SCHEMES = ("light", "dark")
PIECE, FILE, STREAM, LEADS_ON = "a piece", "a file", "a stream", "leads on"
"""What an address can give beside a page."""


def addresses(site: Site) -> set[str]:
    """Every address that a browser can go to."""
    site.rest.all()
    found = [route for route in site.app.routes if isinstance(route, APIRoute) and "GET" in (route.methods or ())]
    return {route.path for route in found}


def whole_pages(*folders: Path) -> set[str]:
    """The templates that are whole pages, and not pieces of one."""
    found = [path for folder in folders for path in (folder / "templates").glob("*.html")]
    whole = [path for path in found if '{% extends "base.html" %}' in path.read_text(encoding="utf-8")]
    return {path.name for path in whole}


@dataclass
class Shelf:
    """Which templates a site has shown."""

    shown: set[str] = field(default_factory=set)

    def watch(self, site: Site) -> None:
        """Remember what the site renders from now on."""
        page = site.page

        def watched(template: str, status: int = 200, /, **facts: object) -> HTMLResponse:
            self.shown.add(template)
            return page(template, status, **facts)

        site.page = watched  # type: ignore[method-assign]


def look_at(seen: Watched, address: str = "", *, status: int = 200) -> None:
    """A page, or the one that is open, in light and in dark."""
    if address:
        came: Shown | None = seen.page.goto(seen.origin + address)
        assert came is not None
        assert came.status == status, f"{seen.page.url} came with {came.status}"
        if status != 200:  # The browser says in its console that it did.
            seen.noticed.clear()
    for scheme in SCHEMES:
        seen.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        seen.settled()
        seen.check()


def press(seen: Watched, name: str) -> None:
    """Press a button once the page has its say."""
    button = seen.page.get_by_role("button", name=name)
    button.wait_for()
    seen.settled()
    button.click()
    seen.page.wait_for_load_state()


def hold_to_be_none(visitor: TestClient, others: Mapping[str, str]) -> None:
    """What was sorted as no page is none: a piece has no frame, a file is saved or is no page, and so on."""
    for address, kind in others.items():
        if kind == STREAM:
            continue
        answer = visitor.get(address)
        text = answer.headers.get("content-type", "").startswith("text/html")
        if kind == LEADS_ON:
            assert answer.status_code == 303, f"{address} is {answer.status_code}"
        elif kind == PIECE:
            assert answer.status_code == 200, f"{address} is {answer.status_code}: {answer.text[:200]}"
            assert text, address
            assert "<html" not in answer.text, f"{address} is a whole page"
        else:
            assert answer.status_code == 200, f"{address} is {answer.status_code}: {answer.text[:200]}"
            saved = answer.headers.get("content-disposition", "").startswith("attachment")
            assert saved or not text, f"{address} is a page"


def sorted_all(there: Iterable[str], pages: Iterable[str], others: Iterable[str]) -> None:
    """Whether each address that there is has been sorted, once."""
    pages, others = set(pages), set(others)
    assert not pages & others
    assert set(there) == pages | others, f"sort these: {sorted(set(there) ^ (pages | others))}"
