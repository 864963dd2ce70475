"""The page Ask: a question, a slider, what to expect, the price in words, and the release."""

import threading
from contextlib import suppress
from dataclasses import replace
from urllib.parse import quote

from fastapi import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from banister.apps.studio.foreseen import level_words, person_words
from banister.apps.studio.kept import PREFIX, KeptAnswers
from banister.apps.studio.same import same_release
from banister.apps.studio.workbench import AskForm, Drafts, Workbench, digits_up, nearest
from banister.apps.web.jobs import Job, Teller
from banister.apps.web.site import Site
from banister.core.exact.numbers import brief
from banister.errors import BanisterError
from banister.tables.columns import Column, Kind

HERE = "/ask"


class AskPages:
    """The routes of this page. Whatever computes holds the site's lock."""

    def __init__(self, site: Site, bench: Workbench) -> None:
        self.site = site
        self.bench = bench
        self._drafts = Drafts()
        self._warm = Warmer(site, bench)
        add = site.app.add_api_route
        add(HERE, self.show, methods=["GET"], response_model=None)
        add(f"{HERE}/plan", self.plan, methods=["POST"], response_model=None)
        add(f"{HERE}/within", self.within, methods=["POST"], response_model=None)
        add(f"{HERE}/built", self.built, methods=["POST"], response_model=None)
        add(f"{HERE}/price", self.draft, methods=["POST"], response_model=None)
        add(f"{HERE}/price/{{key}}", self.price, methods=["GET"], response_model=None)
        add(f"{HERE}/release", self.release, methods=["POST"], response_model=None)

    def show(self, draft: str = "") -> Response:
        """The page with what was asked before, or with an example from the schema."""
        if not self.bench.open:
            return RedirectResponse("/", status_code=303)
        steps = self.bench.steps()
        first = AskForm(question=example(self.bench), epsilon=steps[max(0, len(steps) - 12)])
        return self._form(self._drafts.find(draft) or first)

    async def plan(self, request: Request) -> Response:
        """What to expect, while somebody types or moves the slider."""
        return await self.site.computed(self._plan, AskForm.of_fields(await self.site.fields(request)))

    def _plan(self, asked: AskForm) -> HTMLResponse:
        self._warm.begins()
        facts = self._facts(asked)
        self._warm.after(asked)
        return self.site.page("forecast.html", **facts)

    async def within(self, request: Request) -> Response:
        """The epsilon that an accuracy needs, put into the field and the slider."""
        fields = await self.site.fields(request)
        return await self.site.computed(self._within, AskForm.of_fields(fields), fields.get("within", ""))

    def _within(self, asked: AskForm, within: str) -> HTMLResponse:
        plan = self.bench.plan_within(asked, within)
        found = digits_up(plan.guarantee.epsilon)
        note = f"Every answer is within {within.strip().removesuffix('%').strip()} % at epsilon {found}."
        steps = self.bench.steps()
        page = self.site.page(
            "level.html", steps=steps, place=nearest(steps, found), epsilon=found, within=within, note=note
        )
        page.headers["HX-Trigger-After-Settle"] = "planned"
        return page

    async def built(self, request: Request) -> Response:
        """A question put together from groups and measures, as SQL in the field."""
        form = await self.site.form(request)
        groups = [str(name) for name in form.getlist("group")]
        measures = [str(name) for name in form.getlist("measure")]
        page = self.site.page("question.html", question=built(self.bench, groups, measures))
        page.headers["HX-Trigger-After-Settle"] = "planned"
        return page

    async def draft(self, request: Request) -> Response:
        """Go on to the price; what was asked waits under the key of the form that will pay for it."""
        asked = AskForm.of_fields(await self.site.fields(request))
        return await self.site.computed(self._draft, asked)

    def _draft(self, asked: AskForm) -> Response:
        self.bench.look(asked)
        key = self.site.forms.key()
        self._drafts.put(key, asked)
        return RedirectResponse(f"{HERE}/price/{quote(key)}", status_code=303)

    async def price(self, key: str) -> Response:
        """The price in words, and one question: pay it? Once it was paid, the way to the answer."""
        return await self.site.computed(self._price, key)

    def _price(self, key: str) -> Response:
        name, asked = self.site.forms.checked(key), self._drafts.find(key)
        if KeptAnswers(self.bench.path).find(name) is not None:
            return RedirectResponse(f"/answers/{quote(name)}", status_code=303)
        if asked is None:
            return RedirectResponse(HERE, status_code=303)
        return self.site.page("price.html", here=HERE, title="Release", key=key, **self._facts(asked))

    async def release(self, request: Request) -> Response:
        """Pay and draw, once for each form, however often it is sent."""
        form = await self.site.form(request)
        key = self.site.forms.checked(str(form.get("key", "")))
        asked = AskForm.of_fields({name: str(value) for name, value in form.items()})
        return await self.site.computed(self.begin, key, asked)

    def begin(self, key: str, asked: AskForm) -> Response:
        """Start the release under a key, or find what it came to."""
        kept, bench, site = KeptAnswers(self.bench.path), self.bench, self.site
        answers = f"/answers/{quote(key)}"
        if kept.find(key) is not None:
            return RedirectResponse(answers, status_code=303)
        plan = bench.look(asked).plan
        dataset = bench.dataset
        kept.asks(key, asked)

        def work(tell: Teller) -> str:
            def stage(words: str) -> None:
                # Until the ledger is charged it can be stopped; from then on it ends with an answer.
                (tell if words.startswith("adding up") else tell.last)(words)

            tell("waiting for other work")
            with site.mathematics:
                drawn = dataset.release(plan, key=PREFIX + key, tell=stage)
                kept.keep(key, asked, drawn)
                dataset.given(drawn, PREFIX + key)
            return answers

        return site.start(key, lambda: Job("Releasing", work, again=HERE))

    def _form(self, asked: AskForm) -> HTMLResponse:
        table, steps = self.bench.dataset.schema.main, self.bench.steps()
        return self.site.page(
            "ask.html",
            here=HERE,
            title="Ask",
            asked=asked,
            steps=steps,
            place=nearest(steps, asked.epsilon),
            columns=[(column, column_words(column)) for column in table.columns],
            groups=[column.name for column in table.columns if groupable(column)],
            numbers=[column.name for column in table.columns if column.kind in (Kind.INTEGER, Kind.NUMBER)],
            person=table.person,
        )

    def _facts(self, asked: AskForm) -> dict[str, object]:
        looked = self.bench.look(asked)
        return {
            "asked": asked,
            "questions": looked.questions,
            "budget": self.bench.budget(looked),
            "level": level_words(looked.plan),
            "person": person_words(looked.plan),
            "same": same_release(asked, str(self.bench.path)),
        }


