"""Plans and answers in words, shared by the terminal and the report."""

import math
from typing import TYPE_CHECKING

from banister.core.exact.numbers import brief

if TYPE_CHECKING:
    from banister.release.plan import Part
    from banister.release.run import AnswerTable
    from banister.tables.reading import Day
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


def charges(count: int) -> str:
    """So many charges, in words."""
    return "1 charge" if count == 1 else f"{count} charges"


def with_interval(table: "AnswerTable", place: int, between: str = " ") -> list[str]:
    """One cell's labels and answers, each answer with its interval after something that parts them."""
    labels = dict(zip(table.names, table.labels[place], strict=True))
    row = []
    for name in table.columns:
        if name in labels:
            row.append(str(labels[name]))
            continue
        found = table.answers[name]
        value, low, high = (_said(table.read(name, x[place])) for x in (found.values, found.low, found.high))
        row.append(f"{value}{between}[{low}, {high}]")
    return row


def _said(value: "Day | float") -> str:
    return number(value) if isinstance(value, float) else str(value)


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


def describe_noise(part: "Part", size: int, confidence: float) -> list[str]:
    """Which noise was taken, and what the other kind would give."""
    parts = [
        f"{m.kind} for {_measured_for(part, place)} (deviation {number(math.sqrt(m.noise.risk_for('squared')))})"
        for place, m in enumerate(part.measured)
    ]
    parts += [f"permute-and-flip for {ladder.output.name}" for ladder in part.ladders]
    where = "for all cells of a person at once" if part.joint else "cell by cell"
    lines = [f"Noise, {where}: {', '.join(parts)}."]
    other = part.alternative
    if other is None:
        return lines
    wide = [f"{f.name} ±{number(f.half_width)}" for f in other.forecasts(size, confidence) if not f.unit]
    how = "Gaussian noise for all cells of a person at once" if other.joint else "Noise cell by cell"
    needs = f", with delta {brief(other.delta)}" if other.delta > part.delta else ""
    return [*lines, f"{how} would give {', '.join(wide)} at n={size}{needs}."]


def _measured_for(part: "Part", place: int) -> str:
    """What a measure adds up, and for which answers."""
    sums = [f.output.name for f in part.formulas if f.total == place]
    squares = [f.output.name for f in part.formulas if f.square == place]
    if sums or squares:
        return f"the sum behind {', '.join(sums)}" if sums else f"the squares behind {', '.join(squares)}"
    return part.measured[place].measure.counting.value
