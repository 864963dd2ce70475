"""The board on which aggregates put the measures that they are made of; what two of them need is measured once."""

from collections.abc import Set as AbstractSet

from banister.questions import measures, terms
from banister.questions.measures import Measure, Reach
from banister.questions.question import Question
from banister.questions.terms import Quantity
from banister.release.aggregates.aggregate import Piece

SUM, SQUARES = "the sum behind", "the squares behind"


class Board:
    """Collects measures, each once."""

    def __init__(self, question: Question, reach: Reach, *, moved: AbstractSet[Quantity]) -> None:
        self._places: dict[Measure, int] = {}
        self.moved = moved
        """The quantities whose sums are taken around the middle of their range."""
        self._rows = reach.rows
        self._single = one_row_each(question)
        if question.open:
            self.people()

    def people(self) -> Piece:
        """The number of people."""
        return Piece(self._place(measures.people()))

    def count(self, quantity: Quantity | None) -> Piece:
        """The number of rows, or of those in which a quantity is not missing."""
        missing = quantity is not None and quantity.nulls
        if not missing and self._single:
            return self.people()  # One row a person: the rows are the people.
        return Piece(self._place(measures.rows(most=self._rows, of=quantity if missing else None)))

    def distinct(self, quantity: Quantity, values: int) -> Piece:
        """How many values a quantity has, of so many that it can have."""
        return Piece(self._place(measures.distinct(quantity, most=min(self._rows, values))))

    def total(self, quantity: Quantity) -> Piece:
        """The sum of a quantity as it is."""
        return Piece(self._total(quantity), step=quantity.step, behind=SUM)

    def centred(self, quantity: Quantity, behind: str = SUM) -> Piece:
        """The sum of a quantity around the middle of its range: that halves the sensitivity."""
        moved, middle = measures.centred(quantity)
        if self._single:
            return Piece(self._total(moved), step=moved.step, middle=middle, behind=behind)
        fine = measures.finer(moved, most=self._rows)
        measure = measures.paired(fine, most=self._rows)
        return Piece(self._place(measure), step=fine.step, middle=middle, behind=behind)

    def squares(self, quantity: Quantity) -> Piece:
        """The sum of squares, around the middle of their range, of a quantity around the middle of its own."""
        return self.centred(squared(measures.centred(quantity)[0]), SQUARES)

    def _total(self, quantity: Quantity) -> int:
        return self._place(measures.total(quantity, most=self._rows))

    @property
    def found(self) -> list[Measure]:
        """All measures, in the order in which they were first needed."""
        return list(self._places)

    def _place(self, measure: Measure) -> int:
        return self._places.setdefault(measure, len(self._places))


def one_row_each(question: Question) -> bool:
    """Whether a person has one row at most, so that people are rows."""
    return not question.personal or question.relation.rows == 1


def squared(quantity: Quantity) -> Quantity:
    """The square, of which interval arithmetic alone would not know that it is never below 0."""
    product = terms.times(quantity, quantity)
    high = max(quantity.low**2, quantity.high**2)
    return Quantity(term=product.term, low=0, high=high, step=product.step, nulls=product.nulls)
