"""COVAR, CORR and REGR_SLOPE: near the exact numbers where noise is small, inside their intervals where it is not."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from banister.errors import Refused
from banister.release.dataset import Dataset
from banister.tables.schema import Schema
from tests.seeded import SeededBits

TEXT = """
[source]
table = "rows.parquet"
neighbours = "add-remove"
[budget]
epsilon = 10000
ledger = "memory:"
[columns]
x = { kind = "integer", range = [0, 100] }
y = { kind = "number", range = [-50, 150], step = 0.5 }
"""
ASKED = (
    "SELECT CORR(x, y) AS r, COVAR_POP(x, y) AS c, COVAR_SAMP(x, y) AS s, REGR_SLOPE(y, x) AS b, "
    "CORR(x, y) FILTER (WHERE x < 50) AS half FROM data"
)


def table(rows: int) -> tuple[Dataset, np.ndarray, np.ndarray]:
    chance = np.random.default_rng(5)
    x = chance.integers(0, 101, rows)
    y = np.clip(np.round((0.7 * x + chance.normal(0, 15, rows)) * 2) / 2, -50, 150)
    gone = chance.random(rows) < 0.1
    frame = pa.table(
        {"x": pa.array(x.tolist()), "y": pa.array([None if g else v for g, v in zip(gone, y, strict=True)])}
    )
    schema = Schema.of_text(TEXT).for_questions()
    return Dataset(schema, folder=Path(), frames={"data": frame}), x[~gone].astype(float), y[~gone]


def test_with_little_noise_they_are_the_exact_numbers() -> None:
    data, x, y = table(4000)
    answers = data.release(data.plan(ASKED, epsilon=400), ledger=data.trial_ledger(), bits=SeededBits(1))
    (found,) = answers.table
    exact = np.cov(x, y, bias=True)
    assert found["c"] == pytest.approx(exact[0, 1], rel=1e-3)
    assert found["s"] == pytest.approx(np.cov(x, y)[0, 1], rel=1e-3)
    assert found["r"] == pytest.approx(np.corrcoef(x, y)[0, 1], rel=1e-3)
    assert found["b"] == pytest.approx(exact[0, 1] / exact[0, 0], rel=1e-3)
    near = x < 50
    assert found["half"] == pytest.approx(np.corrcoef(x[near], y[near])[0, 1], rel=1e-2)


def test_with_noise_the_intervals_hold_the_exact_numbers() -> None:
    data, x, y = table(4000)
    plan = data.plan("SELECT COVAR_POP(x, y) AS c, CORR(x, y) AS r FROM data", epsilon=2)
    exact = {"c": np.cov(x, y, bias=True)[0, 1], "r": np.corrcoef(x, y)[0, 1]}
    held = 0
    for seed in range(4):
        (drawn,) = data.release(plan, ledger=data.trial_ledger(), bits=SeededBits(seed)).tables
        for name, value in exact.items():
            answer = drawn.answers[name]
            held += bool(answer.low[0] <= value <= answer.high[0])
            assert -1 <= drawn.answers["r"].low[0] <= drawn.answers["r"].high[0] <= 1
    assert held >= 6  # Of 8, at 95 % and more.


def test_a_plan_foresees_the_error() -> None:
    data, x, y = table(4000)
    plan = data.plan("SELECT COVAR_POP(x, y) AS c FROM data", epsilon=1)
    exact = np.cov(x, y, bias=True)[0, 1]
    errors = []
    for seed in range(4):
        (row,) = data.release(plan, ledger=data.trial_ledger(), bits=SeededBits(seed)).table
        errors.append(row["c"] - exact)
    assert 0.2 < np.sqrt(np.mean(np.square(errors))) < 20


def test_what_cannot_vary_is_refused() -> None:
    data, *_ = table(4)
    with pytest.raises(Refused, match="the answer is known without the table"):
        data.plan("SELECT CORR(x, 3) FROM data", epsilon=1)
    with pytest.raises(Refused, match="dates cannot be added up"):
        data.plan("SELECT COVAR_POP(x, DATE '2020-01-01') FROM data", epsilon=1)
