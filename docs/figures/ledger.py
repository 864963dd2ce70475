"""Draw docs/figures/budget.svg: two months of questions to one ledger. Run: python docs/figures/ledger.py"""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from banister.accounting import book as book
from banister.accounting.charge import Charge
from banister.accounting.filters import AsYouGo, filter_for
from banister.accounting.stores.memory import MemoryStore
from banister.accounting.terms import Terms, standing_of
from banister.core.privacy.guarantee import Guarantee, Neighbours
from banister.show.budget import BudgetMoment, draw_budget

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
BUDGET = Guarantee(1, "1e-6")
SIZES = ("0.01", "0.02", "0.05", "0.02", "0.01", "0.08", "0.02")


def main() -> None:
    """Charge a ledger in memory, a question every 31 hours, with sizes in turn."""
    accountant = filter_for(BUDGET, AsYouGo())
    terms = Terms(budget=BUDGET, neighbours=Neighbours.REPLACE, accountant=accountant, created=START.isoformat())
    store = MemoryStore(terms.line())
    moments = [BudgetMoment(START.isoformat(), 0.0, float(accountant.largest_epsilon(accountant.start())))]
    for number in range(40):
        at = (START + timedelta(hours=31 * number + 5)).isoformat()
        cost = Guarantee(SIZES[number % len(SIZES)])
        book.write_charge(store, terms, Charge.of(cost, label="question", neighbours=Neighbours.REPLACE), at=at)
        left = book.remaining_after(terms, standing_of(store.last(), terms).totals, number + 1)
        moments.append(BudgetMoment(at, float(left.used), float(left.largest_epsilon)))
    draw_budget(moments, Path(__file__).with_name("budget.svg"), title=f"Budget {BUDGET}, as you go")


if __name__ == "__main__":
    main()
