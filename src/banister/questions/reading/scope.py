"""The columns that a piece of SQL can see."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from sqlglot import exp

from banister.questions.reading.place import refused
from banister.questions.terms import Condition, Leaf
from banister.tables.table import Table


@dataclass(frozen=True, slots=True)
class Link:
    """A column that ties a table to others: which table, which column, and under which name it is read."""

    table: Table
    column: str
    alias: str


@dataclass(frozen=True, slots=True)
class Field:
    """One visible name: a column, a link, or the person."""

    owner: str
    name: str
    leaf: Leaf | None
    absent: bool = False
    """Whether it stands on a side of an outer join on which it is missing where nothing was found."""
    link: Link | None = None
    person: bool = False


class Members(Protocol):
    """Who answers whether a person is among those of a subquery."""

    def holds(self, node: exp.Expr, scope: "Scope") -> Condition:
        """The condition that IN (SELECT ...) or EXISTS is."""
        ...


@dataclass(frozen=True, slots=True)
class Scope:
    """Everything visible in one SELECT."""

    fields: tuple[Field, ...]
    members: Members | None = None

    def find(self, node: exp.Column) -> Field:
        """The field that a column reference means."""
        if node.args.get("db") or isinstance(node.this, exp.Star):
            raise refused(node, "name one declared column.")
        matches = [f for f in self.fields if f.name.lower() == node.name.lower() and _owner_fits(f, node.table)]
        if not matches:
            raise refused(node, "no such column is declared.", _nearest(node.name, self.fields))
        if len(matches) > 1 and any(match.leaf is not None for match in matches):
            raise refused(node, "several tables have this column.", "Write table.column.")
        return next((match for match in matches if not match.absent), matches[0])

    def sees(self, node: exp.Column) -> bool:
        """Whether a reference can be meant for this scope."""
        return any(f.name.lower() == node.name.lower() and _owner_fits(f, node.table) for f in self.fields)

    def leaf(self, node: exp.Column) -> Leaf:
        """The column that a reference means; the person is refused, for nothing about one person is answered."""
        found = self.find(node)
        if found.leaf is None and found.person:
            raise refused(
                node, "the person column is not for answers.", "Only COUNT(DISTINCT ...) and joins may name it."
            )
        if found.leaf is None:
            raise refused(
                node, "this key ties tables together and is not for answers.", "Declare it in columns to use it."
            )
        return found.leaf

    def is_person(self, node: exp.Expr) -> bool:
        """Whether an expression is the person column; of a FULL JOIN that is the COALESCE of both."""
        if isinstance(node, exp.Coalesce) and node.expressions:
            parts = [node.this, *node.expressions]
            return all(isinstance(part, exp.Column) and self.find(part).person for part in parts) and bool(
                [field for field in self.fields if field.person and not field.absent]
            )
        if not isinstance(node, exp.Column):
            return False
        found = self.find(node)
        if found.person and found.absent:
            raise refused(
                node,
                "this person key stands right of a LEFT JOIN and is missing where that table has no row.",
                "Name the key of the left table, or write JOIN.",
            )
        return found.person


def _owner_fits(field: Field, owner: str) -> bool:
    return not owner or field.owner.lower() == owner.lower()


def _nearest(name: str, fields: Sequence[Field]) -> str:
    names = [field.name for field in fields]
    near = difflib.get_close_matches(name, names, n=1)
    if near:
        return f"Did you mean '{near[0]}'?"
    return f"Declared are: {', '.join(dict.fromkeys(names[:12]))}{', ...' if len(names) > 12 else ''}."
