"""SQL is understood from an allow-list; the rest is refused with its place and with what to write instead."""

import pytest

from banister.errors import BadValue, Refused
from banister.questions.question import Bins, Listed, Span, Unknown
from banister.questions.reading.parser import read_questions
from banister.release.aggregates import ALL, Count, Mean, Quantile, Sum, Variance
from tests.release.sources.places import schema

PERSONAL = schema(person=True)
ROWS = schema(person=False)

REFUSED = [
    ("SELECT MIN(visits) FROM data", "'MIN(visits)' at line 1, column 8: one person can move an extreme value"),
    ("SELECT * FROM data", "rows are never released"),
    ("SELECT visits FROM data", "must be grouped by"),
    ("SELECT FOO(visits) FROM data", "not on the list of aggregates"),
    ("SELECT COUNT(*) FROM data WHERE\n  sin(visits) > 1", "at line 2, column 3: this is not on the list"),
    ("SELECT SUM(visits / income) FROM data", "the divisor can be 0"),
    ("SELECT SUM(visits / 0) FROM data", "this divides by 0"),
    ("SELECT SUM(CAST(plan AS INT)) FROM data", "Declare the column with the kind that it has"),
    ("SELECT SUM(ROUND(income, visits)) FROM data", "ROUND goes to -6 to 6 digits"),
    ("SELECT SUM(ROUND(income, 9)) FROM data", "'ROUND(income, 9)' at line 1, column 12: ROUND goes to"),
    ("SELECT SUM(FLOOR(came)) FROM data", "This is a date, and a number is needed"),
    ("SELECT SUM(plan) FROM data", "a category is not a number"),
    ("SELECT SUM(vists) FROM data", "Did you mean 'visits'?"),
    ("SELECT SUM(zzz) FROM data", "Declared are: visits"),
    ("SELECT COUNT(*) FROM elsewhere", "no such table is declared"),
    ("SELECT COUNT(*) FROM data HAVING visits > 3", "'visits' at line 1, column 34: a column outside an aggregate"),
    ("SELECT plan, COUNT(*) FROM data GROUP BY plan HAVING plan = 'free'", "this is a group, and no answer"),
    ("SELECT COUNT(*) FROM data HAVING COUNT(*)", "HAVING compares answers with"),
    ("SELECT MEDIAN(came) AS m FROM data HAVING m > 3", "'m' at line 1, column 43: this answer is a date"),
    ("SELECT COUNT(*) FROM data ORDER BY 2", "SELECT has 1 columns"),
    ("SELECT COUNT(*) FROM data ORDER BY visits", "must be grouped by"),
    ("SELECT COUNT(*) FROM data LIMIT 0", "LIMIT takes a whole number above 0"),
    ("SELECT COUNT(*) FROM data LIMIT 3 OFFSET 1", "OFFSET is not understood"),
    ("SELECT plan, COUNT(*) FROM data GROUP BY ROLLUP (plan) ORDER BY 2", "each grouping is a table of its own"),
    ("SELECT COUNT(*) FROM (SELECT who, COUNT(*) AS n FROM data GROUP BY who LIMIT 1) q", "LIMIT is not understood"),
    ("SELECT COUNT(*) FROM (SELECT who, COUNT(*) AS n FROM data GROUP BY who ORDER BY n) q", "ORDER is not understood"),
    ("SELECT DISTINCT COUNT(*) FROM data", "DISTINCT is not understood"),
    ("SELECT COUNT(DISTINCT plan, visits) FROM data", "DISTINCT takes one column"),
    ("SELECT COUNT(DISTINCT 1) FROM data", "DISTINCT takes a column"),
    ("SELECT HISTOGRAM(visits), COUNT(*) FROM data", "HISTOGRAM stands alone behind SELECT"),
    ("SELECT HISTOGRAM(visits, 0) FROM data", "the number of bins is a whole number from 1 to 10000"),
    ("SELECT HISTOGRAM(visits, 2, 3) FROM data", "HISTOGRAM takes a column and a number of bins"),
    ("SELECT HISTOGRAM(LEAST(visits, -100), 2) FROM data", "this is the same in every row"),
    ("SELECT SUM(DISTINCT visits) FROM data", "DISTINCT is understood in COUNT"),
    ("SELECT SUM(visits) / visits FROM data", "must be grouped by"),
    ("SELECT 1 + 1, COUNT(*) FROM data", "'1 + 1' at line 1, column 8: this is known without the table"),
    ("SELECT COUNT(*) * 1e200 FROM data", "too large to compute with"),
    ("SELECT ROUND(COUNT(*), -2) FROM data", "rounded to 0 to 15 digits"),
    ("SELECT MEDIAN(came) - MEDIAN(went) FROM data", "this answer is a date, and a number is needed"),
    ("SELECT COUNT(DISTINCT who) FILTER (WHERE visits > 1) FROM data", "Write the condition in WHERE"),
    ("SELECT SUM(DISTINCT visits) FILTER (WHERE visits > 1) FROM data", "DISTINCT is understood in COUNT"),
    ("SELECT MIN(visits) FILTER (WHERE visits > 1) FROM data", "one person can move an extreme value"),
    ("SELECT SUM(visits) FILTER (WHERE sin(visits) > 1) FROM data", "this is not on the list of what is safe"),
    ("SELECT SUM(visits) OVER () FROM data", "not on the list of aggregates"),
    ("SELECT COUNT(*) FROM data WHERE plan > 'a'", "categories have no order"),
    ("SELECT COUNT(*) FROM data WHERE plan = 'fre'", "'plan' has no such value. Declared are: free"),
    ("SELECT COUNT(*) FROM data WHERE plan = visits", "can be compared with a value only"),
    ("SELECT COUNT(*) FROM data WHERE visits = NULL", "Write IS NULL"),
    ("SELECT COUNT(*) FROM data WHERE ok IS TRUE", "only IS NULL"),
    (
        "SELECT COUNT(*) FROM data WHERE visits IN (SELECT visits FROM data)",
        "IN (SELECT ...) is understood for the person column",
    ),
    ("SELECT COUNT(*) FROM data WHERE EXISTS (SELECT 1)", "the question reads no table"),
    ("SELECT COUNT(*) FROM data WHERE site LIKE 'a%'", "LIKE needs a category with declared values"),
    ("SELECT COUNT(*) FROM data GROUP BY income", "Declare bins and write BIN(income)"),
    ("SELECT COUNT(*) FROM data GROUP BY BIN(visits)", "declares no bins"),
    (
        "SELECT COUNT(*) FROM data GROUP BY income + 1",
        "'income + 1' at line 1, column 36: from -4 to 101 in steps of 0.5",
    ),
    ("SELECT COUNT(*) FROM data GROUP BY far * far", "Round it, e.g. FLOOR(column / 10)"),
    ("SELECT COUNT(*) FROM data GROUP BY 1 + 1", "this is the same in every row"),
    ("SELECT COUNT(*) FROM data GROUP BY COUNT(*) + 1", "this is not on the list of what is safe"),
    ("SELECT CASE WHEN visits > 1 THEN 'a' ELSE 2 END k, COUNT(*) FROM data GROUP BY k", "of several kinds"),
    (
        "SELECT CASE WHEN visits > 1 THEN site ELSE 'a' END k, COUNT(*) FROM data GROUP BY k",
        "are not declared",
    ),
    ("SELECT who > 3, COUNT(*) FROM data GROUP BY 1", "the person column is not for answers"),
    ("SELECT who, COUNT(*) FROM data GROUP BY ALL", "the person column is not for answers"),
    ("SELECT DAYOFWEEK(came) k, COUNT(*) FROM data GROUP BY k", "write ISODOW(date): Monday is 1, Sunday 7"),
    ("SELECT COUNT(*) FROM data GROUP BY plan, plan", "grouped by twice"),
    ("SELECT COUNT(*) FROM data GROUP BY 3", "SELECT has 1 items"),
    ("SELECT COUNT(*) FROM data GROUP BY ROLLUP (income + 1)", "to group by. Round it"),
    ("SELECT plan FROM data GROUP BY plan", "asks for no aggregate"),
    ("SELECT QUANTILE(visits, 1.5) FROM data", "between 0 and 1"),
    ("SELECT MEDIAN(3) FROM data", "a constant has no quantiles"),
    ("SELECT 1", "reads no table"),
    ("DROP TABLE data", "only SELECT is answered"),
    ("SELECT COUNT(*) FROM data UNION SELECT COUNT(*) FROM data", "only SELECT is answered"),
    ("SELECT COUNT(*) FROM data TABLESAMPLE (10 PERCENT)", "SAMPLE is not understood"),
    ("SELECT COUNT(*) FROM read_csv('/etc/passwd')", "no such table"),
    ("SELECT COUNT(*) FROM data, people", "nothing says what ties these tables together"),
    ("SELECT COUNT(*) FROM data JOIN people ON data.visits = people.age", "joined on the person key only"),
    ("SELECT COUNT(*) FROM data JOIN people ON data.who = people.who OR 1 = 1", "joined on the person key only"),
    ("SELECT COUNT(*) FROM data JOIN people ON data.who = data.who", "joined on the person key only"),
    ("SELECT COUNT(*) FROM data CROSS JOIN people", "only JOIN, LEFT, RIGHT and FULL JOIN"),
    ("SELECT COUNT(*) FROM (SELECT COUNT(*) FROM data) q", "must be grouped by the person column"),
    ("SELECT COUNT(*) FROM (SELECT plan, COUNT(*) AS n FROM data GROUP BY plan) q", "grouped by the person column"),
    ("SELECT COUNT(*) FROM (SELECT who, STDDEV(visits) AS n FROM data GROUP BY who) q", "COUNT, SUM, AVG, MIN and MAX"),
    ("SELECT COUNT(*) FROM (SELECT who, SUM(visits) FROM data GROUP BY who) q", "needs a name"),
    (
        "SELECT COUNT(*) FROM data a LEFT JOIN people b ON a.who = b.who JOIN people e ON b.who = e.who",
        "'b.who' at line 1, column 82: this person key stands right of a LEFT JOIN",
    ),
    ("SELECT COUNT(DISTINCT b.who) FROM data a LEFT JOIN people b ON a.who = b.who", "Name the key of the left table"),
    (
        "SELECT COUNT(*) FROM (SELECT b.who FROM data a LEFT JOIN people b ON a.who = b.who GROUP BY b.who) q",
        "right of a LEFT JOIN",
    ),
    ("SELECT AVG(CASE WHEN plan = 'free' THEN 1 END) FROM data", "wherever this is not missing it is 1, so the answer"),
    ("SELECT SUM(visits * 0) FROM data", "'visits * 0' at line 1, column 12: wherever this is not missing it is 0"),
    ("SELECT AVG(5) FROM data", "for a share write CASE WHEN ... THEN 1 ELSE 0 END"),
    ("SELECT STDDEV(5) FROM data", "wherever this is not missing it is 5"),
    ("SELECT COUNT(*) FROM data WHERE who = 3", "the person column is not for answers"),
    ("SELECT who, COUNT(*) FROM data GROUP BY who", "the person column is not for answers"),
    ("SELECT COUNT(*) FROM data WHERE ((", "not SQL that can be read"),
    (
        "SELECT SUM(came) FROM data",
        "'came' at line 1, column 12: dates cannot be added up. Ask for MEDIAN(came), or count",
    ),
    ("SELECT AVG(came) FROM data", "count days from one of yours: came - DATE '2020-01-01'"),
    ("SELECT SUM(s) FROM (SELECT who, SUM(came) AS s FROM data GROUP BY who) q", "dates cannot be added up"),
    ("SELECT AVG(f) FROM (SELECT who, MIN(came) AS f FROM data GROUP BY who) q", "dates cannot be added up"),
    ("SELECT SUM(came + went) FROM data", "'came + went' at line 1, column 12: Two dates cannot be added"),
    ("SELECT SUM(2 * came) FROM data", "This is a date, and a number is needed"),
    ("SELECT SUM(visits * DATE '1970-03-01') FROM data", "This is a date, and a number is needed"),
    ("SELECT SUM(visits / '1970-03-01') FROM data", "This is a date, and a number is needed"),
    ("SELECT SUM(ABS(came)) FROM data", "This is a date, and a number is needed"),
    ("SELECT SUM(visits - came) FROM data", "This is a date, and a number is needed"),
    ("SELECT MEDIAN(came + income) FROM data", "Only whole days can be added to a date"),
    ("SELECT MEDIAN(came + 9999999) FROM data", "A date can leave the years 1 to 9999"),
    ("SELECT COUNT(*) FROM data WHERE\n  came > 5", "'came > 5' at line 2, column 3: A date and a number cannot stand"),
    ("SELECT COUNT(*) FROM data WHERE visits > '2021-03-01'", "A date and a number cannot stand"),
    ("SELECT COUNT(*) FROM data WHERE came BETWEEN 1 AND 2", "A date and a number cannot stand"),
    ("SELECT COUNT(*) FROM data WHERE came IN ('1970-01-01', 7)", "A date and a number cannot stand"),
    ("SELECT MEDIAN(CASE WHEN visits > 1 THEN came ELSE 0 END) FROM data", "A date and a number cannot stand"),
    ("SELECT COUNT(*) FROM data WHERE came > '1.3.2021'", "Write a date as '2021-03-01'"),
    ("SELECT COUNT(*) FROM data WHERE came > '2021-02-29'", "this text is neither a number nor a date"),
    ("SELECT COUNT(*) FROM data WHERE CAST(came AS BIGINT) > 3", "only to DATE, TIME and TIMESTAMP may be cast"),
    ("SELECT STRING_AGG(plan) FROM data", "GROUP BY the column"),
    ("SELECT MODE(plan) FROM data", "GROUP BY x ORDER BY n DESC LIMIT 1"),
    ("SELECT COUNT(*) FROM data TABLESAMPLE (10 PERCENT)", "All rows cost no more epsilon"),
    ("SELECT COUNT(*) FROM data WHERE UPPER(plan) = 'FREE'", "Texts are compared as they are"),
    ("SELECT COUNT(*) FROM data WHERE came > CURRENT_DATE", "Write the date, e.g. DATE '2021-03-01'"),
    ("SELECT COUNT(*) FROM data WHERE came + INTERVAL '1' MONTH > went", "Months differ"),
    ("SELECT COUNT(*) FROM data WHERE YEAR(visits) = 3", 'this is no date. Declare the column with kind = "date"'),
    ("SELECT COUNT(*) FROM data WHERE YEAR(went - came) = 3", "this is no date"),
    (
        "SELECT COUNT(*) FROM data WHERE EXTRACT(DOW FROM came) = 3",
        "of a date YEAR, QUARTER, MONTH, WEEK, DAY, ISODOW, HOUR, MINUTE, SECOND can be taken",
    ),
    ("SELECT COUNT(*) FROM data WHERE DATE_TRUNC('month', came) = '1970-01-01'", "It can be grouped by"),
    ("SELECT COUNT(*) FROM data GROUP BY BIN(came)", "dates have no bins. Write DATE_TRUNC('month', came)"),
    ("SELECT COUNT(*) FROM data GROUP BY DATE_TRUNC('hour', came)", "this has no time of day"),
    (
        "SELECT COUNT(*) FROM data GROUP BY DATE_TRUNC('decade', came)",
        "DATE_TRUNC goes back to one of: minute, hour, day",
    ),
    ("SELECT COUNT(*) FROM data GROUP BY DATE_TRUNC('month', visits)", "this is no date"),
    ("SELECT SUM(DATEDIFF('day', came, went)) FROM data", "Write later - earlier, or name the dialect"),
    ("", "The question is empty"),
]


