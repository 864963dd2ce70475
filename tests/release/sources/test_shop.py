"""Several tables, public ones, subqueries and windows: the same on every engine, and nobody moves more than is said."""

from pathlib import Path

import numpy as np
import pytest

from banister.release.run import works
from banister.release.work import Source, Totals
from tests.release.sources.neighbours import added_up, exchanged, moved, people, without
from tests.release.sources.places import Place, Tables, in_duckdb, planned
from tests.release.sources.shop import SHOP_QUESTIONS, shop_schema, shop_tables
from tests.release.sources.test_conformance import exact
from tests.seeded import SeededBits


def test_every_question_about_the_shop_gives_the_same_on_every_engine(other_place: Place, tmp_path: Path) -> None:
    here, there = shop_schema("data.parquet"), shop_schema(other_place.data)
    for seed in (1,):
        given = shop_tables(seed)
        duck, engine = in_duckdb(here, given, tmp_path), other_place.load(there, given)
        for question in SHOP_QUESTIONS:
            assert exact(engine, there, question) == exact(duck, here, question), question


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
def test_no_person_moves_more_than_the_plan_says(neighbours: str, tmp_path: Path) -> None:
    """Over random small tables: people gone, or exchanged for others who hold some of the same keys."""
    asked = shop_schema("data.parquet", neighbours=neighbours, bounds="rows = 1\ngroups = 1")
    plans = {question: planned(question, asked) for question in SHOP_QUESTIONS}
    most = dict.fromkeys(SHOP_QUESTIONS, 0.0)

    def all_added_up(tables: Tables) -> dict[str, list[Totals]]:
        source = in_duckdb(asked, tables, tmp_path)
        return {question: added_up(source, plan) for question, plan in plans.items()}

    for seed in (0, 1, 5):
        tables, stranger = shop_tables(seed), shop_tables(seed + 1000)
        full = all_added_up(tables)
        for who in people(tables)[2:4]:
            near = without(tables, who) if neighbours == "add-remove" else exchanged(tables, who, stranger)
            for question, found in all_added_up(near).items():
                most[question] = max(most[question], *moved(full[question], found, plans[question]))
    assert not [question for question, share in most.items() if share == 0], "what nobody moves tests nothing"


def test_guarded_values_add_up_to_the_same(tmp_path: Path) -> None:
    asked = shop_schema("data.parquet")
    source = in_duckdb(asked, shop_tables(3), tmp_path)
    for question in SHOP_QUESTIONS:
        for work in works(planned(question, asked).parts[0], SeededBits(5)):
            plain, slow = source.totals(work), source.guarded_totals(work)  # type: ignore[attr-defined]
            assert plain.labels == slow.labels
            assert np.array_equal(plain.values, slow.values), question


def count(source: Source, question: str, data: str = "data.parquet", bounds: str = "rows = 9\ngroups = 9") -> list[int]:
    asked = shop_schema(data, bounds=bounds)
    (totals,) = added_up(source, planned(question, asked))
    return [int(value) for value in totals.values[0]]


ORDERS = [(1, 100, 2, "web"), (1, 100, 3, "web"), (2, 100, 2, "shop"), (3, 101, 4, None), (None, 102, 1, "web")]
ITEMS = [(100, "a", 1, "i1"), (100, "b", 2, "i2"), (101, "a", 5, "i1"), (102, "a", 5, "i4"), (999, "a", 1, "i5")]
SMALL: Tables = {"data": [], "people": [], "orders": ORDERS, "items": ITEMS, "parts": [("i1", 7), ("i2", 1), ("i4", 3)]}


def test_a_key_that_several_hold_gives_its_rows_to_each(place: Place) -> None:
    """Two items of order 100 belong to 1 and to 2, one of 101 to 3; those of nobody's orders are left out."""
    source = place.load(shop_schema(place.data), SMALL)
    assert count(source, "SELECT COUNT(*) FROM items", place.data) == [5]
    assert count(source, "SELECT COUNT(DISTINCT who) FROM items", place.data) == [3]
    # i1 is held by 1, 2 and 3, i2 by 1 and 2.
    assert count(source, "SELECT COUNT(*) FROM parts", place.data) == [5]
    pairs = "SELECT COUNT(*) FROM orders JOIN items ON orders.oid = items.oid"
    assert count(source, pairs, place.data) == [7]  # As in SQL: two rows of order 100 by 1 and one by 2, times two.
