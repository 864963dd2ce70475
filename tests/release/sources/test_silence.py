"""No private value leaves: not in a message, a log line, a warning, a plan, a ledger or a file, on any engine."""

import logging
import traceback
import warnings
from pathlib import Path

import duckdb
import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import banister as bn
from banister.apps.cli import build
from banister.errors import BadValue, EngineBroke
from tests.release.sources.conftest import SPARK

SECRET = "secret-4711-zyx"
SCHEMA = """
[source]
table = "{table}"
name = "{name}"
person = "who"
neighbours = "add-remove"
rows = 2
groups = 2

[budget]
epsilon = 4.0
delta = 1e-5
ledger = "here.ledger"

[columns]
x = {{ kind = "integer", range = [0, 10] }}
plan = {{ kind = "category", values = ["free", "shared"] }}
site = {{ kind = "category" }}
"""
ROWS = [(f"{SECRET}-{who}", who % 11, SECRET if who == 5 else "free", "common") for who in range(300)]
ROWS += [(f"{SECRET}-7", 3, "shared", SECRET)]
COLUMNS = ("who", "x", "plan", "site")


class Held:
    """A table that holds secrets, and a view over it that fails on one of them as soon as it is read."""

    def __init__(self, engine: str, folder: Path, request: pytest.FixtureRequest) -> None:
        self.engine, self.folder = engine, folder
        self.loggers: list[logging.Logger] = []
        rows = pa.table(dict(zip(COLUMNS, zip(*ROWS, strict=True), strict=True)))
        failing = "SELECT who, CAST(who AS {kind}) AS x, plan, site FROM base"
        if engine == "duckdb":
            self.table = "here.duckdb"
            with duckdb.connect(str(folder / self.table)) as connection:
                connection.execute("CREATE TABLE base AS SELECT * FROM rows")
                connection.execute(f"CREATE VIEW failing AS {failing.format(kind='BIGINT')}")
        elif engine == "postgres":
            self.table = request.getfixturevalue("postgres")
            with psycopg.connect(self.table) as connection:
                connection.execute("DROP TABLE IF EXISTS base CASCADE")
                connection.execute("CREATE TABLE base (who TEXT, x INTEGER, plan TEXT, site TEXT)")
                connection.cursor().executemany("INSERT INTO base VALUES (%s, %s, %s, %s)", ROWS)
                connection.execute(f"CREATE VIEW failing AS {failing.format(kind='BIGINT')}".encode())
        else:
            from pyspark.logger import PySparkLogger  # Whose logs pass nothing on to the others.

            self.table = "spark:"
            session = request.getfixturevalue("spark")
            self.loggers = [PySparkLogger.getLogger(f"{kind}QueryContextLogger") for kind in ("SQL", "DataFrame")]
            session.createDataFrame(rows).createOrReplaceTempView("base")
            session.sql(failing.format(kind="BIGINT")).createOrReplaceTempView("failing")

    def schema(self, name: str) -> Path:
        path = self.folder / "here.toml"
        table = self.table + name if self.engine == "spark" else self.table
        path.write_text(SCHEMA.format(table=table, name=name))
        if not (self.folder / "here.ledger").exists():
            bn.open(path).create_ledger().close()
        return path


@pytest.fixture(params=["duckdb", "postgres", SPARK])
def held(request: pytest.FixtureRequest, tmp_path: Path) -> Held:
    return Held(request.param, tmp_path, request)


def silent(held: Held, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str], *said: object) -> None:
    """The secret is nowhere but in the table itself."""
    out, err = capfd.readouterr()
    assert SECRET not in out + err + caplog.text
    for each in said:
        assert SECRET not in str(each)
    for path in held.folder.rglob("*"):
        if path.is_file() and path.name != "here.duckdb":
            assert SECRET.encode() not in path.read_bytes(), path.name
            if path.suffix == ".parquet":  # Whose columns may be compressed.
                assert SECRET not in str(pq.read_table(path).to_pylist())


FAILS = ("SELECT COUNT(*) AS n, SUM(x) AS s FROM data", "SELECT plan, MEDIAN(x) AS m FROM data GROUP BY plan")


@pytest.mark.parametrize("question", FAILS)
def test_an_engine_that_fails_on_a_value_does_not_name_it(
    question: str, held: Held, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.INFO)
    for logger in held.loggers:
        logger.addHandler(caplog.handler)
    path = held.schema("failing")
    here = bn.open(path)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        done = CliRunner().invoke(build(), ["release", str(path), question, "--epsilon", "1", "--out", f"{path}.csv"])
    assert isinstance(done.exception, EngineBroke)
    told = "".join(traceback.format_exception(done.exception))
    plan = here.plan(question, epsilon=1)
    silent(held, caplog, capfd, told, done.output, *(str(w.message) for w in warned), plan, repr(plan), repr(here))
    for logger in held.loggers:
        logger.removeHandler(caplog.handler)
    assert here.remaining().charges == 1  # A view that fails on a value fails for the second line too.


def test_a_column_that_is_not_there_is_named_without_a_value(
    held: Held, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    path = held.schema("base")
    path.write_text(
        path.read_text().replace('plan = { kind = "category", values', 'gone = { kind = "category", values')
    )
    with pytest.raises(BadValue, match="has no column 'gone'") as caught:
        bn.open(path).source()
    silent(held, caplog, capfd, *traceback.format_exception(caught.value))


def test_a_release_that_succeeds_says_nothing_of_what_is_rare(
    held: Held, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """Values outside a declared set, a value that one person has, and the names of people: in no file and no line."""
    caplog.set_level(logging.INFO)
    path = held.schema("base")
    question = "SELECT site, COUNT(*) AS n FROM data GROUP BY site; SELECT plan, AVG(x) AS m FROM data GROUP BY plan"
    words = ["release", str(path), question, "--epsilon", "2", "--delta", "1e-7"]
    words += ["--out", str(held.folder / "a.parquet"), "--report", str(held.folder / "a.html")]
    shown = CliRunner().invoke(build(), ["plan", *words[1:7]])
    done = CliRunner().invoke(build(), words)
    assert done.exception is None, done.output
    assert "common" in done.output
    assert {path.name for path in held.folder.iterdir()} >= {"a.parquet", "a-2.parquet", "a.html"}
    silent(held, caplog, capfd, shown.output, done.output)
