"""Collecting: reports and requests per second of server CPU, the dashboard of a large campaign.

Two cores are shared with the load. `python -m bench.collect` takes about a minute.
"""

import asyncio
import json
import os
import signal
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from banister.apps.collect.board import board
from banister.apps.collect.book import Batch, Heap
from banister.apps.collect.days import DayRows
from banister.apps.collect.store import ReportStore
from banister.keys import nonce
from banister.local import RandomizedResponse, SubsetSelection
from banister.local.channels.base import Channel
from banister.local.collect.campaign import SignedCampaign

SECONDS = 6.0
LINKS = 16


def asked(channel: Channel) -> SignedCampaign:
    from banister.keys import SigningKey
    from banister.local.collect.campaign import Campaign, read_campaign
    from banister.local.document import Survey

    labels = [str(x) for x in range(channel.categories)]
    made = Campaign.of_one(Survey(channel, labels), title="Bench", asked_by="Us", until="2999-12-31", people=10**7)
    return read_campaign(made.signed(SigningKey.generate()))


def made(questions: Sequence[object], **more: object) -> SignedCampaign:
    from banister.keys import SigningKey
    from banister.local.collect.campaign import read_campaign
    from banister.local.collect.making import make_campaign

    plain = {"title": "Bench", "asked_by": "Us", "until": "2999-12-31", "people": 10**7, "epsilon": 4}
    return read_campaign(make_campaign({**plain, **more, "question": questions})[0].signed(SigningKey.generate()))


def main() -> None:
    kinds: dict[str, Channel] = {
        "48 answers, each its own report": RandomizedResponse(1, 48),
        "1000 answers, a million reports": SubsetSelection.least_error(1, 1000),
    }
    for name, channel in kinds.items():
        for batch in (100, 1):
            ingest(name, asked(channel), batch)
    dashboards()


def dashboards() -> None:
    day = {"text": "Load", "numbers": {"least": 0, "most": 4, "classes": 8}, "times": 48}
    twenty = [{"text": f"Question {place}", "answers": {"a": 4, "b": 3, "c": 2, "d": 1}} for place in range(20)]
    dashboard("48 answers", asked(RandomizedResponse(1, 48)))
    dashboard("1000 answers", asked(SubsetSelection.least_error(1, 1000)))
    dashboard("a meter's day", made([day]))
    dashboard("20 questions", made(twenty), hours=24 * 30)
    laws = [{"name": "calm", "shares": [0.5, 0.3, 0.2]}, {"name": "wave", "shares": [0.3, 0.3, 0.4]}]
    dashboard("which of two laws holds", made([{"text": "How?", "answers": ["a", "b", "c"]}], law=laws), hours=24 * 30)


def ingest(name: str, campaign: SignedCampaign, batch: int) -> None:
    from tests.drills.collect import started

    with tempfile.TemporaryDirectory() as folder:
        child, port = started(Path(folder) / "reports.db", campaign)
        done = [0]
        asyncio.run(load(port, campaign, batch, time.perf_counter() + 1, [0]))
        before, begun = cpu(child), time.perf_counter()
        asyncio.run(load(port, campaign, batch, time.perf_counter() + SECONDS, done))
        spent, wall = cpu(child) - before, time.perf_counter() - begun
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        store = ReportStore(Path(folder) / "reports.db")
        assert store.total(1, 0).reports == store.stored(1) >= done[0] * batch
        print(
            f"{name}, {batch:3} a request: {done[0] * batch / spent:9,.0f} reports and {done[0] / spent:6,.0f} "
            f"requests per CPU second, {done[0] / wall:6,.0f} requests/s of wall time; after kill -9 none is missing"
        )


async def load(port: int, campaign: SignedCampaign, batch: int, until: float, done: list[int]) -> None:
    channel, rng = campaign.campaign.questions[0].channel, np.random.default_rng(0)
    heaps = [json.dumps(rng.integers(0, channel.outputs, batch).tolist()) for _ in range(200)]

    async def one(place: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        while time.perf_counter() < until:
            place = (place + 1) % len(heaps)
            body = f'{{"key":"{nonce()}","reports":{{"0":{heaps[place]}}}}}'.encode()
            head = f"POST /c/{campaign.name}/reports HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n"
            writer.write(head.encode() + body)
            answer = await reader.readuntil(b"\r\n\r\n")
            assert answer.startswith(b"HTTP/1.1 204"), answer
            done[0] += 1
        writer.close()

    await asyncio.gather(*(one(7 * place) for place in range(LINKS)))


def cpu(process: int) -> float:
    """Seconds of CPU that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def dashboard(name: str, campaign: SignedCampaign, reports: int = 10**7, hours: int = 24 * 7) -> None:
    questions, rng = campaign.campaign.questions, np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        store = ReportStore(Path(folder) / "reports.db")
        store.add(campaign, shown=False)
        for hour in range(hours):
            heaps = []
            for place, asked in enumerate(questions):
                drawn = rng.integers(0, asked.channel.categories, reports // hours // len(questions))
                values = asked.channel.respond(drawn).values
                # The multiset of a large alphabet is left out of the file here: a dashboard reads totals alone.
                sent = values.tolist() if asked.channel.outputs < 10_000 else values[:1000].tolist()
                heaps.append(Heap(place, sent, values))
            store.write([Batch(1, bytes.fromhex(nonce()), tuple(heaps))], (), 480_000 + hour)
        (running,) = store.campaigns()
        times, rows = [], DayRows()
        for _ in range(6):
            begun = time.process_time()
            board(store, running, 480_000 + hours, rows)
            times.append(time.process_time() - begun)
        counted = sum(store.total(1, place).reports for place in range(len(questions)))
        print(
            f"Dashboard, {name}, {counted:,} reports in {hours // 24} days: {sorted(times[1:])[2]:.3f} s of CPU, "
            f"{times[0]:.3f} s the first time"
        )


if __name__ == "__main__":
    main()
