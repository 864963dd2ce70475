"""Surveys in files: priors and hypotheses in, channel files, answers and reports as CSV."""

import csv
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from banister.core.programs.linear import Floats
from banister.errors import BadValue
from banister.files import whole, whole_text
from banister.local.channels.base import Channel, Json, Reports, Values
from banister.local.document import read_document, write_document
from banister.sampling.bits import SYSTEM, BitSource

_HASH_DIGITS = 16
_REPORT_HEADER = ["channel", "report"]


@dataclass(frozen=True, slots=True, eq=False)
class Survey:
    """A channel and the words for its categories."""

    channel: Channel
    labels: list[str]


def read_laws(path: Path, columns: int) -> tuple[list[str], list[Floats]]:
    """Category labels and one or more laws, from a CSV with a header: category, probability (, probability)."""
    rows = _rows(path)
    if not rows or any(len(row) != columns + 1 for row in rows):
        wanted = "category" + ",probability" * columns
        raise BadValue(f"{path} must be a CSV with the columns {wanted}, one row a category, after a header line.")
    try:
        numbers = np.array([[float(cell) for cell in row[1:]] for row in rows[1:]])
    except ValueError:
        raise BadValue(f"{path} has a probability that is not a number.") from None
    labels = [row[0] for row in rows[1:]]
    if len(labels) < 2 or len(set(labels)) != len(labels):
        raise BadValue(f"{path} must have at least two categories, each once.")
    return labels, [numbers[:, i] for i in range(columns)]


def write_survey(path: Path, survey: Survey) -> None:
    """The channel file: format version, level, hash, every number of the channel, and the labels."""
    whole_text(path, json.dumps(write_document(survey.channel, survey.labels)) + "\n")


def read_survey(path: Path) -> Survey:
    """A channel file, checked: a client calls this before it answers."""
    try:
        document: Json = json.loads(_text(path))
    except json.JSONDecodeError:
        raise BadValue(f"{path} is not a channel file: it is not JSON.") from None
    return Survey(*read_document(document))


def respond_in_files(survey: Survey, answers: Path, reports: Path, bits: BitSource = SYSTEM) -> int:
    """Randomize each answer of a file (one a line, after a header) into a file of reports; gives their number."""
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
            "The file needs a header line and one answer a line."
        )
    write_reports(reports, survey.channel, survey.channel.respond(np.array(known), bits))
    return len(known)


def write_reports(path: Path, channel: Channel, reports: Reports) -> None:
    """One line a report, each with the first digits of its channel's hash, so that files may be put together."""
    name = reports.channel[:_HASH_DIGITS]

    def write(temporary: Path) -> None:
        with temporary.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(_REPORT_HEADER)
            writer.writerows((name, text) for text in _texts(channel, reports.values))

    whole(path, write)


def read_reports(path: Path, channel: Channel) -> Reports:
    """The reports of a file, if all of them are from the channel."""
    rows = _rows(path)
    if not rows or rows[0] != _REPORT_HEADER or any(len(row) != 2 for row in rows):
        raise BadValue(f"{path} must be a CSV with the columns {','.join(_REPORT_HEADER)}, as `respond` writes it.")
    others = sum(row[0] != channel.hash[:_HASH_DIGITS] for row in rows[1:])
    if others:
        raise BadValue(
            f"{others} of {len(rows) - 1} reports in {path} come from another channel (this one is "
            f"{channel.hash[:_HASH_DIGITS]}). Decode them with the channel that made them."
        )
    return Reports(channel.hash, _values(path, channel, [row[1] for row in rows[1:]]))


def _texts(channel: Channel, values: Values) -> Iterable[str]:
    if channel.packed:
        return (row.tobytes().hex() for row in values)
    return map(str, values.tolist())


def _values(path: Path, channel: Channel, texts: list[str]) -> Values:
    try:
        if channel.packed:
            return np.frombuffer(bytes.fromhex("".join(texts)), dtype=np.int64).reshape(
                len(texts), -(-channel.categories // 64)
            )
        return np.array([int(text) for text in texts], dtype=np.int64)
    except (ValueError, OverflowError):
        raise BadValue(f"{path} has a report that this channel cannot have made.") from None


def _rows(path: Path) -> list[list[str]]:
    return [row for row in csv.reader(_text(path).splitlines()) if row]


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise BadValue(f"{path} does not exist.") from None
    except (UnicodeDecodeError, IsADirectoryError):
        raise BadValue(f"{path} is not a text file.") from None
