"""FILTER (WHERE ...) behind an aggregate, written as CASE in its argument: the other rows are missing there."""

from sqlglot import exp

from banister.questions.reading.place import only, refused


def unfiltered(node: exp.Filter) -> exp.Expr:
    """The same call with the condition inside it."""
    only(node, "this", "expression")
    call: exp.Expr = node.this.copy()
    condition: exp.Expr = node.expression.this
    if isinstance(call, exp.Count):
        if isinstance(call.this, exp.Distinct):
            raise refused(node, "FILTER is not understood with DISTINCT.", "Write the condition in WHERE.")
        there = None if isinstance(call.this, exp.Star | exp.Literal) else call.this
        kept = (
            condition if there is None else exp.and_(condition, exp.Not(this=exp.Is(this=there, expression=exp.Null())))
        )
        call.set("this", _where(kept, exp.Literal.number(1)))
        return call
    if isinstance(call, exp.WithinGroup):
        (key, *_) = call.expression.expressions
        key.set("this", _where(condition, key.this))
    elif isinstance(call, exp.Anonymous) and call.expressions:
        call.set("expressions", [_where(condition, call.expressions[0]), *call.expressions[1:]])
    elif isinstance(call.this, exp.Expr) and not isinstance(call.this, exp.Distinct):
        call.set("this", _where(condition, call.this))
    return call


def _where(condition: exp.Expr, value: exp.Expr) -> exp.Case:
    return exp.Case(ifs=[exp.If(this=condition.copy(), true=value.copy())])
