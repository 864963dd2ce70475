"""Answers as they are kept between the charge and the caller: every label and every number, exactly."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from banister.accounting.kept import KeptRequest, array_of, array_text, paid_once
from banister.accounting.ledger import Ledger
from banister.accounting.receipt import Receipt
from banister.errors import BadValue
from banister.files import check_space
from banister.questions.question import Label
from banister.release.aggregates.aggregate import Answer
from banister.release.planning.plan import Plan
from banister.release.run import AnswerTable, Released
from banister.tables.calendar import date_of
from banister.tables.reading import EPOCH, Day

CELL_BYTES = 64
"""About what one number of an answer takes in a file, in any of the formats."""


def kept_request(plan: Plan, key: str, *, non_negative: bool) -> KeptRequest:
    """What is asked under a key: the plan, how sure its intervals are, and what is done after the draw."""
    text = "\n".join([plan.digest, repr(plan.confidence), str(non_negative)])
    return KeptRequest(
        key=key,
        plan=hashlib.sha256(text.encode()).hexdigest(),
        label=plan.label,
        epsilon=str(plan.guarantee.epsilon),
        delta=str(plan.guarantee.delta),
    )


@dataclass(frozen=True, slots=True)
class KeptUnder:
    """How a release under a key is safe: what was drawn is on disk before the caller has it (the port `run.Safe`)."""

    key: str
    non_negative: bool

    def begun(self, ledger: Ledger) -> bool:
        """Whether it was asked for before, so that its charge may be in the ledger already."""
        return ledger.kept is not None and ledger.kept.asked(self.key) is not None

    def once(
        self, plan: Plan, ledger: Ledger, *, charge: Callable[[str], Receipt], draw: Callable[[Receipt], Released]
    ) -> Released:
        """Charge and draw, or give what was drawn before."""
        kept = ledger.kept
        if kept is None:
            return draw(charge(""))
        asked = kept_request(plan, self.key, non_negative=self.non_negative)
        check_space(kept.place, answer_bytes(plan))
        found = paid_once(kept, asked, charge=charge, draw=lambda receipt: document_of(draw(receipt)))
        return released_of(plan, found, non_negative=self.non_negative)

    def fetched(self, plan: Plan, ledger: Ledger) -> Released | None:
        """What is kept, or nothing. No engine is asked."""
        if ledger.kept is None:
            return None
        found = ledger.kept.fetch(kept_request(plan, self.key, non_negative=self.non_negative))
        return None if found is None else released_of(plan, found, non_negative=self.non_negative)


def answer_bytes(plan: Plan) -> int:
    """About how many bytes the answers to a plan take; values that are not declared are counted as a thousand."""
    return CELL_BYTES * sum((part.question.cells or 1000) * (3 * len(part.question.columns) + 1) for part in plan.parts)


def document_of(released: Released) -> dict[str, object]:
    """What was drawn, as a JSON object."""
    return {"proof": released.proof, "tables": [_table_document(table) for table in released.tables]}


def released_of(plan: Plan, document: Mapping[str, object], *, non_negative: bool) -> Released:
    """What was drawn, read back."""
    try:
        proof, tables = document["proof"], cast(Sequence[Mapping[str, object]], document["tables"])
        if not isinstance(proof, str) or len(tables) != len(plan.parts):
            raise TypeError
        return Released(plan, tuple(_table_of(table) for table in tables), proof, non_negative)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise BadValue(
            "What is kept under this key is not an answer as banister keeps them. Nothing was charged or drawn; "
            "restore it from a copy."
        ) from None


def _table_document(table: AnswerTable) -> dict[str, object]:
    return {
        "names": list(table.names),
        "labels": [[_label_document(label) for label in row] for row in table.labels],
        "columns": list(table.columns),
        "answers": [[name, *map(array_text, (a.values, a.low, a.high))] for name, a in table.answers.items()],
        "whole": sorted(table.whole),
        "dates": sorted(table.dates),
        "consistent": sorted(table.consistent),
        "raised": None if table.raised is None else sorted(table.raised),
    }


def _table_of(found: Mapping[str, object]) -> AnswerTable:
    def texts(name: str) -> list[str]:
        return [str(text) for text in cast(Sequence[object], found[name])]

    raised = cast("Sequence[int] | None", found["raised"])
    labels = cast(Sequence[Sequence[object]], found["labels"])
    answers = cast(Sequence[Sequence[str]], found["answers"])
    return AnswerTable(
        names=tuple(texts("names")),
        labels=tuple(tuple(_label_of(label) for label in row) for row in labels),
        columns=tuple(texts("columns")),
        answers={name: Answer(*map(array_of, numbers)) for name, *numbers in answers},
        whole=frozenset(texts("whole")),
        dates=frozenset(texts("dates")),
        consistent=frozenset(texts("consistent")),
        raised=None if raised is None else frozenset(raised),
    )


def _label_document(label: Label) -> object:
    """A label; JSON has no dates, so a day stands in a list, as its number since 1970."""
    return [label.toordinal() - EPOCH] if isinstance(label, Day) else label


def _label_of(found: object) -> Label:
    return date_of(*found) if isinstance(found, list) else cast(Label, found)
