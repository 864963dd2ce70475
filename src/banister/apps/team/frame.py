"""What every page of a team shares: who looks at it, what she may go to, and one site for all of it."""

from pathlib import Path
from typing import TYPE_CHECKING

from fastapi import Request
from starlette.responses import Response

from banister.apps.studio.same import Same
from banister.apps.team.door import AccountDoor
from banister.apps.team.people import NotYours, Role, TeamMember, must_be
from banister.apps.web.gate import Place
from banister.apps.web.site import NavLink, Site
from banister.apps.web.visitors import Forms
from banister.errors import BanisterError

if TYPE_CHECKING:
    from banister.apps.team.desk import TeamRequest
    from banister.apps.team.interface import Interface

HERE = Path(__file__).parent
STUDIO = HERE.parent / "studio" / "templates"
ALL_LINKS = (
    (NavLink("/", "Budget"), (Role.OWNER, Role.ANALYST, Role.AUDITOR)),
    (NavLink("/ask", "Ask"), (Role.OWNER, Role.ANALYST)),
    (NavLink("/requests", "Requests"), (Role.OWNER, Role.ANALYST, Role.AUDITOR)),
    (NavLink("/charges", "Charges"), (Role.OWNER, Role.AUDITOR)),
    (NavLink("/people", "People"), (Role.OWNER, Role.AUDITOR)),
    (NavLink("/log", "Log"), (Role.OWNER, Role.AUDITOR)),
)
MOST_BYTES = 100_000


def team_site(room: "Interface", place: Place) -> Site:
    """A site whose pages only members see. Forms and the lock of mathematics are those of the whole server."""
    site = Site(
        "banister team",
        place=place,
        links=(),
        templates=(HERE / "templates", STUDIO),
        admits=lambda made: AccountDoor(
            place=place, known=room.people.signed_in, count=room.count, refuse=made.stranger
        ),
    )
    site.forms = Forms(room.store.seal())
    site.mathematics = room.desk.mathematics

    def refused(request: Request, error: Exception) -> Response:
        request.state.why = str(error)[:300]  # For the log.
        if isinstance(error, NotYours):
            return site.refusal(str(error), status=403)
        return site.refused(request, error)

    site.app.add_exception_handler(BanisterError, refused)
    return site


def place_of(address: str) -> Place:
    """Where browsers reach the server, from the address that they type, such as https://team.example."""
    scheme, _, host = address.partition("://")
    hosts = (host, host.replace("127.0.0.1", "localhost")) if host.startswith("127.0.0.1:") else (host,)
    # Browsers take a cookie of this name over TLS only, for this host alone.
    cookie = "__Host-banister-team" if scheme == "https" else f"banister-team-{host.rpartition(':')[2]}"
    return Place(scheme=scheme, hosts=hosts, cookie=cookie, most_bytes=MOST_BYTES)


def member_of(request: Request, *roles: Role) -> TeamMember:
    """Who asks; refused where she is none of these."""
    found: TeamMember | None = getattr(request.state, "member", None)
    if found is None:
        raise NotYours("Sign in first.")
    if roles:
        must_be(found, *roles)
    return found


def frame(request: Request) -> dict[str, object]:
    """The navigation and the name that stand around a member's page."""
    member = member_of(request)
    links = tuple(link for link, roles in ALL_LINKS if member.role in roles)
    return {"member": member, "links": links, "same_page": same_page, "same_decision": same_decision}


def framed(site: Site, request: Request, template: str, **facts: object) -> Response:
    """A whole page for a member."""
    return site.page(template, **{**frame(request), **facts})


CLIENT = {
    "budget": 'print(table.remaining())\nprint(*table.shares(), sep="\\n")',
    "shares": "from banister.accounting import BudgetShare, Opening\n\n"
    'year = Opening(start="2026-01", months=12)\n'
    'share = bn.Guarantee("0.5", "5e-7")\n'
    'table.share_out([BudgetShare(guarantee=share, analyst="ana", opens=year)])',
    "requests": "for request in table.requests():\n"
    '    print(request["account"], request["key"], request["state"], request["price"])',
    "charges": "for charge in table.charges():\n"
    '    print(charge["at"], charge["analyst"], charge["price"], charge["allowed"])',
    "log": 'for line in table.log():\n    print(line["at"], line["who"], line["what"], line["status"])',
    "people": 'print(table.add_member("ben", "analyst"))',
    "me": 'print(table.make_key("nightly report"))',
}
HTTP = {
    "budget": ("GET", "/budget", ""),
    "shares": ("PUT", "/shares", '{"shares": [{"analyst": "ana", "epsilon": "0.5", "delta": "5e-7"}]}'),
    "requests": ("GET", "/requests", ""),
    "charges": ("GET", "/history", ""),
    "log": ("GET", "/log", ""),
    "people": ("POST", "/accounts", '{"name": "ben", "role": "analyst"}'),
    "me": ("POST", "/keys", '{"label": "nightly report"}'),
}


def same_page(name: str, origin: str) -> Same:
    """How to do without a page what it does."""
    method, path, body = HTTP[name]
    return _same(origin, method, path, body, CLIENT[name])


def same_decision(found: "TeamRequest", origin: str) -> Same:
    """How to say yes or no to a request."""
    path = f"/requests/{found.account}/{found.key}/decision"
    python = f"table.decide({found.account!r}, {found.key!r}, allow=True)"
    return _same(origin, "POST", path, '{"allow": true}', python)


def _same(origin: str, method: str, path: str, body: str, python: str) -> Same:
    sent = f" \\\n  --json '{body}'" if body else ""
    verb = "" if method == "GET" else f" -X {method}"
    return Same(
        command=f'curl{verb} -H "Authorization: Bearer $KEY" \\\n  {origin}/api{path.replace(" ", "%20")}{sent}',
        python=f"import banister as bn\n\ntable = bn.connect({origin!r}, key=key)\n{python}",
    )
