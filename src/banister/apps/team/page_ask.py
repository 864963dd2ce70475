"""Ask within a share: the studio's page Ask with the team's till behind it, and practice for nothing."""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING
from urllib.parse import quote

from fastapi import Request
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from banister import clock
from banister.accounting.shares import Whose
from banister.apps.studio.answers import report_body
from banister.apps.studio.ask import AskPages
from banister.apps.studio.foreseen import BudgetWords, level_words, said_of
from banister.apps.studio.same import Same
from banister.apps.studio.workbench import AskForm, Looked, Workbench, confidence_of, decimal
from banister.apps.team.desk import Asked
from banister.apps.team.frame import frame, framed, member_of
from banister.apps.team.people import Role
from banister.apps.web.site import Site
from banister.core.exact.numbers import brief_down

if TYPE_CHECKING:
    from banister.apps.team.interface import Interface

KEPT_DRAFTS = 2000
PAYS = (Role.ANALYST, Role.OWNER)


class TeamTill:
    """Where members pay: within their shares at once, above them when an owner has said yes."""

    def __init__(self, site: Site, room: "Interface", bench: Workbench) -> None:
        self.site = site
        self.room = room
        self.bench = bench

    def frame(self, request: Request) -> dict[str, object]:
        member = member_of(request, *PAYS)
        shares = self.room.desk.ledger.shares()
        projects = {each.share.project for each in shares if each.share.analyst in ("", member.name)}
        return {**frame(request), "team": True, "projects": sorted(projects - {""})}

    def budget(self, request: Request, asked: AskForm, looked: Looked) -> BudgetWords:
        member, plan = member_of(request, *PAYS), looked.plan
        hers = self.room.desk.ledger.on_behalf(Whose(analyst=member.name, project=asked.project))
        now, after = hers.remaining(), hers.fitting(plan.costs, neighbours=plan.neighbours)[1]
        said = said_of(now, after)
        if after is not None:
            return said
        largest = brief_down(now.largest_epsilon)
        if self.room.desk.ledger.choice(plan.costs, neighbours=plan.neighbours)[1]:
            words = f"It is above your share: the largest epsilon that still fits is {largest}. An owner can allow it."
            return BudgetWords(words=words, fits=True, used=said.used, after=1.0, asks=True)
        words = f"The whole budget does not allow it, so no owner can. The largest epsilon that fits is {largest}."
        return BudgetWords(words=words, fits=False, used=said.used, after=1.0)

    def same(self, asked: AskForm) -> Same:
        origin = self.site.place.origins[0]
        delta = "" if asked.delta == "0" else f", delta={asked.delta!r}"
        project = f"table.project = {asked.project!r}\n" if asked.project else ""
        python = (
            "import banister as bn\n\n"
            f'table = bn.connect({origin!r}, key="…")\n{project}'
            f"plan = table.plan(\n    {asked.question!r},\n"
            f"    epsilon={asked.epsilon!r}{delta}, confidence={decimal(confidence_of(asked))!r},\n)\n"
            "print(table.practice().release(plan).table)\n"
            'answers = table.release(plan, key="a-name-of-your-own")'
        )
        plain, said = asdict(Asked(question="", epsilon="")), asdict(asked_of(asked))
        more = {name: value for name, value in said.items() if value != plain[name]}
        body = json.dumps({**more, "key": "a-name-of-your-own"})
        command = f"curl {origin}/api/release -H 'Authorization: Bearer …' \\\n  --json '{body}'"
        return Same(command=command, python=python)

    def put(self, request: Request, key: str, asked: AskForm) -> None:
        row = (key, member_of(request).name, json.dumps(asdict(asked)), clock.now())
        with self.room.store.writing() as connection:
            connection.execute("INSERT OR REPLACE INTO draft VALUES (?, ?, ?, ?)", row)
            connection.execute(
                "DELETE FROM draft WHERE key NOT IN (SELECT key FROM draft ORDER BY at DESC LIMIT ?)", (KEPT_DRAFTS,)
            )

    def draft(self, request: Request, key: str) -> AskForm | None:
        query = "SELECT asked FROM draft WHERE key = ? AND account = ?"
        found = self.room.store.rows(query, key, member_of(request).name)
        return AskForm(**json.loads(found[0][0])) if found else None

    def answered(self, request: Request, name: str) -> str:
        member = member_of(request)
        found = self.room.desk.find(member.name, name)
        return "" if found is None else f"/requests/{quote(member.name)}/{quote(name)}"

    def begin(self, request: Request, name: str, asked: AskForm) -> Response:
        member = member_of(request, *PAYS)
        self.room.desk.release(member, asked_of(asked), name)
        return RedirectResponse(f"/requests/{quote(member.name)}/{quote(name)}", status_code=303)


class TeamAskPages:
    """The routes of asking and of practising."""

    def __init__(self, site: Site, room: "Interface") -> None:
        self.site = site
        self.room = room
        self.bench = Workbench()
        self.bench.take(str(room.settings.schema))
        self.till = TeamTill(site, room, self.bench)
        AskPages(site, self.bench, self.till, ahead=None)
        site.app.add_api_route("/practice", self.practice, methods=["POST"], response_model=None)
        site.app.add_api_route("/practice/{key}", self.practised, methods=["GET"], response_model=None)

    async def practice(self, request: Request) -> Response:
        """Keep what is asked and go to its practice; from there the real run is one press away."""
        asked = AskForm.of_fields(await self.site.fields(request))
        member_of(request, *PAYS)

        def kept() -> Response:
            with self.site.mathematics:
                self.bench.look(asked)
            key = self.site.forms.key()
            self.till.put(request, key, asked)
            return RedirectResponse(f"/practice/{quote(key)}", status_code=303)

        return await run_in_threadpool(kept)

    async def practised(self, request: Request, key: str) -> Response:
        """The answers over the practice table: nothing is read, nothing is charged."""
        self.site.forms.checked(key)
        asked = self.till.draft(request, key)
        if asked is None:
            return RedirectResponse("/ask", status_code=303)
        return await self.site.computed(self._practised, request, key, asked)

    def _practised(self, request: Request, key: str, asked: AskForm) -> Response:
        from banister.release.practice import WORDS

        looked = self.bench.look(asked)
        body = _answers_alone(report_body(self.room.desk.practice_report(asked_of(asked))))
        facts = {
            "asked": asked,
            "key": key,
            "words": WORDS,
            "body": body,
            "same": self.till.same(asked),
            "level": level_words(looked.plan),
            "budget": self.till.budget(request, asked, looked),
        }
        return framed(self.site, request, "practice.html", here="/ask", title="Practice", **facts)


def _answers_alone(body: Markup) -> Markup:
    """The answers of a report, without its other parts: practice gives nothing away and takes nothing."""
    return Markup("<h2>").join(body.split(Markup("<h2>"))[:2])


def asked_of(form: AskForm) -> Asked:
    """What the page asks, as the desk takes it."""
    return Asked(
        question=form.question,
        epsilon=form.epsilon,
        delta=form.delta,
        confidence=decimal(confidence_of(form)),
        project=form.project,
    )
