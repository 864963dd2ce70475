"""Dates in answers: groups and medians come out as dates, in Python, in files, in the terminal and on the page."""

import datetime
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import banister as bn
from banister.apps.cli import build

SOURCE = """
[source]
table = "t.parquet"
neighbours = "add-remove"

[budget]
epsilon = 1000
delta = 1e-6
ledger = "here.ledger"

[columns]
admitted = { kind = "date", range = [2020-02-10, 2021-06-30], every = "month" }
discharged = { kind = "date", range = [2020-02-10, 2021-12-31] }
"""
QUESTION = (
    "SELECT admitted, YEAR(admitted) AS y, COUNT(*) AS n, MEDIAN(discharged) AS half, "
    "AVG(LEAST(GREATEST(discharged - admitted, 0), 60)) AS days FROM data GROUP BY admitted, y"
)
FIRST = datetime.date(2020, 2, 1)


@pytest.fixture
def here(tmp_path: Path) -> bn.Dataset:
    (tmp_path / "here.toml").write_text(SOURCE)
    days = np.datetime64("2020-02-10") + np.arange(20_000) % 500
    frame = pd.DataFrame({"admitted": days, "discharged": days + np.timedelta64(7, "D")})
    frame.to_parquet(tmp_path / "t.parquet")
    found = bn.open(tmp_path / "here.toml")
    found.create_ledger().close()
    return found


def test_groups_and_medians_are_dates(here: bn.Dataset) -> None:
    answers = here.release(here.plan(QUESTION, epsilon=200))
    assert len(answers.table) == 17 * 2, "every month with every year, also where no row can be"
    row = answers.table[0]
    assert (row["admitted"], row["y"]) == (FIRST, 2020)
    assert row["n"] == pytest.approx(800, abs=5)
    half = row["half"]
    assert isinstance(half, datetime.date)
    assert datetime.date(2020, 2, 24) <= half <= datetime.date(2020, 3, 1)
    assert row["days"] == pytest.approx(7, abs=0.5)
    ends = answers.intervals[0]["half"]
    assert isinstance(ends, tuple)
    assert [type(end) for end in ends] == [datetime.date, datetime.date]


def test_files_hold_dates(here: bn.Dataset, tmp_path: Path) -> None:
    answers = here.release(here.plan(QUESTION, epsilon=1))
    for suffix in ("csv", "json", "parquet"):
        answers.write(tmp_path / f"a.{suffix}")
    assert (tmp_path / "a.csv").read_text().splitlines()[1].startswith("2020-02-01,2020,")
    assert json.loads((tmp_path / "a.json").read_text())["answers"][0]["admitted"] == "2020-02-01"
    stored = pq.read_table(tmp_path / "a.parquet")
    assert {stored.schema.field(name).type for name in ("admitted", "half", "half_low", "half_high")} == {pa.date32()}
    assert stored["admitted"][0].as_py() == FIRST
    frame = answers.to_pandas()
    assert frame["admitted"].dt.year.tolist()[:2] == [2020, 2020]
    assert frame["half_low"].dtype.kind == "M"


def test_names_of_date_columns_are_written_as_they_are(here: bn.Dataset, tmp_path: Path) -> None:
    answers = here.release(
        here.plan('SELECT admitted AS "the ""month""", COUNT(*) AS n FROM data GROUP BY 1', epsilon=1)
    )
    answers.write(tmp_path / "a.parquet")
    assert pq.read_table(tmp_path / "a.parquet")['the "month"'][0].as_py() == FIRST


def test_the_terminal_and_the_page_show_dates(here: bn.Dataset, tmp_path: Path) -> None:
    question = "SELECT DATE_TRUNC('quarter', admitted) AS q, MEDIAN(discharged) AS half FROM data GROUP BY q"
    words = ["release", str(tmp_path / "here.toml"), question, "--epsilon", "200", "--report", str(tmp_path / "a.html")]
    done = CliRunner().invoke(build(), words)
    assert done.exception is None, done.output
    page = (tmp_path / "a.html").read_text()
    for text in (done.output, page):
        assert "2020-01-01" in text
        assert "[2020-" in text
    assert "<svg" not in page, "bars from 0 say nothing about dates"


def test_months_and_their_years_agree(here: bn.Dataset) -> None:
    question = (
        "SELECT admitted, COUNT(*) AS n FROM data GROUP BY admitted; "
        "SELECT YEAR(admitted) AS y, COUNT(*) AS n FROM data GROUP BY y; SELECT COUNT(*) AS n FROM data"
    )
    tables = here.release(here.plan(question, epsilon=1, consistent=True)).tables
    totals = [table.answers["n"].values.sum() for table in tables]
    assert totals[0] == pytest.approx(totals[2], abs=1e-6)
    assert totals[1] == pytest.approx(totals[2], abs=1e-6)
