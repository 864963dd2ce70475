"""The HTTP interface of a team's server, with OpenAPI: each request is let in, counted, done, and written down."""

import json
import threading
import time
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Path, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse, Response

from banister.accounting.shares import BudgetShare, Opening
from banister.apps.team import bodies
from banister.apps.team.desk import TeamDesk, TeamRequest, hash_of, remaining_document
from banister.apps.team.logged import Logged
from banister.apps.team.pages import Parted, team_pages
from banister.apps.team.people import NotLetIn, NotYours, Role, TeamMember, TeamPeople, must_be
from banister.apps.team.settings import TeamSettings
from banister.apps.team.store import TeamStore
from banister.apps.team.written import public_schema
from banister.apps.web.site import QUIET
from banister.core.exact.numbers import brief
from banister.core.privacy.guarantee import Guarantee
from banister.errors import BanisterError, BudgetExceeded, LedgerFault
from banister.release.dataset import Dataset

SIGN_INS_A_MINUTE = 20
SAID: dict[int | str, dict[str, Any]] = {
    code: {"model": bodies.Said} for code in (400, 401, 403, 404, 409, 413, 422, 429, 503)
}
Account = Annotated[str, Path(pattern=r"^[A-Za-z0-9_.@-]{1,60}$")]
KeyName = Annotated[str, Path(pattern=r"^[A-Za-z0-9_. -]{1,60}$")]
bearer = HTTPBearer(auto_error=False, description="A session from /api/sign-in, or a key for programs.")


class TooMany(BanisterError):
    """Somebody asks faster than is allowed."""


class Pace:
    """How often each name asked in this minute."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._seen: dict[str, tuple[int, int]] = {}
        self._lock = threading.Lock()

    def count(self, name: str) -> None:
        minute = int(time.monotonic() // 60)
        with self._lock:
            before, count = self._seen.get(name, (minute, 0))
            count = count + 1 if before == minute else 1
            if len(self._seen) > 10_000:
                self._seen.clear()
            self._seen[name] = (minute, count)
        if count > self._most:
            raise TooMany(f"More than {self._most} requests in a minute. Nothing was done; wait a little.")


class Interface:
    """The routes, and what they need."""

    def __init__(self, settings: TeamSettings, dataset: Dataset, store: TeamStore) -> None:
        self.settings = settings
        self.store = store
        self.people = TeamPeople(store, session_hours=settings.session_hours)
        self.desk = TeamDesk(dataset, store, witness=settings.witness)
        self.schema = public_schema(settings.schema)
        self._pace = Pace(max(1, settings.requests_a_minute // settings.workers))
        self._sign_ins = Pace(max(1, SIGN_INS_A_MINUTE // settings.workers))
        self.app = FastAPI(
            title="banister team",
            version="1",
            docs_url=None,
            redoc_url=None,
            openapi_url="/api/openapi.json",
            telemetry=QUIET,  # type: ignore[arg-type]  # The keys are those of its typed dictionary.
        )
        self.pages = team_pages(self)
        """What people see, beside what programs ask."""
        self._prepare()

    def _prepare(self) -> None:
        self.app.add_middleware(Parted, pages=self.pages.asgi)
        self.app.add_middleware(Logged, note=self.store.note)
        for kind in (BanisterError, HTTPException, RequestValidationError, Exception):
            self.app.add_exception_handler(kind, self._refused)
        add_people(self)
        add_questions(self)
        add_owners(self)

    def add(self, method: str, path: str, do: Callable[..., Any], *, html: bool = False) -> None:
        """Offer something at an address."""
        said = SAID | {200: {"content": {"text/html": {}}}} if html else SAID
        self.app.add_api_route(path, do, methods=[method], responses=said)

    def count(self, name: str) -> None:
        """Count a request of somebody's; refuse who asks faster than is allowed."""
        self._pace.count(name)

    def signing_in(self, name: str) -> None:
        """Count an attempt to sign in: passwords are not guessed in a hurry."""
        self._sign_ins.count(name)

    def _refused(self, request: Request, error: Exception) -> Response:
        headers: dict[str, str] = {}
        if isinstance(error, HTTPException):
            status, words = error.status_code, str(error.detail)
            headers = dict(error.headers or {})
        elif isinstance(error, RequestValidationError):
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"])
            status, words = 422, f"{place}: {first['msg']}. Nothing was done."
        elif isinstance(error, BanisterError):
            status, words = _status(error), str(error)
        else:
            status, words = 500, f"The program failed ({type(error).__name__}); its terminal says more."
        request.state.why = words[:300]
        if status == 401:
            headers["WWW-Authenticate"] = "Bearer"
        if status == 405:
            headers = {name: value for name, value in headers.items() if name.lower() != "allow"}
            headers["Allow"] = self._methods(request.url.path)
        return JSONResponse({"message": words}, status, headers)

    def _methods(self, path: str) -> str:
        """What may be done at an address, by all routes that have it."""
        routes = [route for route in self.app.routes if isinstance(route, APIRoute) and route.path_regex.match(path)]
        return ", ".join(sorted(method for route in routes for method in route.methods or ()))

    def member(
        self, request: Request, given: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)]
    ) -> TeamMember:
        """Who asks, by what is in the header."""
        if given is None:
            raise NotLetIn("Bring a session or a key: Authorization: Bearer …")
        found = self.people.known(given.credentials)
        request.state.who = found.name
        self.count(found.name)
        return found


