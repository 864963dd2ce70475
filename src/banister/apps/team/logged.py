"""Every request is done and then written down before it is answered: who, what, and how it ended; never its content."""

import json
from collections.abc import Callable

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from banister import clock
from banister.apps.web.gate import HEADERS, STATIC

MOST_BYTES = 100_000


class Logged:
    """The application behind the team's log. Our own files, which hold nothing of anybody, are not written down."""

    def __init__(self, app: ASGIApp, note: Callable[[str], object]) -> None:
        self.app = app
        self.note = note

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].startswith(STATIC):
            await self.app(scope, receive, send)
            return
        state: dict[str, str] = scope.setdefault("state", {})

        async def noted(message: Message) -> None:
            if message["type"] == "http.response.start":
                body = {
                    "at": clock.now(),
                    "who": state.get("who", ""),
                    "what": f"{scope['method']} {scope['path'][:300]}",
                    "status": message["status"],
                    "why": state.get("why", ""),
                }
                await run_in_threadpool(self.note, json.dumps(body, sort_keys=True))
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                headers["Cache-Control"] = "no-store"
            await send(message)

        if _too_large(Headers(scope=scope)):
            answer = JSONResponse({"message": f"A request has at most {MOST_BYTES // 1000} kB."}, 413)
            await answer(scope, receive, noted)
            return
        await self.app(scope, receive, noted)


def _too_large(headers: Headers) -> bool:
    length = headers.get("content-length", "0")
    return "transfer-encoding" in headers or not length.isdecimal() or int(length[:18]) > MOST_BYTES
