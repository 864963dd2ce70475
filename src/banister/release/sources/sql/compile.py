"""The exact work as one SQL query: rows into cells, each person's part bounded, whole numbers added up.

A row is a person:      filter, give each row its cell, add up by cell.
A person has many rows: add up by (person, cell), clamp each total, keep at most `groups` cells of each person by a
                        turn of her list (`rotation`), then add up by cell.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from banister.questions.measures import Counting, Measure
from banister.questions.question import Axis, Listed, Unknown
from banister.questions.terms import Quantity
from banister.release.sources.sql.dialect import Dialect, written
from banister.release.sources.sql.froms import Froms, where
from banister.release.sources.sql.part import held, held_part, paired_quantities
from banister.release.sources.sql.render import Renderer
from banister.release.sources.sql.rotation import counts, key_names, person_code, reached, turned, unknown_names
from banister.release.sources.sql.syntax import (
    Query,
    called,
    case,
    cast,
    either,
    field,
    literal,
    number,
    or_zero,
    paren,
    select,
    stacked,
)
from banister.release.work import Physical, Work


@dataclass(frozen=True, slots=True)
class Listing:
    """What a list of people's groups is made of.

    `rows` is the text of the rows that count, which tells one list from another; `parts` are the texts of what is added
    up in a group; `uses` says for each measure which part it is, and which part counts the rows behind it.
    """

    rows: str
    parts: tuple[str, ...]
    uses: tuple[tuple[str, str | None], ...]
    query: str


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
        elif work.each:
            tree = self._each(work, renderer)
        elif work.ladder is not None:
            tree = self._ladder(work, renderer)
        elif work.distinct:
            tree = self._distinct(work, renderer)
        elif work.personal:
            tree = self._personal(work, renderer)
        else:
            tree = self._direct(work, renderer)
        return self._spoken(tree)

    def _direct(self, work: Work, renderer: Renderer) -> Query:
        listed = [axis for axis in work.axes if isinstance(axis, Listed)]
        if self.dialect.columnar and listed and len(listed) == len(work.axes):
            return self._values_last(work, renderer, listed)
        rows = self._rows(work, renderer)
        columns = [self._held(m, self._added(m, renderer), f"m{i}") for i, m in enumerate(work.measures)]
        return self._by_cell(rows.select(*columns), work)

    def _values_last(self, work: Work, renderer: Renderer, axes: Sequence[Listed]) -> Query:
        """Group by the columns as they are stored, and look for the declared values among the groups."""
        raw = [renderer.raw(axis.leaf) for axis in axes]
        parts = [self._held(m, self._added(m, renderer), f"m{i}") for i, m in enumerate(work.measures)]
        tree = self._froms.start(Query(), work.relation, renderer)
        tree = tree.select(*(called(column, f"v{i}") for i, column in enumerate(raw)), *parts)
        tree = where(tree, [*self._froms.named(work.relation), renderer.condition(work.where)])
        tree = tree.group_by(*raw)
        cell: exp.Expr | None = None
        for position, axis in enumerate(axes):
            place = renderer.place(axis, position)
            cell = place if cell is None else stacked(cell, axis.size, place)
        names = [f"m{i}" for i in range(len(work.measures))]
        final = select(called(cell or number(0), "cell"), *names).from_("found")
        for position, axis in enumerate(axes):
            match = exp.EQ(this=field("found", f"v{position}"), expression=field(f"k{position}", "v"))
            final = final.join(self._declared(axis, f"k{position}"), on=match)
        return final.after("found", tree)

    def _personal(self, work: Work, renderer: Renderer) -> Query:
        """Add up by person and cell, choose among her cells, hold her parts and add them up by cell."""
        keys = ["cell", *unknown_names(work)]
        parts = [called(self._summed(m, renderer), f"m{i}") for i, m in enumerate(work.measures)]
        numbers = [called(exp.Count(this=renderer.present(q)), f"c{i}") for i, q in paired_quantities(work)]
        per = self._by_cell(self._people(work, renderer).select(*parts, *numbers), work, extra=["u"])
        if work.groups is not None:
            per = self._chosen(per, work, exp.RowNumber())
        sums = [
            called(self._total(held_part(field("per", f"m{i}"), m, field("per", f"c{i}"))), f"m{i}")
            for i, m in enumerate(work.measures)
        ]
        return select(*keys, *sums).from_(per.subquery("per")).group_by(*keys)

    def _chosen(self, per: Query, work: Work, place: exp.Expr) -> Query:
        """Of each person the rows `per` of the cells that count; `place` numbers her cells, from 1."""
        assert work.groups is not None
        placed = self.placed(per, work, place)
        u = person_code(self.dialect, field("per", "u"), self._froms.person_type(work.relation))
        far = reached(field("per", "j"), field("per", "m"), turned(u, work.hash_keys))
        every = exp.Column(this=exp.Star(), table=exp.to_identifier("per"))
        gone = select(every, called(far, "far")).from_(placed.subquery("per"))
        chosen = counts(field("per", "far"), field("per", "m"), work.groups)
        return select("*").from_(gone.subquery("per")).where(chosen)

    def placed(
        self,
        per: Query,
        work: Work,
        place: exp.Expr,
        *,
        within: Sequence[exp.Expr] = (),
        by: Sequence[str] | None = None,
    ) -> Query:
        """The rows `per` with the place `j` of their cell among the person's `m` cells; or of something else of hers,
        `within` what tells its lists apart and ordered `by` what it is."""
        names = key_names(work) if by is None else by
        order = exp.Order(expressions=[exp.Ordered(this=field("per", name)) for name in names])
        hers = list(within) or [field("per", "u")]
        first = exp.Window(this=place, partition_by=hers, order=order if order.expressions else None)
        from_0 = cast(exp.Sub(this=first, expression=exp.Literal.number(1)), "bigint")
        every = exp.Column(this=exp.Star(), table=exp.to_identifier("per"))
        found = select(every, called(from_0, "j")).from_(per.subquery("per"))
        most = exp.Window(this=exp.Max(this=field("per", "j")), partition_by=hers)
        size = cast(exp.Add(this=most, expression=exp.Literal.number(1)), "bigint")
        return select(every, called(size, "m")).from_(found.subquery("per"))

    def listing(self, work: Work, *, also: Sequence[str] = ()) -> Listing:
        """What her groups are made of, one row for each person and group: the queries behind an index.

        Rows come by person and by place in her list: `code`, `j`, `cell`, and a column for each part; `also` are texts
        of parts that other work over the same rows needs.
        """
        renderer = Renderer(self._froms.stored(work.relation), self.dialect)
        rows = self._people(work, renderer)
        kept = self._spoken(rows)
        wanted = [(self._summed(m, renderer), m) for m in work.measures]
        paired = {i: exp.Count(this=renderer.present(q)) for i, q in paired_quantities(work)}
        texts = dict.fromkeys(self._spoken(part) for part in (*(part for part, _ in wanted), *paired.values()))
        texts |= dict.fromkeys(also)
        names = {text: f"p{i}" for i, text in enumerate(texts)}
        parts = [called(exp.Var(this=text), name) for text, name in names.items()]
        per = self.placed(self._by_cell(rows.select(*parts), work, extra=["u"]), work, exp.RowNumber())
        code = person_code(self.dialect, field("per", "u"), self._froms.person_type(work.relation))
        parts_held = [called(held(field("per", name)), name) for name in names.values()]
        query = select(called(code, "code"), "j", "m", *key_names(work), *parts_held).from_(per.subquery("per"))
        return Listing(
            rows=kept,
            parts=tuple(texts),
            uses=tuple(
                (self._spoken(part), self._spoken(paired[i]) if i in paired else None)
                for i, (part, _) in enumerate(wanted)
            ),
            query=self._spoken(query.order_by(field("per", "u"), field("per", "j"))),
        )

    def packing(
        self,
        work: Work,
        lowest: int,
        fields: Sequence[tuple[Quantity, int]],
        cell_bits: int,
        piece: tuple[int, int] = (0, 1),
    ) -> str:
        """Every row as one number `k`: who, which cell, and of each quantity its steps from below its range, or 0.

        `fields` are the quantities with the bits that each takes, the last one lowest. A row without a person or a cell
        is −1. Of several pieces of the people it is one.
        """
        renderer = Renderer(self._froms.stored(work.relation), self.dialect)
        rows = self._rows(work, renderer, missing=True)
        person = cast(self._froms.person(work.relation), "bigint")
        packed: exp.Expr = paren(exp.Sub(this=person, expression=number(lowest)))
        if piece[1] > 1:
            part = exp.Mod(this=packed, expression=number(piece[1]))
            rows = rows.where(exp.EQ(this=part, expression=number(piece[0])))
        cell = rows.columns["cell"]
        packed = stacked(packed, 2**cell_bits, cell)
        for quantity, bits in fields:
            above = exp.Sub(this=renderer.term(quantity.term), expression=number(quantity.low - 1))
            packed = stacked(packed, 2**bits, or_zero(above))
        marked = exp.Coalesce(this=packed, expressions=[number(-1)])
        return self._spoken(rows.only(called(marked, "k")))

    def span(self, work: Work) -> str:
        """How many rows the table has, and the least and the greatest number of a person, whatever is asked."""
        renderer = Renderer(self._froms.stored(work.relation), self.dialect)
        person = self._froms.person(work.relation)
        ends = [or_zero(end) for end in (exp.Min(this=person), exp.Max(this=person))]
        found = select(exp.Count(this=exp.Star()), *ends)
        return self._spoken(self._froms.start(found, work.relation, renderer))

    def distinct(self, work: Work, axis: Unknown) -> str:
        """The values of an unknown axis that are there, wherever they stand."""
        renderer = Renderer(self._froms.stored(work.relation), self.dialect)
        found = select(called(renderer.raw(axis.leaf), "x")).distinct()
        there = exp.Not(this=exp.Is(this=renderer.raw(axis.leaf), expression=exp.Null()))
        return self._spoken(self._froms.start(found, work.relation, renderer).where(there))

    def _spoken(self, tree: Query | exp.Expr) -> str:
        return tree.sql(dialect=self.dialect.name)

    def _beyond(self, work: Work, renderer: Renderer) -> Query:
        """The number of people of whom the bounds leave something out."""
        counted = self._people(work, renderer).select(called(exp.Count(this=exp.Star()), "m0"))
        per = self._by_cell(counted, work, extra=["u"])
        over: exp.Expr = exp.GT(this=exp.Max(this=field("per", "m0")), expression=number(work.rows))
        if work.groups is not None:
            over = either(over, exp.GT(this=exp.Count(this=exp.Star()), expression=number(work.groups)))
        people = select("u").from_(per.subquery("per")).group_by("u").having(over)
        return select(called(exp.Count(this=exp.Star()), "m0")).from_(people.subquery("cut"))

    def _each(self, work: Work, renderer: Renderer) -> Query:
        """What each person has in each cell, unbounded: her rows `n`, and by measure a total and the rows behind it."""
        parts: list[exp.Expr] = [called(exp.Count(this=exp.Star()), "n")]
        for i, measure in enumerate(work.measures):
            behind = exp.Star() if measure.quantity is None else renderer.present(measure.quantity)
            parts += [called(self._summed(measure, renderer), f"m{i}"), called(exp.Count(this=behind), f"c{i}")]
        per = self._by_cell(self._people(work, renderer).select(*parts), work, extra=["u"])
        parts_held = [called(held(field("per", part.alias)), part.alias) for part in parts]
        person = called(cast(field("per", "u"), "text"), "u")
        return select(person, "cell", *parts_held).from_(per.subquery("per"))

    def _people(self, work: Work, renderer: Renderer) -> Query:
        """The rows with their cell and their person."""
        return self._rows(work, renderer).select(called(self._froms.person(work.relation), "u"))

    def _ladder(self, work: Work, renderer: Renderer) -> Query:
        assert work.ladder is not None
        there = exp.Not(this=exp.Is(this=renderer.term(work.ladder.quantity.term), expression=exp.Null()))
        rows = self._rows(work, renderer).where(there)
        rows = rows.select(called(renderer.rung(work.ladder), "rung"))
        if not work.personal or (work.rows == 1 and work.relation.rows == 1 and work.groups is None):
            counted = rows.select(called(exp.Count(this=exp.Star()), "m0"))
            return self._by_cell(counted, work, extra=["rung"])
        counted = rows.select(called(self._froms.person(work.relation), "u"), called(exp.Count(this=exp.Star()), "m0"))
        per = self._by_cell(counted, work, extra=["u", "rung"])
        if work.groups is not None:
            per = self._chosen(per, work, exp.DenseRank())
        keys = ["cell", *unknown_names(work)]
        u, rung, m = (field("per", n) for n in ("u", "rung", "m0"))
        code = person_code(self.dialect, u, self._froms.person_type(work.relation))
        mixed = turned(code, work.hash_keys, besides=rung)
        upto = exp.Window(
            this=exp.Sum(this=m),
            partition_by=[u, *(field("per", key) for key in keys)],
            order=exp.Order(expressions=[exp.Ordered(this=mixed), exp.Ordered(this=rung)]),
            spec=exp.WindowSpec(kind="ROWS", start="UNBOUNDED", start_side="PRECEDING", end="CURRENT ROW"),
        )
        ranked = select(*keys, "rung", "m0", called(cast(upto, "bigint"), "upto"))
        ranked = ranked.from_(per.subquery("per"))
        room = exp.Sub(
            this=number(work.rows), expression=paren(exp.Sub(this=field("r", "upto"), expression=field("r", "m0")))
        )
        part = case(
            [
                (exp.LTE(this=room, expression=number(0)), number(0)),
                (exp.LT(this=room, expression=field("r", "m0")), room),
            ],
            field("r", "m0"),
        )
        total = called(self._total(part), "m0")
        return select(*keys, "rung", total).from_(ranked.subquery("r")).group_by(*keys, "rung")

    def _distinct(self, work: Work, renderer: Renderer) -> Query:
        """How many values there are by cell. Of a person those of her cells that count, and in each as many as may be:
        neighbours on the circle of her list of values, turned as that of her cells is."""
        (measure,) = work.measures
        assert measure.quantity is not None
        value = renderer.present(measure.quantity)
        rows = self._rows(work, renderer).where(exp.Not(this=exp.Is(this=value, expression=exp.Null())))
        rows = rows.select(called(value, "v"))
        keys = ["cell", *unknown_names(work)]
        count = exp.Count(this=exp.Distinct(expressions=[field("per", "v")]))
        final = select(*keys, called(count, "m0"))
        if not work.personal:
            return final.from_(rows.subquery("per")).group_by(*keys)
        person = called(self._froms.person(work.relation), "u")
        per = self._by_cell(rows.select(person), work, extra=["u", "v"])
        if work.groups is not None:
            per = self._chosen(per, work, exp.DenseRank())
            per = select("u", "v", *keys).from_(per.subquery("per"))
        hers = [field("per", "u"), *(field("per", name) for name in key_names(work))]
        per = self.placed(per, work, exp.RowNumber(), within=hers, by=["v"])
        u = person_code(self.dialect, field("per", "u"), self._froms.person_type(work.relation))
        far = called(reached(field("per", "j"), field("per", "m"), turned(u, work.hash_keys)), "far")
        every = exp.Column(this=exp.Star(), table=exp.to_identifier("per"))
        gone = select(every, far).from_(per.subquery("per"))
        kept = select("*").from_(gone.subquery("per"))
        kept = kept.where(counts(field("per", "far"), field("per", "m"), measure.high))
        return final.from_(kept.subquery("per")).group_by(*keys)

    def _rows(self, work: Work, renderer: Renderer, *, missing: bool = False) -> Query:
        """FROM, joins with the declared values, and WHERE; the cell is selected, measures are not yet.

        Rows whose person or cell is `missing` may stay in, to be left out by whoever reads them.
        """
        tree = self._froms.start(Query(), work.relation, renderer)
        conditions = [*([] if missing else self._froms.named(work.relation)), renderer.condition(work.where)]
        for position, axis in enumerate(work.axes):
            if (code := self._coded(work, axis, renderer)) is not None:
                conditions.extend([] if missing else [exp.Not(this=exp.Is(this=code, expression=exp.Null()))])
            elif isinstance(axis, Listed):
                name = f"k{position}"
                match = exp.EQ(this=renderer.raw(axis.leaf), expression=field(name, "v"))
                tree = tree.join(self._declared(axis, name), on=match)
            elif isinstance(axis, Unknown):
                conditions.append(exp.Not(this=exp.Is(this=renderer.raw(axis.leaf), expression=exp.Null())))
            else:
                inside = renderer.inside(axis)
                conditions.extend([] if inside is None else [inside])
        cell: exp.Expr | None = None
        for position, axis in enumerate(work.axes):
            if not isinstance(axis, Unknown):
                code = self._coded(work, axis, renderer)
                place = renderer.place(axis, position) if code is None else cast(code, "bigint")
                cell = place if cell is None else stacked(cell, axis.size, place)
        unknown = [renderer.raw(axis.leaf) for axis in work.axes if isinstance(axis, Unknown)]
        named = [called(column, f"x{i}") for i, column in enumerate(unknown)]
        tree = tree.select(called(number(0) if cell is None else cell, "cell"), *named)
        return where(tree, conditions)

    def _coded(self, work: Work, axis: Axis, renderer: Renderer) -> exp.Expr | None:
        """The place of a text among the declared values, or NULL, without a join, where an engine has such codes.

        DuckDB works it out once for each entry of a column's dictionary: a third of the time that a join takes.
        """
        if not (self.dialect.columnar and work.groups is not None and isinstance(axis, Listed)):
            return None
        stored = self._froms.stored(work.relation).get((axis.leaf.relation, axis.leaf.column.name))
        if stored is not Physical.TEXT or not all(isinstance(value, str) for value in axis.values):
            return None
        names = ", ".join(literal(value).sql(dialect=self.dialect.name) for value in axis.values)
        known = exp.TryCast(this=renderer.raw(axis.leaf), to=exp.Var(this=f"ENUM({names})"))
        return exp.Anonymous(this="enum_code", expressions=[known])

    def _declared(self, axis: Listed, name: str) -> exp.Values:
        """The declared values with their places, as a small table."""
        rows = [(literal(value), exp.Literal.number(place)) for place, value in enumerate(axis.values)]
        return written(self.dialect, rows, name, "v", "i")

    def _by_cell(self, tree: Query, work: Work, extra: Sequence[str] = ()) -> Query:
        """Group by cell, and before that by what tells more groups apart: DuckDB compares keys in their order."""
        named = tree.columns
        return tree.group_by(*(named[name] for name in (*extra, *key_names(work))))

    def _added(self, measure: Measure, renderer: Renderer) -> exp.Expr:
        """A measure by cell: few totals from many rows, so what can be done with the totals is done with them."""
        if self.dialect.columnar and measure.counting is Counting.TOTAL and measure.quantity is not None:
            added = renderer.scaled_sum(measure.quantity.term)
            if added is not None:
                return or_zero(added)
        return self._summed(measure, renderer)

    def _summed(self, measure: Measure, renderer: Renderer) -> exp.Expr:
        """A measure, worked out row by row."""
        if measure.counting is Counting.TOTAL and measure.quantity is not None:
            return or_zero(self.dialect.wide_sum(renderer.term(measure.quantity.term)))
        if measure.quantity is not None:
            return exp.Count(this=renderer.present(measure.quantity))
        return exp.Count(this=exp.Star())

    def _held(self, measure: Measure, value: exp.Expr, name: str) -> exp.Expr:
        return called(held(value) if measure.counting is Counting.TOTAL else value, name)

    def _total(self, value: exp.Expr) -> exp.Expr:
        return held(self.dialect.wide_sum(value))
