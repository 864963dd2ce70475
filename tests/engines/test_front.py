"""SQL is understood from an allow-list; the rest is refused with its place and with what to write instead."""

import pytest

from banister.engines.sql.front import read_questions
from banister.errors import BadValue, Refused
from banister.tables.question import Aggregate, Bins, Listed, Span, Unknown
from tests.engines.places import schema

PERSONAL = schema(person=True)
ROWS = schema(person=False)

REFUSED = [
    ("SELECT MIN(visits) FROM data", "'MIN(visits)' at line 1, column 8: one person can move an extreme value"),
    ("SELECT * FROM data", "rows are never released"),
    ("SELECT visits FROM data", "must be grouped by"),
    ("SELECT FOO(visits) FROM data", "not on the list of aggregates"),
    ("SELECT COUNT(*) FROM data WHERE\n  sqrt(visits) > 1", "at line 2, column 3: this is not on the list"),
    ("SELECT SUM(visits / income) FROM data", "only a constant other than 0 may divide"),
    ("SELECT SUM(visits / 0) FROM data", "only a constant other than 0 may divide"),
    ("SELECT SUM(CAST(plan AS INT)) FROM data", "Declare the column with the kind that it has"),
    ("SELECT SUM(ROUND(income)) FROM data", "Declare the column with the step"),
    ("SELECT SUM(plan) FROM data", "a category is not a number"),
    ("SELECT SUM(vists) FROM data", "Did you mean 'visits'?"),
    ("SELECT SUM(zzz) FROM data", "Declared are: visits"),
    ("SELECT COUNT(*) FROM elsewhere", "no such table is declared"),
    ("SELECT COUNT(*) FROM data HAVING COUNT(*) > 3", "HAVING is not understood in a question. Filter the released"),
    ("SELECT COUNT(*) FROM data ORDER BY 1", "Sort the released answers"),
    ("SELECT COUNT(*) FROM data LIMIT 3", "LIMIT is not understood"),
    ("SELECT DISTINCT COUNT(*) FROM data", "DISTINCT is not understood"),
    ("SELECT COUNT(DISTINCT plan) FROM data", "only the person column may be counted distinct"),
    ("SELECT SUM(DISTINCT visits) FROM data", "DISTINCT is understood in COUNT"),
    ("SELECT SUM(visits) / COUNT(*) FROM data", "arithmetic on aggregates"),
    ("SELECT SUM(visits) FILTER (WHERE visits > 1) FROM data", "FILTER is not understood"),
    ("SELECT SUM(visits) OVER () FROM data", "not on the list of aggregates"),
    ("SELECT COUNT(*) FROM data WHERE plan > 'a'", "categories have no order"),
    ("SELECT COUNT(*) FROM data WHERE plan = 'fre'", "'plan' has no such value. Declared are: free"),
    ("SELECT COUNT(*) FROM data WHERE plan = site", "can be compared with a value only"),
    ("SELECT COUNT(*) FROM data WHERE visits = NULL", "Write IS NULL"),
    ("SELECT COUNT(*) FROM data WHERE ok IS TRUE", "only IS NULL"),
    ("SELECT COUNT(*) FROM data WHERE visits IN (SELECT visits FROM data)", "QUERY is not understood here"),
    ("SELECT COUNT(*) FROM data WHERE EXISTS (SELECT 1)", "Group by the person in a subquery"),
    ("SELECT COUNT(*) FROM data WHERE site LIKE 'a%'", "LIKE needs a category with declared values"),
    ("SELECT COUNT(*) FROM data GROUP BY income", "Declare bins and write BIN(income)"),
    ("SELECT COUNT(*) FROM data GROUP BY BIN(visits)", "declares no bins"),
    ("SELECT COUNT(*) FROM data GROUP BY visits + 1", "only columns and BIN(column)"),
    ("SELECT COUNT(*) FROM data GROUP BY plan, plan", "grouped by twice"),
    ("SELECT COUNT(*) FROM data GROUP BY 3", "SELECT has 1 items"),
    ("SELECT COUNT(*) FROM data GROUP BY ROLLUP (visits + 1)", "only columns and BIN(column)"),
    ("SELECT plan FROM data GROUP BY plan", "asks for no aggregate"),
    ("SELECT QUANTILE(visits, 1.5) FROM data", "between 0 and 1"),
    ("SELECT MEDIAN(3) FROM data", "a constant has no quantiles"),
    ("SELECT 1", "reads no table"),
    ("DROP TABLE data", "only SELECT is answered"),
    ("SELECT COUNT(*) FROM data UNION SELECT COUNT(*) FROM data", "only SELECT is answered"),
    ("SELECT COUNT(*) FROM data TABLESAMPLE (10 PERCENT)", "SAMPLE is not understood"),
    ("SELECT COUNT(*) FROM read_csv('/etc/passwd')", "no such table"),
    ("SELECT COUNT(*) FROM data, people", "joined on the person key only"),
    ("SELECT COUNT(*) FROM data JOIN people ON data.visits = people.age", "joined on the person key only"),
    ("SELECT COUNT(*) FROM data JOIN people ON data.who = people.who OR 1 = 1", "joined on the person key only"),
    ("SELECT COUNT(*) FROM data JOIN people ON data.who = data.who", "joined on the person key only"),
    ("SELECT COUNT(*) FROM data FULL JOIN people USING (who)", "only JOIN and LEFT JOIN"),
    ("SELECT COUNT(*) FROM (SELECT visits FROM data) q", "a SELECT grouped by the person column"),
    ("SELECT COUNT(*) FROM (SELECT plan, COUNT(*) AS n FROM data GROUP BY plan) q", "grouped by the person column"),
    ("SELECT COUNT(*) FROM (SELECT who, AVG(visits) AS n FROM data GROUP BY who) q", "COUNT, SUM, MIN and MAX"),
    ("SELECT COUNT(*) FROM (SELECT who, SUM(visits) FROM data GROUP BY who) q", "needs a name"),
    ("SELECT COUNT(*) FROM data WHERE who = 3", "the person column is not for answers"),
    ("SELECT who, COUNT(*) FROM data GROUP BY who", "the person column is not for answers"),
    ("SELECT COUNT(*) FROM data WHERE ((", "not SQL that can be read"),
    ("", "The question is empty"),
]


