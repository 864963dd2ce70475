"""Who pays for an answer, and where it is then: what the page Ask leaves to others."""

import threading
from collections import OrderedDict
from typing import Protocol
from urllib.parse import quote

from fastapi import Request
from starlette.responses import RedirectResponse, Response

from banister.apps.studio.foreseen import BudgetWords
from banister.apps.studio.kept import PREFIX, KeptAnswers
from banister.apps.studio.same import Same, same_release
from banister.apps.studio.workbench import KEPT_PLANS, AskForm, Looked, Workbench
from banister.apps.web.jobs import Job, Teller
from banister.apps.web.site import Site

ASK = "/ask"


class Till(Protocol):
    """What a place where answers are paid for says to the page Ask."""

    def frame(self, request: Request) -> dict[str, object]:
        """What stands around the page, and what it calls things."""
        ...

    def budget(self, request: Request, asked: AskForm, looked: Looked) -> BudgetWords:
        """What it would take of what there is."""
        ...

    def same(self, asked: AskForm) -> Same:
        """The command and the Python that do the same."""
        ...

    def put(self, request: Request, key: str, asked: AskForm) -> None:
        """Keep what was asked but not paid yet, under the key of the form that will pay."""
        ...

    def draft(self, request: Request, key: str) -> AskForm | None:
        """What was kept so."""
        ...

    def answered(self, request: Request, name: str) -> str:
        """Where the answer under a name is; nothing where there is none."""
        ...

    def begin(self, request: Request, name: str, asked: AskForm) -> Response:
        """Pay and draw, or find what it came to."""
        ...


class StudioTill:
    """The till of one person on one machine: her own ledger, her own answers beside the schema."""

    def __init__(self, site: Site, bench: Workbench) -> None:
        self.site = site
        self.bench = bench
        self._drafts: OrderedDict[str, AskForm] = OrderedDict()
        self._lock = threading.Lock()

    def frame(self, request: Request) -> dict[str, object]:
        return {"team": False}

    def budget(self, request: Request, asked: AskForm, looked: Looked) -> BudgetWords:
        return self.bench.budget(looked)

    def same(self, asked: AskForm) -> Same:
        return same_release(asked, str(self.bench.path))

    def put(self, request: Request, key: str, asked: AskForm) -> None:
        with self._lock:
            self._drafts[key] = asked
            while len(self._drafts) > KEPT_PLANS:
                self._drafts.popitem(last=False)

    def draft(self, request: Request, key: str) -> AskForm | None:
        with self._lock:
            return self._drafts.get(key)

    def answered(self, request: Request, name: str) -> str:
        found = KeptAnswers(self.bench.path).find(name)
        return "" if found is None else f"/answers/{quote(name)}"

    def begin(self, request: Request, name: str, asked: AskForm) -> Response:
        return self.release(name, asked)

    def release(self, name: str, asked: AskForm) -> Response:
        """Start the release under a name, or find what it came to."""
        kept, bench, site = KeptAnswers(self.bench.path), self.bench, self.site
        answers = f"/answers/{quote(name)}"
        if kept.find(name) is not None:
            return RedirectResponse(answers, status_code=303)
        plan = bench.look(asked).plan
        dataset = bench.dataset
        kept.asks(name, asked)

        def work(tell: Teller) -> str:
            def stage(words: str) -> None:
                # Until the ledger is charged it can be stopped; from then on it ends with an answer.
                (tell if words.startswith("adding up") else tell.last)(words)

            tell("waiting for other work")
            with site.mathematics:
                drawn = dataset.release(plan, key=PREFIX + name, tell=stage)
                with dataset.ledger() as book:
                    kept.keep(name, asked, drawn, ledger=book, schema=bench.path.read_text(encoding="utf-8"))
                dataset.given(drawn, PREFIX + name)
            return answers

        return site.start(name, lambda: Job("Releasing", work, again=ASK))
