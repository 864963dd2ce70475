"""What is left, of the whole and of each share; every charge; and how an owner shares the budget out."""

from typing import TYPE_CHECKING

from fastapi import Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from banister.accounting.shares import BudgetShare, Opening
from banister.apps.studio.account import history_file, narrow_budget
from banister.apps.team.frame import framed, member_of
from banister.apps.team.people import Role
from banister.apps.web.pictures import picture
from banister.apps.web.site import Site
from banister.core.exact.numbers import brief, brief_down
from banister.core.privacy.guarantee import Guarantee
from banister.errors import BanisterError

if TYPE_CHECKING:
    from banister.apps.team.interface import Interface

SHOWN = 200
BLANK_ROWS = 3
"""Empty lines of the form, for shares that are new."""
FIELDS = ("analyst", "project", "epsilon", "delta", "start", "months")


class BudgetPages:
    """The routes of these pages."""

    def __init__(self, site: Site, room: "Interface") -> None:
        self.site = site
        self.room = room
        add = site.app.add_api_route
        add("/", self.show, methods=["GET"], response_model=None)
        add("/shares", self.shares, methods=["GET"], response_model=None)
        add("/shares", self.state, methods=["POST"], response_model=None)
        add("/charges", self.charges, methods=["GET"], response_model=None)
        add("/charges/budget-narrow.svg", self.narrow, methods=["GET"], response_model=None)
        add("/charges/budget.{kind}", self.figure, methods=["GET"], response_model=None)

    async def show(self, request: Request) -> Response:
        """The first page: what is left for whom, and one thing to do."""
        return await self.site.computed(self._show, request)

    def _show(self, request: Request) -> Response:
        member = member_of(request)
        left, shares = self.room.desk.budget(member)
        waiting = [each for each in self.room.desk.requests(member) if each.state == "waiting"]
        facts = {
            "budget": self.room.desk.ledger.terms.budget,
            "largest": brief_down(left.largest_epsilon),
            "used": 100 * float(left.used),
            "left": left,
            "shares": [
                {
                    "name": each.share.name,
                    "level": str(each.share.guarantee),
                    "open": float(each.part),
                    "used": float(each.used),
                    "largest": brief_down(each.largest_epsilon),
                }
                for each in shares
            ],
            "waiting": len(waiting),
            "table": self.room.settings.schema.stem,
        }
        return framed(self.site, request, "team-budget.html", here="/", title="Budget", **facts)

    def shares(self, request: Request) -> Response:
        """How the budget is shared out, as a form."""
        member_of(request, Role.OWNER)
        stated = [each.share for each in self.room.desk.ledger.shares()]
        return self._form(request, [_written(each) for each in stated], "")

    def _form(self, request: Request, lines: "list[dict[str, str]]", refusal: str) -> Response:
        names = [name for name, role, active in self.room.people.all() if active and role != Role.AUDITOR.value]
        facts = {
            "lines": [*lines, *(dict.fromkeys(FIELDS, "") for _ in range(BLANK_ROWS))],
            "names": names,
            "budget": self.room.desk.ledger.terms.budget,
            "refusal": refusal,
        }
        return framed(self.site, request, "shares.html", here="/", title="Share the budget out", **facts)

    async def state(self, request: Request) -> Response:
        """State the shares of the form; what was used does not come back."""
        form = await self.site.form(request)
        owner = member_of(request, Role.OWNER)
        columns = [[str(value).strip() for value in form.getlist(name)] for name in FIELDS]
        lines = [dict(zip(FIELDS, row, strict=True)) for row in zip(*columns, strict=False) if any(row)]

        def stated() -> Response:
            try:
                with self.site.mathematics:
                    self.room.desk.state_shares(owner, [_share(line) for line in lines])
            except BanisterError as error:
                request.state.why = str(error)
                return self._form(request, lines, str(error))
            return RedirectResponse("/", status_code=303)

        return await run_in_threadpool(stated)

    async def charges(self, request: Request) -> Response:
        """Every charge of the ledger, for owners and auditors."""
        member_of(request, Role.OWNER, Role.AUDITOR)
        return await self.site.computed(self._charges, request)

    def _charges(self, request: Request) -> Response:
        ledger = self.room.desk.ledger
        entries = [entry for entry in ledger.history() if not entry.states]
        facts = {
            "entries": list(reversed(entries[-SHOWN:])),
            "count": len(entries),
            "head": ledger.head,
            "summary": ledger.summary(),
        }
        return framed(self.site, request, "charges.html", here="/charges", title="Charges", **facts)

    async def figure(self, request: Request, kind: str) -> Response:
        """The budget over time, as a picture or as its numbers."""
        member_of(request, Role.OWNER, Role.AUDITOR)
        ledger = self.room.desk.ledger
        if kind == "csv":
            return await self.site.computed(history_file, ledger)
        return await self.site.computed(lambda: picture(ledger.plot, kind, name="budget"))

    async def narrow(self, request: Request) -> Response:
        """The same picture for a phone."""
        member_of(request, Role.OWNER, Role.AUDITOR)
        return await self.site.computed(narrow_budget, self.room.desk.ledger)


def _written(share: BudgetShare) -> "dict[str, str]":
    """A share as the lines of the form have it."""
    return {
        "analyst": share.analyst,
        "project": share.project,
        "epsilon": brief(share.guarantee.epsilon),
        "delta": brief(share.guarantee.delta),
        "start": share.opens.start if share.opens else "",
        "months": str(share.opens.months) if share.opens else "",
    }


def _share(line: "dict[str, str]") -> BudgetShare:
    """A share as somebody wrote it."""
    opens = None
    if line["start"] or line["months"]:
        months = int(line["months"]) if line["months"].isdecimal() and len(line["months"]) < 5 else 0
        opens = Opening(start=line["start"], months=months)
    level = Guarantee(line["epsilon"] or "0", line["delta"] or "0")
    return BudgetShare(guarantee=level, analyst=line["analyst"], project=line["project"], opens=opens)