def add_people(room: Interface) -> None:
    """Coming in, going out, and the keys of programs."""
    who = Depends(room.member)

    def sign_in(body: bodies.SignInBody, request: Request) -> bodies.Secrets:
        """A session for a name and its password."""
        room.signing_in(body.name)
        request.state.who = body.name
        return bodies.Secrets(secret=room.people.sign_in(body.name, body.password))

    def recover(body: bodies.RecoverBody, request: Request) -> bodies.Me:
        """Set a password by a code that an owner gave; all sessions and keys end."""
        room.signing_in("")
        member = room.people.recover(body.code, body.password)
        request.state.who = member.name
        return bodies.Me(name=member.name, role=member.role.value)

    def sign_out(
        given: Annotated[HTTPAuthorizationCredentials, Depends(bearer)], member: TeamMember = who
    ) -> bodies.Said:
        """End this session."""
        room.people.sign_out(given.credentials)
        return bodies.Said(message=f"'{member.name}' is signed out.")

    def password(body: bodies.PasswordBody, member: TeamMember = who) -> bodies.Said:
        """Change one's password; every session ends with it."""
        room.signing_in(member.name)
        room.people.change_password(member, body.old, body.new)
        return bodies.Said(message="The password is changed, and every session has ended. Sign in again.")

    def me(member: TeamMember = who) -> bodies.Me:
        """Who one is here."""
        return bodies.Me(name=member.name, role=member.role.value)

    def keys(member: TeamMember = who) -> list[dict[str, str]]:
        """One's keys, with when they were made and revoked; never the keys themselves."""
        rows = room.people.keys(member.name)
        return [{"label": label, "made": made, "revoked": revoked} for label, made, revoked in rows]

    def make_key(body: bodies.KeyBody, member: TeamMember = who) -> bodies.Secrets:
        """A key for a program, shown once."""
        return bodies.Secrets(secret=room.people.make_key(member, body.label))

    def revoke_key(account: Account, label: KeyName, member: TeamMember = who) -> bodies.Said:
        """End a key of one's own; an owner ends anybody's."""
        if account != member.name:
            must_be(member, Role.OWNER)
        room.people.revoke_key(account, label)
        return bodies.Said(message=f"The key '{label}' of '{account}' is revoked.")

    room.add("POST", "/api/sign-in", sign_in)
    room.add("POST", "/api/recover", recover)
    room.add("POST", "/api/sign-out", sign_out)
    room.add("POST", "/api/password", password)
    room.add("GET", "/api/me", me)
    room.add("GET", "/api/keys", keys)
    room.add("POST", "/api/keys", make_key)
    room.add("DELETE", "/api/keys/{account}/{label}", revoke_key)


