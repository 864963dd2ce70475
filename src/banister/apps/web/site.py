"""A site: the application behind its gate, its pages, its refusals, its pictures and its long work."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import RLock
from typing import ParamSpec
from urllib.parse import quote

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from banister.apps.web.gate import Admit, Doorkeeper, Place, TokenDoor
from banister.apps.web.jobs import Job, Jobs, events
from banister.apps.web.later import LaterPages, MakePages
from banister.apps.web.visitors import Forms, Visitors
from banister.errors import BanisterError, BudgetExceeded, LedgerMissing
from banister.show.page import STYLE

P = ParamSpec("P")
HERE = Path(__file__).parent
QUIET = {"tracing": False, "metrics": False, "logs": False, "operation_spans": False, "auto_configure": False}
"""The framework can send traces and metrics elsewhere, when the surroundings say so; here it never may."""
HTMX = json.dumps(
    {
        "allowEval": False,
        "allowScriptTags": False,
        "includeIndicatorStyles": False,
        "selfRequestsOnly": True,
        "historyCacheSize": 0,
        "attributesToSettle": ["class"],
    }
)


@dataclass(frozen=True, slots=True)
class NavLink:
    """A page in the navigation."""

    address: str
    words: str


class Site:
    """What every program of pages shares. Routes are added to `app`; `asgi` is what a server runs."""

    def __init__(
        self,
        name: str,
        *,
        place: Place,
        links: Sequence[NavLink],
        templates: Sequence[Path] = (),
        admits: "Callable[[Site], Admit] | None" = None,
    ) -> None:
        """Without `admits`, whoever brings the printed token comes in, and nobody else."""
        self.name = name
        self.links = tuple(links)
        self.place = place
        self.visitors = Visitors()
        self.forms = Forms()
        self.jobs = Jobs()
        self.mathematics = RLock()
        """Held while anything is computed: the precision of certified numbers belongs to the process, not a thread."""
        self.app = FastAPI(
            title=name,
            docs_url=None,
            redoc_url=None,
            openapi_url=None,
            telemetry=QUIET,  # type: ignore[arg-type]  # The keys are those of its typed dictionary.
        )
        self._templates = Environment(
            loader=FileSystemLoader([*templates, HERE / "templates"]),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.globals.update(site=self, htmx=HTMX)
        self._add_routes()
        door = TokenDoor(place=place, visitors=self.visitors, refuse=self.stranger) if admits is None else admits(self)
        self.rest = LaterPages(self.app)
        """The pages that are made when somebody first comes to them."""
        self.asgi: ASGIApp = Doorkeeper(self.rest, place=place, admit=door, refuse=self.stranger)

    def later(self, prefixes: Sequence[str], make: MakePages) -> None:
        """Routes below these prefixes, made when somebody first comes there."""
        self.rest.add(prefixes, make)

    def page(self, template: str, status: int = 200, /, **facts: object) -> HTMLResponse:
        """A page or a piece of one; every text in it is escaped."""
        return HTMLResponse(self._templates.get_template(template).render(facts), status_code=status)

    def refusal(self, message: str, *, status: int = 422, back: str = "/") -> HTMLResponse:
        """A page with one message, in the library's words."""
        return self.page("refusal.html", status, here="", message=message, back=back, title="That cannot be done")

    async def form(self, request: Request) -> FormData:
        """The fields of a form of ours; a form without a key that was made here is refused."""
        form = await request.form()
        try:
            self.forms.checked(str(form.get("key", "")))
        except BanisterError:
            await form.close()
            raise
        return form

    async def fields(self, request: Request) -> dict[str, str]:
        """The same as texts, one for each name."""
        return {name: str(value) for name, value in (await self.form(request)).items()}

    async def computed(self, work: Callable[P, Response], *given: P.args, **more: P.kwargs) -> Response:
        """An answer that takes computing, made in a thread beside, one at a time."""

        def alone() -> Response:
            with self.mathematics:
                return work(*given, **more)

        return await run_in_threadpool(alone)

    async def beside(self, work: Callable[P, Response], *given: P.args, **more: P.kwargs) -> Response:
        """An answer that takes time and no mathematics, made in a thread beside."""
        return await run_in_threadpool(work, *given, **more)

    def start(self, key: str, make: Callable[[], Job]) -> RedirectResponse:
        """Begin long work, or find it again under its key, and go to where it is watched."""
        self.jobs.once(key, make)
        return RedirectResponse(f"/work/{quote(key, safe='')}", status_code=303)

    def stranger(self, status: int, message: str) -> HTMLResponse:
        """A refusal for who is not let in: no navigation, nothing of the owner's."""
        return self.page("stranger.html", status, message=message)

    def _add_routes(self) -> None:
        app = self.app
        app.mount("/static/ours", StaticFiles(directory=HERE / "static"))
        style = STYLE + (HERE / "static" / "page.css").read_text(encoding="utf-8")
        app.add_api_route("/static/style.css", lambda: Response(style, media_type="text/css"), methods=["GET"])
        app.add_api_route("/work/{key}", self._work, methods=["GET"], response_model=None)
        app.add_api_route("/work/{key}/events", self._events, methods=["GET"], response_model=None)
        app.add_api_route("/work/{key}/stop", self._stop, methods=["POST"], response_model=None)
        app.add_exception_handler(BanisterError, self.refused)
        app.add_exception_handler(HTTPException, self._no_page)
        app.add_exception_handler(RequestValidationError, self._no_form)
        app.add_exception_handler(Exception, self._failed)

    def _work(self, key: str) -> Response:
        job = self.jobs.find(key)
        state = job.state
        if state.result:
            return RedirectResponse(state.result, status_code=303)
        return self.page("work.html", here="", job=job, state=state, key=key, title=job.title)

    async def _events(self, key: str) -> Response:
        return StreamingResponse(events(self.jobs.find(key)), media_type="text/event-stream")

    async def _stop(self, key: str, request: Request) -> Response:
        await self.form(request)
        job = self.jobs.find(key)
        job.stop()
        return RedirectResponse(f"/work/{quote(key, safe='')}", status_code=303)

    def refused(self, request: Request, error: Exception) -> Response:
        """A refusal of the library: at its place for htmx, else a page; the words are the same."""
        if request.headers.get("hx-request") == "true":  # Typing is not an error: the browser's console stays empty.
            return self.page("piece-refusal.html", message=str(error))
        status = 409 if isinstance(error, BudgetExceeded) else 404 if isinstance(error, LedgerMissing) else 422
        return self.refusal(str(error), status=status)

    def _no_page(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        words = {404: "There is no such page.", 405: "This address is not for that."}
        return self.refusal(words.get(error.status_code, str(error.detail)), status=error.status_code)

    def _no_form(self, request: Request, error: Exception) -> Response:
        return self.refusal("The form is not complete. Load the page again; nothing was done.", status=422)

    def _failed(self, request: Request, error: Exception) -> Response:
        kind = type(error).__name__
        return self.refusal(f"The program failed ({kind}); the terminal that runs it says more.", status=500)
