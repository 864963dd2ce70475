"""Grouping by expressions: the cells are what was written, every engine counts each row where Python would, once."""

from collections import Counter
from collections.abc import Callable
from datetime import date, timedelta

import pytest

from banister.questions.question import Label
from banister.release.run import cell_labels, works
from tests.release.sources.places import ROWS, TABLES, Place, planned
from tests.seeded import SeededBits

Row = tuple[object, ...]


def _visits(row: Row) -> int | None:
    return None if row[1] is None else min(max(int(str(row[1])), 0), 10)


def _told(row: Row) -> Label:
    visits = _visits(row)
    if visits is not None and visits < 3:
        return "few"
    return "own" if row[5] is True else None


def _above(row: Row) -> Label:
    visits = _visits(row)
    return None if visits is None else visits > 3


def _rest(row: Row) -> Label:
    visits = _visits(row)
    return None if visits is None else visits % 4 - 1


def _weekday(row: Row) -> Label:
    if row[9] is None:
        return None
    first, last = date(1969, 11, 15), date(1972, 3, 20)
    epoch = date(1970, 1, 1)
    days = min(max(int(str(row[9])), (first - epoch).days), (last - epoch).days)
    return (epoch + timedelta(days=days)).isoweekday()


CASES: list[tuple[str, tuple[Label, ...], Callable[[Row], Label]]] = [
    ("CASE WHEN visits < 3 THEN 'few' WHEN ok = TRUE THEN 'own' END", ("few", "own"), _told),
    ("visits > 3", (False, True), _above),
    ("NOT visits <= 3", (False, True), _above),
    ("MOD(visits, 4) - 1", (-1, 0, 1, 2), _rest),
    ("ISODOW(came)", (1, 2, 3, 4, 5, 6, 7), _weekday),
    ("CASE visits WHEN 5 THEN 10 ELSE 1000 END", (10, 1000), lambda row: 10 if row[1] == 5 else 1000),
]


@pytest.mark.parametrize(("key", "cells", "meant"), CASES, ids=[key for key, _, _ in CASES])
@pytest.mark.parametrize("how", ["k", "1", "ALL"])
def test_a_row_is_counted_where_its_expression_says(
    key: str, cells: tuple[Label, ...], meant: Callable[[Row], Label], how: str, quick_place: Place
) -> None:
    asked = quick_place.schema(person=False)
    plan = planned(f"SELECT {key} AS k, COUNT(*) AS n FROM data GROUP BY {how}", asked)
    part = plan.parts[0]
    assert [label for (label,) in cell_labels(part.question.axes)] == list(cells)
    totals = quick_place.load(asked, TABLES).totals(works(part, SeededBits(1))[0])
    expected = Counter(meant(row) for row in ROWS)
    assert totals.values[0].tolist() == [expected[cell] for cell in cells]
