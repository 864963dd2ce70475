"""Dates as engines store them: what is read, on which day a timestamp falls, and what is refused up front."""

import datetime
from pathlib import Path

import pandas as pd
import polars as pl
import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from banister.errors import BadValue
from banister.release.run import works
from banister.release.sources.duckdb import DuckDBSource
from banister.release.sources.open import open_source
from banister.release.work import Source
from banister.tables.schema import Schema
from tests.release.sources.conftest import SPARK
from tests.release.sources.places import planned
from tests.seeded import SeededBits

TEXT = """
[source]
table = "{table}"
neighbours = "add-remove"
[columns]
d = {{ kind = "date", range = [1969-12-31, 1970-01-02] }}
"""
DAY = datetime.timedelta(days=1)
EPOCH = datetime.datetime(1970, 1, 1)
TIMES = [EPOCH - DAY / 2, EPOCH, EPOCH + DAY / 2, EPOCH + 9 * DAY, None]
"""One on the last day of 1969, two on 1 January 1970, one after the range, one missing."""
COUNTS = [[1, 2, 1]]


def schema(table: str = "t.parquet") -> Schema:
    return Schema.of_text(TEXT.format(table=table))


def counts(source: Source, asked: Schema) -> list[list[int]]:
    work = works(planned("SELECT d, COUNT(*) FROM data GROUP BY d", asked).parts[0], SeededBits(1))[0]
    found: list[list[int]] = source.totals(work).values.tolist()
    return found


def test_every_way_to_keep_dates_gives_the_same(tmp_path: Path) -> None:
    asked, dates = schema(), [None if time is None else time.date() for time in TIMES]
    frames = [
        pd.DataFrame({"d": TIMES}),
        pd.DataFrame({"d": dates}),
        pl.DataFrame({"d": dates}),
        pl.DataFrame({"d": TIMES}),
        *(pa.table({"d": pa.array(TIMES, type=pa.timestamp(unit))}) for unit in ("s", "ms", "us", "ns")),
    ]
    for frame in frames:
        assert counts(DuckDBSource(asked, folder=tmp_path, frames={"data": frame}), asked) == COUNTS
    for kind in (pa.timestamp("ms"), pa.timestamp("us"), pa.timestamp("ns"), pa.date64()):
        pq.write_table(
            pa.table({"d": pa.array(TIMES, type=pa.timestamp("us")).cast(kind, safe=False)}), tmp_path / "t.parquet"
        )
        assert counts(DuckDBSource(asked, folder=tmp_path, frames={}), asked) == COUNTS


def test_a_csv_file_is_read_without_failing(tmp_path: Path) -> None:
    """What is no date is missing, what is far away is held at the end of the range."""
    lines = ["1969-12-31", "1970-01-01", "1970-01-01 23:59:59", "infinity", "1970-02-30", "yesterday", ""]
    (tmp_path / "t.csv").write_text("d,e\n" + "".join(f"{line},1\n" for line in lines))
    asked = schema("t.csv")
    assert counts(DuckDBSource(asked, folder=tmp_path, frames={}), asked) == COUNTS


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_no_time_is_too_far_away(unit: str, tmp_path: Path) -> None:
    """Times so far away that DuckDB has no day for them are missing; the others are held at the ends."""
    asked, top = schema(), 2**63 - 1
    rows = pa.table({"d": pa.array([0, top, -top, top - 1, -top - 1], type=pa.timestamp(unit))})
    found = counts(DuckDBSource(asked, folder=tmp_path, frames={"data": rows}), asked)
    assert found == ([[2, 1, 2]] if unit in ("us", "ns") else [[1, 1, 1]])


ZONED = "Column 'd' is declared as date, and holds timestamps with a time zone, whose day depends on where one is. "


def test_columns_that_are_no_dates_are_refused(tmp_path: Path) -> None:
    text = pd.DataFrame({"d": ["1970-01-01"]})
    with pytest.raises(BadValue, match=r"declared as date, and holds text. It would need dates or timestamps without"):
        counts(DuckDBSource(schema(), folder=tmp_path, frames={"data": text}), schema())
    with pytest.raises(BadValue, match="declared as date, and holds whole numbers"):
        counts(DuckDBSource(schema(), folder=tmp_path, frames={"data": pd.DataFrame({"d": [1]})}), schema())
    zoned = pd.DataFrame({"d": pd.to_datetime(["1970-01-01"], utc=True)})
    with pytest.raises(BadValue, match=ZONED):
        counts(DuckDBSource(schema(), folder=tmp_path, frames={"data": zoned}), schema())


def test_postgres_says_which_timestamps_have_a_zone(postgres: str, tmp_path: Path) -> None:
    asked = schema(postgres)
    for kind in ("TIMESTAMPTZ", "TIMESTAMP", "DATE"):
        with psycopg.connect(postgres) as connection:
            connection.execute("DROP TABLE IF EXISTS data")
            connection.execute(f"CREATE TABLE data (d {kind})".encode())
            connection.cursor().executemany("INSERT INTO data VALUES (%s)", [(time,) for time in TIMES])
        if kind == "TIMESTAMPTZ":
            with pytest.raises(BadValue, match=ZONED):
                counts(open_source(asked, folder=tmp_path, frames={}), asked)
        else:
            assert counts(open_source(asked, folder=tmp_path, frames={}), asked) == COUNTS


@pytest.mark.parametrize("engine", [SPARK])
def test_spark_says_which_timestamps_have_a_zone(engine: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    frame = request.getfixturevalue(engine).createDataFrame(pa.table({"d": pa.array(TIMES, type=pa.timestamp("us"))}))
    with pytest.raises(BadValue, match=ZONED):
        counts(open_source(schema(), folder=tmp_path, frames={"data": frame}), schema())
    for kind in ("timestamp_ntz", "date"):
        plain = frame.withColumn("d", frame["d"].cast(kind))
        assert counts(open_source(schema(), folder=tmp_path, frames={"data": plain}), schema()) == COUNTS
