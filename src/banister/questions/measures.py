"""What an engine adds up for each cell, and how far one person can move it.

A measure is a whole number for each cell: the sum, over people, of what each contributes. What a person
contributes to one cell is clamped to [low, high], and she counts in at most `groups` cells. From this follow the
sensitivity of a cell and the number of cells that a neighbour can move.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction

from banister.core.privacy.guarantee import Neighbours
from banister.errors import BadValue
from banister.questions.question import Question
from banister.questions.terms import Add, And, Condition, In, Leaf, Multiply, Quantity, Whole
from banister.tables.schema import Schema

FEW_CELLS = 10
"""Up to so many cells, a person is allowed to count in all of them when nothing is declared: that biases nothing."""

CONTRIBUTION_LIMIT = 2**52

FINER = 2**6
"""Into so many parts a step is cut where a person's mean has to be rounded to whole ones."""

FINE_ROOM = 2**30
"""Beyond this a person's part is fine enough, and noise in finer steps would only be slower to draw."""

PAIRED_LIMIT = 2**20
"""More rows of a person than this are not scaled down to their mean: the products would leave 64 bits."""


class Counting(Enum):
    """What is added up."""

    ROWS = "rows"
    PEOPLE = "people"
    TOTAL = "total"
    DISTINCT = "distinct values"


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One whole number for each cell."""

    counting: Counting
    quantity: Quantity | None
    low: int
    high: int
    most: int | None = None
    """Where there is one, a person with more rows than that counts with so many of her mean: total and count stay a
    pair. Clamped each for itself, their ratio would be no mean of anything."""

    def sensitivity(self) -> int:
        """How far one person, present or absent, moves a cell."""
        return max(abs(self.low), abs(self.high))

    def spread(self) -> int:
        """How far one person, changed, moves a cell."""
        return self.high - self.low


def rows(*, most: int, of: Quantity | None = None) -> Measure:
    """The number of rows, or of rows where a quantity is not missing."""
    return Measure(counting=Counting.ROWS, quantity=of, low=0, high=most)


def people() -> Measure:
    """The number of people."""
    return Measure(counting=Counting.PEOPLE, quantity=None, low=0, high=1)


def distinct(quantity: Quantity, *, most: int) -> Measure:
    """The number of values that a quantity has in a cell, of each person `most` at the most.

    It is no sum over people, but one person more brings at most her own values to a cell, and takes no other's away.
    """
    return Measure(counting=Counting.DISTINCT, quantity=quantity, low=0, high=most)


def among_declared(where: Condition, measure: Measure) -> Condition:
    """The condition under which a row has a value that counts: a declared one, where a column declares its own."""
    term = None if measure.quantity is None else measure.quantity.term
    if not isinstance(term, Leaf) or term.ready or term.column.values is None:
        return where
    return And(where, In(term, term.column.values))


def total(quantity: Quantity, *, most: int) -> Measure:
    """The sum of a quantity over rows; a person's total is clamped to what `most` rows can hold."""
    low, high = min(0, quantity.low * most), max(0, quantity.high * most)
    if max(-low, high) > CONTRIBUTION_LIMIT:
        raise BadValue(
            f"One person can contribute {max(-low, high)} steps to a sum, more than 2^52. "
            "Declare narrower ranges, coarser steps or fewer rows."
        )
    return Measure(counting=Counting.TOTAL, quantity=quantity, low=low, high=high)


def paired(quantity: Quantity, *, most: int) -> Measure:
    """The sum of a quantity around the middle of its range, of a person's rows or of so many of their mean."""
    found = total(quantity, most=most)
    return replace(found, most=most) if most <= PAIRED_LIMIT else found


def finer(quantity: Quantity, *, most: int) -> Quantity:
    """The same in steps of 1/64; or in coarser ones, where a person's part has thirty bits without that.

    So what is lost by rounding a scaled mean is at most a 128th of a step, or a billionth of the range.
    """
    factor = FINER
    while factor > 1 and factor * max(-quantity.low, quantity.high) * most > FINE_ROOM:
        factor //= 2
    if factor == 1:
        return quantity
    term = Multiply(Whole(factor), quantity.term)
    low, high = factor * quantity.low, factor * quantity.high
    return replace(quantity, term=term, low=low, high=high, step=quantity.step / factor)


