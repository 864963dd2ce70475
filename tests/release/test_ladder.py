"""The ladder of quantiles: how far neighbours move its scores, and how often its intervals miss."""

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest

from banister.core.privacy.guarantee import Neighbours
from banister.mechanisms import Moves, PermuteAndFlip
from banister.questions.measures import Reach
from banister.questions.question import Rungs
from banister.questions.terms import Quantity, Whole
from banister.release.aggregates.aggregate import RankChoice
from banister.release.payments.ladder import Ladder, plan_ladder, rung_scores

ORDERS = (Fraction(1, 2), Fraction(9, 10), Fraction(1, 4))
RUNGS = 4
Column = tuple[int, ...]


def ladder_of(
    order: Fraction,
    *,
    rungs: int = RUNGS,
    rows: int = 1,
    neighbours: Neighbours = Neighbours.ADD_REMOVE,
    alone: bool = True,
) -> Ladder:
    quantity = Quantity(term=Whole(1), low=0, high=rungs - 1, step=Fraction(1), nulls=False)
    reach = Reach(groups=1, rows=rows, bounded=True, proposed=False)
    asked = RankChoice(Rungs(quantity, 1), order)
    return plan_ladder("m", asked, reach=reach, neighbours=neighbours, epsilon=Fraction(1), alone=alone)


def columns(most: int) -> Iterator[Column]:
    """Every cell of so few rows."""
    return (each for each in itertools.product(range(most + 1), repeat=RUNGS) if sum(each) <= most)


def added(column: Column, places: tuple[int, ...]) -> Column:
    return tuple(count + places.count(place) for place, count in enumerate(column))


def parts(rows: int) -> list[tuple[int, ...]]:
    """Every part that a person of at most so many rows can have in a cell."""
    return [some for size in range(rows + 1) for some in itertools.combinations_with_replacement(range(RUNGS), size)]


def largest_move(order: Fraction, rows: int, *, replaced: bool, shift: int) -> int:
    """How far a score moves at most when a person comes, or is replaced by another in the same cell."""
    largest = 0
    for rest in columns(3):
        for there in parts(rows):
            for here in parts(rows) if replaced else [()]:
                pair = [np.array(added(rest, some)) for some in (here, there)]
                first, second = (rung_scores(order, column, shift) for column in pair)
                largest = max(largest, int(np.abs(first - second).max()))
    return largest


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("shift", [0, 5, -5])
def test_scores_move_by_no_more_than_is_paid_and_by_no_less(order: Fraction, rows: int, shift: int) -> None:
    comes = ladder_of(order, rows=rows)
    assert largest_move(order, rows, replaced=False, shift=shift) == comes.sensitivity
    assert comes.moves == 1
    alone = ladder_of(order, rows=rows, neighbours=Neighbours.REPLACE)
    assert largest_move(order, rows, replaced=True, shift=shift) == alone.moves * alone.sensitivity
    # In several cells one loses her and another gains her, each by what a person who comes moves.
    among = ladder_of(order, rows=rows, neighbours=Neighbours.REPLACE, alone=False)
    assert (among.moves, among.sensitivity) == (2, comes.sensitivity)
    assert alone.sensitivity <= among.sensitivity


def test_a_replaced_person_costs_a_tail_quantile_of_one_cell_little_more_than_half() -> None:
    alone = ladder_of(Fraction(9, 10), neighbours=Neighbours.REPLACE)
    among = ladder_of(Fraction(9, 10), neighbours=Neighbours.REPLACE, alone=False)
    assert alone.end_miss(0.9) <= math.ceil(among.end_miss(0.9) * 5 / 9)
    assert alone.loss() == among.loss()


def misses(ladder: Ladder, column: np.ndarray, confidence: float) -> float:
    """The chance that an interval does not hold the quantile, from the exact law of the choices."""
    target = ladder.order * int(column.sum())
    upto = np.cumsum(column)
    quantile = int(np.flatnonzero(upto >= float(target))[0])
    miss = ladder.end_miss(confidence)
    choice = PermuteAndFlip(epsilon=ladder.end_epsilon, sensitivity=ladder.sensitivity, moves=Moves.ANY_WAY)
    low = choice.probabilities(rung_scores(ladder.order, column, -miss))
    high = choice.probabilities(rung_scores(ladder.order, column, miss))
    # Place 0 is beyond the ladder, so rung k stands at k + 1.
    return float(low[quantile + 2 :].sum() + high[: quantile + 1].sum())


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.99])
@pytest.mark.parametrize("rungs", [4, 40, 400])
def test_intervals_miss_no_more_often_than_they_say_even_where_all_rows_are_on_one_rung(
    rungs: int, confidence: float
) -> None:
    ladder, worst = ladder_of(Fraction(1, 2), rungs=rungs), 0.0
    for place in {0, 1, rungs // 2, rungs - 1}:
        for rows in (1, 10, 1000, 10**5):
            column = np.zeros(rungs, dtype=np.int64)
            column[place] = rows
            worst = max(worst, misses(ladder, column, confidence))
    for seed in range(3):
        column = np.random.default_rng(seed).integers(0, 20, rungs)
        worst = max(worst, misses(ladder, column, confidence))
    assert worst <= 1 - confidence
    # The bound is of the right size: a shift that is shorter by a factor of e in chance would not hold.
    assert worst >= (1 - confidence) / 3


def test_intervals_are_narrower_than_by_the_bound_for_the_exponential_mechanism() -> None:
    ladder = ladder_of(Fraction(1, 2), rungs=1024)
    before = 2 / float(ladder.end_epsilon) * math.log(2 * 1026 / 0.1)
    assert ladder.end_miss(0.9) < 0.87 * before
