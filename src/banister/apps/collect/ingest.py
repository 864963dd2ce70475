"""The way in for reports: a raw route without accounts, cookies or addresses, answered after the commit."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass

from starlette.types import Receive, Send

from banister.apps.collect.book import Batch, Heap, Running, StorageFull
from banister.apps.collect.writer import Writer
from banister.errors import BadValue
from banister.keys import is_nonce
from banister.local.collect.tally import read_values

MOST_BYTES = 1 << 19
MOST_REPORTS = 10_000
ANYBODY = [
    (b"access-control-allow-origin", b"*"),
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
]
TAKEN = [*ANYBODY, (b"content-length", b"0")]


class RequestRefused(Exception):
    """A request that is set aside: its status, one sentence, and the word under which it is counted."""

    def __init__(self, status: int, words: str, why: str = "") -> None:
        super().__init__(words)
        self.status = status
        self.words = words
        self.why = why


@dataclass
class Bucket:
    """So many requests a second, and so many at once: for everybody together, since nobody is told apart."""

    a_second: float
    at_once: float
    clock: Callable[[], float] = time.monotonic
    left: float = 0.0
    seen: float = 0.0

    def __post_init__(self) -> None:
        self.left, self.seen = self.at_once, self.clock()

    def take(self) -> bool:
        """Whether one more may pass."""
        now = self.clock()
        self.left = min(self.at_once, self.left + (now - self.seen) * self.a_second)
        self.seen = now
        if self.left < 1:
            return False
        self.left -= 1
        return True


def today() -> str:
    """The day in universal time."""
    return time.strftime("%Y-%m-%d", time.gmtime())


class Ingest:
    """POST /c/NAME/reports with {"key": 32 digits, "reports": {question: [report, ...]}}."""

    def __init__(self, writer: Writer, *, bucket: Bucket, day: Callable[[], str] = today) -> None:
        self.writer = writer
        self.bucket = bucket
        self.day = day
        self.open: dict[str, Running] = {one.signed.name: one for one in writer.store.campaigns()}

    async def __call__(self, name: str, receive: Receive, send: Send) -> None:
        running = self.open.get(name)
        try:
            body = await read_body(receive, MOST_BYTES, "Nothing was counted.")
            if running is None:
                raise RequestRefused(
                    404, "No campaign of this name is asked here. The link is of another collector, or was changed."
                )
            await self._take(running, body)
        except RequestRefused as refused:
            if refused.why and running is not None:
                self.writer.aside(running.number, refused.why)
            await refuse(send, refused.status, refused.words)
            return
        await send({"type": "http.response.start", "status": 204, "headers": TAKEN})
        await send({"type": "http.response.body", "body": b""})

    async def _take(self, running: Running, body: bytes) -> None:
        if not self.bucket.take() or self.writer.busy:
            raise RequestRefused(
                429, "Too many reports come at the moment. Nothing was counted; send it again in a minute."
            )
        until = running.signed.campaign.until
        if self.day() > until:
            raise RequestRefused(410, f"The campaign ended on {until}. Nothing was counted.", "after the end")
        batch = read_batch(running, body)
        try:
            await self.writer.put(batch)
        except StorageFull:
            raise RequestRefused(
                507, "The collector has no room left. Nothing was counted; send it again later."
            ) from None


def read_batch(running: Running, body: bytes) -> Batch:
    """The batch that a request holds, if each of its reports can come from the campaign's channels."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        raise RequestRefused(422, "This is not JSON. Nothing was counted.", "unreadable") from None
    if not isinstance(found, dict) or found.keys() != {"key", "reports"}:
        raise RequestRefused(
            422, "A request has a key and reports, and nothing else. Nothing was counted.", "unreadable"
        )
    key, reports = found["key"], found["reports"]
    if not (isinstance(key, str) and is_nonce(key)):
        raise RequestRefused(422, "The key of a request has 32 digits from 0 to f. Nothing was counted.", "unreadable")
    if not isinstance(reports, dict) or not 1 <= len(reports) <= len(running.signed.campaign.questions):
        raise RequestRefused(
            422, "Reports stand under the number of their question, from 0. Nothing was counted.", "unreadable"
        )
    return Batch(running.number, bytes.fromhex(key), tuple(_heap(running, *one) for one in reports.items()))


def _heap(running: Running, place: str, sent: object) -> Heap:
    questions = running.signed.campaign.questions
    if not (place.isascii() and place.isdigit() and len(place) <= 3 and int(place) < len(questions)):
        raise RequestRefused(
            422, f"Questions are numbered from 0 to {len(questions) - 1}. Nothing was counted.", "no such question"
        )
    if not isinstance(sent, list) or not 1 <= len(sent) <= MOST_REPORTS:
        raise RequestRefused(
            422, f"A request has 1 to {MOST_REPORTS} reports to a question. Nothing was counted.", "unreadable"
        )
    try:
        return Heap(int(place), sent, read_values(questions[int(place)].channel, sent))
    except BadValue as error:
        raise RequestRefused(422, str(error), "no report of the channel") from None


async def read_body(receive: Receive, most: int, nothing: str) -> bytes:
    """The whole request, if it has at most so many bytes; `nothing` says what did not come of a longer one."""
    parts, size = [], 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise RequestRefused(400, f"The request broke off. {nothing}")
        part = message.get("body", b"")
        parts.append(part)
        size += len(part)
        if size > most:
            raise RequestRefused(413, f"A request has at most {most} bytes. {nothing} Send less at once.", "too long")
        if not message.get("more_body"):
            return b"".join(parts)


async def refuse(send: Send, status: int, words: str) -> None:
    """One sentence as JSON."""
    body = json.dumps({"refused": words}).encode()
    more = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status == 429:
        more.append((b"retry-after", b"60"))
    await send({"type": "http.response.start", "status": status, "headers": [*ANYBODY, *more]})
    await send({"type": "http.response.body", "body": body})
