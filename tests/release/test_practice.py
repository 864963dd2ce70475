"""The practice table depends on the schema alone, holds to it, and costs nothing."""

from pathlib import Path

import numpy as np
import pytest

import banister as bn
from banister.errors import BadValue
from banister.release.demo import write_demo
from banister.release.practice import WORDS, practice_frames
from banister.tables.schema import Schema

SCHEMA = """
[source]
table = "gone.csv"
person = "who"
neighbours = "add-remove"
rows = 2
groups = 1
[budget]
epsilon = 1
delta = 1e-6
ledger = "a.ledger"
[columns]
age = { kind = "integer", range = [18, 90], nulls = false }
weight = { kind = "number", range = [-1, 2], step = 0.25 }
town = { kind = "category", values = ["a", "b"], nulls = false }
free = { kind = "category" }
day = { kind = "date", range = [2020-01-01, 2020-02-01] }
"""


def test_every_value_is_one_that_the_schema_allows() -> None:
    frame = practice_frames(Schema.of_text(SCHEMA), people=500)["data"]
    assert list(frame) == ["who", "age", "weight", "town", "free", "day"]
    assert np.bincount(frame["who"])[1:].tolist() == [2] * 500
    assert set(frame["age"].tolist()) == set(range(18, 91))
    weights = frame["weight"][~np.isnan(frame["weight"])]
    assert set((weights * 4).tolist()) == set(range(-4, 9))
    assert 0 < np.isnan(frame["weight"]).sum() < 200
    assert set(frame["town"].tolist()) == {"a", "b"}
    days = frame["day"][~np.isnat(frame["day"])].astype("datetime64[D]")
    assert (str(days.min()), str(days.max())) == ("2020-01-01", "2020-02-01")


def test_it_is_the_same_for_the_same_schema_whatever_the_table_holds(tmp_path: Path) -> None:
    """There is no table at all, so nothing can have been read from one."""
    path = tmp_path / "a.toml"
    path.write_text(SCHEMA, encoding="utf-8")
    one, two = (practice_frames(Schema.of_file(path)) for _ in range(2))
    assert all((one["data"][name].astype(str) == two["data"][name].astype(str)).all() for name in one["data"])
    table = bn.open(path)
    plan = table.plan("SELECT town, COUNT(*), AVG(age) FROM data GROUP BY town", epsilon="0.5")
    trial = table.practice(people=50)
    assert len(trial.release(plan).table) == 2
    assert trial.words == WORDS
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(BadValue, match="people = 0 must be a whole number from 1"):
        table.practice(people=0)


def test_a_plan_that_was_tried_is_the_one_that_is_paid_for(tmp_path: Path) -> None:
    table = bn.open(write_demo(tmp_path)[1])
    plan = table.plan("SELECT plan, COUNT(*) FROM data GROUP BY plan", epsilon="0.5")
    for _ in range(3):
        table.practice().release(plan)
    assert table.awaits_ledger()
    assert table.release(plan).remaining.charges == 1
