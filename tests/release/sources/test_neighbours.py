"""One person more, less or changed moves the exact aggregates by no more than the plan claims, on every engine."""

import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from banister.release.planning.plan import Plan
from banister.release.run import works
from banister.release.work import Totals
from tests.release.sources.neighbours import added_up, exchanged, less, moved, people, without
from tests.release.sources.places import (
    BOTTOM,
    DAY,
    NEVER,
    ROWS,
    TABLES,
    TOP,
    Place,
    Rows,
    Tables,
    choices,
    planned,
    random_tables,
)
from tests.release.sources.test_conformance import PERSON_QUESTIONS, ROW_QUESTIONS
from tests.seeded import SeededBits
from tests.sizes import LONG, sized

STRANGER: Tables = {
    "data": [
        (0, 10, -5.0, "none", "e", False, BOTTOM, None, 9, -NEVER, TOP),
        (0, 10, -5.0, "it's", "b", False, BOTTOM, None, 9, 790, -TOP),
        (0, 10, -5.0, "it's", "b", True, TOP, None, 8, 0, None),
        (0, 0, 100.0, "free", "a", True, TOP, None, 7, NEVER, 0),
    ],
    "people": [(0, 9), (0, 0), (0, 9)],
}
GROUPED = tuple(question for question in PERSON_QUESTIONS if "GROUP BY plan" in question)
"""Where time is short, the questions to which other bounds on a person make a difference."""
SPARSE = 1 if LONG else 5
"""Every fifth question on Spark, a second each; test_conformance has it give the totals of DuckDB for all of them."""
BOUNDS = ("rows = 2\ngroups = 2", "rows = 1\ngroups = 1", "rows = 3\ngroups = 50")


@pytest.mark.slow
@pytest.mark.parametrize("bounds", BOUNDS)
def test_no_person_moves_more_than_the_plan_says(bounds: str, place: Place) -> None:
    """Every person dropped, and every person changed for a stranger; two tables that each lack somebody else are
    neighbours too, where one person is exchanged for another."""
    asked = place.schema(person=True, bounds=bounds)
    other = place.schema(person=True, bounds=bounds, neighbours="replace")
    first = bounds == BOUNDS[0]
    slow = place.engine == "spark"
    thorough = LONG or (first and not slow)
    everyone = people(TABLES) if place.engine == "duckdb" or thorough else [TOP] if slow else [1, TOP]
    questions = PERSON_QUESTIONS if thorough else GROUPED[::SPARSE] if slow else GROUPED
    plans = [(planned(q, asked), planned(q, other)) for q in questions]

    def results(tables: Tables) -> list[list[list[Totals]]]:
        """For each question what is added up where people come and go, and where they are exchanged: it may differ."""
        source = place.load(asked, tables)
        found = []
        for removal, exchange in plans:
            first = added_up(source, removal)
            found.append([first, first if _same_work(removal, exchange) else added_up(source, exchange)])
        return found

    full = results(TABLES)
    smaller = [results(without(TABLES, who)) for who in everyone]
    changed = [results(exchanged(TABLES, who, STRANGER)) for who in (everyone if thorough else [2])]
    for at, (removal, exchange) in enumerate(plans):
        for one in smaller:
            moved(full[at][0], one[at][0], removal)
        for a, b in itertools.combinations(smaller, 2):
            moved(a[at][1], b[at][1], exchange)
        for one in changed:
            moved(full[at][1], one[at][1], exchange)


def _same_work(removal: Plan, exchange: Plan) -> bool:
    """Whether an engine adds up the same for both, so that it need not do so twice."""
    one, other = (works(plan.parts[0], SeededBits(3)) for plan in (removal, exchange))
    return one == other


@pytest.mark.slow
def test_no_row_moves_more_than_the_plan_says(place: Place) -> None:
    asked = place.schema(person=False)
    other = place.schema(person=False, neighbours="replace")
    questions = ROW_QUESTIONS[::SPARSE] if place.engine == "spark" else ROW_QUESTIONS
    plans = [(planned(q, asked), planned(q, other)) for q in questions]

    def results(rows: Rows) -> list[list[Totals]]:
        source = place.load(asked, {"data": rows})
        return [added_up(source, plan) for plan, _ in plans]

    rows = ROWS if LONG else ROWS[::4] if place.engine == "spark" else ROWS[::2]
    full = results(rows)
    smaller = [results(less(rows, at)) for at in range(len(rows))]
    for at, (removal, exchange) in enumerate(plans):
        for one in smaller:
            moved(full[at], one[at], removal)
        for a, b in itertools.combinations(smaller, 2):
            moved(a[at], b[at], exchange)


