"""Pictures of the main pages, to be looked at and for the guide: `make shots`, or python -m tests.apps.studio.shots.

The walk of a newcomer, from a CSV file to a report and the account, and then all other pages; at the width of a phone
and of a desk, in light and in dark, or as the second argument says (1280-light); the light ones of a desk also as they
are printed. axe-core looks at every page, too.
"""

import os
import sys
import tempfile
from itertools import product
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from banister.apps.studio.site import studio
from banister.apps.web.site import Site
from tests.apps.web.running import WIDTHS, Watched, running, watched
from tests.browser import NO_BROWSER, SWITCHES, fetch, there

SCHEMES = ("light", "dark")
PRINTED = "1280-light"
OTHERS = ("noise", "local", "parties", "publish", "spread")
PAGES = (
    *("table", "described", "ask", "price", "answers", "account", "look"),
    *OTHERS,
    *("studied", "gallery", "figure", "start"),
)
TABLE = "stays.csv"
WARDS = ("north", "south", "children")


def stays(folder: Path) -> Path:
    """A table as a newcomer may have it: stays of patients on wards, some of them several times."""
    lines = [f"p{n % 900},{18 + n * 37 % 80},{WARDS[n * 7 % 3]},{1 + n * n % 13}" for n in range(1200)]
    path = folder / TABLE
    path.write_text("patient,age,ward,days\n" + "\n".join(lines) + "\n")
    return path


WITHOUT = ("code", "sign-in", "who")
"""Pages that do nothing which a command or Python would do."""


class Eye:
    """Looks at pages, which must be in order and say what does the same, and remembers which."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def shot(self, seen: Watched, name: str) -> None:
        seen.settled()
        seen.check()
        assert name in WITHOUT or seen.page.get_by_text("The same in Python").count() > 0, name
        self.names.append(name)


class Camera:
    """Looks as well, and takes pictures."""

    def __init__(self, out: Path, width: int, scheme: str, *, of: str = "studio") -> None:
        self.out = out
        self.of = of
        self.ending = f"{width}-{scheme}"
        self.eye = Eye()

    def shot(self, seen: Watched, name: str) -> None:
        self.eye.shot(seen, name)
        self._take(seen, f"{name}-{self.ending}")
        if self.ending == PRINTED:
            seen.page.emulate_media(media="print")
            seen.page.set_viewport_size({"width": 720, "height": 1000})
            self._take(seen, f"{name}-print")
            seen.page.emulate_media(media="screen")
            seen.page.set_viewport_size({"width": 1280, "height": 900})

    def _take(self, seen: Watched, ending: str) -> None:
        seen.page.evaluate("scrollTo(0, 0)")
        path = self.out / f"{self.of}-{ending}.png"
        seen.page.screenshot(path=path, full_page=True)
        with Image.open(path) as picture:  # Few colours are enough for letters and lines, and a quarter of the size.
            picture.convert("RGB").quantize(64).save(path, optimize=True)


def describe(seen: Watched, camera: "Eye | Camera") -> None:
    """The schema of a table, by questions."""
    page = seen.page
    camera.shot(seen, "table")
    for label, answer in (
        ("Which column says whom", "patient"),
        ("Is it secret whether", "add-remove"),
        ("What does 'age' hold", "integer"),
        ("What does 'ward' hold", "category"),
        ("What does 'days' hold", "integer"),
    ):
        field = page.get_by_label(label)
        if field.input_value() != answer:  # What the draft proposes by itself is right.
            with page.expect_response("**/table/answers"):
                field.select_option(answer)
            seen.settled()
    for label, answer in (
        ("How many rows of one person", "3"),
        ("In how many groups", "1"),
        ("Between which values does 'age'", "0 to 110"),
        ("Which values can 'ward'", ", ".join(WARDS)),
        ("Between which values does 'days'", "0 to 30"),
        ("How much may ever be given away", "1"),
        ("With which chance may more", "1e-6"),
    ):
        field = page.get_by_label(label)
        if field.input_value() != answer:
            with page.expect_response("**/table/answers"):
                field.fill(answer)
                page.keyboard.press("Tab")
            seen.settled()
    page.get_by_text("This is a schema.").wait_for()
    camera.shot(seen, "described")
    page.get_by_role("button", name="Save and ask").click()


def ask(seen: Watched, camera: "Eye | Camera") -> None:
    """From a question to its report and the account."""
    page = seen.page
    page.get_by_role("heading", name="What it takes").wait_for()
    camera.shot(seen, "ask")
    page.locator("#epsilon").fill("0.1")
    page.get_by_role("heading", name="What to expect at epsilon 0.1").wait_for()
    seen.settled()
    page.get_by_role("button", name="Go on to the price").click()
    camera.shot(seen, "price")
    page.get_by_role("button", name="Pay epsilon").click()
    page.get_by_role("heading", name="Private answers").wait_for()
    camera.shot(seen, "answers")
    seen.go("/account")
    page.get_by_text("A further question of one number").wait_for()
    camera.shot(seen, "account")


def others(seen: Watched, camera: "Eye | Camera") -> None:
    """All other pages."""
    page = seen.page
    seen.go("/look")
    page.get_by_role("heading", name="What it takes").wait_for()
    camera.shot(seen, "look")
    for name in OTHERS:
        seen.go(f"/{name}")
        page.locator("figure img" if name != "publish" else "#planned table").first.wait_for()
        camera.shot(seen, name)
    page.get_by_label("Trials").fill("20")
    page.get_by_role("button", name="Run the study").click()
    page.get_by_role("heading", name="How often the author is named", exact=True).wait_for()
    camera.shot(seen, "studied")
    seen.go("/gallery")
    camera.shot(seen, "gallery")
    seen.go("/gallery/region")
    camera.shot(seen, "figure")


def walk(browser: Browser, site: Site, camera: "Eye | Camera", *, width: int, scheme: str) -> None:
    """The newcomer's walk with a table that has no schema yet."""
    with watched(browser, site, width=width, scheme=scheme) as seen:
        describe(seen, camera)
        ask(seen, camera)
        others(seen, camera)
        seen.go("/")
        camera.shot(seen, "start")


def main(out: Path, only: str = "") -> None:
    out.mkdir(parents=True, exist_ok=True)
    found = there() or fetch()
    if found is None:
        sys.exit(NO_BROWSER)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, args=SWITCHES)
        for width, scheme in product(WIDTHS, SCHEMES):
            if only in ("", f"{width}-{scheme}"):
                with tempfile.TemporaryDirectory(prefix="banister-shots-") as place:
                    os.chdir(place)
                    stays(Path())
                    with running(lambda where: studio(where, TABLE)) as site:
                        walk(browser, site, Camera(out, width, scheme), width=width, scheme=scheme)
                    os.chdir("/")
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "build/shots").resolve(), "".join(sys.argv[2:]))