def add_questions(room: Interface) -> None:
    """What analysts do."""
    who, desk = Depends(room.member), room.desk

    def show_schema(member: TeamMember = who) -> dict[str, str]:
        """What is public about the table, as TOML."""
        return {"schema": room.schema}

    def budget(member: TeamMember = who) -> dict[str, Any]:
        """What is left of the whole and of the shares that one may see."""
        left, shares = desk.budget(member)
        terms = desk.ledger.terms
        return {
            "epsilon": str(terms.budget.epsilon),
            "delta": str(terms.budget.delta),
            "left": remaining_document(left),
            "head": desk.ledger.head,
            "shares": [
                {
                    "name": each.share.name,
                    "epsilon": str(each.share.guarantee.epsilon),
                    "delta": str(each.share.guarantee.delta),
                    "open": str(each.part),
                    "used": float(each.used),
                    "largest_epsilon": str(each.largest_epsilon),
                    "words": str(each),
                }
                for each in shares
            ],
        }

    def plan(body: bodies.AskBody, member: TeamMember = who) -> bodies.PlanSaid:
        """Mechanism, price and expected error of every answer; no record is seen, and nothing is charged."""
        asked = body.asked()
        made = desk.plan(asked)
        return bodies.PlanSaid(
            plan=str(made), hash=hash_of(made), price=price_of(made.guarantee), fits=desk.fits(member, asked, made)
        )

    def practice(body: bodies.AskBody, member: TeamMember = who) -> dict[str, Any]:
        """The answers over a table that was made from the schema alone: free, and without meaning."""
        from banister.release.practice import WORDS

        return {"words": WORDS, "tables": bodies.plain_tables(desk.practised(body.asked()))}

    def release(body: bodies.ReleaseBody, member: TeamMember = who) -> bodies.RequestSaid:
        """Pay and draw, once for each key; above a share the request waits for an owner, and costs nothing so far."""
        return told(desk.release(member, body.asked(), body.key, plan_hash=body.plan))

    def requests(member: TeamMember = who) -> list[bodies.RequestSaid]:
        """One's own requests; all of them for owners and auditors."""
        return [bodies.RequestSaid.of(each, answer=False) for each in desk.requests(member)]

    def request(account: Account, key: KeyName, member: TeamMember = who) -> bodies.RequestSaid:
        """One request, with its answers where it has some."""
        return told(desk.seen(member, account, key))

    def report(account: Account, key: KeyName, member: TeamMember = who) -> HTMLResponse:
        """The answers as a page that needs nothing else."""
        return HTMLResponse(desk.report(desk.seen(member, account, key)))

    def certificate(account: Account, key: KeyName, member: TeamMember = who) -> Response:
        """What `banister verify` checks the report by, as report.html in the same folder; for owners and auditors."""
        return Response(desk.certificate(member, desk.seen(member, account, key)), media_type="application/json")

    def told(found: TeamRequest) -> bodies.RequestSaid:
        said = bodies.RequestSaid.of(found, answer=True)
        if found.answer is not None:
            said.tables = bodies.plain_tables(desk.answers(found))
        return said

    room.add("GET", "/api/schema", show_schema)
    room.add("GET", "/api/budget", budget)
    room.add("POST", "/api/plan", plan)
    room.add("POST", "/api/practice", practice)
    room.add("POST", "/api/release", release)
    room.add("GET", "/api/requests", requests)
    room.add("GET", "/api/requests/{account}/{key}", request)
    room.add("GET", "/api/requests/{account}/{key}/report", report, html=True)
    room.add("GET", "/api/requests/{account}/{key}/certificate", certificate)


