"""What an aggregate is: how it is asked for, what it measures, how it is answered, and what to expect of it.

An aggregate is one file in this folder and one line in `ALL`. It is a frozen value that answers every question below;
what is forgotten is noticed by the type checker, and by Python when the value is made.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from banister.questions.measures import Measure
from banister.questions.question import Rungs
from banister.questions.terms import Quantity, Unit
from banister.release.answering.combine import NoiseSpread, half_width

if TYPE_CHECKING:
    from banister.questions.reading.calls import Call
    from banister.release.aggregates.board import Board

Floats = NDArray[np.float64]
Slopes = Sequence[tuple[int, float]]
"""For each measure, by its place, how far an answer moves with it."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One measure that an answer is made of, by its place: each of its units is a `step`, counted from a `middle`."""

    place: int
    step: Fraction = Fraction(1)
    middle: Fraction = Fraction(0)
    behind: str = ""
    """What it is to the answer, in words; empty for a count, which speaks for itself."""


@dataclass(frozen=True, slots=True)
class RankChoice:
    """An answer that is chosen: the rung of a ladder below which that part of the rows lie."""

    axis: Rungs
    order: Fraction


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """One output: a value for each cell, and an interval that holds the exact aggregate at the stated rate."""

    values: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Noisy:
    """Noisy measures with the law of the noise of each, for a confidence."""

    measures: tuple[Measure, ...]
    values: NDArray[np.int64] | Floats
    spreads: tuple[NoiseSpread, ...]
    confidence: float

    def quantity(self, piece: Piece) -> Quantity:
        """What a measure adds up."""
        return quantity_of(self.measures, piece)


class Aggregate(ABC):
    """What may be asked of a cell."""

    __slots__ = ()

    names: ClassVar[tuple[str, ...]]
    """Its names in SQL."""
    told: ClassVar[str]
    """How it is written, for people."""
    additive: ClassVar[bool]
    """Whether the answer of a whole is the sum of the answers of its parts."""
    whole: ClassVar[bool]
    """Whether the answer is a whole number."""
    textbook: ClassVar[int]
    """How many noisy numbers the textbook releases for it."""

    quantity: Quantity | None

    @classmethod
    @abstractmethod
    def of_call(cls, call: "Call") -> Self | None:
        """The aggregate that a call means; None where it means another one of the same name."""

    @abstractmethod
    def counted(self, *, single: bool) -> frozenset[Quantity | None]:
        """The counts that it measures anyway: of all rows (None), or of those where a quantity is not missing.

        `single` says that a person has one row, so that people are rows.
        """

    @abstractmethod
    def movable(self) -> Quantity | None:
        """The quantity whose sum may be taken around the middle of its range, where its count is measured anyway."""

    @abstractmethod
    def pieces(self, board: "Board") -> tuple[Piece, ...]:
        """The measures that it is made of, put on the board; none where the answer is chosen from a ladder."""

    @abstractmethod
    def choice(self) -> RankChoice | None:
        """How the answer is chosen from a ladder; None where it is computed from measures."""

    @abstractmethod
    def matter(self, pieces: Sequence[Piece], measures: Sequence[Measure]) -> Slopes:
        """Slope over scale in each measure: what one person can contribute puts counts, sums and means on one footing.

        The slope is taken for a cell of any size n, errors of means times n.
        """

    @abstractmethod
    def slopes(self, pieces: Sequence[Piece], measures: Sequence[Measure], size: int) -> Slopes:
        """How far each measure's noise moves the answer, in its own units, in a cell of so many rows."""

    @abstractmethod
    def foreseen(self, pieces: Sequence[Piece], measures: Sequence[Measure]) -> Sequence[Sequence[float]]:
        """Cells for which intervals are foreseen: for each the mean of every piece over the rows, in whole steps.

        The widest interval among them is the plan's word, so they go to where the release's is widest.
        """

    @abstractmethod
    def answer(self, pieces: Sequence[Piece], noisy: Noisy) -> Answer:
        """The values and intervals. This is post-processing: it costs no privacy."""

    @abstractmethod
    def laplace(self, scale: float, size: int) -> float:
        """The typical error of the textbook's release, where a count has an error of `scale`."""

    @abstractmethod
    def compared_with(self, rows: int) -> float:
        """What an accuracy in percent is a share of, in a cell of so many rows."""

    @abstractmethod
    def can_be_below_zero(self) -> bool:
        """Whether an exact answer can be below 0."""

    @abstractmethod
    def unit(self) -> Unit:
        """What the answer counts: a plain number, or days or seconds since 1970."""


class PlainCount(Aggregate):
    """An aggregate that is one count as it stands: of rows, of people, of values. A kind says what is counted."""

    __slots__ = ()

    def movable(self) -> None:
        return None

    def choice(self) -> None:
        return None

    def matter(self, pieces: Sequence[Piece], measures: Sequence[Measure]) -> Slopes:
        (count,) = pieces
        return [(count.place, 1 / measures[count.place].high)]

    def slopes(self, pieces: Sequence[Piece], measures: Sequence[Measure], size: int) -> Slopes:
        (count,) = pieces
        return [(count.place, 1.0)]

    def foreseen(self, pieces: Sequence[Piece], measures: Sequence[Measure]) -> Sequence[Sequence[float]]:
        """Any cell: its interval is as wide as that of any other."""
        return [[1.0] * len(pieces)]

    def answer(self, pieces: Sequence[Piece], noisy: Noisy) -> Answer:
        return linear([(piece.place, 1.0) for piece in pieces], noisy)

    def laplace(self, scale: float, size: int) -> float:
        return scale

    def compared_with(self, rows: int) -> float:
        return float(rows)

    def can_be_below_zero(self) -> bool:
        return False

    def unit(self) -> Unit:
        return Unit.NUMBER


def counted_rows(quantity: Quantity | None) -> frozenset[Quantity | None]:
    """The count of the rows in which a quantity is not missing."""
    return frozenset([quantity if quantity is not None and quantity.nulls else None])


def quantity_of(measures: Sequence[Measure], piece: Piece) -> Quantity:
    """What a measure adds up."""
    found = measures[piece.place].quantity
    assert found is not None
    return found


def quarter_of(measures: Sequence[Measure], piece: Piece) -> float:
    """A quarter of the range of what is added up: cells are foreseen with their means so far off the middle."""
    quantity = quantity_of(measures, piece)
    return float(piece.step) * (quantity.high - quantity.low) / 4


def top_of(quantity: Quantity) -> float:
    """The largest magnitude of a quantity."""
    return float(quantity.step) * max(abs(quantity.low), abs(quantity.high))


def width_of(quantity: Quantity) -> float:
    """The width of a quantity's range."""
    return float(quantity.step) * (quantity.high - quantity.low)


def typical_of(quantity: Quantity) -> tuple[float, float]:
    """The mean that is foreseen, a quarter of the range off the middle, and a quarter of the range."""
    quarter = width_of(quantity) / 4
    return abs(float(quantity.step) * (quantity.low + quantity.high) / 2) + quarter, quarter


def linear(parts: Slopes, noisy: Noisy) -> Answer:
    """A weighted sum of measures."""
    values = sum((weight * noisy.values[place] for place, weight in parts), np.zeros(noisy.values.shape[1]))
    wide = half_width([(weight, noisy.spreads[place]) for place, weight in parts], noisy.confidence)
    return Answer(values, values - wide, values + wide)
