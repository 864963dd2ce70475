"""Requests: what was asked and how far it is; an owner's yes or no; answers; and waiting ones as they come."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING
from urllib.parse import quote

from fastapi import Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response, StreamingResponse

from banister.apps.studio.answers import certificate_file, chart_file, report_body, report_file, table_file
from banister.apps.team.desk import TeamRequest
from banister.apps.team.frame import framed, member_of
from banister.apps.team.people import NotLetIn, Role, TeamMember
from banister.apps.web.site import Site
from banister.errors import BadValue

if TYPE_CHECKING:
    from banister.apps.team.interface import Interface

HERE = "/requests"
_PAUSE_SECONDS = 0.25
"""How often it is looked whether something waits: well within the second that a request may take to be seen."""
_QUIET_ROUNDS = 40


class RequestPages:
    """The routes of these pages."""

    def __init__(self, site: Site, room: "Interface") -> None:
        self.site = site
        self.room = room
        add = site.app.add_api_route
        add(HERE, self.show, methods=["GET"], response_model=None)
        add(f"{HERE}/list", self.piece, methods=["GET"], response_model=None)
        add(f"{HERE}/events", self.events, methods=["GET"], response_model=None)
        add(f"{HERE}/{{account}}/{{key}}", self.one, methods=["GET"], response_model=None)
        add(f"{HERE}/{{account}}/{{key}}/decide", self.decide, methods=["POST"], response_model=None)
        add(f"{HERE}/{{account}}/{{key}}/report.html", self.report, methods=["GET"], response_model=None)
        add(f"{HERE}/{{account}}/{{key}}/answers-{{place}}.csv", self.table, methods=["GET"], response_model=None)
        add(
            f"{HERE}/{{account}}/{{key}}/chart-{{place:int}}.{{kind}}", self.chart, methods=["GET"], response_model=None
        )
        add(f"{HERE}/{{account}}/{{key}}/report.certificate", self.certificate, methods=["GET"], response_model=None)

    def show(self, request: Request) -> Response:
        """The list, which follows what happens."""
        return framed(self.site, request, "requests.html", here=HERE, title="Requests", **self._facts(request))

    def piece(self, request: Request) -> Response:
        """The list alone, for a page that was told of news."""
        return self.site.page("requests-list.html", **self._facts(request), member=member_of(request))

    def _facts(self, request: Request) -> dict[str, object]:
        found = self.room.desk.requests(member_of(request))
        return {
            "waiting": [each for each in found if each.state == "waiting"],
            "others": [each for each in found if each.state != "waiting"],
            "where": where,
        }

    async def events(self, request: Request) -> Response:
        """A line whenever the member's list changes, until her session ends or she leaves the page."""
        member = member_of(request)
        return StreamingResponse(self._changes(member, request.state.session), media_type="text/event-stream")

    async def _changes(self, member: TeamMember, session: str) -> AsyncIterator[str]:
        shown, quiet = await run_in_threadpool(self._state, member), 0
        yield ": listening\n\n"
        while True:
            await asyncio.sleep(_PAUSE_SECONDS)
            try:
                await run_in_threadpool(self.room.people.signed_in, session)
            except NotLetIn:
                return
            now = await run_in_threadpool(self._state, member)
            quiet += 1
            if now != shown:
                yield f"data: {json.dumps(now)}\n\n"
                shown, quiet = now, 0
            elif quiet > _QUIET_ROUNDS:
                yield ": still here\n\n"
                quiet = 0

    def _state(self, member: TeamMember) -> str:
        return self.room.desk.standing(member)

    async def one(self, request: Request, account: str, key: str) -> Response:
        """One request: the question, its plan and price, what became of it, and its answers."""
        return await self.site.computed(self._one, request, account, key)

    def _one(self, request: Request, account: str, key: str) -> Response:
        member = member_of(request)
        found = self.room.desk.seen(member, account, key)
        answered, desk = found.answer is not None, self.room.desk
        body = report_body(desk.report(found)) if answered else None
        charts = desk.charts(found) if answered else ()
        decides = member.role is Role.OWNER and found.state == "waiting"
        facts = {"found": found, "body": body, "charts": charts, "decides": decides, "where": where}
        return framed(self.site, request, "request.html", here=HERE, title=f"{found.key} of {found.account}", **facts)

    async def decide(self, request: Request, account: str, key: str) -> Response:
        """An owner's yes or no; the first word counts."""
        fields = await self.site.fields(request)
        owner, word = member_of(request, Role.OWNER), fields.get("word", "")
        if word not in ("yes", "no"):
            raise BadValue("Say yes or no. Nothing was changed.")
        await run_in_threadpool(self.room.desk.decide, owner, account, key, allow=word == "yes")
        return RedirectResponse(f"{HERE}/{quote(account)}/{quote(key)}", status_code=303)

    async def report(self, request: Request, account: str, key: str) -> Response:
        """The report by itself, as a file."""
        found = self.room.desk.seen(member_of(request), account, key)
        return await self.site.computed(lambda: report_file(self.room.desk.report(found)))

    async def table(self, request: Request, account: str, key: str, place: int) -> Response:
        """The answers to one question as a CSV file."""
        found = self.room.desk.seen(member_of(request), account, key)
        return await self.site.computed(lambda: table_file(self.room.desk.tables(found), place))

    async def chart(self, request: Request, account: str, key: str, place: int, kind: str) -> Response:
        """A picture of the report as a file, or the numbers behind it."""
        found = self.room.desk.seen(member_of(request), account, key)
        return await self.site.computed(lambda: chart_file(self.room.desk.charts(found), place, kind))

    async def certificate(self, request: Request, account: str, key: str) -> Response:
        """What `banister verify` checks the report by, when it lies beside it."""
        member = member_of(request)
        found = self.room.desk.seen(member, account, key)
        return await self.site.computed(lambda: certificate_file(self.room.desk.certificate(member, found), "report"))


def where(found: TeamRequest) -> str:
    """The address of a request's page."""
    return f"{HERE}/{quote(found.account)}/{quote(found.key)}"
