"""COUNT: the rows of a cell, or those in which something is not missing."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

from banister.questions.terms import Quantity
from banister.release.aggregates.aggregate import Piece, PlainCount, counted_rows

if TYPE_CHECKING:
    from banister.questions.reading.calls import Call
    from banister.release.aggregates.board import Board


@dataclass(frozen=True, slots=True)
class Count(PlainCount):
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

    def pieces(self, board: "Board") -> tuple[Piece, ...]:
        return (board.count(self.quantity),)
