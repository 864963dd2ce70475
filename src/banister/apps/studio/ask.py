"""The page Ask: a question, a slider, what to expect, the price in words, and the release."""

import json
import re
from dataclasses import dataclass
from urllib.parse import quote

from fastapi import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from banister.apps.studio.foreseen import how_words, level_words, person_words
from banister.apps.studio.gains import other_bounds
from banister.apps.studio.questioning import Chosen, built, column_words, completions, first_choice, groupable
from banister.apps.studio.till import ASK, Till
from banister.apps.studio.warmer import Warmer
from banister.apps.studio.workbench import AskForm, Workbench, digits_up, nearest
from banister.apps.web.site import Site
from banister.errors import BanisterError
from banister.tables.columns import Kind

HERE = ASK
_PLACE = re.compile(r"at line (\d{1,6}), column (\d{1,6})")
_WORD = re.compile(r"\w*")


class AskPages:
    """The routes of this page. Whatever computes holds the site's lock."""

    def __init__(self, site: Site, bench: Workbench, till: Till, *, ahead: Warmer | None) -> None:
        """Without `ahead` nobody plans the other places of the slider in advance."""
        self.site = site
        self.bench = bench
        self.till = till
        self._ahead = ahead
        add = site.app.add_api_route
        add(HERE, self.show, methods=["GET"], response_model=None)
        add(f"{HERE}/plan", self.plan, methods=["POST"], response_model=None)
        add(f"{HERE}/how", self.how, methods=["POST"], response_model=None)
        add(f"{HERE}/within", self.within, methods=["POST"], response_model=None)
        add(f"{HERE}/built", self.built, methods=["POST"], response_model=None)
        add(f"{HERE}/price", self.draft, methods=["POST"], response_model=None)
        add(f"{HERE}/price/{{key}}", self.price, methods=["GET"], response_model=None)
        add(f"{HERE}/release", self.release, methods=["POST"], response_model=None)

    def show(self, request: Request, draft: str = "") -> Response:
        """The page with what was asked before, or with an example from the schema."""
        if not self.bench.open:
            return RedirectResponse("/", status_code=303)
        steps = self.bench.steps()
        chosen, asked = first_choice(self.bench), self.till.draft(request, draft)
        if asked is not None:  # What was written may be more than boxes can say.
            return self._form(request, asked, Chosen([], []))
        question = built(self.bench, chosen.groups, chosen.measures)
        return self._form(request, AskForm(question=question, epsilon=steps[max(0, len(steps) - 12)]), chosen)

    async def plan(self, request: Request) -> Response:
        """What to expect, while somebody types or moves the slider."""
        return await self.site.computed(self._plan, request, AskForm.of_fields(await self.site.fields(request)))

    def _plan(self, request: Request, asked: AskForm) -> HTMLResponse:
        if self._ahead is not None:
            self._ahead.begins()
        try:
            facts = self._facts(request, asked)
        except BanisterError as error:
            return self._refused(asked, error)
        if self._ahead is not None:
            self._ahead.after(asked)
        return self.site.page("forecast.html", refused={}, **facts)

    def _refused(self, asked: AskForm, error: BanisterError) -> HTMLResponse:
        """A refusal at the field that it is about: a number of the form, else the question, with its place marked."""
        field, message = (asked.fault() if asked.question else None) or ("question", str(error))
        marked = marked_place(asked.question, message) if field == "question" else None
        return self.site.page("refused.html", refused={field: message}, marked=marked)

    async def how(self, request: Request) -> Response:
        """How it is done, and what other bounds on one person's part would gain; asked for by who wants to know."""
        return await self.site.computed(self._how, AskForm.of_fields(await self.site.fields(request)))

    def _how(self, asked: AskForm) -> HTMLResponse:
        plan = self.bench.look(asked).plan
        facts = {"person": person_words(plan), "words": how_words(plan), "bounds": other_bounds(self.bench, asked)}
        return self.site.page("how.html", **facts)

    async def within(self, request: Request) -> Response:
        """The epsilon that an accuracy needs, put into the field and the slider."""
        fields = await self.site.fields(request)
        return await self.site.computed(self._within, AskForm.of_fields(fields), fields.get("within", ""))

    def _within(self, asked: AskForm, within: str) -> HTMLResponse:
        steps, share = self.bench.steps(), within.strip().removesuffix("%").strip()
        try:
            found = digits_up(self.bench.plan_within(asked, within).guarantee.epsilon)
        except BanisterError as error:  # The form stays as it was; what is wrong stands below it.
            place = 0 if asked.fault() else nearest(steps, asked.epsilon)
            facts = {"steps": steps, "place": place, "epsilon": asked.epsilon, "within": within}
            return self.site.page("level.html", refusal=str(error), note="", **facts)
        note = f"Every answer is within {share} % at epsilon {found}."
        facts = {"steps": steps, "place": nearest(steps, found), "epsilon": found, "within": within}
        page = self.site.page("level.html", refusal="", note=note, **facts)
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
        return await self.site.computed(self._draft, request, asked)

    def _draft(self, request: Request, asked: AskForm) -> Response:
        self.bench.look(asked)
        key = self.site.forms.key()
        self.till.put(request, key, asked)
        return RedirectResponse(f"{HERE}/price/{quote(key)}", status_code=303)

    async def price(self, request: Request, key: str) -> Response:
        """The price in words, and one question: pay it? Once it was paid, the way to the answer."""
        return await self.site.computed(self._price, request, key)

    def _price(self, request: Request, key: str) -> Response:
        name, asked = self.site.forms.checked(key), self.till.draft(request, key)
        if answered := self.till.answered(request, name):
            return RedirectResponse(answered, status_code=303)
        if asked is None:
            return RedirectResponse(HERE, status_code=303)
        return self.site.page("price.html", here=HERE, title="Release", key=key, **self._facts(request, asked))

    async def release(self, request: Request) -> Response:
        """Pay and draw, once for each form, however often it is sent."""
        form = await self.site.form(request)
        key = self.site.forms.checked(str(form.get("key", "")))
        asked = AskForm.of_fields({name: str(value) for name, value in form.items()})
        return await self.site.computed(self.till.begin, request, key, asked)

    def _form(self, request: Request, asked: AskForm, chosen: Chosen) -> HTMLResponse:
        table, steps = self.bench.dataset.schema.main, self.bench.steps()
        return self.site.page(
            "ask.html",
            here=HERE,
            title="Ask",
            asked=asked,
            chosen=chosen,
            fresh=bool(chosen.measures),
            steps=steps,
            place=nearest(steps, asked.epsilon),
            columns=[(column, column_words(column)) for column in table.columns],
            groups=[column.name for column in table.columns if groupable(column)],
            numbers=[column.name for column in table.columns if column.kind in (Kind.INTEGER, Kind.NUMBER)],
            person=table.person,
            words=json.dumps(completions(self.bench)),
            **self.till.frame(request),
        )

    def _facts(self, request: Request, asked: AskForm) -> dict[str, object]:
        looked = self.bench.look(asked)
        return {
            "asked": asked,
            "questions": looked.questions,
            "budget": self.till.budget(request, asked, looked),
            "level": level_words(looked.plan),
            "person": person_words(looked.plan),
            "same": self.till.same(asked),
            **self.till.frame(request),
        }


@dataclass(frozen=True, slots=True)
class MarkedPlace:
    """A line of a question, parted where a refusal points to."""

    before: str
    piece: str
    after: str


def marked_place(question: str, message: str) -> MarkedPlace | None:
    """The line that a refusal names, with the word at its column; nothing where it names none.

    >>> marked_place("SELECT plan, heigt FROM data", "'heigt' at line 1, column 14: not known")
    MarkedPlace(before='SELECT plan, ', piece='heigt', after=' FROM data')
    """
    found = _PLACE.search(message)
    if found is None:
        return None
    lines, line, column = question.split("\n"), int(found.group(1)), int(found.group(2))
    if not (1 <= line <= len(lines) and 1 <= column <= len(lines[line - 1])):
        return None
    text = lines[line - 1]
    word = _WORD.match(text, column - 1)
    end = word.end() if word is not None and word.end() > word.start() else column
    return MarkedPlace(text[: column - 1], text[column - 1 : end], text[end:])
