"""From SQL text to a bounded question. An allow-list: what is not understood is refused, with its place."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from sqlglot import exp

from banister.core.exact.numbers import brief
from banister.errors import Refused
from banister.questions import inside, terms
from banister.questions import periods as dates
from banister.questions.aggregates import Shelf
from banister.questions.question import Axis, Bins, Listed, Periods, Question, Span, Unknown
from banister.questions.reading.answering import Answering
from banister.questions.reading.grouping import by_all, expanded
from banister.questions.reading.limits import check_cells, check_depth, check_text, not_too_deep
from banister.questions.reading.naming import default_name, free_name
from banister.questions.reading.place import AFTER, check_select, only, refused, written_whole
from banister.questions.reading.rows.relations import Reader, Relations
from banister.questions.reading.scope import Scope
from banister.questions.reading.shorthand import bin_edges, written_out
from banister.questions.reading.values.dates import TRUNCATED, period_of
from banister.questions.reading.values.expressions import condition, dated, number, quantity, with_time
from banister.questions.reading.values.outcomes import outcomes
from banister.questions.reading.written import trees
from banister.questions.relation import declared_groups, declared_rows
from banister.questions.terms import Quantity
from banister.tables.calendar import CLOCK
from banister.tables.schema import Kind, Schema

SPAN_LIMIT = 1_000_000
"""An integer column with a wider range is grouped by declared bins."""


def read_questions(
    text: str, schema: Schema, *, aggregates: Shelf, dialect: str | None = None, extremes: Fraction = Fraction(0)
) -> tuple[Question, ...]:
    """Every question in a text, separated by semicolons; a SELECT with ROLLUP and its like is several.

    `aggregates` is the shelf of what may be asked for. With `extremes` above 0, MIN and MAX are quantiles of that order
    from either end.
    """
    check_text(text)
    names = [column.name for table in schema.tables for column in table.columns]
    names += [table.person for table in schema.tables if table.person is not None]
    kept = [tree for tree in trees(text, dialect, names) if tree is not None]
    if not kept:
        raise Refused("The question is empty. Ask e.g. SELECT COUNT(*) FROM data.")
    for tree in kept:
        check_depth(tree)
    kept = [written_out(tree, extremes) for tree in kept]
    with not_too_deep():
        return tuple(_question(one, schema, aggregates) for tree in kept for one in _each(tree, aggregates))


def _each(tree: exp.Expr, aggregates: Shelf) -> list[exp.Select]:
    """The questions of one statement: several where it asks for totals by ROLLUP and its like."""
    if not isinstance(tree, exp.Select):
        raise refused(tree, "only SELECT is answered.")
    return expanded(by_all(tree, aggregates), lambda key, whole: _key(key, whole)[0])


@dataclass(frozen=True, slots=True)
class Reading:
    """What is known while one SELECT is read."""

    scope: Scope
    schema: Schema
    personal: bool
    aggregates: Shelf


def _question(tree: exp.Select, schema: Schema, aggregates: Shelf) -> Question:
    relations = Relations(schema)
    reader = Reader(relations, _tables(tree))
    relation, scope = reader.opened(tree)
    check_select(tree, *AFTER)
    reading = Reading(scope, schema, schema.main.person is not None, aggregates)
    where = tree.args.get("where")
    axes, names = _axes(tree, reading)
    check_cells(tree, axes)
    answering, columns = _outputs(tree, names, reading)
    after = answering.after(tree, columns)
    missing = [axis.name for axis in axes if axis.name not in columns]
    kept = terms.Boolean(True) if where is None else condition(where.this, scope)
    return Question(
        text=tree.sql(),
        relation=reader.closed(relation, scope),
        where=kept,
        axes=axes,
        outputs=tuple(answering.outputs),
        columns=(*missing, *columns),
        personal=reading.personal,
        rows=declared_rows(relation),
        groups=declared_groups(relation),
        after=after,
    )


def _tables(tree: exp.Select) -> Mapping[str, exp.Expr]:
    with_ = tree.args.get("with_")
    if with_ is None:
        return {}
    only(with_, "expressions")
    found: dict[str, exp.Expr] = {}
    for cte in with_.expressions:
        alias, tree_ = cte.args["alias"], cte.this
        if alias.name.lower() in found:
            raise refused(alias, "this name is given twice.")
        found[alias.name.lower()] = _values_of(tree_, alias) or tree_
        if alias.args.get("columns") and found[alias.name.lower()] is tree_:
            raise refused(alias, "names of columns are not understood here.", "Name them inside, with AS.")
    return found


def _values_of(tree: exp.Expr, alias: exp.Expr) -> exp.Values | None:
    """The VALUES that a subquery of WITH is, with the names of their columns; None where it is another one."""
    if isinstance(tree, exp.Select) and len(tree.expressions) == 1 and isinstance(tree.expressions[0], exp.Star):
        start = tree.args.get("from_")
        if start is not None and isinstance(start.this, exp.Values) and tree.args.get("where") is None:
            found: exp.Values = start.this.copy()
            if alias.args.get("columns"):
                found.set("alias", alias.copy())
            return found
    return None


def _axes(tree: exp.Select, reading: Reading) -> tuple[tuple[Axis, ...], dict[str, str]]:
    """The axes, and the name of each by the text of its expression."""
    group = tree.args.get("group")
    names: dict[str, str] = {}
    axes: list[Axis] = []
    for key in () if group is None else group.expressions:
        node, name = _key(key, tree)
        if node.sql().lower() in names:
            raise refused(node, "this is grouped by twice.")
        axes.append(_axis(node, name, reading))
        names[node.sql().lower()] = axes[-1].name
    return tuple(axes), names


def _key(key: exp.Expr, tree: exp.Select) -> tuple[exp.Expr, str]:
    """The expression that a GROUP BY entry means: a number or an alias stands for an item of SELECT."""
    items = tree.expressions
    if isinstance(key, exp.Literal) and not key.is_string and key.name.isdigit():
        place = written_whole(key)
        if place is None or not 1 <= place <= len(items):
            raise refused(key, f"SELECT has {len(items)} items.")
        key = items[place - 1]
    named = key.name if isinstance(key, exp.Column) and not key.table else None
    for item in items:
        if isinstance(item, exp.Alias) and (item is key or named == item.alias):
            return item.this, item.alias
    matching = next((i for i in items if isinstance(i, exp.Alias) and i.this == key), None)
    return key, matching.alias if matching is not None else _name(key)


def _name(node: exp.Expr) -> str:
    return node.name if isinstance(node, exp.Column) else node.sql().lower()


def _axis(node: exp.Expr, name: str, reading: Reading) -> Axis:
    if isinstance(node, exp.Anonymous) and node.name.upper() == "BIN" and len(node.expressions) in (1, 2):
        return _bins(node, name, reading)
    if isinstance(node, TRUNCATED):
        every, day = period_of(node)
        return _periods(node, dated(day, reading.scope), every, name)
    if not isinstance(node, exp.Column):
        return outcomes(node, name, reading.scope) or _computed(node, name, reading)
    leaf = reading.scope.leaf(node)
    if leaf.column.values is not None:  # A category, or whole numbers of a public table.
        return Listed(leaf, leaf.column.values, name)
    if leaf.column.kind is Kind.CATEGORY:
        return Unknown(leaf, name)
    found = terms.column(leaf)
    if leaf.column.kind.dated:
        return _periods(node, found, leaf.column.every, name)
    if leaf.column.step.denominator != 1 or found.high - found.low >= SPAN_LIMIT:
        raise refused(node, "this column has too many values to group by.", f"Declare bins and write BIN({node.name}).")
    return Span(found, name)


def _computed(node: exp.Expr, name: str, reading: Reading) -> Axis:
    """The cells of an expression: every whole number, or every day, that it can be."""
    found = quantity(node, reading.scope)
    if not inside.leaves(found.term):
        raise refused(node, "this is the same in every row.", "Group by a column, or leave it out.")
    if found.date or found.moment:
        return _periods(node, found, "day" if found.date else "minute", name)
    if found.step.denominator != 1 or found.high - found.low >= SPAN_LIMIT:
        raise refused(
            node,
            f"from {brief(found.step * found.low)} to {brief(found.step * found.high)} in steps of {brief(found.step)} "
            "this has too many values, or fractions, to group by.",
            "Round it, e.g. FLOOR(column / 10).",
        )
    return Span(found, name)


def _periods(node: exp.Expr, when: Quantity, every: str, name: str) -> Axis:
    """The periods of a date or a timestamp; a time of day is asked of the latter alone."""
    if every in CLOCK:
        found = dates.clock_period(with_time(node, when), every)
    else:
        found = dates.period(dates.day_of(when) if when.moment else when, every)
    if found.high - found.low >= SPAN_LIMIT:
        raise refused(node, f"this has more than {SPAN_LIMIT} {every}s to group by.", "Write DATE_TRUNC('month', ...).")
    return Periods(found, every, name)


def _bins(node: exp.Anonymous, name: str, reading: Reading) -> Axis:
    """Declared bins of a column, or so many over the range of whatever is a bounded number, all as wide."""
    column = node.expressions[0]
    if len(node.expressions) == 2:
        found = number(column, reading.scope)
        return Bins(found, bin_edges(node, found), name)
    if not isinstance(column, exp.Column):
        raise refused(column, "BIN takes one column.", f"Say how many bins: BIN({column.sql()}, 20).")
    leaf = reading.scope.leaf(column)
    if leaf.column.kind.dated:
        raise refused(column, "dates have no bins.", f"Write DATE_TRUNC('month', {column.name}).")
    if not leaf.column.bins:
        instead = f"Say how many: BIN({column.name}, 20), or declare e.g. bins = [0, 10, 20] for '{column.name}'."
        raise refused(column, "this column declares no bins.", instead)
    return Bins(terms.column(leaf), leaf.column.bins, name)


def _outputs(tree: exp.Select, names: Mapping[str, str], reading: Reading) -> tuple[Answering, tuple[str, ...]]:
    """The answers of SELECT, and the names of its columns."""
    columns: list[str] = []
    found: list[tuple[str, exp.Expr]] = []
    taken = [*names.values(), *(item.alias for item in tree.expressions if isinstance(item, exp.Alias))]
    for item in tree.expressions:
        node = item.this if isinstance(item, exp.Alias) else item
        key = names.get(node.sql().lower())
        if key is not None:
            if isinstance(item, exp.Alias) and item.alias != key:
                raise refused(item, f"this group is called '{key}' already.", "Name it once.")
            if key not in columns:
                columns.append(key)
            continue
        name = item.alias if isinstance(item, exp.Alias) else free_name(default_name(node), taken)
        found.append((name, node))
        columns.append(name)
        taken.append(name)
    if not found:
        raise refused(tree, "this asks for no aggregate.", "Ask e.g. COUNT(*).")
    answering = Answering(reading.scope, reading.aggregates, names, taken)
    answering.add(found)
    return answering, tuple(columns)
