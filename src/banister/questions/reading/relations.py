"""FROM, JOIN and subqueries: everything that keeps each row with its person."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from sqlglot import exp

from banister.questions import measures
from banister.questions.question import Base, Grouped, Inner, Joined, PerPerson, Relation
from banister.questions.reading.expressions import condition, number, quantity
from banister.questions.reading.limits import RELATIONS_LIMIT
from banister.questions.reading.place import check_select, only, refused
from banister.questions.reading.scope import Field, Scope
from banister.questions.terms import Boolean, Leaf, Quantity
from banister.tables.schema import Column, Kind, Schema, Table

INNER: dict[type[exp.Expr], Inner] = {
    exp.Count: Inner.COUNT,
    exp.Sum: Inner.SUM,
    exp.Min: Inner.MIN,
    exp.Max: Inner.MAX,
}


@dataclass(slots=True)
class Relations:
    """The declared tables, and fresh names for the relations of one question."""

    schema: Schema
    used: int = field(default=0)

    def fresh(self, node: exp.Expr) -> str:
        self.used += 1
        if self.used > RELATIONS_LIMIT:
            raise refused(node, f"the question reads more than {RELATIONS_LIMIT} tables and subqueries.")
        return f"r{self.used}"

    def table(self, name: str) -> Table | None:
        return next((table for table in self.schema.tables if table.name.lower() == name.lower()), None)


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads FROM clauses; `named` are the subqueries of WITH."""

    relations: Relations
    named: Mapping[str, exp.Expr]

    def source(self, tree: exp.Select) -> tuple[Relation, Scope]:
        """The relation that a SELECT reads, and what it can see."""
        start = tree.args.get("from_")
        if start is None:
            raise refused(tree, "the question reads no table.", "Write FROM data.")
        relation, fields = self._item(start.this)
        for join in tree.args.get("joins") or []:
            relation, fields = self._join(relation, fields, join)
        return relation, Scope(fields)

    def _item(self, node: exp.Expr) -> tuple[Relation, tuple[Field, ...]]:
        alias = node.args.get("alias")
        if isinstance(alias, exp.TableAlias) and alias.args.get("columns"):
            raise refused(node, "names of columns behind a table's name are not understood.", "Name them with AS.")
        if isinstance(node, exp.Subquery):
            only(node, "this", "alias")
            return self._subquery(node.this, node.alias or "subquery")
        if not isinstance(node, exp.Table):
            raise refused(node, "only declared tables and subqueries grouped by person can be read.")
        only(node, "this", "alias")
        owner = node.alias or node.name
        if node.name.lower() in self.named:
            return self._before(node.name.lower())._subquery(self.named[node.name.lower()], owner)
        table = self.relations.table(node.name)
        if table is None:
            known = ", ".join(t.name for t in self.relations.schema.tables)
            raise refused(node, "no such table is declared.", f"Declared are: {known}.")
        alias = self.relations.fresh(node)
        fields = [Field(owner, column.name, Leaf(alias, column, False)) for column in table.columns]
        if table.person is not None:
            fields = [f for f in fields if f.name.lower() != (table.person or "").lower()]
            fields.append(Field(owner, table.person, None))
        return Base(table, alias), tuple(fields)

    def _before(self, name: str) -> "Reader":
        """The reader of a subquery of WITH: it sees those before it, and not itself, as SQL has it."""
        earlier = list(self.named)[: list(self.named).index(name)]
        return Reader(self.relations, {one: self.named[one] for one in earlier})

    def _join(self, left: Relation, fields: tuple[Field, ...], join: exp.Join) -> tuple[Relation, tuple[Field, ...]]:
        only(join, "this", "on", "using", "side", "kind")
        side, kind = (join.args.get("side") or "").upper(), (join.args.get("kind") or "").upper()
        if side not in ("", "LEFT") or kind not in ("", "INNER", "OUTER"):
            raise refused(join, "only JOIN and LEFT JOIN are understood.")
        right, more = self._item(join.this)
        if not self._on_person(join, fields, more):
            raise refused(
                join,
                "tables can be joined on the person key only: another key would mix the rows of several people.",
                "Join ON a.person = b.person.",
            )
        outer = side == "LEFT"
        if outer:
            more = tuple(_maybe_missing(f) for f in more)
        return Joined(left, right, outer), fields + more

    def _on_person(self, join: exp.Join, left: tuple[Field, ...], right: tuple[Field, ...]) -> bool:
        using, on = join.args.get("using"), join.args.get("on")
        if using:
            names = {side.name.lower() for fields in (left, right) for side in fields if side.leaf is None}
            return len(using) == 1 and names == {using[0].name.lower()}
        while isinstance(on, exp.Paren):
            on = on.this
        if not isinstance(on, exp.EQ):
            return False
        a, b = on.this, on.expression
        sides = (Scope(left), Scope(right))
        whole = Scope(left + right)
        if not (isinstance(a, exp.Column) and isinstance(b, exp.Column)):
            return False
        if not (whole.is_person(a) and whole.is_person(b) and a.table and b.table):
            return False
        owners = [{f.owner.lower() for f in side.fields} for side in sides]
        return (a.table.lower() in owners[0]) != (b.table.lower() in owners[0])

    def _subquery(self, tree: exp.Expr, owner: str) -> tuple[Relation, tuple[Field, ...]]:
        group = tree.args.get("group") if isinstance(tree, exp.Select) else None
        if not isinstance(tree, exp.Select) or group is None or tree.args.get("with_") is not None:
            raise refused(tree, "a subquery must be a SELECT grouped by the person column.")
        check_select(tree)
        source, scope = self.source(tree)
        people = [key for key in group.expressions if scope.is_person(key)]
        others = [key for key in group.expressions if not scope.is_person(key)]
        if len(people) != 1 or not all(isinstance(key, exp.Column) for key in others):
            raise refused(group, "a subquery must be grouped by the person column, and by plain columns besides.")
        alias = self.relations.fresh(tree)
        keys = tuple(scope.leaf(key) for key in others)
        totals, fields = self._items(tree, scope, keys, alias, owner)
        where = tree.args.get("where")
        kept = Boolean(True) if where is None else condition(where.this, scope)
        return Grouped(source, kept, keys, totals, alias), fields

    def _items(
        self, tree: exp.Select, scope: Scope, keys: tuple[Leaf, ...], alias: str, owner: str
    ) -> tuple[tuple[PerPerson, ...], tuple[Field, ...]]:
        totals: list[PerPerson] = []
        fields: list[Field] = []
        for item in tree.expressions:
            node = item.this if isinstance(item, exp.Alias) else item
            name = item.alias if isinstance(item, exp.Alias) else node.name
            if isinstance(node, exp.Column) and scope.is_person(node):
                fields.append(Field(owner, name, None))
            elif isinstance(node, exp.Column):
                leaf = scope.leaf(node)
                if leaf not in keys:
                    raise refused(node, "a column outside an aggregate must be grouped by.", "Add it to GROUP BY.")
                column = replace(leaf.column, name=f"k{keys.index(leaf)}")
                fields.append(Field(owner, name, Leaf(alias, column, leaf.column.kind is not Kind.CATEGORY)))
            else:
                if not isinstance(item, exp.Alias):
                    raise refused(node, "an aggregate in a subquery needs a name.", f"Write {node.sql()} AS name.")
                totals.append(self._total(node, f"t{len(totals)}", scope))
                fields.append(Field(owner, name, Leaf(alias, totals[-1].column, True)))
        if not any(f.leaf is None for f in fields):
            raise refused(tree, "a subquery must select the person column.")
        return tuple(totals), tuple(fields)

    def _total(self, node: exp.Expr, name: str, scope: Scope) -> PerPerson:
        inner = INNER.get(type(node))
        if inner is None:
            raise refused(node, "in a subquery COUNT, SUM, MIN and MAX are understood.")
        only(node, "this", "big_int")
        starred = inner is Inner.COUNT and isinstance(node.this, exp.Star)
        read = number if inner is Inner.SUM else quantity
        value = None if starred else read(node.this, scope)
        low, high, step, nulls = self._bounds(node, inner, value)
        date = inner in (Inner.MIN, Inner.MAX) and value is not None and value.date
        kind = Kind.DATE if date else Kind.NUMBER
        column = Column(name=name, kind=kind, low=low * step, high=high * step, step=step, nulls=nulls)
        return PerPerson(column, inner, value)

    def _bounds(self, node: exp.Expr, inner: Inner, value: Quantity | None) -> tuple[int, int, Fraction, bool]:
        if value is not None and inner in (Inner.MIN, Inner.MAX):
            return value.low, value.high, value.step, True
        rows = self.relations.schema.rows
        if rows is None:
            raise refused(node, "nothing says how many rows a person may have.", "Declare e.g. rows = 5 in [source].")
        if value is None or inner is Inner.COUNT:
            return 0, rows, Fraction(1), False
        measure = measures.total(value, most=rows)
        return measure.low, measure.high, value.step, True


def _maybe_missing(found: Field) -> Field:
    """The field as it is seen behind a LEFT JOIN that may find nothing."""
    if found.leaf is None:
        return replace(found, absent=True)
    return replace(found, leaf=replace(found.leaf, column=replace(found.leaf.column, nulls=True)))