@pytest.mark.parametrize(("question", "words"), REFUSED)
def test_what_is_not_understood_is_refused(question: str, words: str) -> None:
    with pytest.raises(Refused) as caught:
        read_questions(question, PERSONAL, aggregates=ALL)
    assert words in str(caught.value)


def test_an_unknown_dialect_is_refused() -> None:
    with pytest.raises(BadValue, match=r"is not known; say e\.g\. 'duckdb'"):
        read_questions("SELECT COUNT(*) FROM data", ROWS, aggregates=ALL, dialect="klingon")


def test_a_question_in_another_dialect_is_the_same_question() -> None:
    spark = read_questions(
        "SELECT `plan`, COUNT(*) AS n FROM data GROUP BY `plan`", ROWS, aggregates=ALL, dialect="spark"
    )[0]
    plain = read_questions('SELECT "plan", COUNT(*) AS n FROM data GROUP BY "plan"', ROWS, aggregates=ALL)[0]
    assert (spark.axes, spark.outputs, spark.where) == (plain.axes, plain.outputs, plain.where)


def test_axes_and_aggregates_are_what_was_asked() -> None:
    found = read_questions(
        "SELECT plan, visits, BIN(income), site, COUNT(*), AVG(visits), STDDEV(income) AS s, MEDIAN(visits) "
        "FROM data GROUP BY 1, 2, 3, 4",
        ROWS,
        aggregates=ALL,
    )[0]
    assert [type(axis) for axis in found.axes] == [Listed, Span, Bins, Unknown]
    assert [type(output.aggregate) for output in found.outputs] == [Count, Mean, Variance, Quantile]
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
    found = read_questions(
        f"SELECT plan, ok, COUNT(*) AS n, SUM(visits) FROM data GROUP BY {grouping}", ROWS, aggregates=ALL
    )
    assert [" ".join(axis.name for axis in question.axes) for question in found] == sets
    assert all(len(q.outputs) == 2 for q in found)
    assert found[-1].columns == (*(axis.name for axis in found[-1].axes), "n", "sum_visits")


