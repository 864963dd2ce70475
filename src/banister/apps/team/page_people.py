"""Coming in and going out, one's own keys, and the pages about people: accounts, the log, who can see what."""

import json
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from fastapi import Request
from starlette.responses import RedirectResponse, Response

from banister.apps.team.door import SIGN_IN
from banister.apps.team.frame import framed, member_of
from banister.apps.team.people import Role
from banister.apps.web.pictures import rows
from banister.apps.web.site import Site
from banister.errors import BanisterError

if TYPE_CHECKING:
    from banister.apps.team.interface import Interface

SHOWN = 500
"""Lines of the log that the page lists, the latest; the CSV file holds all."""


class PeoplePages:
    """The routes of these pages."""

    def __init__(self, site: Site, room: "Interface", *, outside: str) -> None:
        """`outside` is the name of the server where members may sign in, or nothing."""
        self.site = site
        self.room = room
        self.outside = outside
        add = site.app.add_api_route
        add(SIGN_IN, self.door, methods=["GET"], response_model=None)
        add(SIGN_IN, self.sign_in, methods=["POST"], response_model=None)
        add("/sign-out", self.sign_out, methods=["POST"], response_model=None)
        add("/code", self.code, methods=["GET"], response_model=None)
        add("/code", self.recover, methods=["POST"], response_model=None)
        add("/who", self.who, methods=["GET"], response_model=None)
        add("/me", self.me, methods=["GET"], response_model=None)
        add("/me/password", self.password, methods=["POST"], response_model=None)
        add("/me/keys", self.make_key, methods=["POST"], response_model=None)
        add("/keys/revoke", self.revoke, methods=["POST"], response_model=None)
        add("/people", self.people, methods=["GET"], response_model=None)
        add("/people/add", self.add, methods=["POST"], response_model=None)
        add("/people/code", self.new_code, methods=["POST"], response_model=None)
        add("/people/leave", self.leave, methods=["POST"], response_model=None)
        add("/log", self.log, methods=["GET"], response_model=None)
        add("/log.csv", self.log_file, methods=["GET"], response_model=None)

    def door(self, request: Request, to: str = "/") -> Response:
        """Where one signs in; who has is led on."""
        if getattr(request.state, "member", None) is not None:
            return RedirectResponse(inside(to), status_code=303)
        return self._door(to, ended=getattr(request.state, "why", ""))

    def _door(self, to: str, *, name: str = "", refusal: str = "", ended: str = "") -> Response:
        facts = {"to": inside(to), "name": name, "refusal": refusal, "ended": ended, "outside": self.outside}
        return self.site.page("sign-in.html", 401 if refusal else 200, here="", title="Sign in", links=(), **facts)

    async def sign_in(self, request: Request) -> Response:
        """A session in the cookie, for a name and its password."""
        fields = await self.site.fields(request)
        name, to = fields.get("name", "").strip(), fields.get("to", "/")

        def attempt() -> Response:
            try:
                self.room.signing_in(name)
                session = self.room.people.sign_in(name, fields.get("password", ""))
            except BanisterError as error:
                request.state.why = str(error)
                return self._door(to, name=name, refusal=str(error))
            request.state.who, request.state.why = name, ""
            answer = RedirectResponse(inside(to), status_code=303)
            answer.headers["set-cookie"] = self.site.place.set_cookie(session)
            return answer

        return await self.site.beside(attempt)

    async def sign_out(self, request: Request) -> Response:
        """End this session, here and in the store."""
        await self.site.form(request)
        member_of(request)
        self.room.people.sign_out(request.state.session)
        return RedirectResponse(SIGN_IN, status_code=303)

    def code(self) -> Response:
        """Where a code sets a password."""
        return self.site.page("code.html", here="", title="Set your password", links=(), refusal="", done="")

    async def recover(self, request: Request) -> Response:
        """Set a password by a code; all sessions and keys of the account end."""
        fields = await self.site.fields(request)

        def attempt() -> Response:
            facts = {"here": "", "title": "Set your password", "links": (), "done": "", "refusal": ""}
            try:
                self.room.signing_in("")
                member = self.room.people.recover(fields.get("code", "").strip(), fields.get("password", ""))
            except BanisterError as error:
                request.state.why = str(error)
                return self.site.page("code.html", 401, **{**facts, "refusal": str(error)})
            request.state.who = member.name
            return self.site.page("code.html", **{**facts, "done": member.name})

        return await self.site.beside(attempt)

    def who(self, request: Request) -> Response:
        """Who can see what; for everybody, also before signing in."""
        if getattr(request.state, "member", None) is None:
            return self.site.page("who.html", here="", title="Who can see what", links=())
        return framed(self.site, request, "who.html", here="", title="Who can see what")

    def me(self, request: Request) -> Response:
        """One's own account."""
        return self._me(request)

    def _me(self, request: Request, *, secret: str = "", refusal: str = "") -> Response:
        facts = {"keys": self.room.people.keys(member_of(request).name), "secret": secret, "refusal": refusal}
        return framed(self.site, request, "me.html", here="", title="Your account", **facts)

    async def password(self, request: Request) -> Response:
        """Another password; every session ends with it, this one too."""
        fields, member = await self.site.fields(request), member_of(request)

        def attempt() -> Response:
            try:
                self.room.signing_in(member.name)
                self.room.people.change_password(member, fields.get("old", ""), fields.get("new", ""))
            except BanisterError as error:
                request.state.why = str(error)
                return self._me(request, refusal=str(error))
            return RedirectResponse(SIGN_IN, status_code=303)

        return await self.site.beside(attempt)

    async def make_key(self, request: Request) -> Response:
        """A key for a program, shown once."""
        fields = await self.site.fields(request)
        try:
            secret = self.room.people.make_key(member_of(request), fields.get("label", "").strip())
        except BanisterError as error:
            return self._me(request, refusal=str(error))
        return self._me(request, secret=secret)

    async def revoke(self, request: Request) -> Response:
        """End a key of one's own; an owner ends anybody's."""
        fields = await self.site.fields(request)
        account = fields.get("account", "")
        own = account == member_of(request).name
        if not own:
            member_of(request, Role.OWNER)
        self.room.people.revoke_key(account, fields.get("label", ""))
        return RedirectResponse("/me" if own else "/people", status_code=303)

    def people(self, request: Request) -> Response:
        """All accounts with their keys, for owners and auditors."""
        member_of(request, Role.OWNER, Role.AUDITOR)
        return self._people(request)

    def _people(self, request: Request, *, secret: str = "", name: str = "", said: str = "") -> Response:
        people = self.room.people
        found = [
            (each, role, active, [label for label, _, revoked in people.keys(each) if not revoked])
            for each, role, active in people.all()
        ]
        facts = {"people": found, "secret": secret, "name": name, "said": said, "roles": [role.value for role in Role]}
        return framed(self.site, request, "people.html", here="/people", title="People", **facts)

    async def add(self, request: Request) -> Response:
        """Make an account; the code is shown once."""
        fields = await self.site.fields(request)
        member_of(request, Role.OWNER)
        name = fields.get("name", "").strip()
        try:
            secret = self.room.people.add(name, Role(fields.get("role", "analyst")))
        except (BanisterError, ValueError) as error:
            return self._people(request, said=str(error))
        return self._people(request, secret=secret, name=name)

    async def new_code(self, request: Request) -> Response:
        """A code for somebody who lost the password."""
        fields = await self.site.fields(request)
        member_of(request, Role.OWNER)
        name = fields.get("name", "")
        return self._people(request, secret=self.room.people.code(name), name=name)

    async def leave(self, request: Request) -> Response:
        """Close an account; its waiting requests are withdrawn."""
        fields = await self.site.fields(request)
        member_of(request, Role.OWNER)
        name = fields.get("name", "")
        try:
            count = self.room.people.leave(name)
        except BanisterError as error:
            return self._people(request, said=str(error))
        return self._people(request, said=f"'{name}' has left; {count} waiting requests are withdrawn.")

    def log(self, request: Request) -> Response:
        """Every request to this server, checked from the first line to the last."""
        member_of(request, Role.OWNER, Role.AUDITOR)
        lines = self.room.store.lines()
        shown = [{**json.loads(line.body), "sequence": line.sequence} for line in reversed(lines[-SHOWN:])]
        facts = {"lines": shown, "count": len(lines), "hash": lines[-1].hash if lines else "", "most": SHOWN}
        return framed(self.site, request, "log.html", here="/log", title="Log", **facts)

    def log_file(self, request: Request) -> Response:
        """The whole log as a file."""
        member_of(request, Role.OWNER, Role.AUDITOR)
        names = ("at", "who", "what", "status", "why")
        lines = [
            (line.sequence, *(json.loads(line.body).get(name, "") for name in names), line.hash)
            for line in self.room.store.lines()
        ]
        return rows(("sequence", *names, "hash"), lines, name="log")


def inside(address: str) -> str:
    """An address of ours, whatever was asked for.

    >>> inside("/requests"), inside("//elsewhere.example/x"), inside("https://elsewhere.example")
    ('/requests', '/', '/')
    """
    found = urlsplit(address)
    ours = address.startswith("/") and not address.startswith(("//", "/\\")) and not (found.scheme or found.netloc)
    return address if ours and address.isprintable() else "/"
