"""The whole service: open pages in front, the dashboard behind a token."""

import asyncio
import csv
import io
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from fastapi import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse

from banister.apps.collect.analysts import AnalystKeys
from banister.apps.collect.board import board, estimates
from banister.apps.collect.book import ReportBook, Running
from banister.apps.collect.days import DayRows
from banister.apps.collect.ingest import Bucket, Ingest, today
from banister.apps.collect.public import Front, module_tag
from banister.apps.collect.relaying.relay import Relay
from banister.apps.collect.relaying.rooms import Rooms
from banister.apps.collect.writer import Writer, this_hour
from banister.apps.web.gate import Place
from banister.apps.web.site import NavLink, Site
from banister.errors import BadValue
from banister.tables.frames.write import write_tables

HERE = Path(__file__).parent
_PAUSE_SECONDS = 0.25
_QUIET_ROUNDS = 60
PUBLIC_SECONDS = 5.0
"""How old public results may be."""


@dataclass(frozen=True, slots=True, eq=False)
class Service:
    """The site with what moves behind it."""

    site: Site
    writer: Writer
    ingest: Ingest


def collector(
    place: Place,
    store: ReportBook,
    *,
    address: str = "",
    a_second: float = 5_000,
    day: Callable[[], str] = today,
    hour: Callable[[], int] = this_hour,
    rooms: Rooms | None = None,
    analysts: AnalystKeys | None = None,
) -> Service:
    """The service over a store; `address` is where people reach it, where that is not the loopback.

    With `rooms` it is also a relay for meetings; `analysts` see the dashboards and download reports by their own keys.
    """
    site = Site("banister collect", place=place, links=(NavLink("/", "Campaigns"),), templates=(HERE / "templates",))
    if analysts is not None:
        site.visitors.invite(analysts)
    writer = Writer(store, hour)
    ingest = Ingest(writer, bucket=Bucket(a_second, 2 * a_second), day=day)
    pages = CollectPages(site, ingest, address=address or place.origins[0], hour=hour)
    site.asgi = Front(site.asgi, ingest, address=pages.address, results=pages.results, relay=rooms is not None)
    if rooms is not None:
        site.asgi = Relay(site.asgi, rooms, bucket=Bucket(a_second, 2 * a_second))
    return Service(site, writer, ingest)


KINDS = {"csv": "text/csv", "parquet": "application/vnd.apache.parquet"}


def _attached(content: bytes, kind: str, name: str) -> Response:
    """A file to be saved."""
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=KINDS[kind], headers=headers)


@dataclass(frozen=True, slots=True)
class MadePage:
    """A page of results: of which commit and hour, when it was made, and its bytes."""

    state: tuple[int, int]
    when: float
    body: bytes


