"""What everybody may ask for: the page to answer at, its files, campaigns, and results where their owner shows them.

It has no cookies and tells nobody apart. Reports go to `Ingest`; all else is files and pages.
"""

import gzip
import hashlib
import json
import re
from collections.abc import Callable

from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from banister.apps.collect.book import Running
from banister.apps.collect.ingest import Ingest, refuse
from banister.apps.collect.saved import integrity, module_text, saved_page, served_page
from banister.apps.collect.schema import openapi
from banister.apps.web.gate import HEADERS, POLICY

OPEN = ("/a/", "/c/", "/r/")
KINDS = {
    "page.mjs": "text/javascript",
    "client.mjs": "text/javascript",
    "worker.js": "text/javascript",
    "page.css": "text/css",
}
ANSWER_POLICY = POLICY.replace("img-src 'self'", "img-src 'self' data:")
_ANSWER = re.compile(r"/a/([0-9a-f]{64})(/campaign|/saved\.html|/saved\.sha256)?")
_CAMPAIGN = re.compile(r"/c/([0-9a-f]{64})(/reports)?")
_RESULT = re.compile(r"/r/([0-9a-f]{64})")
Results = Callable[[Running], HTMLResponse]


class Front:
    """In front of the gate: open paths are answered here, all others go on to who must show a token."""

    def __init__(self, gated: ASGIApp, ingest: Ingest, *, address: str, results: Results, relay: bool) -> None:
        self.gated = gated
        self.ingest = ingest
        self.address = address
        self.results = results
        self.relay = relay
        self._files = {name: _packed(module_text(name), kind) for name, kind in KINDS.items()}
        self._page = _packed(served_page(), "text/html")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not (scope["path"].startswith(OPEN) or scope["path"] == "/openapi.json"):
            await self.gated(scope, receive, send)
            return
        path, method = scope["path"], scope["method"]
        found = _CAMPAIGN.fullmatch(path)
        if found and found.group(2) and method == "POST":
            await self.ingest(found.group(1), receive, send)
            return
        if method not in ("GET", "HEAD"):
            status = 405 if self._known(path) else 404
            await refuse(send, status, "This address is not for that. Nothing was counted.")
            return
        zipped = b"gzip" in dict(scope["headers"]).get(b"accept-encoding", b"")
        shown = _RESULT.fullmatch(path)
        if shown:  # Numbers take their time: reports are taken meanwhile.
            response = await run_in_threadpool(self._results, self.ingest.open.get(shown.group(1)))
        else:
            response = self._get(path, zipped)
        if response is None:
            known = found is not None and found.group(2) is not None
            await refuse(send, 405 if known else 404, "There is no such page, or no campaign of this name here.")
            return
        await response(scope, receive, send)

    def _known(self, path: str) -> bool:
        return bool(
            _ANSWER.fullmatch(path) or _CAMPAIGN.fullmatch(path) or _RESULT.fullmatch(path) or path == "/openapi.json"
        )

    def _get(self, path: str, zipped: bool) -> Response | None:
        if path == "/openapi.json":
            return open_answer(json.dumps(openapi(relay=self.relay)).encode(), "application/json")
        name = path.removeprefix("/a/")
        if name in self._files:
            return self._files[name](zipped)
        found = _ANSWER.fullmatch(path) or _CAMPAIGN.fullmatch(path)
        running = self.ingest.open.get(found.group(1)) if found else None
        if found is None or running is None:
            return None
        part = found.group(2)
        if path.startswith("/c/"):
            return None if part else open_answer(running.signed.text.encode(), "text/plain")
        if part is None:
            return self._page(zipped)
        if part == "/campaign":
            return open_answer(running.signed.text.encode(), "text/plain")
        saved = saved_page(running.signed, self.address)
        if part == "/saved.sha256":
            return open_answer(f"{hashlib.sha256(saved).hexdigest()}  answer.html\n".encode(), "text/plain")
        return open_answer(saved, "text/html", {"content-disposition": 'attachment; filename="answer.html"'})

    def _results(self, running: Running | None) -> Response | None:
        if running is None or not running.shown:
            return None
        page = self.results(running)
        page.headers.update(HEADERS)
        page.headers["cache-control"] = "no-store"
        return page


def module_tag(address: str) -> str:
    """What others write into their own pages to use the module: its address and its hash."""
    seal = integrity("client.mjs")
    return f'<script type="module" src="{address}/a/client.mjs" integrity="{seal}" crossorigin></script>'


def _packed(text: str, kind: str) -> Callable[[bool], Response]:
    plain = text.encode()
    small = gzip.compress(plain, 9, mtime=0)

    def respond(zipped: bool) -> Response:
        more = {"content-encoding": "gzip", "vary": "accept-encoding"} if zipped else {"vary": "accept-encoding"}
        return open_answer(small if zipped else plain, kind, more)

    return respond


def open_answer(body: bytes, kind: str, more: dict[str, str] | None = None) -> Response:
    """A file that everybody may ask for, from any page."""
    headers = {
        **HEADERS,
        "content-security-policy": ANSWER_POLICY,
        "cross-origin-resource-policy": "cross-origin",
        "access-control-allow-origin": "*",
        "cache-control": "no-cache",
        **(more or {}),
    }
    headers.pop("Content-Security-Policy", None)
    headers.pop("Cross-Origin-Resource-Policy", None)
    return Response(body, media_type=kind, headers=headers)
