"""Texts go by their bytes on every engine: a row counts in one declared cell, and an unknown value is one spelling."""

from collections.abc import Callable
from pathlib import Path

import duckdb
import psycopg
import pytest

from banister.release.run import works
from banister.release.sources.duckdb import DuckDBSource
from banister.release.sources.postgres import PostgresSource
from banister.release.work import Source
from banister.tables.schema import Schema
from tests.release.sources.conftest import SPARK
from tests.release.sources.places import planned
from tests.seeded import SeededBits

SCHEMA = """
[source]
table = "{table}"
name = "collated"
{person}
neighbours = "add-remove"
[columns]
plan = {{ kind = "category", values = ["free", "FREE", "Free", "other"] }}
site = {{ kind = "category" }}
"""
PERSON = 'person = "who"\nrows = 1\ngroups = 1'
ROWS = [("ann", "free", "x"), ("ANN", "FREE", "X"), ("bob", "fReE", "x"), ("Bob", "Free", "x"), ("eve", "other", None)]
VALUES = ", ".join("(" + ", ".join("NULL" if v is None else f"'{v}'" for v in row) + ")" for row in ROWS)
NAMES = ("who", "plan", "site")


def in_duckdb(folder: Path, request: pytest.FixtureRequest) -> Callable[[str], Source]:
    columns = ", ".join(f"{name} VARCHAR COLLATE NOCASE" for name in NAMES)
    with duckdb.connect(str(folder / "t.duckdb")) as connection:
        connection.execute(f"CREATE TABLE collated ({columns})")
        connection.execute(f"INSERT INTO collated VALUES {VALUES}")
        assert connection.execute("SELECT COUNT(*) FROM collated WHERE plan = 'free'").fetchone() == (4,)

    def opened(person: str) -> Source:
        asked = Schema.of_text(SCHEMA.format(table="t.duckdb", person=person))
        return DuckDBSource(asked, folder=folder, frames={})

    return opened


def in_postgres(folder: Path, request: pytest.FixtureRequest) -> Callable[[str], Source]:
    address = request.getfixturevalue("postgres")
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS collated")
        try:
            locale = "provider = icu, locale = 'und-u-ks-level2', deterministic = false"
            connection.execute(f"CREATE COLLATION IF NOT EXISTS nocase ({locale})".encode())
        except psycopg.errors.FeatureNotSupported:
            pytest.skip("this PostgreSQL was built without ICU, and has no collation that makes unequal bytes equal")
        columns = ", ".join(f"{name} TEXT COLLATE nocase" for name in NAMES)
        connection.execute(f"CREATE TABLE collated ({columns})".encode())
        connection.execute(f"INSERT INTO collated VALUES {VALUES}".encode())
        assert connection.execute("SELECT COUNT(*) FROM collated WHERE plan = 'free'").fetchone() == (4,)
    return lambda person: PostgresSource(Schema.of_text(SCHEMA.format(table=address, person=person)))


def in_spark(folder: Path, request: pytest.FixtureRequest) -> Callable[[str], Source]:
    from banister.release.sources.spark import SparkSource

    session = request.getfixturevalue("spark")
    columns = ", ".join(f"{name} COLLATE UTF8_LCASE AS {name}" for name in NAMES)
    session.sql(f"SELECT {columns} FROM VALUES {VALUES} AS t(who, plan, site)").createOrReplaceTempView("collated")
    assert session.sql("SELECT COUNT(*) FROM collated WHERE plan = 'free'").collect()[0][0] == 4
    return lambda person: SparkSource(Schema.of_text(SCHEMA.format(table="spark:collated", person=person)), frames={})


@pytest.fixture(params=["duckdb", "postgres", SPARK])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], Source]:
    return {"duckdb": in_duckdb, "postgres": in_postgres, "spark": in_spark}[request.param](tmp_path, request)


def added(source: Source, person: str, question: str) -> tuple[object, list[list[int]]]:
    asked = Schema.of_text(SCHEMA.format(table="t", person=person))
    found = source.totals(works(planned(question, asked).parts[0], SeededBits(5))[0])
    return found.labels, found.values.tolist()


@pytest.mark.parametrize("person", ["", PERSON])
def test_a_row_counts_in_one_declared_cell(person: str, opened: Callable[[str], Source]) -> None:
    source = opened(person)
    counts = added(source, person, "SELECT plan, COUNT(*) FROM data GROUP BY plan")[1][0]
    assert counts == [1, 1, 1, 1]  # One row is spelled in a way that is not declared.
    assert added(source, person, "SELECT COUNT(*) FROM data WHERE plan = 'free'")[1] == [[1]]
    assert added(source, person, "SELECT COUNT(*) FROM data WHERE plan IN ('FREE', 'other')")[1] == [[2]]
    assert added(source, person, "SELECT COUNT(*) FROM data WHERE NOT plan = 'free'")[1] == [[4]]


def test_an_unknown_value_is_that_of_one_spelling(opened: Callable[[str], Source]) -> None:
    labels, counts = added(opened(""), "", "SELECT site, COUNT(*) FROM data GROUP BY site")
    assert (labels, counts[0]) == ((("X",), ("x",)), [1, 3])


def test_people_are_told_apart_by_their_bytes(opened: Callable[[str], Source]) -> None:
    """Two people taken for one would share one person's bound, and either could move it by more than is charged."""
    assert added(opened(PERSON), PERSON, "SELECT COUNT(DISTINCT who) FROM data")[1] == [[5]]
