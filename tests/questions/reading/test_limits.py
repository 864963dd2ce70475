"""Whatever is asked: an answer or one clear refusal, in a moment. No hang, no full stack, no memory without end."""

import time
from pathlib import Path

import pandas as pd
import pytest

import banister as bn
from banister import need
from banister.core.exact.written import written_fraction
from banister.errors import BadValue, Refused
from banister.questions.reading.parser import read_questions
from banister.release.aggregates import ALL
from banister.release.planning.planner import plan_release
from banister.release.planning.request import PlanRequest
from banister.release.run import works
from banister.release.sources.duckdb import DuckDBDialect
from banister.release.sources.sql.compile import Compiler
from banister.release.work import Physical
from banister.tables.schema import Schema
from tests.release.sources.places import schema
from tests.seeded import SeededBits

PERSONAL = schema(person=True)
STORED = {
    "data": dict.fromkeys([c.name for c in PERSONAL.main.columns] + ["who"], Physical.INTEGER),
    "people": {"who": Physical.INTEGER, "age": Physical.INTEGER},
}
CHAIN = ", ".join(
    f"a{i + 1} AS (SELECT x.who, COUNT(*) AS n FROM a{i} x JOIN a{i} y ON x.who = y.who GROUP BY x.who)"
    for i in range(30)
)


def asked(question: str, dialect: str | None = None) -> str:
    """Everything that happens before a row is read; gives the text of the last query."""
    found = read_questions(question, PERSONAL, aggregates=ALL, dialect=dialect)
    plan = plan_release(PlanRequest.of(found, epsilon=1, delta=1e-6), PERSONAL)
    compiler = Compiler(DuckDBDialect(), {"data": "data", "people": "people"}, STORED)
    return [compiler.query(work) for part in plan.parts for work in works(part, SeededBits(1))][-1] + plan.digest


def nested(depth: int) -> list[str]:
    return [
        f"SELECT SUM({'ABS(' * depth}visits{')' * depth}) FROM data",
        f"SELECT SUM(visits{' + visits' * depth}) FROM data",
        f"SELECT SUM({'(' * depth}visits{')' * depth}) FROM data",
        f"SELECT COUNT(*) FROM data WHERE {'NOT (' * depth}visits > 1{')' * depth}",
        f"SELECT COUNT(*) FROM data WHERE visits = 1{' OR visits > 1' * depth}",
        f"SELECT SUM({'CASE WHEN visits > 1 THEN ' * depth}visits{' END' * depth}) FROM data",
        f"SELECT SUM({'LEAST(3, ' * depth}visits{')' * depth}) FROM data",
        f"SELECT COUNT(*) FROM {'(SELECT who FROM ' * depth}data{' GROUP BY who) AS q' * depth}",
    ]


@pytest.mark.parametrize("question", nested(12), ids=range(len(nested(12))))
def test_what_people_nest_is_read(question: str) -> None:
    assert asked(question)


@pytest.mark.parametrize("depth", [130, 3000])
@pytest.mark.parametrize("kind", range(len(nested(1))))
def test_deeper_than_that_is_refused(kind: int, depth: int) -> None:
    with pytest.raises(Refused, match=r"nested too deeply|more than 32 tables"):
        asked(nested(depth)[kind])


@pytest.mark.parametrize(
    "item",
    [
        "SELECT COUNT(*) FROM data GROUP BY {number}",
        "SELECT COUNT(*) FROM data ORDER BY {number}",
        "SELECT COUNT(*) FROM data LIMIT {number}",
        "SELECT ROUND(COUNT(*), {number}) FROM data",
        "SELECT SUM(ROUND(visits, {number})) FROM data",
        "SELECT CASE WHEN visits > 1 THEN {number} ELSE 1 END AS k, COUNT(*) FROM data GROUP BY k",
    ],
)
def test_places_and_counts_with_many_digits_are_refused(item: str) -> None:
    """Python reads no whole number of more than 4300 digits, and raises an error that is none of ours."""
    with pytest.raises(Refused):
        asked(item.format(number="9" * 5000))


@pytest.mark.parametrize("number", ["1e300000000", "1e-999999999", "0." + "0" * 3000 + "1", "9" * 5000])
def test_numbers_with_many_digits_are_refused_at_once(number: str) -> None:
    """Everywhere where a number is read; `Fraction` itself would work on some of them for hours."""
    began = time.process_time()
    for question in (f"SELECT SUM(visits * {number}) FROM data", f"SELECT QUANTILE(visits, {number}) FROM data"):
        with pytest.raises(Refused, match=r"at most 1000 digits"):
            asked(question)
    with pytest.raises(BadValue, match=r"at most 1000 digits"):
        need.exact("epsilon", number)
    text = f'[columns]\nvisits = {{ kind = "number", range = [0, {number}], step = 1 }}'
    with pytest.raises(BadValue, match=r"1000 digits|beyond what can be read"):
        Schema.of_text(text)
    assert time.process_time() - began < 60  # The alternative is hours.


def test_nothing_to_the_power_of_much_is_nothing() -> None:
    assert written_fraction("0e999999999") == 0
    assert written_fraction("0.0e-999999999") == 0


