"""Ask a sanitized copy, free for ever: sums and counts from its raw noisy counts, with intervals that hold."""

import base64
import json
import zlib
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

from banister import need
from banister.core.exact.numbers import Number
from banister.core.privacy.guarantee import Neighbours
from banister.errors import BadValue
from banister.publish.linear import half_width, linear_deviation
from banister.publish.noise import FixedTotal, PerCell, TableNoise
from banister.questions.reading.copies import CopyQuestion, read_copy_question
from banister.tables.columns import Kind
from banister.tables.domain import Attribute, Domain, Integers

_NO_RAW = (
    "It was written as .csv, by an older version, or over too many cells. Ask it with any tool; no interval is known."
)


@dataclass(frozen=True, slots=True)
class CopyAnswer:
    """One number: the unbiased estimate, its standard deviation, an interval, and what the repaired records say."""

    name: str
    value: float
    deviation: float
    low: float
    high: float
    repaired: float | None


@dataclass(frozen=True, slots=True)
class CopyRow:
    """The keys of a group, and its answers."""

    keys: tuple[object, ...]
    answers: tuple[CopyAnswer, ...]


@dataclass(frozen=True, slots=True)
class CopyAnswers:
    """What a copy says to one question; asking costs nothing, since the copy was paid for when it was made.

    >>> people = CopyAnswer("people", 41.0, 1.9, 36.2, 45.8, 41.0)
    >>> CopyAnswers((), (CopyRow((), (people,)),), 0.95, "epsilon = 1").rows[0].answers[0].value
    41.0
    """

    keys: tuple[str, ...]
    rows: tuple[CopyRow, ...]
    confidence: float
    guarantee: str


@dataclass(frozen=True, slots=True, eq=False)
class RawCopy:
    """What a published file keeps of its making: the domain, the noise, and the counts before repair."""

    domain: Domain
    types: dict[str, str]
    noise: TableNoise
    noisy: Integers


def ask(copy: str | Path, question: str, *, confidence: Number = "0.95") -> CopyAnswers:
    """Answer a question from the raw noisy counts of a sanitized .parquet file.

    The form is SELECT keys, COUNT(*), SUM(expression) FROM copy WHERE … GROUP BY keys. Values are unbiased, and each
    interval holds the number that the private cells give with at least the confidence. A cell of several values is
    asked at its middle: what a condition inside a bin, or a sum over binned values, is off by is in no interval.
    `repaired` is what the records of the file give: smoother, never negative, and biased.

    >>> import pandas as pd
    >>> from tempfile import TemporaryDirectory
    >>> from banister import Guarantee, Ledger, plan_sanitize, sanitize
    >>> from banister.tables.domain import Attribute, Domain
    >>> smokes = Attribute(name="smokes", kind=Kind.CATEGORY, values=("yes", "no"), nulls=False)
    >>> plan = plan_sanitize(Domain((smokes,)), epsilon=1, neighbours=Neighbours.REPLACE)
    >>> one = Guarantee(1)
    >>> book = Ledger.create("memory:", budget=one, neighbours=Neighbours.REPLACE, questions=[(one, 1)])
    >>> made, _ = sanitize(plan, pd.DataFrame({"smokes": ["yes"] * 40 + ["no"] * 60}), ledger=book)
    >>> with TemporaryDirectory() as folder:
    ...     made.write(f"{folder}/public.parquet")
    ...     found = ask(f"{folder}/public.parquet", "SELECT COUNT(*) AS people FROM copy")
    >>> found.rows[0].answers[0].value, found.rows[0].answers[0].high  # The total is exact.
    (100.0, 100.0)
    """
    path = Path(copy)
    raw, asked = read_raw(path), read_copy_question(question)
    return _answered(raw, asked, path, confidence)


def read_raw(path: Path) -> RawCopy:
    """The raw counts and the noise of a sanitized file, or a message that says why there are none."""
    from banister.tables.frames.cells import read_about

    if path.suffix.lower() != ".parquet":
        raise BadValue(f"'{path}' keeps no raw noisy counts. {_NO_RAW}")
    about = read_about(path)
    try:
        document = json.loads(about) if about else {}
        if "noisy" not in document:
            raise BadValue(f"'{path}' keeps no raw noisy counts. {_NO_RAW}")
        domain = Domain(tuple(_attribute(each) for each in document["attributes"]))
        noisy = np.frombuffer(zlib.decompress(base64.b64decode(document["noisy"])), dtype="<i8").astype(np.int64)
        noise = _noise(domain.cells, document)
        types = {str(name): str(kind) for name, kind in document["types"].items()}
    except (KeyError, TypeError, ValueError, zlib.error) as error:
        if isinstance(error, BadValue):
            raise
        raise BadValue(f"What '{path}' says about itself cannot be read: it was changed after it was made.") from error
    if noisy.size != domain.cells:
        raise BadValue(f"What '{path}' says about itself cannot be read: it was changed after it was made.")
    return RawCopy(domain, types, noise, noisy)


def _attribute(found: dict[str, object]) -> Attribute:
    edges = found["edges"]
    assert isinstance(edges, list)
    values = found["values"]
    assert isinstance(values, list)
    return Attribute(
        name=str(found["name"]),
        kind=Kind(found["kind"]),
        values=tuple(values),
        edges=range(*edges) if found["even"] and edges else tuple(edges),
        step=need.exact("step", str(found["step"])),
        nulls=bool(found["nulls"]),
    )


def _noise(cells: int, document: dict[str, object]) -> TableNoise:
    level, relation = need.exact("level", str(document["level"])), Neighbours(document["neighbours"])
    fixed = FixedTotal(cells=cells, epsilon=level)
    return fixed if document["noise"] == fixed.name else PerCell(cells=cells, epsilon=level, neighbours=relation)


def _answered(raw: RawCopy, asked: CopyQuestion, path: Path, confidence: Number) -> CopyAnswers:
    from banister.tables.frames.cells import asked_cells, asked_records

    keys, adds = [key for _, key in asked.keys], [each for _, each in asked.adds]
    places, labels, weights = asked_cells(raw.domain, raw.types, keys, asked.where, adds)
    repaired = asked_records(path, keys, asked.where, adds, counted="count" not in raw.domain.names)
    groups: dict[tuple[object, ...], list[int]] = {} if keys else {(): []}
    for place, label in enumerate(labels):
        groups.setdefault(label, []).append(place)
    rows = []
    for label in sorted(groups, key=lambda each: tuple(str(part) for part in each)):
        chosen = np.array(groups[label], dtype=np.int64)
        answers = []
        for column, (name, _) in enumerate(asked.adds):
            full = np.zeros(raw.noisy.size)
            full[places[chosen]] = weights[chosen, column]
            answers.append(_answer(name, raw, full, repaired.get(label, (None,) * len(adds))[column], confidence))
        rows.append(CopyRow(label, tuple(answers)))
    promise = f"epsilon = {raw.noise.epsilon}, {raw.noise.neighbours.value} neighbours"
    return CopyAnswers(tuple(name for name, _ in asked.keys), tuple(rows), float(Fraction(str(confidence))), promise)


def _answer(
    name: str,
    raw: RawCopy,
    weights: "np.ndarray[tuple[int], np.dtype[np.float64]]",
    repaired: float | None,
    sure: Number,
) -> CopyAnswer:
    value = float(weights @ raw.noisy)
    width = half_width(raw.noise, weights, confidence=sure)
    return CopyAnswer(name, value, linear_deviation(raw.noise, weights), value - width, value + width, repaired)
