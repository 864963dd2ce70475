"""A sanitized copy is asked: the right cells, unbiased sums, intervals that hold, and plain refusals."""

import itertools
import math
from fractions import Fraction
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from banister import Guarantee, Ledger, Neighbours, plan_sanitize, sanitize
from banister.apps.cli import build
from banister.core.laws.histograms import log_normaliser
from banister.errors import BadValue
from banister.publish.asking import ask, read_raw
from banister.publish.linear import half_width, linear_deviation
from banister.publish.noise import FixedTotal, PerCell
from banister.publish.table import Sanitized
from banister.tables.columns import Kind
from banister.tables.domain import Attribute, Domain

DOMAIN = Domain(
    (
        Attribute(name="plan", kind=Kind.CATEGORY, values=("basic", "full"), nulls=True),
        Attribute(name="age", kind=Kind.INTEGER, edges=(0, 18, 19, 65), nulls=False),
    )
)
TABLE = pd.DataFrame({"plan": ["basic"] * 30 + ["full"] * 50 + [None] * 20, "age": [10, 18, 40, 64] * 25})


def made(neighbours: Neighbours = Neighbours.REPLACE, epsilon: str = "1") -> Sanitized:
    cost = Guarantee(epsilon)
    book = Ledger.create("memory:", budget=cost, neighbours=neighbours, questions=[(cost, 1)])
    plan = plan_sanitize(DOMAIN, epsilon=epsilon, neighbours=neighbours)
    return sanitize(plan, TABLE, ledger=book)[0]


@pytest.fixture
def public(tmp_path: Path) -> tuple[Sanitized, Path]:
    copy = made()
    copy.write(tmp_path / "public.parquet")
    return copy, tmp_path / "public.parquet"


def test_what_was_drawn_comes_back(public: tuple[Sanitized, Path]) -> None:
    copy, path = public
    raw = read_raw(path)
    assert raw.domain == copy.plan.domain
    assert raw.noise == copy.plan.noise
    assert np.array_equal(raw.noisy, copy.noisy)


def test_groups_are_sums_of_raw_counts(public: tuple[Sanitized, Path]) -> None:
    copy, path = public
    grid = copy.noisy.reshape(3, 3)
    found = ask(path, "SELECT plan, COUNT(*) AS people, SUM(age) FROM copy WHERE age >= 18 GROUP BY plan")
    assert found.keys == ("plan",)
    # The cells of age are 0 to 17, 18 alone and 19 to 64; the last is asked at its middle, 41.
    for row, code in zip(found.rows, (2, 0, 1), strict=True):
        assert row.keys == ((None, "basic", "full")[(2, 0, 1).index(code)],)
        people, years = row.answers
        assert people.value == grid[code, 1] + grid[code, 2]
        assert years.value == 18 * grid[code, 1] + 41 * grid[code, 2]
        assert people.low < people.value < people.high
        assert people.name == "people"


def test_the_total_of_replaced_records_is_exact_and_repaired_numbers_are_those_of_the_records(
    public: tuple[Sanitized, Path],
) -> None:
    copy, path = public
    (row,) = ask(path, "SELECT COUNT(*) FROM copy").rows
    assert (row.answers[0].low, row.answers[0].high, row.answers[0].repaired) == (100, 100, 100)
    repaired = copy.counts.reshape(3, 3)[1].sum()
    (full,) = ask(path, "SELECT COUNT(*) FROM copy WHERE plan = 'full'").rows
    assert full.answers[0].repaired in (repaired, None if repaired == 0 else repaired)


def test_a_total_that_is_secret_has_an_interval(tmp_path: Path) -> None:
    made(Neighbours.ADD_REMOVE).write(tmp_path / "open.parquet")
    (row,) = ask(tmp_path / "open.parquet", "SELECT COUNT(*) FROM copy").rows
    assert row.answers[0].low < row.answers[0].value < row.answers[0].high


