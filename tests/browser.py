"""A real browser for tests, got without root: `python -m tests.browser` finds or fetches one and prints where it is.

It is, in this order: the one that BANISTER_CHROMIUM names; one on the machine; the one that was fetched before; the one
in the npm package @sparticuz/chromium (65 MB, no root, into build/browser); Debian's package, where we are root. Where
none can be had the tests that need one are left out, and the end of the run says so; with BANISTER_NEED_BROWSER=1, as
in continuous integration, that is a failure instead.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

NO_BROWSER = "no browser could be found or fetched: install Chromium, or npm"
FOLDER = Path(__file__).parents[1] / "build" / "browser"
PACKAGE = "@sparticuz/chromium@147.0.0"
NAMES = ("chromium", "chromium-browser", "chromium-headless-shell", "google-chrome")
UNPACK = "import c from '@sparticuz/chromium'; process.stdout.write(await c.executablePath())"
SWITCHES = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-pings",
    "--headless=new",
]


def there() -> Path | None:
    """A browser that needs no fetching."""
    named = os.environ.get("BANISTER_CHROMIUM")
    if named:
        return Path(named)
    own = next((found for name in NAMES if (found := shutil.which(name))), None)
    if own is not None:
        return Path(own)
    fetched = FOLDER / "chromium"
    return fetched if fetched.is_file() else None


def fetch() -> Path | None:
    """Get one from npm, else from Debian; nothing where neither can be had."""
    return _from_npm() or _from_debian()


def _from_npm() -> Path | None:
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        return None
    FOLDER.mkdir(parents=True, exist_ok=True)
    install = [npm, "install", "--no-save", "--no-fund", "--no-audit", "--ignore-scripts", "--silent", PACKAGE]
    try:
        (FOLDER / "package.json").write_text("{}\n")
        subprocess.run(install, cwd=FOLDER, check=True, timeout=300, stdout=sys.stderr)
        unpack = [node, "--input-type=module", "-e", UNPACK]
        into = {**os.environ, "TMPDIR": str(FOLDER)}
        subprocess.run(unpack, cwd=FOLDER, env=into, check=True, timeout=120, capture_output=True)
    except (OSError, subprocess.SubprocessError):
        return None
    shutil.rmtree(FOLDER / "node_modules", ignore_errors=True)
    return FOLDER / "chromium"


def _from_debian() -> Path | None:
    if shutil.which("apt-get") is None or os.getuid() != 0:
        return None
    subprocess.run(["apt-get", "update", "-qq"], check=False, stdout=sys.stderr)
    install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium"]
    subprocess.run(install, check=False, stdout=sys.stderr)
    return there()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One browser for all tests of a process; each test opens a page of its own in it."""
    found = there()
    if found is None:
        if os.environ.get("BANISTER_NEED_BROWSER") == "1":
            pytest.fail(NO_BROWSER)
        pytest.skip(NO_BROWSER)
    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=found, args=SWITCHES)
        yield started
        started.close()


if __name__ == "__main__":
    print(there() or fetch() or NO_BROWSER)
