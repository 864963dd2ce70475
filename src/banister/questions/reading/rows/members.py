"""IN (SELECT ...) and EXISTS: whether the person of a row is among those of a subquery.

The subquery becomes one row for each of its people, joined to the rows that ask. So what a row is told follows from
the rows of its own person. NOT IN means that the person is not among them, also where rows without a person are there:
these are nobody's, and SQL's rule about a missing value in the list would let one row decide about all.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol

from sqlglot import exp

from banister.questions.reading.place import check_select, only, refused
from banister.questions.reading.scope import Field, Scope
from banister.questions.reading.values.expressions import condition
from banister.questions.relation import ALWAYS, Grouped, Inner, Joined, PerPerson, Relation, Side
from banister.questions.terms import And, Condition, IsNull, Leaf, Not
from banister.tables.columns import Column, Kind

THERE = Column(name="t0", kind=Kind.INTEGER, low=Fraction(0), high=Fraction(1))
"""Says that a person is in a subquery; missing where she is not."""


class ReadsMembers(Protocol):
    """Who reads subqueries."""

    def opened(self, tree: exp.Select) -> tuple[Relation, Scope]: ...

    def closed(self, relation: Relation, scope: Scope) -> Relation: ...

    def fresh(self, node: exp.Expr) -> str: ...

    def subquery(self, tree: exp.Expr, owner: str) -> tuple[Relation, tuple[Field, ...]]: ...


@dataclass(slots=True)
class Joins:
    """The subqueries that the conditions of one SELECT ask about, to be joined to what it reads."""

    reads: ReadsMembers
    found: list[Grouped] = field(default_factory=list)

    def joined(self, relation: Relation) -> Relation:
        """The relation with one row of each subquery beside its rows, where the person is in it."""
        for one in self.found:
            relation = Joined(relation, one, Side.LEFT)
        return relation

    def holds(self, node: exp.Expr, scope: Scope) -> Condition:
        """The condition that IN (SELECT ...) or EXISTS is: true or false, never missing."""
        source, where = self._exists(node, scope) if isinstance(node, exp.Exists) else self._in(node, scope)
        total = PerPerson(THERE, Inner.COUNT, None)
        self.found.append(Grouped(source, where, (), (total,), self.reads.fresh(node)))
        return Not(IsNull(Leaf(self.found[-1].alias, THERE, True)))

    def _in(self, node: exp.Expr, scope: Scope) -> tuple[Relation, Condition]:
        if not scope.is_person(node.this):
            raise refused(
                node,
                "IN (SELECT ...) is understood for the person column: another one would tell people of each other.",
                "Join a public table, or list the values.",
            )
        query = node.args["query"]
        tree = query.this if isinstance(query, exp.Subquery) else query
        relation, fields = self.reads.subquery(tree, "subquery")
        if len(fields) != 1 or not fields[0].person:
            raise refused(tree, "this subquery must select the person column, and nothing else.")
        return relation, ALWAYS

    def _exists(self, node: exp.Exists, scope: Scope) -> tuple[Relation, Condition]:
        tree = node.this.this if isinstance(node.this, exp.Subquery) else node.this
        if not isinstance(tree, exp.Select) or tree.args.get("group") is not None:
            raise refused(node, "EXISTS takes a plain SELECT.", "For groups write person IN (SELECT person ...).")
        only(node, "this")
        check_select(tree)
        relation, inner = self.reads.opened(tree)
        where = tree.args.get("where")
        parts = [] if where is None else conjuncts(where.this)
        ties = [part for part in parts if _ties(part, inner, scope)]
        if not ties:
            raise refused(
                node,
                "EXISTS must be about the rows of the same person.",
                "Write WHERE inner.person = outer.person AND ..., with the names of both tables.",
            )
        found: Condition = ALWAYS
        for part in parts:
            if part not in ties:
                _check_inner(part, inner)
                found = condition(part, inner) if found == ALWAYS else And(found, condition(part, inner))
        return self.reads.closed(relation, inner), found


def conjuncts(node: exp.Expr) -> list[exp.Expr]:
    """The parts that AND puts together."""
    while isinstance(node, exp.Paren):
        node = node.this
    return [*conjuncts(node.this), *conjuncts(node.expression)] if isinstance(node, exp.And) else [node]


def _ties(part: exp.Expr, inner: Scope, outer: Scope) -> bool:
    """Whether this is the equality of the inner person and the outer one."""
    if not isinstance(part, exp.EQ):
        return False
    for a, b in ((part.this, part.expression), (part.expression, part.this)):
        if not (isinstance(a, exp.Column) and isinstance(b, exp.Column)):
            continue
        apart = inner.sees(a) and not inner.sees(b) and outer.sees(b)
        if apart and inner.is_person(a) and outer.is_person(b):
            return True
    return False


def _check_inner(part: exp.Expr, inner: Scope) -> None:
    for column in part.find_all(exp.Column):
        if column.find_ancestor(exp.Select) is part.find_ancestor(exp.Select) and not inner.sees(column):
            raise refused(
                column,
                "inside EXISTS only the person may come from outside.",
                "Join the two tables on the person, and compare their columns there.",
            )
