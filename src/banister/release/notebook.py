"""How tables, plans and answers look in a notebook: short tables, every text in them escaped."""

from typing import TYPE_CHECKING

from banister.core.exact.numbers import brief
from banister.core.exact.written import all_apart, apart
from banister.release.answering.wording import (
    charges,
    describe_looked,
    describe_person,
    number,
    still_fits,
    with_interval,
)
from banister.show.page import Block, Code, PageTable, Paragraph
from banister.tables.calendar import date_of
from banister.tables.zones import DAY

if TYPE_CHECKING:
    from banister.release.answering.answers import Answers
    from banister.release.dataset import Dataset
    from banister.release.drafting.draft import Draft
    from banister.release.planning.plan import Plan
    from banister.release.profile.plan import LookPlan
    from banister.release.profile.profile import Profile
    from banister.release.run import AnswerTable
    from banister.tables.columns import Column

SHOWN = 40
"""Rows of answers that a notebook shows."""


def _html(blocks: "list[Block]") -> str:
    return "".join(block.html() for block in blocks)


def dataset_html(dataset: "Dataset") -> str:
    """What is declared, and nothing of what is in the table."""
    schema = dataset.schema
    rows = [[column.name, column.kind.value, _declared(column)] for column in schema.main.columns]
    budget = "no budget" if schema.budget is None else f"budget {schema.budget}"
    words = f"{describe_person(schema)} {schema.neighbours.value} neighbours, {budget}."
    return _html([Paragraph(words), *(Paragraph(line) for line in describe_looked(schema)), _columns(rows)])


def _columns(rows: list[list[str]]) -> PageTable:
    return PageTable(["column", "kind", "what is public"], rows, 3)


def _declared(column: "Column") -> str:
    if column.blank:
        return "still to be filled in"
    if column.values is not None:
        listed = ", ".join(str(value) for value in column.values[:8])
        return f"{listed}{', ...' if len(column.values) > 8 else ''}"
    if column.kind.value == "category":
        return "values unknown"
    if column.kind.dated:
        days = [date_of(int(end) // (1 if column.kind.value == "date" else DAY)) for end in (column.low, column.high)]
        return f"{days[0].isoformat()} to {days[1].isoformat()}{', ' + column.zone if column.zone else ''}"
    return all_apart(f"{brief(column.low)} to {brief(column.high)}")


def plan_html(plan: "Plan") -> str:
    """What a plan costs and what to expect."""
    blocks: list[Block] = [Paragraph(f"Plan at {plan.guarantee}, {plan.neighbours.value} neighbours.")]
    blocks += [Paragraph(line) for line in describe_looked(plan.schema)]
    for part in plan.parts:
        wide = [part.forecasts(size, plan.confidence) for size in plan.sizes]
        rows = [[f.name, *(f"{number(w[place].half_width)} {f.unit}" for w in wide)] for place, f in enumerate(wide[1])]
        blocks += [
            Code(part.question.text),
            PageTable(["answer", *(f"± at n = {apart(n)}" for n in plan.sizes)], rows, 1),
        ]
    return _html(blocks)


def table_html(table: "AnswerTable") -> str:
    """The answers to one question, each with its interval."""
    rows = [with_interval(table, place) for place in range(min(len(table), SHOWN))]
    more = [Paragraph(f"The first {SHOWN} of {len(table)} rows.")] if len(table) > SHOWN else []
    return _html([PageTable(table.columns, rows, len(table.names)), *more])


def answers_html(answers: "Answers") -> str:
    """All answers, and what is left of the budget."""
    left = answers.remaining
    words = (
        f"In brackets: {answers.plan.confidence:.0%} intervals. Charged {answers.plan.guarantee}; "
        f"{charges(left.charges)} so far; the largest epsilon that still fits is {still_fits(left.largest_epsilon)}."
    )
    return "".join(table_html(table) for table in answers.tables) + _html([Paragraph(words)])


def look_plan_html(plan: "LookPlan") -> str:
    """What a look will draw, and what it costs."""
    words = f"A private look at {plan.guarantee}, {plan.neighbours.value} neighbours: {len(plan.pieces)} histograms."
    rows = [[column.name, column.kind.value, _declared(column)] for column in plan.schema.main.columns]
    return _html([Paragraph(words), _columns(rows)])


def draft_html(draft: "Draft") -> str:
    """The questions of a draft, with what was answered and what is proposed."""
    rows = [[one.key, one.ask, draft.answers.get(one.key, ""), one.proposal] for one in draft.questions]
    return _html([PageTable(["key", "question", "answer", "proposed"], rows, 4)])


def profile_html(profile: "Profile") -> str:
    """A look, with its small pictures."""
    from banister.release.profile.page import look_blocks

    return _html(look_blocks(profile))
