"""Kill the collecting service with signal 9 under load, again and again: python -m tests.drills.collect [KILLS].

A server of reports is forked from a process that has loaded everything, so that a start takes a moment. Clients send
reports and write down which requests were acknowledged; the server is killed at a moment that it cannot foresee, is
started again on the same store, and what was not acknowledged is sent again under the same key, as a real client would.
In the end every acknowledged report is counted, none twice, and the totals are those of the stored reports.
"""

import http.client
import json
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from banister.apps.collect import fresh
from banister.apps.collect import store as store_of
from banister.apps.collect.site import collector
from banister.apps.collect.store import ReportStore
from banister.apps.web.gate import Place
from banister.apps.web.serve import take_port
from banister.keys import nonce
from banister.local import RandomizedResponse
from banister.local.collect.campaign import SignedCampaign
from tests.local.collect.campaigns import signed

CLIENTS = 4
OUTPUTS = 16


@dataclass
class Told:
    """What clients know: how often each report was acknowledged, and what waits for an acknowledgement."""

    acknowledged: Counter[int] = field(default_factory=Counter)
    waiting: dict[str, list[int]] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)
    requests: int = 0


def serve_forever(path: Path, asked: SignedCampaign, gate: int) -> None:
    """The server of a child process; its port goes through a pipe."""
    import uvicorn

    store = ReportStore(path)
    # Kills also fall into commits that bring what came last into the tables, and the small one into the large one.
    fresh.MOST_FRESH, store_of.MOST_RECENT = 12, 60
    store.add(asked, shown=False)
    taken = take_port(0)
    service = collector(Place.loopback(taken.getsockname()[1]), store, a_second=1e9)
    os.write(gate, str(taken.getsockname()[1]).encode())
    os.close(gate)
    config = uvicorn.Config(service.site.asgi, access_log=False, log_level="critical", lifespan="off", ws="none")
    uvicorn.Server(config).run(sockets=[taken])


def started(path: Path, asked: SignedCampaign) -> tuple[int, int]:
    """(process, port) of a server that is about to listen."""
    end, gate = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(end)
            serve_forever(path, asked, gate)
        finally:
            os._exit(1)
    os.close(gate)
    port = int(os.read(end, 16) or b"0")
    os.close(end)
    return child, port


def client(port: int, name: str, told: Told, stop: threading.Event, seed: int) -> None:
    """Send what waits, then new requests, until the server is gone."""
    chance = random.Random(seed)
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    while not stop.is_set():
        with told.lock:
            old = next(iter(told.waiting), None)
            key = old or nonce()
            reports = (
                told.waiting.pop(old) if old else [chance.randrange(OUTPUTS) for _ in range(chance.randrange(1, 6))]
            )
        body = json.dumps({"key": key, "reports": {"0": reports}})
        try:
            link.request("POST", f"/c/{name}/reports", body)
            answer = link.getresponse()
            answer.read()
            taken = answer.status == 204
        except (OSError, http.client.HTTPException):
            taken = False
        with told.lock:
            if taken:
                told.requests += 1
                told.acknowledged.update(reports)
            else:
                told.waiting[key] = reports
        if not taken:
            link.close()
            stop.wait(0.01)
    link.close()


def drill(folder: Path, kills: int, seed: int = 0) -> dict[str, int]:
    """Kill so often, and count; raises where a report is lost, counted twice, or in no total."""
    asked, told, chance = signed(RandomizedResponse(1, categories=OUTPUTS)), Told(), random.Random(seed)
    path = folder / "reports.db"
    for kill in range(kills + 1):
        child, port = started(path, asked)
        stop = threading.Event()
        threads = [
            threading.Thread(target=client, args=(port, asked.name, told, stop, 1000 * kill + place), daemon=True)
            for place in range(CLIENTS)
        ]
        for thread in threads:
            thread.start()
        if kill < kills:
            before, until = told.requests, time.monotonic() + 10
            # Mostly when it is at work; sometimes while it is still opening its store.
            while chance.random() > 0.002 and told.requests == before and time.monotonic() < until:
                time.sleep(0.002)
            time.sleep(chance.uniform(0.0, 0.08))
        else:  # The last server takes what is still waiting.
            while told.waiting or told.requests == 0:
                time.sleep(0.05)
            stop.set()
            for thread in threads:
                thread.join()
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        stop.set()
        for thread in threads:
            thread.join()
        if kill and kill % 100 == 0:
            print(f"{kill} kills, {told.requests:,} requests", flush=True)
    store = ReportStore(path)
    (running,) = store.campaigns()
    stored = Counter({int(value): 0 for value in range(OUTPUTS)})
    for _, value, count in store.reports(running.number, 0):
        stored[int(value)] += count
    total = store.total(running.number, 0)
    assert [stored[value] for value in range(OUTPUTS)] == total.counts.tolist(), "totals differ from the stored reports"
    assert sum(found.reports for _, found in store.hours(running.number, 0)) == total.reports
    missing = told.acknowledged - stored
    assert not missing, f"acknowledged reports are lost: {sum(missing.values())}"
    possible = told.acknowledged + Counter(value for reports in told.waiting.values() for value in reports)
    twice = stored - possible
    assert not twice, f"reports are counted twice: {sum(twice.values())}"
    store.close()
    acknowledged = sum(told.acknowledged.values())
    return {"kills": kills, "requests": told.requests, "reports": acknowledged, "stored": sum(stored.values())}


def main() -> None:
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    with tempfile.TemporaryDirectory() as folder:
        begun = time.perf_counter()
        found = drill(Path(folder), kills)
        print(f"{found}: none lost, none twice, totals equal; {time.perf_counter() - begun:.0f} s")


if __name__ == "__main__":
    main()
