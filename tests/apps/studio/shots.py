"""Pictures of the main pages, to be looked at and for the guide: `make shots`, or python -m tests.apps.studio.shots.

A newcomer's walk over the demo table, at the width of a phone and of a desk, in light and in dark.
"""

import os
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from banister.apps.studio.site import studio
from banister.apps.web.site import Site
from tests.apps.web.running import WIDTHS, Watched, running, watched
from tests.browser import NO_BROWSER, SWITCHES, fetch, there

SCHEMES = ("light", "dark")


def walk(browser: Browser, site: Site, *, width: int, scheme: str, out: Path) -> None:
    """From the first page to the account."""

    def shot(seen: Watched, name: str) -> None:
        seen.settled()
        seen.check()
        path = out / f"studio-{name}-{width}-{scheme}.png"
        seen.page.screenshot(path=path, full_page=True)
        with Image.open(path) as picture:  # Few colours are enough for letters and lines, and a quarter of the size.
            picture.convert("RGB").quantize(64).save(path, optimize=True)

    with watched(browser, site, width=width, scheme=scheme) as seen:
        page = seen.page
        shot(seen, "start")
        seen.go("/ask")
        page.get_by_role("heading", name="What it takes").wait_for()
        shot(seen, "ask")
        page.locator("#epsilon").fill("0.1")
        page.get_by_role("heading", name="What to expect at epsilon 0.1").wait_for()
        seen.settled()
        page.get_by_role("button", name="Go on to the price").click()
        shot(seen, "price")
        page.get_by_role("button", name="Pay epsilon").click()
        page.get_by_role("heading", name="Private answers").wait_for()
        shot(seen, "answers")
        seen.go("/account")
        shot(seen, "account")
        for name in ("noise", "local"):
            seen.go(f"/{name}")
            page.locator("figure img").wait_for()
            shot(seen, name)


def main(out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    found = there() or fetch()
    if found is None:
        sys.exit(NO_BROWSER)
    with tempfile.TemporaryDirectory(prefix="banister-shots-") as place, sync_playwright() as driver:
        os.chdir(place)
        browser = driver.chromium.launch(executable_path=found, args=SWITCHES)
        with running(lambda where: studio(where, "demo")) as site:
            for width in WIDTHS:
                for scheme in SCHEMES:
                    walk(browser, site, width=width, scheme=scheme, out=out)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "build/shots").resolve())
