"""The studio's slider: what the server computes for one place of it, planned ahead or not. `python -m bench.studio`."""

import os
import tempfile
import time
from fractions import Fraction
from typing import cast

from fastapi import Request

from banister.apps.studio.ask import AskPages
from banister.apps.studio.site import studio
from banister.apps.studio.till import StudioTill
from banister.apps.studio.workbench import DEMO, AskForm, Workbench, steps_to
from banister.apps.web.gate import Place

QUESTIONS = (
    "SELECT plan, COUNT(*) AS n, AVG(visits) AS mean_visits FROM data GROUP BY plan",
    "SELECT plan, COUNT(*) AS n, SUM(payment) AS s, AVG(visits) AS v, MEDIAN(visits) AS m FROM data GROUP BY plan",
)


def main() -> None:
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        site, bench = studio(Place.loopback(1), DEMO), Workbench()
        bench.take(DEMO)
        page = AskPages(site, bench, StudioTill(site, bench), ahead=None)
        for question in QUESTIONS:
            for what in ("not planned ahead", "planned ahead"):
                took = []
                for step in steps_to(Fraction(1)):
                    began = time.process_time()
                    page._plan(cast("Request", None), AskForm(question=question, epsilon=step))
                    took.append(1000 * (time.process_time() - began))
                took.sort()
                half, late = (took[int(share * len(took))] for share in (0.5, 0.95))
                print(f"{what}: {half:.1f} ms of processor, {late:.1f} at the 95th percentile: {question[:50]}...")
        os.chdir("/")


if __name__ == "__main__":
    main()
