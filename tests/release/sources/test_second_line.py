"""Where an engine raises on a value the second line answers: the same answer, and no failure to be seen."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import duckdb
import psycopg
import pytest

import banister as bn
from banister.errors import BudgetExceeded, EngineBroke
from banister.questions import measures, terms
from banister.questions.relation import Base
from banister.questions.terms import Leaf
from banister.release.run import works
from banister.release.sources.duckdb import DuckDBSource
from banister.release.sources.postgres import PostgresDialect, PostgresSource
from banister.release.work import Source, Totals, Work
from banister.tables.schema import Schema
from tests.release.sources.places import TABLES, Place, planned, random_tables
from tests.release.sources.stored import Stored
from tests.release.sources.test_conformance import PERSON_QUESTIONS, ROW_QUESTIONS
from tests.release.sources.test_matrix import DUCKDB, POSTGRES
from tests.seeded import SeededBits


def seen(totals: Totals) -> object:
    return totals.labels, totals.values.tolist(), None if totals.rungs is None else totals.rungs.tolist()


def same(source: Source, pieces: Sequence[Work]) -> None:
    for work in pieces:
        assert seen(source.guarded_totals(work)) == seen(source.totals(work))  # type: ignore[attr-defined]


@pytest.mark.parametrize("person", [False, True])
def test_both_lines_add_up_the_same(person: bool, place: Place) -> None:
    """Every row that the first line can read counts the same in the second, group by group and person by person."""
    asked = place.schema(person=person)
    tables = TABLES if place.engine == "spark" else random_tables(3, rows=40)
    source = place.load(asked, tables if person else {"data": tables["data"]})
    questions = PERSON_QUESTIONS if person else ROW_QUESTIONS
    for question in questions[:: 6 if place.engine == "spark" else 2]:
        same(source, works(planned(question, asked).parts[0], SeededBits(7)))


HEAD = '[source]\ntable = "{table}"\nname = "wide"\nneighbours = "add-remove"\n[columns]\n'


def wide(stored: Stored, table: str) -> tuple[str, Schema, Work]:
    """A table in which one value stands under many names, each declared in its own way; all of them are added up."""
    kinds = [kind for kind in stored.declared if 'kind = "category"' not in kind]
    lines = "".join(f"c{i} = {{ {kind} }}\n" for i, kind in enumerate(kinds))
    names = ", ".join(f"x AS c{i}" for i in range(len(kinds)))
    asked = Schema.of_text(HEAD.format(table=table) + lines)
    added = [replace(terms.column(Leaf("data", c, ready=False)), unit=terms.Unit.NUMBER) for c in asked.main.columns]
    work = Work(
        relation=Base(asked.main, "data"),
        where=terms.Boolean(True),
        axes=(),
        measures=tuple(measures.total(quantity, most=1) for quantity in added),
        personal=False,
        groups=None,
        rows=1,
        hash_keys=(1, 2, 3, 4, 5, 6),
    )
    return names, asked, work


NUMERIC = [stored for stored in DUCKDB if any("category" not in kind for kind in stored.declared)]
NUMERIC_THERE = [stored for stored in POSTGRES if any("category" not in kind for kind in stored.declared)]


@pytest.mark.parametrize("stored", NUMERIC, ids=lambda stored: stored.name)
def test_both_lines_read_every_stored_value_the_same_in_duckdb(stored: Stored, tmp_path: Path) -> None:
    names, asked, work = wide(stored, "wide.duckdb")
    with duckdb.connect(str(tmp_path / "wide.duckdb")) as connection:
        connection.execute(f"CREATE TABLE t (x {stored.name})")
        for value, _ in stored.rows:
            connection.execute(f"INSERT INTO t VALUES ({value})")
        connection.execute(f"CREATE VIEW wide AS SELECT {names} FROM t")
    same(DuckDBSource(asked, folder=tmp_path, frames={}), [work])


@pytest.mark.parametrize("stored", NUMERIC_THERE, ids=lambda stored: stored.name)
def test_both_lines_read_every_stored_value_the_same_in_postgres(stored: Stored, postgres: str) -> None:
    names, asked, work = wide(stored, postgres)
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS narrow CASCADE")
        connection.execute(f"CREATE TABLE narrow (x {stored.name})".encode())
        connection.execute(f"INSERT INTO narrow VALUES {', '.join(f'({value})' for value, _ in stored.rows)}".encode())
        connection.execute(f"CREATE VIEW wide AS SELECT {names} FROM narrow".encode())
    same(PostgresSource(asked), [work])


SCHEMA = """
[source]
table = "{table}"
name = "raising"
neighbours = "add-remove"
[budget]
epsilon = 1
ledger = "here.ledger"
[columns]
x = {{ kind = "number", range = [-5000, 5000], step = 1000 }}
"""


@pytest.fixture
def raising(postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> bn.Dataset:
    """A table on whose values PostgreSQL raises, as it did before tiny numbers were kept from it."""
    monkeypatch.setattr(PostgresDialect, "strict_doubles", False)
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS raising")
        connection.execute("CREATE TABLE raising (x DOUBLE PRECISION)")
        connection.execute("INSERT INTO raising VALUES (5e-324), (2600), (-1e9)")
    path = tmp_path / "here.toml"
    path.write_text(SCHEMA.format(table=postgres))
    return bn.open(path)


def test_no_failure_is_seen_where_an_engine_raises_on_a_value(raising: bn.Dataset) -> None:
    plan = raising.plan("SELECT COUNT(*) AS n, SUM(x) AS s FROM data", epsilon=1)
    source = raising.source()
    assert isinstance(source, PostgresSource)
    with pytest.raises(EngineBroke, match="SQLSTATE 22003"):
        source._work("SELECT x / CAST('1000' AS DOUBLE PRECISION) FROM raising")
    (work,) = works(plan.parts[0], SeededBits(1))
    assert source.totals(work).values.tolist()[0] == [3]
    sums = [m for m in work.measures if m.quantity is not None and m.counting is measures.Counting.TOTAL]
    assert source.totals(work).values.tolist()[work.measures.index(sums[0])] == [0 + 3 - 5]
    assert len(raising.release(plan).table) == 1
    with raising.ledger() as book:
        assert [entry.label for entry in book.history()] == [plan.label]


def test_nothing_is_read_that_cannot_be_paid_for(raising: bn.Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the failure of a question beyond the budget would be seen for free, again and again."""

    def read(source: Source, work: Work) -> Totals:
        raise AssertionError("rows were read")

    monkeypatch.setattr(PostgresSource, "totals", read)
    too_dear = raising.plan("SELECT COUNT(*) AS n FROM data", epsilon=Fraction(3, 2))
    for _ in range(2):
        with pytest.raises(BudgetExceeded):
            raising.release(too_dear)
        if raising.awaits_ledger():
            raising.create_ledger().close()
    assert raising.remaining().charges == 0


