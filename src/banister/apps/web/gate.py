"""The gate in front of every page: Host, Origin, token, cookie, size, and the headers that go out with every answer.

It is the only way in (the application is wrapped whole), so a route cannot forget it.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from html import escape
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, quote, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from banister.apps.web.visitors import Visitors

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""What a page may load: its own files, and nothing inline."""
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
STATIC = "/static/"
"""Files of ours that hold nothing of anybody; a page that refuses needs them, too."""
FIELD = "token"

Refuse = Callable[[int, str], Response]
"""A page for a status and a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where the server is reached: scheme, the Hosts that name it, and the largest request it takes."""

    scheme: str
    hosts: tuple[str, ...]
    cookie: str
    most_bytes: int

    @classmethod
    def loopback(cls, port: int, *, most_bytes: int = 1_000_000) -> "Place":
        """A server for this machine alone. The cookie's name has the port, since browsers do not tell ports apart."""
        hosts = tuple(f"{name}:{port}" for name in ("127.0.0.1", "localhost"))
        return cls(scheme="http", hosts=hosts, cookie=f"banister-{port}", most_bytes=most_bytes)

    @property
    def origins(self) -> tuple[str, ...]:
        return tuple(f"{self.scheme}://{host}" for host in self.hosts)

    @property
    def too_large(self) -> str:
        return f"The request is larger than {self.most_bytes // 1000} kB, the most that is taken. Nothing was kept."

    def set_cookie(self, session: str) -> str:
        """The one cookie: for this site alone, out of reach of scripts, gone with the browser."""
        secure = "; Secure" if self.scheme == "https" else ""
        return f"{self.cookie}={session}; Path=/; HttpOnly; SameSite=Strict{secure}"


Admit = Callable[[Scope, Headers], Response | None]
"""Who may pass: the answer to whoever may not, or who is led on first; nothing where the request goes on."""


class Doorkeeper:
    """Lets in who comes to the right place, from a page of ours, and is admitted; and nobody else."""

    def __init__(self, app: ASGIApp, *, place: Place, admit: Admit, refuse: Refuse) -> None:
        self.app = app
        self.place = place
        self.admit = admit
        self.refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif scope["type"] == "http":
            await self._http(scope, receive, send)
        else:  # No page speaks by web sockets.
            await send({"type": "websocket.close", "code": 1008})

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                _add_headers(message, static=scope["path"].startswith(STATIC))
            await send(message)

        answer = self._stopped(scope)
        if answer is not None:
            await answer(scope, receive, guarded)
            return
        await self.app(scope, _bounded(receive, self.place), guarded)

    def _stopped(self, scope: Scope) -> Response | None:
        """The answer to who may not pass; nothing where the request may go on."""
        headers = Headers(scope=scope)
        if headers.get("host", "").lower() not in self.place.hosts:
            return self.refuse(421, f"This server is reached as {self.place.hosts[0]} only. Use the printed address.")
        if not self._from_here(scope["method"], headers):
            return self.refuse(403, "The request came from another page than ours, so nothing was done.")
        answer = self.admit(scope, headers)
        if answer is not None:
            return answer
        length = headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 18 or int(length) > self.place.most_bytes:
            return self.refuse(413, self.place.too_large)
        return None

    def _from_here(self, method: str, headers: Headers) -> bool:
        """Whether one of our own pages asks, or the owner herself.

        Under `no-referrer` a form of ours is sent with Origin: null, so then the browser's own word, Sec-Fetch-Site,
        must say that it is ours. Other ports of this machine count as the same site, but not as the same origin.
        """
        site, origin = headers.get("sec-fetch-site"), headers.get("origin")
        if origin is not None and origin != "null" and origin not in self.place.origins:
            return False
        if method in ("GET", "HEAD"):
            return site in (None, "none", "same-origin") or headers.get("sec-fetch-mode") == "navigate"
        if site is not None:
            return site == "same-origin"
        return origin is not None and origin != "null"


class TokenDoor:
    """Admits the owner's own browser: whoever brings the token that was printed, and then by one cookie."""

    def __init__(self, *, place: Place, visitors: Visitors, refuse: Refuse) -> None:
        self.place = place
        self.visitors = visitors
        self.refuse = refuse

    def __call__(self, scope: Scope, headers: Headers) -> Response | None:
        given = parse_qs(scope["query_string"].decode("latin-1")).get(FIELD)
        if given is not None:
            return self._traded(given[0], scope, headers)
        scheme, _, key = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            if self.visitors.guest(key.strip()):
                return None
            return self.refuse(403, "This key is nobody's here, or nobody's any more.")
        if scope["path"].startswith(STATIC) or self.visitors.known(cookie_of(headers, self.place.cookie)):
            return None
        return self.refuse(403, "Open the whole address that was printed, with its token: it lets you in.")

    def _traded(self, token: str, scope: Scope, headers: Headers) -> Response:
        session = self.visitors.enter(token) if scope["method"] == "GET" else None
        if session is None:
            return self.refuse(403, "This token is not the one that was printed, or was used before. Copy it whole.")
        target = _without_token(scope)
        if headers.get("sec-fetch-site") in (None, "none", "same-origin"):
            answer: Response = RedirectResponse(target, status_code=303)
        else:
            answer = come_in(target)
        answer.headers["set-cookie"] = self.place.set_cookie(session)
        return answer


def come_in(target: str) -> Response:
    """A page that leads on. Who came by a link elsewhere would not send a strict cookie along a redirect."""
    link = escape(target)
    return HTMLResponse(
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Come in</title>'
        f'<meta http-equiv="refresh" content="0;url={link}"><p><a href="{link}">Come in</a></p></html>'
    )


def cookie_of(headers: Headers, name: str) -> str:
    """The value of a cookie, or nothing."""
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return ""
    return "" if found is None else found.value


def _without_token(scope: Scope) -> str:
    """The address that was asked for, in a form that is safe in a header and in a page, and without its token."""
    asked = parse_qs(scope["query_string"].decode("latin-1"))
    rest = urlencode([(name, value) for name, values in asked.items() for value in values if name != FIELD])
    path = "/" + quote(scope["path"].lstrip("/\\"), safe="/")
    return f"{path}?{rest}" if rest else path


def _bounded(receive: Receive, place: Place) -> Callable[[], Awaitable[Message]]:
    """The same stream of bytes, ended when more of them come than the server takes."""
    seen = 0

    async def bounded() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > place.most_bytes:
            raise HTTPException(413, place.too_large)
        return message

    return bounded


def _add_headers(message: Message, *, static: bool) -> None:
    headers = MutableHeaders(scope=message)
    for name, value in HEADERS.items():
        headers.setdefault(name, value)
    headers["Cache-Control"] = "no-cache" if static else "no-store"
