"""A whole table is published whatever values are in it: clipped, other, missing or left out, as the schema says."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from banister.core.privacy.guarantee import Neighbours
from banister.errors import BadValue
from banister.publish.paying import private_records
from banister.tables.schema import Schema

TEXT = """
[columns]
town = { kind = "category", values = ["a", "b", "rest"], nulls = false, other = "rest" }
group = { kind = "category", values = ["x", "y"] }
sure = { kind = "category", values = [true, false], nulls = false }
visits = { kind = "integer", range = [2, 4] }
income = { kind = "number", range = [0, 10], step = 0.5, bins = [0, 5] }
born = { kind = "date", range = [1990-01-01, 1990-12-31], every = "quarter" }
"""
GOOD = {"town": "a", "group": "y", "sure": "true", "visits": "3", "income": "2.5", "born": "1990-05-01"}
CODES = {"town": 0, "group": 1, "sure": 0, "visits": 1, "income": 0, "born": 1}
ODD = [
    ("town", "Berlin", 2),
    ("town", "", None),
    ("town", "A", 2),
    ("group", "z", 2),
    ("group", "", 2),
    ("sure", "perhaps", None),
    ("sure", "", None),
    ("visits", "1", 0),
    ("visits", "-9", 0),
    ("visits", "5", 2),
    ("visits", "9223372036854775808", 2),
    ("visits", "-1e300", 0),
    ("visits", "inf", 2),
    ("visits", "nan", 3),
    ("visits", "many", 3),
    ("visits", "", 3),
    ("income", "-0.5", 0),
    ("income", "-1e308", 0),
    ("income", "1e308", 1),
    ("income", "inf", 1),
    ("income", "nan", 2),
    ("income", "1,5", 2),
    ("born", "1989-12-31", 0),
    ("born", "0001-01-01", 0),
    ("born", "9999-12-31", 3),
    ("born", "infinity", 4),
    ("born", "29.08.1990", 4),
    ("born", "", 4),
]


@pytest.mark.parametrize("neighbours", list(Neighbours))
@pytest.mark.parametrize(("column", "value", "code"), ODD)
def test_every_value_has_its_place(
    column: str, value: str, code: int | None, neighbours: Neighbours, tmp_path: Path
) -> None:
    """One odd row beside a good one: the good one is as it was, and the odd one as the law says."""
    rows = pd.DataFrame([GOOD, {**GOOD, column: value}])
    rows.to_csv(tmp_path / "t.csv", index=False)
    domain = Schema.of_text(TEXT).domain
    found = np.stack(private_records(tmp_path / "t.csv", domain, neighbours).codes, axis=1).tolist()
    assert found[0] == list(CODES.values())
    if code is None and neighbours is Neighbours.ADD_REMOVE:
        assert len(found) == 1  # Left out: nobody sees how many records there are.
    else:
        assert found[1] == list({**CODES, column: 0 if code is None else code}.values())


def test_other_is_one_of_the_values() -> None:
    with pytest.raises(BadValue, match=r"other = 'c' of column 'town' must be one of its declared values"):
        Schema.of_text('[columns]\ntown = { kind = "category", values = ["a"], other = "c" }')
    with pytest.raises(BadValue, match=r"other in .* must be a text, a whole number or a truth value"):
        Schema.of_text('[columns]\ntown = { kind = "category", values = ["a"], other = ["a"] }')


GERMAN = """
[source]
table = "t.csv"
neighbours = "replace"
encoding = "cp1252"
separator = ";"
decimal = ","
date_format = "%d.%m.%Y"
trim = true
ignore_case = true
[columns]
ort = { kind = "category", values = ["Köln", "Bonn"] }
lohn = { kind = "number", range = [0, 10], step = 0.5, bins = [0, 5] }
tag = { kind = "date", range = [1990-01-01, 1990-12-31], every = "quarter" }
"""


def test_a_copy_follows_the_rules_of_its_file(tmp_path: Path) -> None:
    lines = ["ort;lohn;tag", "KÖLN; 7,5 ;01.05.1990", '"bonn";2,5;31.12.1990', "Bonn;2.5;1990-05-01"]
    (tmp_path / "t.csv").write_bytes("\r\n".join(lines).encode("cp1252"))
    domain = Schema.of_text(GERMAN).domain.only(["tag", "ort", "lohn"])
    found = np.stack(private_records(tmp_path / "t.csv", domain, Neighbours.ADD_REMOVE).codes, axis=1)
    assert found.tolist() == [[1, 0, 1], [3, 1, 0], [4, 1, 2]]


BAD_LINES = ['"a,y,true,3,2.5,1990-05-01', "a,y", "a,y,true,3,2.5,1990-05-01,too,many", "x" * 2**21, 'a"b,y,true,3,2,"']


@pytest.mark.parametrize("neighbours", list(Neighbours))
@pytest.mark.parametrize("bad", BAD_LINES, ids=["open quote", "too few", "too many", "too long", "wrong quote"])
def test_a_line_that_cannot_be_read_moves_its_own_record_alone(
    bad: str, neighbours: Neighbours, tmp_path: Path
) -> None:
    """Where the number of records is public it stays what it was: the line takes the first place."""
    good = ",".join(GOOD.values())
    for name, middle in (("before", good), ("after", bad)):
        text = "\n".join([",".join(GOOD), good, middle, good, good, ""])
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
    domain = Schema.of_text(TEXT).domain
    before, after = (
        np.stack(private_records(tmp_path / f"{name}.csv", domain, neighbours).codes, axis=1).tolist()
        for name in ("before", "after")
    )
    assert before == [list(CODES.values())] * 4
    assert after[:3] == before[:3]
    assert after[3:] == ([[0] * len(CODES)] if neighbours is Neighbours.REPLACE else [])