def add_owners(room: Interface) -> None:
    """What owners decide, and what auditors see."""
    who, desk = Depends(room.member), room.desk

    def decide(
        account: Account, key: KeyName, body: bodies.DecisionBody, member: TeamMember = who
    ) -> bodies.RequestSaid:
        """An owner's yes or no to a request that waits; the first word counts."""
        return bodies.RequestSaid.of(desk.decide(member, account, key, allow=body.allow), answer=False)

    def shares(body: bodies.SharesBody, member: TeamMember = who) -> bodies.Said:
        """Share the budget out, or anew; what was used does not come back."""
        desk.state_shares(member, [share_of(each) for each in body.shares])
        return bodies.Said(message=f"{len(body.shares)} shares are stated.")

    def history(member: TeamMember = who) -> list[dict[str, str]]:
        """Every charge of the ledger, for owners and auditors."""
        must_be(member, Role.OWNER, Role.AUDITOR)
        return [
            {
                "sequence": str(entry.sequence),
                "at": entry.at,
                "analyst": entry.whose.analyst if entry.whose else "",
                "project": entry.whose.project if entry.whose else "",
                "allowed": entry.whose.allowed if entry.whose else "",
                "price": entry.in_words(),
                "label": entry.label,
                "hash": entry.hash,
            }
            for entry in desk.ledger.history()
        ]

    def log(member: TeamMember = who) -> list[dict[str, Any]]:
        """Every request to this server since it began, each line with its hash; checked from the first to the last."""
        must_be(member, Role.OWNER, Role.AUDITOR)
        return [{**json.loads(line.body), "sequence": line.sequence, "hash": line.hash} for line in room.store.lines()]

    def accounts(member: TeamMember = who) -> list[dict[str, Any]]:
        """All accounts."""
        must_be(member, Role.OWNER, Role.AUDITOR)
        return [{"name": name, "role": role, "active": active} for name, role, active in room.people.all()]

    def add_account(body: bodies.AccountBody, member: TeamMember = who) -> bodies.Secrets:
        """Make an account; the code sets its password, once."""
        must_be(member, Role.OWNER)
        return bodies.Secrets(secret=room.people.add(body.name, Role(body.role)))

    def new_code(account: Account, member: TeamMember = who) -> bodies.Secrets:
        """A code for somebody who lost the password."""
        must_be(member, Role.OWNER)
        return bodies.Secrets(secret=room.people.code(account))

    def leave(account: Account, member: TeamMember = who) -> bodies.Said:
        """Close an account; its waiting requests are withdrawn."""
        must_be(member, Role.OWNER)
        count = room.people.leave(account)
        return bodies.Said(message=f"'{account}' has left; {count} waiting requests are withdrawn.")

    room.add("POST", "/api/requests/{account}/{key}/decision", decide)
    room.add("PUT", "/api/shares", shares)
    room.add("GET", "/api/history", history)
    room.add("GET", "/api/log", log)
    room.add("GET", "/api/accounts", accounts)
    room.add("POST", "/api/accounts", add_account)
    room.add("POST", "/api/accounts/{account}/code", new_code)
    room.add("DELETE", "/api/accounts/{account}", leave)


def price_of(level: Guarantee) -> str:
    """A price in words."""
    return f"epsilon {brief(level.epsilon)}" + (f", delta {brief(level.delta)}" if level.delta else "")


def share_of(body: bodies.ShareBody) -> BudgetShare:
    """A share as it came over the wire."""
    opens = None if body.opens is None else Opening(start=body.opens.start, months=body.opens.months)
    level = Guarantee(body.epsilon, body.delta)
    return BudgetShare(guarantee=level, analyst=body.analyst, project=body.project, opens=opens)


def _status(error: BanisterError) -> int:
    if isinstance(error, NotLetIn):
        return 401
    if isinstance(error, NotYours):
        return 403
    if isinstance(error, TooMany):
        return 429
    if isinstance(error, BudgetExceeded):
        return 409
    return 503 if isinstance(error, LedgerFault) else 422
