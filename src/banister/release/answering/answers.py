"""The answers of a release, as a user holds them."""

import math
from collections.abc import Iterator
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING

from banister.accounting.book import Remaining
from banister.core.privacy.guarantee import Guarantee
from banister.errors import BadValue
from banister.questions.question import Label
from banister.questions.reading.naming import ADJUSTED, ends
from banister.release.planning.plan import Plan
from banister.release.run import AnswerTable, Released
from banister.tables.reading import Day

if TYPE_CHECKING:
    from banister.accounting.kept import KeptRequest
    from banister.mechanisms.integers.decoder import Aim
    from banister.release.answering.picture import AnswersPicture
    from banister.tables.frames.write import ArrowTable, DataFrame, PolarsFrame

Row = dict[str, Label | float]
Interval = tuple[Day | float, Day | float]


class Answers:
    """Noisy answers with intervals. Everything in here may be published; nothing else was kept.

    >>> from tempfile import TemporaryDirectory
    >>> from banister.release.dataset import open
    >>> from banister.release.demo import write_demo
    >>> with TemporaryDirectory() as folder:
    ...     dataset = open(write_demo(folder)[1])
    ...     answers = dataset.release(dataset.plan("SELECT plan, COUNT(*) FROM data GROUP BY plan", epsilon=1))
    >>> [row["plan"] for row in answers.table], len(answers.intervals)
    (['free', 'shared', 'deductible'], 3)
    """

    __slots__ = ("budget", "head", "new_ledger", "non_negative", "plan", "proof", "remaining", "tables")

    def __init__(
        self,
        released: Released,
        remaining: Remaining,
        budget: Guarantee,
        *,
        head: str,
        new_ledger: str | None = None,
    ) -> None:
        self.plan: Plan = released.plan
        self.tables: tuple[AnswerTable, ...] = released.tables
        self.proof = released.proof
        self.non_negative = released.non_negative
        self.remaining = remaining
        self.budget = budget
        self.head = head
        """Number and hash of the ledger's last line: kept elsewhere, it shows that the ledger was not rolled back."""
        self.new_ledger = new_ledger
        """The address of the ledger, if this release was the first and made it."""

    def kept_under(self, key: str) -> "KeptRequest":
        """What was asked, as it is kept under a key."""
        from banister.release.answering.keeping import kept_request

        return kept_request(self.plan, key, non_negative=self.non_negative)

    @property
    def table(self) -> list[Row]:
        """The answers to the one question, a row per cell. For one of several questions: `answers[1].table`."""
        return self._only("table").table

    @property
    def intervals(self) -> list[dict[str, Label | Interval]]:
        """The intervals of the one question, a row per cell. For one of several questions: `answers[1].intervals`."""
        return self._only("intervals").intervals

    def __len__(self) -> int:
        """How many questions were answered."""
        return len(self.tables)

    def __getitem__(self, place: int) -> "OneAnswer":
        """The answers to one question, counted from 0 in the order in which they were asked."""
        if not isinstance(place, int) or not -len(self) <= place < len(self):
            raise BadValue(
                f"There is no question {place!r}: {len(self)} were answered, from answers[0] to "
                f"answers[{len(self) - 1}]."
            )
        return OneAnswer(self.tables[place])

    def __iter__(self) -> Iterator["OneAnswer"]:
        return (OneAnswer(table) for table in self.tables)

    def _only(self, name: str) -> "OneAnswer":
        """The one question; refuses where there are several, so that nobody takes the first for all of them."""
        if len(self) > 1:
            raise BadValue(
                f"{len(self)} questions were answered, so `answers.{name}` would have to leave some out. Say which: "
                f"`answers[0].{name}` to `answers[{len(self) - 1}].{name}`, or go through them: `for one in answers`."
            )
        return self[0]

    def decoded(self, aim: "Aim") -> "Answers":
        """The same, each count said as well as its noise allows when it lies between 0 and the schema's `people`.

        `aim` is "average", for counts that are alike likely, or "worst". It costs nothing, and is told in `adjusted`.
        """
        from banister.release.answering.decoding import decoded_tables

        said = copy(self)
        said.tables = decoded_tables(self.plan, self.tables, aim)
        return said

    def write(self, path: str | Path, *, for_spreadsheets: bool = False) -> list[Path]:
        """Write a .csv, .parquet or .json file, whole or not at all; several questions become several files.

        For spreadsheets, texts in a .csv file that they would take for formulas get an apostrophe before them.
        """
        from banister.tables.frames.write import write_tables

        columns = [columns_of(table) for table in self.tables]
        return write_tables(Path(path), columns, for_spreadsheets=for_spreadsheets)

    def report(self, path: str | Path) -> Path:
        """Write a page that needs nothing else: answers, charts, the guarantee in words, the plan, what is left."""
        from banister.release.answering.report import write_report

        return write_report(self, Path(path))

    def plot(self) -> "AnswersPicture":
        """A picture of all answers with their intervals; a notebook shows it, `.save("answers.html")` writes it."""
        from banister.release.answering.picture import AnswersPicture, charts_of

        both = zip(self.tables, self.plan.parts, strict=True)
        charts = [charts_of(table, part, self.plan.confidence) for table, part in both]
        return AnswersPicture([chart for each in charts for chart in each])

    def to_pandas(self) -> "DataFrame":
        """The answers and intervals of the one question as a pandas table; of several: `answers[1].to_pandas()`."""
        return self._only("to_pandas()").to_pandas()

    def to_polars(self) -> "PolarsFrame":
        """The answers and intervals of the one question as a Polars table."""
        return self._only("to_polars()").to_polars()

    def to_arrow(self) -> "ArrowTable":
        """The answers and intervals of the one question as an Arrow table."""
        return self._only("to_arrow()").to_arrow()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The Arrow capsule, by which other libraries take the answers without a copy."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def _repr_html_(self) -> str:
        from banister.release.notebook import answers_html

        return answers_html(self)

    def __repr__(self) -> str:
        return f"Answers({sum(len(table) for table in self.tables)} cells, {self.plan.guarantee})"


