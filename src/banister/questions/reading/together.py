"""CORR and REGR_SLOPE as what they are made of: covariances, deviations and variances, over rows that have both."""

from sqlglot import exp

from banister.questions.reading.place import only
from banister.questions.reading.scope import Scope
from banister.questions.reading.values.expressions import quantity

TOGETHER = (exp.Corr, exp.RegrSlope)


def correlation(node: exp.Corr, scope: Scope) -> exp.Expr:
    """The covariance over both deviations; every part of it acts on drawn answers."""
    only(node, "this", "expression")
    x, y = node.this, node.expression
    both = exp.Mul(this=exp.StddevPop(this=_there(x, y, scope)), expression=exp.StddevPop(this=_there(y, x, scope)))
    return exp.Div(this=exp.CovarPop(this=x.copy(), expression=y.copy()), expression=exp.paren(both))


def slope(node: exp.RegrSlope, scope: Scope) -> exp.Expr:
    """How much the first moves with the second: the covariance over the variance of the second."""
    only(node, "this", "expression")
    y, x = node.this, node.expression
    variance = exp.VariancePop(this=_there(x, y, scope))
    return exp.Div(this=exp.CovarPop(this=y.copy(), expression=x.copy()), expression=variance)


def _there(one: exp.Expr, other: exp.Expr, scope: Scope) -> exp.Expr:
    """An expression that is missing where the other is, too."""
    if not quantity(other, scope).nulls:
        return one.copy()
    there = exp.Not(this=exp.Is(this=other.copy(), expression=exp.Null()))
    return exp.Case(ifs=[exp.If(this=there, true=one.copy())])
