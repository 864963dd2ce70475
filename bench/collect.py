"""Collecting: reports and requests per second of server CPU, the dashboard of a large campaign.

Two cores are shared with the load. `python -m bench.collect` takes about a minute.
"""

import asyncio
import json
import os
import signal
import tempfile
import time
from pathlib import Path

import numpy as np

from banister.apps.collect.board import board
from banister.apps.collect.book import Batch, Heap
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


def main() -> None:
    kinds: dict[str, Channel] = {
        "48 answers, each its own report": RandomizedResponse(1, 48),
        "1000 answers, a million reports": SubsetSelection.least_error(1, 1000),
    }
    for name, channel in kinds.items():
        for batch in (100, 1):
            ingest(name, asked(channel), batch)
    dashboard(RandomizedResponse(1, 48))
    dashboard(SubsetSelection.least_error(1, 1000))


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


def dashboard(channel: Channel, reports: int = 10**7, hours: int = 24 * 7) -> None:
    campaign, rng = asked(channel), np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        store = ReportStore(Path(folder) / "reports.db")
        store.add(campaign, shown=False)
        for hour in range(hours):
            values = channel.respond(rng.integers(0, channel.categories, reports // hours)).values
            # The multiset of a large alphabet is left out of the file here: a dashboard reads totals alone.
            sent = values.tolist() if channel.outputs < 10_000 else values[:1000].tolist()
            store.write([Batch(1, bytes.fromhex(nonce()), (Heap(0, sent, values),))], (), 480_000 + hour)
        (running,) = store.campaigns()
        times = []
        for _ in range(5):
            begun = time.perf_counter()
            board(store, running, 480_000 + hours)
            times.append(time.perf_counter() - begun)
        counted = store.total(1, 0).reports
        print(f"Dashboard, {channel.kind}, {channel.categories} answers, {counted:,} reports: {sorted(times)[2]:.3f} s")


if __name__ == "__main__":
    main()