@pytest.mark.parametrize(("question", "words"), REFUSED)
def test_what_is_not_understood_is_refused(question: str, words: str) -> None:
    with pytest.raises(Refused) as caught:
        read_questions(question, PERSONAL)
    assert words in str(caught.value)


def test_an_unknown_dialect_is_refused() -> None:
    with pytest.raises(BadValue, match=r"is not known; say e\.g\. 'duckdb'"):
        read_questions("SELECT COUNT(*) FROM data", ROWS, dialect="klingon")


def test_a_question_in_another_dialect_is_the_same_question() -> None:
    spark = read_questions("SELECT `plan`, COUNT(*) AS n FROM data GROUP BY `plan`", ROWS, dialect="spark")[0]
    plain = read_questions('SELECT "plan", COUNT(*) AS n FROM data GROUP BY "plan"', ROWS)[0]
    assert (spark.axes, spark.outputs, spark.where) == (plain.axes, plain.outputs, plain.where)


def test_axes_and_aggregates_are_what_was_asked() -> None:
    found = read_questions(
        "SELECT plan, visits, BIN(income), site, COUNT(*), AVG(visits), STDDEV(income) AS s, MEDIAN(visits) "
        "FROM data GROUP BY 1, 2, 3, 4",
        ROWS,
    )[0]
    assert [type(axis) for axis in found.axes] == [Listed, Span, Bins, Unknown]
    assert [output.aggregate for output in found.outputs] == [
        Aggregate.COUNT,
        Aggregate.MEAN,
        Aggregate.DEVIATION,
        Aggregate.QUANTILE,
    ]
    assert found.columns[-2:] == ("s", "median_visits")
    assert found.cells is None


@pytest.mark.parametrize(
    ("grouping", "sets"),
    [
        ("ROLLUP (plan, ok)", ["plan ok", "plan", ""]),
        ("plan, ok WITH ROLLUP", ["plan ok", "plan", ""]),
        ("CUBE (plan, ok)", ["plan ok", "plan", "ok", ""]),
        ("GROUPING SETS ((plan, ok), (ok), plan, ())", ["plan ok", "ok", "plan", ""]),
        ("plan, ROLLUP (2)", ["plan ok", "plan"]),
    ],
)
def test_totals_in_one_select_are_several_questions(grouping: str, sets: list[str]) -> None:
    found = read_questions(f"SELECT plan, ok, COUNT(*) AS n, SUM(visits) FROM data GROUP BY {grouping}", ROWS)
    assert [" ".join(axis.name for axis in question.axes) for question in found] == sets
    assert all(len(q.outputs) == 2 for q in found)
    assert found[-1].columns == (*(axis.name for axis in found[-1].axes), "n", "sum_visits")


def test_too_many_totals_are_refused() -> None:
    with pytest.raises(Refused, match="this asks for 128 groupings; up to 64 are answered"):
        read_questions(f"SELECT COUNT(*) FROM data GROUP BY CUBE ({', '.join(f'c{i}' for i in range(7))})", ROWS)


def test_several_questions_are_read_in_order() -> None:
    found = read_questions("SELECT COUNT(*) FROM data; SELECT SUM(visits) FROM data;", ROWS)
    assert [q.outputs[0].aggregate for q in found] == [Aggregate.COUNT, Aggregate.SUM]
