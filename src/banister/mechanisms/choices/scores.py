"""Scores of candidates as exact numbers: how far each is behind the best. Higher is better, everywhere in the house."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from banister.core.exact.numbers import Number
from banister.errors import BadValue

Floats = NDArray[np.float64]
ScoresLike = Sequence[Number] | NDArray[np.generic]

LARGEST_SCORE = 2.0**1000
_KINDS = (np.float16, np.float32, np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Many scores, as an array of integers, of doubles, or of Python's fractions."""

    values: NDArray[np.generic]

    @classmethod
    def of(cls, scores: ScoresLike) -> "Scores":
        """Scores from a list or an array; refused where one is not a finite number. No message shows a score."""
        if isinstance(scores, np.ma.MaskedArray):
            raise BadValue("The scores are a masked array. Leave masked candidates out, and give a plain array.")
        try:
            values = np.asarray(scores)
        except ValueError:
            raise BadValue("The scores are rows of different lengths. Give one score for each candidate.") from None
        if values.ndim != 1 or not values.size:
            raise BadValue(
                f"The scores have the shape {values.shape}. Give one score for each candidate, at least one."
            )
        if values.dtype == object:
            return cls(_fractions(values))
        if values.dtype.type in _KINDS:
            wide = values.astype(np.float64)
            _refuse(~(np.abs(wide) <= LARGEST_SCORE))
            return cls(wide)
        if np.issubdtype(values.dtype, np.integer):
            return cls(values)
        raise BadValue(f"The scores are of type {values.dtype}. Give whole numbers, doubles or fractions.")

    def exact(self, place: int) -> Fraction:
        """The score at one place, exactly."""
        return Fraction(self.values[place].item() if self.values.dtype != object else self.values[place])

    def best(self) -> int:
        """A place with the highest score."""
        return int(np.argmax(self.values))

    def behind(self) -> Floats:
        """How far each is behind the best, to within a rounding of the exact difference."""
        top = self.values[self.best()]
        if self.values.dtype == object:
            return np.array([float(top - x) for x in self.values], dtype=np.float64)
        if np.issubdtype(self.values.dtype, np.integer):
            # Modulo 2^64 the difference is exact, whatever the signs.
            wrapped = self.values.astype(np.uint64)
            return np.asarray(wrapped[self.best()] - wrapped, dtype=np.float64)
        return np.asarray(top - self.values, dtype=np.float64)

    def weights(self, rate: Fraction) -> Floats:
        """e^(-rate · behind) for each, in doubles with an error below 2^-50."""
        with np.errstate(over="ignore"):  # Beyond the largest double the weight is 0 to any number of digits.
            return np.asarray(np.exp(-float(rate) * self.behind()), dtype=np.float64)

    def gap(self, place: int) -> Fraction:
        """The same for one place, exactly."""
        return self.exact(self.best()) - self.exact(place)

    def levels(self, width: Fraction, offset: Fraction) -> "Scores":
        """⌈score/width + offset⌉ for each, exactly: which of many equal steps the score lies on."""
        if np.issubdtype(self.values.dtype, np.integer):
            return Scores(_whole_levels(self.values, width, offset))
        if self.values.dtype == object:
            return Scores(np.array([math.ceil(x / width + offset) for x in self.values.tolist()], dtype=object))
        return Scores(_float_levels(self.values.astype(np.float64), width, offset))


def _whole_levels(values: NDArray[np.generic], width: Fraction, offset: Fraction) -> NDArray[np.generic]:
    """In whole numbers: value/width + offset = (value · times + plus) / over."""
    times, over = width.denominator * offset.denominator, width.numerator * offset.denominator
    plus = offset.numerator * width.numerator
    largest = max(abs(int(values.min())), abs(int(values.max())))
    fits = largest * times + plus + over < 1 << 62
    whole = values.astype(np.int64) if fits else values.astype(object)
    return np.asarray(-((-whole * times - plus) // over))


def _float_levels(values: Floats, width: Fraction, offset: Fraction) -> NDArray[np.generic]:
    """In doubles where they are certain, in fractions on the close calls."""
    with np.errstate(over="ignore"):
        nearly = values / float(width) + float(offset)
    if not np.all(np.abs(nearly) < 2.0**50):
        return np.array([math.ceil(Fraction(x) / width + offset) for x in values.tolist()], dtype=object)
    margin = 2.0**-50 * (1 + np.abs(nearly))
    levels = np.ceil(nearly - margin).astype(np.int64)
    close = np.flatnonzero(levels != np.ceil(nearly + margin))
    if close.size:
        distinct, back = np.unique(values[close], return_inverse=True)
        exact = [math.ceil(Fraction(x) / width + offset) for x in distinct.tolist()]
        levels[close] = np.array(exact, dtype=np.int64)[back]
    return levels


def _fractions(values: NDArray[np.generic]) -> NDArray[np.generic]:
    exact = np.empty(values.size, dtype=object)
    bad = np.zeros(values.size, dtype=np.bool_)
    for place, value in enumerate(values.tolist()):
        try:
            exact[place] = Fraction(value)
            bad[place] = not abs(exact[place]) <= LARGEST_SCORE or isinstance(value, bool)
        except (TypeError, ValueError, OverflowError, ZeroDivisionError):
            bad[place] = True
    _refuse(bad)
    return exact


def _refuse(bad: NDArray[np.bool_]) -> None:
    places = np.flatnonzero(bad)
    if places.size:
        raise BadValue(
            f"The score at position {places[0]} is not a finite number of at most 2^1000. Decide what a missing score "
            "stands for before choosing; nothing was drawn."
        )
