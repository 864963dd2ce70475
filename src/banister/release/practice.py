"""A table to practise on: made from the schema alone, so that a question can be written and tried for nothing.

No record is read, and nothing about one is in it: each value is drawn evenly from what the schema declares, by a stream
that the schema itself fixes. What the schema tells (ranges, lists of values, a number of people) it tells too: where an
owner looked those up in the table, the practice table shows what she looked up, and nothing more.
"""

import hashlib
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from banister import need
from banister.tables.schema import Column, Kind, Schema, Table

if TYPE_CHECKING:
    from banister.release.answering.answers import Answers
    from banister.release.dataset import Dataset
    from banister.release.planning.plan import Plan

PEOPLE = 1000
"""How many people are made up where nobody says."""
MISSING = 20
"""One value in so many is missing where the schema does not promise that none is."""
NOT_DECLARED = ("one", "another", "a third")
"""What stands in a category whose values the schema does not list."""
WORDS = (
    "This table was made from the schema alone: no record was read for it, and its numbers mean nothing. Ranges and "
    "values are as the schema declares them; if its owner looked those up in the table, that is what they show."
)


def practice_frames(schema: Schema, *, people: int = PEOPLE) -> dict[str, dict[str, NDArray[np.generic]]]:
    """The rows of every table of a schema, column by column, as DuckDB takes them."""
    count = need.whole("people", people, least=1, most=1_000_000)
    return {table.name: _table(schema, table, count) for table in schema.tables}


class Practice:
    """Made-up rows behind a true schema: plans are those of the table itself, answers are free and mean nothing.

    >>> from tempfile import TemporaryDirectory
    >>> from banister.release.dataset import open
    >>> from banister.release.demo import write_demo
    >>> with TemporaryDirectory() as folder:
    ...     table = open(write_demo(folder)[1])
    >>> len(table.practice().release(table.plan("SELECT plan, COUNT(*) FROM data GROUP BY plan", epsilon=1)).table)
    3
    """

    __slots__ = ("_made", "words")

    def __init__(self, dataset: "Dataset", *, people: int = PEOPLE) -> None:
        from banister.release.dataset import Dataset

        frames = practice_frames(dataset.schema, people=people)
        self._made = Dataset(dataset.schema, folder=dataset.folder, frames=frames)
        self.words = WORDS
        """What the table is, and what it is not."""

    def release(self, plan: "Plan", *, non_negative: bool = False) -> "Answers":
        """Draw the answers to a plan from made-up rows. A ledger in memory is charged and forgotten."""
        with self._made.trial_ledger() as trial:
            return self._made.release(plan, ledger=trial, non_negative=non_negative)


def _table(schema: Schema, table: Table, people: int) -> dict[str, NDArray[np.generic]]:
    own = dict.fromkeys([*([] if table.owner is None else [table.owner]), *table.links])
    seed = repr((table.name, replace(schema, ledger=None, budget=None)))
    each = 1 if table.person is None else min(schema.rows or 3, 3)
    rows = people * each
    found: dict[str, NDArray[np.generic]] = {name: np.repeat(np.arange(1, people + 1), each) for name in own}
    for column in table.columns:
        if column.name not in own:
            found[column.name] = _values(column, _words(f"{seed}\n{column.name}", rows))
    return found


def _words(seed: str, count: int) -> NDArray[np.uint64]:
    """Numbers that the seed alone decides."""
    stream = hashlib.shake_256(seed.encode()).digest(8 * count)
    return np.frombuffer(stream, dtype="<u8")


def _values(column: Column, words: NDArray[np.uint64]) -> NDArray[np.generic]:
    absent = words % np.uint64(MISSING) == 0 if column.nulls else np.zeros(len(words), dtype=bool)
    places = words >> np.uint64(8)
    if column.kind is Kind.CATEGORY:
        values = column.values or NOT_DECLARED
        chosen = [values[int(place)] for place in places % np.uint64(len(values))]
        return np.array([None if gone else value for value, gone in zip(chosen, absent, strict=True)], dtype=object)
    low, high = column.units
    steps = [low + int(place) % (high - low + 1) for place in places]
    if column.kind is Kind.DATE:
        days = np.array(steps, dtype="datetime64[D]").astype("datetime64[s]")
        days[absent] = np.datetime64("NaT")
        return days
    if column.kind is Kind.TIMESTAMP:
        days = np.array(steps, dtype="datetime64[s]")
        days[absent] = np.datetime64("NaT")
        return days
    numbers = np.array([float(step * Fraction(column.step)) for step in steps])
    if column.kind is Kind.INTEGER and not column.nulls:
        return numbers.astype(np.int64)
    numbers[absent] = np.nan
    return numbers
