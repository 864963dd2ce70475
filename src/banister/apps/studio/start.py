"""The first page: which table is open, and one clear thing to do."""

from pathlib import Path

from fastapi import Request
from starlette.responses import RedirectResponse, Response

from banister.apps.studio.drafting import DraftPages
from banister.apps.studio.same import same_table
from banister.apps.studio.workbench import DEMO, Workbench
from banister.apps.web.site import Site
from banister.core.exact.numbers import brief_down
from banister.errors import BadValue, BanisterError, LedgerFault


class StartPages:
    """The routes of this page."""

    def __init__(self, site: Site, bench: Workbench, drafts: DraftPages) -> None:
        self.site = site
        self.bench = bench
        self.drafts = drafts
        site.app.add_api_route("/", self.show, methods=["GET"], response_model=None)
        site.app.add_api_route("/open", self.open, methods=["POST"], response_model=None)

    async def show(self) -> Response:
        """The open table, or how to open one."""
        if not self.bench.open:
            return RedirectResponse("/table", status_code=303) if self.drafts.open else self._empty("", "")
        return await self.site.computed(self._table)

    def _table(self) -> Response:
        dataset = self.bench.dataset
        return self.site.page(
            "start.html",
            here="/",
            title=self.bench.path.stem,
            path=self.bench.path,
            schema=dataset.schema,
            left=_left(self.bench),
            same=same_table(str(self.bench.path)),
        )

    async def open(self, request: Request) -> Response:
        """Open another table."""
        fields = await self.site.fields(request)
        path = DEMO if fields.get("demo") else fields.get("path", "").strip()
        try:
            if not path:
                raise BadValue("Give the path of a table such as stays.csv, or of its schema, such as stays.toml.")
            if path != DEMO and not path.lower().endswith(".toml"):
                return await self.site.computed(self.describe, path, fields.get("inner", "").strip())
            self.bench.take(path)
        except BanisterError as error:
            return self._empty(path, str(error))
        return RedirectResponse("/", status_code=303)

    def describe(self, path: str, inner: str) -> Response:
        """A table without its schema: open the one beside it, or begin one."""
        beside = Path(path).with_suffix(".toml")
        if "://" not in path and beside.exists() and not inner:
            self.bench.take(str(beside))
            return RedirectResponse("/", status_code=303)
        self.drafts.begin(path, inner)
        return RedirectResponse("/table", status_code=303)

    def _empty(self, path: str, refusal: str) -> Response:
        status = 422 if refusal else 200
        return self.site.page("open.html", status, here="/", title="Open a table", path=path, refusal=refusal)


def _left(bench: Workbench) -> str:
    """What is left of the budget, in words."""
    try:
        if bench.dataset.awaits_ledger():
            return "all of it: nothing has been released yet"
        found = bench.dataset.remaining()
    except (BadValue, LedgerFault) as error:
        return str(error)
    return f"the largest epsilon that still fits is {brief_down(found.largest_epsilon)}; {found.used_in_words}"
