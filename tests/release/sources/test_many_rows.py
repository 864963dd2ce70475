"""People with more rows than may count: means and deviations are theirs, exactly the same on every engine."""

from collections import defaultdict
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from banister.release.run import works
from tests.release.sources.neighbours import added_up, moved, without
from tests.release.sources.places import Place, Tables, planned
from tests.seeded import SeededBits

QUESTION = "SELECT plan, AVG(visits) AS m, STDDEV_POP(visits) AS d, COUNT(*) AS n FROM data GROUP BY plan"
ROWS = 2
PLANS = ("free", "it's", "none")


def many(people: int = 60) -> Tables:
    """Everybody has from 1 to 9 rows in a group; the more she has, the larger her values."""
    generator = np.random.default_rng(4)
    rows = []
    for who in range(people):
        plan, count = PLANS[who % 3], 1 + who % 9
        values = np.clip(generator.integers(-1, 2, count) + (2 if count < 5 else 7), 0, 10)
        rows += [(who, int(v), 1.0, plan, "a", True, 1, None, 1, 0, 0) for v in values]
    return {"data": rows, "people": []}


def shares(rows: list[int], most: int) -> tuple[Fraction, Fraction]:
    """Rows that count, and their sum: so many times the mean where there are more."""
    count = min(len(rows), most)
    return Fraction(count), Fraction(sum(rows) * count, len(rows))


def truth(tables: Tables, plan: str, most: int) -> float:
    """The mean over the rows that count."""
    values = defaultdict(list)
    for row in tables["data"]:
        if row[3] == plan:
            values[row[0]].append(row[1])
    parts = [shares(one, most) for one in values.values()]  # type: ignore[arg-type]
    return float(sum(total for _, total in parts) / sum(count for count, _ in parts))


@pytest.mark.parametrize("bounds", ["rows = 2\ngroups = 1", "rows = 2\ngroups = 2", "rows = 2\ngroups = 50"])
def test_a_mean_is_not_bent_by_the_clamp(bounds: str, place: Place) -> None:
    """In whole steps a person's part is rounded by half of one at most, so the mean is as near as that."""
    asked, tables = place.schema(person=True, bounds=bounds), many()
    part = planned(QUESTION, asked).parts[0]
    found = place.load(asked, tables).totals(works(part, SeededBits(1))[0]).values
    mean = next(formula for formula in part.formulas if formula.name == "m")
    total, count = mean.pieces
    for cell, plan in enumerate(PLANS):
        answer = float(total.middle) + float(total.step) * found[total.place, cell] / found[count.place, cell]
        assert answer == pytest.approx(truth(tables, plan, ROWS), abs=0.5 * float(total.step))


def test_nobody_moves_more_for_having_many_rows(place: Place) -> None:
    asked, tables = place.schema(person=True), many(18)
    plan = planned(QUESTION, asked)
    full = added_up(place.load(asked, tables), plan)
    for who in (0, 8, 17):
        moved(full, added_up(place.load(asked, without(tables, who)), plan), plan)


def test_a_thousand_rows_of_the_largest_value_leave_no_64_bits(place: Place) -> None:
    """A person's sum goes beyond 64 bits; nothing fails, and her mean is within its range."""
    rows = [(1, 3, 1.0, "free", "a", True, 10**6, None, 1, 0, 0)] * 1000 + [
        (2, 3, 1.0, "free", "a", True, -(10**6), None, 1, 0, 0)
    ] * 7
    asked = place.schema(person=True, bounds="rows = 3\ngroups = 2")
    plan = planned("SELECT plan, AVG(far) AS m, STDDEV(far) AS d FROM data GROUP BY plan", asked)
    part = plan.parts[0]
    found = place.load(asked, {"data": rows, "people": []}).totals(works(part, SeededBits(1))[0]).values
    total, count = next(formula for formula in part.formulas if formula.name == "m").pieces
    assert (found[total.place, 0], found[count.place, 0]) == (0, 6)


def _more(count: int, plan: str) -> list[tuple[object, ...]]:
    return [(7, 1, 1.0, plan, "a", True, 1, None, 1, 0, 0)] * count


@pytest.mark.parametrize(
    "question",
    ["SELECT plan, COUNT(*) FROM data GROUP BY plan", "SELECT site, plan, COUNT(*) FROM data GROUP BY site, plan"],
)
def test_every_engine_counts_the_same_people(question: str, place: Place) -> None:
    """More rows in a group, or more groups, than two; and one person moves the number by 1."""
    asked = place.schema(person=True)
    part = planned(question, asked).parts[0]
    main = works(part, SeededBits(1))[0]
    work = replace(main, measures=(part.measured[0].measure,), beyond=True)
    few = [
        (who, 1, 1.0, plan, "a", True, 1, None, 1, 0, 0) for who in (1, 2) for plan in ("free", "none") for _ in "ab"
    ]
    wide = [(3, 1, 1.0, plan, "a", True, 1, None, 1, 0, 0) for plan in ("free", "none", "it's")]
    for rows, count in ((few, 0), ([*few, *_more(3, "free")], 1), ([*few, *_more(3, "free"), *wide], 2)):
        tables: Tables = {"data": rows, "people": []}
        assert place.load(asked, tables).totals(work).values.tolist() == [[count]]
    assert place.load(asked, without(tables, 7)).totals(work).values.tolist() == [[1]]
