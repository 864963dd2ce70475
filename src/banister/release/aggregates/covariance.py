"""COVAR_POP and COVAR_SAMP: how two quantities move together over the rows of a cell that have both."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from banister.questions import terms
from banister.questions.measures import Measure, centred
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
    width_of,
)
from banister.release.aggregates.ratio import ratio
from banister.release.answering.combine import half_width

if TYPE_CHECKING:
    from banister.questions.reading.calls import Call
    from banister.release.aggregates.board import Board

PRODUCTS = "the products behind"
INTERVALS = 4
"""Three ratios and a count: each takes a part of what may go wrong."""


@dataclass(frozen=True, slots=True)
class Covariance(Aggregate):
    """The mean of products minus the product of the means, each quantity around the middle of its range."""

    names: ClassVar[tuple[str, ...]] = ("COVAR_POP", "COVAR_SAMP")
    told: ClassVar[str] = "COVAR_POP, COVAR_SAMP"
    additive: ClassVar[bool] = False
    whole: ClassVar[bool] = False
    textbook: ClassVar[int] = 4

    quantity: Quantity
    other: Quantity
    population: bool

    @classmethod
    def of_call(cls, call: "Call") -> Self:
        first, second = (argument.varying() for argument in call.plain(2))
        return cls(both_there(first, second), both_there(second, first), "COVAR_POP" in call.names)

    def counted(self, *, single: bool) -> frozenset[Quantity | None]:
        return counted_rows(self.quantity)

    def movable(self) -> None:
        return None

    def pieces(self, board: "Board") -> tuple[Piece, ...]:
        count, first, second = board.count(self.quantity), board.centred(self.quantity), board.centred(self.other)
        product = terms.times(centred(self.quantity)[0], centred(self.other)[0])
        return board.centred(product, PRODUCTS), first, second, count

    def choice(self) -> None:
        return None

    def matter(self, pieces: Sequence[Piece], measures: Sequence[Measure]) -> Slopes:
        *sums, count = pieces
        return [
            *((piece.place, 1 / measures[piece.place].sensitivity()) for piece in sums),
            (count.place, 0.25 / measures[count.place].high),
        ]

    def slopes(self, pieces: Sequence[Piece], measures: Sequence[Measure], size: int) -> Slopes:
        product, first, second, count = pieces
        a, b = quarter_of(measures, first), quarter_of(measures, second)
        return [
            (product.place, float(product.step) / size),
            (first.place, b * float(first.step) / size),
            (second.place, a * float(second.step) / size),
            (count.place, a * b / size),
        ]

    def foreseen(self, pieces: Sequence[Piece], measures: Sequence[Measure]) -> Sequence[Sequence[float]]:
        """Rows around the middle of both ranges, and around means a quarter off."""
        product, first, second, _ = pieces
        a, b = quarter_of(measures, first), quarter_of(measures, second)
        return [
            [
                (x * y - float(product.middle)) / float(product.step),
                x / float(first.step),
                y / float(second.step),
                1.0,
            ]
            for x, y in ((0.0, 0.0), (a, b))
        ]

    def answer(self, pieces: Sequence[Piece], noisy: Noisy) -> Answer:
        product, first, second, count = pieces
        sure = 1 - (1 - noisy.confidence) / INTERVALS
        mean = _scaled(ratio(product, count, noisy, sure), float(product.step), float(product.middle))
        x, y = (_scaled(ratio(piece, count, noisy, sure), float(piece.step), 0.0) for piece in (first, second))
        ends = np.stack([a * b for a in (x.low, x.high) for b in (y.low, y.high)])
        point, low, high = mean.values - x.values * y.values, mean.low - ends.max(axis=0), mean.high - ends.min(axis=0)
        widest = width_of(noisy.quantity(first)) * width_of(noisy.quantity(second)) / 4
        low, high = np.clip(low, -widest, widest), np.clip(high, -widest, widest)
        point = np.clip(point, low, high)
        if not self.population:
            counts = noisy.values[count.place].astype(np.float64)
            least = np.maximum(counts - half_width([(1.0, noisy.spreads[count.place])], sure), 2.0)
            factor, largest = (n / (n - 1) for n in (np.maximum(counts, 2.0), least))
            point, low, high = point * factor, np.minimum(low, low * largest), np.maximum(high, high * largest)
            point = np.clip(point, low, high)
        return Answer(point, low, high)

    def laplace(self, scale: float, size: int) -> float:
        return 2 * scale * top_of(self.quantity) * top_of(self.other) / size

    def compared_with(self, rows: int) -> float:
        """The product of the widths of both ranges."""
        return width_of(self.quantity) * width_of(self.other)

    def can_be_below_zero(self) -> bool:
        return True

    def unit(self) -> Unit:
        return Unit.NUMBER


def both_there(one: Quantity, other: Quantity) -> Quantity:
    """A quantity where the other is not missing either; missing where one of them is."""
    if not other.nulls:
        return one
    return terms.case_when([terms.Not(terms.IsNull(other.term))], [one], terms.NULL)


def _scaled(found: tuple[Floats, Floats, Floats], step: float, middle: float) -> Answer:
    point, low, high = found
    return Answer(middle + step * point, middle + step * low, middle + step * high)