def centred(quantity: Quantity) -> tuple[Quantity, Fraction]:
    """The quantity minus the middle of its range, and that middle: half the sensitivity of the sum.

    An odd range is doubled first, so that the middle is a whole number of (half) steps.
    """
    middle = quantity.step * Fraction(quantity.low + quantity.high, 2)
    factor = 1 if (quantity.low + quantity.high) % 2 == 0 else 2
    shift = (quantity.low + quantity.high) * factor // 2
    term = quantity.term if factor == 1 else Multiply(Whole(factor), quantity.term)
    moved = Quantity(
        term=term if shift == 0 else Add(term, Whole(-shift)),
        low=quantity.low * factor - shift,
        high=quantity.high * factor - shift,
        step=quantity.step / factor,
        nulls=quantity.nulls,
    )
    return moved, middle


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How many cells one person can touch, and whether anything has to be left out for that."""

    groups: int
    rows: int
    bounded: bool
    proposed: bool


def reach(question: Question, schema: Schema) -> Reach:
    """The bounds on one person's part, declared, or proposed from what is public.

    Nothing is proposed that could leave out a row: without a declaration a person may touch all of a few cells.
    """
    cells = question.cells
    if not question.personal:
        return Reach(groups=1, rows=1, bounded=False, proposed=False)
    most = question.relation.rows or question.rows or schema.rows
    if most is None:
        raise BadValue(
            "A person can have many rows, and nothing says how many may count. Declare it in [source] or [tables.x], "
            "e.g. rows = 5 (the most rows of one person in one group), or group by person in a subquery first."
        )
    if cells == 1 or question.relation.rows == 1:  # One row a person is in one group.
        return Reach(groups=1, rows=most, bounded=False, proposed=False)
    declared = question.groups if question.groups is not None else schema.groups
    if declared is not None:
        groups = declared if cells is None else min(declared, cells)
        return Reach(groups=groups, rows=most, bounded=groups != cells, proposed=False)
    if cells is None or cells > FEW_CELLS:
        raise BadValue(
            "A person can have rows in many groups, and nothing says in how many she may count. Declare it in "
            "[source] or [tables.x], e.g. groups = 3; which of her groups count is then chosen by chance, without "
            "looking."
        )
    return Reach(groups=cells, rows=most, bounded=False, proposed=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """How to pay for a measure.

    Cell by cell: its epsilon is divided by `touches`, its noise made for `sensitivity`, and one cell may move by up to
    `moves` sensitivities, which then pays for as many cells. All cells at once: `squares` bounds the squared Euclidean
    distance that a neighbour moves the whole measure by.
    """

    touches: int
    sensitivity: int
    moves: int
    squares: int


def shares(measure: Measure, *, neighbours: Neighbours, groups: int, cells: int | None) -> Sequence[Share]:
    """Every way that is private; the caller takes the one with the least error.

    Add-remove: at most `groups` cells move, each by at most the sensitivity. Replace: either the changed person
    leaves and another comes, which is two such steps; or every cell that either touched moves by at most the spread.

    >>> shares(people(), neighbours=Neighbours.ADD_REMOVE, groups=3, cells=100)
    (Share(touches=3, sensitivity=1, moves=1, squares=3),)
    """
    once, spread = measure.sensitivity(), measure.spread()
    if neighbours is Neighbours.ADD_REMOVE:
        return (Share(touches=groups, sensitivity=once, moves=1, squares=groups * once**2),)
    touched = 2 * groups if cells is None else min(2 * groups, cells)
    # Of the cells of both people, those that both touch move by the spread, the others by the sensitivity; the sum of
    # squares is linear in the number of the former, so its largest value is at one of the ends.
    squares = max(groups * spread**2, (touched - groups) * 2 * once**2 + (2 * groups - touched) * spread**2)
    return (
        Share(touches=2 * groups, sensitivity=once, moves=1 if spread == once else 2, squares=squares),
        Share(touches=touched, sensitivity=spread, moves=1, squares=squares),
    )
