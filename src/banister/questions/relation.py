"""The relations that questions read, as values. In every one of them each row belongs to one person.

That is all that privacy needs of them: what a person adds to a relation follows from her own rows and from what is
public, whatever the rows of others hold. How much of it counts is bounded afterwards, where it is added up.
"""

from dataclasses import dataclass
from enum import Enum

from banister.questions.terms import Boolean, Condition, Leaf, Quantity
from banister.tables.columns import Column
from banister.tables.public import Known
from banister.tables.reading import Value
from banister.tables.table import Table

ALWAYS = Boolean(True)


@dataclass(frozen=True, slots=True)
class Base:
    """A declared table, under the name that the question gives it."""

    table: Table
    alias: str

    @property
    def rows(self) -> int | None:
        """How many rows one person can have; None where that is not known."""
        return 1 if self.table.person is None else None


class Side(Enum):
    """Which rows a join keeps besides the pairs."""

    INNER = "inner"
    LEFT = "left"
    FULL = "full"


@dataclass(frozen=True, slots=True)
class Joined:
    """Two relations joined on the person: each pair of rows of one person for which `on` holds is a row of hers."""

    left: "Relation"
    right: "Relation"
    side: Side
    on: Condition = ALWAYS
    parent: Table | None = None
    """The table whose declared key ties both together, besides the person; None where the person alone does."""

    @property
    def rows(self) -> int | None:
        return 1 if self.left.rows == 1 and self.right.rows == 1 else None


@dataclass(frozen=True, slots=True)
class LookedUp:
    """A relation whose rows look up one row of a public table each, by columns in which no two of its rows agree."""

    source: "Relation"
    known: Known
    names: tuple[str, ...]
    """The columns that are looked up."""
    on: Condition
    outer: bool
    alias: str

    @property
    def rows(self) -> int | None:
        return self.source.rows


class Inner(Enum):
    """What may be computed over the rows of one person."""

    COUNT = "COUNT"
    SUM = "SUM"
    MIN = "MIN"
    MAX = "MAX"
    AVG = "AVG"


@dataclass(frozen=True, slots=True)
class PerPerson:
    """One aggregate over the rows of one person, clamped to the bounds of the column that it becomes."""

    column: Column
    inner: Inner
    quantity: Quantity | None


@dataclass(frozen=True, slots=True)
class Grouped:
    """A subquery grouped by person, and perhaps by columns: its rows belong to that person."""

    source: "Relation"
    where: Condition
    keys: tuple[Leaf, ...]
    totals: tuple[PerPerson, ...]
    alias: str
    having: Condition = ALWAYS
    """Which of its rows are kept, by its own keys and totals."""

    @property
    def rows(self) -> int | None:
        return None if self.keys else 1


class WindowKind(Enum):
    """What may be computed over the rows of one person for each of them."""

    COUNT = "COUNT"
    SUM = "SUM"
    MIN = "MIN"
    MAX = "MAX"
    ROW_NUMBER = "ROW_NUMBER"
    RANK = "RANK"
    DENSE_RANK = "DENSE_RANK"
    LAG = "LAG"
    LEAD = "LEAD"
    FIRST_VALUE = "FIRST_VALUE"


@dataclass(frozen=True, slots=True)
class SortKey:
    """One key of an order, with where the missing values go."""

    value: Quantity | Leaf
    descending: bool
    nulls_first: bool


@dataclass(frozen=True, slots=True)
class Window:
    """A number or a value for each row, computed over the rows of the same person that agree in `keys`."""

    over: WindowKind
    value: Quantity | Leaf | None
    keys: tuple[Leaf, ...]
    order: tuple[SortKey, ...]
    offset: int = 1
    ties: tuple[Leaf, ...] = ()
    """Where the place of a row counts: all columns that can be seen. Rows that agree in these are the same to us, so
    that it does not matter which comes first, and no engine's order is ever asked for."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """One of some values that are written in the question: the one whose place, from 0, is that number."""

    place: Quantity
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Picked:
    """A column of a subquery: a column or an expression of its source, or something over a person's rows."""

    column: Column
    value: Quantity | Leaf | Window | Spoken


@dataclass(frozen=True, slots=True)
class ChosenRows:
    """A subquery that keeps rows as they are: some of them, with some columns and more computed from them."""

    source: "Relation"
    where: Condition
    columns: tuple[Picked, ...]
    alias: str

    @property
    def rows(self) -> int | None:
        return self.source.rows


@dataclass(frozen=True, slots=True)
class United:
    """Rows of several subqueries, one below the other; a person has hers in all of them."""

    parts: tuple[ChosenRows, ...]
    alias: str

    @property
    def rows(self) -> int | None:
        return None


Relation = Base | Joined | LookedUp | Grouped | ChosenRows | United


def tables_of(relation: Relation) -> tuple[Table, ...]:
    """The private tables that a relation reads."""
    match relation:
        case Base(table, _):
            return (table,)
        case Joined(left, right):
            return tables_of(left) + tables_of(right)
        case United(parts, _):
            return tuple(table for part in parts for table in tables_of(part))
    return tables_of(relation.source)


def declared_rows(relation: Relation) -> int | None:
    """How many rows of a person may count, by what the tables declare; None where none of them says.

    It is a bound to hold people to, not one that they are known to keep.
    """
    if relation.rows is not None:
        return relation.rows
    match relation:
        case Base(table, _):
            return table.rows
        case Joined(left, right):
            known = [rows for rows in (declared_rows(left), declared_rows(right)) if rows is not None]
            if not known:
                return None
            both = known[0] * known[-1] if len(known) == 2 else known[0]
            shared = relation.parent.rows if relation.parent is not None and len(known) == 2 else None
            return -(-both // (shared or 1))  # Each row of a child has one parent's row of the person's.
        case United(parts, _):
            found = [rows for part in parts if (rows := declared_rows(part)) is not None]
            return sum(found) if found else None
    return declared_rows(relation.source)


def declared_groups(relation: Relation) -> int | None:
    """In how many groups a person may count, by what the tables declare; None where none of them says."""
    return max((table.groups for table in tables_of(relation) if table.groups is not None), default=None)
