"""A new engine is one file, and the addresses that are its own."""

from pathlib import Path

import pytest

from tests.scratch import copy_of_the_house, run_in

FILE = '''"""DuckDB under another name."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from banister.release.sources.duckdb import DuckDBSource
from banister.tables.schema import Schema

PREFIX = "second:"


class SecondSource(DuckDBSource):
    """Reads what stands behind `second:`."""

    def __init__(self, schema: Schema, *, folder: Path, frames: Mapping[str, object]) -> None:
        tables = tuple(replace(table, location=table.location.removeprefix(PREFIX)) for table in schema.tables)
        super().__init__(replace(schema, tables=tables), folder=folder, frames=frames)
        print("opened:", *(table.location for table in tables))
'''
LINES = """    if all(table.location.startswith("second:") for table in schema.tables):
        from banister.release.sources.second import SecondSource

        return SecondSource(schema, folder=folder, frames=frames)
    kinds = {"""
PROGRAM = """
from pathlib import Path
import banister as bn
from banister.release.demo import write_demo

schema = write_demo("demo")[1]
text = schema.read_text(encoding="utf-8")
schema.write_text(text.replace('table = "randhie', 'table = "second:randhie'), encoding="utf-8")
health = bn.open(schema)
answers = health.release(health.plan("SELECT plan, COUNT(*) AS n FROM data GROUP BY plan", epsilon="0.5"))
print("rows:", [row["plan"] for row in answers.table])
"""


@pytest.fixture
def house(tmp_path: Path) -> Path:
    house = copy_of_the_house(tmp_path)
    sources = house / "release" / "sources"
    (sources / "second.py").write_text(FILE, encoding="utf-8")
    text = (sources / "open.py").read_text(encoding="utf-8")
    assert text.count("    kinds = {") == 1
    (sources / "open.py").write_text(text.replace("    kinds = {", LINES), encoding="utf-8")
    return house


def test_a_release_comes_from_it(house: Path) -> None:
    told = run_in(house, "-c", PROGRAM)
    assert "opened: randhie.parquet\n" in told.stdout, told.stderr
    assert "rows: ['free', 'shared', 'deductible']\n" in told.stdout, told.stderr
