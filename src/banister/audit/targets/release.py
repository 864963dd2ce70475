"""A whole release as an audit's target: schema, questions, engine, ledger, noise and what comes after it."""

import csv
import io
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from banister.audit.searching import searched_pairs
from banister.audit.targets.target import Pair, in_turns
from banister.errors import BadValue
from banister.files import whole_text
from banister.foreign import read_text
from banister.release.dataset import Dataset
from banister.release.dataset import open as open_schema
from banister.release.run import release

if TYPE_CHECKING:
    from banister.release.planning.plan import Plan
    from banister.release.work import Source


@dataclass(frozen=True, slots=True, eq=False)
class WholeRelease:
    """Questions that are released again and again, each time from the start, on tables that are made up.

    The schema's own table is never opened, and its ledger is not charged: one in memory is, and forgotten.
    """

    dataset: Dataset
    plan: "Plan"

    @classmethod
    def of_files(cls, schema: str, questions: str, *, epsilon: object, delta: object) -> "WholeRelease":
        """The release that `banister release SCHEMA QUESTIONS --epsilon … --delta …` would make."""
        if not questions:
            raise BadValue("A release is audited with its questions; name their file with --questions.")
        dataset = open_schema(schema)
        text = read_text(Path(questions), "questions in SQL")
        return cls(dataset, dataset.plan(text, epsilon=epsilon, delta=delta))  # type: ignore[arg-type]

    @property
    def starts_afresh(self) -> bool:
        return False

    def pairs(self) -> list[tuple[object, object]]:
        """Neighbours that the schema allows, where nobody names any."""
        return list(searched_pairs(self.dataset.schema))

    def draw(self, given: object, count: int) -> list[object]:
        with tempfile.TemporaryDirectory() as folder:
            source = self._made(given, Path(folder)).source()
            return [self._one(source) for _ in range(count)]

    def draw_both(self, pair: Pair, count: int) -> tuple[list[object], list[object]]:
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
            folders = (Path(one), Path(other))
            sources = [self._made(given, folder).source() for given, folder in zip(pair, folders, strict=True)]
            return in_turns(lambda side: self._one(sources[side]), count)

    def _one(self, source: "Source") -> object:
        with self.dataset.trial_ledger() as book:  # Of the table that the plan is about, whichever rows stand for it.
            drawn = release(self.plan, source, book)
        answers = {
            "/".join(map(str, (*labels, name))): float(values.values[place])
            for each in drawn.tables
            for place, labels in enumerate(each.labels)
            for name, values in each.answers.items()
        }
        return answers if len(answers) != 1 else next(iter(answers.values()))

    def _made(self, given: object, folder: Path) -> Dataset:
        """The same schema on a file of these rows; what is missing in them is an empty cell."""
        if not isinstance(given, list) or not all(isinstance(row, dict) for row in given):
            raise BadValue('A release is audited on tables: lists of rows, such as [[], [{"who": 1, "age": 40}]].')
        schema = self.dataset.schema
        table = replace(schema.main, location="made.csv", inner=None)
        names = [*([] if table.person is None else [table.person]), *(each.name for each in table.columns)]
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, list(dict.fromkeys(names)), extrasaction="ignore")
        writer.writeheader()
        writer.writerows(given)
        whole_text(folder / "made.csv", text.getvalue())
        return Dataset(replace(schema, tables=(table,)), folder=folder, frames={})
