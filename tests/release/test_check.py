"""`check` counts what is understood of a table, for its owner: nothing is charged, and a file is the owner's alone."""

from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

import banister as bn
from banister.apps.cli import build
from banister.errors import BadValue
from banister.release.check import TableCheck

SCHEMA = """
[source]
table = "t.csv"
person = "who"
rows = 2
neighbours = "add-remove"
separator = ";"
decimal = ","
date_format = "%d.%m.%Y"
[budget]
epsilon = 1
ledger = "t.ledger"
[columns]
n = { kind = "integer", range = [0, 10] }
x = { kind = "number", range = [0, 5], step = 0.1 }
d = { kind = "date", range = [2024-01-01, 2024-12-31] }
g = { kind = "category", values = ["a", "b"] }
s = { kind = "category" }
"""
LINES = (
    "who;n;x;d;g;s",
    "1;5;1,5;29.08.2024;a;u",
    "2;99;7,5;29.08.2023;c;",
    ";x;1.5;2024-08-29;b;v",
    "4;;;;;",
    '5;"open;1;1;1;1',
    "6;1",
)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    (tmp_path / "t.csv").write_text("\n".join(LINES) + "\n")
    (tmp_path / "t.toml").write_text(SCHEMA)
    return tmp_path


def test_rows_and_values_are_counted_column_by_column(here: Path) -> None:
    (table,) = bn.open(here / "t.toml").check()
    assert (table.rows, table.left_out, table.nobody) == (4, 2, 1)
    found = {c.name: (c.understood, c.missing, c.unreadable, c.outside) for c in table.columns}
    assert found == {
        "n": (2, 1, 1, 1),
        "x": (2, 1, 1, 1),
        "d": (2, 1, 1, 1),
        "g": (3, 1, 0, 1),
        "s": (2, 2, 0, 0),
    }


def test_the_command_says_whom_it_is_for_and_charges_nothing(here: Path) -> None:
    bn.open(here / "t.toml").create_ledger().close()
    done = CliRunner().invoke(build(), ["check", "t.toml", "--out", "seen.txt"])
    assert done.exception is None, done.output
    assert done.output.startswith("For the owner alone")
    assert "data: 4 rows; 2 lines left out; 1 without a person" in done.output
    assert "n: 2 understood, 1 missing, 1 unreadable, 1 outside what is declared" in done.output
    assert (here / "seen.txt").stat().st_mode & 0o777 == 0o600
    assert "For the owner alone" in (here / "seen.txt").read_text()
    assert bn.open(here / "t.toml").remaining().charges == 0


def test_its_file_is_none_that_is_needed(here: Path) -> None:
    text = (here / "t.toml").read_text().replace("t.ledger", "t.txt")
    (here / "t.toml").write_text(text)
    done = CliRunner().invoke(build(), ["check", "t.toml", "--out", "t.txt"])
    assert isinstance(done.exception, BadValue)
    assert "is the ledger itself" in str(done.exception)


def test_counts_of_a_check_have_their_thousands_apart(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = TableCheck(name="data", rows=21270, left_out=0, nobody=1000, columns=())
    monkeypatch.setattr("banister.release.dataset.Dataset.check", lambda self: (found,))
    done = CliRunner().invoke(build(), ["check", "t.toml"])
    assert "data: 21 270 rows; 0 lines left out; 1 000 without a person" in done.output


def test_frames_are_checked_too(here: Path) -> None:
    columns = {"who": [1, 2], "n": [5, 11], "x": [float("nan"), 9.0], "g": ["a", "z"], "s": ["u", None]}
    frame = pd.DataFrame(columns | {"d": pd.to_datetime(["2024-01-01", "2025-01-01"])})
    (table,) = bn.open(here / "t.toml", data=frame).check()
    assert {c.name: c.outside for c in table.columns} == {"n": 1, "x": 1, "d": 1, "g": 1, "s": 0}
    assert (table.rows, table.left_out, table.nobody) == (2, 0, 0)
