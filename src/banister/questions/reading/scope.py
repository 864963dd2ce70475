"""The columns that a piece of SQL can see."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from banister.questions.reading.place import refused
from banister.questions.terms import Leaf


@dataclass(frozen=True, slots=True)
class Field:
    """One visible name: a column, or the person (where `leaf` is None)."""

    owner: str
    name: str
    leaf: Leaf | None
    absent: bool = False
    """Whether it is the person of the right side of a LEFT JOIN, which is NULL where nothing was found there."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Everything visible in one SELECT."""

    fields: tuple[Field, ...]

    def find(self, node: exp.Column) -> Field:
        """The field that a column reference means."""
        if node.args.get("db") or isinstance(node.this, exp.Star):
            raise refused(node, "name one declared column.")
        matches = [f for f in self.fields if f.name.lower() == node.name.lower() and _owner_fits(f, node.table)]
        if not matches:
            raise refused(node, "no such column is declared.", _nearest(node.name, self.fields))
        if len(matches) > 1 and any(match.leaf is not None for match in matches):
            raise refused(node, "several tables have this column.", "Write table.column.")
        return matches[0]

    def leaf(self, node: exp.Column) -> Leaf:
        """The column that a reference means; the person is refused, for nothing about one person is answered."""
        found = self.find(node).leaf
        if found is None:
            raise refused(
                node, "the person column is not for answers.", "Only COUNT(DISTINCT ...) and joins may name it."
            )
        return found

    def is_person(self, node: exp.Expr) -> bool:
        """Whether an expression is the person column."""
        if not isinstance(node, exp.Column):
            return False
        found = self.find(node)
        if found.leaf is None and found.absent:
            raise refused(
                node,
                "this person key stands right of a LEFT JOIN and is missing where that table has no row.",
                "Name the key of the left table, or write JOIN.",
            )
        return found.leaf is None


def _owner_fits(field: Field, owner: str) -> bool:
    return not owner or field.owner.lower() == owner.lower()


def _nearest(name: str, fields: Sequence[Field]) -> str:
    names = [field.name for field in fields]
    near = difflib.get_close_matches(name, names, n=1)
    if near:
        return f"Did you mean '{near[0]}'?"
    return f"Declared are: {', '.join(names[:12])}{', ...' if len(names) > 12 else ''}."
