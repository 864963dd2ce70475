"""SUM: the total of a quantity over the rows of a cell."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

from banister.questions.measures import Measure
from banister.questions.terms import Quantity, Unit
from banister.release.aggregates.aggregate import Aggregate, Answer, Noisy, Piece, Slopes, linear, top_of

if TYPE_CHECKING:
    from banister.questions.reading.calls import Call
    from banister.release.aggregates.board import Board


@dataclass(frozen=True, slots=True)
class Sum(Aggregate):
    """The sum of a quantity: step · total, and middle · count where it is taken around the middle of its range."""

    names: ClassVar[tuple[str, ...]] = ("SUM",)
    told: ClassVar[str] = "SUM"
    additive: ClassVar[bool] = True
    whole: ClassVar[bool] = False
    textbook: ClassVar[int] = 1

    quantity: Quantity

    @classmethod
    def of_call(cls, call: "Call") -> Self:
        argument = call.plain(1)[0]
        found = argument.number()
        return cls(argument.varying() if found.low == found.high == 0 else found)

    def counted(self, *, single: bool) -> frozenset[Quantity | None]:
        return frozenset()

    def movable(self) -> Quantity | None:
        """None for a constant, of which nothing is left around its middle."""
        return self.quantity if self.quantity.low < self.quantity.high else None

    def pieces(self, board: "Board") -> tuple[Piece, ...]:
        if self.quantity not in board.moved:
            return (board.total(self.quantity),)
        count = board.count(self.quantity)
        return board.centred(self.quantity), count

    def choice(self) -> None:
        return None

    def matter(self, pieces: Sequence[Piece], measures: Sequence[Measure]) -> Slopes:
        total, *counts = pieces
        most = max((measures[count.place].high for count in counts), default=1)
        scale = float(total.step * measures[total.place].sensitivity() + abs(total.middle) * most)
        return [(place, slope / scale) for place, slope in self.slopes(pieces, measures, 1)]

    def slopes(self, pieces: Sequence[Piece], measures: Sequence[Measure], size: int) -> Slopes:
        total, *counts = pieces
        return [(total.place, float(total.step)), *((count.place, float(total.middle)) for count in counts)]

    def foreseen(self, pieces: Sequence[Piece], measures: Sequence[Measure]) -> Sequence[Sequence[float]]:
        """Any cell: its interval is as wide as that of any other."""
        return [[1.0] * len(pieces)]

    def answer(self, pieces: Sequence[Piece], noisy: Noisy) -> Answer:
        return linear(self.slopes(pieces, noisy.measures, 1), noisy)

    def laplace(self, scale: float, size: int) -> float:
        return scale * top_of(self.quantity)

    def compared_with(self, rows: int) -> float:
        """The rows times the largest value."""
        return rows * top_of(self.quantity)

    def can_be_below_zero(self) -> bool:
        return self.quantity.low < 0

    def unit(self) -> Unit:
        return Unit.NUMBER
