"""What DuckDB is given to read, and how a bad file is refused without a word about what is in it."""

import math
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import banister as bn
from banister.errors import BadValue
from banister.questions.measures import Counting
from banister.release.run import works
from banister.release.sources.duckdb import DuckDBSource
from banister.release.sources.sql.render import _linear
from banister.tables.schema import Schema
from tests.release.sources.places import planned
from tests.seeded import SeededBits
from tests.sizes import sized

TEXT = """
[source]
table = "{name}"
{more}
neighbours = "add-remove"
[columns]
visits = {{ kind = "integer", range = [0, 10] }}
plan = {{ kind = "category", values = ["a", "b"] }}
"""
ROWS = {"visits": [1, 2, None, 50], "plan": ["a", "b", "a", None]}


def schema(name: str, more: str = "") -> Schema:
    return Schema.of_text(TEXT.format(name=name, more=more))


def totals(asked: Schema, folder: Path, frames: dict[str, object]) -> list[list[int]]:
    plan = planned("SELECT plan, COUNT(*), SUM(visits) FROM data GROUP BY plan", asked)
    source = DuckDBSource(asked, folder=folder, frames=frames)
    found: list[list[int]] = source.totals(works(plan.parts[0], SeededBits(1))[0]).values.tolist()
    return found


def test_every_kind_of_file_and_frame_gives_the_same(tmp_path: Path) -> None:
    rows = pa.table(ROWS)
    (tmp_path / "t.csv").write_text('visits,plan\n1,a\n2,"b"\n,a\n50,\n')
    duckdb.execute(f"COPY rows TO '{tmp_path}/t.parquet' (FORMAT parquet)")
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute("CREATE TABLE inner_name AS SELECT * FROM rows")
    found = [
        totals(schema("t.csv"), tmp_path, {}),
        totals(schema("t.parquet"), tmp_path, {}),
        totals(schema("t.duckdb", 'name = "inner_name"'), tmp_path, {}),
        totals(schema("x"), tmp_path, {"data": rows}),
        totals(schema("x"), tmp_path, {"data": pd.DataFrame(ROWS).astype({"visits": "Int64"})}),
        totals(schema("x"), tmp_path, {"data": pl.DataFrame(ROWS)}),
    ]
    assert found == [[[2, 1], [1, 2]]] * 6


NAN_TEXT = """
[source]
table = "{name}"
neighbours = "add-remove"
[columns]
x = {{ kind = "number", range = [-5, 100], step = 0.5 }}
"""


@pytest.mark.parametrize(
    "others", [[], [1.0], [-7.0], [200.0], [-7.0, 200.0], [None], [math.inf, -math.inf], [1.0, 99.0]]
)
@pytest.mark.parametrize("kind", [pa.float64(), pa.float32()])
def test_nan_is_missing_whatever_the_other_values_are(others: list[float], kind: pa.DataType, tmp_path: Path) -> None:
    """Statistics of a Parquet file leave NaN out; folding by them would tie one person's part to the others' values."""
    rows = pa.table({"x": pa.array([*others, math.nan], type=kind)})
    pq.write_table(rows, tmp_path / "arrow.parquet")
    duckdb.execute(f"COPY rows TO '{tmp_path}/duck.parquet' (FORMAT parquet)")
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute("CREATE TABLE data AS SELECT * FROM rows")
    there = sum(x is not None for x in others)
    for name, frames in [("arrow.parquet", {}), ("duck.parquet", {}), ("t.duckdb", {}), ("x", {"data": rows})]:
        asked = Schema.of_text(NAN_TEXT.format(name=name))
        source = DuckDBSource(asked, folder=tmp_path, frames=frames)
        for question in (
            "SELECT COUNT(x) FROM data",
            "SELECT COUNT(*) FROM data WHERE x IS NOT NULL",
            "SELECT COUNT(*) FROM data WHERE NOT (x > 100)",
        ):
            found = source.totals(works(planned(question, asked).parts[0], SeededBits(1))[0]).values.tolist()
            assert found == [[there]], (name, question)


def test_bytes_that_are_no_text_stop_no_reading(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b"visits,plan\n1,a\n2,\xff\xfe\n3,a\n")
    assert totals(schema("t.csv"), tmp_path, {})[1][0] == 4


STORED = ["TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"]


