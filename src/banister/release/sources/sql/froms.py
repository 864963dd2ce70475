"""FROM in SQL: relations as syntax trees, in which every row keeps its person."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from banister.errors import BadValue
from banister.questions.relation import (
    ALWAYS,
    Base,
    ChosenRows,
    Grouped,
    Inner,
    Joined,
    LookedUp,
    PerPerson,
    Picked,
    Relation,
    Side,
    SortKey,
    Spoken,
    United,
    Window,
    WindowKind,
)
from banister.questions.terms import Leaf, Quantity
from banister.release.sources.sql.dialect import Dialect, written
from banister.release.sources.sql.part import scaled_mean
from banister.release.sources.sql.render import Renderer
from banister.release.sources.sql.syntax import Query, both, called, case, cast, clamp, field, literal, select
from banister.release.work import Physical, as_compared
from banister.tables.columns import Column, Kind
from banister.tables.public import Known
from banister.tables.reading import Value
from banister.tables.table import Table

OWNER = "the person"
"""What the person of a row is called, where a parent's row says who it is."""

SQL_TYPES = {Physical.INTEGER: "bigint", Physical.TEXT: "text", Physical.TRUTH: "boolean"}

UNHELD = (WindowKind.MIN, WindowKind.MAX, WindowKind.LAG, WindowKind.LEAD, WindowKind.FIRST_VALUE)
"""Windows that give a value of a row, which is in its range already."""


