"""The page Account: the ledger over time, each charge with its question, the exact total, the guarantee in words."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from starlette.responses import RedirectResponse, Response

from banister import need
from banister.accounting.ledger import Ledger
from banister.accounting.terms import Entry
from banister.accounting.totals.explanation import explain
from banister.accounting.totals.total import Total, compose
from banister.apps.studio.kept import PREFIX, KeptAnswers
from banister.apps.studio.look import KeptLooks
from banister.apps.studio.publish import PublishedCopies
from banister.apps.studio.same import same_account
from banister.apps.studio.workbench import Workbench, digits_up
from banister.apps.web.pictures import picture, rows
from banister.apps.web.site import Site
from banister.core.exact.numbers import brief, brief_down
from banister.core.privacy.guarantee import Guarantee
from banister.core.privacy.region import PrivacyRegion
from banister.show.narrow import NARROW_INCHES

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
        add(f"{HERE}/further", self.further, methods=["GET"], response_model=None)
        add(f"{HERE}/budget-narrow.svg", self.narrow, methods=["GET"], response_model=None)
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
        level = _spent(_levels(entries), terms.budget.delta)
        return self.site.page(
            "account.html",
            here=HERE,
            title="Account",
            summary=summary,
            left=left,
            used=float(left.used),
            largest=brief_down(left.largest_epsilon),
            budget=terms.budget,
            charges=[_row(entry, self.bench.path) for entry in reversed(entries[-SHOWN:])],
            hidden=max(0, len(entries) - SHOWN),
            totals=level,
            steps=self.bench.steps(),
            promise=explain(terms.budget).blocks(),
            corners=_corners(PrivacyRegion.of_guarantee(terms.budget)),
            same=same_account(address),
        )

    async def further(self, epsilon: str = "") -> Response:
        """What one more question of one number would cost, while a slider moves."""
        return await self.site.computed(self._further, epsilon.strip())

    def _further(self, epsilon: str) -> Response:
        cost = Guarantee(need.positive("epsilon", epsilon or "0"))
        with self.bench.dataset.ledger() as ledger:
            entries, terms = ledger.history(), ledger.terms
            left = ledger.fitting((cost,), neighbours=terms.neighbours)[1]
        facts = {
            "epsilon": brief(cost.epsilon),
            "left": None if left is None else brief_down(left.largest_epsilon),
            "used": None if left is None else f"{100 * float(left.used):.1f}",
            "measure": "" if left is None else left.measure,
            "totals": _spent([*_levels(entries), (cost.epsilon, Fraction(0))], terms.budget.delta),
        }
        return self.site.page("further.html", **facts)

    async def budget(self, kind: str) -> Response:
        """The budget over time: the figure of `banister ledger show --figure`, or its numbers."""
        return await self.site.computed(self._budget, kind)

    def _budget(self, kind: str) -> Response:
        with self.bench.dataset.ledger() as ledger:
            if kind == "csv":
                return history_file(ledger)
            return picture(ledger.plot, kind, name="budget")

    async def narrow(self) -> Response:
        """The same figure for a phone: a step at its right end would be out of sight."""
        return await self.site.computed(self._narrow)

    def _narrow(self) -> Response:
        with self.bench.dataset.ledger() as ledger:
            return narrow_budget(ledger)

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


def narrow_budget(ledger: Ledger) -> Response:
    """The budget over time, as wide as a phone."""
    return picture(lambda path: ledger.plot(path, width_inches=NARROW_INCHES), "svg", name="budget-narrow")


def history_file(ledger: Ledger) -> Response:
    """Every charge, as a CSV file."""
    header = ("number", "time", "epsilon", "delta", "question", "hash")
    lines = [(e.sequence, e.at, e.epsilon, e.delta, e.label, e.hash) for e in ledger.history()]
    return rows(header, lines, name="budget")


def _row(entry: Entry, schema: Path) -> ChargeRow:
    key, kept = entry.key.removeprefix(PREFIX), KeptAnswers(schema)
    ours = entry.key.startswith(PREFIX)
    asked = ours and kept.asked(key) is not None
    copied = ours and not asked and PublishedCopies(schema).done(key)
    looked = ours and not asked and not copied and KeptLooks(schema).page(key).exists()
    return ChargeRow(
        number=entry.sequence,
        at=entry.at[:16].replace("T", " "),
        level=entry.in_words(),
        question=entry.label,
        answer=f"/answers/{key}" if asked else f"/published/{key}" if copied else f"/looks/{key}" if looked else "",
        drawn=copied or looked or (asked and kept.find(key) is not None),
    )


Level = tuple[Fraction, Fraction]


def _levels(entries: Sequence[Entry]) -> list[Level | None]:
    """What each charge is at most; nothing where it has no bound."""
    levels = [entry.level for entry in entries]
    return [None if level is None else (level.epsilon, level.delta) for level in levels]


def _spent(levels: Sequence[Level | None], delta: Fraction) -> SpentTotals | None:
    """The exact total of all charges at the budget's delta, each taken for what it is at most; and their sum."""
    # A claim is rounded up, so that it stays true.
    known = [level for level in levels if level is not None]
    if not known or len(known) < len(levels):
        return None
    counted = Counter(known)
    added = sum((epsilon * count for (epsilon, _), count in counted.items()), Fraction(0))
    total: Total = compose([(Guarantee(*level), count) for level, count in counted.items()])
    exact = total.epsilon(delta=delta)
    return SpentTotals(added=brief(added), exact=digits_up(Fraction(exact), 4), delta=brief(delta))


def _corners(region: PrivacyRegion) -> str:
    """The boundary for the page's own drawing: pairs of false alarm and missed detection."""
    return " ".join(f"{float(x):.6f},{float(y):.6f}" for x, y in region.corners)
