"""The door of a team's pages: a session in one cookie, of somebody who signed in and has not signed out since."""

from collections.abc import Callable
from urllib.parse import quote

from starlette.datastructures import Headers
from starlette.responses import RedirectResponse, Response
from starlette.types import Scope

from banister.apps.team.people import NotLetIn, TeamMember
from banister.apps.web.gate import STATIC, Place, Refuse, cookie_of
from banister.errors import BanisterError

SIGN_IN = "/sign-in"
OPEN = (SIGN_IN, "/code", "/who", "/outside", "/outside/back")
"""Pages for who has no session yet."""
OUTSIDE = "outside-"
"""How the value of the cookie begins while somebody signs in at another server: it is no session yet."""


class AccountDoor:
    """Admits members; leads everybody else to where one signs in."""

    def __init__(
        self, *, place: Place, known: Callable[[str], TeamMember], count: Callable[[str], None], refuse: Refuse
    ) -> None:
        """`known` says whose session it is, `count` refuses who asks too often."""
        self.place = place
        self.known = known
        self.count = count
        self.refuse = refuse

    def __call__(self, scope: Scope, headers: Headers) -> Response | None:
        path: str = scope["path"]
        if path.startswith(STATIC):
            return None
        state = scope.setdefault("state", {})
        session = cookie_of(headers, self.place.cookie)
        try:
            member = self.known(session) if session and not session.startswith(OUTSIDE) else None
            if member is not None:
                self.count(member.name)
        except NotLetIn as error:
            member, state["why"] = None, str(error)
        except BanisterError as error:
            return self.refuse(429, str(error))
        if member is not None:
            state["member"], state["who"], state["session"] = member, member.name, session
            return None
        return None if path in OPEN else self._to_sign_in(scope, headers)

    def _to_sign_in(self, scope: Scope, headers: Headers) -> Response:
        if headers.get("hx-request") == "true":  # A piece of a page cannot be led on; the whole page is.
            return Response(status_code=200, headers={"HX-Redirect": SIGN_IN})
        if scope["method"] in ("GET", "HEAD"):
            return RedirectResponse(f"{SIGN_IN}?to={quote(scope['path'])}", status_code=303)
        return self.refuse(403, "Your session has ended. Nothing was done and nothing was paid. Sign in again.")
