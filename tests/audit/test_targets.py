"""Whole releases and SQL endpoints under attack, and neighbours that are searched for."""

from pathlib import Path

import duckdb
import pytest

from banister.audit import attack
from banister.audit.searching import searched_pairs
from banister.audit.targets.release import WholeRelease
from banister.audit.targets.sql import SqlEndpoint
from banister.errors import BadValue
from banister.tables.schema import Schema

SCHEMA = """
[source]
table = "t.parquet"
person = "who"
neighbours = "{relation}"
rows = 2
groups = 1

[budget]
epsilon = 10
ledger = "t.ledger"

[columns]
age = {{ kind = "integer", range = [0, 4], nulls = false }}
town = {{ kind = "category", values = ["a", "b", "c"] }}
born = {{ kind = "date", range = [1950-01-01, 2000-12-31] }}
"""
SURE = "0.999999"


@pytest.fixture
def schema(tmp_path: Path) -> str:
    (tmp_path / "t.toml").write_text(SCHEMA.format(relation="add-remove"), encoding="utf-8")
    (tmp_path / "q.sql").write_text("SELECT SUM(age) AS years FROM data", encoding="utf-8")
    return str(tmp_path / "t.toml")


def test_searched_neighbours_differ_in_one_person_and_try_every_bound() -> None:
    pairs = searched_pairs(Schema.of_text(SCHEMA.format(relation="add-remove")))
    more = [[row for row in larger if row not in smaller] for smaller, larger in pairs]
    assert all(smaller == larger[: len(smaller)] for smaller, larger in pairs)
    assert all(len({row["who"] for row in rows}) == 1 for rows in more)
    assert {len(smaller) for smaller, _ in pairs} >= {0}
    assert len(pairs[-1][0]) > 40
    ages = {row["age"] for rows in more for row in rows}
    assert ages == {0, 4}
    assert any(row["town"] is None for rows in more for row in rows)
    assert any(len(rows) == 1 + 1 + 3 for rows in more), "more rows than may count"
    assert any({row["town"] for row in rows} == {"a", "b", "c"} for rows in more), "spread over groups"
    assert {str(row["born"]) for rows in more for row in rows} >= {"1950-01-01", "2000-12-31"}
    for one, other in searched_pairs(Schema.of_text(SCHEMA.format(relation="replace"))):
        assert {row["who"] for row in one} == {row["who"] for row in other}


def test_a_function_of_tables_is_broken_on_searched_neighbours(schema: str) -> None:
    """A sum that clips nothing: only somebody with many rows at the end of the range shows it."""
    found = attack(lambda rows: sum(row["age"] for row in rows), epsilon=1, schema=schema, draws=200)
    assert found.broken
    assert found.pair > 0


def test_a_whole_release_is_drawn_from_the_start_each_time(schema: str) -> None:
    questions = str(Path(schema).with_name("q.sql"))
    target = WholeRelease.of_files(schema, questions, epsilon=10, delta=0)
    smaller, larger = target.pairs()[1]
    assert smaller == []
    assert isinstance(larger, list)
    assert sorted(target.draw(larger * 3, 5))[2] == 8, "two rows of 4 count, the third is cut"  # type: ignore[type-var]
    noisy = WholeRelease.of_files(schema, questions, epsilon="0.01", delta=0)
    assert len(set(noisy.draw(smaller, 4))) > 1, "each draw has noise of its own"
    with pytest.raises(BadValue, match="name their file with --questions"):
        attack(f"release:{schema}", epsilon=1)
    with pytest.raises(BadValue, match="audited on tables"):
        target.draw(3, 1)


def test_a_sql_endpoint_is_audited(tmp_path: Path) -> None:
    path = str(tmp_path / "e.duckdb")
    with duckdb.connect(path) as made:
        made.execute("CREATE MACRO answer(x) AS CASE WHEN random() < 0.7310585786 THEN x ELSE 1 - x END")
    right = attack(
        f"sql:{path}", epsilon=1, pairs=[("SELECT answer(0)", "SELECT answer(1)")], draws=200, confidence=SURE
    )
    assert not right.broken
    assert attack(f"sql:{path}", epsilon=1, pairs=[("SELECT 0", "SELECT 1")], draws=100).broken
    errors = attack(f"sql:{path}", epsilon=1, pairs=[("SELECT 1", "SELECT error('empty')")], draws=100)
    assert errors.broken
    seeded = ["SELECT setseed(0.5)", "SELECT random()"]
    target = SqlEndpoint(address=path, seconds=10)
    assert target.starts_afresh
    assert target.draw(seeded, 2) == target.draw(seeded, 2), "so that a fixed seed shows"


def test_an_endpoint_that_hangs_is_one_message(tmp_path: Path) -> None:
    path = str(tmp_path / "e.duckdb")
    duckdb.connect(path).close()
    endless = "SELECT count(*) FROM range(10000000000) AS a, range(10000000000) AS b"
    with pytest.raises(BadValue, match=r"did not answer within 0\.2 seconds; allow more --seconds"):
        attack(f"sql:{path}", epsilon=1, pairs=[(endless, "SELECT 1")], draws=100, seconds=0.2)


@pytest.mark.parametrize(
    ("address", "given", "words"),
    [
        ("missing.duckdb", ["SELECT 1", "SELECT 2"], "does not answer"),
        ("missing.duckdb", [1, 2], "pairs of questions"),
        ("postgresql://nobody:secret@127.0.0.1:9/none", ["SELECT 1", "SELECT 2"], "does not answer"),
    ],
)
def test_an_endpoint_that_is_none_is_said(tmp_path: Path, address: str, given: list[object], words: str) -> None:
    place = address if "://" in address else str(tmp_path / address)
    with pytest.raises(BadValue, match=words) as said:
        attack(f"sql:{place}", epsilon=1, pairs=[given], seconds=2, draws=100)
    assert "secret" not in str(said.value)


def test_a_server_that_speaks_postgres(postgres: str) -> None:
    target = SqlEndpoint(address=postgres, seconds=10)
    assert target.draw("SELECT 1, 'a'", 2) == [[1, "a"], [1, "a"]]
    assert target.draw(["SET extra_float_digits = 3", "SELECT 0.5::float8"], 1) == [0.5]
    assert "UndefinedTable" in str(target.draw("SELECT * FROM nothing_here", 1)[0])
    slow = SqlEndpoint(address=postgres, seconds=0.1)
    with pytest.raises(BadValue, match=r"did not answer within 0\.1 seconds"):
        slow.draw("SELECT pg_sleep(5)", 1)
