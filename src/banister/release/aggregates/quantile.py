"""MEDIAN and QUANTILE: a value of which a given part of the rows lie below."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Self

from banister.errors import Uncertified
from banister.questions.measures import Measure
from banister.questions.question import Rungs
from banister.questions.terms import Quantity, Unit
from banister.release.aggregates.aggregate import Aggregate, Answer, Noisy, Piece, RankChoice, Slopes

if TYPE_CHECKING:
    from banister.questions.reading.calls import Call
    from banister.release.aggregates.board import Board

RUNGS = 1024
"""Rungs of a ladder over a long range; a short one has a rung for each value."""


@dataclass(frozen=True, slots=True)
class Quantile(Aggregate):
    """A quantile of a quantity. It is not computed from measures but chosen from a ladder over the declared range."""

    names: ClassVar[tuple[str, ...]] = ("QUANTILE", "MEDIAN", "APPROX_QUANTILE", "PERCENTILE_CONT", "PERCENTILE_DISC")
    told: ClassVar[str] = "MEDIAN, QUANTILE"
    additive: ClassVar[bool] = False
    whole: ClassVar[bool] = False
    textbook: ClassVar[int] = 1

    quantity: Quantity
    order: Fraction

    @classmethod
    def of_call(cls, call: "Call") -> Self:
        if call.ordered is not None and len(call.arguments) == 1:
            found, order = call.ordered.quantity(), call.arguments[0].order()
        elif "MEDIAN" in call.names:
            found, order = call.plain(1)[0].quantity(), Fraction(1, 2)
        elif not call.names.isdisjoint({"PERCENTILE_CONT", "PERCENTILE_DISC"}):
            raise call.refused("this needs WITHIN GROUP (ORDER BY column).", "Or write QUANTILE(column, 0.25).")
        else:
            value, place = call.plain(2)
            found, order = value.quantity(), place.order()
        if found.low == found.high:
            raise call.refused("a constant has no quantiles.")
        return cls(found, order)

    def counted(self, *, single: bool) -> frozenset[Quantity | None]:
        return frozenset()

    def movable(self) -> None:
        return None

    def pieces(self, board: "Board") -> tuple[Piece, ...]:
        return ()

    def choice(self) -> RankChoice:
        width = -(-(self.quantity.high - self.quantity.low + 1) // RUNGS)
        return RankChoice(Rungs(self.quantity, width), self.order)

    def matter(self, pieces: Sequence[Piece], measures: Sequence[Measure]) -> Slopes:
        return ()

    def slopes(self, pieces: Sequence[Piece], measures: Sequence[Measure], size: int) -> Slopes:
        return ()

    def foreseen(self, pieces: Sequence[Piece], measures: Sequence[Measure]) -> Sequence[Sequence[float]]:
        return ()

    def answer(self, pieces: Sequence[Piece], noisy: Noisy) -> Answer:
        raise Uncertified("A quantile is chosen from its ladder; it has no answer from noisy measures.")

    def laplace(self, scale: float, size: int) -> float:
        return math.nan

    def compared_with(self, rows: int) -> float:
        """The rows: a quantile errs by its rank."""
        return float(rows)

    def can_be_below_zero(self) -> bool:
        return self.quantity.low < 0

    def unit(self) -> Unit:
        return self.quantity.unit
