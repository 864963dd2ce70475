"""The exact work as one SQL query: rows into cells, each person's part bounded, whole numbers added up.

A row is a person:      filter, give each row its cell, add up by cell.
A person has many rows: add up by (person, cell), clamp each total, keep at most `groups` cells of each person by a
                        keyed hash, then add up by cell.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from sqlglot import exp

from banister.engines.sql.render import Renderer, between, case, clamp, field, literal, number
from banister.tables.measures import Counting, Measure
from banister.tables.question import (
    Base,
    Grouped,
    Inner,
    Joined,
    Known,
    Listed,
    PerPerson,
    Relation,
    Unknown,
    cell_count,
)
from banister.tables.work import HASH_PRIME, Physical, Work

HELD = 2**60
"""Totals are held within ±2^60, so that noise always fits: holding moves no two totals further apart."""


class Dialect(Protocol):
    """What differs between engines beyond spelling."""

    name: str
    columnar: bool
    """Whether it is quicker to group by and add up columns as they are stored, and to compute with the totals."""

    def text_code(self, text: exp.Expr) -> exp.Expr:
        """A whole number below 2^28 from the digest of a text, the same on every engine."""
        ...

    def wide_sum(self, value: exp.Expr) -> exp.Expr:
        """A sum of 64-bit numbers that cannot overflow."""
        ...

    def day_number(self, date: exp.Expr) -> exp.Expr:
        """The days from 1 January 1970 to a date of the years 1 to 9999."""
        ...


@dataclass(frozen=True, slots=True)
class Compiler:
    """Writes the queries of one engine. `names` are the tables' names there, `types` the columns' by table."""

    dialect: Dialect
    names: Mapping[str, str]
    types: Mapping[str, Mapping[str, Physical]]

    def query(self, work: Work) -> str:
        """The query text: columns `cell`, `x0`... for unknown axes, `m0`... for measures."""
        renderer = Renderer(self._stored(work.relation), self.dialect.day_number)
        if work.ladder is not None:
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
        rows = self._rows(work, renderer, work.axes)
        columns = [self._held(m, self._added(m, renderer), f"m{i}") for i, m in enumerate(work.measures)]
        return self._by_cell(rows.select(*columns), work)

    def _values_last(self, work: Work, renderer: Renderer, axes: Sequence[Listed]) -> exp.Select:
        """Group by the columns as they are stored, and look for the declared values among the groups."""
        raw = [renderer.raw(axis.leaf) for axis in axes]
        parts = [self._held(m, self._added(m, renderer), f"m{i}") for i, m in enumerate(work.measures)]
        tree = self._from(exp.Select(), work.relation, renderer)
        tree = tree.select(*(exp.alias_(column, f"v{i}") for i, column in enumerate(raw)), *parts)
        where = renderer.condition(work.where)
        if not (isinstance(where, exp.Boolean) and where.this):
            tree = tree.where(where)
        tree = tree.group_by(*(column.copy() for column in raw))
        cell: exp.Expr | None = None
        for position, axis in enumerate(axes):
            place = renderer.place(axis, position)
            cell = place if cell is None else _stacked(cell, axis.size, place)
        names = [f"m{i}" for i in range(len(work.measures))]
        final = exp.select(exp.alias_(cell or number(0), "cell"), *names).from_("found")
        for position, axis in enumerate(axes):
            match = exp.EQ(this=field("found", f"v{position}"), expression=field(f"k{position}", "v"))
            final = final.join(_declared(axis, position), on=match, copy=False)
        return final.with_("found", as_=tree, materialized=True, copy=False)

    def _personal(self, work: Work, renderer: Renderer) -> exp.Select:
        keys = ["cell", *_unknown_names(work)]
        if work.groups is None or (work.groups == 1 and _own_hashes(work)):
            parts = [exp.alias_(self._added(m, renderer), f"m{i}") for i, m in enumerate(work.measures)]
            rows = self._rows(work, renderer, work.axes).select(exp.alias_(self._person(work.relation), "u"), *parts)
            bounded = rows if work.groups is None else self._first_cells(rows, work, renderer)
            per = self._by_cell(bounded, work, extra=["u"])
        else:
            per = self._ranked(work, renderer, keys)
        sums = [
            exp.alias_(self._total(_clamped(field("per", f"m{i}"), m)), f"m{i}") for i, m in enumerate(work.measures)
        ]
        return exp.select(*keys, *sums).from_(per.subquery("per")).group_by(*keys)

    def _ranked(self, work: Work, renderer: Renderer, keys: Sequence[str]) -> exp.Select:
        """Of each person the rows of the `groups` cells with her least hashes, added up by person and cell.

        Ranking the rows and grouping what is kept takes half the time of grouping all and ranking the groups.
        """
        assert work.groups is not None
        rows = self._rows(work, renderer, work.axes).select(exp.alias_(self._person(work.relation), "u"))
        values = {i: f"e{i}" for i, m in enumerate(work.measures) if m.quantity is not None}
        rows = rows.select(*(exp.alias_(_row_value(work.measures[i], renderer), name) for i, name in values.items()))
        if work.groups == 1:
            rows = self._first_cells(rows, work, renderer)
        order = [exp.Ordered(this=field("per", name)) for name in ("h", *keys)]
        rank = exp.Window(this=exp.DenseRank(), partition_by=[field("per", "u")], order=exp.Order(expressions=order))
        ranked = exp.select("u", *keys, *values.values(), exp.alias_(rank, "place"))
        ranked = ranked.from_(self._hashed(rows, work).subquery("per"))
        parts = [exp.alias_(self._part(m, values.get(i)), f"m{i}") for i, m in enumerate(work.measures)]
        kept = exp.select(*keys, *parts).from_(ranked.subquery("ranked"))
        chosen = exp.LTE(this=field("ranked", "place"), expression=number(work.groups))
        return kept.where(chosen).group_by("u", *keys)

    def _part(self, measure: Measure, name: str | None) -> exp.Expr:
        """What one person adds up in a cell, from values that were computed row by row."""
        if name is None:
            return exp.Count(this=exp.Star())
        if measure.counting is Counting.ROWS:
            return exp.Count(this=field("ranked", name))
        return exp.Coalesce(this=self.dialect.wide_sum(field("ranked", name)), expressions=[exp.Literal.number(0)])

    def _first_cells(self, rows: exp.Select, work: Work, renderer: Renderer) -> exp.Select:
        """Of each person the rows of the cell with her least hash, found without sorting.

        The table is read twice instead of being kept, so that memory grows with the people and not with the rows.
        A cell is known again by its number; where keys are unknown, by its line, which two of them might share: that
        leaves little for `_ranked` to sort.
        """
        person = self._person(work.relation)
        hashed = self._hashed(self._rows(work, renderer, work.axes).select(exp.alias_(person, "u")), work)
        named = {item.alias: item.this for item in rows.expressions}
        hers = exp.EQ(this=person.copy(), expression=field("l", "u"))
        if _own_hashes(work):
            # Said with CASE, cells are compared after the person was found: quicker than looking up both together.
            mark: exp.Expr = case([(hers.copy(), named["cell"].copy())])
            size, name = number(cell_count(work.axes)), "cell"
        else:
            mark, size, name = self._line(work, named, "cell", 2), number(HASH_PRIME), "h1"
        code = _add(exp.Mul(this=field("per", "h"), expression=size), field("per", name))
        first = exp.alias_(exp.Mod(this=exp.Min(this=code), expression=size.copy()), "mark")
        least = exp.select("u", first).from_(hashed.subquery("per")).group_by("u")
        same = exp.EQ(this=mark, expression=field("l", "mark"))
        return rows.join(least.subquery("l"), on=exp.and_(hers, same))

    def _ladder(self, work: Work, renderer: Renderer) -> exp.Select:
        assert work.ladder is not None
        there = exp.Not(this=exp.Is(this=renderer.term(work.ladder.quantity.term), expression=exp.Null()))
        rows = self._rows(work, renderer, work.axes).where(there)
        rows = rows.select(exp.alias_(renderer.rung(work.ladder), "rung"))
        if not work.personal or (work.rows == 1 and work.relation.rows == 1 and work.groups is None):
            counted = rows.select(exp.alias_(exp.Count(this=exp.Star()), "m0"))
            return self._by_cell(counted, work, extra=["rung"])
        counted = rows.select(
            exp.alias_(self._person(work.relation), "u"), exp.alias_(exp.Count(this=exp.Star()), "m0")
        )
        per = self._by_cell(counted, work, extra=["rung", "u"])
        hashed = self._hashed(self._hashed(per, work).subquery("per"), work, by="rung", name="g")
        keys = ["cell", *_unknown_names(work)]
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

    def _rows(self, work: Work, renderer: Renderer, axes: Sequence[Known | Unknown]) -> exp.Select:
        """FROM, joins with the declared values, and WHERE; the cell is selected, measures are not yet."""
        tree = self._from(exp.Select(), work.relation, renderer)
        conditions = [renderer.condition(work.where)]
        for position, axis in enumerate(axes):
            if isinstance(axis, Listed):
                match = exp.EQ(this=renderer.raw(axis.leaf), expression=field(f"k{position}", "v"))
                tree = tree.join(_declared(axis, position), on=match, copy=False)
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
        kept = [c for c in conditions if not (isinstance(c, exp.Boolean) and c.this)]
        tree = tree.select(exp.alias_(number(0) if cell is None else cell, "cell"), *named)
        return tree.where(*kept) if kept else tree

    def _by_cell(self, tree: exp.Select, work: Work, extra: Sequence[str] = ()) -> exp.Select:
        keys = [item for item in tree.expressions if item.alias in ("cell", *_unknown_names(work), *extra)]
        constant = all(isinstance(axis, Unknown) for axis in work.axes)
        return tree.group_by(*[key.this.copy() for key in keys if not (constant and key.alias == "cell")])

    def _added(self, measure: Measure, renderer: Renderer) -> exp.Expr:
        if measure.counting is Counting.TOTAL and measure.quantity is not None:
            term = measure.quantity.term
            added = renderer.scaled_sum(term) if self.dialect.columnar else None
            if added is None:
                added = self.dialect.wide_sum(renderer.term(term))
            return exp.Coalesce(this=added, expressions=[exp.Literal.number(0)])
        if measure.quantity is not None:
            return exp.Count(this=renderer.present(measure.quantity))
        return exp.Count(this=exp.Star())

    def _held(self, measure: Measure, value: exp.Expr, name: str) -> exp.Expr:
        return exp.alias_(_held(value) if measure.counting is Counting.TOTAL else value, name)

    def _total(self, value: exp.Expr) -> exp.Expr:
        return _held(self.dialect.wide_sum(value))

    def _hashed(self, per: exp.Select | exp.Subquery, work: Work, *, by: str = "cell", name: str = "h") -> exp.Select:
        """Add the keyed hash of (person, cell): a line and then its cube, modulo a prime.

        Cubing is a bijection there, so two cells of a person never share a hash unless there are more than the prime.
        """
        source = per if isinstance(per, exp.Subquery) else per.subquery("per")
        fields = {key: field("per", key) for key in ("u", by, *_unknown_names(work))}
        line = self._line(work, fields, by, 2 if name == "h" else 4)
        inner = exp.select("*", exp.alias_(line, f"{name}1")).from_(source)
        return exp.select("*", exp.alias_(_cube(f"{name}1"), name)).from_(inner.subquery("per"))

    def _line(self, work: Work, named: Mapping[str, exp.Expr], by: str, shifted: int) -> exp.Expr:
        """The number a · person + b · cell + c, with the unknown keys worked in, modulo the prime.

        Codes are within ±2^31, keys under 2^31, a and b under 2^30; the shift is a little over 2^61 and a multiple of
        the prime beyond c. So every sum is positive and under 2^63.
        """
        a, b, e = (number(work.hash_keys[place]) for place in (0, 1, 3))
        shift = number(work.hash_keys[shifted] + HASH_PRIME * (2**61 // HASH_PRIME + 1))
        code = exp.Mul(this=self._code(named["u"].copy(), self._person_type(work.relation)), expression=a)
        small = by == "rung" or cell_count(work.axes) < HASH_PRIME
        key = named[by].copy() if small else exp.paren(_modulo(exp.paren(named[by].copy())))
        line = _modulo(exp.paren(_add(_add(code, exp.Mul(this=key, expression=b)), shift)))
        for i, name in enumerate(_unknown_names(work)):
            text = exp.Mul(this=self._code(named[name].copy(), self._key_type(work, i)), expression=e.copy())
            joined = _add(_add(exp.Mul(this=exp.paren(line), expression=b.copy()), text), shift.copy())
            line = _modulo(exp.paren(joined))
        return line

    def _code(self, value: exp.Expr, stored: Physical) -> exp.Expr:
        if stored is Physical.INTEGER:  # A remainder has the sign of the number.
            return exp.cast(exp.Mod(this=value, expression=number(HASH_PRIME)), "bigint")
        return self.dialect.text_code(value if stored is Physical.TEXT else exp.cast(value, "text"))

    def _key_type(self, work: Work, place: int) -> Physical:
        leaf = [axis.leaf for axis in work.axes if isinstance(axis, Unknown)][place]
        return self._stored(work.relation).get((leaf.relation, leaf.column.name), Physical.TEXT)

    def _person(self, relation: Relation) -> exp.Column:
        match relation:
            case Base(table, alias):
                assert table.person is not None
                return field(alias, table.person)
            case Joined(left, _, _):
                return self._person(left)
            case Grouped():
                return field(relation.alias, "u")

    def _person_type(self, relation: Relation) -> Physical:
        match relation:
            case Base(table, _):
                return self.types[table.name][table.person or ""]
            case Joined(left, _, _):
                return self._person_type(left)
            case Grouped():
                return self._person_type(relation.source)

    def _from(self, tree: exp.Select, relation: Relation, renderer: Renderer) -> exp.Select:
        match relation:
            case Base(table, alias):
                return tree.from_(
                    exp.alias_(exp.to_table(self.names[table.name], dialect=self.dialect.name), alias, table=True)
                )
            case Joined(left, right, outer):
                start = self._from(tree, left, renderer)
                inner = self._from(exp.Select(), right, renderer)
                on = exp.EQ(this=self._person(left), expression=self._person(right))
                return start.join(inner.args["from_"].this, on=on, join_type="left" if outer else "inner")
            case Grouped():
                return tree.from_(self._grouped(relation, renderer).subquery(relation.alias))

    def _grouped(self, relation: Grouped, renderer: Renderer) -> exp.Select:
        keys = [renderer.present_key(leaf) for leaf in relation.keys]
        person = self._person(relation.source)
        tree = self._from(exp.Select(), relation.source, renderer)
        tree = tree.select(exp.alias_(person, "u"), *(exp.alias_(key, f"k{i}") for i, key in enumerate(keys)))
        tree = tree.select(*(exp.alias_(self._per_person(t, renderer), t.column.name) for t in relation.totals))
        where = renderer.condition(relation.where)
        if not (isinstance(where, exp.Boolean) and where.this):
            tree = tree.where(where)
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

    def _stored(self, relation: Relation) -> dict[tuple[str, str], Physical]:
        match relation:
            case Base(table, alias):
                return {(alias, column.name): self.types[table.name][column.name] for column in table.columns}
            case Joined(left, right, _):
                return self._stored(left) | self._stored(right)
            case Grouped():
                inner = self._stored(relation.source)
                keys = {
                    (relation.alias, f"k{i}"): inner.get((leaf.relation, leaf.column.name), Physical.INTEGER)
                    for i, leaf in enumerate(relation.keys)
                }
                return inner | keys


def _held(total: exp.Expr) -> exp.Expr:
    """A total within ±2^60. It is never missing, so LEAST and GREATEST, which pass over NULL, may be used."""
    return exp.cast(between(total, -HELD, HELD), "bigint")


def _clamped(value: exp.Expr, measure: Measure) -> exp.Expr:
    """One person's part of one cell, held in its bounds; a person counts once."""
    return number(1) if measure.counting is Counting.PEOPLE else clamp(value, measure.low, measure.high)


