"""What a look counts: for each column where its values lie, and for each person how many rows and groups she has.

In every piece a person counts once, in one cell: in one of her rows' cells, chosen by keyed hashes as in every release.
So whatever a person's rows, she moves one cell of a piece by one, and nothing has to be declared about them before.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction

from banister.questions import measures, terms
from banister.questions.measures import Measure
from banister.questions.question import Axis, Unknown, WrittenOutcomes, cell_count
from banister.questions.relation import Base, Grouped, Inner, PerPerson, Relation
from banister.questions.terms import Boolean, Case, Condition, In, IsNull, Leaf, Quantity, Whole
from banister.release.profile.ladders import LogLadder, ladder_of, per_person, stretches
from banister.tables.columns import Column, Kind
from banister.tables.schema import Schema

MAIN = "data"
MOST_LISTED = 64
"""Of a category with more declared values, only those are counted that are missing, declared or neither."""

USUAL_ROWS = 10
"""Rows of one person that count in the number of rows, where nothing is declared."""

MOST_ROWS = 2**20


class What(Enum):
    """What a piece is about."""

    PEOPLE = "people"
    ROWS = "rows"
    LADDER = "values"
    LISTED = "declared values"
    PRESENT = "missing values"
    UNKNOWN = "frequent values"
    ROWS_EACH = "rows a person"
    GROUPS_EACH = "groups a person"


@dataclass(frozen=True, slots=True, kw_only=True)
class LookPiece:
    """One histogram: which cells, what is counted, and how much its errors matter."""

    what: What
    column: Column | None
    relation: Relation
    axes: tuple[Axis, ...]
    measure: Measure
    matter: float
    """How many cells' errors add up, squared, in the worst number that is read off it, in units of one person."""
    ladder: LogLadder | None = None
    rows: int = 1

    @property
    def cells(self) -> int | None:
        """The number of cells; nothing where they are unknown."""
        return None if self.what is What.UNKNOWN else cell_count(self.axes)


def pieces_of(schema: Schema, *, unknown: bool) -> tuple[LookPiece, ...]:
    """All pieces of the main table; values that nobody has declared are looked for where a delta pays for them."""
    return tuple(_pieces(schema, unknown))


def _pieces(schema: Schema, unknown: bool) -> Iterator[LookPiece]:
    table, personal = schema.main, schema.main.person is not None
    base = Base(table, MAIN)
    yield LookPiece(what=What.PEOPLE, column=None, relation=base, axes=(), measure=_one(personal), matter=1.0)
    if personal:
        most = schema.rows or USUAL_ROWS
        rows = measures.rows(most=most)
        yield LookPiece(
            what=What.ROWS, column=None, relation=base, axes=(), measure=rows, matter=1 / most**2, rows=most
        )
        yield _each(What.ROWS_EACH, None, _counted(base))
    for column in table.columns:
        if column.kind is not Kind.CATEGORY:
            yield _ladder(column, base, personal)
            continue
        yield _values(column, base, personal)
        leaf = Leaf(MAIN, column, ready=False)
        if column.values is None and unknown:
            axis = Unknown(leaf, column.name)
            yield _piece(What.UNKNOWN, column, base, axis, personal, matter=1.0)
        if personal:
            yield _each(What.GROUPS_EACH, column, _groups(base, leaf))


def _one(personal: bool) -> Measure:
    return measures.people() if personal else measures.rows(most=1)


def _piece(what: What, column: Column, base: Relation, axis: Axis, personal: bool, *, matter: float) -> LookPiece:
    return LookPiece(what=what, column=column, relation=base, axes=(axis,), measure=_one(personal), matter=matter)


def _ladder(column: Column, base: Base, personal: bool) -> LookPiece:
    """A rank is added up from the nearer end, over half of the rungs at most."""
    ladder = ladder_of(column)
    axis = stretches(ladder, Leaf(MAIN, column, ready=False))
    found = _piece(What.LADDER, column, base, axis, personal, matter=max(1.0, ladder.rungs / 2))
    return replace(found, ladder=ladder)


def _values(column: Column, base: Relation, personal: bool) -> LookPiece:
    """Missing, then every declared value, then all others; or only missing and not where no value is declared."""
    leaf = Leaf(MAIN, column, ready=False)
    given = column.values or ()
    listed = [In(leaf, (value,)) for value in given] if len(given) <= MOST_LISTED else [In(leaf, given)]
    cases: tuple[Condition, ...] = (IsNull(leaf), *listed)
    term = Case(tuple((case, Whole(place)) for place, case in enumerate(cases)), Whole(len(cases)))
    place = Quantity(term=term, low=0, high=len(cases), step=Fraction(1), nulls=False)
    axis = WrittenOutcomes(place, tuple(range(len(cases) + 1)), column.name)
    what = What.LISTED if 0 < len(given) <= MOST_LISTED else What.PRESENT
    return _piece(what, column, base, axis, personal, matter=1.0)


def _each(what: What, column: Column | None, grouped: Grouped) -> LookPiece:
    """People by how many rows or groups they have."""
    ladder = per_person()
    leaf = Leaf(grouped.alias, grouped.totals[0].column, ready=True)
    place = Quantity(
        term=ladder.place(terms.column(leaf).term, first=0),
        low=0,
        high=ladder.rungs - 1,
        step=Fraction(1),
        nulls=False,
    )
    axis = WrittenOutcomes(place, tuple(range(ladder.rungs)), "each")
    return LookPiece(
        what=what,
        column=column,
        relation=grouped,
        axes=(axis,),
        measure=measures.people(),
        matter=ladder.rungs / 2,
        ladder=ladder,
    )


def _counted(source: Relation, alias: str = "each") -> Grouped:
    """For each person how many rows of a relation are hers."""
    count = Column(name="n", kind=Kind.INTEGER, low=Fraction(0), high=Fraction(MOST_ROWS), nulls=False)
    total = PerPerson(column=count, inner=Inner.COUNT, quantity=None)
    return Grouped(source=source, where=Boolean(True), keys=(), totals=(total,), alias=alias)


def _groups(base: Base, leaf: Leaf) -> Grouped:
    """For each person how many different values she has."""
    rows = _counted(base, "inner_each")
    kinds = replace(rows, keys=(leaf,), where=terms.Not(IsNull(leaf)))
    return _counted(kinds)
