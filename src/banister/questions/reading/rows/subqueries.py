"""Subqueries that keep each row with its person: grouped by the person, rows as they are, several in a row.

A column of a subquery is a whole number of steps with bounds of its own, or the value of a category.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Protocol

from sqlglot import exp

from banister.questions import measures, terms
from banister.questions.reading.naming import default_name
from banister.questions.reading.place import check_select, only, refused, written_whole
from banister.questions.reading.rows.hoisting import hoisted, needs_hoisting
from banister.questions.reading.rows.windows import bounded, window
from banister.questions.reading.scope import Field, Scope
from banister.questions.reading.values.dates import TRUNCATED
from banister.questions.reading.values.expressions import condition, number, quantity
from banister.questions.reading.values.outcomes import said
from banister.questions.relation import (
    ALWAYS,
    ChosenRows,
    Grouped,
    Inner,
    PerPerson,
    Picked,
    Relation,
    Spoken,
    United,
    Window,
)
from banister.questions.terms import KINDS, Condition, Leaf, Quantity
from banister.tables.columns import Column, Kind

INNER: dict[type[exp.Expr], Inner] = {
    exp.Count: Inner.COUNT,
    exp.Sum: Inner.SUM,
    exp.Min: Inner.MIN,
    exp.Max: Inner.MAX,
    exp.Avg: Inner.AVG,
}

Fields = tuple[Field, ...]


class ReadsFrom(Protocol):
    """Who reads the FROM of a subquery."""

    def opened(self, tree: exp.Select) -> "tuple[Relation, Scope]": ...

    def closed(self, relation: Relation, scope: Scope) -> Relation: ...

    def fresh(self, node: exp.Expr) -> str: ...

    def most_rows(self, relation: Relation, node: exp.Expr) -> int: ...


def subquery(reads: ReadsFrom, tree: exp.Expr, owner: str) -> tuple[Relation, Fields]:
    """The relation that a subquery is, and what can be seen of it."""
    if isinstance(tree, exp.Union):
        return united(reads, tree, owner)
    if not isinstance(tree, exp.Select) or tree.args.get("with_") is not None:
        raise refused(tree, "a subquery must be a SELECT, or several with UNION ALL.")
    if tree.args.get("distinct") is not None:
        tree = _distinct(tree)
    if tree.args.get("group") is not None:
        return _grouped(reads, tree, owner)
    if any(isinstance(part, exp.AggFunc) and not _in_window(part) for part in _own(tree)):
        raise refused(tree, "a subquery with aggregates must be grouped by the person column.")
    found, fields = chosen(reads, tree, owner)
    return found, fields


def chosen(reads: ReadsFrom, tree: exp.Select, owner: str) -> tuple[ChosenRows, Fields]:
    """A subquery that keeps rows as they are."""
    check_select(tree, "qualify")
    relation, scope = reads.opened(tree)
    if needs_hoisting(tree):
        return chosen(reads, hoisted(tree, _named_items(tree, scope)), owner)
    if not any(field.person for field in scope.fields):
        raise refused(tree, "a subquery needs a table with a person column.")
    alias = reads.fresh(tree)
    columns: list[Picked] = []
    fields: list[Field] = []
    for name, node in _named_items(tree, scope):
        if scope.is_person(node):
            fields.append(Field(owner, name, None, person=True))
            continue
        picked = _picked(reads, node, scope, relation, f"c{len(columns)}")
        columns.append(picked)
        ready = picked.column.kind is not Kind.CATEGORY
        fields.append(Field(owner, name, Leaf(alias, picked.column, ready)))
    where = _where(tree, scope)
    return ChosenRows(reads.closed(relation, scope), where, tuple(columns), alias), tuple(fields)


def united(reads: ReadsFrom, tree: exp.Union, owner: str) -> tuple[United, Fields]:
    """Several subqueries with UNION ALL; their columns go together by their places."""
    only(tree, "this", "expression", "distinct", "by_name", "side", "kind", "on")
    if tree.args.get("distinct"):
        raise refused(tree, "UNION leaves out rows that equal others, also those of other people.", "Write UNION ALL.")
    found = [chosen(reads, one, owner) for one in _parts(tree)]
    alias = reads.fresh(tree)
    first = found[0][1]
    for part, fields in found[1:]:
        if [field.person for field in fields] != [field.person for field in first]:
            raise refused(tree, "each part of UNION ALL needs the same columns, with the person in the same place.")
        del part
    if sum(field.person for field in first) != 1:
        raise refused(tree, "each part of UNION ALL must select the person column, once.")
    columns = [_aligned(tree, [part.columns[place] for part, _ in found]) for place in range(len(found[0][0].columns))]
    parts = tuple(
        replace(part, columns=tuple(column[place] for column in columns)) for place, (part, _) in enumerate(found)
    )
    whole = iter([_united_column([one.column for one in column]) for column in columns])
    shown: list[Field] = []
    for field in first:
        if field.person:
            shown.append(Field(owner, field.name, None, person=True))
            continue
        column = next(whole)
        shown.append(Field(owner, field.name, Leaf(alias, column, column.kind is not Kind.CATEGORY)))
    return United(parts, alias), tuple(shown)


def _grouped(reads: ReadsFrom, tree: exp.Select, owner: str) -> tuple[Grouped, Fields]:
    check_select(tree, "having")
    group = tree.args["group"]
    relation, scope = reads.opened(tree)
    wanted = [_meant(key, tree) for key in group.expressions]
    people = [key for key in wanted if scope.is_person(key)]
    others = [key for key in wanted if isinstance(key, exp.Column) and not scope.is_person(key)]
    if len(people) != 1 or len(people) + len(others) < len(wanted):
        raise refused(group, "a subquery must be grouped by the person column, and by plain columns besides.")
    alias = reads.fresh(tree)
    keys = tuple(scope.leaf(key) for key in others)
    totals: list[PerPerson] = []
    fields: list[Field] = []
    for item in tree.expressions:
        node = item.this if isinstance(item, exp.Alias) else item
        name = item.alias if isinstance(item, exp.Alias) else node.name
        if scope.is_person(node):
            fields.append(Field(owner, name, None, person=True))
        elif isinstance(node, exp.Column):
            fields.append(Field(owner, name, _key(node, scope, keys, alias)))
        else:
            if not isinstance(item, exp.Alias):
                raise refused(node, "an aggregate in a subquery needs a name.", f"Write {node.sql()} AS name.")
            totals.append(_total(reads, node, f"t{len(totals)}", scope, relation))
            fields.append(Field(owner, name, Leaf(alias, totals[-1].column, True)))
    having = _having(reads, tree, scope, relation, keys, alias, totals, fields)
    if not any(f.person for f in fields):
        raise refused(tree, "a subquery must select the person column.")
    where = _where(tree, scope)
    closed = reads.closed(relation, scope)
    return Grouped(closed, where, keys, tuple(totals), alias, having), tuple(fields)


def _meant(key: exp.Expr, tree: exp.Select) -> exp.Expr:
    """What is grouped by: a number stands for an item of SELECT."""
    place = written_whole(key)
    if place is None:
        return key
    if not 1 <= place <= len(tree.expressions):
        raise refused(key, f"there are {len(tree.expressions)} items to group by, and no number {place}.")
    item: exp.Expr = tree.expressions[place - 1]
    return item.unalias()


def _having(
    reads: ReadsFrom,
    tree: exp.Select,
    scope: Scope,
    relation: Relation,
    keys: tuple[Leaf, ...],
    alias: str,
    totals: list[PerPerson],
    fields: Sequence[Field],
) -> Condition:
    """HAVING over the keys and totals of one person; aggregates that stand only there are computed too."""
    having = tree.args.get("having")
    if having is None:
        return ALWAYS
    seen = [field for field in fields if field.leaf is not None]
    for key in keys:
        leaf = Leaf(alias, replace(key.column, name=f"k{keys.index(key)}"), key.column.kind is not Kind.CATEGORY)
        if not any(field.leaf == leaf for field in seen):
            seen.append(Field("", key.column.name, leaf))
    wanted = having.this.copy()
    for node in list(wanted.find_all(exp.AggFunc)):
        name = f"h{len(totals)}"
        total = _total(reads, node, f"t{len(totals)}", scope, relation)
        totals.append(total)
        seen.append(Field("", name, Leaf(alias, total.column, True)))
        column = exp.column(name)
        if node is wanted:
            wanted = column
        else:
            node.replace(column)
    return condition(wanted, Scope(tuple(replace(field, owner="") for field in seen)))


def _key(node: exp.Column, scope: Scope, keys: tuple[Leaf, ...], alias: str) -> Leaf:
    leaf = scope.leaf(node)
    if leaf not in keys:
        raise refused(node, "a column outside an aggregate must be grouped by.", "Add it to GROUP BY.")
    column = replace(leaf.column, name=f"k{keys.index(leaf)}")
    return Leaf(alias, column, leaf.column.kind is not Kind.CATEGORY)


def _total(reads: ReadsFrom, node: exp.Expr, name: str, scope: Scope, relation: Relation) -> PerPerson:
    inner = INNER.get(type(node))
    if inner is None:
        raise refused(node, "in a subquery COUNT, SUM, AVG, MIN and MAX are understood.")
    only(node, "this", "big_int")
    starred = inner is Inner.COUNT and isinstance(node.this, exp.Star)
    read = number if inner in (Inner.SUM, Inner.AVG) else quantity
    if inner is Inner.COUNT and not starred:
        value: Quantity | None = _counted(node.this, scope)
    else:
        value = None if starred else read(node.this, scope)
    low, high, step, nulls = _bounds(reads, node, inner, value, relation)
    taken = inner in (Inner.MIN, Inner.MAX) and value is not None
    kind = KINDS.get(value.unit, Kind.NUMBER) if taken and value is not None else Kind.NUMBER
    if inner is Inner.AVG and value is not None:
        value = measures.finer(value, most=1)
    column = Column(name=name, kind=kind, low=low * step, high=high * step, step=step, nulls=nulls)
    return PerPerson(column, inner, value)


def _counted(node: exp.Expr, scope: Scope) -> Quantity | None:
    """What must not be missing for a row to be counted: COUNT(1) counts every one."""
    if isinstance(node, exp.Literal):
        return None
    if isinstance(node, exp.Column) and scope.leaf(node).column.kind is Kind.CATEGORY:
        leaf = scope.leaf(node)
        return Quantity(term=leaf, low=0, high=0, step=Fraction(1), nulls=leaf.column.nulls)
    return quantity(node, scope)


def _bounds(
    reads: ReadsFrom, node: exp.Expr, inner: Inner, value: Quantity | None, relation: Relation
) -> tuple[int, int, Fraction, bool]:
    if value is not None and inner in (Inner.MIN, Inner.MAX):
        return value.low, value.high, value.step, True
    if value is not None and inner is Inner.AVG:
        fine = measures.finer(value, most=1)
        return fine.low, fine.high, fine.step, True
    rows = reads.most_rows(relation, node)
    if value is None or inner is Inner.COUNT:
        return 0, rows, Fraction(1), False
    measure = measures.total(value, most=rows)
    return measure.low, measure.high, value.step, True


def _picked(reads: ReadsFrom, node: exp.Expr, scope: Scope, relation: Relation, name: str) -> Picked:
    if isinstance(node, exp.Window):
        found = window(node, scope)
        return Picked(bounded(found, name, lambda: reads.most_rows(relation, node)), found)
    if isinstance(node, exp.Column) and scope.leaf(node).column.kind is Kind.CATEGORY:
        leaf = scope.leaf(node)
        return Picked(replace(leaf.column, name=name), leaf)
    if isinstance(node, TRUNCATED):
        raise refused(
            node,
            "a subquery keeps dates as they are.",
            f"Select {node.this.sql()} there, and write DATE_TRUNC outside.",
        )
    spoken = said(node, scope)
    if spoken is not None:
        return Picked(_spoken_column(spoken, name), spoken)
    value = quantity(node, scope)
    return Picked(as_column(value, name), value)


def _spoken_column(found: Spoken, name: str) -> Column:
    return Column(name=name, kind=Kind.CATEGORY, values=found.values, nulls=found.place.nulls)


def as_column(value: Quantity, name: str) -> Column:
    """The column that a quantity becomes outside of its subquery."""
    kind = KINDS.get(value.unit, Kind.INTEGER if value.step == 1 else Kind.NUMBER)
    step = value.step
    return Column(name=name, kind=kind, low=value.low * step, high=value.high * step, step=step, nulls=value.nulls)


def _aligned(node: exp.Expr, picked: Sequence[Picked]) -> list[Picked]:
    """One column of UNION ALL in each of its parts, in a common step."""
    categories = [one.column.kind is Kind.CATEGORY for one in picked]
    if all(categories):
        return list(picked)
    if any(categories) or any(isinstance(one.value, Window) for one in picked):
        raise refused(node, "the parts of UNION ALL have columns of different kinds in one place.")
    values = [one.value for one in picked if isinstance(one.value, Quantity)]
    same = terms.common_step(values)
    return [Picked(as_column(value, one.column.name), value) for value, one in zip(same, picked, strict=True)]


def _united_column(columns: Sequence[Column]) -> Column:
    """What is known of a column of UNION ALL: what holds for all of its parts."""
    nulls = any(column.nulls for column in columns)
    if columns[0].kind is Kind.CATEGORY:
        lists = [column.values for column in columns]
        known = None if None in lists else tuple(dict.fromkeys(v for values in lists for v in values or ()))
        if known is not None and len({type(value) for value in known}) > 1:
            known = None
        return replace(columns[0], values=known, nulls=nulls, other=None)
    low, high = min(column.low for column in columns), max(column.high for column in columns)
    kinds = {column.kind for column in columns}
    kind = columns[0].kind if len(kinds) == 1 else Kind.NUMBER
    return replace(columns[0], kind=kind, low=low, high=high, nulls=nulls, bins=())


def _named_items(tree: exp.Select, scope: Scope) -> list[tuple[str, exp.Expr]]:
    """The items of SELECT with their names; * is every column that can be seen, and the person."""
    found: list[tuple[str, exp.Expr]] = []
    for item in tree.expressions:
        if isinstance(item, exp.Star):
            only(item)
            for field in scope.fields:
                if (field.person and field.absent) or (field.leaf is None and not field.person):
                    continue
                if field.person and any(name.lower() == field.name.lower() for name, _ in found):
                    continue
                found.append((field.name, exp.column(field.name, table=field.owner or None)))
            continue
        node = item.this if isinstance(item, exp.Alias) else item
        name = node.name if isinstance(node, exp.Column) else default_name(node)
        found.append((item.alias if isinstance(item, exp.Alias) else name, node))
    return found


def _distinct(tree: exp.Select) -> exp.Select:
    """SELECT DISTINCT person, column is GROUP BY person, column."""
    only(tree.args["distinct"])
    if tree.args.get("group") is not None:
        raise refused(tree, "DISTINCT and GROUP BY together are not understood.", "Leave DISTINCT out.")
    made = tree.copy()
    made.set("distinct", None)
    made.set("group", exp.Group(expressions=[item.unalias().copy() for item in tree.expressions]))
    return made


def _where(tree: exp.Select, scope: Scope) -> Condition:
    where = tree.args.get("where")
    return ALWAYS if where is None else condition(where.this, scope)


def _parts(tree: exp.Expr) -> list[exp.Select]:
    while isinstance(tree, exp.Subquery | exp.Paren):
        tree = tree.this
    if isinstance(tree, exp.Union):
        if tree.args.get("distinct"):
            raise refused(tree, "UNION leaves out rows that equal others.", "Write UNION ALL.")
        return [*_parts(tree.this), *_parts(tree.expression)]
    if not isinstance(tree, exp.Select) or tree.args.get("group") is not None or tree.args.get("distinct") is not None:
        raise refused(tree, "UNION ALL takes plain SELECTs, without GROUP BY and DISTINCT.")
    return [tree]


def _own(tree: exp.Select) -> list[exp.Expr]:
    """The parts of the items of a SELECT."""
    return [part for item in tree.expressions for part in item.walk()]


def _in_window(node: exp.Expr) -> bool:
    return isinstance(node.parent, exp.Window)
