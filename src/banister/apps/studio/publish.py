"""The page Publish: one private copy of the whole table, what it will be worth, and how close it came."""

import shlex
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import quote

from fastapi import Request
from starlette.responses import RedirectResponse, Response

from banister.apps.studio.answers import report_body
from banister.apps.studio.foreseen import BudgetWords, foreseen_budget
from banister.apps.studio.kept import PREFIX, checked_key, read_wish, write_wish
from banister.apps.studio.same import Same
from banister.apps.studio.workbench import Workbench
from banister.apps.web.jobs import Job, Teller
from banister.apps.web.site import Site
from banister.errors import BadValue, LedgerExists
from banister.files import Access, folder
from banister.publish.fidelity import alternatives
from banister.publish.job import Wish, publish
from banister.publish.table import SanitizePlan, plan_sanitize
from banister.release.answering.wording import number

HERE = "/publish"


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishWish:
    """What is to be published, as it is written in the page."""

    columns: tuple[str, ...]
    epsilon: str

    def plan(self, bench: Workbench) -> SanitizePlan:
        """Planned without a record being seen."""
        if not self.columns:
            raise BadValue("Choose at least one column to publish.")
        if not self.epsilon:
            raise BadValue("Say what the copy may cost: an epsilon such as 0.5.")
        schema = bench.dataset.schema
        return plan_sanitize(schema.domain_of(self.columns), epsilon=self.epsilon, neighbours=schema.neighbours)

    def same(self, bench: Workbench) -> Same:
        """The command and the Python that publish the same."""
        table, columns = _table(bench), ",".join(self.columns)
        return Same(
            command=f"banister sanitize {shlex.quote(str(table))} --schema {shlex.quote(str(bench.path))} \\\n"
            f"  --columns {shlex.quote(columns)} --epsilon {shlex.quote(self.epsilon)} \\\n"
            "  --out public.csv --report fidelity.html",
            python="import banister as bn\n\n"
            f"schema = bn.publish.read_declaration({str(bench.path)!r})\n"
            f"plan = bn.publish.plan_sanitize(schema.domain_of({list(self.columns)}), epsilon={self.epsilon!r},\n"
            "                                neighbours=schema.neighbours)\n"
            f"with bn.open({str(bench.path)!r}).ledger() as ledger:\n"
            f"    copy, fidelity = bn.publish.sanitize(plan, {str(table)!r}, ledger=ledger)\n"
            'copy.write("public.csv")',
        )


class PublishedCopies:
    """The folder of published copies beside a schema: `health.published/<key>.csv`, and the owner's report."""

    __slots__ = ("place",)

    def __init__(self, schema: Path) -> None:
        self.place = schema.with_suffix(".published")

    def copy(self, key: str) -> Path:
        """The file that may be given to anybody."""
        return self.place / f"{checked_key(key)}.csv"

    def report(self, key: str) -> Path:
        """What only the owner may see; it is written last."""
        return self.place / f"{checked_key(key)}.html"

    def wish(self, key: str) -> Path:
        """What was asked for; written first."""
        return self.place / f"{checked_key(key)}.asked.json"

    def done(self, key: str) -> bool:
        """Whether both are there."""
        return self.report(key).exists() and self.copy(key).exists()


