"""Plans and answers in words, shared by the terminal and the report."""

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from banister.recipes.plan_release import Part
    from banister.recipes.release import AnswerTable
    from banister.tables.schema import Schema


def number(value: float) -> str:
    """A number as a person would write it: four digits, thousands apart.

    >>> number(12345.6), number(0.0123456), number(3.0)
    ('12 346', '0.01235', '3')
    """
    if math.isnan(value):
        return "-"
    if abs(value) >= 1000:
        return f"{value:,.0f}".replace(",", " ")
    text = f"{value:.4g}"
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def with_interval(table: "AnswerTable", place: int) -> list[str]:
    """One cell's labels and answers, each answer with its interval."""
    labels = dict(zip(table.names, table.labels[place], strict=True))
    row = []
    for name in table.columns:
        if name in labels:
            row.append(str(labels[name]))
            continue
        found = table.answers[name]
        low, high = number(float(found.low[place])), number(float(found.high[place]))
        row.append(f"{number(float(found.values[place]))} [{low}, {high}]")
    return row


def describe_person(schema: "Schema") -> str:
    """Whom the guarantee protects."""
    if schema.main.person is None:
        return "One row is one person."
    return f"Protected: everyone named in '{schema.main.person}', with all of their rows."


def describe_reach(part: "Part") -> str:
    """What of one person counts."""
    if not part.question.personal:
        return "Each row counts in one group."
    reach = part.reach
    rows = "row" if reach.rows == 1 else "rows"
    groups = "group" if reach.groups == 1 else "groups"
    how = "proposed: all there are" if reach.proposed else "declared"
    return f"A person counts with at most {reach.rows} {rows} a group, in at most {reach.groups} {groups} ({how})."