class Warmer:
    """Plans the other places of the slider while nobody asks for anything, so that it moves without waiting."""

    PATIENCE_SECONDS = 0.25

    def __init__(self, site: Site, bench: Workbench) -> None:
        self._site = site
        self._bench = bench
        self._turn = 0
        self._lock = threading.Lock()
        self._moved = threading.Event()

    def begins(self) -> None:
        """Somebody asks: whoever is planning ahead steps back."""
        with self._lock:
            self._turn += 1
        self._moved.set()

    def after(self, asked: AskForm) -> None:
        """Plan ahead from here, in a thread of its own, until somebody asks again."""
        with self._lock:
            turn = self._turn
        self._moved.clear()
        threading.Thread(target=self._ahead, args=(asked, turn), daemon=True).start()

    def _ahead(self, asked: AskForm, turn: int) -> None:
        steps = list(self._bench.steps())
        here = steps.index(asked.epsilon) if asked.epsilon in steps else len(steps) // 2
        for place in sorted(range(len(steps)), key=lambda step: abs(step - here)):
            if self._moved.wait(0 if place != here else self.PATIENCE_SECONDS) or turn != self._turn:
                return
            with suppress(BanisterError), self._site.mathematics:  # Who moves there is told why it cannot be.
                self._bench.budget(self._bench.look(replace(asked, epsilon=steps[place])))


def example(bench: Workbench) -> str:
    """A first question that the schema allows."""
    table = bench.dataset.schema.main
    group = next((column.name for column in table.columns if column.kind is Kind.CATEGORY and column.values), None)
    number = next((column.name for column in table.columns if column.kind in (Kind.INTEGER, Kind.NUMBER)), None)
    return built(bench, [group] if group else [], ["rows", *([f"mean {number}"] if number else [])])


def built(bench: Workbench, groups: list[str], measures: list[str]) -> str:
    """The SQL of groups and measures, a clause a line."""
    table = bench.dataset.schema.main
    asking = bench.dataset.ask()
    for measure in measures or ["rows"]:
        kind, _, name = measure.partition(" ")
        if kind == "people" and table.person is not None:
            asking = asking.people(table.person)
        elif kind == "mean":
            asking = asking.mean(name)
        elif kind == "sum":
            asking = asking.sum(name)
        elif kind == "median":
            asking = asking.quantile(name, "0.5", f"median_{name}")
        else:
            asking = asking.count()
    keys = [_key(column) for column in table.columns if column.name in groups]
    text = str(asking.group_by(*keys) if keys else asking)
    return text.replace(" FROM ", "\nFROM ", 1).replace(" GROUP BY ", "\nGROUP BY ", 1)


def groupable(column: Column) -> bool:
    return column.kind is Kind.CATEGORY or bool(column.bins)


def _key(column: Column) -> str:
    return f"BIN({column.name})" if column.bins else column.name


def column_words(column: Column) -> str:
    """What the schema says about a column, in a few words."""
    if column.kind is Kind.CATEGORY:
        if column.values is None:
            return "category, values not declared"
        shown = ", ".join(str(value) for value in column.values[:6])
        return f"category: {shown}{', …' if len(column.values) > 6 else ''}"
    if column.kind is Kind.DATE:
        return f"date, every {column.every}"
    bins = f", {len(column.bins) - 1} bins" if column.bins else ""
    return f"{column.kind.value} from {brief(column.low)} to {brief(column.high)}{bins}"
