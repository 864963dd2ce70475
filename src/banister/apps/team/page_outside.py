"""Signing in at another server: there, and back."""

from typing import TYPE_CHECKING

from fastapi import Request
from starlette.datastructures import Headers
from starlette.responses import RedirectResponse, Response

from banister.apps.team.door import OUTSIDE, SIGN_IN
from banister.apps.team.openid import BACK, OpenId, OpenIdDoor, Vouched
from banister.apps.web.gate import come_in, cookie_of
from banister.apps.web.site import Site
from banister.errors import BanisterError

if TYPE_CHECKING:
    from banister.apps.team.interface import Interface


class OutsidePages:
    """The routes of these two steps."""

    def __init__(self, site: Site, room: "Interface", settings: OpenId) -> None:
        self.site = site
        self.room = room
        self.door = OpenIdDoor(settings, origin=site.place.origins[0], seal=room.store.seal())
        site.app.add_api_route("/outside", self.go, methods=["GET"], response_model=None)
        site.app.add_api_route(BACK, self.back, methods=["GET"], response_model=None)

    async def go(self, request: Request) -> Response:
        """On to the other server; the one cookie ties the way back to this browser."""

        def going() -> Response:
            begun: list[tuple[str, str]] = []

            def ask() -> Vouched:
                begun.append(self.door.begin())
                return Vouched("", "", "")

            try:
                self.room.signing_in("")
                self.door.vouching(ask)
            except BanisterError as error:
                return self._refused(request, error)
            address, state = begun[0]
            answer = RedirectResponse(address, status_code=303)
            # Lax, since the other server sends the browser back here; the session that follows is strict.
            strict = self.site.place.set_cookie(OUTSIDE + state)
            answer.headers["set-cookie"] = strict.replace("SameSite=Strict", "SameSite=Lax")
            return answer

        return await self.site.beside(going)

    async def back(self, request: Request, code: str = "", state: str = "") -> Response:
        """Back from there: a session for whom it vouches, if there is such an account."""
        cookie = cookie_of(Headers(scope=request.scope), self.site.place.cookie).removeprefix(OUTSIDE)

        def coming() -> Response:
            try:
                self.room.signing_in("")
                found = self.door.vouching(lambda: self.door.finish(code=code, state=state, cookie=cookie))
                people = self.room.people
                session = people.come_from_outside(found.name, issuer=found.issuer, subject=found.subject)
            except BanisterError as error:
                return self._refused(request, error)
            request.state.who, request.state.why = found.name, ""
            answer = come_in("/")
            answer.headers["set-cookie"] = self.site.place.set_cookie(session)
            return answer

        return await self.site.beside(coming)

    def _refused(self, request: Request, error: BanisterError) -> Response:
        request.state.why = str(error)[:300]
        return self.site.refusal(str(error), status=401, back=SIGN_IN)
