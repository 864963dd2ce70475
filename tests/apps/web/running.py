"""A site on a real port, and a browser page that is watched: console, requests to others, accessibility."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import uvicorn
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, ConsoleMessage, Page, Request

from banister.apps.web.gate import Place
from banister.apps.web.serve import take_port
from banister.apps.web.site import Site

WIDTHS = (360, 1280)
CHANGING = "document.querySelector('.htmx-request, .htmx-swapping, .htmx-settling, .htmx-added') !== null"
"""Whether a part of the page waits for its answer, or is being exchanged for it."""

SMALL = """() => [...document.querySelectorAll("body *")].filter((one) => {
  if (one.tagName === "IMG" && one.closest("figure.picture")) return one.naturalWidth > one.clientWidth + 1;
  const words = [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  if (!words || !one.checkVisibility()) return false;
  const matrix = one.ownerSVGElement ? one.getScreenCTM() : null;
  return parseFloat(getComputedStyle(one).fontSize) * (matrix ? Math.hypot(matrix.a, matrix.b) : 1) < 11.9;
}).map((one) => one.outerHTML.slice(0, 80))"""
"""What is smaller than can be read: words below 12 px as they are shown, figures below their own size."""


SHOWN = """() => [...document.querySelectorAll("main table, main figure, main section, main textarea, main svg")]
  .filter((one) => one.checkVisibility() && !one.closest("button, .actions")).map((one) => one.outerHTML.slice(0, 9))"""
"""What a page is made of, and must be on paper, too."""
PAPER = "() => getComputedStyle(document.body).backgroundColor"
CUT = """() => [...document.querySelectorAll("figure.picture .scroll")]
  .filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.getAttribute("aria-label"))"""
"""Pictures that have to be moved sideways to be seen whole."""
UNDER = """() => [...document.querySelectorAll("table")].filter((table) => table.checkVisibility()).flatMap((table) => {
  const [head, row] = [table.tHead?.rows[0], table.tBodies[0]?.rows[0]].map((one) => [...(one?.cells ?? [])]);
  if (getComputedStyle(table).display !== "table" || head.length !== row.length) return [];
  return head.filter((cell, place) => {
    const [above, below] = [cell, row[place]].map((one) => one.getBoundingClientRect());
    return Math.abs(above.left - below.left) > 1 || Math.abs(above.right - below.right) > 1;
  }).map((cell) => cell.textContent);
})"""
"""Headers of tables that do not stand above their columns. On a phone a table may be a list of cards."""
TORN = """() => [...document.querySelectorAll("table")].filter((one) => one.checkVisibility())
  .filter((one) => getComputedStyle(one).display !== "table").map((one) => one.outerHTML.slice(0, 80))"""
"""Tables that are shown as something else."""
WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@contextmanager
def running(make: Callable[[Place], Site]) -> Iterator[Site]:
    """The site that `make` makes for a free port, until the block ends."""
    taken = take_port(0)
    site = make(Place.loopback(taken.getsockname()[1]))
    server = uvicorn.Server(uvicorn.Config(site.asgi, log_level="error", lifespan="off", access_log=False))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [taken]}, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.should_exit = True
        thread.join(10)
        taken.close()


OUTSIDE = """() => [...document.querySelectorAll("button, select, textarea, input:not([type=hidden])")]
  .filter(each => each.checkVisibility() && each.getBoundingClientRect().right > innerWidth + 1)
  .map(each => each.textContent || each.name)"""
"""What can be pressed or filled in, but lies beside the window."""


@dataclass
class Watched:
    """A page in a browser, and what was noticed about it."""

    page: Page
    origin: str
    noticed: list[str] = field(default_factory=list)

    def console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.noticed.append(f"console: {message.text}")

    def request(self, request: Request) -> None:
        if not request.url.startswith(f"{self.origin}/"):
            self.noticed.append(f"asked elsewhere: {request.url}")

    def go(self, path: str) -> None:
        self.page.goto(self.origin + path)

    def settled(self) -> None:
        """Wait until nothing is asked for any more, and what was answered stands in the page."""
        self.page.wait_for_load_state("networkidle")
        while self.page.evaluate(CHANGING):
            self.page.wait_for_timeout(10)

    def check(self) -> None:
        """Axe finds nothing, nothing is wider than the window, no words are tiny, and nothing was noticed."""
        found = Axe().run(self.page)
        assert found.violations_count == 0, found.generate_report()
        wide = self.page.evaluate(WIDER)
        assert wide <= 0, f"{self.page.url} is {wide} px wider than the window"
        cut = self.page.evaluate(CUT) if self.page.evaluate("innerWidth") == WIDTHS[0] else []
        assert not cut, f"{self.page.url} has pictures that are cut on a phone: {cut}"
        small = self.page.evaluate(SMALL)
        assert not small, f"{self.page.url} has words below 12 px: {small}"
        torn = self.page.evaluate(TORN) if self.page.evaluate("innerWidth") != WIDTHS[0] else []
        assert not torn, f"{self.page.url} shows tables that are none: {torn}"
        under = self.page.evaluate(UNDER)
        assert not under, f"{self.page.url} has headers that are not above their columns: {under}"
        outside = self.page.evaluate(OUTSIDE)
        assert not outside, f"{self.page.url} has beside the window: {outside}"
        self.check_print()
        assert not self.noticed, self.noticed

    def check_print(self) -> None:
        """On paper it shows the same, dark on light."""
        shown = self.page.evaluate(SHOWN)
        self.page.emulate_media(media="print")
        try:
            assert self.page.evaluate(SHOWN) == shown, f"{self.page.url} shows less on paper"
            assert self.page.evaluate(PAPER) in ("rgb(255, 255, 255)", "rgba(0, 0, 0, 0)"), "paper is light"
        finally:
            self.page.emulate_media(media="screen")


@contextmanager
def watched(browser: Browser, site: Site, *, width: int = 1280, scheme: str = "light") -> Iterator[Watched]:
    """The owner's browser at a width, just let in."""
    with watching(browser, site.place.origins[0], width=width, scheme=scheme) as found:
        found.go(f"/?token={site.visitors.token}")
        yield found


@contextmanager
def watching(browser: Browser, origin: str, *, width: int = 1280, scheme: str = "light") -> Iterator[Watched]:
    """A browser of its own at a width, on no page yet."""
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        locale="en-US",  # In a C locale the browser's own is none that charts can use.
        color_scheme=scheme,  # type: ignore[arg-type]
        bypass_csp=False,
    )
    page = context.new_page()
    found = Watched(page, origin)
    page.on("console", found.console)
    page.on("pageerror", lambda error: found.noticed.append(f"page: {error}"))
    page.on("request", found.request)
    try:
        yield found
    finally:
        context.close()
