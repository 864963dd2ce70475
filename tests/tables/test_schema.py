"""What a schema file may say, and how it is refused."""

import re
from fractions import Fraction

import pytest

from banister.core.privacy.guarantee import Guarantee, Neighbours
from banister.errors import BadValue
from banister.tables.columns import rounded
from banister.tables.schema import Schema

GOOD = """
[source]
table = "randhie.parquet"
person = "person_id"
neighbours = "add-remove"

[budget]
epsilon = 1.0
delta = 1e-6
ledger = "health.ledger"

[columns]
visits = { kind = "integer", range = [0, 50] }
income = { kind = "number", range = [0, 200000], step = 0.01 }
plan   = { kind = "category", values = ["free", "shared", "deductible"] }
site   = { kind = "category" }
"""


def test_numbers_are_the_decimals_that_are_written() -> None:
    schema = Schema.of_text(GOOD)
    assert schema.budget == Guarantee("1", "1e-6")
    assert schema.neighbours is Neighbours.ADD_REMOVE
    income = schema.main.column("INCOME")
    assert income is not None
    assert income.step == Fraction(1, 100)
    assert income.units == (0, 20_000_000)


def test_rounding_commutes_with_whole_shifts() -> None:
    for k in range(-20, 20):
        x = Fraction(k, 4)
        assert rounded(x + 1) == rounded(x) + 1


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("range = [0, 50]", "range = [50, 0]", "range = [50, 0] of column 'visits' must go from low to high"),
        ("range = [0, 50]", "range = [0]", "must be two numbers"),
        ("range = [0, 50]", "range = 50", "must be a list of numbers"),
        (", range = [0, 50]", "", "no declared range, so its sum has no sensitivity"),
        ("step = 0.01", "step = 0", "must be a finite number above 0"),
        (", step = 0.01", "", "needs step, a number"),
        ("step = 0.01", "step = 1e-400", "'income' has a range beyond 1e300 or a step beyond 1e-300 or 1e300"),
        ("range = [0, 200000]", "range = [0, 1e400]", "Declare the column in other units"),
        ('"add-remove"', '"both"', "must be 'add-remove'"),
        ('neighbours = "add-remove"', "", "means nothing without it"),
        ('kind = "integer"', 'kind = "day"', "must be 'integer', 'number', 'category', 'date' or 'timestamp'"),
        ('kind = "integer"', 'kind = "date"', "must be two dates from early to late"),
        ('["free", "shared", "deductible"]', "[]", "lists 0 values"),
        ('["free", "shared", "deductible"]', '["free", "free"]', "lists a value twice"),
        ('["free", "shared", "deductible"]', '["free", 1]', "mixes texts"),
        ('["free", "shared", "deductible"]', "[1.5]", "must be a list of texts"),
        ('table = "randhie.parquet"', "", "needs table, a text"),
        ('table = "randhie.parquet"', "table = 3", "must be a text in quotes"),
        ('person = "person_id"', 'persn = "person_id"', "Did you mean 'person'?"),
        ("[columns]", "[colums]", "Did you mean 'columns'?"),
        ("epsilon = 1.0", "epsilon = nan", "must be a finite number"),
        ("epsilon = 1.0", 'epsilon = "one"', "must be a number"),
        ("delta = 1e-6", "delta = 2", "must be a number from 0 to 1"),
        ("range = [0, 50]", "range = [0, 0.5]", "is an integer: its range, step and bins must be whole"),
        ("range = [0, 50]", "range = [0, 9999999999999999999]", "more than 2^52 steps"),
        ("range = [0, 50]", "range = [0, 50], bins = [5, 1]", "each is larger than the one before"),
        ("range = [0, 50]", "range = [0, 50], nulls = 1", "must be true or false"),
        ("[source]", "[source", "not valid TOML"),
    ],
)
def test_a_bad_schema_is_refused_with_its_place(old: str, new: str, words: str) -> None:
    assert old in GOOD
    with pytest.raises(BadValue, match=re.escape(words)):
        Schema.of_text(GOOD.replace(old, new, 1)).for_questions()


def test_tables_to_join_need_a_person() -> None:
    extra = '\n[tables.people]\ntable = "p.csv"\ncolumns = { age = { kind = "integer", range = [0, 9] } }\n'
    with pytest.raises(BadValue, match=r"\[tables.people\] declares no person column"):
        Schema.of_text(GOOD + extra)
    with pytest.raises(BadValue, match="joined on the person key only"):
        Schema.of_text(GOOD.replace('person = "person_id"', "") + extra.replace('"p.csv"', '"p.csv"\nperson = "id"'))


def test_bins_reach_from_end_to_end_of_the_range() -> None:
    """Questions and whole tables then agree on what a bin is, and no row is outside all of them."""
    text = GOOD.replace("range = [0, 50]", "range = [0, 50], bins = [18, 40, 60]", 1)
    column = Schema.of_text(text).main.column("visits")
    assert column is not None
    assert [int(edge) for edge in column.bins] == [0, 18, 40, 50]
    attribute = Schema.of_text(text.split("[columns]")[0] + "[columns]\n" + _line(text, "visits")).domain.attributes[0]
    assert tuple(attribute.edges) == (0, 18, 40, 51)


def _line(text: str, name: str) -> str:
    return next(line for line in text.splitlines() if line.startswith(name))
