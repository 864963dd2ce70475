"""The exact work that an engine does for a release, and the port through which it is asked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from banister.errors import BadValue
from banister.questions.measures import Measure
from banister.questions.question import Axis, Label, Rungs, Unknown
from banister.questions.relation import Relation
from banister.questions.terms import Condition
from banister.tables.schema import Column, Kind, Table

HASH_PRIME = 2_147_483_579
"""The largest prime below 2^31 that is 2 modulo 3: codes of people are remainders by it."""

HASH_KEYS = 6
HASH_KEY_LIMIT = 2**30
"""Keys of the hash are from 1 to this, so that codes below 2^31 times a key stay below 2^61."""


class Physical(Enum):
    """What a column is stored as, as far as we need to know."""

    INTEGER = "whole numbers"
    DECIMAL = "decimals"
    FLOAT = "floating-point numbers"
    TEXT = "text"
    TRUTH = "truth values"
    DATE = "dates"
    TIMESTAMP = "timestamps without a time zone"
    ZONED = "timestamps with a time zone, whose day depends on where one is"
    OTHER = "another type"


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What to add up. All of it is public except the rows it will be applied to.

    `hash_keys` are the secret numbers of the keyed choice: fresh for each release, so that the choice of a
    person's groups favours none of them. Privacy does not rest on them. With a `ladder` the one measure counts rows
    for each cell and each rung, and a person has at most `rows` rows in a cell, over all rungs together.
    """

    relation: Relation
    where: Condition
    axes: tuple[Axis, ...]
    measures: tuple[Measure, ...]
    personal: bool
    groups: int | None
    rows: int
    hash_keys: tuple[int, ...]
    ladder: Rungs | None = None
    beyond: bool = False
    """Whether, instead, the people are counted who have more than `rows` rows in a cell, or rows in more cells than
    `groups`: one number for all cells."""
    distinct: bool = False
    """Whether the one measure counts the values of its quantity, of each person as many in a cell as it is high."""
    each: bool = False
    """Whether, instead, what each person adds up to in each cell is wanted, before any bound: for whoever bounds it by
    what she has contributed before. `measures` then come in pairs with the rows behind them, see `Totals.people`."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Totals:
    """Exact whole numbers: `values[m, cell]` for measure m, or `[rung, cell]` with a ladder.

    Where cells are unknown, `labels` names the ones that have rows. With a ladder besides, most rungs of most cells are
    empty: then `labels`, `rungs` and the one row of `values` go together, an entry for each rung that has rows.
    """

    values: NDArray[np.int64]
    labels: tuple[tuple[Label, ...], ...] | None
    rungs: NDArray[np.int64] | None = None
    people: tuple[str, ...] | None = None
    """Where each person is wanted by herself: whose entry it is, as text. `cells` says of which cell it is, and the
    rows of `values` are her rows there, then for each measure her total and the rows behind it."""
    cells: NDArray[np.int64] | None = None


class Source(Protocol):
    """A place that holds the tables and adds up; `sources` has three."""

    def describe(self, table: Table) -> Mapping[str, Physical]:
        """The columns that are there and their types: no row is read."""
        ...

    def totals(self, work: Work) -> Totals:
        """The exact work.

        Raises `EngineFailed` where it fails before a row is read, and `EngineBroke` where it fails afterwards: such a
        failure may depend on one person's values, and is charged.
        """
        ...


def check_stored(table: Table, stored: Mapping[str, Physical]) -> None:
    """Refuse a declared column that is not there, and people and keys of a type that cannot be used.

    Types are public; no value is looked at. Other columns are refused where a question uses them.
    """
    _check_links(table, stored)
    for name in [] if table.owner is None else [table.owner]:
        if name not in stored:
            raise BadValue(f"Table '{table.name}' has no person column '{name}'.{_there(table, stored)}")
        if stored[name] in (Physical.FLOAT, Physical.DECIMAL):
            raise BadValue(
                f"Person column '{name}' holds {stored[name].value}; a person needs a whole number or a text."
            )
    for column in table.columns:
        if column.name not in stored:
            raise BadValue(f"Table '{table.name}' has no column '{column.name}'.{_there(table, stored)}")


def check_used(column: Column, stored: Physical) -> None:
    """Refuse a question that uses a column of another type than is declared; others go on without it."""
    if fits(column, stored):
        return
    told = f"Column '{column.name}' is declared as {_declared(column)}, and holds {stored.value}. "
    if column.kind.dated and stored is Physical.ZONED:
        raise BadValue(f'{told}Declare by whose clocks days and hours count, e.g. zone = "Europe/Berlin".')
    allowed = " or ".join(kind.value for kind in _allowed(column))
    raise BadValue(f"{told}It would need {allowed}. Questions that do not use it can be asked.")


def fits(column: Column, stored: Physical) -> bool:
    """Whether a column can be read as what it is declared as."""
    return stored in _allowed(column)


def _check_links(table: Table, stored: Mapping[str, Physical]) -> None:
    for name in table.links:
        if name not in stored:
            raise BadValue(
                f"Table '{table.name}' has no column '{name}', which ties it to another.{_there(table, stored)}"
            )
        if stored[name] not in (Physical.INTEGER, Physical.TEXT, Physical.OTHER):
            raise BadValue(
                f"Column '{name}' of table '{table.name}' holds {stored[name].value}; a key between tables is a whole "
                "number or a text."
            )


def as_compared(stored: Physical) -> Physical:
    """As what a key is compared: of types that we do not know, the text."""
    return Physical.TEXT if stored is Physical.OTHER else stored


def check_ties(tables: Sequence[Table], stored: Mapping[str, Mapping[str, Physical]]) -> None:
    """Refuse keys between tables that are stored differently: an engine may cast one, and fail on a value."""
    for table in tables:
        if table.through is not None:
            parent, key, own = table.through.parent.name, table.through.key, table.through.own
            kinds = [stored[parent][key], stored[table.name][own]]
            if as_compared(kinds[0]) is not as_compared(kinds[1]):
                raise BadValue(
                    f"'{parent}.{key}' holds {kinds[0].value} and '{table.name}.{own}' {kinds[1].value}. Store both "
                    "as the same."
                )


def _allowed(column: Column) -> tuple[Physical, ...]:
    if column.kind.dated:
        zoned = (Physical.ZONED,) if column.zone else ()
        return ((Physical.DATE,) if column.kind is Kind.DATE else ()) + (Physical.TIMESTAMP, *zoned)
    if column.kind is Kind.INTEGER:  # Whole numbers of which one is missing are floating-point numbers in pandas.
        return (Physical.INTEGER, Physical.FLOAT)
    if column.kind is Kind.NUMBER:
        return (Physical.INTEGER, Physical.DECIMAL, Physical.FLOAT)
    if column.values is None:
        return (Physical.TEXT, Physical.INTEGER, Physical.TRUTH)
    kinds = {bool: Physical.TRUTH, int: Physical.INTEGER, str: Physical.TEXT}
    return (kinds[type(column.values[0])],)


def _declared(column: Column) -> str:
    return f"{column.kind.value}" + ("" if column.values is None else f" with values such as {column.values[0]!r}")


def _there(table: Table, stored: Mapping[str, Physical]) -> str:
    """What columns there are. The first line of a CSV file that knows no declared one may be a person's: not shown."""
    names = sorted(stored)
    if table.location.lower().endswith(".csv") and not {column.name for column in table.columns} & set(names):
        return (
            " Nothing that is declared stands in the first line of the file, so it may hold data, and is not shown. A "
            "CSV file begins with the names of its columns; declare the separator where it is no comma."
        )
    return f" It has: {', '.join(names[:12])}{', ...' if len(names) > 12 else ''}."


