"""Pages that are made when somebody first comes to them, so that the first page waits for none of the others."""

import threading
from collections.abc import Callable, Sequence

from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Receive, Scope, Send

MakePages = Callable[[], None]
"""Adds routes to a site."""


class LaterPages:
    """Stands in front of an application: who asks for an address below a prefix has its pages made first, once."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._waiting: list[tuple[tuple[str, ...], MakePages]] = []
        self._lock = threading.RLock()
        self._ahead_seconds: float | None = None

    def add(self, prefixes: Sequence[str], make: MakePages) -> None:
        """Pages below these prefixes, and how they are made."""
        self._waiting.append((tuple(prefixes), make))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        if self._waiting and any(_below(path, prefixes) for prefixes, _ in self._waiting):
            await run_in_threadpool(self._make, path)
        await self._app(scope, receive, send)
        if self._ahead_seconds is not None:
            timer, self._ahead_seconds = threading.Timer(self._ahead_seconds, self.all), None
            timer.daemon = True
            timer.start()

    def ahead(self, seconds: float) -> None:
        """So long after the first request, make all that is left, so that nobody waits for it."""
        self._ahead_seconds = seconds

    def all(self) -> None:
        """Make whatever is still to be made."""
        while self._waiting:
            self._make(self._waiting[0][0][0])

    def _make(self, path: str) -> None:
        with self._lock:
            found = next((one for one in self._waiting if _below(path, one[0])), None)
            if found is not None:
                found[1]()
                self._waiting.remove(found)


def _below(path: str, prefixes: tuple[str, ...]) -> bool:
    return any(path == prefix or path.startswith(f"{prefix}/") for prefix in prefixes)
