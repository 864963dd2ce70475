"""Answers as they are kept between the charge and the caller: every label and every number, exactly."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from banister.accounting.kept import UNKEPT, Begun, KeptRequest, array_of, array_text, paid_and_kept
from banister.accounting.ledger import Ledger
from banister.accounting.receipt import Receipt
from banister.errors import BadValue
from banister.files import check_space
from banister.questions.question import Label
from banister.release.aggregates.aggregate import Answer
from banister.release.planning.plan import Plan
from banister.release.run import AnswerTable, Released
from banister.tables.calendar import date_of, moment_of
from banister.tables.reading import EPOCH, Day, Moment
from banister.tables.zones import DAY

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
    begun: bool = False
    asked: KeptRequest | None = None
    """What is asked, once it was looked for."""

    def looked(self, plan: Plan, ledger: Ledger) -> "tuple[KeptUnder, Released | None]":
        """Whether it was begun, and what is kept, or nothing. No engine is asked."""
        kept = ledger.kept
        if kept is None:
            return self, None
        asked = kept_request(plan, self.key, non_negative=self.non_negative)
        begun, found = kept.look(asked)
        done = None if found is None else released_of(plan, found, non_negative=self.non_negative)
        return replace(self, begun=begun, asked=asked), done

    def once(
        self, plan: Plan, ledger: Ledger, *, charge: Callable[[Begun], Receipt], draw: Callable[[Receipt], Released]
    ) -> Released:
        """Charge and draw; what was kept in the meantime is given instead."""
        kept = ledger.kept
        if kept is None:
            return draw(charge(UNKEPT))
        asked = self.asked or kept_request(plan, self.key, non_negative=self.non_negative)
        check_space(kept.place, answer_bytes(plan))
        drawn: list[Released] = []

        def document(receipt: Receipt) -> dict[str, object]:
            drawn.append(draw(receipt))
            return document_of(drawn[0])

        found, ours = paid_and_kept(kept, asked, charge=charge, draw=document)
        return drawn[0] if ours else released_of(plan, found, non_negative=self.non_negative)


def answer_bytes(plan: Plan) -> int:
    """About how many bytes the answers to a plan take; values that are not declared are counted as a thousand."""
    return CELL_BYTES * sum((part.question.cells or 1000) * (3 * len(part.question.columns) + 1) for part in plan.parts)


def document_of(released: Released) -> dict[str, object]:
    """What was drawn, as a JSON object."""
    return {"proof": released.proof, "tables": [table_document(table) for table in released.tables]}


def released_of(plan: Plan, document: Mapping[str, object], *, non_negative: bool) -> Released:
    """What was drawn, read back."""
    try:
        proof, tables = document["proof"], cast(Sequence[Mapping[str, object]], document["tables"])
        if not isinstance(proof, str) or len(tables) != len(plan.parts):
            raise TypeError
        return Released(plan, tuple(table_of(table) for table in tables), proof, non_negative)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise BadValue(
            "What is kept under this key is not an answer as banister keeps them. Nothing was charged or drawn; "
            "restore it from a copy."
        ) from None


def table_document(table: AnswerTable) -> dict[str, object]:
    """The answers to one question, as a JSON object."""
    return {
        "names": list(table.names),
        "labels": [[label_document(label) for label in row] for row in table.labels],
        "columns": list(table.columns),
        "answers": [[name, *_numbers(answer)] for name, answer in table.answers.items()],
        "whole": sorted(table.whole),
        "dates": sorted(table.dates),
        "moments": sorted(table.moments),
        "consistent": sorted(table.consistent),
        "decoded": sorted(table.decoded),
        "cut": None if table.cut is None else _numbers(table.cut),
        "raised": None if table.raised is None else sorted(table.raised),
    }


def _numbers(answer: Answer) -> list[str]:
    """An answer and the ends of its interval, every bit of them."""
    return [array_text(each) for each in (answer.values, answer.low, answer.high)]


def table_of(found: Mapping[str, object]) -> AnswerTable:
    """The answers to one question, read back."""

    def texts(name: str) -> list[str]:
        return [str(text) for text in cast(Sequence[object], found[name])]

    raised = cast("Sequence[int] | None", found["raised"])
    labels = cast(Sequence[Sequence[object]], found["labels"])
    answers = cast(Sequence[Sequence[str]], found["answers"])
    cut = cast("Sequence[str] | None", found.get("cut"))  # What was kept before there was one has none.
    return AnswerTable(
        names=tuple(texts("names")),
        labels=tuple(tuple(label_of(label) for label in row) for row in labels),
        columns=tuple(texts("columns")),
        answers={name: Answer(*map(array_of, numbers)) for name, *numbers in answers},
        whole=frozenset(texts("whole")),
        dates=frozenset(texts("dates")),
        moments=frozenset(texts("moments")) if "moments" in found else frozenset(),
        consistent=frozenset(texts("consistent")),
        decoded=frozenset(texts("decoded")) if "decoded" in found else frozenset(),
        cut=None if cut is None else Answer(*map(array_of, cut)),
        raised=None if raised is None else frozenset(raised),
    )


def label_document(label: Label) -> object:
    """A label; JSON has no dates, so a day stands in a list, as its number since 1970, and behind it its second."""
    if label is None or isinstance(label, str | int):  # Nearly every label; to ask what is a date takes long.
        return label
    if isinstance(label, Moment):
        return [label.toordinal() - EPOCH, 3600 * label.hour + 60 * label.minute + label.second]
    return [label.toordinal() - EPOCH] if isinstance(label, Day) else label


def label_of(found: object) -> Label:
    """The label that `label_document` wrote."""
    if isinstance(found, list) and len(found) == 2:
        return moment_of(found[0] * DAY + found[1])
    return date_of(*found) if isinstance(found, list) else cast(Label, found)