@pytest.mark.parametrize(("low", "high"), [(0, 10), (-9, 4), (-200, 300), (3, 2**40)])
@pytest.mark.parametrize("stored", STORED)
def test_every_stored_type_is_added_up_without_overflow(stored: str, low: int, high: int, tmp_path: Path) -> None:
    """Columns are added up in the type in which they are stored; ends of the type and NULLs included."""
    unsigned, bits = stored.startswith("U"), {"T": 8, "S": 16, "I": 32, "B": 64, "H": 128}[stored.lstrip("U")[0]]
    ends = (0, 2**bits - 1) if unsigned else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    values = [*ends, *ends, 5, 5, None, 7]
    shown = ", ".join(f"(CAST({'NULL' if v is None else v} AS {stored}), 'a')" for v in values)
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute(f"CREATE TABLE data AS SELECT * FROM (VALUES {shown}) t(visits, plan)")
    text = TEXT.format(name="t.duckdb", more="").replace("[0, 10]", f"[{low}, {high}]")
    plan = planned(
        "SELECT plan, COUNT(*), SUM(visits), SUM(2 * visits + 1) FROM data GROUP BY plan", Schema.of_text(text)
    )
    source = DuckDBSource(plan.schema, folder=tmp_path, frames={})
    work = works(plan.parts[0], SeededBits(1))[0]
    held = [min(max(v, low), high) for v in values if v is not None]
    truth = []
    for measure in work.measures:
        if measure.quantity is None:
            truth.append(len(values))
        else:
            factor, shift, _ = _linear(measure.quantity.term)
            truth.append(sum(factor * v + shift for v in held) if measure.counting is Counting.TOTAL else len(held))
    assert source.totals(work).values[:, 0].tolist() == truth