def where(tree: Query, conditions: Sequence[exp.Expr]) -> Query:
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
            case Base(table, alias) if table.through is not None:
                return field(alias, _owner(table))
            case Base(table, alias):
                assert table.person is not None
                return self._key(table, table.person, alias)
            case Joined(left, right, Side.FULL):
                return exp.Coalesce(this=self.person(left), expressions=[self.person(right)])
            case Joined(left, _):
                return self.person(left)
            case LookedUp(source):
                return self.person(source)
        return field(relation.alias, "u")

    def named(self, relation: Relation) -> list[exp.Expr]:
        """The condition that a row has a person; a row without one belongs to nobody whom the guarantee protects."""
        match relation:
            case Base(table, _) if table.owner is not None:
                return [_there(self.person(relation))]
            case Joined(_, _, Side.FULL):
                return [_there(self.person(relation))]
            case Joined(left, _):
                return self.named(left)
            case LookedUp(source):
                return self.named(source)
        return []

    def person_type(self, relation: Relation) -> Physical:
        """What the person's key is stored as."""
        match relation:
            case Base(table, _):
                while table.through is not None:
                    table = table.through.parent
                return self.types[table.name][table.person or ""]
            case Joined(left, _):
                return self.person_type(left)
            case United(parts, _):
                return self.person_type(parts[0])
        return self.person_type(relation.source)

    def start(self, tree: Query, relation: Relation, renderer: Renderer) -> Query:
        """FROM with its joins."""
        match relation:
            case Base(table, alias) if table.through is not None:
                return tree.from_(self._owned(table, alias).subquery(alias))
            case Base(table, alias):
                return tree.from_(self._named_table(table, alias))
            case Joined(left, right, side, on):
                self._check_people(left, right)
                start = self.start(tree, left, renderer)
                inner = self.start(Query(), right, renderer)
                same: exp.Expr = exp.EQ(this=self.person(left), expression=self.person(right))
                if on != ALWAYS:
                    same = both(same, renderer.condition(on))
                return start.join(inner.source, same, side.value)
            case LookedUp(source, known, names, on, outer, alias):
                start = self.start(tree, source, renderer)
                kind = "left" if outer else "inner"
                return start.join(self._public(known, names, alias), renderer.condition(on), kind)
            case Grouped():
                return tree.from_(self._grouped(relation, renderer).subquery(relation.alias))
            case ChosenRows():
                return tree.from_(self._chosen(relation, renderer).subquery(relation.alias))
            case United(parts, alias):
                for part in parts[1:]:
                    self._check_people(parts[0], part)
                    self._check_columns(parts[0], part)
                every = exp.union(*(self._chosen(part, renderer).tree for part in parts), distinct=False, copy=False)
                return tree.from_(exp.Subquery(this=every, alias=exp.TableAlias(this=exp.to_identifier(alias))))

    def _named_table(self, table: Table, alias: str) -> exp.Expr:
        return exp.alias_(
            exp.to_table(self.names[table.name], dialect=self.dialect.name), alias, table=True, copy=False
        )

    def _key(self, table: Table, name: str, alias: str) -> exp.Expr:
        column, stored = field(alias, name), self.types[table.name][name]
        if stored is Physical.OTHER:
            return self.dialect.by_bytes(cast(column, "text"))
        return self.dialect.by_bytes(column) if stored is Physical.TEXT else column

    def _owned(self, table: Table, alias: str) -> Query:
        """The rows of a table, each once for every person who holds its key in the parent."""
        assert table.through is not None
        parent, inner = table.through.parent, f"{alias}_p"
        if parent.through is None:
            owners = Query().from_(self._named_table(parent, inner))
            person = self._key(parent, parent.person or "", inner)
        else:
            owners = Query().from_(self._owned(parent, inner).subquery(inner))
            person = field(inner, _owner(parent))
        key = self._key(parent, table.through.key, inner)
        owners = owners.select(called(person, "u"), called(key, "k"))
        owners = owners.where(_there(person), _there(key)).distinct()
        rows, held = f"{alias}_c", f"{alias}_o"
        same = exp.EQ(this=self._key(table, table.through.own, rows), expression=field(held, "k"))
        columns = [called(field(rows, name), exp.to_identifier(name, quoted=True)) for name in table.needed]
        found = select(*columns, called(field(held, "u"), exp.to_identifier(_owner(table), quoted=True)))
        return found.from_(self._named_table(table, rows)).join(owners.subquery(held), on=same)

    def _public(self, known: Known, names: Sequence[str], alias: str) -> exp.Expr:
        """The rows of a public table as constants; the first row says of which types they are."""
        kinds = {column.name: _public_type(column) for column in known.columns}
        types = [SQL_TYPES[kinds[name]] for name in names]
        rows = []
        for place, row in enumerate(known.written(names)):
            items = [exp.Null() if value is None else literal(value) for value in row]
            typed = [cast(item, kind) for item, kind in zip(items, types, strict=True)]
            rows.append(tuple(typed if place == 0 else items))
        if not rows:
            nothing = [
                called(cast(exp.Null(), t), exp.to_identifier(n, quoted=True))
                for n, t in zip(names, types, strict=True)
            ]
            return select(*nothing).where(exp.false()).subquery(alias)
        return written(self.dialect, rows, alias, *names)

    def _grouped(self, relation: Grouped, renderer: Renderer) -> Query:
        keys = [renderer.present_key(leaf) for leaf in relation.keys]
        person = self.person(relation.source)
        tree = self.start(Query(), relation.source, renderer)
        tree = tree.select(called(person, "u"), *(called(key, f"k{i}") for i, key in enumerate(keys)))
        tree = tree.select(*(called(self._per_person(t, renderer), t.column.name) for t in relation.totals))
        tree = where(tree, [*self.named(relation.source), renderer.condition(relation.where)])
        tree = tree.group_by(person, *keys)
        if relation.having == ALWAYS:
            return tree
        return select("*").from_(tree.subquery(relation.alias)).where(renderer.condition(relation.having))

    def _chosen(self, relation: ChosenRows, renderer: Renderer) -> Query:
        person = self.person(relation.source)
        tree = self.start(Query(), relation.source, renderer).select(called(person, "u"))
        for picked in relation.columns:
            match picked.value:
                case Window():
                    item = self._window(picked.value, picked.column, person, renderer)
                case Leaf():
                    item = renderer.raw(picked.value)
                case Spoken(place, values):
                    item = self._said(place, values, renderer)
                case _:
                    item = renderer.term(picked.value.term)
            tree = tree.select(called(item, picked.column.name))
        return where(tree, [*self.named(relation.source), renderer.condition(relation.where)])

    def _said(self, place: Quantity, values: Sequence[Value], renderer: Renderer) -> exp.Expr:
        """The value at a place; typed, because engines guess the type of a bare text."""
        typed = SQL_TYPES[_said_type(values)]
        told = [exp.If(this=literal(at), true=cast(literal(one), typed)) for at, one in enumerate(values)]
        return exp.Case(this=renderer.term(place.term), ifs=told)

    def _window(self, window: Window, column: Column, person: exp.Expr, renderer: Renderer) -> exp.Expr:
        order = [part for key in window.order for part in _sorted(renderer.value(key.value), key)]
        for leaf in window.ties:
            order += _sorted(renderer.value(leaf), SortKey(leaf, descending=False, nulls_first=False))
        found: exp.Expr = exp.Window(
            this=self._over(window, renderer),
            partition_by=[person, *(renderer.present_key(leaf) for leaf in window.keys)],
            order=exp.Order(expressions=order) if order else None,
        )
        if isinstance(window.value, Leaf) or window.over in UNHELD:
            return found
        return clamp(found, *column.units)

    def _over(self, window: Window, renderer: Renderer) -> exp.Expr:
        value = window.value
        match window.over:
            case WindowKind.COUNT:
                return exp.Count(this=exp.Star() if not isinstance(value, Quantity) else renderer.present(value))
            case WindowKind.SUM if isinstance(value, Quantity):
                return self.dialect.wide_sum(renderer.term(value.term))
            case WindowKind.ROW_NUMBER:
                return exp.RowNumber()
            case WindowKind.RANK:
                return exp.Anonymous(this="RANK")
            case WindowKind.DENSE_RANK:
                return exp.DenseRank()
        assert value is not None
        inner = renderer.value(value)
        match window.over:
            case WindowKind.MIN:
                return exp.Min(this=inner)
            case WindowKind.MAX:
                return exp.Max(this=inner)
            case WindowKind.FIRST_VALUE:
                return exp.FirstValue(this=inner)
        return exp.Anonymous(this=window.over.value, expressions=[inner, literal(window.offset)])

    def _per_person(self, total: PerPerson, renderer: Renderer) -> exp.Expr:
        low, high = total.column.units
        if total.quantity is None:
            return clamp(exp.Count(this=exp.Star()), low, high)
        if total.inner is Inner.COUNT:
            return clamp(exp.Count(this=renderer.present(total.quantity)), low, high)
        value = renderer.term(total.quantity.term)
        match total.inner:
            case Inner.SUM:
                return clamp(self.dialect.wide_sum(value), low, high)
            case Inner.MIN:
                return exp.Min(this=value)
            case Inner.MAX:
                return exp.Max(this=value)
        count = exp.Count(this=value)
        mean = scaled_mean(self.dialect.wide_sum(value), count, 1)
        there = exp.GT(this=count, expression=literal(0))
        return clamp(case([(there, mean)]), low, high)

    def stored(self, relation: Relation) -> dict[tuple[str, str], Physical]:
        """What every raw column of a relation is stored as."""
        match relation:
            case Base(table, alias):
                return {(alias, name): self.types[table.name][name] for name in table.needed}
            case Joined(left, right):
                return self.stored(left) | self.stored(right)
            case LookedUp(source, known, _, _, _, alias):
                return self.stored(source) | {(alias, column.name): _public_type(column) for column in known.columns}
            case Grouped():
                inner = self.stored(relation.source)
                keys = {(relation.alias, f"k{i}"): _of(inner, leaf) for i, leaf in enumerate(relation.keys)}
                return inner | keys
            case ChosenRows():
                inner = self.stored(relation.source)
                return inner | {(relation.alias, p.column.name): _picked_type(inner, p) for p in relation.columns}
            case United(parts, alias):
                found: dict[tuple[str, str], Physical] = {}
                for part in parts:
                    found |= self.stored(part)
                return found | {(alias, p.column.name): found[parts[0].alias, p.column.name] for p in parts[0].columns}

    def _check_people(self, left: Relation, right: Relation) -> None:
        """Refuse people that are stored differently: an engine may cast one key into the other, and fail on one."""
        kinds = {as_compared(self.person_type(one)) for one in (left, right)}
        if len(kinds) > 1:
            held = " and ".join(sorted(kind.value for kind in kinds))
            raise BadValue(f"The person columns of tables that are put together hold {held}. Store both as the same.")

    def _check_columns(self, first: ChosenRows, other: ChosenRows) -> None:
        one, two = self.stored(first), self.stored(other)
        for a, b in zip(first.columns, other.columns, strict=True):
            kinds = {one[first.alias, a.column.name], two[other.alias, b.column.name]}
            if a.column.kind is Kind.CATEGORY and len(kinds) > 1:
                held = " and ".join(sorted(kind.value for kind in kinds))
                raise BadValue(f"Columns in one place of UNION ALL hold {held}. Store both as the same.")


