"""The page Account: the ledger over time, each charge with its question, the exact total, the guarantee in words."""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from starlette.responses import RedirectResponse, Response

from banister.accounting.ledger import Ledger
from banister.accounting.terms import Entry
from banister.accounting.totals.explanation import explain
from banister.accounting.totals.total import Total, compose
from banister.apps.studio.kept import PREFIX, KeptAnswers
from banister.apps.studio.same import same_account
from banister.apps.studio.workbench import Workbench, digits_up
from banister.apps.web.pictures import picture, rows
from banister.apps.web.site import Site
from banister.core.exact.numbers import brief, brief_down
from banister.core.privacy.guarantee import Guarantee
from banister.core.privacy.region import PrivacyRegion

HERE = "/account"
SHOWN = 200
"""Charges that the page lists, the latest; the CSV file holds all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChargeRow:
    """One charge, as the page lists it."""

    number: int
    at: str
    level: str
    question: str
    answer: str
    """The address of its answer, where one is kept or can still be drawn."""
    drawn: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SpentTotals:
    """What all charges come to, by adding up and exactly; empty where a charge has no bound."""

    added: str
    exact: str
    delta: str


class AccountPages:
    """The routes of this page."""

    def __init__(self, site: Site, bench: Workbench) -> None:
        self.site = site
        self.bench = bench
        add = site.app.add_api_route
        add(HERE, self.show, methods=["GET"], response_model=None)
        add(f"{HERE}/budget.{{kind}}", self.budget, methods=["GET"], response_model=None)
        add(f"{HERE}/region.{{kind}}", self.region, methods=["GET"], response_model=None)

    async def show(self) -> Response:
        """The page."""
        if not self.bench.open:
            return RedirectResponse("/", status_code=303)
        return await self.site.computed(self._show)

    def _show(self) -> Response:
        dataset = self.bench.dataset
        if dataset.awaits_ledger():
            return self.site.page("account-none.html", here=HERE, title="Account", budget=str(dataset.schema.budget))
        with dataset.ledger() as ledger:
            entries, left = ledger.history(), ledger.remaining()
            summary, terms, address = ledger.summary(), ledger.terms, ledger.address
        level = _spent(entries, terms.budget.delta)
        return self.site.page(
            "account.html",
            here=HERE,
            title="Account",
            summary=summary,
            left=left,
            used=float(left.used),
            largest=brief_down(left.largest_epsilon),
            budget=terms.budget,
            charges=[_row(entry, KeptAnswers(self.bench.path)) for entry in reversed(entries[-SHOWN:])],
            hidden=max(0, len(entries) - SHOWN),
            totals=level,
            promise=explain(terms.budget).blocks(),
            corners=_corners(PrivacyRegion.of_guarantee(terms.budget)),
            same=same_account(address),
        )

    async def budget(self, kind: str) -> Response:
        """The budget over time: the figure of `banister ledger show --figure`, or its numbers."""
        return await self.site.computed(self._budget, kind)

    def _budget(self, kind: str) -> Response:
        with self.bench.dataset.ledger() as ledger:
            if kind == "csv":
                return _history(ledger)
            return picture(ledger.plot, kind, name="budget")

    async def region(self, kind: str) -> Response:
        """What an attacker can reach under the budget's guarantee."""
        return await self.site.computed(self._region, kind)

    def _region(self, kind: str) -> Response:
        from banister.show.regions import draw_regions

        budget = self.bench.dataset.ledger().terms.budget
        found = PrivacyRegion.of_guarantee(budget)
        if kind == "csv":
            lines = [(float(x), float(y)) for x, y in found.corners]
            return rows(("false_alarm", "missed_detection"), lines, name="region")
        return picture(lambda path: draw_regions({f"budget {budget}": found}, path), kind, name="region")


def _history(ledger: Ledger) -> Response:
    header = ("number", "time", "epsilon", "delta", "question", "hash")
    lines = [(e.sequence, e.at, e.epsilon, e.delta, e.label, e.hash) for e in ledger.history()]
    return rows(header, lines, name="budget")


def _row(entry: Entry, kept: KeptAnswers) -> ChargeRow:
    key = entry.key.removeprefix(PREFIX)
    ours = entry.key.startswith(PREFIX) and kept.asked(key) is not None
    return ChargeRow(
        number=entry.sequence,
        at=entry.at[:16].replace("T", " "),
        level=entry.in_words(),
        question=entry.label,
        answer=f"/answers/{key}" if ours else "",
        drawn=ours and kept.find(key) is not None,
    )


def _spent(entries: tuple[Entry, ...], delta: Fraction) -> SpentTotals | None:
    """The exact total of all charges at the budget's delta, each taken for what it is at most; and their sum."""
    # A claim is rounded up, so that it stays true.
    if not entries or any(entry.epsilon == "inf" for entry in entries):
        return None
    counted = Counter((Fraction(entry.epsilon), Fraction(entry.delta)) for entry in entries)
    added = sum((epsilon * count for (epsilon, _), count in counted.items()), Fraction(0))
    total: Total = compose([(Guarantee(*level), count) for level, count in counted.items()])
    exact = total.epsilon(delta=delta)
    return SpentTotals(added=brief(added), exact=digits_up(Fraction(exact), 4), delta=brief(delta))


def _corners(region: PrivacyRegion) -> str:
    """The boundary for the page's own drawing: pairs of false alarm and missed detection."""
    return " ".join(f"{float(x):.6f},{float(y):.6f}" for x, y in region.corners)
