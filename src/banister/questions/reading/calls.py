"""A call of an aggregate as it stands in the SQL: its names, its arguments, and how they are read."""

from dataclasses import dataclass
from fractions import Fraction

from sqlglot import exp

from banister.core.exact.numbers import brief
from banister.errors import Refused
from banister.questions.reading.place import only, refused, written_number
from banister.questions.reading.scope import Scope
from banister.questions.reading.values.expressions import number, quantity
from banister.questions.terms import Quantity
from banister.tables.schema import Kind

FLAGS = ("big_int", "is_end_of_count")
"""What the parser notes about a call, and changes nothing about the answer."""


@dataclass(frozen=True, slots=True)
class Argument:
    """What stands between the brackets of a call."""

    node: exp.Expr
    scope: Scope

    def number(self) -> Quantity:
        """A bounded number that can be added up."""
        return number(self.node, self.scope)

    def varying(self) -> Quantity:
        """A bounded number that can be added up, and is not the same in every row where it is not missing."""
        found = self.number()
        if found.low == found.high:
            value = brief(found.step * found.low)
            raise refused(
                self.node,
                f"wherever this is not missing it is {value}, so the answer is known without the table.",
                f"Count the rows with COUNT({self.node.sql()}); for a share write CASE WHEN ... THEN 1 ELSE 0 END.",
            )
        return found

    def quantity(self) -> Quantity:
        """A bounded number or date."""
        return quantity(self.node, self.scope)

    def counted(self) -> Quantity | None:
        """What must not be missing for a row to be counted; None where every row counts: COUNT(*) and COUNT(1)."""
        if isinstance(self.node, exp.Star | exp.Literal):
            return None
        if isinstance(self.node, exp.Column) and self.scope.leaf(self.node).column.kind is Kind.CATEGORY:
            leaf = self.scope.leaf(self.node)
            return Quantity(term=leaf, low=0, high=0, step=Fraction(1), nulls=leaf.column.nulls)
        return self.quantity()

    def order(self) -> Fraction:
        """The order of a quantile."""
        if isinstance(self.node, exp.Literal) and not self.node.is_string:
            order = written_number(self.node)
            if 0 < order < 1 and order.denominator <= 1000:
                return order
        raise refused(self.node, "the order of a quantile must be a number between 0 and 1 with at most three digits.")

    def is_person(self) -> bool:
        """Whether it is the person column."""
        return self.scope.is_person(self.node)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call: every SQL name of its function, the arguments, DISTINCT, and what WITHIN GROUP orders by."""

    names: frozenset[str]
    arguments: tuple[Argument, ...]
    distinct: bool
    ordered: Argument | None
    node: exp.Expr

    @classmethod
    def of(cls, node: exp.Expr, scope: Scope) -> "Call":
        """The call that a node is; its names are known to be on the shelf."""
        function, ordered = (node.this, _ordered(node)) if isinstance(node, exp.WithinGroup) else (node, None)
        found: list[exp.Expr] = []
        distinct = False
        for key, value in function.args.items():
            if isinstance(value, exp.Distinct):
                only(value, "expressions")
                distinct = True
                found += value.expressions
            elif isinstance(value, exp.Expr):
                found.append(value)
            elif isinstance(value, list):
                found += value
            elif key not in FLAGS and not isinstance(value, str):
                only(function, *(known for known in function.args if known != key))
        return cls(
            names=names_of(node),
            arguments=tuple(Argument(part, scope) for part in found),
            distinct=distinct,
            ordered=None if ordered is None else Argument(ordered, scope),
            node=node,
        )

    def plain(self, count: int) -> tuple[Argument, ...]:
        """The arguments of a call with so many of them and nothing else."""
        if self.distinct:
            raise self.refused("DISTINCT is understood in COUNT(DISTINCT person) only.")
        if self.ordered is not None:
            raise self.refused("WITHIN GROUP is not understood here.")
        if len(self.arguments) != count:
            wanted = "one argument" if count == 1 else f"{count} arguments"
            raise self.refused(f"this takes {wanted}, and has {len(self.arguments)}.")
        return self.arguments

    def refused(self, why: str, instead: str = "") -> Refused:
        """The error for this call, with its place in the text."""
        return refused(self.node, why, instead)


def names_of(node: exp.Expr) -> frozenset[str]:
    """The SQL names of the function that is called; none where the node is no call."""
    function = node.this if isinstance(node, exp.WithinGroup) else node
    if isinstance(function, exp.Anonymous):
        return frozenset([function.name.upper()])
    return frozenset(function.sql_names()) if isinstance(function, exp.Func) else frozenset()


def _ordered(node: exp.WithinGroup) -> exp.Expr:
    keys = node.expression.expressions
    if len(keys) != 1:
        raise refused(node, "WITHIN GROUP is understood with one column to order by.")
    if keys[0].args.get("desc"):
        raise refused(node, "a descending order is not understood here.", "Use 1 minus the order.")
    found: exp.Expr = keys[0].this if isinstance(keys[0], exp.Ordered) else keys[0]
    return found
