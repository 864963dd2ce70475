"""Division, which means two things in SQL: in some dialects a whole number over a whole number is a whole number."""

from fractions import Fraction

from sqlglot import exp

from banister.questions import terms
from banister.questions.reading.place import refused
from banister.questions.reading.scope import Scope
from banister.questions.terms import Quantity
from banister.tables.schema import Kind

MIXED = exp.Add | exp.Sub | exp.Mul | exp.Div | exp.Mod | exp.Least | exp.Greatest | exp.Coalesce | exp.Case | exp.If
"""What is whole where all of its parts are, and a fraction where one of them is."""


def divided(node: exp.Div, left: Quantity, divisor: Fraction, scope: Scope) -> Quantity:
    """A quantity over a constant other than 0, as the dialect of the question means it."""
    if not node.args.get("typed"):
        return terms.scaled(left, 1 / divisor)
    kinds = [_whole(node.this, scope), _whole(node.expression, scope)]
    if False in kinds:
        return terms.scaled(left, 1 / divisor)
    if None in kinds:
        raise refused(
            node,
            "in this dialect a whole number over a whole number is cut to a whole number, and the schema does not say "
            "whether these are whole.",
            f"Write {node.this.sql()} / {node.expression.sql()}.0 for the fraction, or ask in --dialect duckdb.",
        )
    return _cut(left, int(divisor))


def _whole(node: exp.Expr, scope: Scope) -> bool | None:
    """Whether an engine would store an expression as a whole number; None where that is not known."""
    match node:
        case exp.Literal():
            return node.name.isdigit()
        case exp.Paren() | exp.Neg() | exp.Abs():
            return _whole(node.this, scope)
        case exp.Column():
            column = scope.leaf(node).column
            known = column.kind in (Kind.INTEGER, Kind.DATE)
            return True if known else False if column.step.denominator != 1 else None
        case _ if isinstance(node, MIXED):
            kinds = {_whole(part, scope) for part in _values(node)}
            return False if False in kinds else None if None in kinds else True
    return None


def _values(node: exp.Expr) -> list[exp.Expr]:
    """The parts of which one is the value, or of which the value is made; NULL is of every type."""
    if isinstance(node, exp.Case | exp.If):
        branches = [node] if isinstance(node, exp.If) else node.args["ifs"]
        parts = [branch.args["true"] for branch in branches]
        parts.append(node.args.get("false") if isinstance(node, exp.If) else node.args.get("default"))
    elif isinstance(node, exp.Binary):
        parts = [node.this, node.expression]
    else:
        parts = [node.this, *node.expressions]
    return [part for part in parts if part is not None and not isinstance(part, exp.Null)]


def _cut(a: Quantity, divisor: int) -> Quantity:
    """What is left of a / divisor without its fraction, towards 0."""
    sign, by = (1, divisor) if divisor > 0 else (-1, -divisor)
    ones = terms.same_step(terms.number(a), terms.constant(Fraction(1)))[0]
    found = terms.integer_quotient(ones, by)
    if ones.low < 0:
        below = terms.scaled(terms.integer_quotient(terms.scaled(ones, Fraction(-1)), by), Fraction(-1))
        positive = terms.compare(">=", ones, terms.constant(Fraction(0)))
        found = terms.case_when([positive], [found], below)
    return terms.scaled(found, Fraction(sign))