def _owner(table: Table) -> str:
    """The name under which the person of a row is found; no column of the table is called so."""
    name = OWNER
    while name in table.needed:
        name += "_"
    return name


def _there(value: exp.Expr) -> exp.Expr:
    return exp.Not(this=exp.Is(this=value, expression=exp.Null()))


def _sorted(value: exp.Expr, key: SortKey) -> list[exp.Expr]:
    """A key of an order with the missing values at one end on every engine."""
    gone = case(
        [(exp.Is(this=value, expression=exp.Null()), literal(0 if key.nulls_first else 1))],
        literal(1 if key.nulls_first else 0),
    )
    return [exp.Ordered(this=gone), exp.Ordered(this=value, desc=key.descending)]


def _of(stored: Mapping[tuple[str, str], Physical], leaf: Leaf) -> Physical:
    return stored.get((leaf.relation, leaf.column.name), Physical.INTEGER)


def _picked_type(stored: Mapping[tuple[str, str], Physical], picked: Picked) -> Physical:
    if isinstance(picked.value, Spoken):
        return _said_type(picked.value.values)
    value = picked.value.value if isinstance(picked.value, Window) else picked.value
    category = picked.column.kind is Kind.CATEGORY
    return _of(stored, value) if category and isinstance(value, Leaf) else Physical.INTEGER


def _public_type(column: Column) -> Physical:
    if column.kind is not Kind.CATEGORY:
        return Physical.INTEGER
    return _said_type(column.values or ("",))


def _said_type(values: Sequence[Value]) -> Physical:
    return Physical.TRUTH if isinstance(values[0], bool) else Physical.TEXT
