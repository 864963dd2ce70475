"""Rows of days: each is the estimate of its own day, and those of days that are over are not worked out again."""

import numpy as np
import pytest

from banister.apps.collect import days
from banister.apps.collect.book import Running
from banister.apps.collect.days import DayRows
from banister.local import RandomizedResponse
from banister.local.collect.repeat import Repetition
from banister.local.collect.tally import Tally, estimate, tally
from tests.local.collect.campaigns import signed

TWO = RandomizedResponse(1, categories=2)


def counted(ones: int, zeros: int) -> Tally:
    return tally(TWO, Repetition("once"), np.array([1] * ones + [0] * zeros))


def test_a_row_is_the_estimate_of_its_day_and_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []

    def watched(channel: object, repetition: object, found: Tally) -> object:
        made.append(found.reports)
        return estimate(channel, repetition, found)  # type: ignore[arg-type]

    monkeypatch.setattr(days, "estimate", watched)
    rows, running = DayRows(), Running(1, signed(TWO), False)
    hours = [(24 * 100, counted(30, 10)), (24 * 100 + 23, counted(20, 40)), (24 * 101, counted(5, 5))]
    first = rows.of(running, 0, hours)
    assert [(when, count) for when, count, _ in first] == [("1970-04-12", 10), ("1970-04-11", 100)]
    assert first[0][2][0].startswith("50.0 [")
    assert rows.of(running, 0, hours) == first
    assert made == [10, 100]
    later = rows.of(running, 0, [*hours[:2], (24 * 101, counted(5, 6))])
    assert later[0][1] == 11
    assert later[1] is first[1]
    assert made == [10, 100, 11]
    assert rows.of(running, 1 - 1, [(24 * day, counted(1, 1)) for day in range(40)])[-1][0] == "1970-01-11"