WORST: Rows = [
    (1, 10, 100.0, plan, site, True, TOP, None, code, 0, 0)
    for plan, site in (("free", "a"), ("it's", "b"), ("none", "c"))
    for code in range(3)
]


def test_the_claim_is_reached_by_the_worst_person(place: Place) -> None:
    """Otherwise a claim could be far too large, and the tests above would see nothing."""
    asked = place.schema(person=True)
    plan = planned(
        "SELECT plan, COUNT(*), COUNT(DISTINCT who), SUM(visits), COUNT(DISTINCT code), MEDIAN(visits) FROM data "
        "GROUP BY plan",
        asked,
    )
    full = added_up(place.load(asked, {"data": WORST, "people": []}), plan)
    used = moved(full, added_up(place.load(asked, {"data": [], "people": []}), plan), plan)
    assert used == [1.0, 1.0, 1.0, 1.0, 1.0]


RANDOM_ROW = st.tuples(
    st.sampled_from([1, 2, 3, BOTTOM, TOP]),
    st.none() | st.integers(-(2**31), 2**31 - 1),
    st.none() | st.floats(),
    *(st.sampled_from(choices()[name]) for name in ("plan", "site", "ok")),
    st.none() | st.integers(BOTTOM, TOP),
    st.none() | st.decimals(-999999999, 999999999, places=3),
    st.none() | st.integers(-32768, 32767),
    st.none() | st.sampled_from([-NEVER, NEVER]) | st.integers(-719162, 2932896),
    st.none() | st.sampled_from([-TOP, TOP]) | st.integers(-719162 * DAY, 2932896 * DAY),
)
RANDOM_AGE = st.tuples(st.sampled_from([1, 2, 3, BOTTOM, TOP]), st.none() | st.integers(-32768, 32767))


@settings(max_examples=sized(15, 60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(RANDOM_ROW, max_size=12),
    ages=st.lists(RANDOM_AGE, max_size=4),
    question=st.sampled_from(PERSON_QUESTIONS),
    who=st.sampled_from([1, 2, 3, BOTTOM, TOP]),
)
def test_neighbours_of_random_tables(rows: Rows, ages: Rows, question: str, who: int, quick_place: Place) -> None:
    tables = {"data": rows, "people": ages}
    asked = quick_place.schema(person=True)
    plan = planned(question, asked)
    full = added_up(quick_place.load(asked, tables), plan)
    moved(full, added_up(quick_place.load(asked, without(tables, who)), plan), plan)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [11, 12] if LONG else [11])
def test_neighbours_of_seeded_tables(seed: int, other_place: Place) -> None:
    """The same for Spark, which is too slow for hypothesis: tables from a seed."""
    tables = random_tables(seed)
    asked = other_place.schema(person=True)
    questions = PERSON_QUESTIONS[:: SPARSE if other_place.engine == "spark" else 1]
    plans = [planned(question, asked) for question in questions]
    source = other_place.load(asked, tables)
    full = [added_up(source, plan) for plan in plans]
    smaller = other_place.load(asked, without(tables, people(tables)[seed % 5]))
    for before, plan in zip(full, plans, strict=True):
        moved(before, added_up(smaller, plan), plan)


def test_the_choice_of_groups_favours_none(place: Place) -> None:
    """Each of 2000 people has three groups of which one counts: each gets a third, within five deviations."""
    count = 2000
    rows = [
        (who, 1, 1.0, plan, "a", True, 1, None, 1, 0, 0) for who in range(count) for plan in ("free", "it's", "none")
    ]
    asked = place.schema(person=True, bounds="rows = 1\ngroups = 1")
    source = place.load(asked, {"data": rows, "people": []})
    plan = planned("SELECT plan, COUNT(*) FROM data GROUP BY plan", asked)
    for seed in range(5):
        totals = source.totals(works(plan.parts[0], SeededBits(seed))[0]).values[0]
        assert totals.sum() == count
        assert np.abs(totals - count / 3).max() < 5 * (count * 2 / 9) ** 0.5