class PublishPages:
    """The routes of this page."""

    def __init__(self, site: Site, bench: Workbench) -> None:
        self.site = site
        self.bench = bench
        add = site.app.add_api_route
        add(HERE, self.show, methods=["GET"], response_model=None)
        add(f"{HERE}/plan", self.plan, methods=["POST"], response_model=None)
        add(f"{HERE}/price", self.price, methods=["POST"], response_model=None)
        add(f"{HERE}/release", self.release, methods=["POST"], response_model=None)
        add("/published/{key}", self.published, methods=["GET"], response_model=None)
        add("/published/{key}/copy.csv", self.copy, methods=["GET"], response_model=None)
        add("/published/{key}/report.html", self.report, methods=["GET"], response_model=None)

    def show(self) -> Response:
        """The form; what to expect is asked for at once."""
        if not self.bench.open:
            return RedirectResponse("/", status_code=303)
        columns = [column.name for column in self.bench.dataset.schema.main.columns]
        few = [c.name for c in self.bench.dataset.schema.main.columns if c.values is not None][:2] or columns[:1]
        facts = {"columns": columns, "chosen": few, "epsilon": "0.5"}
        return self.site.page("publish.html", here=HERE, title="Publish", **facts)

    async def plan(self, request: Request) -> Response:
        """What to expect of the copy, while somebody chooses."""
        wish = await self._wish(request)
        return await self.site.computed(lambda: self.site.page("publish-plan.html", **self._facts(wish)))

    async def price(self, request: Request) -> Response:
        """The price in words, and one question: pay it?"""
        wish = await self._wish(request)
        key = self.site.forms.key()
        return await self.site.computed(
            lambda: self.site.page("publish-price.html", here=HERE, title="Publish", key=key, **self._facts(wish))
        )

    async def release(self, request: Request) -> Response:
        """Pay, draw and keep; once for each form, however often it is sent."""
        wish = await self._wish(request)
        key = self.site.forms.checked(str((await request.form()).get("key", "")))
        return await self.site.computed(self._begin, key, wish)

    def _begin(self, key: str, wish: PublishWish) -> Response:
        kept, bench, site = PublishedCopies(self.bench.path), self.bench, self.site
        shown = f"/published/{quote(key)}"
        if kept.done(key):
            return RedirectResponse(shown, status_code=303)
        wish.plan(bench)
        dataset = bench.dataset
        folder(kept.place, access=Access.OWNER)
        write_wish(kept.wish(key), asdict(wish))
        asked = Wish(
            table=_table(bench),
            epsilon=wish.epsilon,
            delta="0",
            out=kept.copy(key),
            columns=wish.columns,
            schema=bench.path,
            neighbours="",
            ledger="",
            wide=False,
            histogram=None,
            report=kept.report(key),
            prior=None,
            raw=False,
            key=PREFIX + key,
        )

        def work(tell: Teller) -> str:
            tell("waiting for other work")
            with site.mathematics:
                tell.last("reading, paying and drawing")
                if dataset.awaits_ledger():
                    with suppress(LedgerExists):  # Another release was quicker.
                        dataset.create_ledger().close()
                publish(asked, plan_only=False)
            return shown

        return site.start(key, lambda: Job("Publishing", work, again=HERE))

    def published(self, key: str) -> Response:
        """How close the copy came, for the owner; and the copy."""
        kept = self._found(key)
        body = report_body(kept.report(key).read_text(encoding="utf-8"))
        asked = read_wish(kept.wish(key))
        same = None
        if asked is not None:
            same = PublishWish(columns=tuple(asked["columns"]), epsilon=asked["epsilon"]).same(self.bench)
        return self.site.page("published.html", here=HERE, title="Published", key=key, body=body, same=same)

    def copy(self, key: str) -> Response:
        """The copy, which may be given to anybody."""
        headers = {"Content-Disposition": 'attachment; filename="public.csv"'}
        content = self._found(key).copy(key).read_bytes()
        return Response(content, media_type="text/csv; charset=utf-8", headers=headers)

    def report(self, key: str) -> Response:
        """The owner's report as a file."""
        headers = {"Content-Disposition": 'attachment; filename="fidelity.html"'}
        content = self._found(key).report(key).read_bytes()
        return Response(content, media_type="text/html; charset=utf-8", headers=headers)

    def _found(self, key: str) -> PublishedCopies:
        kept = PublishedCopies(self.bench.path)
        if not kept.done(key):
            raise BadValue("There is no copy under this name.")
        return kept

    async def _wish(self, request: Request) -> PublishWish:
        form = await self.site.form(request)
        return PublishWish(
            columns=tuple(str(name) for name in form.getlist("column")), epsilon=str(form.get("epsilon", "")).strip()
        )

    def _facts(self, wish: PublishWish) -> dict[str, object]:
        plan = wish.plan(self.bench)
        people = self.bench.dataset.schema.people
        rivals = alternatives(plan.noise, people or 1000)
        least = rivals[0][1] or 1.0
        return {
            "wish": wish,
            "rows": plan.rows(None),
            "off": None if people is None else 100 * plan.total_variation(people),
            "people": None if people is None else number(people),
            "rivals": [(name, number(error), f"{error / least:.3g}") for name, error in rivals],
            "budget": self._budget(plan),
            "same": wish.same(self.bench),
        }

    def _budget(self, plan: SanitizePlan) -> BudgetWords:
        return foreseen_budget(self.bench.dataset, (plan.loss(), plan.guarantee), plan.neighbours)


def _table(bench: Workbench) -> Path:
    location = bench.dataset.schema.main.location
    if "://" in location or not location.lower().endswith((".csv", ".parquet")):
        raise BadValue("A whole table is published from a .csv or .parquet file; this one is in a database.")
    return bench.dataset.folder / location
