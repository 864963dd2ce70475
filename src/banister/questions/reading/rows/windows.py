"""OVER (PARTITION BY person ...): a number or a value for each row, computed over the rows of its person."""

from collections.abc import Callable
from fractions import Fraction

from sqlglot import exp

from banister.questions import measures
from banister.questions.reading.place import only, refused, written_whole
from banister.questions.reading.scope import Scope
from banister.questions.reading.values.expressions import number, quantity
from banister.questions.relation import SortKey, Window, WindowKind
from banister.questions.terms import KINDS, Leaf, Quantity
from banister.tables.columns import Column, Kind

OVERS: dict[type[exp.Expr], WindowKind] = {
    exp.Count: WindowKind.COUNT,
    exp.Sum: WindowKind.SUM,
    exp.Min: WindowKind.MIN,
    exp.Max: WindowKind.MAX,
    exp.RowNumber: WindowKind.ROW_NUMBER,
    exp.Rank: WindowKind.RANK,
    exp.DenseRank: WindowKind.DENSE_RANK,
    exp.Lag: WindowKind.LAG,
    exp.Lead: WindowKind.LEAD,
    exp.FirstValue: WindowKind.FIRST_VALUE,
}
PLACED = (WindowKind.ROW_NUMBER, WindowKind.LAG, WindowKind.LEAD, WindowKind.FIRST_VALUE)
"""What depends on which of two rows comes first; the order goes on through all columns."""
ORDERED = (*PLACED, WindowKind.RANK, WindowKind.DENSE_RANK)
TAKEN = (WindowKind.LAG, WindowKind.LEAD, WindowKind.FIRST_VALUE)
"""What takes the value of another row as it is."""

OFFSET_LIMIT = 1000


def window(node: exp.Window, scope: Scope) -> Window:
    """The window that an item of SELECT is."""
    only(node, "this", "partition_by", "order", "over", "first")
    call = node.this
    over = OVERS.get(type(call))
    if over is None:
        names = ", ".join(kind.value for kind in WindowKind)
        raise refused(node, f"over the rows of a person {names} are understood.")
    parts = node.args.get("partition_by") or []
    people = [part for part in parts if scope.is_person(part)]
    others = [part for part in parts if not scope.is_person(part)]
    if len(people) != 1 or not all(isinstance(part, exp.Column) for part in others):
        raise refused(
            node,
            "a window goes over the rows of one person: rows of several would tell of each other.",
            "Write OVER (PARTITION BY person ...), and plain columns besides.",
        )
    keys = tuple(scope.leaf(part) for part in others)
    order = _order(node, scope)
    if over in ORDERED and not order:
        raise refused(node, "this needs an order.", "Write OVER (PARTITION BY person ORDER BY column).")
    ties = tuple(field.leaf for field in scope.fields if field.leaf is not None) if over in PLACED else ()
    return Window(over, _value(call, over, scope), keys, order, _offset(call, over), ties)


def bounded(found: Window, name: str, most_rows: Callable[[], int]) -> Column:
    """The column that a window becomes, with its bounds."""
    value = found.value
    match found.over:
        case WindowKind.COUNT:
            return Column(name=name, kind=Kind.INTEGER, low=Fraction(0), high=Fraction(most_rows()), nulls=False)
        case WindowKind.ROW_NUMBER | WindowKind.RANK | WindowKind.DENSE_RANK:
            return Column(name=name, kind=Kind.INTEGER, low=Fraction(1), high=Fraction(most_rows()), nulls=False)
    assert value is not None
    if isinstance(value, Leaf):
        return Column(name=name, kind=Kind.CATEGORY, values=value.column.values, nulls=True)
    low, high, step = value.low, value.high, value.step
    if found.over is WindowKind.SUM:
        measure = measures.total(value, most=most_rows())
        low, high = measure.low, measure.high
    kind = Kind.INTEGER if step == 1 else Kind.NUMBER
    if found.over is not WindowKind.SUM:
        kind = KINDS.get(value.unit, kind)
    return Column(name=name, kind=kind, low=low * step, high=high * step, step=step, nulls=True)


def _value(call: exp.Expr, over: WindowKind, scope: Scope) -> Quantity | Leaf | None:
    if over in (WindowKind.ROW_NUMBER, WindowKind.RANK, WindowKind.DENSE_RANK):
        only(call)
        return None
    only(call, "this", "big_int", "offset")
    node = call.this
    if over is WindowKind.COUNT and isinstance(node, exp.Star | exp.Literal):
        return None
    if isinstance(node, exp.Column) and scope.leaf(node).column.kind is Kind.CATEGORY:
        if over in TAKEN:
            return scope.leaf(node)
        if over is WindowKind.COUNT:
            leaf = scope.leaf(node)
            return Quantity(term=leaf, low=0, high=0, step=Fraction(1), nulls=leaf.column.nulls)
    return number(node, scope) if over is WindowKind.SUM else quantity(node, scope)


def _offset(call: exp.Expr, over: WindowKind) -> int:
    given = call.args.get("offset")
    if given is None:
        return 1
    found = written_whole(given)
    if over not in (WindowKind.LAG, WindowKind.LEAD) or found is None or not 1 <= found <= OFFSET_LIMIT:
        raise refused(call, f"LAG and LEAD look 1 to {OFFSET_LIMIT} rows away.")
    return found


def _order(node: exp.Window, scope: Scope) -> tuple[SortKey, ...]:
    order = node.args.get("order")
    found = []
    for key in () if order is None else order.expressions:
        only(key, "this", "desc", "nulls_first")
        column = key.this
        if isinstance(column, exp.Column) and scope.leaf(column).column.kind is Kind.CATEGORY:
            value: Quantity | Leaf = scope.leaf(column)
        else:
            value = quantity(column, scope)
        found.append(SortKey(value, bool(key.args.get("desc")), bool(key.args.get("nulls_first"))))
    return tuple(found)