@pytest.mark.parametrize("weights", [(1, 0, 0), (1, 1, 0), (2, -1, 0), (1, 3, 7)])
def test_an_interval_holds_for_noise_with_a_fixed_total(weights: tuple[int, ...]) -> None:
    """All z with sum 0 that matter, with their exact chances."""
    noise, theta = FixedTotal(cells=3, epsilon=Fraction(1)), math.exp(-1)
    width = half_width(noise, np.array(weights, dtype=float), confidence="0.9")
    scale, inside, square = math.exp(log_normaliser(3, 1)), 0.0, 0.0
    for a, b in itertools.product(range(-40, 41), repeat=2):
        z = (a, b, -a - b)
        chance = theta ** (sum(map(abs, z)) / 2) / scale
        moved = sum(w * x for w, x in zip(weights, z, strict=True))
        inside += chance * (abs(moved) <= width)
        square += chance * moved**2
    assert 0.9 <= inside <= 1
    assert width <= 3.6 * math.sqrt(square), "it is not useless either"
    assert linear_deviation(noise, np.array(weights, dtype=float)) == pytest.approx(math.sqrt(square), rel=1e-9)


@pytest.mark.parametrize("weights", [(1.0,), (1.0, 1.0), (1.0, 2.0)])
def test_an_interval_holds_for_independent_noise(weights: tuple[float, ...]) -> None:
    noise = PerCell(cells=len(weights), epsilon=Fraction(1), neighbours=Neighbours.ADD_REMOVE)
    width, a = half_width(noise, np.array(weights), confidence="0.95"), math.exp(-1)
    inside = square = 0.0
    for z in itertools.product(range(-40, 41), repeat=len(weights)):
        chance = math.prod((1 - a) / (1 + a) * a ** abs(x) for x in z)
        moved = sum(w * x for w, x in zip(weights, z, strict=True))
        inside += chance * (abs(moved) <= width)
        square += chance * moved**2
    assert inside >= 0.95
    assert linear_deviation(noise, np.array(weights)) == pytest.approx(math.sqrt(square), rel=1e-9)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("SELECT AVG(age) FROM copy", "'AVG\\(age\\)' is neither a count, a sum nor a key"),
        ("SELECT COUNT(DISTINCT plan) FROM copy", "is neither a count, a sum nor a key"),
        ("SELECT plan FROM copy GROUP BY plan", "The question asks for no number"),
        ("SELECT COUNT(*) FROM copy HAVING COUNT(*) > 3", "A copy is asked in one plain form"),
        ("SELECT COUNT(*) FROM (SELECT * FROM copy)", "A copy is asked in one plain form"),
        ("DELETE FROM copy", "A copy is asked in one plain form"),
        ("SELECT COUNT(* FROM", "The question cannot be read as SQL"),
        ("SELECT COUNT(*) FROM copy WHERE height > 3", "The copy cannot answer that"),
    ],
)
def test_other_questions_are_refused(public: tuple[Sanitized, Path], question: str, words: str) -> None:
    with pytest.raises(BadValue, match=words):
        ask(public[1], question)


def test_files_without_raw_counts_are_refused(tmp_path: Path) -> None:
    made().write(tmp_path / "public.csv")
    with pytest.raises(BadValue, match="keeps no raw noisy counts"):
        ask(tmp_path / "public.csv", "SELECT COUNT(*) FROM copy")
    target = tmp_path / "other.parquet"
    duckdb.sql(f"COPY (SELECT 1 AS plan) TO '{target}' (FORMAT parquet)")
    with pytest.raises(BadValue, match="keeps no raw noisy counts"):
        ask(target, "SELECT COUNT(*) FROM copy")
    duckdb.sql(f"COPY (SELECT 1 AS plan) TO '{target}' (FORMAT parquet, KV_METADATA {{banister: '{{\"noisy\": 3}}'}})")
    with pytest.raises(BadValue, match="it was changed after it was made"):
        ask(target, "SELECT COUNT(*) FROM copy")


def test_the_command_answers(public: tuple[Sanitized, Path]) -> None:
    done = CliRunner().invoke(build(), ["ask", str(public[1]), "SELECT plan, COUNT(*) FROM copy GROUP BY plan"])
    assert done.exit_code == 0
    assert "basic" in done.stdout
    assert "Each interval holds with a chance of at least 0.95" in done.stdout
