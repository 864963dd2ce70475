"""FROM and JOIN: everything that keeps each row with its person."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from banister.questions.reading.limits import RELATIONS_LIMIT
from banister.questions.reading.place import only, refused
from banister.questions.reading.rows.joining import flipped, joined, looked_up
from banister.questions.reading.rows.lookups import Lookup, lookup_of_table, lookup_of_values, names_behind
from banister.questions.reading.rows.members import Joins
from banister.questions.reading.rows.subqueries import subquery
from banister.questions.reading.scope import Field, Link, Scope
from banister.questions.relation import Base, Relation, declared_rows
from banister.questions.terms import Leaf
from banister.tables.public import PublicTable
from banister.tables.schema import Schema
from banister.tables.table import Table

Fields = tuple[Field, ...]


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


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads FROM clauses; `named` are the subqueries of WITH."""

    relations: Relations
    named: Mapping[str, exp.Expr]

    def opened(self, tree: exp.Select) -> tuple[Relation, Scope]:
        """The relation that a SELECT reads, and what it can see. Once all is read, `closed` gives what was asked."""
        start = tree.args.get("from_")
        if start is None:
            raise refused(tree, "the question reads no table.", "Write FROM data.")
        first = self._item(start.this)
        for join in tree.args.get("joins") or []:
            first = self._joined(first, self._item(join.this), join)
        if isinstance(first, Lookup):
            raise refused(
                start.this, "this table is public, and answers need no noise.", "Read it directly, or join it to yours."
            )
        relation, fields = first
        return relation, Scope(fields, Joins(self))

    def closed(self, relation: Relation, scope: Scope) -> Relation:
        """The relation together with the subqueries that conditions asked for."""
        return scope.members.joined(relation) if isinstance(scope.members, Joins) else relation

    def fresh(self, node: exp.Expr) -> str:
        """A name that no relation of the question has yet."""
        return self.relations.fresh(node)

    def most_rows(self, relation: Relation, node: exp.Expr) -> int:
        """How many rows of a person count in a subquery."""
        rows = declared_rows(relation) or self.relations.schema.rows
        if rows is None:
            raise refused(node, "nothing says how many rows a person may have.", "Declare e.g. rows = 5 in [source].")
        return rows

    def subquery(self, tree: exp.Expr, owner: str) -> tuple[Relation, Fields]:
        """A subquery, and what can be seen of it."""
        return subquery(self, tree, owner)

    def _joined(
        self, left: "tuple[Relation, Fields] | Lookup", right: "tuple[Relation, Fields] | Lookup", join: exp.Join
    ) -> "tuple[Relation, Fields] | Lookup":
        if isinstance(left, Lookup):
            if isinstance(right, Lookup):
                raise refused(join, "two public tables are joined first.", "Begin with your own table: FROM data JOIN.")
            left, right, join = right, left, flipped(join)
        if isinstance(right, Lookup):
            return looked_up(*left, right, join)
        return joined(*left, *right, join)

    def _item(self, node: exp.Expr) -> "tuple[Relation, Fields] | Lookup":
        names = names_behind(node)
        if isinstance(node, exp.Values):
            return lookup_of_values(node, names, node.alias or "values", self.fresh(node))
        if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Values):
            inner = names or names_behind(node.this)
            return lookup_of_values(node.this, inner, node.alias or node.this.alias or "values", self.fresh(node))
        if names:
            raise refused(node, "names of columns behind a table's name are not understood.", "Name them with AS.")
        if isinstance(node, exp.Subquery):
            only(node, "this", "alias")
            return self.subquery(node.this, node.alias or "subquery")
        if not isinstance(node, exp.Table):
            raise refused(node, "only declared tables and subqueries that keep each row with its person can be read.")
        only(node, "this", "alias")
        owner = node.alias or node.name
        if node.name.lower() in self.named:
            found = self.named[node.name.lower()]
            if isinstance(found, exp.Values):
                return lookup_of_values(found, names_behind(found), owner, self.fresh(node))
            return self._before(node.name.lower()).subquery(found, owner)
        table = self.relations.schema.table(node.name)
        if isinstance(table, PublicTable):
            return lookup_of_table(table, node, owner, self.fresh(node))
        if table is None:
            schema = self.relations.schema
            known = ", ".join([t.name for t in schema.tables] + [t.name for t in schema.public])
            raise refused(node, "no such table is declared.", f"Declared are: {known}.")
        return _base(table, owner, self.fresh(node))

    def _before(self, name: str) -> "Reader":
        """The reader of a subquery of WITH: it sees those before it, and not itself, as SQL has it."""
        earlier = list(self.named)[: list(self.named).index(name)]
        return Reader(self.relations, {one: self.named[one] for one in earlier})


def _base(table: Table, owner: str, alias: str) -> tuple[Relation, Fields]:
    """A declared table: its columns, the keys that tie it to others, and its person."""
    links = {name.lower(): Link(table, name, alias) for name in table.links}
    person = (table.person or "").lower()
    fields = [
        Field(owner, column.name, Leaf(alias, column, False), link=links.pop(column.name.lower(), None))
        for column in table.columns
        if table.person is None or column.name.lower() != person
    ]
    if table.person is not None:
        fields.append(Field(owner, table.person, None, link=links.pop(person, None), person=True))
    fields.extend(Field(owner, link.column, None, link=link) for link in links.values())
    return Base(table, alias), tuple(fields)
