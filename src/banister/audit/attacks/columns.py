"""Numbers that can be read off an output: itself, its parts, their sum and differences, its length."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from banister.audit.attacks.bounds import Floats
from banister.audit.attacks.event import Outputs, of_numbers

_MOST_PARTS = 12
_MOST_PAIRED = 4
_LOOKED_AT = 2000


@dataclass(frozen=True, slots=True)
class ReadNumber:
    """One number of every output; where an output has none, it is not a number."""

    words: str
    read: Callable[[object], float]
    of_rows: Callable[[Floats], Floats]
    """The same for an array with an output in each row, all at once."""

    def of(self, outputs: Outputs) -> Floats:
        if of_numbers(outputs, parts=False):
            return np.asarray(outputs, dtype=float) if self.words == "the answer" else np.full(len(outputs), np.nan)
        if of_numbers(outputs, parts=True):
            return np.asarray(self.of_rows(np.asarray(outputs)), dtype=float)
        return np.array([self.read(each) for each in outputs], dtype=float)


def number(value: object) -> float:
    """The value as a double, when it is a number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return float("nan")
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def columns(first: Outputs, second: Outputs) -> list[ReadNumber]:
    """The numbers that some of the outputs have."""
    seen = [*first[:_LOOKED_AT], *second[:_LOOKED_AT]]
    if of_numbers(first, parts=False):
        return [_WHOLE]
    found = [_WHOLE] if any(number(each) == number(each) for each in seen) else []
    length = max((len(each) for each in seen if isinstance(each, list | np.ndarray)), default=0)
    keys = sorted({key for each in seen if isinstance(each, dict) for key in each})[:_MOST_PARTS]
    parts = [_part(place) for place in [*range(min(length, _MOST_PARTS)), *keys]]
    pairs = [_difference(*two) for two in combinations(parts, 2)] if len(parts) <= _MOST_PAIRED else []
    texts = any(isinstance(each, str | list | dict | np.ndarray) for each in seen)
    return [*found, *parts, *pairs, *([_SUM] if parts else []), *([_LENGTH] if texts else [])]


def _part(place: object) -> ReadNumber:
    def read(value: object) -> float:
        if isinstance(value, dict):
            return number(value.get(place))
        inside = isinstance(value, list) and isinstance(place, int) and place < len(value)
        return number(value[place]) if inside else float("nan")  # type: ignore[index]

    words = f"part {place!r} of the answer"
    return ReadNumber(words, read, lambda rows: rows[:, place])  # type: ignore[index]


def _difference(one: ReadNumber, other: ReadNumber) -> ReadNumber:
    words = f"{one.words.removesuffix(' of the answer')} minus {other.words}"
    return ReadNumber(
        words,
        lambda value: one.read(value) - other.read(value),
        lambda rows: one.of_rows(rows).astype(float) - other.of_rows(rows).astype(float),
    )


def _sum(value: object) -> float:
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return float(sum(number(each) for each in parts)) if parts else float("nan")


def _length(value: object) -> float:
    return float(len(value)) if isinstance(value, str | list | dict) else float("nan")


def _none(rows: Floats) -> Floats:
    return np.full(len(rows), np.nan)


_WHOLE = ReadNumber("the answer", number, _none)
_SUM = ReadNumber("the sum of the answer", _sum, lambda rows: rows.sum(axis=1, dtype=float))
_LENGTH = ReadNumber("the length of the answer", _length, lambda rows: np.full(len(rows), float(rows.shape[1])))
