"""VARIANCE and STDDEV: how far the rows of a cell are spread, of the cell or of the population it was drawn from."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from banister.questions.measures import Measure
from banister.questions.terms import Quantity, Unit
from banister.release.aggregates.aggregate import (
    Aggregate,
    Answer,
    Floats,
    Noisy,
    Piece,
    Slopes,
    counted_rows,
    quarter_of,
    top_of,
    typical_of,
    width_of,
)
from banister.release.aggregates.ratio import ratio
from banister.release.answering.combine import half_width

if TYPE_CHECKING:
    from banister.questions.reading.calls import Call
    from banister.release.aggregates.board import Board


@dataclass(frozen=True, slots=True)
class Variance(Aggregate):
    """The mean of squares minus the square of the mean, or its root.

    Both are taken around the middle of the range: variance = square_middle + square_step · square / count −
    (step · total / count)².
    """

    names: ClassVar[tuple[str, ...]] = (
        "VARIANCE",
        "VAR_SAMP",
        "VARIANCE_SAMP",
        "VAR_POP",
        "VARIANCE_POP",
        "STDDEV",
        "STDEV",
        "STDDEV_SAMP",
        "STDDEV_POP",
    )
    told: ClassVar[str] = "VARIANCE, STDDEV"
    additive: ClassVar[bool] = False
    whole: ClassVar[bool] = False
    textbook: ClassVar[int] = 3

    quantity: Quantity
    population: bool
    """Whether the cell is the population; if not, it was drawn from one, and n / (n − 1) makes up for its mean."""
    root: bool
    """Whether the standard deviation is asked for."""

    @classmethod
    def of_call(cls, call: "Call") -> Self:
        population = not call.names.isdisjoint({"VAR_POP", "VARIANCE_POP", "STDDEV_POP"})
        root = any(name.startswith("STD") for name in call.names)
        return cls(call.plain(1)[0].varying(), population=population, root=root)

    def counted(self, *, single: bool) -> frozenset[Quantity | None]:
        return counted_rows(self.quantity)

    def movable(self) -> None:
        return None

    def pieces(self, board: "Board") -> tuple[Piece, ...]:
        count, total = board.count(self.quantity), board.centred(self.quantity)
        return board.squares(self.quantity), total, count

    def choice(self) -> None:
        return None

    def matter(self, pieces: Sequence[Piece], measures: Sequence[Measure]) -> Slopes:
        square, total, count = pieces
        return [
            (total.place, 1 / measures[total.place].sensitivity()),
            (count.place, 0.25 / measures[count.place].high),
            (square.place, 1 / measures[square.place].sensitivity()),
        ]

    def slopes(self, pieces: Sequence[Piece], measures: Sequence[Measure], size: int) -> Slopes:
        square, total, count = pieces
        quarter = quarter_of(measures, total)
        slope = 1 / (2 * quarter) if self.root else 1.0
        return [
            (square.place, slope * float(square.step) / size),
            (total.place, slope * 2 * quarter * float(total.step) / size),
            (count.place, slope * 2 * quarter**2 / size),
        ]

    def foreseen(self, pieces: Sequence[Piece], measures: Sequence[Measure]) -> Sequence[Sequence[float]]:
        """Rows that deviate by a quarter of the range, around its middle and around a mean a quarter off."""
        square, total, _ = pieces
        quarter = quarter_of(measures, total)
        return [
            [(mean**2 + quarter**2 - float(square.middle)) / float(square.step), mean / float(total.step), 1.0]
            for mean in (0.0, quarter)
        ]

    def answer(self, pieces: Sequence[Piece], noisy: Noisy) -> Answer:
        """Each of three intervals takes a part of what may go wrong."""
        _, _, count = pieces
        sure = 1 - (1 - noisy.confidence) / 3
        point, low, high = _of_the_cell(pieces, noisy, sure)
        if not self.population:
            counts = noisy.values[count.place].astype(np.float64)
            least = np.maximum(counts - half_width([(1.0, noisy.spreads[count.place])], sure), 2.0)
            point, high = point * _bessel(np.maximum(counts, 2.0)), high * _bessel(least)
        return Answer(np.sqrt(point), np.sqrt(low), np.sqrt(high)) if self.root else Answer(point, low, high)

    def laplace(self, scale: float, size: int) -> float:
        (mean, quarter), top = typical_of(self.quantity), top_of(self.quantity)
        power = quarter**2 + mean**2
        variance = scale * math.sqrt(top**4 + (2 * mean * top) ** 2 + abs(2 * mean**2 - power) ** 2) / size
        return variance / (2 * quarter) if self.root else variance

    def compared_with(self, rows: int) -> float:
        """The width of the range, or its square."""
        width = width_of(self.quantity)
        return width if self.root else width**2

    def can_be_below_zero(self) -> bool:
        return False

    def unit(self) -> Unit:
        return Unit.NUMBER


def _of_the_cell(pieces: Sequence[Piece], noisy: Noisy, sure: float) -> tuple[Floats, Floats, Floats]:
    """The variance of the rows themselves, with its interval."""
    squares, total, count = pieces
    mean, mean_low, mean_high = ratio(total, count, noisy, sure)
    square, square_low, square_high = ratio(squares, count, noisy, sure)
    step, square_step, square_middle = float(total.step), float(squares.step), float(squares.middle)
    point = square_middle + square_step * square - (step * mean) ** 2
    largest = np.maximum(mean_low**2, mean_high**2) * step**2
    smallest = np.where((mean_low <= 0) & (mean_high >= 0), 0.0, np.minimum(mean_low**2, mean_high**2)) * step**2
    low = np.maximum(square_middle + square_step * square_low - largest, 0.0)
    high = square_middle + square_step * square_high - smallest
    # Below 0 the two intervals contradict each other, as where more rows of a person than declared were held back.
    quantity = noisy.quantity(total)
    widest = (step * (quantity.high - quantity.low) / 2) ** 2
    low, high = np.where(high < 0, 0.0, low), np.where(high < 0, widest, high)
    return np.clip(point, low, high), low, high


def _bessel(counts: Floats) -> Floats:
    """n / (n − 1): from the variance of the cell to that of a population it was drawn from."""
    return np.asarray(counts / (counts - 1), dtype=np.float64)
