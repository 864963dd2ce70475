"""The same small tables in each engine, for tests."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from banister.questions.reading.parser import read_questions
from banister.release.aggregates import ALL
from banister.release.planning.planner import Plan, plan_release
from banister.release.planning.request import PlanRequest
from banister.release.sources.duckdb import DuckDBSource
from banister.release.work import Source
from banister.tables.schema import Schema

Rows = Sequence[tuple[object, ...]]
Tables = Mapping[str, Rows]

COLUMNS = {
    "data": {
        "who": "BIGINT",
        "visits": "INTEGER",
        "income": "DOUBLE",
        "plan": "VARCHAR",
        "site": "VARCHAR",
        "ok": "BOOLEAN",
        "far": "BIGINT",
        "cost": "DECIMAL(12, 3)",
        "code": "SMALLINT",
        "came": "DATE",
        "went": "TIMESTAMP",
    },
    "people": {"who": "BIGINT", "age": "SMALLINT"},
    "orders": {"who": "BIGINT", "oid": "BIGINT", "amount": "INTEGER", "kind": "VARCHAR"},
    "items": {"oid": "BIGINT", "sku": "VARCHAR", "qty": "INTEGER", "iid": "VARCHAR"},
    "parts": {"iid": "VARCHAR", "weight": "INTEGER"},
}
ARROW = {
    "BIGINT": pa.int64(),
    "INTEGER": pa.int32(),
    "SMALLINT": pa.int16(),
    "DOUBLE": pa.float64(),
    "VARCHAR": pa.string(),
    "BOOLEAN": pa.bool_(),
    "DECIMAL(12, 3)": pa.decimal128(12, 3),
    "DATE": pa.date32(),
    "TIMESTAMP": pa.timestamp("us"),
}

SCHEMA = """
[source]
table = "{data}"
name = "data"
{person}
neighbours = "{neighbours}"
{bounds}

