"""Which measures answer a question, and how: each output is made of pieces, and each piece is a noisy measure.

Sums may be taken around the middle of their range. That halves their sensitivity, and the count, which a mean needs
anyway, brings the middle back. `layouts` lists the possibilities; the split of epsilon decides between them.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from banister.questions.measures import Measure, Reach
from banister.questions.question import Output, Question
from banister.questions.terms import Quantity
from banister.release.aggregates.aggregate import Aggregate, Piece
from banister.release.aggregates.board import Board, one_row_each

CHOICES = 6
"""Up to so many sums are tried both ways; beyond, all are centred that can be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Formula:
    """One output: its name, what it is, and the pieces that it is made of."""

    name: str
    aggregate: Aggregate
    pieces: tuple[Piece, ...]
    choice: int | None
    """Which of the ladders it is chosen from; None where it is computed from its pieces."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Measures and the formulas over them."""

    measures: tuple[Measure, ...]
    formulas: tuple[Formula, ...]


def aggregate_of(output: Output) -> Aggregate:
    """What an output asks for: one of the shelf that this house reads questions with."""
    found = output.aggregate
    assert isinstance(found, Aggregate)
    return found


def layouts(question: Question, reach: Reach, fixed: Mapping[Quantity, bool]) -> Iterator[Layout]:
    """Every layout worth comparing; for the sums in `fixed` it is decided whether they are taken around the middle."""
    able = centrable(question)
    always = {q for q in able if fixed.get(q)}
    free = [q for q in summed(question) if q in able and q not in fixed]
    choices = itertools.product((True, False), repeat=len(free)) if len(free) <= CHOICES else [(True,) * len(free)]
    for choice in choices:
        yield _layout(question, reach, always | {q for q, centre in zip(free, choice, strict=True) if centre})


def summed(question: Question) -> dict[Quantity, None]:
    """The quantities of which sums are asked for, in order."""
    found = [aggregate_of(output).movable() for output in question.outputs]
    return dict.fromkeys(quantity for quantity in found if quantity is not None)


def centrable(question: Question) -> set[Quantity]:
    """The sums that can be taken around the middle of their range, as their count is measured anyway."""
    single = one_row_each(question)
    counted: set[Quantity | None] = {None} if question.open and single else set()
    counted = counted.union(*(aggregate_of(output).counted(single=single) for output in question.outputs))
    return {q for q in summed(question) if (q if q.nulls else None) in counted}


def _layout(question: Question, reach: Reach, moved: set[Quantity]) -> Layout:
    board, ladders = Board(question, reach, moved=moved), itertools.count()
    formulas = []
    for output in question.outputs:
        aggregate = aggregate_of(output)
        choice = None if aggregate.choice() is None else next(ladders)
        formulas.append(Formula(name=output.name, aggregate=aggregate, pieces=aggregate.pieces(board), choice=choice))
    return Layout(measures=tuple(board.found), formulas=tuple(formulas))


def weigh(layout: Layout, weights: Sequence[float]) -> list[float]:
    """How much each measure's variance matters: Σ over outputs of weight · (slope / scale)²."""
    matter = [0.0] * len(layout.measures)
    for formula, weight in zip(layout.formulas, weights, strict=True):
        for place, slope in formula.aggregate.matter(formula.pieces, layout.measures):
            matter[place] += weight * slope**2
    return matter
