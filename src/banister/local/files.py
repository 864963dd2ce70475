"""Surveys in files: priors and hypotheses in, channel files, answers and reports as CSV."""

import csv
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import hexdigits
from typing import cast

import numpy as np

from banister.core.programs.linear import Floats
from banister.errors import BadValue
from banister.files import whole, whole_text
from banister.foreign import read_json, read_rows
from banister.local.channels.base import Channel, Json, Reports, Values
from banister.local.document import Survey, read_document, write_document
from banister.sampling.bits import SYSTEM, BitSource

MOST_BYTES = 1 << 30
"""Of a file of answers or reports: some 40 million of them."""
_HASH_DIGITS = 16
_MOST_DIGITS = 18
_REPORT_HEADER = ["channel", "report"]


def read_laws(path: Path, columns: int) -> tuple[list[str], list[Floats]]:
    """Category labels and one or more laws, from a CSV with a header: category, probability (, probability)."""
    rows = _rows(path)
    if not rows or any(len(row) != columns + 1 for row in rows):
        wanted = "category" + ",probability" * columns
        raise BadValue(f"{path} must be a CSV with the columns {wanted}, one row per category, after a header line.")
    try:
        numbers = np.array([[float(cell) for cell in row[1:]] for row in rows[1:]])
    except ValueError:
        raise BadValue(f"{path} has a probability that is not a number.") from None
    labels = [row[0] for row in rows[1:]]
    if len(labels) < 2 or len(set(labels)) != len(labels):
        raise BadValue(f"{path} must have at least two categories, each once.")
    return labels, [numbers[:, i] for i in range(columns)]


@dataclass(frozen=True, slots=True, eq=False)
class NamedLaws:
    """The columns of a CSV file of laws, with the names that its header gives them."""

    path: Path
    labels: list[str]
    names: list[str]
    columns: list[Floats]

    def exactly(self, count: int) -> list[Floats]:
        """All columns, where there are so many."""
        if len(self.columns) != count:
            raise BadValue(
                f"{self.path} has {len(self.columns)} columns of numbers after the category; {count} are needed here."
            )
        return self.columns

    def named(self, names: str) -> list[Floats]:
        """The columns of these names, which are joined by commas."""
        wanted = [name.strip() for name in names.split(",") if name.strip()]
        for name in wanted:
            if name not in self.names:
                raise BadValue(f"{self.path} has no column '{name}'; it has {', '.join(self.names)}.")
        if not wanted:
            raise BadValue(f"Name one column of {self.path} or more on each side: {', '.join(self.names)}.")
        return [self.columns[self.names.index(name)] for name in wanted]


def read_named_laws(path: Path) -> NamedLaws:
    """Category labels and as many columns of numbers as there are, by the names in the header."""
    rows = _rows(path)
    width = len(rows[0]) - 1 if rows else 0
    if width < 1:
        raise BadValue(f"{path} must be a CSV with a header: category, and a name for each column of probabilities.")
    labels, columns = read_laws(path, width)
    return NamedLaws(path, labels, [name.strip() for name in rows[0][1:]], columns)


def read_matrix(path: Path) -> Floats:
    """A CSV file of numbers alone, without a header: rows of one length."""
    rows = _rows(path)
    try:
        found = np.array([[float(cell) for cell in row] for row in rows], dtype=np.float64)
    except ValueError:
        raise BadValue(f"{path} must be a CSV of numbers without a header, all rows of one length.") from None
    if found.ndim != 2 or not found.size:
        raise BadValue(f"{path} must be a CSV of numbers without a header, all rows of one length.")
    return found


def read_labels(path: Path) -> list[str]:
    """Category labels: the first column of a CSV with a header, such as a file of probabilities."""
    labels = [row[0] for row in _rows(path)[1:]]
    if len(labels) < 2 or len(set(labels)) != len(labels):
        raise BadValue(f"{path} must have at least two categories, each once, one a line after a header line.")
    return labels


def write_survey(path: Path, survey: Survey) -> None:
    """The channel file: format version, level, hash, every number of the channel, and the labels."""
    whole_text(path, json.dumps(write_document(survey)) + "\n")


def read_survey(path: Path) -> Survey:
    """A channel file, checked: a client calls this before it answers."""
    return read_document(cast(Json, read_json(path, "a channel file", infinite=True)))


