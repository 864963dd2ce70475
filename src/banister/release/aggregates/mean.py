"""AVG: the mean of a quantity over the rows of a cell."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

from banister.questions.measures import Measure
from banister.questions.terms import Quantity, Unit
from banister.release.aggregates.aggregate import (
    Aggregate,
    Answer,
    Noisy,
    Piece,
    Slopes,
    counted_rows,
    quantity_of,
    quarter_of,
    top_of,
    typical_of,
    width_of,
)
from banister.release.aggregates.ratio import ratio

if TYPE_CHECKING:
    from banister.questions.reading.calls import Call
    from banister.release.aggregates.board import Board


@dataclass(frozen=True, slots=True)
class Mean(Aggregate):
    """The mean of a quantity: middle + step · total / count."""

    names: ClassVar[tuple[str, ...]] = ("AVG", "MEAN")
    told: ClassVar[str] = "AVG"
    additive: ClassVar[bool] = False
    whole: ClassVar[bool] = False
    textbook: ClassVar[int] = 2

    quantity: Quantity

    @classmethod
    def of_call(cls, call: "Call") -> Self:
        return cls(call.plain(1)[0].varying())

    def counted(self, *, single: bool) -> frozenset[Quantity | None]:
        return counted_rows(self.quantity)

    def movable(self) -> None:
        return None

    def pieces(self, board: "Board") -> tuple[Piece, ...]:
        count = board.count(self.quantity)
        return board.centred(self.quantity), count

    def choice(self) -> None:
        return None

    def matter(self, pieces: Sequence[Piece], measures: Sequence[Measure]) -> Slopes:
        total, count = pieces
        return [
            (total.place, 1 / measures[total.place].sensitivity()),
            (count.place, 0.25 / measures[count.place].high),
        ]

    def slopes(self, pieces: Sequence[Piece], measures: Sequence[Measure], size: int) -> Slopes:
        total, count = pieces
        return [(total.place, float(total.step) / size), (count.place, quarter_of(measures, total) / size)]

    def foreseen(self, pieces: Sequence[Piece], measures: Sequence[Measure]) -> Sequence[Sequence[float]]:
        """Means in the middle of the range, half way to its end, and there, where the count's noise weighs most."""
        top = float(quantity_of(measures, pieces[0]).high)
        return [[share * top, 1.0] for share in (0.0, 0.5, 1.0)]

    def answer(self, pieces: Sequence[Piece], noisy: Noisy) -> Answer:
        total, count = pieces
        point, low, high = ratio(total, count, noisy, noisy.confidence)
        middle, step = float(total.middle), float(total.step)
        return Answer(middle + step * point, middle + step * low, middle + step * high)

    def laplace(self, scale: float, size: int) -> float:
        mean, _ = typical_of(self.quantity)
        return scale * math.hypot(top_of(self.quantity), mean) / size

    def compared_with(self, rows: int) -> float:
        """The width of the range."""
        return width_of(self.quantity)

    def can_be_below_zero(self) -> bool:
        return self.quantity.low < 0

    def unit(self) -> Unit:
        return Unit.NUMBER
