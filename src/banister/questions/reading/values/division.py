"""Division, which means two things in SQL: in some dialects a whole number over a whole number is a whole number."""

from dataclasses import replace
from fractions import Fraction

from sqlglot import exp

from banister.questions import curves, terms
from banister.questions.reading.place import refused
from banister.questions.reading.scope import Scope
from banister.questions.terms import NULL, Quantity
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


def away_from_zero(node: exp.Div, x: Quantity, y: Quantity, scope: Scope, step: Fraction | None) -> Quantity:
    """x / y for a y that is never 0, or is behind NULLIF(y, 0): missing where y is."""
    if y.low == y.high == 0:
        raise refused(node, "this divides by 0.")
    if node.args.get("typed") and False not in (_whole(node.this, scope), _whole(node.expression, scope)):
        raise refused(
            node,
            "in this dialect a whole number over a whole number is cut to a whole number.",
            f"Write 1.0 * {node.this.sql()} / {node.expression.sql()}, or ask in --dialect duckdb.",
        )
    if y.low > 0:
        return curves.quotient(x, y, step=step)
    if y.high < 0:
        return curves.quotient(_negative(x), _negative(y), step=step)
    if not _without_zero(node.expression):
        raise refused(
            node,
            "the divisor can be 0, and failing there would tell something about a row.",
            f"Hold it away from 0, e.g. / GREATEST({node.expression.sql()}, 1), or leave such rows out: / NULLIF("
            f"{node.expression.sql()}, 0). Or ask for two sums and divide the answers.",
        )
    return _either_side(x, y, step)


def _either_side(x: Quantity, y: Quantity, step: Fraction | None) -> Quantity:
    """x / y where y may be above and below 0; each side divides by a number that is held above 0 whatever the row."""
    zero, least = terms.constant(Fraction(0)), terms.constant(y.step)
    sides = [(sign, part) for sign, part in ((1, y), (-1, _negative(y))) if part.high > 0]
    if step is None:
        reached = curves.quotient(x, replace(y, low=1, high=max(1, -y.low, y.high)))
        step = reached.step
    found = [
        curves.quotient(terms.scaled(x, Fraction(sign)), terms.least_or_greatest("GREATEST", [part, least]), step=step)
        for sign, part in sides
    ]
    conditions = [terms.compare(">", part, zero) for _, part in sides]
    return terms.case_when(conditions, found, NULL)


def _without_zero(node: exp.Expr) -> bool:
    if isinstance(node, exp.Paren):
        return _without_zero(node.this)
    zero = node.expression if isinstance(node, exp.Nullif) else None
    return isinstance(zero, exp.Literal) and not zero.is_string and float(zero.name) == 0


def _negative(a: Quantity) -> Quantity:
    return terms.scaled(a, Fraction(-1))


def _whole(node: exp.Expr, scope: Scope) -> bool | None:
    """Whether an engine would store an expression as a whole number; None where that is not known."""
    match node:
        case exp.Literal():
            return node.name.isdigit()
        case exp.Paren() | exp.Neg() | exp.Abs():
            return _whole(node.this, scope)
        case exp.Column():
            column = scope.leaf(node).column
            known = column.kind is Kind.INTEGER or column.kind.dated
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