class OneAnswer:
    """The answers to one question of a release."""

    __slots__ = ("found",)

    def __init__(self, found: AnswerTable) -> None:
        self.found = found

    @property
    def table(self) -> list[Row]:
        """The answers, a row per cell."""
        return [row_of(self.found, place) for place in range(len(self.found))]

    @property
    def intervals(self) -> list[dict[str, Label | Interval]]:
        """The intervals, a row per cell."""
        table = self.found
        rows: list[dict[str, Label | Interval]] = []
        for place, labels in enumerate(table.labels):
            row: dict[str, Label | Interval] = dict(zip(table.names, labels, strict=True))
            for name, found in table.answers.items():
                row[name] = (table.read(name, found.low[place]), table.read(name, found.high[place]))
            rows.append(row)
        return rows

    def to_pandas(self) -> "DataFrame":
        """The answers and intervals as a pandas table."""
        from banister.tables.frames.write import to_pandas

        return to_pandas(columns_of(self.found))

    def to_polars(self) -> "PolarsFrame":
        """The answers and intervals as a Polars table."""
        from banister.tables.frames.write import to_polars

        return to_polars(columns_of(self.found))

    def to_arrow(self) -> "ArrowTable":
        """The answers and intervals as an Arrow table."""
        from banister.tables.frames.write import to_arrow

        return to_arrow(columns_of(self.found))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The Arrow capsule, by which other libraries take the answers without a copy."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def _repr_html_(self) -> str:
        from banister.release.notebook import table_html

        return table_html(self.found)

    def __repr__(self) -> str:
        return f"OneAnswer({len(self.found)} cells of {', '.join(self.found.columns)})"


def row_of(table: AnswerTable, place: int) -> Row:
    """The values of one cell, in the order of the question."""
    labels = dict(zip(table.names, table.labels[place], strict=True))
    row: Row = {}
    for name in table.columns:
        if name in labels:
            row[name] = labels[name]
        else:
            value = table.answers[name].values[place]
            row[name] = int(value) if name in table.whole else _or_missing(table.read(name, value))
    return row


def _or_missing(value: Day | float) -> Day | float | None:
    """Nothing in the place of a number that is none: a quotient by 0, or the end of an interval that has no end."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def columns_of(table: AnswerTable) -> dict[str, list[Label | float]]:
    """Columns for a file: labels, for each answer its value, low and high, and what was done after the draw."""
    columns: dict[str, list[Label | float]] = {}
    for name in table.columns:
        if name in table.names:
            position = table.names.index(name)
            columns[name] = [labels[position] for labels in table.labels]
            continue
        found = table.answers[name]
        columns[name] = [int(v) if name in table.whole else _or_missing(table.read(name, v)) for v in found.values]
        for end, values in zip(ends(name), (found.low, found.high), strict=True):
            columns[end] = [_or_missing(table.read(name, v)) for v in values]
    if table.consistent or table.decoded or table.raised is not None:
        columns[ADJUSTED] = [table.adjusted(place) for place in range(len(table))]
    return columns