def test_a_long_question_that_broke_still_says_so_in_the_ledger(
    raising: bn.Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broke(source: Source, work: Work) -> Totals:
        raise EngineBroke("PostgreSQL could not do the work (SQLSTATE 53200).")

    monkeypatch.setattr(PostgresSource, "totals", broke)
    plan = raising.plan("SELECT COUNT(*) AS n FROM data WHERE " + " OR ".join(["x > 3000"] * 60), epsilon=1)
    with pytest.raises(EngineBroke, match="Charge 1 of the ledger stands for it"):
        raising.release(plan)
    with raising.ledger() as book:
        (entry,) = book.history()
    assert entry.label.endswith("(the engine broke off: more may have been told)")
    assert len(entry.label) == 200


@pytest.mark.parametrize("groups", [1, 2])
def test_rows_without_a_person_are_left_out(groups: int, place: Place) -> None:
    """They belong to nobody; refusing them would tell that there are some."""
    asked = place.schema(person=True, bounds=f"rows = 2\ngroups = {groups}")
    nobody = tuple(None if name == 0 else value for name, value in enumerate(TABLES["data"][0]))
    with_them = {"data": [*TABLES["data"], nobody, nobody], "people": [*TABLES["people"], (None, 5)]}
    questions = PERSON_QUESTIONS[1:2] if place.engine == "spark" else PERSON_QUESTIONS
    pieces = [work for question in questions for work in works(planned(question, asked).parts[0], SeededBits(7))]
    found = []
    for tables in (TABLES, with_them):
        source = place.load(asked, tables)
        found.append([seen(source.totals(work)) for work in pieces])
    assert found[0] == found[1]