def _row_value(measure: Measure, renderer: Renderer) -> exp.Expr:
    assert measure.quantity is not None
    total = measure.counting is Counting.TOTAL
    return renderer.term(measure.quantity.term) if total else renderer.present(measure.quantity)


def _declared(axis: Listed, position: int) -> exp.Values:
    """The declared values with their places, as a small table."""
    pairs = [(literal(value), exp.Literal.number(place)) for place, value in enumerate(axis.values)]
    return exp.values(pairs, alias=f"k{position}", columns=["v", "i"])


def _own_hashes(work: Work) -> bool:
    """Whether no two cells of a person can share a hash."""
    return not _unknown_names(work) and cell_count(work.axes) < HASH_PRIME


def _unknown_names(work: Work) -> list[str]:
    return [f"x{i}" for i, _ in enumerate(axis for axis in work.axes if isinstance(axis, Unknown))]


def _stacked(cell: exp.Expr, size: int, place: exp.Expr) -> exp.Expr:
    return exp.paren(exp.Add(this=exp.Mul(this=cell, expression=number(size)), expression=place))


def _add(a: exp.Expr, b: exp.Expr) -> exp.Expr:
    return exp.Add(this=a, expression=b)


def _modulo(value: exp.Expr) -> exp.Expr:
    return exp.Mod(this=value, expression=number(HASH_PRIME))


def _cube(name: str) -> exp.Expr:
    """The cube modulo the prime."""
    x = field("per", name)
    square = exp.paren(_modulo(exp.paren(exp.Mul(this=x, expression=x.copy()))))
    return _modulo(exp.paren(exp.Mul(this=square, expression=x.copy())))
