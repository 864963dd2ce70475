"""Pictures of the service's pages for the guide: python -m tests.apps.collect.shots FOLDER."""

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from playwright.sync_api import sync_playwright

from banister.apps.collect.worked import PATIENTS, TRUE_SHARES
from banister.keys import nonce
from banister.local.collect import meters
from banister.local.collect.campaign import read_campaign
from banister.local.collect.making import make_campaign
from banister.local.collect.tally import write_value
from tests.apps.collect.service import served
from tests.apps.web.running import watched
from tests.browser import SWITCHES, there
from tests.local.collect.campaigns import KEY as OWNER
from tests.seeded import SeededBits


def main(folder: Path) -> None:
    """Two people's pages and a dashboard with 6000 reports."""
    import tomllib

    asked = read_campaign(make_campaign(tomllib.loads(PATIENTS.format(people=10_000)))[0].signed(OWNER))
    bits, rng, hours = SeededBits(1), np.random.default_rng(7), [500_000]
    with (
        TemporaryDirectory() as place,
        sync_playwright() as driver,
        served(Path(place), asked, hour=lambda: hours[0]) as service,
    ):
        browser = driver.chromium.launch(executable_path=there(), args=SWITCHES)
        origin = service.site.place.origins[0]
        page = browser.new_context(viewport={"width": 360, "height": 700}, locale="en-US").new_page()
        for hour in range(40):
            hours[0] = 500_000 + hour
            reports = {}
            for q, question in enumerate(asked.campaign.questions):
                answers = rng.choice(len(question.labels), p=TRUE_SHARES[q], size=20 + hour)
                reports[str(q)] = write_value(question.channel, question.channel.draw(answers, bits))
            body = json.dumps({"key": nonce(), "reports": reports})
            assert page.request.post(f"{origin}/c/{asked.name}/reports", data=body).status == 204
        page.goto(f"{origin}/a/{asked.name}")
        page.get_by_label("good", exact=True).check()
        page.get_by_label("no", exact=True).check()
        page.get_by_label("weekly", exact=True).check()
        page.screenshot(path=folder / "collect-answer.png", full_page=True)
        page.get_by_role("button", name="Draw my report").click()
        page.locator("#wire").wait_for()
        page.screenshot(path=folder / "collect-sent.png", full_page=True)
        for width, scheme in ((1280, "light"), (360, "dark")):
            with watched(browser, service.site, width=width, scheme=scheme) as analyst:
                analyst.go("/d/1")
                analyst.page.screenshot(path=folder / f"collect-dashboard-{width}.png", full_page=True)
                analyst.go("/")
                analyst.check()
        page.goto(f"{origin}/r/{asked.name}")
        page.screenshot(path=folder / "collect-results.png", full_page=True)
        browser.close()
    day(folder)


def day(folder: Path) -> None:
    """Numbers over time: the page to paste them on, and the day on the dashboard, of 20 000 households."""
    numbers = {"least": 0, "most": 4, "classes": 8, "unit": "kW"}
    given = {"title": "When do you need electricity?", "asked_by": "A local grid", "until": "2999-12-31"}
    asked = {"text": "Your load yesterday", "numbers": numbers, "times": 48}
    made, _ = make_campaign({**given, "people": 20_000, "epsilon": 4, "question": [asked]})
    signed, bits = read_campaign(made.signed(OWNER)), SeededBits(2)
    classes = np.minimum((meters.households(20_000)[:, 0] / 0.5).astype(np.int64), 7)
    with TemporaryDirectory() as place, sync_playwright() as driver, served(Path(place), signed) as service:
        browser = driver.chromium.launch(executable_path=there(), args=SWITCHES)
        origin = service.site.place.origins[0]
        page = browser.new_context(viewport={"width": 360, "height": 700}, locale="en-US").new_page()
        reports = {
            str(q): write_value(one.channel, one.channel.draw(classes[q::48, q], bits))
            for q, one in enumerate(signed.campaign.questions)
        }
        body = json.dumps({"key": nonce(), "reports": reports})
        assert page.request.post(f"{origin}/c/{signed.name}/reports", data=body).status == 204
        page.goto(f"{origin}/a/{signed.name}")
        page.get_by_label("48 numbers").fill(" ".join(f"{load:.1f}" for load in meters.households(1)[0, 0]))
        page.screenshot(path=folder / "collect-numbers.png", full_page=True)
        with watched(browser, service.site, width=1280) as analyst:
            analyst.go("/d/1")
            analyst.page.screenshot(path=folder / "collect-day.png", full_page=True)
            analyst.check()
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
