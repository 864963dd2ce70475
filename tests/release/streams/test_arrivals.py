"""What came since the last period: late rows count once, nobody counts too often, and nobody moves anyone else."""

import random
from itertools import pairwise

import numpy as np
import pytest

from banister.questions.measures import Measure, rows
from banister.release.streams.arrivals import Arrivals, arrived
from banister.release.work import Totals

CELLS = 3
KEY = b"a key"
Table = dict[tuple[str, int], int]
"""Rows by person and cell."""


def totals(table: Table) -> Totals:
    there = [(person, cell, n) for (person, cell), n in table.items() if n]
    random.Random(len(there)).shuffle(there)  # Engines give rows in any order.
    counts = np.array([n for _, _, n in there], dtype=np.int64)
    return Totals(
        values=np.array([counts, counts, counts]).reshape(3, len(there)),
        labels=None,
        people=tuple(person for person, _, _ in there),
        cells=np.array([cell for _, cell, _ in there], dtype=np.int64),
    )


def run(tables: list[Table], *, most: int = 5, groups: int = CELLS, many: int = 9) -> list[list[int]]:
    measures: list[Measure] = [rows(most=most)]
    state, found = Arrivals.none(1), []
    for table in tables:
        state, (came,) = arrived(state, totals(table), measures, cells=CELLS, groups=groups, many=many, key=KEY)
        found.append(came)
    return found


def test_what_was_seen_does_not_count_again_and_late_rows_count_in_the_next_period() -> None:
    assert run([{("ann", 0): 1}, {("ann", 0): 1}, {("ann", 0): 3, ("bob", 1): 1}]) == [[1, 0, 0], [0, 0, 0], [2, 1, 0]]


def test_nobody_counts_in_more_periods_than_declared() -> None:
    tables = [{("ann", 0): n, ("bob", 1): min(n, 2)} for n in (1, 2, 3, 4)]
    assert run(tables, many=2) == [[1, 1, 0], [1, 1, 0], [0, 0, 0], [0, 0, 0]]


def test_a_part_is_held_in_the_bounds_of_a_period() -> None:
    assert run([{("ann", 0): 9}, {("ann", 0): 11}], most=4) == [[4, 0, 0], [2, 0, 0]]


def test_what_is_taken_away_is_not_taken_back() -> None:
    tables: list[Table] = [{("ann", 0): 3}, {("ann", 0): 1}, {}, {("ann", 0): 2}]
    assert run(tables) == [[3, 0, 0], [0, 0, 0], [0, 0, 0], [2, 0, 0]]


def test_of_many_new_groups_so_many_count_each_with_the_same_chance() -> None:
    people = [f"p{i}" for i in range(3000)]
    everybody: Table = {(person, cell): 1 for person in people for cell in range(CELLS)}
    (came,) = run([everybody], groups=2)
    assert sum(came) == 2 * len(people)
    # Each cell is one of two of three: 2000 ± 5 deviations of 25.8.
    assert all(abs(n - 2000) < 130 for n in came)


@pytest.mark.parametrize("seed", range(40))
def test_a_person_moves_no_one_else_and_no_more_than_is_paid_for(seed: int) -> None:
    """Whatever is done to the table, with and without her: what differs is within the bounds that are charged."""
    chance = random.Random(seed)
    people = ["ann", "bob", "cy", "her"]
    tables = [{(p, c): chance.choice((0, 0, 1, 2, 7)) for p in people for c in range(CELLS)} for _ in range(8)]
    without = [{key: n for key, n in table.items() if key[0] != "her"} for table in tables]
    bounds = {"most": 2, "groups": 2, "many": 3}
    moved = [
        [a - b for a, b in zip(one, other, strict=True)]
        for one, other in zip(run(tables, **bounds), run(without, **bounds), strict=True)
    ]
    assert sum(any(period) for period in moved) <= 3
    assert all(sum(x != 0 for x in period) <= 2 and all(0 <= x <= 2 for x in period) for period in moved)
    assert any(any(period) for period in moved)


def test_sums_beyond_64_bits_are_whole() -> None:
    big = 2**52
    state = Arrivals.none(1)
    many = 5000
    values = np.array([np.ones(many), np.full(many, big), np.ones(many)], dtype=np.int64)
    now = Totals(
        values=values,
        labels=None,
        people=tuple(f"p{i}" for i in range(many)),
        cells=np.zeros(many, dtype=np.int64),
    )
    measure = rows(most=big)
    _, (came,) = arrived(state, now, [measure], cells=1, groups=1, many=1, key=KEY)
    assert came == [many * big]
    assert many * big > 2**63
    assert all(a <= b for a, b in pairwise([0, *came]))
