"""FROM in SQL: relations as syntax trees, in which every row keeps its person."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from banister.questions.question import Base, Grouped, Inner, Joined, PerPerson, Relation
from banister.release.sources.dialect import Dialect
from banister.release.sources.render import Renderer, clamp, field
from banister.release.work import Physical


def where(tree: exp.Select, conditions: Sequence[exp.Expr]) -> exp.Select:
    """WHERE with the conditions that say something."""
    kept = [c for c in conditions if not (isinstance(c, exp.Boolean) and c.this)]
    return tree.where(*kept) if kept else tree


@dataclass(frozen=True, slots=True)
class Froms:
    """Writes relations for one engine. `names` are the tables' names there, `types` the columns' by table."""

    dialect: Dialect
    names: Mapping[str, str]
    types: Mapping[str, Mapping[str, Physical]]

    def person(self, relation: Relation) -> exp.Expr:
        """Who a row belongs to; texts, and types that we do not know, go by their bytes."""
        match relation:
            case Base(table, alias):
                assert table.person is not None
                column, stored = field(alias, table.person), self.types[table.name][table.person]
                if stored is Physical.OTHER:
                    return self.dialect.by_bytes(exp.cast(column, "text"))
                return self.dialect.by_bytes(column) if stored is Physical.TEXT else column
            case Joined(left, _, _):
                return self.person(left)
            case Grouped():
                return field(relation.alias, "u")

    def named(self, relation: Relation) -> list[exp.Expr]:
        """The condition that a row has a person; a row without one belongs to nobody whom the guarantee protects."""
        match relation:
            case Base(table, _) if table.person is not None:
                return [exp.Not(this=exp.Is(this=self.person(relation), expression=exp.Null()))]
            case Joined(left, _, _):
                return self.named(left)
        return []

    def person_type(self, relation: Relation) -> Physical:
        """What the person's key is stored as."""
        match relation:
            case Base(table, _):
                return self.types[table.name][table.person or ""]
            case Joined(left, _, _):
                return self.person_type(left)
            case Grouped():
                return self.person_type(relation.source)

    def start(self, tree: exp.Select, relation: Relation, renderer: Renderer) -> exp.Select:
        """FROM with its joins."""
        match relation:
            case Base(table, alias):
                return tree.from_(
                    exp.alias_(exp.to_table(self.names[table.name], dialect=self.dialect.name), alias, table=True),
                )
            case Joined(left, right, outer):
                start = self.start(tree, left, renderer)
                inner = self.start(exp.Select(), right, renderer)
                on = exp.EQ(this=self.person(left), expression=self.person(right))
                return start.join(inner.args["from_"].this, on=on, join_type="left" if outer else "inner")
            case Grouped():
                return tree.from_(self._grouped(relation, renderer).subquery(relation.alias))

    def _grouped(self, relation: Grouped, renderer: Renderer) -> exp.Select:
        keys = [renderer.present_key(leaf) for leaf in relation.keys]
        person = self.person(relation.source)
        tree = self.start(exp.Select(), relation.source, renderer)
        tree = tree.select(exp.alias_(person, "u"), *(exp.alias_(key, f"k{i}") for i, key in enumerate(keys)))
        tree = tree.select(*(exp.alias_(self._per_person(t, renderer), t.column.name) for t in relation.totals))
        tree = where(tree, [*self.named(relation.source), renderer.condition(relation.where)])
        return tree.group_by(person.copy(), *(key.copy() for key in keys))

    def _per_person(self, total: PerPerson, renderer: Renderer) -> exp.Expr:
        low, high = total.column.units
        if total.quantity is None:
            return clamp(exp.Count(this=exp.Star()), low, high)
        value = renderer.term(total.quantity.term)
        match total.inner:
            case Inner.COUNT:
                return clamp(exp.Count(this=renderer.present(total.quantity)), low, high)
            case Inner.SUM:
                return clamp(self.dialect.wide_sum(value), low, high)
            case Inner.MIN:
                return exp.Min(this=value)
            case Inner.MAX:
                return exp.Max(this=value)

    def stored(self, relation: Relation) -> dict[tuple[str, str], Physical]:
        """What every raw column of a relation is stored as."""
        match relation:
            case Base(table, alias):
                return {(alias, column.name): self.types[table.name][column.name] for column in table.columns}
            case Joined(left, right, _):
                return self.stored(left) | self.stored(right)
            case Grouped():
                inner = self.stored(relation.source)
                keys = {
                    (relation.alias, f"k{i}"): inner.get((leaf.relation, leaf.column.name), Physical.INTEGER)
                    for i, leaf in enumerate(relation.keys)
                }
                return inner | keys
