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
        """Wait until nothing is asked for any more."""
        self.page.wait_for_load_state("networkidle")

    def check(self) -> None:
        """Axe finds nothing, nothing is wider than the window, and nothing was noticed."""
        found = Axe().run(self.page)
        assert found.violations_count == 0, found.generate_report()
        wide = self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, f"{self.page.url} is {wide} px wider than the window"
        assert not self.noticed, self.noticed


@contextmanager
def watched(browser: Browser, site: Site, *, width: int = 1280, scheme: str = "light") -> Iterator[Watched]:
    """The owner's browser at a width, just let in."""
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        locale="en-US",  # In a C locale the browser's own is none that charts can use.
        color_scheme=scheme,  # type: ignore[arg-type]
        bypass_csp=False,
    )
    page = context.new_page()
    found = Watched(page, site.place.origins[0])
    page.on("console", found.console)
    page.on("pageerror", lambda error: found.noticed.append(f"page: {error}"))
    page.on("request", found.request)
    page.goto(f"{found.origin}/?token={site.visitors.token}")
    try:
        yield found
    finally:
        context.close()
