"""COUNT(DISTINCT person): the people of a cell."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

from banister.questions.terms import Quantity
from banister.release.aggregates.aggregate import Piece, PlainCount

if TYPE_CHECKING:
    from banister.questions.reading.calls import Call
    from banister.release.aggregates.board import Board


@dataclass(frozen=True, slots=True)
class People(PlainCount):
    """How many people have a row in a cell."""

    names: ClassVar[tuple[str, ...]] = ("COUNT",)
    told: ClassVar[str] = "COUNT(DISTINCT person)"
    additive: ClassVar[bool] = True
    whole: ClassVar[bool] = True
    textbook: ClassVar[int] = 1

    quantity: None = None

    @classmethod
    def of_call(cls, call: "Call") -> Self | None:
        return cls() if call.distinct and len(call.arguments) == 1 and call.arguments[0].is_person() else None

    def counted(self, *, single: bool) -> frozenset[Quantity | None]:
        return frozenset([None]) if single else frozenset()

    def pieces(self, board: "Board") -> tuple[Piece, ...]:
        return (board.people(),)
