"""What a look proposes for the schema: ranges around what stands out of the noise, frequent values, rows and groups.

It is made from what was drawn, so it costs nothing more, and may be published with the schema.
"""

import re
from fractions import Fraction

from banister.core.exact.numbers import brief
from banister.release.drafting.written import key, quoted
from banister.release.profile.profile import ColumnFound, LadderFound, Profile
from banister.tables.blanks import BLANK

NEARLY_ALL = Fraction(19, 20)
"""So many of the people should count with all of their rows and groups."""


def range_of(found: LadderFound) -> str | None:
    """A range for a column, as TOML writes it; nothing where the ladder has no end that far out."""
    ladder, places = found.ladder, found.standing
    if not places:
        return None
    low, high = ladder.ends(places[0])[0], ladder.ends(places[-1])[1]
    if ladder.outside:  # What is outside a declared range is one rung, of which nobody knows how far it reaches.
        low = ladder.edges[0] * ladder.step if low is None else low
        high = (ladder.edges[-1] - 1) * ladder.step if high is None else high
    if low is None or high is None or not low < high:
        return None
    said = ladder.said if ladder.date or ladder.moment else brief
    return f"[{said(low)}, {said(high)}]"


def most_each(found: LadderFound) -> int:
    """How many rows or groups nearly all people have at most."""
    rung = min(found.quantile(NEARLY_ALL).rung, max(found.standing, default=0))
    return int(found.ladder.ends(rung)[1] or found.ladder.edges[-1])


def proposed_line(column: ColumnFound, line: str) -> str:
    """The line of a column with its blank filled in, where the look has found what belongs there."""
    if column.ladder is not None and (span := range_of(column.ladder)) is not None:
        return re.sub(rf'range\s*=\s*"{BLANK}"', f"range = {span}", line)
    listed = ", ".join(quoted(value) if isinstance(value, str) else str(value).lower() for value, _ in column.values)
    if column.ladder is None and listed:
        return re.sub(rf'values\s*=\s*"{BLANK}"', lambda _: f"values = [{listed}]", line)
    return line


def proposed_schema(profile: Profile, text: str) -> str:
    """The text of a schema with its blanks filled in by what was drawn, and a line that says so."""
    named = {key(column.name): column for column in profile.columns}
    before = text.splitlines()
    lines = []
    for line in before:
        name = line.partition("=")[0].strip()
        lines.append(proposed_line(named[name], line) if name in named and BLANK in line else _bound(profile, line))
    filled = sum(old != new for old, new in zip(before, lines, strict=True))
    return "\n".join([_heading(profile, filled, any(BLANK in line for line in lines)), *lines]) + "\n"


def _heading(profile: Profile, filled: int, blank: bool) -> str:
    """What in the schema comes from the look; nothing may, and then it is not said."""
    look = f"a private look at {profile.plan.guarantee}, which was charged"
    if filled:
        lines = "1 line was" if filled == 1 else f"{filled} lines were"
        return f"# {lines} filled in by {look}; they may be published."
    why = "no blank stands out of its noise" if blank else "all was declared already"
    return f"# Nothing here comes from {look}: {why}."


def _bound(profile: Profile, line: str) -> str:
    """A line of [source] that a draft left commented out, with what nearly all people have."""
    if profile.rows_each is not None and line.startswith("# rows = "):
        return f"rows = {most_each(profile.rows_each)}  # so many rows nearly all people have at most"
    groups = [most_each(column.groups) for column in profile.columns if column.groups is not None]
    if groups and line.startswith("# groups = "):
        return f"groups = {max(groups)}  # of the column in which people have most"
    return line
