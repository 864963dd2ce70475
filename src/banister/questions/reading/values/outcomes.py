"""Expressions with a few written outcomes, to group by: CASE with texts or numbers behind THEN, and conditions."""

from collections.abc import Sequence
from fractions import Fraction

from sqlglot import exp

from banister.questions import terms
from banister.questions.question import WrittenOutcomes
from banister.questions.reading.limits import check_size
from banister.questions.reading.place import refused, written_whole
from banister.questions.reading.scope import Scope
from banister.questions.reading.values.dates import names_a_moment
from banister.questions.reading.values.expressions import CONDITIONS, branches_of, condition, truth
from banister.questions.relation import Spoken
from banister.questions.terms import Leaf, Quantity
from banister.tables.columns import Kind
from banister.tables.reading import Value


def outcomes(node: exp.Expr, name: str, scope: Scope) -> WrittenOutcomes | None:
    """The cells of such an expression; None where it is of another kind. A row whose outcome is missing is in none."""
    while isinstance(node, exp.Paren):
        node = node.this
    if isinstance(node, CONDITIONS):
        return WrittenOutcomes(truth(node, scope), (False, True), name)
    if isinstance(node, exp.Coalesce):
        node = _coalesced(node, scope)
    if not isinstance(node, exp.Case | exp.If):
        return None
    branches, default = branches_of(node)
    branches = [one for branch in branches for one in _spelled(*branch, scope)]
    if _category(default, scope) is not None:
        branches += _spelled(exp.true(), default, scope)
        default = exp.Null()
    written = [*(value for _, value in branches), default]
    values = [_written(one) for one in written if not isinstance(one, exp.Null)]
    if not values or None in values:
        return None
    listed = tuple(dict.fromkeys(value for value in values if value is not None))
    if len({type(value) for value in values}) > 1:
        raise refused(node, "the outcomes are of several kinds.", "Write texts only, or numbers only.")
    places = [terms.NULL if isinstance(one, exp.Null) else _place(_written(one), listed) for one in written]
    found = terms.case_when([condition(when, scope) for when, _ in branches], places[:-1], places[-1])
    check_size(node, found.term)
    return WrittenOutcomes(found, listed, name)


def _coalesced(node: exp.Coalesce, scope: Scope) -> exp.Expr:
    """COALESCE of a category and a value is CASE WHEN column IS NULL THEN value ELSE column END."""
    column, *rest = node.this, *node.expressions
    if len(rest) != 1 or _category(column, scope) is None:
        return node
    missing = exp.Is(this=column.copy(), expression=exp.Null())
    return exp.Case(ifs=[exp.If(this=missing, true=rest[0].copy())], default=column.copy())


def _spelled(when: exp.Expr, value: exp.Expr, scope: Scope) -> list[tuple[exp.Expr, exp.Expr]]:
    """A branch whose value is a category: one for each of its values, and none of them where it is missing."""
    leaf = _category(value, scope)
    if leaf is None:
        return [(when, value)]
    if leaf.column.values is None:
        raise refused(
            value, "its values are not declared, so they cannot be outcomes.", "Declare them, or group by the column."
        )
    written = [_literal(one) for one in leaf.column.values]
    same = [exp.and_(when.copy(), exp.EQ(this=value.copy(), expression=one)) for one in written]
    return [*zip(same, written, strict=True), (when, exp.Null())]


def _category(node: exp.Expr, scope: Scope) -> Leaf | None:
    if not isinstance(node, exp.Column) or scope.is_person(node):
        return None
    leaf = scope.leaf(node)
    return leaf if leaf.column.kind is Kind.CATEGORY else None


def _literal(value: Value) -> exp.Expr:
    """A declared value as it is written in a question."""
    if isinstance(value, bool):
        return exp.Boolean(this=value)
    if isinstance(value, int):
        return exp.Literal.number(value)
    return exp.Literal.string(str(value))


def said(node: exp.Expr, scope: Scope) -> Spoken | None:
    """A column of a subquery that says a text or a truth value; None where it is a number or a date.

    Texts that all are dates are dates, as they are wherever a value is wanted.
    """
    while isinstance(node, exp.Paren):
        node = node.this
    if isinstance(node, exp.Literal | exp.Boolean):
        value = _written(node)
        found = None if value is None else WrittenOutcomes(terms.constant(Fraction(0)), (value,), "")
    else:
        found = outcomes(node, "", scope)
    if found is None or not all(isinstance(value, str | bool) for value in found.values):
        return None
    texts = [value for value in found.values if isinstance(value, str)]
    if texts and all(names_a_moment(text) for text in texts):
        return None
    return Spoken(found.quantity, found.values)


def _place(value: Value | None, listed: Sequence[Value]) -> Quantity:
    assert value is not None
    return terms.constant(Fraction(listed.index(value)))


def _written(node: exp.Expr) -> Value | None:
    """A text, a truth value or a whole number as it stands in the question; None for anything else."""
    match node:
        case exp.Literal() if node.is_string:
            return str(node.name)
        case exp.Boolean():
            return bool(node.this)
        case exp.Neg():
            found = written_whole(node.this)
            return None if found is None else -found
    return written_whole(node)
