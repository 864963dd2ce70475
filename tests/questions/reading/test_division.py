"""x / 2 means what it means in the dialect of the question, compared with PostgreSQL's own rule row by row."""

import math
from fractions import Fraction

import duckdb
import pytest

from banister.errors import Refused
from banister.questions.reading.parser import read_questions
from banister.questions.terms import Quantity
from banister.release.aggregates import ALL, Sum
from banister.release.sources.duckdb import DuckDBDialect
from banister.release.sources.sql.render import Renderer
from banister.release.work import Physical
from tests.release.sources.places import schema

ROWS = schema(person=False)
WHOLE = ["postgres", "redshift", "presto", "trino", "tsql", "sqlite"]
FRACTION = [None, "duckdb", "spark", "mysql", "bigquery", "snowflake"]


def quantity(expression: str, dialect: str | None) -> Quantity:
    asked = read_questions(f"SELECT SUM({expression}) AS t FROM data", ROWS, aggregates=ALL, dialect=dialect)[0]
    found = asked.outputs[0].aggregate
    assert isinstance(found, Sum)
    return found.quantity


def value(found: Quantity, x: int) -> Fraction:
    """The expression for one value of `far`, worked out by an engine."""
    types = {("r1", "far"): Physical.INTEGER}
    text = Renderer(types, DuckDBDialect()).term(found.term).sql(dialect="duckdb")
    with duckdb.connect() as engine:
        row = engine.execute(f'SELECT {text} FROM (SELECT CAST({x} AS BIGINT) AS "far") AS r1').fetchall()[0]
    assert found.low <= row[0] <= found.high
    return found.step * int(row[0])


@pytest.mark.parametrize("dialect", WHOLE)
@pytest.mark.parametrize(("expression", "by"), [("far / 7", 7), ("far / -7", -7), ("(2 * far) / 3", Fraction(3, 2))])
def test_whole_over_whole_is_cut_towards_zero(expression: str, by: Fraction, dialect: str) -> None:
    found = quantity(expression, dialect)
    for x in (-1000000, -15, -14, -13, -1, 0, 1, 6, 7, 8, 13, 14, 1000000):
        assert value(found, x) == math.trunc(Fraction(x) / by), x


@pytest.mark.parametrize("dialect", FRACTION)
def test_elsewhere_it_is_the_fraction(dialect: str | None) -> None:
    found = quantity("far / 7", dialect)
    assert [value(found, x) for x in (-1, 0, 3, 8)] == [Fraction(x, 7) for x in (-1, 0, 3, 8)]


@pytest.mark.parametrize("expression", ["far / 7.0", "1.0 * far / 7", "(far + 0.5 - 0.5) / 7", "(far / 1.0) / 7"])
def test_a_decimal_point_makes_it_a_fraction_everywhere(expression: str) -> None:
    assert value(quantity(expression, "postgres"), 5) == Fraction(5, 7)


def test_what_is_not_known_to_be_whole_is_refused() -> None:
    """A count of a subquery is a whole number in the engine, but nothing in the schema says so of every column."""
    personal = schema(person=True)
    text = "SELECT SUM(n / 2) FROM (SELECT who, SUM(visits) AS n FROM data GROUP BY who) q"
    with pytest.raises(Refused, match=r"Write n / 2\.0 for the fraction, or ask in --dialect duckdb"):
        read_questions(text, personal, aggregates=ALL, dialect="postgres")
    assert read_questions(text, personal, aggregates=ALL, dialect="duckdb")