[columns]
visits = {{ kind = "integer", range = [0, 10] }}
income = {{ kind = "number", range = [-5, 100], step = 0.5, bins = [0, 10, 50, 100] }}
plan = {{ kind = "category", values = ["free", "it's", "none"] }}
site = {{ kind = "category" }}
ok = {{ kind = "category", values = [true, false] }}
far = {{ kind = "integer", range = [-1000000, 1000000] }}
cost = {{ kind = "number", range = [-20, 500], step = 0.01 }}
code = {{ kind = "category" }}
came = {{ kind = "date", range = [1969-11-15, 1972-03-20], every = "month" }}
went = {{ kind = "date", range = [1969-12-20, 1972-06-30] }}
"""

PEOPLE = """
[tables.people]
table = "{people}"
name = "people"
person = "who"
columns = {{ age = {{ kind = "integer", range = [0, 9] }} }}
"""

PERSONAL = 'person = "who"'

TOP, BOTTOM = 2**63 - 1, -(2**63)
NEVER = 2**31 - 1
"""A date is given by its number since 1970, a timestamp in microseconds; the largest are infinite, as in DuckDB."""
HOUR = 3_600_000_000
DAY = 24 * HOUR
ROWS: Rows = [
    (1, 3, 10.25, "free", "a", True, 5, Decimal("0.005"), 1, 0, DAY - 1),
    (1, 3, 12.25, "it's", "b", True, TOP, Decimal("499.994"), 1, -1, -1),
    (1, None, None, "none", "a", None, None, None, None, None, None),
    (2, 99, 1e300, "free", "a", False, BOTTOM, Decimal("999999999.999"), -32768, NEVER, TOP),
    (2, -7, float("-inf"), "free", None, False, -1000001, Decimal("-999999999.999"), 32767, -NEVER, -TOP),
    (3, 10, float("nan"), None, "c", True, 0, Decimal("-0.005"), 1, 789, 790 * DAY),
    (BOTTOM, 0, -5.0, "elsewhere", "c", False, -1, Decimal("-20"), 2, 790, 5 * HOUR),
    (BOTTOM, 1, 0.25, "none", "a", True, 1, Decimal("0.015"), 2, 30, 31 * DAY),
    (BOTTOM, 2, 0.75, "none", "b", None, 2, Decimal("0.025"), 3, 59, None),
    (TOP, 5, 99.75, "it's", "a", True, 999999, Decimal("500"), 3, None, 90 * DAY),
    (TOP, 5, 99.75, "it's", "a", True, 999999, Decimal("500"), 3, -47, -12 * DAY),
    (TOP, 5, 99.75, "free", "d", True, 1000000, Decimal("500.001"), 0, 809, 911 * DAY),
]


OTHERS: Rows = [(1, 3), (2, 12), (2, None), (3, 5), (77, 1)]

TABLES: Tables = {"data": ROWS, "people": OTHERS}


def choices(wild: bool = True) -> dict[str, tuple[object, ...]]:
    """Values for each column that are likely to go wrong: ends of types and ranges, halves, NULL, odd texts."""
    numbers: tuple[object, ...] = (None, 0.0, -0.0, 0.25, 0.75, 7.25, -5.0, -5.25, 100.0, 99.75, 5e-324)
    extreme: tuple[object, ...] = (1e308, -1e308, float("inf"), float("-inf"), float("nan"))
    odd: tuple[object, ...] = (
        "a",
        "b",
        "A",
        "a ",
        "",
        "'",
        '"',
        "%",
        "é",
        "e\u0301",
        "\u6f22",
        "\U0001f600",
        "\n",
        "\\",
        None,
    )
    return {
        "who": (1, 2, 3, 4, BOTTOM, TOP),
        "visits": (None, 0, 1, 3, 10, 11, -1, 2**31 - 1, -(2**31)),
        "income": numbers + extreme if wild else numbers,
        "plan": ("free", "it's", "none", "Free", "free ", "?", None),
        "site": odd,
        "ok": (True, False, None),
        "far": (None, 0, 1, -1, 1000000, -1000001, TOP, BOTTOM),
        "cost": (None, *map(Decimal, ("0", "0.005", "-0.005", "12.345", "500.001", "999999999.999", "-999999999.999"))),
        "code": (None, 0, 1, -1, 32767, -32768),
        "came": (None, 0, -1, 58, 59, 789, 790, -47, -48, 809, 810, -719162, 2932896, NEVER, -NEVER),
        "went": (None, 0, -1, DAY - 1, 789 * DAY + HOUR, 790 * DAY, -13 * DAY, 911 * DAY, 912 * DAY, TOP, -TOP),
    }


def random_tables(seed: int, *, rows: int = 14) -> Tables:
    """Tables of a few people, from a seed."""
    chance = random.Random(seed)
    columns = choices()
    data = [tuple(chance.choice(values) for values in columns.values()) for _ in range(rows)]
    ages = (None, 0, 5, 9, 10, -32768)
    people = [(chance.choice(columns["who"]), chance.choice(ages)) for _ in range(6)]
    return {"data": data, "people": people}


def schema(
    *, person: bool, neighbours: str = "add-remove", bounds: str = "rows = 2\ngroups = 2", data: str = "data.parquet"
) -> Schema:
    """The schema of the test table, with or without a person column."""
    text = SCHEMA.format(
        data=data, person=PERSONAL if person else "", neighbours=neighbours, bounds=bounds if person else ""
    )
    people = data.replace("data.parquet", "people.parquet")
    return Schema.of_text(text + (PEOPLE.format(people=people) if person else ""))


def planned(question: str, asked: Schema, *, epsilon: float = 1.0) -> Plan:
    """A plan for one question."""
    found = read_questions(question, asked, aggregates=ALL)
    return plan_release(PlanRequest.of(found, epsilon=epsilon, delta=1e-6), asked)


def as_arrow(name: str, rows: Rows) -> pa.Table:
    """The rows of one table, each column with its type."""
    kinds = COLUMNS[name]
    columns = list(zip(*rows, strict=True)) or [()] * len(kinds)
    arrays = [pa.array(column, type=ARROW[kind]) for column, kind in zip(columns, kinds.values(), strict=True)]
    return pa.table(arrays, names=list(kinds))


@dataclass(frozen=True, slots=True)
class Place:
    """An engine of the tests: `load` puts tables there and gives the source that reads them."""

    engine: str
    data: str
    load: Callable[[Schema, Tables], Source]

    def schema(self, *, person: bool, neighbours: str = "add-remove", bounds: str = "rows = 2\ngroups = 2") -> Schema:
        return schema(person=person, neighbours=neighbours, bounds=bounds, data=self.data)


def in_duckdb(asked: Schema, tables: Tables, folder: Path) -> Source:
    """The tables as Parquet files, read by DuckDB."""
    for name, rows in tables.items():
        pq.write_table(as_arrow(name, rows), folder / f"{name}.parquet")
    return DuckDBSource(asked, folder=folder, frames={})


def in_postgres(asked: Schema, tables: Tables, address: str) -> Source:
    """The tables on a PostgreSQL server."""
    import psycopg

    from banister.release.sources.postgres import PostgresSource

    kinds = {"DOUBLE": "DOUBLE PRECISION", "VARCHAR": "TEXT"}

    def written(value: object, kind: str) -> object:
        if kind not in ("DATE", "TIMESTAMP") or not isinstance(value, int):
            return value
        infinite = NEVER if kind == "DATE" else TOP
        day = np.datetime64(value, "D") if kind == "DATE" else np.datetime64(value, "us")
        return {infinite: "infinity", -infinite: "-infinity"}.get(value, str(day))

    with psycopg.connect(address) as connection:
        for name, rows in tables.items():
            columns = ", ".join(f'"{c}" {kinds.get(kind, kind)}' for c, kind in COLUMNS[name].items())
            connection.execute(f"DROP TABLE IF EXISTS {name}".encode())
            connection.execute(f"CREATE TABLE {name} ({columns})".encode())
            with connection.cursor().copy(f"COPY {name} FROM STDIN".encode()) as copy:
                for row in rows:
                    copy.write_row(
                        [written(value, kind) for value, kind in zip(row, COLUMNS[name].values(), strict=True)]
                    )
    return PostgresSource(asked)


def in_spark(asked: Schema, tables: Tables, session: object, *, partitions: int = 1) -> Source:
    """The tables as frames of a Spark session; one partition needs no shuffle and is quickest."""
    from pyspark.sql import SparkSession

    from banister.release.sources.spark import SparkSource, is_remote

    assert isinstance(session, SparkSession) or is_remote(session)
    frames: dict[str, object] = {}
    for name, rows in tables.items():
        frame = cast(SparkSession, session).createDataFrame(as_arrow(name, rows))
        for column in (column for column, kind in COLUMNS[name].items() if kind == "TIMESTAMP"):
            frame = frame.withColumn(column, frame[column].cast("timestamp_ntz"))  # In a session that is in UTC.
        frames[name] = frame.coalesce(1) if partitions == 1 else frame.repartition(partitions)
    return SparkSource(asked, frames=frames)
