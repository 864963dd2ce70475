"""Ask a studio for releases, again and again, and kill it with signal 9 at moments it cannot foresee.

Run as a program: python -m tests.drills.studio --requests 1000. Whatever happens there is no answer without its charge,
no charge without its answer or the record that lets it be drawn, no form is charged twice, and no answer that was seen
changes.
"""

import argparse
import http.client
import http.cookiejar
import math
import random
import re
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import banister as bn
from banister.apps.studio.kept import PREFIX, KeptAnswers
from tests.apps.studio.place import QUESTION, schema
from tests.drills.nursery import Nursery, in_memory

OURS = {"Sec-Fetch-Site": "same-origin"}
MODULES = (
    "banister.apps.studio.site",
    "banister.apps.studio.ask",
    "banister.apps.studio.answers",
    "banister.apps.web.serve",
    "duckdb",
    "uvicorn",
    "banister.release.run",
    "banister.release.answering.report",
    "banister.release.sources.duckdb",
)
COMPARED_KILLS = 25
"""What was charged and what is kept are compared after so many kills, and at the end: a fault stays where it is."""


class Visit:
    """A server in a process of its own, and its owner's browser."""

    def __init__(self, path: Path, nursery: Nursery) -> None:
        self.server = nursery.raised("studio", str(path), "--no-browser")
        found = re.search(r"http://\S+", self.server.said.readline())
        assert found is not None
        self.base, _, _ = found.group(0).partition("/?")
        self.browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
        self.get(found.group(0).removeprefix(self.base))

    def get(self, path: str) -> str:
        deadline = time.monotonic() + 60
        while True:
            try:
                return str(self.browser.open(self.base + path, timeout=60).read().decode())
            except urllib.error.HTTPError:
                raise
            except OSError:  # Not listening yet, or gone for good.
                if self.server.gone or time.monotonic() > deadline:
                    raise
                time.sleep(0.005)

    def post(self, path: str, **fields: str) -> str:
        data = urllib.parse.urlencode(fields).encode()
        asked = urllib.request.Request(self.base + path, data, OURS)
        return str(self.browser.open(asked, timeout=60).read().decode())

    def key(self) -> str:
        found = re.search(r'name="key" value="([^"]+)"', self.get("/ask"))
        assert found is not None
        return found.group(1)


@dataclass
class Told:
    """What happened, and every answer that was seen."""

    counts: Counter[str] = field(default_factory=Counter)
    seen: dict[str, str] = field(default_factory=dict)
    recorded: set[str] = field(default_factory=set)
    """Charges whose record was found."""

    def look(self, visit: Visit, name: str) -> None:
        """Read an answer; it is the one that was seen before."""
        text = visit.get(f"/answers/{name}/answers-1.csv")
        assert self.seen.setdefault(name, text) == text, f"the answer {name} changed"


def drill(
    folder: Path, *, requests: int, chance: random.Random, between: int = 4, seconds: float = math.inf
) -> Counter[str]:
    """Requests without a pause until a kill ends them; then everything that was paid is drawn, and all is compared.

    A server lives for at most `between` writes to its ledger; after so many seconds no further one is started.
    """
    path, told = schema(folder, budget=str(50 + requests // 50)), Told()  # All of them fit.
    nursery, ends = Nursery(*MODULES), time.monotonic() + seconds
    while told.counts["requests"] < requests and time.monotonic() < ends:
        visit = Visit(path, nursery)
        moment = chance.randint(1, between), chance.random()
        killer = threading.Thread(target=_kill_near_a_charge, args=(visit, path, *moment))
        killer.start()
        with suppress(OSError, http.client.HTTPException):  # The connection that the kill cut.
            _ask(visit, told, path, chance)
        killer.join()
        visit.server.kill()
        told.counts["kills"] += 1
        if told.counts["kills"] % COMPARED_KILLS == 0:
            _compare(path, told)
    _compare(path, told)
    visit = Visit(path, nursery)
    _draw_the_rest(visit, told, path)
    visit.server.kill()
    nursery.close()
    told.counts["seconds of processor"] = round(nursery.processor_seconds)
    told.counts["charges"] = len(_charged(path))
    _compare(path, told)
    assert told.counts["charges"] == len(told.seen)
    return told.counts


def _draw_the_rest(visit: Visit, told: Told, path: Path) -> None:
    """Whatever was paid and not drawn is drawn, and every answer is looked at."""
    for name in sorted(_charged(path)):
        if KeptAnswers(path).find(name) is None:
            visit.post(f"/answers/{name}/draw", key=visit.key())
            told.counts["drawn afterwards"] += 1
        while KeptAnswers(path).find(name) is None:
            time.sleep(0.05)
        told.look(visit, name)


def _kill_near_a_charge(visit: Visit, path: Path, charges: int, share: float) -> None:
    """Kill the server within some milliseconds after the ledger was written to so many times."""
    log = path.with_suffix(".ledger-wal")
    before, deadline = -1, time.monotonic() + 120
    while charges >= 0 and time.monotonic() < deadline:
        try:
            size = log.stat().st_size
        except FileNotFoundError:  # Whoever closed the ledger last took its log away.
            size = -1
        charges -= size > before
        before = size
        time.sleep(0.0005)
    time.sleep(0.08 * share * share)
    visit.server.signal()


def _ask(visit: Visit, told: Told, path: Path, chance: random.Random) -> None:
    """Send releases until the server is gone; some forms are sent twice, and some answers are looked at."""
    names: list[str] = []
    while True:
        key = visit.key()
        names.append(key.partition(".")[0])
        for _ in range(1 + (chance.random() < 0.3)):
            told.counts["requests"] += 1
            visit.post("/ask/release", key=key, question=QUESTION, epsilon="0.01")
        name = chance.choice(names)
        if KeptAnswers(path).find(name) is not None:
            told.look(visit, name)


def _charged(path: Path) -> Counter[str]:
    """How often each form was charged."""
    if not (path.parent / "people.ledger").exists():
        return Counter()
    with bn.open(path).ledger() as ledger:
        return Counter(entry.key.removeprefix(PREFIX) for entry in ledger.history())


def _compare(path: Path, told: Told) -> None:
    charged, kept = _charged(path), KeptAnswers(path)
    answers = {file.name.partition(".")[0] for file in kept.place.glob("*.answer.json")}
    assert all(count == 1 for count in charged.values()), "a form was charged twice"
    assert answers <= set(charged), "an answer without its charge"
    fresh = set(charged) - told.recorded
    assert all(kept.asked(name) is not None for name in fresh), "a charge without its record"
    told.recorded |= fresh
    assert set(told.seen) <= answers


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--requests", type=int, default=1000)
    options.add_argument("--between", type=int, default=4, help="Writes to the ledger between two kills, at most.")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--minutes", type=float, default=math.inf, help="Judge what was done after so long.")
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="banister-drill-", dir=in_memory()) as place:
        start = time.monotonic()
        counts = drill(
            Path(place),
            requests=given.requests,
            chance=random.Random(given.seed),
            between=given.between,
            seconds=60 * given.minutes,
        )
    told = ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
    print(f"{told}; {time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()