def test_text_in_a_number_column_of_a_csv_is_missing_not_an_error(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text('visits,plan\nsecret,a\n1e99,a\n3,a\n"unclosed,a\n')
    assert totals(schema("t.csv"), tmp_path, {})[1][0] == 3


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("missing.csv", None, "is not a file that is there"),
        ("empty.csv", "", "has no header line"),
        ("other.csv", "visits,plann\n1,a\n", "has no column 'plan'. It has: plann, visits"),
        ("t.xlsx", "x", "must end in .csv, .parquet or .duckdb"),
        ("t.parquet", "no parquet", "cannot be read as what its name says (.parquet): it is damaged"),
        ("t.duckdb", "no database", "cannot be read as what its name says (.duckdb): it is damaged"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused(name: str, content: str | None, words: str, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / name).write_text(content)
    with pytest.raises(BadValue) as caught:
        DuckDBSource(schema(name), folder=tmp_path, frames={})
    assert words in str(caught.value)


def test_a_broken_file_says_nothing_of_its_content(tmp_path: Path) -> None:
    (tmp_path / "t.parquet").write_text("secret-value-of-a-person")
    with pytest.raises(BadValue, match="it is damaged, of another kind, or locked") as caught:
        DuckDBSource(schema("t.parquet"), folder=tmp_path, frames={})
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("content", ["3,a\n4,b\n", "visits;plan\n3;a\n"])
def test_a_first_line_that_may_be_somebodys_is_not_shown(content: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(content)
    with pytest.raises(BadValue, match="it may hold data, and is not shown") as caught:
        DuckDBSource(schema("t.csv"), folder=tmp_path, frames={})
    assert content.splitlines()[0] not in str(caught.value)
    assert "3" not in str(caught.value)


def test_columns_of_another_type_are_refused(tmp_path: Path) -> None:
    frame = pd.DataFrame({"visits": ["1"], "plan": ["a"]})
    with pytest.raises(BadValue, match="'visits' is declared as integer, and holds text"):
        totals(schema("x"), tmp_path, {"data": frame})
    frame = pd.DataFrame({"visits": [1], "plan": [1]})
    with pytest.raises(BadValue, match="'plan' is declared as category with values such as 'a'"):
        totals(schema("x"), tmp_path, {"data": frame})


def test_a_person_column_has_to_be_there_and_whole(tmp_path: Path) -> None:
    asked = schema("x", 'person = "who"\nrows = 2')
    with pytest.raises(BadValue, match="no person column 'who'"):
        DuckDBSource(asked, folder=tmp_path, frames={"data": pd.DataFrame({"visits": [1], "plan": ["a"]})})
    decimals = pa.table({"visits": [1], "plan": ["a"], "who": pa.array([1], type=pa.decimal128(5, 2))})
    with pytest.raises(BadValue, match="a person needs a whole number or a text"):
        DuckDBSource(asked, folder=tmp_path, frames={"data": decimals})


def test_something_that_is_no_table_is_refused(tmp_path: Path) -> None:
    with pytest.raises(bn.BanisterError, match="cannot be read from a int"):
        DuckDBSource(schema("x"), folder=tmp_path, frames={"data": 3})


def test_a_total_beyond_64_bits_is_held_and_no_error(tmp_path: Path) -> None:
    """40 000 values of 2^49, moved to the middle of their range by 2^48 each: beyond 2^63 on the way."""
    top, count = 2**49, 40_000
    asked = Schema.of_text(TEXT.format(name="x", more="").replace("[0, 10]", f"[0, {top}], nulls = false"))
    rows = pd.DataFrame({"visits": [top] * count + [0] * count, "plan": ["a"] * count + ["b"] * count})
    plan = planned("SELECT plan, COUNT(*), SUM(visits) FROM data GROUP BY plan", asked)
    source = DuckDBSource(asked, folder=tmp_path, frames={"data": rows})
    work = works(plan.parts[0], SeededBits(1))[0]
    assert [_linear(m.quantity.term)[1] for m in work.measures if m.quantity is not None] == [-top // 2]
    assert source.totals(work).values.tolist() == [[count, count], [2**60, -(2**60)]]


GROUPS = {
    "declared": 'kind = "category", values = ["a", "b", "c", "d"]',
    "unknown": 'kind = "category"',
    "too many for keys of their own": 'kind = "category", values = ["a", "b", "c", "d", '
    + ", ".join(f'"z{i}"' for i in range(1000))
    + "]",
}


@pytest.mark.parametrize(
    ("kind", "kept", "who"),
    [(kind, kept, 1) for kind in GROUPS for kept in (1, 2)]
    + [(kind, 1, who) for kind in ("declared", "unknown") for who in (1000, 2**40 + 1, -(2**16))],
)
def test_people_in_a_row_choose_their_groups_independently(kind: str, kept: int, who: int, tmp_path: Path) -> None:
    """Each of 1000 people has four groups of which some count: over many keys the spread is that of independent choice.

    Keeping is drawn without replacement, so a group's count has the variance people · p · (1 − p) with p = kept / 4,
    and the four counts add up to a constant: chi-square with 3 degrees of freedom.
    """
    people, runs = 1000, sized(60 if kind != "too many for keys of their own" else 20, 60)
    frame = pd.DataFrame(
        {"visits": 1, "plan": list("abcd") * people, "who": [n * who for n in range(people) for _ in "abcd"]}
    )
    text = TEXT.format(name="x", more=f'person = "who"\nrows = 1\ngroups = {kept}')
    asked = Schema.of_text(text.replace('kind = "category", values = ["a", "b"]', GROUPS[kind]))
    source = DuckDBSource(asked, folder=tmp_path, frames={"data": frame})
    part = planned("SELECT plan, COUNT(*) AS n FROM data GROUP BY plan", asked).parts[0]
    counts = [source.totals(works(part, SeededBits(seed))[0]).values[-1][:4] for seed in range(runs)]
    assert all(count.sum() == kept * people for count in counts)
    p = kept / 4
    spread = people * p * (1 - p) * 4 / 3
    squares = [float(((count - p * people) ** 2).sum()) / spread for count in counts]
    assert sum(squares) / runs == pytest.approx(3, abs=4.5 * math.sqrt(6 / runs))


def test_the_median_of_a_wide_range_fails_for_no_value(tmp_path: Path) -> None:
    """Rungs are steps from the foot of the range, up to 2^52: hashed as they are, they would leave 64 bits."""
    text = TEXT.format(name="x", more='person = "who"\nrows = 1').replace("[0, 10]", f"[0, {2**52 - 1}]")
    asked = Schema.of_text(text)
    rows = pd.DataFrame({"visits": [0, 2**52 - 1, 2**51], "plan": ["a", "a", "b"], "who": [1, 1, 2]})
    source = DuckDBSource(asked, folder=tmp_path, frames={"data": rows})
    part = planned("SELECT plan, MEDIAN(visits) AS m FROM data GROUP BY plan", asked).parts[0]
    (work,) = works(part, SeededBits(1))
    assert work.ladder is not None
    assert source.totals(work).values.sum(axis=0).tolist() == [1, 1]


def test_labels_of_128_bits_come_out_as_they_are(tmp_path: Path) -> None:
    """Through doubles 2^100 + 1 and 2^53 + 1 would be published as other numbers."""
    wide = [2**100 + 1, 2**53 + 1, -(2**127), 7]
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute("CREATE TABLE data (site HUGEINT, visits INTEGER)")
        connection.executemany("INSERT INTO data VALUES (?, 1)", [[value] for value in wide])
    text = TEXT.format(name="t.duckdb", more="").replace("plan = {", "site = { kind = 'category' }\n#")
    plan = planned("SELECT site, COUNT(*) FROM data GROUP BY site", Schema.of_text(text))
    source = DuckDBSource(plan.schema, folder=tmp_path, frames={})
    found = source.totals(works(plan.parts[0], SeededBits(1))[0])
    assert found.labels is not None
    assert {label for (label,) in found.labels} == set(wide)
