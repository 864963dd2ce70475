"""From SQL text to a bounded question. An allow-list: what is not understood is refused, with its place."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import sqlglot
from sqlglot import exp

from banister.errors import BadValue, Refused
from banister.questions import periods as dates
from banister.questions import terms
from banister.questions.aggregates import output
from banister.questions.dates import PART, TRUNCATED, period_of
from banister.questions.expressions import condition, date, quantity
from banister.questions.grouping import expanded
from banister.questions.place import check_select, only, refused
from banister.questions.question import Axis, Bins, Listed, Output, Periods, Question, Span, Unknown
from banister.questions.relations import Reader, Relations
from banister.questions.scope import Scope
from banister.questions.terms import Quantity
from banister.tables.schema import Kind, Schema

SPAN_LIMIT = 1_000_000
"""An integer column with a wider range is grouped by declared bins."""


def read_questions(text: str, schema: Schema, *, dialect: str | None = None) -> tuple[Question, ...]:
    """Every question in a text, separated by semicolons; a SELECT with ROLLUP and its like is several."""
    try:
        trees = sqlglot.parse(text, read=dialect)
    except sqlglot.errors.SqlglotError as error:
        raise Refused(f"The question is not SQL that can be read: {_first(error)}") from None
    except ValueError:
        raise BadValue(f"dialect = {dialect!r} is not known; say e.g. 'duckdb', 'postgres' or 'spark'.") from None
    kept = [tree for tree in trees if tree is not None]
    if not kept:
        raise Refused("The question is empty. Ask e.g. SELECT COUNT(*) FROM data.")
    return tuple(_question(one, schema) for tree in kept for one in _each(tree))


def _each(tree: exp.Expr) -> list[exp.Select]:
    """The questions of one statement: several where it asks for totals by ROLLUP and its like."""
    if not isinstance(tree, exp.Select):
        raise refused(tree, "only SELECT is answered.")
    return expanded(tree, lambda key, whole: _key(key, whole)[0])


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


def _question(tree: exp.Select, schema: Schema) -> Question:
    relations = Relations(schema)
    reader = Reader(relations, _tables(tree))
    relation, scope = reader.source(tree)
    check_select(tree)
    reading = Reading(scope, schema, schema.main.person is not None)
    where = tree.args.get("where")
    axes, names = _axes(tree, reading)
    outputs, columns = _outputs(tree, names, reading)
    missing = [axis.name for axis in axes if axis.name not in columns]
    return Question(
        text=tree.sql(),
        relation=relation,
        where=terms.Truth(True) if where is None else condition(where.this, scope),
        axes=axes,
        outputs=outputs,
        columns=(*missing, *columns),
        personal=reading.personal,
    )


def _tables(tree: exp.Select) -> Mapping[str, exp.Expr]:
    with_ = tree.args.get("with_")
    if with_ is None:
        return {}
    only(with_, "expressions")
    return {cte.alias.lower(): cte.this for cte in with_.expressions}


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
        if not 1 <= int(key.name) <= len(items):
            raise refused(key, f"SELECT has {len(items)} items.")
        key = items[int(key.name) - 1]
    for item in items:
        if isinstance(item, exp.Alias) and (item is key or (isinstance(key, exp.Column) and key.name == item.alias)):
            return item.this, item.alias
    matching = next((i for i in items if isinstance(i, exp.Alias) and i.this == key), None)
    return key, matching.alias if matching is not None else _name(key)


def _name(node: exp.Expr) -> str:
    return node.name if isinstance(node, exp.Column) else node.sql().lower()


def _axis(node: exp.Expr, name: str, reading: Reading) -> Axis:
    if isinstance(node, exp.Anonymous) and node.name.upper() == "BIN" and len(node.expressions) == 1:
        return _bins(node.expressions[0], name, reading)
    if isinstance(node, PART):
        return Span(quantity(node, reading.scope), name)
    if isinstance(node, TRUNCATED):
        every, day = period_of(node)
        return _periods(node, date(day, reading.scope), every, name)
    if not isinstance(node, exp.Column):
        raise refused(
            node, "only columns, BIN(column) and DATE_TRUNC, YEAR, QUARTER, MONTH of a date can be grouped by."
        )
    leaf = reading.scope.leaf(node)
    if leaf.column.kind is Kind.CATEGORY:
        return Unknown(leaf, name) if leaf.column.values is None else Listed(leaf, leaf.column.values, name)
    found = terms.column(leaf)
    if found.date:
        return _periods(node, found, leaf.column.every, name)
    if leaf.column.step.denominator != 1 or found.high - found.low >= SPAN_LIMIT:
        raise refused(node, "this column has too many values to group by.", f"Declare bins and write BIN({node.name}).")
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


def _outputs(
    tree: exp.Select, names: Mapping[str, str], reading: Reading
) -> tuple[tuple[Output, ...], tuple[str, ...]]:
    outputs: list[Output] = []
    columns: list[str] = []
    for item in tree.expressions:
        node = item.this if isinstance(item, exp.Alias) else item
        key = names.get(node.sql().lower())
        if key is not None:
            columns.append(key)
            continue
        found = output(node, item.alias if isinstance(item, exp.Alias) else _output_name(node), reading.scope)
        if found.name in columns:
            found = replace(found, name=f"{found.name}_{len(columns) + 1}")
        outputs.append(found)
        columns.append(found.name)
    if not outputs:
        raise refused(tree, "this asks for no aggregate.", "Ask e.g. COUNT(*).")
    return tuple(outputs), tuple(columns)


def _output_name(node: exp.Expr) -> str:
    text = "".join(letter if letter.isalnum() else "_" for letter in node.sql().lower())
    while "__" in text:
        text = text.replace("__", "_")
    return text.strip("_") or "answer"