def respond_in_files(survey: Survey, answers: Path, reports: Path, bits: BitSource = SYSTEM) -> int:
    """Randomize each answer of a file (one per line, after a header) into a file of reports; gives their number."""
    known = read_answers(survey, answers)
    drawn = Reports(survey.identity, survey.channel.respond(np.array(known), bits).values)
    write_reports(reports, survey.channel, drawn)
    return len(known)


def read_answers(survey: Survey, answers: Path) -> list[int]:
    """The answers of a file, by their places among the labels. Nothing is drawn."""
    rows = _rows(answers)
    if rows and rows[0][0] in survey.labels:
        raise BadValue(f"The first line of {answers} is an answer; it must be a header, such as: answer.")
    rows = rows[1:]
    place = {label: x for x, label in enumerate(survey.labels)}
    known = [place.get(row[0], -1) if len(row) == 1 else -1 for row in rows]
    unknown = known.count(-1)
    if unknown or not known:
        shown = ", ".join(survey.labels[:8]) + (", ..." if len(survey.labels) > 8 else "")
        raise BadValue(
            f"{unknown} of {len(known)} answers in {answers} are not among the categories of the channel: {shown}. "
            "The file needs a header line and one answer per line."
        )
    return known


def write_reports(path: Path, channel: Channel, reports: Reports) -> None:
    """One line per report, each with the first digits of its channel's hash, so that files may be put together."""
    name = reports.channel[:_HASH_DIGITS]

    def write(temporary: Path) -> None:
        with temporary.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(_REPORT_HEADER)
            writer.writerows((name, text) for text in _texts(channel, reports.values))

    whole(path, write)


@dataclass(frozen=True, slots=True, eq=False)
class Gathered:
    """The reports of one channel in one or more files, and how many lines were set aside."""

    reports: Reports
    malformed: int
    foreign: int

    @property
    def aside(self) -> str:
        """What was set aside, in words; empty where nothing was."""
        told = [
            f"{count:,} {what} set aside."
            for count, what in (
                (self.malformed, "lines that are no reports of this channel are"),
                (self.foreign, "reports of another channel are"),
            )
            if count
        ]
        return " ".join(told)


def read_reports(path: Path, survey: Survey) -> Reports:
    """The reports of a file; lines that are none of this survey are set aside."""
    return gather_reports([path], survey).reports


def gather_reports(paths: Sequence[Path], survey: Survey) -> Gathered:
    """The reports of several files, or of files that were put together: a header may stand anywhere.

    Anybody can send a line that is no report, so one such line does not stop the others from being counted.
    """
    channel = survey.channel
    name, texts, malformed, foreign = survey.identity[:_HASH_DIGITS], list[str](), 0, 0
    for path in paths:
        rows = _rows(path)
        if not rows or rows[0] != _REPORT_HEADER:
            raise BadValue(f"{path} must be a CSV with the columns {','.join(_REPORT_HEADER)}, as `respond` writes it.")
        lines = [row for row in rows if row != _REPORT_HEADER]
        pairs = [row for row in lines if len(row) == 2]
        own = [row[1] for row in pairs if row[0] == name]
        malformed, foreign = malformed + len(lines) - len(pairs), foreign + len(pairs) - len(own)
        texts += own
    values = [value for text in texts if (value := _value(channel, text)) is not None]
    malformed += len(texts) - len(values)
    if not values:
        where = ", ".join(map(str, paths))
        if foreign:
            raise BadValue(
                f"{foreign} of {foreign + malformed} reports in {where} come from another channel (this one is "
                f"{name}). Decode them with the channel that made them."
            )
        raise BadValue(f"{where} has no report that this channel can have made; {malformed} lines were set aside.")
    return Gathered(Reports(channel.hash, np.array(values, dtype=np.int64)), malformed, foreign)


def _texts(channel: Channel, values: Values) -> Iterable[str]:
    if channel.packed:
        return (row.tobytes().hex() for row in values)
    return map(str, values.tolist())


def _value(channel: Channel, text: str) -> int | list[int] | None:
    """The report that a text says, or None where this channel makes no such report."""
    if not channel.packed:
        value = int(text) if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS else -1
        return value if 0 <= value < channel.outputs and str(value) == text else None
    words = -(-channel.categories // 64)
    if len(text) != 16 * words or not all(digit in hexdigits for digit in text):
        return None
    row = np.frombuffer(bytes.fromhex(text), dtype=np.int64)
    try:
        channel.checked(row[None, :])
    except BadValue:  # A bit beyond the last category.
        return None
    return [int(word) for word in row]


def _rows(path: Path) -> list[list[str]]:
    return read_rows(path, "a CSV file", most_bytes=MOST_BYTES)
