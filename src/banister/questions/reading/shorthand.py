"""What people write for short, written out: histograms, equal bins, names of dialects, MIN and MAX where they are
chosen to be quantiles. What a plan and a report show is the question as it is written out."""

from fractions import Fraction

from sqlglot import exp

from banister.questions import terms
from banister.questions.reading.place import check_select, only, placed, refused, written_whole
from banister.questions.terms import Quantity

BINS_LIMIT = 10_000
"""Bins of one histogram."""

BINS = 20
"""Bins where nobody says how many."""


def written_out(tree: exp.Expr, extremes: Fraction) -> exp.Expr:
    """The question with HISTOGRAM as a GROUP BY, and MIN and MAX of its answers as quantiles where that is chosen."""
    if not isinstance(tree, exp.Select):
        return tree
    for call in list(tree.find_all(exp.CountIf, *PERCENTILES, exp.Anonymous)):
        made = _plain(call)
        if made is not None and call.parent is not None:
            call.replace(made)
    tree = _histogram(tree)
    if extremes:
        for part in (*tree.expressions, *(tree.args[name] for name in ("having", "order") if tree.args.get(name))):
            for call in list(part.find_all(exp.Min, exp.Max)):
                if call.find_ancestor(exp.Select) is tree and not isinstance(call.parent, exp.Window):
                    call.replace(_quantile(call, extremes))
    return tree


QUANTILES = ("QUANTILE_CONT", "QUANTILE_DISC", "PERCENTILE", "PERCENTILE_APPROX", "APPROX_PERCENTILE")
"""What dialects call QUANTILE(x, 0.9); which value between two rows it takes makes no difference under noise."""


PERCENTILES = (exp.PercentileCont, exp.PercentileDisc, exp.ApproxQuantile)
"""The same, where a dialect knows them; those with WITHIN GROUP have one argument."""


def _plain(call: exp.Expr) -> exp.Expr | None:
    """A dialect's own aggregate as the plain one; None where there is none."""
    if isinstance(call, exp.CountIf):
        only(call, "this", "big_int")
        return exp.Count(this=exp.Case(ifs=[exp.If(this=call.this, true=exp.Literal.number(1))]), big_int=True)
    if isinstance(call, PERCENTILES):
        only(call, "this", "expression", "quantile")
        order = call.args.get("expression") or call.args.get("quantile")
        return None if order is None else exp.Quantile(this=call.this, quantile=order)
    if call.name.upper() in QUANTILES and len(call.expressions) == 2:
        return exp.Quantile(this=call.expressions[0], quantile=call.expressions[1])
    return None


def _quantile(call: exp.Expr, extremes: Fraction) -> exp.Expr:
    order = extremes if isinstance(call, exp.Min) else 1 - extremes
    return exp.Quantile(this=call.this, quantile=exp.Literal.number(f"{float(order):.6g}"))


def _histogram(tree: exp.Select) -> exp.Select:
    """SELECT HISTOGRAM(x, 20) FROM data is SELECT BIN(x, 20) AS x, COUNT(*) AS n FROM data GROUP BY 1."""
    found = [item for item in tree.expressions if _is_histogram(item)]
    if not found:
        return tree
    call = found[0].this if isinstance(found[0], exp.Alias) else found[0]
    if len(tree.expressions) > 1 or tree.args.get("group"):
        raise refused(
            call, "HISTOGRAM stands alone behind SELECT.", "Group by BIN(column, 20) to ask for more, or by more."
        )
    check_select(tree, "order", "limit", "having")
    if len(call.expressions) not in (1, 2):
        raise refused(call, "HISTOGRAM takes a column and a number of bins, e.g. HISTOGRAM(age, 20).")
    column, *rest = call.expressions
    bins = exp.Anonymous(this="BIN", expressions=[column.copy(), *(rest or [exp.Literal.number(BINS)])])
    name = found[0].alias or (column.name if isinstance(column, exp.Column) else "bin")
    tree.set("expressions", [exp.alias_(bins, name, quoted=True), exp.alias_(exp.Count(this=exp.Star()), "n")])
    return tree.group_by("1", copy=False)


def _is_histogram(item: exp.Expr) -> bool:
    node = item.this if isinstance(item, exp.Alias) else item
    return isinstance(node, exp.Anonymous) and node.name.upper() == "HISTOGRAM"


def bin_edges(node: exp.Anonymous, found: Quantity) -> tuple[Fraction, ...]:
    """The ends of so many bins over the range of a number, all as wide."""
    count = written_whole(node.expressions[1])
    if count is None or not 1 <= count <= BINS_LIMIT:
        raise refused(node, f"the number of bins is a whole number from 1 to {BINS_LIMIT}.")
    low, high = found.low * found.step, found.high * found.step
    if low == high:
        raise refused(node, "this is the same in every row.", "Group by a column that is not.")
    edges = tuple(low + (high - low) * Fraction(place, count) for place in range(count + 1))
    with placed(node):
        for edge in edges:
            terms.same_step(found, terms.constant(edge))  # Each has to be comparable, or the question is refused here.
    return edges
