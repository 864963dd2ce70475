"""Public tables from files: what their values become, and that they are read from wherever they are."""

from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pytest

from banister.errors import BadValue
from banister.release.dataset import Dataset
from banister.tables.columns import Kind
from banister.tables.frames.public import public_rows
from banister.tables.public import Known
from banister.tables.schema import Schema

TEXT = """
[source]
table = "items.parquet"
person = "who"
neighbours = "add-remove"
rows = 9
[budget]
epsilon = 1000
ledger = "memory:"
[columns]
sku = { kind = "category" }
[tables.goods]
table = "goods.csv"
public = true
key = "sku"
separator = ";"
decimal = ","
"""


def test_the_texts_of_a_file_become_what_all_of_them_are(tmp_path: Path) -> None:
    lines = "sku;price;stock;since;free;code;note\n007;1,50;3;2020-02-29;true;1;a\n008;2;-4;2021-01-01;FALSE;02;\n"
    (tmp_path / "goods.csv").write_text(lines)
    found = Known.of_columns(public_rows(Schema.of_text(TEXT).public[0], tmp_path, None))
    kinds = [(column.name, column.kind) for column in found.columns]
    assert kinds == [
        ("sku", Kind.CATEGORY),
        ("price", Kind.NUMBER),
        ("stock", Kind.INTEGER),
        ("since", Kind.DATE),
        ("free", Kind.CATEGORY),
        ("code", Kind.CATEGORY),
        ("note", Kind.CATEGORY),
    ]
    assert found.rows[0] == ("007", 3, 3, 18321, True, "1", "a")
    assert found.columns[1].step == Fraction(1, 2)


def test_thousands_of_a_public_file_may_stand_apart(tmp_path: Path) -> None:
    (tmp_path / "goods.csv").write_text("sku;price;code\n007;1.250,50;1.23\n008;2;1\n")
    table = Schema.of_text(TEXT + 'thousands = "."\n').public[0]
    found = Known.of_columns(public_rows(table, tmp_path, None))
    assert [column.kind for column in found.columns] == [Kind.CATEGORY, Kind.NUMBER, Kind.CATEGORY]
    assert ([row[1] for row in found.rows], found.columns[1].step) == ([2501, 4], Fraction(1, 2))


def test_numbers_are_whole_multiples_of_their_step() -> None:
    found = Known.of_columns({"x": [0.1, Decimal("0.25"), None, float("nan")], "y": [10**16, 1, 2, 3]})
    (column,) = found.columns  # What has no place in 2^52 steps is left out.
    assert (column.step, found.rows) == (Fraction(1, 20), ((2,), (5,), (None,), (None,)))


def test_a_public_file_answers_beside_a_private_frame(tmp_path: Path) -> None:
    (tmp_path / "goods.csv").write_text("sku;class\na;food\nb;toy\n")
    items = pa.table({"who": [1, 1, 2, 3], "sku": ["a", "b", "a", "z"]})
    shop = Dataset(Schema.of_text(TEXT).for_questions(), folder=tmp_path, frames={"data": items})
    with shop.trial_ledger() as ledger:
        plan = shop.plan("SELECT class, COUNT(*) AS n FROM items JOIN goods USING (sku) GROUP BY class", epsilon=400)
        answers = shop.release(plan, ledger=ledger)
    assert answers.table == [{"class": "food", "n": 2}, {"class": "toy", "n": 1}]


def test_a_public_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadValue, match=r"The public table 'goods' names 'goods.csv', and no such file is there"):
        public_rows(Schema.of_text(TEXT).public[0], tmp_path, None)
