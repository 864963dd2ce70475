"""Paths are literal: the file that is named is read, and none of those that its name would match as a pattern."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from banister.errors import BadValue
from banister.publish.sketches.matrices import _open as open_matrix
from banister.release.run import works
from banister.release.sources.duckdb import DuckDBSource
from banister.spread.lab.readers.parquet import read_parquet
from banister.tables.frames.paths import literal_path
from banister.tables.frames.records import read_codes
from banister.tables.schema import Schema
from tests.release.sources.places import planned
from tests.seeded import SeededBits

NAMES = ("lab[1]/d", "*", "q?", "k=1/d", "[[]", "**", "{a,b}", "a]b", "it's", "%d", "~d", "$HOME")
SCHEMA = """
[source]
table = "{table}"
neighbours = "add-remove"
[columns]
x = {{ kind = "integer", range = [0, 100] }}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder in which every pattern matches other files too, each with other rows."""
    for rows, name in enumerate(("lab1/d", "other", "qx", "k", "[", "deep/er/file", "a", "b"), start=50):
        for ending in (".csv", ".parquet"):
            _write(tmp_path / (name + ending), rows)
    return tmp_path


def _write(path: Path, rows: int) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".csv":
        path.write_text("x,y\n" + "1,2\n" * rows)
    else:
        pq.write_table(pa.table({"x": [1] * rows, "y": [2] * rows}), path)
    return path


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
@pytest.mark.parametrize("name", NAMES)
def test_a_release_reads_the_file_that_is_named(name: str, ending: str, folder: Path) -> None:
    path = _write(folder / (name + ending), 7)
    asked = Schema.of_text(SCHEMA.format(table=name + ending))
    source = DuckDBSource(asked, folder=folder, frames={})
    (work,) = works(planned("SELECT COUNT(*) FROM data", asked).parts[0], SeededBits(1))
    assert source.totals(work).values.tolist() == [[7]]
    assert read_codes(path, asked.domain).records == 7


@pytest.mark.parametrize("name", NAMES)
def test_sketches_and_graphs_read_the_file_that_is_named(name: str, folder: Path) -> None:
    import duckdb

    path = _write(folder / f"{name}.parquet", 7)
    with duckdb.connect() as connection:
        found = connection.execute(f"SELECT * FROM {open_matrix(connection, path)}").fetchall()
    assert found == [(1, 2)] * 7
    names = read_parquet(path).names
    assert names is not None
    assert len(names) == 2


def test_a_backslash_beside_a_pattern_is_refused() -> None:
    with pytest.raises(BadValue, match="has a backslash beside"):
        literal_path(Path("a\\b*.csv"))
