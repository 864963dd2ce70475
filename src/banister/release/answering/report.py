"""The report of a release: answers, charts, the guarantee in words, the plan, and what is left."""

import math
from pathlib import Path
from typing import TYPE_CHECKING

from banister.accounting.totals.explanation import explain
from banister.core.exact.numbers import brief
from banister.core.exact.written import apart
from banister.release.answering.picture import charts_of
from banister.release.answering.wording import (
    about_intervals,
    charges,
    describe_looked,
    describe_noise,
    describe_person,
    describe_reach,
    describe_trade,
    number,
    still_fits,
    with_interval,
)
from banister.release.planning.plan import Part, Plan
from banister.release.run import AnswerTable
from banister.show.page import Chapter, PageTable, write_page

if TYPE_CHECKING:
    from banister.release.answering.answers import Answers

SHOWN = 1000
"""Rows of a table that a page shows; files hold all of them."""

RAISED = " Answers that cannot be below 0 were raised to 0 after the noise was drawn, which costs no privacy."
AGREED = (
    " Questions about the same rows were made to agree after the noise was drawn, which costs no privacy: totals equal "
    "the sums of their parts. Rows outside the declared values of any of these questions are in none of them."
)


def write_report(answers: "Answers", path: Path) -> Path:
    """Write the page."""
    plan = answers.plan
    sections = [
        _answers(table, part, plan, answers.non_negative)
        for table, part in zip(answers.tables, plan.parts, strict=True)
    ]
    sections += [_guarantee(plan), _plan(plan), _budget(answers)]
    return write_page(path, "Private answers", sections)


def _answers(table: AnswerTable, part: Part, plan: Plan, raised: bool) -> Chapter:
    charts = charts_of(table, part, plan.confidence)
    rows = [with_interval(table, place) for place in range(min(len(table), SHOWN))]
    more = f" The first {SHOWN} of {len(table)} rows are shown." if len(table) > SHOWN else ""
    note = (
        f"Each answer is random around the exact one. {about_intervals(table, part, plan.confidence)}{more}"
        f"{RAISED if raised else ''}{AGREED if table.consistent else ''}"
    )
    return Chapter("Answers", [note], part.question.text, charts, [PageTable(table.columns, rows, len(table.names))])


def _guarantee(plan: Plan) -> Chapter:
    level = plan.guarantee
    words = (
        f"{describe_person(plan.schema)} Whatever anyone knows, these answers are nearly as likely with the data of "
        f"one person as {'without' if plan.neighbours.value == 'add-remove' else 'with those of another in place of'} "
        f"them: probabilities change by a factor of at most e^{brief(level.epsilon)} = "
        f"{math.exp(float(level.epsilon)):.3g}"
        + (f", but for a chance of {brief(level.delta)}. " if level.delta else ". ")
        + "It adds up with every further release."
    )
    return Chapter("What this gives away", [words], points=explain(level).blocks())


def _plan(plan: Plan) -> Chapter:
    grids = []
    for part in plan.parts:
        sizes = plan.sizes
        at = [f"at n = {apart(size)}" for size in sizes]
        header = ["answer", *(f"± {each}" for each in at), f"typical {at[1]}", "Laplace would be"]
        wide = [part.forecasts(size, plan.confidence) for size in sizes]
        rows = [
            [f.name, *(f"{number(w[place].half_width)} {f.unit}" for w in wide), number(f.error), number(f.laplace)]
            for place, f in enumerate(wide[1])
        ]
        grids.append(PageTable(header, rows, 1, part.question.text))
        noise = [
            [
                f"{m.measure.counting.value}",
                m.kind,
                m.paid,
                str(m.share.touches),
                number(m.share.sensitivity),
            ]
            for m in part.measured
        ]
        grids.append(PageTable(["measured", "noise", "epsilon", "cells a person touches", "sensitivity"], noise, 2))
    reach = [
        " ".join(
            [
                describe_reach(part),
                *describe_noise(part, plan.sizes[1], plan.confidence),
                *describe_trade(part, plan.sizes[1], plan.confidence),
            ]
        )
        for part in plan.parts
    ]
    reach = [*describe_looked(plan.schema), *reach]
    return Chapter("The plan, made before any record was read", [*reach, f"Plan {plan.digest}"], "", (), grids)


def _budget(answers: "Answers") -> Chapter:
    level = answers.plan.guarantee
    words = (
        f"This release keeps (epsilon {brief(level.epsilon)}, delta {brief(level.delta)}) and was charged to a "
        f"budget of {answers.budget}, by its exact loss where it fits. {charges(answers.remaining.charges)} so far; "
        f"the largest epsilon that still fits is {still_fits(answers.remaining.largest_epsilon)}."
    )
    head = (
        f"Head of the ledger: {answers.head}. Whoever keeps this line can ask for `banister ledger verify --proof` "
        "with it: a ledger that was rolled back or rewritten since does not hold it."
    )
    return Chapter("The budget", [words, f"Proof of the charge: {answers.proof}", head])
