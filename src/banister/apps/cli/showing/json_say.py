"""Plans, answers and budgets as one JSON document each, for programs that read what people would."""

import json
import math
from typing import TYPE_CHECKING

from banister.release.answering.answers import columns_of

if TYPE_CHECKING:
    from banister.accounting.ledger import Ledger
    from banister.accounting.terms import Entry
    from banister.release.answering.answers import Answers
    from banister.release.finer import RungTables
    from banister.release.planning.plan import Plan

Document = dict[str, object]


def print_document(document: Document) -> None:
    """Print a document; numbers that JSON has no word for are null."""
    print(json.dumps(document, indent=1, default=str, allow_nan=False))


def plan_document(plan: "Plan") -> Document:
    """A plan: what it costs, and what to expect of every answer by cell size."""
    parts = [
        {
            "question": part.question.text,
            "epsilon": str(part.epsilon),
            "delta": str(part.delta),
            "answers": [
                {
                    "name": forecast.name,
                    "n": size,
                    "half_width": _finite(forecast.half_width),
                    "typical": _finite(forecast.error),
                    "laplace": _finite(forecast.laplace),
                    "unit": forecast.unit,
                }
                for size in plan.sizes
                for forecast in part.forecasts(size, plan.confidence)
            ],
        }
        for part in plan.parts
    ]
    return {**_level(plan), "confidence": plan.confidence, "plan": plan.digest, "questions": parts}


def answers_document(answers: "Answers") -> Document:
    """Answers with their intervals, a list of rows for each question, and the proof of the charge."""
    tables = [columns_of(table) for table in answers.tables]
    rows = [[dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)] for table in tables]
    left = str(answers.remaining.largest_epsilon)
    return {**_level(answers.plan), "answers": rows, "proof": answers.proof, "head": answers.head, "still_fits": left}


def rungs_document(found: "RungTables") -> Document:
    """The answers of one rung with their intervals, and how to open the next one."""
    tables = [columns_of(table) for table in found.tables]
    rows = [[dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)] for table in tables]
    finer = [str(each) for each in found.finer]
    shared = {"epsilon": str(found.epsilon), "charge": found.charge, "sealed": str(found.sealed), "finer": finer}
    return {"format": 1, **shared, "confidence": found.confidence, "answers": rows}


def budget_document(book: "Ledger") -> Document:
    """What is left, and every charge."""
    left, terms = book.remaining(), book.terms
    charges = [
        {"number": e.sequence, "at": e.at, **_charged(e), "label": e.label, "hash": e.hash} for e in book.history()
    ]
    return {
        "format": 1,
        "ledger": book.address,
        "epsilon": str(terms.budget.epsilon),
        "delta": str(terms.budget.delta),
        "neighbours": terms.neighbours.value,
        "used": float(left.used),
        "still_fits": str(left.largest_epsilon),
        "charges": charges,
        "head": book.head,
    }


def _charged(entry: "Entry") -> Document:
    """What a charge keeps; 'inf' where its loss has no bound, and the line does not say what was asked for."""
    level = entry.level
    if level is None:
        return {"epsilon": "inf", "delta": entry.delta}
    return {"epsilon": str(level.epsilon), "delta": str(level.delta)}


def _level(plan: "Plan") -> Document:
    return {
        "format": 1,
        "epsilon": str(plan.guarantee.epsilon),
        "delta": str(plan.guarantee.delta),
        "neighbours": plan.neighbours.value,
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
