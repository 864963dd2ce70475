"""COUNT(DISTINCT column): how many values a column has among the rows of a cell."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

from banister.questions.terms import Leaf, Quantity
from banister.release.aggregates.aggregate import Piece, PlainCount
from banister.tables.schema import Kind

if TYPE_CHECKING:
    from banister.questions.reading.calls import Call
    from banister.release.aggregates.board import Board

ANY = 2**40
"""As many as nobody has: where values are not declared, a person's rows alone bound what she brings."""


@dataclass(frozen=True, slots=True)
class Distinct(PlainCount):
    """How many values a column has in a cell: of those that are declared, or of any.

    A person with several rows brings `rows` values to a cell at most, chosen as her groups are: one person moves the
    answer by no more than that.
    """

    names: ClassVar[tuple[str, ...]] = ("COUNT",)
    told: ClassVar[str] = "COUNT(DISTINCT column)"
    additive: ClassVar[bool] = False
    whole: ClassVar[bool] = True
    textbook: ClassVar[int] = 1

    quantity: Quantity
    values: int
    """How many values it can have."""

    @classmethod
    def of_call(cls, call: "Call") -> Self | None:
        if not call.distinct or (len(call.arguments) == 1 and call.arguments[0].is_person()):
            return None
        if len(call.arguments) != 1:
            raise call.refused("DISTINCT takes one column.", "Group by the others.")
        found = call.arguments[0].counted()
        if found is None:
            raise call.refused("DISTINCT takes a column.", "Write COUNT(DISTINCT column), or COUNT(*).")
        listed = found.term.column.values if isinstance(found.term, Leaf) else None
        is_category = isinstance(found.term, Leaf) and found.term.column.kind is Kind.CATEGORY
        possible = found.high - found.low + 1 if not is_category else ANY if listed is None else len(listed)
        return cls(found, possible)

    def counted(self, *, single: bool) -> frozenset[Quantity | None]:
        return frozenset()

    def pieces(self, board: "Board") -> tuple[Piece, ...]:
        return (board.distinct(self.quantity, self.values),)