def assemble(work: Work, cells: int, columns: Mapping[str, Sequence[object] | NDArray[np.generic]]) -> Totals:
    """Put an engine's rows in their places; a cell without rows holds 0."""
    if work.beyond:
        return Totals(values=np.asarray(columns["m0"], dtype=np.int64).reshape(1, 1), labels=None)
    where = np.asarray(columns["cell"], dtype=np.int64)
    if work.each:
        return _each(work, where, columns)
    unknown = [columns[f"x{i}"] for i, _ in enumerate(axis for axis in work.axes if isinstance(axis, Unknown))]
    measured = [np.asarray(columns[f"m{i}"], dtype=np.int64) for i in range(len(work.measures))]
    if unknown:
        labels = _labels(work, where, unknown)
        if work.ladder is not None:
            rungs = np.asarray(columns["rung"], dtype=np.int64) // work.ladder.width
            return _sorted(labels, rungs, measured[0])
        order = sorted(range(len(labels)), key=lambda place: [str(part) for part in labels[place]])
        values = np.array([measure[order] for measure in measured], dtype=np.int64).reshape(len(measured), len(order))
        return Totals(values=values, labels=tuple(labels[place] for place in order))
    if work.ladder is not None:
        values = np.zeros((work.ladder.size, cells), dtype=np.int64)
        values[np.asarray(columns["rung"], dtype=np.int64) // work.ladder.width, where] = measured[0]
        return Totals(values=values, labels=None)
    values = np.zeros((len(measured), cells), dtype=np.int64)
    for row, measure in zip(values, measured, strict=True):
        row[where] = measure
    return Totals(values=values, labels=None)


def _each(
    work: Work, where: NDArray[np.int64], columns: Mapping[str, Sequence[object] | NDArray[np.generic]]
) -> Totals:
    names = ["n", *(f"{kind}{i}" for i in range(len(work.measures)) for kind in "mc")]
    values = np.array([np.asarray(columns[name], dtype=np.int64) for name in names], dtype=np.int64)
    people = tuple(str(person) for person in columns["u"])
    return Totals(values=values.reshape(len(names), len(people)), labels=None, people=people, cells=where)


def _sorted(labels: list[tuple[Label, ...]], rungs: NDArray[np.int64], counts: NDArray[np.int64]) -> Totals:
    """The rungs that have rows, in one order on every engine."""
    order = sorted(range(len(labels)), key=lambda place: ([str(part) for part in labels[place]], int(rungs[place])))
    return Totals(values=counts[order][None, :], labels=tuple(labels[place] for place in order), rungs=rungs[order])


def _labels(
    work: Work, where: NDArray[np.int64], unknown: Sequence[Sequence[object] | NDArray[np.generic]]
) -> list[tuple[Label, ...]]:
    known = [axis for axis in work.axes if not isinstance(axis, Unknown)]
    rows: list[tuple[Label, ...]] = []
    for row, cell in enumerate(where.tolist()):
        places = iter(_unstacked(cell, [axis.size for axis in known]))
        values = iter([column[row] for column in unknown])
        rows.append(
            tuple(_plain(next(values)) if isinstance(axis, Unknown) else axis.label(next(places)) for axis in work.axes)
        )
    return rows


def _unstacked(cell: int, sizes: Sequence[int]) -> list[int]:
    places = []
    for size in reversed(sizes):
        cell, place = divmod(cell, size)
        places.append(place)
    return places[::-1]


def _plain(value: object) -> Label:
    if isinstance(value, bool | np.bool_):
        return bool(value)
    return int(value) if isinstance(value, int | np.integer) else str(value)
