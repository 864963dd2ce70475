"""Plans and answers in words, shared by the terminal and the report."""

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from banister.core.exact.numbers import brief, brief_down
from banister.core.exact.written import apart
from banister.questions.after import names_in

if TYPE_CHECKING:
    from banister.release.planning.plan import Part
    from banister.release.run import AnswerTable
    from banister.tables.reading import Day
    from banister.tables.schema import Schema


def number(value: float) -> str:
    """A number as a person would write it: four digits, thousands apart.

    >>> number(12345.6), number(0.0123456), number(3.0)
    ('12\\xa0346', '0.01235', '3')
    """
    if math.isnan(value):
        return "-"
    if abs(value) >= 1000:
        return apart(value, ".0f")
    text = f"{value:.4g}"
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def still_fits(largest: Fraction) -> str:
    """The largest epsilon of a pure charge that still fits, and why a release may fit with more.

    >>> still_fits(Fraction(1, 2))
    '0.5 in a charge of one number (several together may fit with more: their exact loss is charged)'
    """
    return (
        f"{brief_down(largest)} in a charge of one number (several together may fit with more: their exact loss is "
        "charged)"
    )


def describe_trade(part: "Part", size: int, confidence: float) -> list[str]:
    """Why an answer is typically less accurate than the textbook's would be, where one is."""
    worse = [f.name for f in part.forecasts(size, confidence) if f.error > f.laplace]
    if not worse:
        return []
    why = (
        "a part of epsilon pays for which values appear, which the textbook leaves out"
        if part.question.open
        else "epsilon is not shared out equally, so that the errors of all answers together, each against what one "
        "person can contribute, are least"
    )
    return [f"Less accurate than Laplace noise in equal parts would be: {', '.join(worse)}; {why}."]


def about_intervals(table: "AnswerTable", part: "Part", confidence: float) -> str:
    """What the intervals of one question are about: all rows, or those alone that count."""
    rate = f"{confidence:.0%}"
    if not part.cuts:
        return f"In brackets: {rate} intervals around the exact answers."
    rows, groups = _times(part.reach.rows, "row"), _times(part.reach.groups, "group")
    held = (
        f"In brackets: {rate} intervals around the answers from what counts of a person, {rows} a group in {groups} at "
        "most."
    )
    if table.cut is None:
        return f"{held} How many people have more is not known; --check-bounds 5% would tell."
    low, high = (number(float(end[0])) for end in (table.cut.low, table.cut.high))
    if float(table.cut.low[0]) <= 0:
        return f"{held} From 0 to {high} people have more ({rate} sure)."
    return (
        f"{held} WARNING: about {number(float(table.cut.values[0]))} people, between {low} and {high} ({rate} sure), "
        "have more. The intervals do not cover what of theirs is left out: the number of all rows is larger, and sums "
        "are off. Declare more rows or groups in [source]."
    )


def _times(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


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


def describe_looked(schema: "Schema") -> list[str]:
    """A warning about what was taken from the data; nothing where nothing was."""
    columns = [column for table in schema.tables for column in table.columns if column.from_data]
    taken = [f"the {'range' if column.values is None else 'values'} of '{column.name}'" for column in columns]
    taken += [f"{word} in [source]" for word in schema.from_data]
    if not taken:
        return []
    return [
        f"WARNING: taken from the data (from_data in the schema): {', '.join(taken)}. A range that is fitted to data "
        "gives away its most extreme person, and a list of values whoever has a rare one; the guarantee does not cover "
        "that. Put what is public knowledge in its place."
    ]


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
    parts = [m.describe(_measured_for(part, place)) for place, m in enumerate(part.measured)]
    parts += [ladder.describe() for ladder in part.ladders]
    where = "for all cells of a person at once" if part.joint else "cell by cell"
    lines = [f"Noise, {where}: {', '.join(parts)}.", *describe_after(part)]
    other = part.alternative
    if other is None:
        return lines
    wide = [f"{f.name} ±{number(f.half_width)}" for f in other.forecasts(size, confidence) if not f.unit]
    how = (
        f"{other.measured[0].kind.capitalize()} noise for all cells of a person at once"
        if other.joint
        else "Noise cell by cell"
    )
    needs = f", with delta {brief(other.delta)}" if other.delta > part.delta else ""
    return [*lines, f"{how} would give {', '.join(wide)} at n={apart(size)}{needs}."]


def describe_after(part: "Part") -> list[str]:
    """What is done once the answers are drawn; nothing where nothing is."""
    after = part.question.after
    said = [f"{name} is computed from {', '.join(dict.fromkeys(names_in(made)))}" for name, made in after.made]
    said += [] if after.having is None else ["groups are kept by their drawn answers (HAVING)"]
    said += ["rows are sorted"] if after.order else []
    said += [] if after.limit is None else [f"the first {after.limit} rows are shown"]
    return [f"After the draw, free of charge: {'; '.join(said)}."] if said else []


def _measured_for(part: "Part", place: int) -> str:
    """What a measure adds up, and for which answers."""
    behind: dict[str, list[str]] = {}
    for formula in part.formulas:
        for piece in formula.pieces:
            if piece.place == place and piece.behind:
                behind.setdefault(piece.behind, []).append(formula.name)
    if behind:
        words = max(behind)  # A sum that is also the squares of another answer is called a sum.
        return f"{words} {', '.join(behind[words])}"
    return part.measured[place].measure.counting.value
