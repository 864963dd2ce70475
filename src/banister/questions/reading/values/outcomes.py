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
from banister.questions.reading.values.expressions import SIGNS, branches_of, condition
from banister.questions.relation import Spoken
from banister.questions.terms import Not, Quantity
from banister.tables.reading import Value

CONDITIONS = (*SIGNS, exp.And, exp.Or, exp.Not, exp.Is, exp.Between, exp.In, exp.Like)


def outcomes(node: exp.Expr, name: str, scope: Scope) -> WrittenOutcomes | None:
    """The cells of such an expression; None where it is of another kind. A row whose outcome is missing is in none."""
    while isinstance(node, exp.Paren):
        node = node.this
    if isinstance(node, CONDITIONS):
        return WrittenOutcomes(_truth(node, scope), (False, True), name)
    if not isinstance(node, exp.Case | exp.If):
        return None
    branches, default = branches_of(node)
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


def _truth(node: exp.Expr, scope: Scope) -> Quantity:
    """1 where a condition is true, 0 where it is false, and missing where it is neither."""
    holds = condition(node, scope)
    found = terms.case_when([holds, Not(holds)], [terms.constant(Fraction(1)), terms.constant(Fraction(0))], terms.NULL)
    check_size(node, found.term)
    return found


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
