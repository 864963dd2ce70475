"""From SQL text to a bounded question. An allow-list: what is not understood is refused, with its place."""

from collections.abc import Mapping
from dataclasses import dataclass

import sqlglot
from sqlglot import exp

from banister.core.exact.numbers import brief
from banister.errors import BadValue, Refused
from banister.questions import periods as dates
from banister.questions import terms
from banister.questions.aggregates import Shelf
from banister.questions.question import Axis, Bins, Listed, Periods, Question, Span, Unknown
from banister.questions.reading.answering import Answering
from banister.questions.reading.dates import TRUNCATED, period_of
from banister.questions.reading.expressions import condition, date, quantity
from banister.questions.reading.grouping import by_all, expanded
from banister.questions.reading.limits import check_cells, check_depth, check_text, not_too_deep
from banister.questions.reading.naming import default_name, free_name
from banister.questions.reading.outcomes import outcomes
from banister.questions.reading.place import AFTER, check_select, only, refused, written_whole
from banister.questions.reading.relations import Reader, Relations
from banister.questions.reading.scope import Scope
from banister.questions.terms import Quantity
from banister.tables.schema import Kind, Schema

SPAN_LIMIT = 1_000_000
"""An integer column with a wider range is grouped by declared bins."""


def read_questions(text: str, schema: Schema, *, aggregates: Shelf, dialect: str | None = None) -> tuple[Question, ...]:
    """Every question in a text, separated by semicolons; a SELECT with ROLLUP and its like is several.

    `aggregates` is the shelf of what may be asked for.
    """
    check_text(text)
    try:
        with not_too_deep():
            trees = sqlglot.parse(text, read=dialect)
    except Refused:
        raise
    except sqlglot.errors.SqlglotError as error:
        raise Refused(f"The question is not SQL that can be read: {_first(error)}") from None
    except ValueError:
        raise BadValue(f"dialect = {dialect!r} is not known; say e.g. 'duckdb', 'postgres' or 'spark'.") from None
    kept = [tree for tree in trees if tree is not None]
    if not kept:
        raise Refused("The question is empty. Ask e.g. SELECT COUNT(*) FROM data.")
    for tree in kept:
        check_depth(tree)
    with not_too_deep():
        return tuple(_question(one, schema, aggregates) for tree in kept for one in _each(tree, aggregates))


def _each(tree: exp.Expr, aggregates: Shelf) -> list[exp.Select]:
    """The questions of one statement: several where it asks for totals by ROLLUP and its like."""
    if not isinstance(tree, exp.Select):
        raise refused(tree, "only SELECT is answered.")
    return expanded(by_all(tree, aggregates), lambda key, whole: _key(key, whole)[0])


def _first(error: sqlglot.errors.SqlglotError) -> str:
    found = getattr(error, "errors", None)
    if not found:
        return str(error).splitlines()[0][:200]
    one = found[0]
    return f"{one['description']} at line {one['line']}, column {one['col']}."


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
    relation, scope = reader.source(tree)
    check_select(tree, *AFTER)
    reading = Reading(scope, schema, schema.main.person is not None, aggregates)
    where = tree.args.get("where")
    axes, names = _axes(tree, reading)
    check_cells(tree, axes)
    answering, columns = _outputs(tree, names, reading)
    after = answering.after(tree, columns)
    missing = [axis.name for axis in axes if axis.name not in columns]
    return Question(
        text=tree.sql(),
        relation=relation,
        where=terms.Boolean(True) if where is None else condition(where.this, scope),
        axes=axes,
        outputs=tuple(answering.outputs),
        columns=(*missing, *columns),
        personal=reading.personal,
        after=after,
    )


def _tables(tree: exp.Select) -> Mapping[str, exp.Expr]:
    with_ = tree.args.get("with_")
    if with_ is None:
        return {}
    only(with_, "expressions")
    found: dict[str, exp.Expr] = {}
    for cte in with_.expressions:
        if cte.args["alias"].args.get("columns"):
            raise refused(cte.args["alias"], "names of columns are not understood here.", "Name them inside, with AS.")
        if cte.alias.lower() in found:
            raise refused(cte.args["alias"], "this name is given twice.")
        found[cte.alias.lower()] = cte.this
    return found


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
    if isinstance(node, exp.Anonymous) and node.name.upper() == "BIN" and len(node.expressions) == 1:
        return _bins(node.expressions[0], name, reading)
    if isinstance(node, TRUNCATED):
        every, day = period_of(node)
        return _periods(node, date(day, reading.scope), every, name)
    if not isinstance(node, exp.Column):
        return outcomes(node, name, reading.scope) or _computed(node, name, reading)
    leaf = reading.scope.leaf(node)
    if leaf.column.kind is Kind.CATEGORY:
        return Unknown(leaf, name) if leaf.column.values is None else Listed(leaf, leaf.column.values, name)
    found = terms.column(leaf)
    if found.date:
        return _periods(node, found, leaf.column.every, name)
    if leaf.column.step.denominator != 1 or found.high - found.low >= SPAN_LIMIT:
        raise refused(node, "this column has too many values to group by.", f"Declare bins and write BIN({node.name}).")
    return Span(found, name)


def _computed(node: exp.Expr, name: str, reading: Reading) -> Axis:
    """The cells of an expression: every whole number, or every day, that it can be."""
    found = quantity(node, reading.scope)
    if not terms.leaves(found.term):
        raise refused(node, "this is the same in every row.", "Group by a column, or leave it out.")
    if found.date:
        return _periods(node, found, "day", name)
    if found.step.denominator != 1 or found.high - found.low >= SPAN_LIMIT:
        raise refused(
            node,
            f"from {brief(found.step * found.low)} to {brief(found.step * found.high)} in steps of {brief(found.step)} "
            "this has too many values, or fractions, to group by.",
            "Round it, e.g. FLOOR(column / 10).",
        )
    return Span(found, name)


def _periods(node: exp.Expr, day: Quantity, every: str, name: str) -> Axis:
    found = dates.period(day, every)
    if found.high - found.low >= SPAN_LIMIT:
        raise refused(node, "this date has too many days to group by.", "Write DATE_TRUNC('month', ...).")
    return Periods(found, every, name)


def _bins(node: exp.Expr, name: str, reading: Reading) -> Axis:
    if not isinstance(node, exp.Column):
        raise refused(node, "BIN takes one column.")
    leaf = reading.scope.leaf(node)
    if leaf.column.kind is Kind.DATE:
        raise refused(node, "dates have no bins.", f"Write DATE_TRUNC('month', {node.name}).")
    if not leaf.column.bins:
        raise refused(node, "this column declares no bins.", f"Declare e.g. bins = [0, 10, 20] for '{node.name}'.")
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
