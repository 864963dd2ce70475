"""A ledger that a schema makes protects whom the schema protects, from its first line on."""

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

import banister as bn
from banister.apps.cli import build
from banister.errors import BadValue

SCHEMA = """
[source]
table = "t.csv"
person = "who"
rows = 2
neighbours = "add-remove"
[budget]
epsilon = 1
ledger = "t.ledger"
[columns]
n = { kind = "integer", range = [0, 10] }
"""
EDITS: dict[str, Callable[[str], str]] = {
    "rows in place of people": lambda text: text.replace('person = "who"\nrows = 2\n', ""),
    "a finer key": lambda text: text.replace('"who"', '"visit"'),
    "another table": lambda text: text.replace("t.csv", "u.csv"),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS.keys())
def test_a_schema_about_somebody_else_is_refused_before_the_first_charge(
    edit: Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "300")
    for table in ("t.csv", "u.csv"):
        (tmp_path / table).write_text("who,visit,n\n1,1,3\n1,2,4\n2,3,5\n")
    (tmp_path / "t.toml").write_text(SCHEMA)
    (tmp_path / "u.toml").write_text(edit(SCHEMA))
    bn.open("t.toml").create_ledger().close()
    other = bn.open("u.toml")
    plan = other.plan("SELECT COUNT(*) FROM data", epsilon=0.1)
    for refused in (lambda: other.release(plan), other.remaining):
        with pytest.raises(BadValue, match=r"protects person who in t\.csv, the schema is about"):
            refused()
    said = CliRunner().invoke(build(), ["plan", "u.toml", "SELECT COUNT(*) FROM data", "--epsilon", "0.1"])
    assert "nothing can be released" in said.output
    assert "The budget allows it" not in said.output
    assert bn.open("t.toml").remaining().charges == 0


def test_ranges_and_columns_may_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("who,n\n1,3\n2,5\n")
    (tmp_path / "t.toml").write_text(SCHEMA)
    bn.open("t.toml").create_ledger().close()
    (tmp_path / "t.toml").write_text(SCHEMA.replace("[0, 10]", "[0, 20]"))
    changed = bn.open("t.toml")
    changed.release(changed.plan("SELECT COUNT(*) FROM data", epsilon=0.1))
    assert changed.remaining().charges == 1
