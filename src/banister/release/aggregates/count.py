"""COUNT: the rows of a cell, or those in which something is not missing."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

from banister.questions.measures import Measure
from banister.questions.terms import Quantity, Unit
from banister.release.aggregates.aggregate import Aggregate, Answer, Noisy, Piece, Slopes, counted_rows, linear

if TYPE_CHECKING:
    from banister.questions.reading.calls import Call
    from banister.release.aggregates.board import Board


@dataclass(frozen=True, slots=True)
class Count(Aggregate):
    """How many rows a cell has, or how many in which a quantity is not missing."""

    names: ClassVar[tuple[str, ...]] = ("COUNT",)
    told: ClassVar[str] = "COUNT"
    additive: ClassVar[bool] = True
    whole: ClassVar[bool] = True
    textbook: ClassVar[int] = 1

    quantity: Quantity | None

    @classmethod
    def of_call(cls, call: "Call") -> Self | None:
        return None if call.distinct else cls(call.plain(1)[0].counted())

    def counted(self, *, single: bool) -> frozenset[Quantity | None]:
        return counted_rows(self.quantity)

    def movable(self) -> None:
        return None

    def pieces(self, board: "Board") -> tuple[Piece, ...]:
        return (board.count(self.quantity),)

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
