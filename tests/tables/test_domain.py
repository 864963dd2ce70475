"""Declarations: what becomes a cell, and what is refused."""

import numpy as np
import pytest

from banister.core.privacy.guarantee import Neighbours
from banister.errors import BadValue
from banister.tables.columns import Kind
from banister.tables.domain import Attribute, Domain
from banister.tables.schema import Schema


def declared(columns: str) -> Domain:
    return Schema.of_text(f"[columns]\n{columns}").domain


def test_every_kind_becomes_cells() -> None:
    domain = declared(
        """
        sex = { kind = "category", values = ["f", "m"], nulls = false }
        age = { kind = "integer", range = [0, 99], bins = [0, 18, 65] }
        pay = { kind = "number", range = [0, 1], step = 0.25 }
        born = { kind = "date", range = [2020-02-10, 2020-04-03], every = "month" }
        """
    )
    assert domain.shape == (2, 4, 6, 4)
    sex, age, pay, born = domain.attributes
    assert [age.label(i) for i in range(4)] == ["0 – 17", "18 – 64", "65 – 99", "missing"]
    assert [pay.label(i) for i in range(6)] == ["0", "0.25", "0.5", "0.75", "1", "missing"]
    assert [born.label(i) for i in range(4)] == [
        "2020-02-10 – 2020-02-29",
        "2020-03-01 – 2020-03-31",
        "2020-04-01 – 2020-04-03",
        "missing",
    ]
    missing = np.array([False, False, False, False, True])
    assert age.codes(np.array([0, 17, 99, 100, 5]), missing).tolist() == [0, 0, 2, -1, 3]
    assert sex.codes(np.array([0, 1, -1, 0, 0]), missing).tolist() == [0, 1, -1, 0, -1]


def test_weeks_of_dates_begin_on_mondays() -> None:
    born = declared('born = { kind = "date", range = [2020-02-10, 2020-02-25], every = "week" }').attributes[0]
    assert [born.label(i) for i in range(4)] == [
        "2020-02-10 – 2020-02-16",
        "2020-02-17 – 2020-02-23",
        "2020-02-24 – 2020-02-25",
        "missing",
    ]


def test_truth_values_and_relations_are_read() -> None:
    text = """
    [source]
    neighbours = "add-remove"
    [budget]
    ledger = "a.ledger"
    [columns]
    ill = { kind = "category", values = [true, false], nulls = false }
    """
    found = Schema.of_text(text)
    assert found.neighbours is Neighbours.ADD_REMOVE
    assert found.ledger == "a.ledger"
    assert [found.domain.attributes[0].label(i) for i in range(2)] == ["true", "false"]


def test_histogram_counts_every_cell() -> None:
    domain = declared(
        'a = { kind = "integer", range = [0, 1] }\nb = { kind = "integer", range = [0, 1], nulls = false }'
    )
    counts = domain.histogram([np.array([0, 2, 2]), np.array([1, 0, 0])])
    assert counts.tolist() == [0, 1, 0, 0, 2, 0]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ("a = 3", r"\[columns\] needs a section \[a\] with a kind in braces"),
        (
            'a = { kind = "colour" }',
            "kind = 'colour' of column 'a' must be 'integer', 'number', 'category', 'date' or 'timestamp'",
        ),
        ('a = { kind = "integer" }', "Column 'a' has no declared range"),
        ('a = { kind = "integer", range = [3, 1] }', r"range = \[3, 1\] of column 'a' must go from low to high"),
        ('a = { kind = "integer", range = [0, 1.5] }', "Column 'a' is an integer"),
        ('a = { kind = "integer", range = [0, 9], bins = 3 }', r"bins in \[columns.a\] must be a list of numbers"),
        ('a = { kind = "integer", range = [0, 9], bins = [5, 2] }', "each is larger than the one before"),
        ('a = { kind = "integer", range = [0, "x"] }', r"range in \[columns.a\] must be a number"),
        ('a = { kind = "integer", range = [0, 99999999] }', "Column 'a' alone has 1e\\+08 cells"),
        ('a = { kind = "number", range = [0, 1], step = 0 }', "step of column 'a' = 0 must be"),
        ('a = { kind = "number", range = [0, 1] }', r"\[columns.a\] needs step, a number"),
        ('a = { kind = "integer", range = [0, 1], bin = [0] }', "'bin' in .* Did you mean 'bins'"),
        ('a = { kind = "category" }', "Column 'a' is a category without a list of values"),
        ('a = { kind = "category", values = ["x", 1] }', "Column 'a' mixes texts, whole numbers and truth values"),
        ('a = { kind = "category", values = ["x", "x"] }', "Column 'a' lists a value twice"),
        ('a = { kind = "category", values = ["x"], nulls = 3 }', r"nulls in \[columns.a\] must be true or false"),
        ('a = { kind = "date", range = [1, 2] }', "range of column 'a' must be two dates"),
        (
            'a = { kind = "date", range = [2020-01-01, 2020-02-01], every = "hour" }',
            "every of column 'a' must be one of",
        ),
        ("", "The schema needs a section \\[columns\\]"),
        ("a = = 3", "it is not valid TOML"),
    ],
)
def test_bad_declarations_are_named(columns: str, message: str) -> None:
    with pytest.raises(BadValue, match=message):
        declared(columns)


def test_bad_relation_is_named() -> None:
    with pytest.raises(BadValue, match=r"neighbours = 'near' in \[source\] must be 'add-remove' .* or 'replace'"):
        Schema.of_text('[source]\nneighbours = "near"\n[columns]\na = { kind = "integer", range = [0, 1] }')


def test_the_person_stays_with_the_domain() -> None:
    found = Schema.of_text('[source]\nperson = "id"\n[columns]\na = { kind = "integer", range = [0, 1] }').domain
    assert found.only(["a"]).person == "id"


def test_values_outside_are_said_by_column_alone() -> None:
    domain = declared(
        'a = { kind = "integer", range = [0, 9] }\nb = { kind = "category", values = ["x"], nulls = false }'
    )
    with pytest.raises(BadValue, match=r"Column 'a' has values outside its range as declared\. Correct"):
        domain.check([np.array([0, -1]), np.array([0, 0])])
    with pytest.raises(BadValue, match="Column 'b' has values outside its values as declared, or missing values"):
        domain.check([np.array([0, 1]), np.array([0, -1])])


def test_too_many_cells_say_how_many_and_what_to_do() -> None:
    domain = Domain(tuple(Attribute(name=f"c{i}", kind=Kind.INTEGER, edges=range(1001)) for i in range(3)))
    with pytest.raises(
        BadValue, match=r"1\.003e\+09 combinations; at most 1e\+07 .* wider bins \(the largest: c0 1001"
    ):
        domain.enumerable()


def test_choice_of_columns() -> None:
    domain = declared('a = { kind = "integer", range = [0, 9] }\nb = { kind = "integer", range = [0, 1] }')
    assert domain.only(["b", "a"]).shape == (3, 11)
    with pytest.raises(BadValue, match="Column 'zip' has no declaration"):
        domain.only(["zip"])
    with pytest.raises(BadValue, match="A column is named twice"):
        domain.only(["a", "a"])
    with pytest.raises(BadValue, match="No column is chosen"):
        Domain(())
