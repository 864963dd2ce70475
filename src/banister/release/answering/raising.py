"""Answers that cannot be below 0, raised to 0 after the noise was drawn."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from banister.release.aggregates.aggregate import Aggregate, Answer
from banister.release.answering.consistent import above_zero, additive

if TYPE_CHECKING:
    from banister.release.planning.plan import Part, Plan
    from banister.release.run import AnswerTable


def all_raised(plan: "Plan", tables: "Sequence[AnswerTable]") -> "tuple[AnswerTable, ...]":
    """No answer below 0 that cannot be; those that agree go on to agree."""
    together: dict[int, dict[str, Answer]] = {place: {} for place in range(len(tables))}
    for family in plan.families:
        formulas = {place: plan.parts[place].formulas for place in family.places}
        for names in additive(family, formulas).values():
            found = {place: tables[place].answers[name] for place, name in names.items()}
            for place, raised in above_zero(family, found).items():
                together[place][names[place]] = raised
    pairs = zip(tables, plan.parts, strict=True)
    return tuple(_raised(table, part, together[place]) for place, (table, part) in enumerate(pairs))


def _raised(table: "AnswerTable", part: "Part", together: Mapping[str, Answer]) -> "AnswerTable":
    before = table.answers
    moved = {**before, **together}
    answers = {f.name: _never_below_zero(f.aggregate, moved[f.name]) for f in part.formulas}
    lifted = [np.flatnonzero((before[name].values < 0) & (answers[name].values >= 0)) for name in answers]
    return replace(table, answers=answers, raised=frozenset(place for places in lifted for place in places.tolist()))


def _never_below_zero(aggregate: Aggregate, found: Answer) -> Answer:
    """The answer with what cannot be below 0 raised to 0."""
    if aggregate.can_be_below_zero():
        return found
    return Answer(np.maximum(found.values, 0), np.maximum(found.low, 0), np.maximum(found.high, 0))
