"""Totality as a generated matrix: engine x stored type x kind x range x step x extreme values.

Every rendered expression is evaluated on each value, beside all others and alone in its table (an engine may fold by
what it knows of the others). None fails, none leaves its declared range, and each is what it should be. `make drill`
does the same in Spark.
"""

from collections.abc import Sequence

import duckdb
import psycopg
import pytest

from banister.release.sources.duckdb import DuckDBDialect
from banister.release.sources.postgres import PostgresDialect
from banister.release.work import Physical
from tests.release.sources.matrix import check
from tests.release.sources.stored import (
    DOUBLES,
    ENDLESS,
    FAR,
    NULL,
    SINGLES,
    Moment,
    Row,
    Stored,
    days,
    decimals,
    endless,
    floats,
    integers,
    moments,
    texts,
    truths,
    whole,
)

NANOSECONDS = (
    ("CAST('1969-12-31 23:59:59.999999' AS TIMESTAMP_NS)", Moment(-1)),
    ("CAST('1972-03-20 00:00:00.000000001' AS TIMESTAMP_NS)", Moment(809 * 86400)),
    ("MAKE_TIMESTAMP_NS(9223372036854775806)", Moment(9_223_372_036)),
    ("CAST('1678-01-01' AS TIMESTAMP_NS)", Moment(-106_650 * 86400)),
)
"""The type with nanoseconds ends in the years 1677 and 2262."""

DUCKDB = (
    *integers("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"),
    *(
        whole(name, 0, 2**bits - 1)
        for name, bits in {"UTINYINT": 8, "USMALLINT": 16, "UINTEGER": 32, "UBIGINT": 64}.items()
    ),
    floats("DOUBLE", DOUBLES),
    floats("FLOAT", (*SINGLES, *ENDLESS)),
    *(
        decimals(f"DECIMAL({p}, {s})", p, s)
        for p, s in ((38, 0), (38, 38), (38, 10), (38, 1), (18, 3), (18, 18), (9, 2), (4, 1), (4, 0))
    ),
    days(
        "DATE",
        ("DATE 'infinity'", FAR),
        ("DATE '-infinity'", -FAR),
        ("DATE '5877642-06-25 (BC)'", -FAR),
        ("DATE '5881580-07-10'", FAR),
    ),
    moments("TIMESTAMP", Physical.TIMESTAMP, *endless("TIMESTAMP", "290309-12-22 (BC) 00:00:00")),
    moments("TIMESTAMP_S", Physical.TIMESTAMP, *endless("TIMESTAMP_S", "290000-01-01")),
    moments("TIMESTAMP_MS", Physical.TIMESTAMP, *endless("TIMESTAMP_MS", "290000-01-01")),
    Stored("TIMESTAMP_NS", Physical.TIMESTAMP, (*NANOSECONDS, *endless("TIMESTAMP_NS"), NULL)),
    moments("TIMESTAMPTZ", Physical.ZONED, *endless("TIMESTAMPTZ", "290309-12-22 (BC) 00:00:00+00")),
    texts("VARCHAR", "duckdb"),
    truths("BOOLEAN"),
)
POSTGRES = (
    *integers("SMALLINT", "SMALLINT", "INTEGER", "BIGINT")[1:],
    floats("DOUBLE PRECISION", DOUBLES),
    floats("REAL", (*SINGLES, *ENDLESS)),
    decimals(
        "NUMERIC",
        200,
        100,
        "1e-400",
        "-1e-400",
        "1e-16000",
        "1e400",
        "-1e400",
        "1e130000",
        "NaN",
        "Infinity",
        "-Infinity",
    ),
    *(decimals(f"NUMERIC({p}, {s})", p, s) for p, s in ((1000, 0), (1000, 1000), (38, 38), (18, 3), (4, 1))),
    days(
        "DATE",
        ("DATE 'infinity'", FAR),
        ("DATE '-infinity'", -FAR),
        ("DATE '4713-01-01 BC'", -FAR),
        ("DATE '5874897-12-31'", FAR),
    ),
    moments("TIMESTAMP", Physical.TIMESTAMP, *endless("TIMESTAMP", "4713-01-01 BC", "294276-12-31 23:59:59")),
    moments("TIMESTAMPTZ", Physical.ZONED, *endless("TIMESTAMPTZ", "4713-01-01 00:00+14 BC", "294276-12-30 00:00-12")),
    texts("TEXT", "postgres"),
    texts("VARCHAR", "postgres"),
    truths("BOOLEAN"),
)

DUCKDB_DIALECT, POSTGRES_DIALECT = DuckDBDialect(), PostgresDialect()


@pytest.mark.parametrize("stored", DUCKDB, ids=lambda stored: stored.name)
def test_nothing_fails_in_duckdb(stored: Stored) -> None:
    with duckdb.connect() as connection:

        def ask(kind: str, rows: Sequence[Row], questions: Sequence[str]) -> list[tuple[object, ...]]:
            connection.execute(f"CREATE OR REPLACE TABLE t (n INTEGER, x {kind})")
            for place, (value, _) in enumerate(rows):
                connection.execute(f"INSERT INTO t VALUES ({place}, {value})")
            return connection.execute(f"SELECT n, {', '.join(questions)} FROM t").fetchall()

        check(stored, DUCKDB_DIALECT, ask)


@pytest.mark.parametrize("stored", POSTGRES, ids=lambda stored: stored.name)
def test_nothing_fails_in_postgres(stored: Stored, postgres: str) -> None:
    with psycopg.connect(postgres, autocommit=True, options="-c jit=off") as connection:

        def ask(kind: str, rows: Sequence[Row], questions: Sequence[str]) -> list[tuple[object, ...]]:
            values = ", ".join(f"({place}, {value})" for place, (value, _) in enumerate(rows))
            connection.execute("DROP TABLE IF EXISTS t")
            connection.execute(f"CREATE TEMP TABLE t (n INTEGER, x {kind})".encode())
            connection.execute(f"INSERT INTO t VALUES {values}".encode())
            return connection.execute(f"SELECT n, {', '.join(questions)} FROM t".encode()).fetchall()

        check(stored, POSTGRES_DIALECT, ask)
