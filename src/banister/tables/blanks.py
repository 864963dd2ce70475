"""Blanks in a schema: what a draft leaves to its owner, written as "FILL IN", and how it is asked for.

A blank in [source] or [budget], and the kind of a column, stops everything. A column whose range, step or values are
blank can be looked at privately (`banister look`); questions and whole tables need them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from banister.errors import BadValue

BLANK = "FILL IN"
"""The text that stands where only the owner can say what is right."""

NAMED = 20
"""So many blanks are named one by one."""

LOOKABLE = ("range", "step", "values", "bins")
"""What of a column may be blank while it is looked at."""

MEANINGS = {
    "person": "the column that says whom a row is about; delete the line where each row is another person",
    "neighbours": "'add-remove' or 'replace'",
    "rows": "the most rows of one person that count in one group",
    "groups": "the most groups in which one person counts",
    "epsilon": "the most that may ever be given away, e.g. 1",
    "delta": "the chance of more, e.g. 1e-6, or 0",
    "kind": "'integer', 'number', 'category', 'date' or 'timestamp'",
    "range": "the lowest and the highest value that are public knowledge, e.g. [0, 120]",
    "zone": "by whose clocks days and hours count, e.g. 'Europe/Berlin' or 'UTC'",
    "step": "how finely values are read, e.g. 0.01",
    "values": "the values that are public knowledge, e.g. ['yes', 'no']; delete it where they are unknown",
}


@dataclass(frozen=True, slots=True)
class Blank:
    """One blank: the section it is in, and the key."""

    section: str
    key: str

    @property
    def column(self) -> bool:
        """Whether it is a column's, and the column can be looked at without it."""
        return self.section.startswith("column") and self.key in LOOKABLE

    def __str__(self) -> str:
        meaning = MEANINGS.get(self.key)
        return f"{self.key} of {self.section}" + (f" ({meaning})" if meaning else "")


def blanks_in(content: Mapping[str, object]) -> tuple[Blank, ...]:
    """All blanks of a schema, in the order of the file. A category's own values are never taken for blanks.

    >>> [str(blank) for blank in blanks_in({"source": {"neighbours": "FILL IN"}})]
    ["neighbours of [source] ('add-remove' or 'replace')"]
    """
    return tuple(_found(content, ""))


def _found(content: Mapping[str, object], path: str) -> Iterator[Blank]:
    for key, value in content.items():
        if value == BLANK and key not in ("other", "name", "table"):
            yield Blank(_section(path), key)
        elif isinstance(value, Mapping):
            yield from _found(value, f"{path}.{key}" if path else key)


def _section(path: str) -> str:
    before, columns, name = path.rpartition("columns.")
    return f"column '{name}'" if columns and not before.strip(".").endswith("columns") else f"[{path}]"


def refuse_blanks(blanks: tuple[Blank, ...], *, look: bool = True) -> None:
    """One message that names every blank; nothing where there is none."""
    if not blanks:
        return
    count = "one blank" if len(blanks) == 1 else f"{len(blanks)} blanks"
    listed = "".join(f"\n  {blank}" for blank in blanks[:NAMED])
    listed += f"\n  and {len(blanks) - NAMED} more" if len(blanks) > NAMED else ""
    hint = (
        "\nRanges and values that you do not know can be looked at privately, for a small epsilon: banister look."
        if look and all(blank.column for blank in blanks)
        else ""
    )
    raise BadValue(
        f'The schema has {count} ("{BLANK}") for you to fill in, or delete the lines of columns that no question '
        f"needs:{listed}{hint}"
    )
