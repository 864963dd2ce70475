"""The same small table in each engine, for tests."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import duckdb

from banister.engines.sql.duckdb import DuckDBSource
from banister.engines.sql.front import read_questions
from banister.recipes.plan_release import Plan, plan_release
from banister.tables.schema import Schema
from banister.tables.work import Source

Rows = Sequence[tuple[object, ...]]
Place = Callable[[Mapping[str, Rows]], Source]

COLUMNS = {
    "data": {
        "who": "BIGINT",
        "visits": "INTEGER",
        "income": "DOUBLE",
        "plan": "VARCHAR",
        "site": "VARCHAR",
        "ok": "BOOLEAN",
    },
    "people": {"who": "BIGINT", "age": "SMALLINT"},
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
"""

PEOPLE = """
[tables.people]
table = "{people}"
name = "people"
person = "who"
columns = {{ age = {{ kind = "integer", range = [0, 9] }} }}
"""

PERSONAL = 'person = "who"'

ROWS: Rows = [
    (1, 3, 10.25, "free", "a", True),
    (1, 3, 12.25, "it's", "b", True),
    (1, None, None, "none", "a", None),
    (2, 99, 1e300, "free", "a", False),
    (2, -7, float("-inf"), "free", None, False),
    (3, 10, float("nan"), None, "c", True),
    (-4, 0, -5.0, "elsewhere", "c", False),
    (-4, 1, 0.25, "none", "a", True),
    (-4, 2, 0.75, "none", "b", None),
    (2**40, 5, 99.75, "it's", "a", True),
    (2**40, 5, 99.75, "it's", "a", True),
    (2**40, 5, 99.75, "free", "d", True),
]

OTHERS: Rows = [(1, 3), (2, 12), (2, None), (3, 5), (77, 1)]

TABLES: Mapping[str, Rows] = {"data": ROWS, "people": OTHERS}


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
    return plan_release(read_questions(question, asked), asked, epsilon=epsilon, delta=1e-6)


def in_duckdb(asked: Schema, tables: Mapping[str, Rows], folder: Path) -> Source:
    """The tables as Parquet files, read by DuckDB."""
    connection = duckdb.connect()
    for name, rows in tables.items():
        columns = ", ".join(f'"{column}" {kind}' for column, kind in COLUMNS[name].items())
        connection.execute(f"CREATE TABLE {name} ({columns})")
        if rows:
            connection.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(COLUMNS[name]))})", rows)
        connection.execute(f"COPY {name} TO '{folder / name}.parquet' (FORMAT parquet)")
    connection.close()
    return DuckDBSource(asked, folder=folder, frames={})


def in_postgres(asked: Schema, tables: Mapping[str, Rows], address: str) -> Source:
    """The tables on a PostgreSQL server."""
    import psycopg

    from banister.engines.sql.postgres import PostgresSource

    kinds = {"DOUBLE": "DOUBLE PRECISION", "VARCHAR": "TEXT"}
    with psycopg.connect(address, autocommit=True) as connection:
        for name, rows in tables.items():
            columns = ", ".join(f'"{c}" {kinds.get(kind, kind)}' for c, kind in COLUMNS[name].items())
            connection.execute(f"DROP TABLE IF EXISTS {name}".encode())
            connection.execute(f"CREATE TABLE {name} ({columns})".encode())
            if rows:
                marks = ", ".join(["%s"] * len(COLUMNS[name]))
                connection.cursor().executemany(f"INSERT INTO {name} VALUES ({marks})".encode(), rows)
    return PostgresSource(asked)


def in_spark(asked: Schema, tables: Mapping[str, Rows], session: object) -> Source:
    """The tables as frames of a Spark session."""
    from pyspark.sql import SparkSession

    from banister.engines.sql.spark import SparkSource

    assert isinstance(session, SparkSession)
    kinds = {"VARCHAR": "STRING", "INTEGER": "INT"}
    frames: dict[str, object] = {}
    for name, rows in tables.items():
        columns = ", ".join(f"`{c}` {kinds.get(kind, kind)}" for c, kind in COLUMNS[name].items())
        frames[name] = session.createDataFrame(list(rows), columns)
    return SparkSource(asked, frames=frames)
