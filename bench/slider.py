"""The studio's slider in a real browser: from a move to the new intervals in the page. `python -m bench.slider`.

The studio is a process of its own, as a user starts it; the page moves its own slider, waits until the intervals of the
new place stand there, and goes on. Where others use the machine, too, times say little: the processor time that the
server and the browser take for a move says what it would be on a machine that has nothing else to do.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page, sync_playwright
from tests.browser import NO_BROWSER, SWITCHES, fetch, there

from bench.team import processor_seconds

MOVES = 60
MOVE = """async (moves) => {
  performance.setResourceTimingBufferSize(100000);
  const slider = document.querySelector("input[data-field=epsilon]"), field = document.getElementById("epsilon");
  const box = document.getElementById("forecast"), took = [];
  const there = () => box.querySelector("h2")?.textContent.endsWith(` ${field.value}`);
  for (let place = 0; place < moves; place++) {
    await new Promise((done) => setTimeout(done, 120));
    const began = performance.now();
    await new Promise((done) => {
      const watch = new MutationObserver(() => there() && (watch.disconnect(), done()));
      watch.observe(box, { childList: true, subtree: true });
      slider.value = Number(slider.value) + (place % 20 < 10 ? -1 : 1);
      slider.dispatchEvent(new Event("input", { bubbles: true }));
    });
    took.push(performance.now() - began);
  }
  const asked = performance.getEntriesByType("resource").filter((one) => one.name.endsWith("/ask/plan")).slice(-moves);
  return [took, asked.map((one) => one.responseEnd - one.requestStart)];
}"""


def part(times: list[float], share: float) -> float:
    return sorted(times)[min(len(times) - 1, int(share * len(times)))]


def of_browser(process: int) -> float:
    """What a browser and all of its processes have computed so far."""
    children: dict[int, list[int]] = {}
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            children.setdefault(int(place.read_text().rpartition(")")[2].split()[1]), []).append(int(place.parent.name))
        except OSError:
            continue
    todo, total = [process], 0.0
    while todo:
        one = todo.pop()
        todo += children.get(one, [])
        try:
            found = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        total += (int(found[11]) + int(found[12])) / os.sysconf("SC_CLK_TCK")
    return total


def moved(page: Page, server: int, what: str) -> None:
    """Move, and tell what it took."""
    before, browser = processor_seconds(server), of_browser(os.getpid()) - processor_seconds(server)
    took, asked = page.evaluate(MOVE, MOVES)
    spent = processor_seconds(server) - before
    browser = of_browser(os.getpid()) - processor_seconds(server) - browser
    print(f"{what}: {told(took)} from the move to the intervals, of which the request took {told(asked)}.")
    each = f"{1000 * spent / MOVES:.1f} ms of the server, {1000 * browser / MOVES:.1f} of the browser with its driver"
    print(f"  Processor for a move: {each}.")


def told(times: list[float]) -> str:
    return f"{part(times, 0.5):.0f} ms ({part(times, 0.95):.0f} at the 95th percentile)"


def main() -> None:
    found = there() or fetch()
    if found is None:
        sys.exit(NO_BROWSER)
    program = [sys.executable, "-c", "from banister.apps.cli import main; main()", "studio", "demo", "--no-browser"]
    with tempfile.TemporaryDirectory() as place, sync_playwright() as driver:
        server = subprocess.Popen(program, cwd=place, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            address = re.search(r"http://\S+", server.stdout.readline())
            assert address is not None
            browser = driver.chromium.launch(executable_path=found, args=SWITCHES)
            page = browser.new_context(viewport={"width": 1280, "height": 900}, locale="en-US").new_page()
            page.goto(address.group(0))
            page.get_by_role("link", name="Ask a question").click()
            page.get_by_role("heading", name="What it takes").wait_for()
            moved(page, server.pid, "not planned ahead, or only in part")
            time.sleep(5)
            moved(page, server.pid, "planned ahead")
            print(f"Load of the machine meanwhile: {os.getloadavg()[0]:.1f}.")
            browser.close()
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
