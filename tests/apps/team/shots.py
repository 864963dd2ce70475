"""Pictures of a team's pages, of a year of three people: `make shots`, or python -m tests.apps.team.shots."""

import sys
import tempfile
from itertools import product
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.apps.studio.shots import SCHEMES, Camera
from tests.apps.team.walk import walk_a_year, walkers
from tests.apps.web.running import WIDTHS
from tests.browser import NO_BROWSER, SWITCHES, fetch, there


def main(out: Path, only: str = "") -> None:
    out.mkdir(parents=True, exist_ok=True)
    found = there() or fetch()
    if found is None:
        sys.exit(NO_BROWSER)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, args=SWITCHES)
        for width, scheme in product(WIDTHS, SCHEMES):
            if only in ("", f"{width}-{scheme}"):
                with (
                    tempfile.TemporaryDirectory(prefix="banister-shots-") as place,
                    walkers(browser, Path(place), width=width, scheme=scheme) as walk,
                ):
                    took = walk_a_year(walk, Camera(out, width, scheme, of="team"))
                print(f"{width}-{scheme}: a request that waits was on the owner's page after {took:.2f} s")
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "build/shots").resolve(), "".join(sys.argv[2:]))
