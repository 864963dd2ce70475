"""Measures: what one person can contribute, by going through what she may hold."""

import itertools
from fractions import Fraction

import pytest

from banister.core.privacy.guarantee import Neighbours
from banister.errors import BadValue
from banister.questions.measures import FEW_CELLS, centred, people, reach, rows, shares, total
from banister.questions.reading.parser import read_questions
from banister.questions.terms import Quantity, Whole
from banister.release.aggregates import ALL
from banister.tables.schema import Schema

SCHEMA = """
[source]
table = "t.parquet"
person = "who"
neighbours = "add-remove"
{declared}
[columns]
g = {{ kind = "integer", range = [1, {cells}] }}
"""


def quantity(low: int, high: int) -> Quantity:
    return Quantity(term=Whole(1), low=low, high=high, step=Fraction(1, 2), nulls=False)


@pytest.mark.parametrize(("low", "high"), [(0, 3), (-3, 0), (-3, 1), (-1, 3), (2, 5), (-5, -2)])
@pytest.mark.parametrize("most", [1, 2, 3])
def test_no_rows_that_a_person_may_have_move_a_total_further_than_it_says(low: int, high: int, most: int) -> None:
    """Every way to have up to that many rows at the ends of the range; sensitivity and spread are attained."""
    held = {sum(values) for n in range(most + 1) for values in itertools.combinations_with_replacement((low, high), n)}
    measure = total(quantity(low, high), most=most)
    assert (measure.low, measure.high) == (min(held), max(held))
    assert measure.sensitivity() == max(abs(value) for value in held)
    assert measure.spread() == max(held) - min(held)


def test_counts_of_rows_and_people_move_by_rows_and_by_one() -> None:
    assert (rows(most=4).sensitivity(), rows(most=4).spread()) == (4, 4)
    assert (people().sensitivity(), people().spread()) == (1, 1)


def test_a_sum_that_one_person_can_fill_beyond_exact_doubles_is_refused() -> None:
    assert total(quantity(0, 2**50), most=4).high == 2**52
    with pytest.raises(BadValue, match=r"more than 2\^52"):
        total(quantity(0, 2**50), most=5)
    with pytest.raises(BadValue, match=r"more than 2\^52"):
        total(quantity(-(2**53), 0), most=1)


@pytest.mark.parametrize(("low", "high"), [(0, 10), (0, 7), (-3, 8), (5, 5), (-9, -2)])
def test_a_centred_quantity_is_symmetric_and_stands_for_the_same_numbers(low: int, high: int) -> None:
    before = quantity(low, high)
    moved, middle = centred(before)
    assert moved.low == -moved.high
    assert middle + moved.step * moved.low == before.step * low
    assert middle + moved.step * moved.high == before.step * high


@pytest.mark.parametrize("groups", [1, 2, 5])
def test_a_person_who_comes_or_goes_is_counted_once_in_each_group(groups: int) -> None:
    (share,) = shares(rows(most=3), neighbours=Neighbours.ADD_REMOVE, groups=groups, cells=100)
    assert (share.touches, share.sensitivity, share.moves, share.squares) == (groups, 3, 1, groups * 9)


@pytest.mark.parametrize(
    ("low", "moves"), [(0, 1), (-3, 2), (-1, 2)], ids=["from zero", "across zero", "a little below zero"]
)
def test_a_replaced_person_may_move_a_cell_twice_where_its_range_crosses_zero(low: int, moves: int) -> None:
    measure = total(quantity(low, 3), most=1)
    first, second = shares(measure, neighbours=Neighbours.REPLACE, groups=2, cells=None)
    assert (first.touches, first.sensitivity, first.moves) == (4, 3, moves)
    assert (second.touches, second.sensitivity, second.moves) == (4, 3 - low, 1)
    assert first.moves * first.sensitivity >= measure.spread()


def _reach(cells: int, declared: str) -> tuple[int, int, bool, bool]:
    schema = Schema.of_text(SCHEMA.format(declared=declared, cells=cells))
    found = reach(read_questions("SELECT g, COUNT(*) AS n FROM data GROUP BY g", schema, aggregates=ALL)[0], schema)
    return found.groups, found.rows, found.bounded, found.proposed


def test_a_person_may_count_in_all_of_a_few_cells_and_must_be_declared_beyond() -> None:
    few = FEW_CELLS - 1  # One more cell holds what is missing.
    assert _reach(few, "rows = 3")[0] in (few, FEW_CELLS)
    assert _reach(few, "rows = 3")[1:] == (3, False, True)
    with pytest.raises(BadValue, match="nothing says in how many she may count"):
        _reach(FEW_CELLS + 1, "rows = 3")
    assert _reach(FEW_CELLS + 1, "rows = 3\ngroups = 2") == (2, 3, True, False)
    with pytest.raises(BadValue, match="nothing says how many may count"):
        _reach(few, "")
