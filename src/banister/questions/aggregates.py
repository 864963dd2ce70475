"""The aggregates that a question may ask for."""

from fractions import Fraction

from sqlglot import exp

from banister.errors import Refused
from banister.questions.expressions import number, quantity
from banister.questions.place import only, refused
from banister.questions.question import Aggregate, Output
from banister.questions.scope import Scope
from banister.questions.terms import Quantity
from banister.tables.schema import Kind

NUMERIC: dict[type[exp.Expr], Aggregate] = {
    exp.Sum: Aggregate.SUM,
    exp.Avg: Aggregate.MEAN,
    exp.Variance: Aggregate.VARIANCE,
    exp.VariancePop: Aggregate.VARIANCE_POPULATION,
    exp.Stddev: Aggregate.DEVIATION,
    exp.StddevSamp: Aggregate.DEVIATION,
    exp.StddevPop: Aggregate.DEVIATION_POPULATION,
}


def output(node: exp.Expr, name: str, scope: Scope) -> Output:
    """One column of the answer."""
    match node:
        case exp.Count():
            return _count(node, name, scope)
        case exp.Median():
            only(node, "this")
            return _quantile(node, node.this, Fraction(1, 2), name, scope)
        case exp.Quantile() | exp.PercentileCont() | exp.ApproxQuantile():
            only(node, "this", "quantile")
            order = node.args.get("quantile")
            return _quantile(node, node.this, _order(order if order is not None else node), name, scope)
        case exp.WithinGroup():
            return _within_group(node, name, scope)
    aggregate = NUMERIC.get(type(node))
    if aggregate is None:
        raise _unknown(node)
    only(node, "this")
    if isinstance(node.this, exp.Distinct):
        raise refused(node, "DISTINCT is understood in COUNT(DISTINCT person) only.")
    return Output(name=name, aggregate=aggregate, quantity=number(node.this, scope))


def _count(node: exp.Count, name: str, scope: Scope) -> Output:
    only(node, "this", "big_int")
    inner = node.this
    if isinstance(inner, exp.Distinct):
        if len(inner.expressions) == 1 and scope.is_person(inner.expressions[0]):
            return Output(name=name, aggregate=Aggregate.PEOPLE, quantity=None)
        raise refused(node, "only the person column may be counted distinct.", "Group by the column instead.")
    if isinstance(inner, exp.Star | exp.Literal):
        return Output(name=name, aggregate=Aggregate.COUNT, quantity=None)
    if isinstance(inner, exp.Column) and scope.leaf(inner).column.kind is Kind.CATEGORY:
        leaf = scope.leaf(inner)
        present = Quantity(term=leaf, low=0, high=0, step=Fraction(1), nulls=leaf.column.nulls)
        return Output(name=name, aggregate=Aggregate.COUNT, quantity=present)
    return Output(name=name, aggregate=Aggregate.COUNT, quantity=quantity(inner, scope))


def _within_group(node: exp.WithinGroup, name: str, scope: Scope) -> Output:
    inner, order = node.this, node.expression
    if not isinstance(inner, exp.PercentileCont | exp.PercentileDisc) or len(order.expressions) != 1:
        raise _unknown(node)
    column = order.expressions[0]
    if column.args.get("desc"):
        raise refused(node, "a descending order is not understood here.", "Use 1 minus the order.")
    return _quantile(node, column.this, _order(inner.this), name, scope)


def _order(node: exp.Expr) -> Fraction:
    if isinstance(node, exp.Literal) and not node.is_string and 0 < Fraction(node.name) < 1:
        order = Fraction(node.name)
        if order.denominator <= 1000:
            return order
    raise refused(node, "the order of a quantile must be a number between 0 and 1 with at most three digits.")


def _quantile(node: exp.Expr, value: exp.Expr, order: Fraction, name: str, scope: Scope) -> Output:
    found = quantity(value, scope)
    if found.low == found.high:
        raise refused(node, "a constant has no quantiles.")
    return Output(name=name, aggregate=Aggregate.QUANTILE, quantity=found, order=order)


def _unknown(node: exp.Expr) -> Refused:
    match node:
        case exp.Min() | exp.Max():
            return refused(
                node,
                "one person can move an extreme value across the whole range, so no useful noise protects it.",
                "Ask QUANTILE(column, 0.01) or QUANTILE(column, 0.99).",
            )
        case exp.Star():
            return refused(node, "rows are never released.", "Ask for aggregates such as COUNT(*) or AVG(column).")
        case exp.Column():
            return refused(node, "a column outside an aggregate must be grouped by.", "Add it to GROUP BY.")
        case exp.Filter():
            return refused(node, "FILTER is not understood.", "Write SUM(CASE WHEN ... THEN ... ELSE 0 END).")
        case exp.Binary() | exp.Neg() | exp.Paren():
            return refused(node, "arithmetic on aggregates is not understood.", "Compute it from the released answers.")
    return refused(
        node,
        "this is not on the list of aggregates (COUNT, SUM, AVG, VARIANCE, STDDEV, MEDIAN, QUANTILE).",
    )
