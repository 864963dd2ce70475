"""Streams on every engine: from the same rows and the same bits, period by period, the same answers."""

from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pyarrow as pa
import pytest

from banister.errors import BadValue
from banister.release import Dataset, open_stream, plan_stream, start_stream
from banister.release import open as open_dataset
from banister.release.streams.example import SCHEMA
from tests.release.sources.conftest import SPARK
from tests.seeded import SeededBits

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SQL = "SELECT COUNT(*) AS visits FROM data"
MONDAY = date(2026, 1, 5)
ROWS = [(who, MONDAY + timedelta(days=who % 27)) for who in range(60)] + [(7, MONDAY), (8, MONDAY + timedelta(30))]
LATE = [(1000 + n, MONDAY) for n in range(25)]
"""People whose rows come when the first week is over."""

Write = Callable[[list[tuple[int, date]]], Dataset]


def described(folder: Path, table: str) -> Path:
    text = SCHEMA.replace("EVERY", "week").replace("PERIODS", "4").replace('table = "visits.csv"', table)
    folder.mkdir(exist_ok=True)
    (folder / "visits.toml").write_text(text)
    return folder / "visits.toml"


def on_duckdb(folder: Path) -> Write:
    path = described(folder, 'table = "visits.csv"')

    def write(rows: list[tuple[int, date]]) -> Dataset:
        (folder / "visits.csv").write_text("id,day\n" + "".join(f"{who},{day}\n" for who, day in rows))
        return open_dataset(path)

    return write


def on_postgres(folder: Path, address: str) -> Write:
    path = described(folder, f'table = "{address}"\nname = "stream_visits"')

    def write(rows: list[tuple[int, date]]) -> Dataset:
        with psycopg.connect(address) as connection:
            connection.execute("DROP TABLE IF EXISTS stream_visits")
            connection.execute("CREATE TABLE stream_visits (id BIGINT, day DATE)")
            connection.cursor().executemany("INSERT INTO stream_visits VALUES (%s, %s)", rows)
        return open_dataset(path)

    return write


def on_spark(folder: Path, session: "SparkSession") -> Write:
    path = described(folder, 'table = "spark:visits"')

    def write(rows: list[tuple[int, date]]) -> Dataset:
        ids, days = zip(*rows, strict=True)
        given = pa.table({"id": pa.array(ids, pa.int64()), "day": pa.array(days, pa.date32())})
        return open_dataset(path, data=session.createDataFrame(given).coalesce(1))

    return write


def released(write: Write) -> list[list[float]]:
    """Two weeks, of which the second is asked twice, with late rows after the first."""
    dataset = write(ROWS)
    start_stream(dataset, plan_stream(dataset, SQL, epsilon="0.5", delta="1e-6"), name="weekly")
    found = []
    for week, rows in ((1, ROWS), (2, ROWS + LATE), (2, ROWS)):
        stream = open_stream(write(rows), name="weekly")
        found.append(stream.release(week, bits=SeededBits(week)).table.answers["visits"].values.tolist())
    with pytest.raises(BadValue, match=r"has periods 1 to 4, and 5 is none of them\. Nothing was drawn"):
        stream.release(5)
    assert found[1] == found[2]
    with dataset.ledger() as ledger:
        assert len(ledger.history()) == 3  # One charge and two periods.
    return found


@pytest.mark.parametrize("engine", ["postgres", SPARK])
def test_a_stream_gives_the_same_on_every_engine(engine: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    there = tmp_path / engine
    write = (
        on_postgres(there, request.getfixturevalue("postgres"))
        if engine == "postgres"
        else on_spark(there, request.getfixturevalue("spark"))
    )
    assert released(write) == released(on_duckdb(tmp_path / "duckdb"))