class CollectPages:
    """The pages behind the token."""

    def __init__(self, site: Site, ingest: Ingest, *, address: str, hour: Callable[[], int]) -> None:
        self.site = site
        self.ingest = ingest
        self.writer = ingest.writer
        self.address = address
        self.hour = hour
        self.rows = DayRows()
        self._public: dict[int, MadePage] = {}
        add = site.app.add_api_route
        add("/", self.campaigns, methods=["GET"], response_model=None)
        add("/d/{number}", self.dashboard, methods=["GET"], response_model=None)
        add("/d/{number}/piece", self.piece, methods=["GET"], response_model=None)
        add("/d/{number}/events", self.events, methods=["GET"], response_model=None)
        add("/d/{number}/estimates.{kind}", self.export, methods=["GET"], response_model=None)
        add("/d/{number}/reports-{question}.{kind}", self.reports, methods=["GET"], response_model=None)
        add("/static/collect.mjs", self._module, methods=["GET"], response_model=None)

    def campaigns(self) -> Response:
        """All campaigns."""
        some = sorted(self.ingest.open.values(), key=lambda one: one.signed.campaign.title)
        return self.site.page("campaigns.html", here="/", title="Campaigns", campaigns=some, address=self.address)

    async def dashboard(self, number: int) -> Response:
        """One campaign, live."""
        running = self._find(number)
        return await self.site.computed(self._board, running, "dashboard.html")

    async def piece(self, number: int) -> Response:
        """The part of the dashboard that moves."""
        return await self.site.computed(self._board, self._find(number), "board.html")

    async def events(self, number: int, request: Request) -> Response:
        """A line whenever something was committed."""
        self._find(number)
        return StreamingResponse(self._ticks(request), media_type="text/event-stream")

    async def export(self, number: int, kind: str) -> Response:
        """Estimates as CSV or Parquet."""
        if kind not in KINDS:
            raise BadValue("Estimates come as estimates.csv or estimates.parquet.")
        return await self.site.computed(self._export, self._find(number), kind)

    async def reports(self, number: int, question: int, kind: str) -> Response:
        """All reports of a question: they are private already."""
        if kind not in KINDS:
            raise BadValue("Reports come as reports-0.csv or reports-0.parquet, by the number of their question.")
        running = self._find(number)
        if not 0 <= question < len(running.signed.campaign.questions):
            raise BadValue(f"The campaign has no question {question}.")
        return await self.site.computed(self._reports, running, question, kind)

    def _board(self, running: Running, template: str) -> Response:
        with self.writer.lock:
            view = board(self.writer.store, running, self.hour(), self.rows)
        return self.site.page(
            template,
            here="",
            title=view.title,
            view=view,
            running=running,
            number=running.number,
            address=self.address,
            module=module_tag(self.address),
        )

    def results(self, running: Running) -> HTMLResponse:
        """What everybody may see, where the owner wants it: made anew at most every few seconds, however many ask."""
        with self.site.mathematics:
            now, state = time.monotonic(), (self.writer.commits, self.hour())
            made = self._public.get(running.number)
            if made is None or (made.state != state and now - made.when >= PUBLIC_SECONDS):
                with self.writer.lock:
                    view = board(self.writer.store, running, state[1], self.rows)
                page = self.site.page("results.html", title=view.title, view=view)
                made = self._public[running.number] = MadePage(state, now, bytes(page.body))
        return HTMLResponse(made.body)

    def _export(self, running: Running, kind: str) -> Response:
        with self.writer.lock:
            columns = estimates(self.writer.store, running)
        if not columns["answer"]:
            raise BadValue("There is nothing to export yet.")
        with TemporaryDirectory(prefix="banister-") as folder:
            path = Path(folder) / f"estimates.{kind}"
            write_tables(path, [columns], for_spreadsheets=True)  # type: ignore[list-item]
            content = path.read_bytes()
        return _attached(content, kind, path.name)

    def _reports(self, running: Running, question: int, kind: str) -> Response:
        """As `banister local estimate` reads them, one line a report, in the order of hours and reports."""
        if kind == "parquet":
            return self._parquet(running, question)
        name = running.signed.campaign.questions[question].identity[:16]
        table = io.StringIO()
        write = csv.writer(table, lineterminator="\n")
        write.writerow(("channel", "report"))
        with self.writer.lock:
            for _, value, count in self.writer.store.reports(running.number, question):
                write.writerows([(name, value)] * count)
        return _attached(table.getvalue().encode(), kind, "reports.csv")

    def _parquet(self, running: Running, question: int) -> Response:
        name = running.signed.campaign.questions[question].identity[:16]
        with self.writer.lock:
            values = [value for _, value, n in self.writer.store.reports(running.number, question) for _ in range(n)]
        if not values:
            raise BadValue("There is nothing to export yet.")
        with TemporaryDirectory(prefix="banister-") as folder:
            path = Path(folder) / "reports.parquet"
            write_tables(path, [{"channel": [name] * len(values), "report": values}])
            return _attached(path.read_bytes(), "parquet", path.name)

    def _module(self) -> Response:
        return Response((HERE / "static" / "dashboard.mjs").read_text(encoding="utf-8"), media_type="text/javascript")

    async def _ticks(self, request: Request) -> AsyncIterator[str]:
        shown, quiet = -1, 0
        while not await request.is_disconnected():
            quiet += 1
            if self.writer.commits != shown:
                shown, quiet = self.writer.commits, 0
                yield f"data: {shown}\n\n"
            elif quiet > _QUIET_ROUNDS:
                quiet = 0
                yield ": still here\n\n"
            await asyncio.sleep(_PAUSE_SECONDS)

    def _find(self, number: int) -> Running:
        found = next((one for one in self.ingest.open.values() if one.number == number), None)
        if found is None:
            raise BadValue(f"There is no campaign {number} here.")
        return found
