"""The exact work as one SQL query: rows into cells, each person's part bounded, whole numbers added up.

A row is a person:      filter, give each row its cell, add up by cell.
A person has many rows: add up by (person, cell), clamp each total, keep at most `groups` cells of each person by a
                        keyed hash, then add up by cell.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from banister.questions.measures import Counting, Measure
from banister.questions.question import Listed, Unknown
from banister.release.sources.choice import GroupChoice, key_names, unknown_names
from banister.release.sources.dialect import Dialect, written
from banister.release.sources.froms import Froms, where
from banister.release.sources.part import HELD, held_part, paired_quantities
from banister.release.sources.render import Renderer, between, case, field, literal, number
from banister.release.work import Physical, Work


@dataclass(frozen=True, slots=True)
class Compiler:
    """Writes the queries of one engine. `names` are the tables' names there, `types` the columns' by table."""

    dialect: Dialect
    names: Mapping[str, str]
    types: Mapping[str, Mapping[str, Physical]]

    @property
    def _froms(self) -> Froms:
        return Froms(self.dialect, self.names, self.types)

    def query(self, work: Work) -> str:
        """The query text: columns `cell`, `x0`... for unknown axes, `m0`... for measures."""
        renderer = Renderer(self._froms.stored(work.relation), self.dialect)
        if work.beyond:
            tree = self._beyond(work, renderer)
        elif work.ladder is not None:
            tree = self._ladder(work, renderer)
        elif work.personal:
            tree = self._personal(work, renderer)
        else:
            tree = self._direct(work, renderer)
        return tree.sql(dialect=self.dialect.name, copy=False)

    def _direct(self, work: Work, renderer: Renderer) -> exp.Select:
        listed = [axis for axis in work.axes if isinstance(axis, Listed)]
        if self.dialect.columnar and listed and len(listed) == len(work.axes):
            return self._values_last(work, renderer, listed)
        rows = self._rows(work, renderer)
        columns = [self._held(m, self._added(m, renderer), f"m{i}") for i, m in enumerate(work.measures)]
        return self._by_cell(rows.select(*columns), work)

    def _values_last(self, work: Work, renderer: Renderer, axes: Sequence[Listed]) -> exp.Select:
        """Group by the columns as they are stored, and look for the declared values among the groups."""
        raw = [renderer.raw(axis.leaf) for axis in axes]
        parts = [self._held(m, self._added(m, renderer), f"m{i}") for i, m in enumerate(work.measures)]
        tree = self._froms.start(exp.Select(), work.relation, renderer)
        tree = tree.select(*(exp.alias_(column, f"v{i}") for i, column in enumerate(raw)), *parts)
        tree = where(tree, [*self._froms.named(work.relation), renderer.condition(work.where)])
        tree = tree.group_by(*(column.copy() for column in raw))
        cell: exp.Expr | None = None
        for position, axis in enumerate(axes):
            place = renderer.place(axis, position)
            cell = place if cell is None else _stacked(cell, axis.size, place)
        names = [f"m{i}" for i in range(len(work.measures))]
        final = exp.select(exp.alias_(cell or number(0), "cell"), *names).from_("found")
        for position, axis in enumerate(axes):
            match = exp.EQ(this=field("found", f"v{position}"), expression=field(f"k{position}", "v"))
            final = final.join(self._declared(axis, f"k{position}"), on=match)
        return final.with_("found", as_=tree, materialized=True)

    def _personal(self, work: Work, renderer: Renderer) -> exp.Select:
        keys = ["cell", *unknown_names(work)]
        if work.groups is not None and work.groups > 1:
            per = self._ranked(work, renderer, keys)
        else:
            parts = [exp.alias_(self._summed(m, renderer), f"m{i}") for i, m in enumerate(work.measures)]
            counts = [exp.alias_(exp.Count(this=renderer.present(q)), f"c{i}") for i, q in paired_quantities(work)]
            rows = self._people(work, renderer).select(*parts, *counts)
            bounded = rows if work.groups is None else self._first_cells(rows, work, renderer)
            per = self._by_cell(bounded, work, extra=["u"])
        sums = [
            exp.alias_(self._total(held_part(field("per", f"m{i}"), m, field("per", f"c{i}"))), f"m{i}")
            for i, m in enumerate(work.measures)
        ]
        return exp.select(*keys, *sums).from_(per.subquery("per")).group_by(*keys)

    def _beyond(self, work: Work, renderer: Renderer) -> exp.Select:
        """The number of people of whom the bounds leave something out."""
        counted = self._people(work, renderer).select(exp.alias_(exp.Count(this=exp.Star()), "m0"))
        per = self._by_cell(counted, work, extra=["u"])
        over: exp.Expr = exp.GT(this=exp.Max(this=field("per", "m0")), expression=number(work.rows))
        if work.groups is not None:
            over = exp.or_(over, exp.GT(this=exp.Count(this=exp.Star()), expression=number(work.groups)))
        people = exp.select("u").from_(per.subquery("per")).group_by("u").having(over)
        return exp.select(exp.alias_(exp.Count(this=exp.Star()), "m0")).from_(people.subquery("cut"))

    def _people(self, work: Work, renderer: Renderer, choice: GroupChoice | None = None) -> exp.Select:
        """The rows with their cell and their person; with what a choice needs."""
        return self._rows(work, renderer, choice).select(exp.alias_(self._froms.person(work.relation), "u"))

    def _choice(self, work: Work, renderer: Renderer) -> GroupChoice:
        stored = self._froms.stored(work.relation)
        leaves = [axis.leaf for axis in work.axes if isinstance(axis, Unknown)]
        unknown = tuple(stored.get((leaf.relation, leaf.column.name), Physical.TEXT) for leaf in leaves)
        person = self._froms.person_type(work.relation)
        return GroupChoice(work, self.dialect, person, unknown, lambda: self._rows(work, renderer))

    def _ranked(self, work: Work, renderer: Renderer, keys: Sequence[str]) -> exp.Select:
        """Of each person the rows of the `groups` cells with her least hashes, added up by person and cell.

        Ranking the rows and grouping what is kept takes half the time of grouping all and ranking the groups.
        """
        assert work.groups is not None
        values = {i: f"e{i}" for i, m in enumerate(work.measures) if m.quantity is not None}
        choice = self._choice(work, renderer)
        rows = self._people(work, renderer, choice)
        rows = rows.select(*(exp.alias_(_row_value(work.measures[i], renderer), name) for i, name in values.items()))
        order = [exp.Ordered(this=field("per", name)) for name in ("h", *keys)]
        rank = exp.Window(this=exp.DenseRank(), partition_by=[field("per", "u")], order=exp.Order(expressions=order))
        ranked = exp.select("u", *keys, *values.values(), exp.alias_(rank, "place"))
        ranked = ranked.from_(choice.hashed(rows).subquery("per"))
        parts = [exp.alias_(self._part(m, values.get(i)), f"m{i}") for i, m in enumerate(work.measures)]
        parts += [exp.alias_(exp.Count(this=field("ranked", f"e{i}")), f"c{i}") for i, _ in paired_quantities(work)]
        kept = exp.select(*keys, *parts).from_(ranked.subquery("ranked"))
        chosen = exp.LTE(this=field("ranked", "place"), expression=number(work.groups))
        return kept.where(chosen).group_by("u", *keys)

    def _part(self, measure: Measure, name: str | None) -> exp.Expr:
        """What one person adds up in a cell, from values that were computed row by row."""
        if name is None:
            return exp.Count(this=exp.Star())
        if measure.counting is Counting.ROWS:
            return exp.Count(this=field("ranked", name))
        return _or_zero(self.dialect.wide_sum(field("ranked", name)))

    def _first_cells(self, rows: exp.Select, work: Work, renderer: Renderer) -> exp.Select:
        """Of each person the rows of the cell with her least hash, found without sorting.

        The table is read twice instead of being kept, so that memory grows with the people and not with the rows: once
        for each person's mark, the number of that cell, and once for the rows that have it.
        """
        choice = self._choice(work, renderer)
        hashed = choice.hashed(self._people(work, renderer, choice))
        marks = exp.select("u", exp.alias_(choice.least(), "mark")).from_(hashed.subquery("per")).group_by("u")
        found, mark = {item.alias: item for item in rows.expressions}, field("l", "mark")
        hers = exp.EQ(this=found["u"].this.copy(), expression=field("l", "u"))
        if choice.few:
            place: exp.Expr = found["cell"].this
            found["cell"].set("this", mark.copy())
        else:
            place = field("q", "i")
            rows = rows.join(choice.cells(), on=choice.same({name: item.this for name, item in found.items()}))
        joined = not choice.few or any(isinstance(axis, Listed) for axis in work.axes)
        return rows.join(marks.subquery("l"), on=hers).where(self._is(place, mark, joined=joined))

    def _is(self, place: exp.Expr, mark: exp.Expr, *, joined: bool) -> exp.Expr:
        """Whether a row is of the marked cell.

        An equality would become a part of the join. Where a join for the place comes after it, DuckDB is quicker if
        people are found alone, by their place in an array, and marks are compared in that other join.
        """
        if self.dialect.columnar and joined:
            return exp.EQ(this=exp.BitwiseXor(this=place, expression=mark), expression=number(0))
        return exp.EQ(this=place, expression=mark)

    def _ladder(self, work: Work, renderer: Renderer) -> exp.Select:
        assert work.ladder is not None
        there = exp.Not(this=exp.Is(this=renderer.term(work.ladder.quantity.term), expression=exp.Null()))
        rows = self._rows(work, renderer).where(there)
        rows = rows.select(exp.alias_(renderer.rung(work.ladder), "rung"))
        if not work.personal or (work.rows == 1 and work.relation.rows == 1 and work.groups is None):
            counted = rows.select(exp.alias_(exp.Count(this=exp.Star()), "m0"))
            return self._by_cell(counted, work, extra=["rung"])
        counted = rows.select(
            exp.alias_(self._froms.person(work.relation), "u"), exp.alias_(exp.Count(this=exp.Star()), "m0")
        )
        hashed = self._choice(work, renderer).hashed(self._by_cell(counted, work, extra=["u", "rung"]), rungs=True)
        keys = ["cell", *unknown_names(work)]
        u, h, g, rung, m = (field("per", n) for n in ("u", "h", "g", "rung", "m0"))
        upto = exp.Window(
            this=exp.Sum(this=m),
            partition_by=[u, *(field("per", key) for key in keys)],
            order=exp.Order(expressions=[exp.Ordered(this=g), exp.Ordered(this=rung)]),
            spec=exp.WindowSpec(kind="ROWS", start="UNBOUNDED", start_side="PRECEDING", end="CURRENT ROW"),
        )
        rank = exp.Window(
            this=exp.DenseRank(),
            partition_by=[u.copy()],
            order=exp.Order(expressions=[exp.Ordered(this=h), *(exp.Ordered(this=field("per", key)) for key in keys)]),
        )
        ranked = exp.select(
            *keys, "rung", "m0", exp.alias_(exp.cast(upto, "bigint"), "upto"), exp.alias_(rank, "place")
        ).from_(hashed.subquery("per"))
        room = exp.Sub(
            this=number(work.rows), expression=exp.paren(exp.Sub(this=field("r", "upto"), expression=field("r", "m0")))
        )
        part = case(
            [
                (exp.LTE(this=room, expression=number(0)), number(0)),
                (exp.LT(this=room.copy(), expression=field("r", "m0")), room.copy()),
            ],
            field("r", "m0"),
        )
        total = exp.alias_(self._total(part), "m0")
        final = exp.select(*keys, "rung", total).from_(ranked.subquery("r"))
        if work.groups is not None:
            final = final.where(exp.LTE(this=field("r", "place"), expression=number(work.groups)))
        return final.group_by(*keys, "rung")

    def _rows(self, work: Work, renderer: Renderer, choice: GroupChoice | None = None) -> exp.Select:
        """FROM, joins with the declared values, and WHERE; the cell is selected, measures are not yet.

        For a choice among the declared values of one axis, these bring their hash keys along.
        """
        keyed = choice if choice is not None and choice.with_values else None
        tree = self._froms.start(exp.Select(), work.relation, renderer)
        joined = work.personal and work.groups == 1 and work.ladder is None  # A join with her mark leaves out nobody's.
        conditions = [*([] if joined else self._froms.named(work.relation)), renderer.condition(work.where)]
        for position, axis in enumerate(work.axes):
            if isinstance(axis, Listed):
                name = f"k{position}"
                match = exp.EQ(this=renderer.raw(axis.leaf), expression=field(name, "v"))
                tree = tree.join(keyed.values(axis, name) if keyed else self._declared(axis, name), on=match)
            elif isinstance(axis, Unknown):
                conditions.append(exp.Not(this=exp.Is(this=renderer.raw(axis.leaf), expression=exp.Null())))
            else:
                inside = renderer.inside(axis)
                conditions.extend([] if inside is None else [inside])
        cell: exp.Expr | None = None
        for position, axis in enumerate(work.axes):
            if not isinstance(axis, Unknown):
                place = renderer.place(axis, position)
                cell = place if cell is None else _stacked(cell, axis.size, place)
        unknown = [renderer.raw(axis.leaf) for axis in work.axes if isinstance(axis, Unknown)]
        named = [exp.alias_(column, f"x{i}") for i, column in enumerate(unknown)]
        named.extend(exp.alias_(field("k0", name), name) for name in ("i", "factor", "shift") if keyed)
        tree = tree.select(exp.alias_(number(0) if cell is None else cell, "cell"), *named)
        return where(tree, conditions)

    def _declared(self, axis: Listed, name: str) -> exp.Values:
        """The declared values with their places, as a small table."""
        rows = [(literal(value), exp.Literal.number(place)) for place, value in enumerate(axis.values)]
        return written(self.dialect, rows, name, "v", "i")

    def _by_cell(self, tree: exp.Select, work: Work, extra: Sequence[str] = ()) -> exp.Select:
        """Group by cell, and before that by what tells more groups apart: DuckDB compares keys in their order."""
        named = {item.alias: item.this for item in tree.expressions}
        return tree.group_by(*(named[name].copy() for name in (*extra, *key_names(work))))

    def _added(self, measure: Measure, renderer: Renderer) -> exp.Expr:
        """A measure by cell: few totals from many rows, so what can be done with the totals is done with them."""
        if self.dialect.columnar and measure.counting is Counting.TOTAL and measure.quantity is not None:
            added = renderer.scaled_sum(measure.quantity.term)
            if added is not None:
                return _or_zero(added)
        return self._summed(measure, renderer)

    def _summed(self, measure: Measure, renderer: Renderer) -> exp.Expr:
        """A measure, worked out row by row."""
        if measure.counting is Counting.TOTAL and measure.quantity is not None:
            return _or_zero(self.dialect.wide_sum(renderer.term(measure.quantity.term)))
        if measure.quantity is not None:
            return exp.Count(this=renderer.present(measure.quantity))
        return exp.Count(this=exp.Star())

    def _held(self, measure: Measure, value: exp.Expr, name: str) -> exp.Expr:
        return exp.alias_(_held(value) if measure.counting is Counting.TOTAL else value, name)

    def _total(self, value: exp.Expr) -> exp.Expr:
        return _held(self.dialect.wide_sum(value))


def _or_zero(total: exp.Expr) -> exp.Expr:
    return exp.Coalesce(this=total, expressions=[exp.Literal.number(0)])


def _held(total: exp.Expr) -> exp.Expr:
    """A total within ±2^60. It is never missing, so LEAST and GREATEST, which pass over NULL, may be used."""
    return exp.cast(between(total, -HELD, HELD), "bigint")


def _row_value(measure: Measure, renderer: Renderer) -> exp.Expr:
    assert measure.quantity is not None
    total = measure.counting is Counting.TOTAL
    return renderer.term(measure.quantity.term) if total else renderer.present(measure.quantity)


def _stacked(cell: exp.Expr, size: int, place: exp.Expr) -> exp.Expr:
    return exp.paren(exp.Add(this=exp.Mul(this=cell, expression=number(size)), expression=place))
