"""A private look at all columns of the open table, for a stated price: what a newcomer pays for first."""

import shlex
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from fastapi import Request
from starlette.responses import RedirectResponse, Response

from banister.apps.studio.answers import report_body
from banister.apps.studio.foreseen import foreseen_budget
from banister.apps.studio.kept import PREFIX, checked_key, read_wish, write_wish
from banister.apps.studio.same import Same
from banister.apps.studio.workbench import Workbench
from banister.apps.web.jobs import Job, Teller
from banister.apps.web.site import Site
from banister.errors import BadValue
from banister.files import Access, folder, whole_text

if TYPE_CHECKING:
    from banister.release.profile.plan import LookPlan

HERE = "/look"


@dataclass(frozen=True, slots=True, kw_only=True)
class LookWish:
    """What a look may cost, as it is written in the page."""

    epsilon: str = "0.2"
    delta: str = "1e-6"

    def plan(self, bench: Workbench) -> "LookPlan":
        """Planned without a record being seen."""
        if not self.epsilon:
            raise BadValue("Say what the look may cost: an epsilon such as 0.2.")
        return bench.dataset.plan_look(epsilon=self.epsilon, delta=self.delta or "0")

    def same(self, bench: Workbench) -> Same:
        """The command and the Python that look the same."""
        level = f"--epsilon {shlex.quote(self.epsilon)} --delta {shlex.quote(self.delta or '0')}"
        return Same(
            command=f"banister look {shlex.quote(str(bench.path))} {level} --page look.html --propose proposed.toml",
            python="import banister as bn\n\n"
            f"table = bn.open({str(bench.path)!r})\n"
            f"found = table.look(table.plan_look(epsilon={self.epsilon!r}, delta={self.delta or '0'!r}))\n"
            'print(found)\nfound.report("look.html")',
        )


class KeptLooks:
    """The folder of looks beside a schema: each with its page, and the schema that it proposes."""

    __slots__ = ("place",)

    def __init__(self, schema: Path) -> None:
        self.place = schema.with_suffix(".looks")

    def page(self, key: str) -> Path:
        """What was found; written last."""
        return self.place / f"{checked_key(key)}.html"

    def wish(self, key: str) -> Path:
        """What was asked for; written first."""
        return self.place / f"{checked_key(key)}.asked.json"

    def proposal(self, key: str) -> Path:
        """The schema with its blanks filled in."""
        return self.place / f"{checked_key(key)}.toml"


class LookPages:
    """The routes of this page."""

    def __init__(self, site: Site, bench: Workbench) -> None:
        self.site = site
        self.bench = bench
        add = site.app.add_api_route
        add(HERE, self.show, methods=["GET"], response_model=None)
        add(f"{HERE}/plan", self.plan, methods=["POST"], response_model=None)
        add(f"{HERE}/price", self.price, methods=["POST"], response_model=None)
        add(f"{HERE}/release", self.release, methods=["POST"], response_model=None)
        add("/looks/{key}", self.found, methods=["GET"], response_model=None)
        add("/looks/{key}/proposed.toml", self.proposed, methods=["GET"], response_model=None)

    def show(self) -> Response:
        """The form; the price is asked for at once."""
        if not self.bench.open:
            return RedirectResponse("/", status_code=303)
        return self.site.page("look.html", here="/", title="Look", wish=LookWish())

    async def plan(self, request: Request) -> Response:
        """What it costs and what it tells, while somebody types."""
        wish = await self._wish(request)
        return await self.site.computed(lambda: self.site.page("look-plan.html", **self._facts(wish)))

    async def price(self, request: Request) -> Response:
        """The price in words, and one question: pay it?"""
        wish = await self._wish(request)
        facts = {"here": "/", "title": "Look", "key": self.site.forms.key()}
        return await self.site.computed(lambda: self.site.page("look-price.html", **facts, **self._facts(wish)))

    async def release(self, request: Request) -> Response:
        """Pay, draw and keep; once for each form, however often it is sent."""
        wish = await self._wish(request)
        key = self.site.forms.checked(str((await request.form()).get("key", "")))
        return await self.site.computed(self._begin, key, wish)

    def _begin(self, key: str, wish: LookWish) -> Response:
        kept, dataset, site, schema = KeptLooks(self.bench.path), self.bench.dataset, self.site, self.bench.path
        shown = f"/looks/{quote(key)}"
        if kept.page(key).exists():
            return RedirectResponse(shown, status_code=303)
        plan = wish.plan(self.bench)
        folder(kept.place, access=Access.OWNER)
        write_wish(kept.wish(key), asdict(wish))

        def work(tell: Teller) -> str:
            from banister.release.profile.proposal import proposed_schema

            tell("waiting for other work")
            with site.mathematics:
                tell.last("reading, paying and drawing")
                found = dataset.look(plan, key=PREFIX + key)  # Cut off after its charge, it is fetched.
                whole_text(kept.proposal(key), proposed_schema(found, schema.read_text(encoding="utf-8")))
                found.report(kept.page(key))
                dataset.given(found, PREFIX + key)
            return shown

        return site.start(key, lambda: Job("Looking", work, again=HERE))

    def found(self, key: str) -> Response:
        """What was found, and the schema that follows from it at no further cost."""
        kept = self._kept(key)
        body = report_body(kept.page(key).read_text(encoding="utf-8"))
        text = kept.proposal(key).read_text(encoding="utf-8")
        asked = read_wish(kept.wish(key))
        same = None if asked is None else LookWish(**asked).same(self.bench)
        return self.site.page("looked.html", here="/", title="A private look", key=key, body=body, text=text, same=same)

    def proposed(self, key: str) -> Response:
        """The proposed schema as a file."""
        text = self._kept(key).proposal(key).read_text(encoding="utf-8")
        headers = {"Content-Disposition": 'attachment; filename="proposed.toml"'}
        return Response(text, media_type="text/plain; charset=utf-8", headers=headers)

    def _kept(self, key: str) -> KeptLooks:
        kept = KeptLooks(self.bench.path)
        if not kept.page(key).exists():
            raise BadValue("There is no look under this name.")
        return kept

    async def _wish(self, request: Request) -> LookWish:
        fields = await self.site.fields(request)
        return LookWish(epsilon=fields.get("epsilon", "").strip(), delta=fields.get("delta", "").strip())

    def _facts(self, wish: LookWish) -> dict[str, object]:
        plan = wish.plan(self.bench)
        budget = foreseen_budget(self.bench.dataset, plan.costs, plan.neighbours)
        return {"wish": wish, "lines": str(plan).splitlines(), "budget": budget, "same": wish.same(self.bench)}
