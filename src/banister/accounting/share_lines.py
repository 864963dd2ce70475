"""Shares as a ledger's lines write them: one line states them, every line carries what each of them has used."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from banister.accounting.filters import Filter
from banister.accounting.shares import BudgetShare, HeldShare, Opening, SharedOut, Totals
from banister.core.privacy.guarantee import Guarantee

STATED = "shares"
"""The kind of line that states shares; all others are charges, or the terms."""


@dataclass(frozen=True, slots=True)
class ShareTotals:
    """What every share has used, in the order of the line that states them."""

    line: int
    totals: tuple[Totals, ...]

    def document(self) -> dict[str, object]:
        """As it stands in a line."""
        return {"line": self.line, "used": [[_written(total) for total in totals] for totals in self.totals]}

    @classmethod
    def of_document(cls, found: Any, number: Any) -> "ShareTotals | None":
        """Read it back; `number` reads a fraction. Whatever it cannot be raises as a document of another shape does."""
        if found is None:
            return None
        used = tuple(tuple(None if text == "inf" else number(text) for text in totals) for totals in found["used"])
        if not isinstance(found["line"], int):
            raise TypeError("not the number of a line")
        return cls(found["line"], used)


def stated_document(held: tuple[HeldShare, ...]) -> list[dict[str, object]]:
    """The shares as a line states them."""
    return [
        {
            "analyst": each.share.analyst,
            "project": each.share.project,
            "epsilon": str(each.share.guarantee.epsilon),
            "delta": str(each.share.guarantee.delta),
            "opens": None
            if each.share.opens is None
            else {"start": each.share.opens.start, "months": each.share.opens.months},
            "filter": each.filter.document(),
        }
        for each in held
    ]


def stated_of(sequence: int, found: Any) -> SharedOut:
    """The shares that a line states."""
    return SharedOut(sequence, tuple(_held(each) for each in found))


def _held(found: Any) -> HeldShare:
    opens = found["opens"]
    share = BudgetShare(
        guarantee=Guarantee(Fraction(found["epsilon"]), Fraction(found["delta"])),
        analyst=found["analyst"],
        project=found["project"],
        opens=None if opens is None else Opening(start=opens["start"], months=opens["months"]),
    )
    return HeldShare(share, Filter.of_document(found["filter"]))


def _written(total: Fraction | None) -> str:
    return "inf" if total is None else str(total)