def test_a_schema_that_is_nested_too_deeply_is_refused() -> None:
    with pytest.raises(BadValue, match="more than 64 deep"):
        Schema.of_text(f"x = {'[' * 5000}{']' * 5000}")


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("WITH a AS (SELECT who, COUNT(*) AS n FROM a GROUP BY who) SELECT COUNT(*) FROM a", "no such table"),
        (
            "WITH a AS (SELECT who FROM b GROUP BY who), b AS (SELECT who FROM a GROUP BY who) SELECT COUNT(*) FROM b",
            "'b' at line 1, column 28: no such table is declared",
        ),
        (f"WITH a0 AS (SELECT who FROM data GROUP BY who), {CHAIN} SELECT COUNT(*) FROM a30", "more than 32 tables"),
        ("WITH a AS (SELECT who FROM data GROUP BY who), A AS (SELECT 1) SELECT COUNT(*) FROM a", "given twice"),
        ("WITH a(x) AS (SELECT who FROM data GROUP BY who) SELECT COUNT(*) FROM a", "Name them inside, with AS"),
        ("SELECT SUM(visits) FROM data AS d(who, visits)", "names of columns behind a table's name"),
        ("SELECT far, COUNT(*) FROM data GROUP BY far", "too many values to group by"),
        (f"SELECT COUNT(*) FROM data WHERE far IN ({', '.join(map(str, range(500)))})", "more than 200 numbers"),
        ("SELECT COUNT(*) FROM data -- " + "x" * 300_000, "up to 200000 are read"),
    ],
)
def test_what_has_no_end_is_refused(question: str, words: str) -> None:
    with pytest.raises(Refused) as caught:
        asked(question)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("question", "dialect"), [(f"far{' / 3' * 40}", "postgres"), ("MONTH(came + " * 9 + "1", None)]
)
def test_what_is_written_out_several_times_is_refused_when_it_is_too_much(question: str, dialect: str | None) -> None:
    closed = question + ")" * question.count("(")
    with pytest.raises(Refused, match=r"more than 20000 parts|nested too deeply|is no date|date"):
        asked(f"SELECT SUM({closed}) FROM data", dialect)


def test_with_may_use_the_name_of_the_table_that_it_reads() -> None:
    assert asked("WITH data AS (SELECT who, COUNT(*) AS n FROM data GROUP BY who) SELECT SUM(n) FROM data")


def test_a_list_of_numbers_costs_what_is_inside_the_range() -> None:
    long = asked(f"SELECT COUNT(*) FROM data WHERE visits IN ({', '.join(map(str, range(-3000, 3000)))})")
    assert len(long) < 4000
    assert "(-1)" not in asked("SELECT COUNT(*) FROM data WHERE visits IN (-1, 3)")


WIDE = """
[source]
table = "t.parquet"
neighbours = "add-remove"
[columns]
a = { kind = "integer", range = [0, 999999] }
b = { kind = "integer", range = [0, 999999] }
x = { kind = "number", range = [0, 1], step = 0.001 }
"""


def test_cells_have_an_end() -> None:
    """Two columns of 10^6 values would need 7.3 TiB, and a median of 10^6 cells 8 GB."""
    wide = Schema.of_text(WIDE)
    with pytest.raises(Refused, match=r"this makes 1000000000000 cells \(a 1000000, b 1000000\).*BIN\(column\)"):
        read_questions("SELECT a, b, COUNT(*) FROM data GROUP BY a, b", wide, aggregates=ALL)
    found = read_questions("SELECT a, MEDIAN(x) FROM data GROUP BY a", wide, aggregates=ALL)
    with pytest.raises(BadValue, match=r"1000000 cells with 1001 values each to choose a quantile from are more"):
        plan_release(PlanRequest.of(found, epsilon=1), wide)


FRAME = """
[source]
table = "t.parquet"
person = "who"
rows = 4
groups = 2
neighbours = "add-remove"
[budget]
epsilon = 3000
ledger = "here.ledger"
[columns]
visits = { kind = "integer", range = [0, 10] }
grade = { kind = "category", values = [1, 2, 3] }
"""


@pytest.mark.parametrize("stored", ["frame", "parquet"])
def test_whole_numbers_of_which_one_is_missing_are_read(stored: str, tmp_path: Path) -> None:
    """Pandas keeps them as floating-point numbers, in memory and in files: values, categories and people alike."""
    frame = pd.DataFrame(
        {"who": [1, 1, 2, None, 3], "visits": [1, 2, None, 4, 99], "grade": [1, 2, 2, 3, None]},
    )
    assert {str(kind) for kind in frame.dtypes} == {"float64"}
    (tmp_path / "here.toml").write_text(FRAME)
    frame = frame[frame["who"].notna()]
    if stored == "parquet":
        frame.to_parquet(tmp_path / "t.parquet")
    here = bn.open(tmp_path / "here.toml", data=frame if stored == "frame" else None)
    asked = "SELECT grade, COUNT(*) AS n, SUM(visits) AS t FROM data GROUP BY grade"
    rows = here.release(here.plan(asked, epsilon=2000)).table
    assert rows == [{"grade": 1, "n": 1, "t": 1}, {"grade": 2, "n": 2, "t": 2}, {"grade": 3, "n": 0, "t": 0}]