def test_too_many_totals_are_refused() -> None:
    with pytest.raises(Refused, match="this asks for 128 groupings; up to 64 are answered"):
        read_questions(
            f"SELECT COUNT(*) FROM data GROUP BY CUBE ({', '.join(f'c{i}' for i in range(7))})", ROWS, aggregates=ALL
        )


def test_dates_are_the_same_in_every_dialect() -> None:
    written = {
        "duckdb": ("came::DATE > '1970-03-01'", "DATEDIFF('day', came, went)", "date_trunc('month', came)"),
        "postgres": ("came > '1970-03-01'::date", "went - came", "date_trunc('month', came)"),
        "spark": ("came > to_date('1970-03-01')", "datediff(went, came)", "trunc(came, 'month')"),
    }
    found = []
    for dialect, (where, days, month) in written.items():
        question = f"SELECT {month} AS m, year(came) AS y, SUM({days}) FROM data WHERE {where} GROUP BY m, y"
        found.append(read_questions(question, ROWS, aggregates=ALL, dialect=dialect)[0])
    assert {(q.axes, q.where, q.outputs[0].aggregate.quantity) for q in found} == {
        (found[0].axes, found[0].where, found[0].outputs[0].aggregate.quantity)
    }


def test_cells_of_a_date_are_those_of_its_range() -> None:
    """From 15 November 1969 to 20 March 1972; each period is named by its first day."""
    shown = {
        "came": (29, "1969-11-01", "1972-03-01"),
        "DATE_TRUNC('day', came)": (857, "1969-11-15", "1972-03-20"),
        "DATE_TRUNC('week', came)": (124, "1969-11-10", "1972-03-20"),
        "DATE_TRUNC('quarter', came)": (10, "1969-10-01", "1972-01-01"),
        "DATE_TRUNC('year', came)": (4, "1969-01-01", "1972-01-01"),
        "YEAR(came)": (4, "1969", "1972"),
        "MONTH(came)": (12, "1", "12"),
        "EXTRACT(QUARTER FROM came)": (4, "1", "4"),
    }
    for key, cells in shown.items():
        axis = read_questions(f"SELECT {key}, COUNT(*) FROM data GROUP BY {key}", ROWS, aggregates=ALL)[0].axes[0]
        assert not isinstance(axis, Unknown)
        assert (axis.size, str(axis.label(0)), str(axis.label(axis.size - 1))) == cells, key


def test_several_questions_are_read_in_order() -> None:
    found = read_questions("SELECT COUNT(*) FROM data; SELECT SUM(visits) FROM data;", ROWS, aggregates=ALL)
    assert [type(q.outputs[0].aggregate) for q in found] == [Count, Sum]
