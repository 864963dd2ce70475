"""An engine that goes away: before it reads a row nothing is charged, afterwards the release is; no half file."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import banister as bn
from banister.apps.cli import build
from banister.errors import BudgetExceeded, EngineBroke, EngineFailed
from tests.postgres import server, wait_for
from tests.release.sources.conftest import SPARK

SCHEMA = """
[source]
table = "{table}"
name = "{name}"
neighbours = "add-remove"

[budget]
epsilon = 1.0
delta = 1e-6
ledger = "{ledger}"

[columns]
x = {{ kind = "integer", range = [0, 10] }}
"""
QUESTION = "SELECT COUNT(*) AS n, SUM(x) AS s FROM data"
NOTHING = "Nothing was drawn and nothing was charged"


def write_schema(folder: Path, table: str, *, name: str = "data", ledger: str = "here.ledger") -> Path:
    path = folder / "here.toml"
    path.write_text(SCHEMA.format(table=table, name=name, ledger=ledger))
    return path


def untouched(here: bn.Dataset, folder: Path, *others: str) -> None:
    """Nothing was charged and nothing was written."""
    assert here.remaining().charges == 0
    left = {path.name for path in folder.iterdir() if not path.name.startswith("here.ledger")}
    assert left == {"here.toml", *others}


def charged(here: bn.Dataset, folder: Path, error: BaseException | None) -> None:
    """The release was charged and not answered; ledger and message say that more may have been told."""
    assert isinstance(error, EngineBroke)
    assert "Nothing was drawn. Charge 1 of the ledger stands for it, and more than the charge may have been" in str(
        error
    )
    with here.ledger() as book:
        (entry,) = book.history()
        assert entry.label.endswith("(the engine broke off: more may have been told)")
    left = {path.name for path in folder.iterdir() if not path.name.startswith("here.ledger")}
    assert left == {"here.toml"}


@pytest.fixture(scope="module")
def own_server(postgres: str) -> Iterator[str]:
    """A server that may be killed; where none can be started, `postgres` has said so."""
    with server() as address:
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute("CREATE TABLE base AS SELECT generate_series(1, 20) % 10 AS x")
            # The sleep is reached while the question is worked on, and is over only when somebody ends it.
            connection.execute("CREATE VIEW slow AS SELECT x + (SELECT 0 * length(pg_sleep(300)::text)) AS x FROM base")
        yield address


def working(address: str) -> int:
    """The process that works on the question, as soon as there is one."""
    query = "SELECT pid FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%%slow%%' AND pid <> %s"
    for _ in range(600):
        with psycopg.connect(address, autocommit=True) as connection:
            row = connection.execute(query, (connection.info.backend_pid,)).fetchone()
            if row is not None:
                return int(row[0])
        time.sleep(0.05)
    raise TimeoutError("the question was never worked on")


@pytest.mark.parametrize("how", ["ended by an administrator", "killed"])
def test_a_server_that_goes_away_during_the_query_is_charged_for(how: str, own_server: str, tmp_path: Path) -> None:
    path = write_schema(tmp_path, own_server, name="slow")
    here = bn.open(path)
    here.create_ledger().close()
    words = ["release", str(path), QUESTION, "--epsilon", "0.5", "--out", str(tmp_path / "a.parquet")]
    words += ["--report", str(tmp_path / "a.html")]
    raised: list[BaseException | None] = []
    run = threading.Thread(target=lambda: raised.append(CliRunner().invoke(build(), words).exception))
    run.start()
    process = working(own_server)
    if how == "killed":
        os.kill(process, signal.SIGKILL)  # The server throws everyone out and starts anew.
    else:
        with psycopg.connect(own_server) as connection:
            connection.execute("SELECT pg_terminate_backend(%s)", (process,))
    run.join(60)
    wait_for(own_server)
    assert str(raised[0]).startswith("PostgreSQL could not do the work (")
    charged(here, tmp_path, raised[0])


def test_a_table_that_is_gone_costs_nothing(place_of_one: tuple[str, object], tmp_path: Path, request) -> None:
    engine, frame = place_of_one
    rows = pa.table({"x": pa.array([1, 2, 3], pa.int32())})
    if engine == "duckdb":
        pq.write_table(rows, tmp_path / "gone.parquet")
        here = bn.open(write_schema(tmp_path, "gone.parquet"))
        here.source()
        (tmp_path / "gone.parquet").unlink()
    elif engine == "postgres":
        with psycopg.connect(str(frame), autocommit=True) as connection:
            connection.execute("CREATE TABLE gone (x INTEGER)")
            here = bn.open(write_schema(tmp_path, str(frame), name="gone"))
            here.source()
            connection.execute("DROP TABLE gone")
    else:
        session = request.getfixturevalue("spark")
        session.createDataFrame(rows).createOrReplaceTempView("gone")
        here = bn.open(write_schema(tmp_path, "spark:gone"))
        here.source()
        session.catalog.dropTempView("gone")
    here.create_ledger().close()
    with pytest.raises(EngineFailed, match=NOTHING):
        here.release(here.plan(QUESTION, epsilon="0.5"))
    untouched(here, tmp_path)


@pytest.fixture(params=["duckdb", "postgres", SPARK])
def place_of_one(request: pytest.FixtureRequest) -> tuple[str, object]:
    return request.param, request.getfixturevalue("postgres") if request.param == "postgres" else None


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_jobs_of_spark_that_are_cancelled_are_charged_for(spark, tmp_path: Path) -> None:
    endless = spark.range(10**14).selectExpr("CAST(id % 11 AS INT) AS x")
    here = bn.open(write_schema(tmp_path, "spark:endless"), data=endless)
    here.create_ledger().close()
    here.source()
    stop = threading.Timer(2, spark.sparkContext.cancelAllJobs)
    stop.start()
    with pytest.raises(EngineBroke, match="Spark could not do the work") as caught:
        here.release(here.plan(QUESTION, epsilon="0.5"))
    charged(here, tmp_path, caught.value)


@pytest.mark.slow
def test_a_spark_session_that_is_stopped_is_charged_for_once(spark, tmp_path: Path) -> None:
    """In a process of its own, because the session of the other tests must live."""
    write_schema(tmp_path, "spark:endless")
    done = subprocess.run(
        [sys.executable, "-m", "tests.release.sources.stopped", str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    said = done.stdout.splitlines()
    assert len(said) == 3
    assert [line.split(": ")[0] for line in said] == ["EngineBroke", "EngineFailed", "EngineFailed"]
    assert bn.open(tmp_path / "here.toml").remaining().charges == 1


@pytest.mark.parametrize("shared", [False, True], ids=["ledger in a file", "ledger on the server"])
def test_of_releases_at_once_that_exceed_the_budget_one_succeeds(shared: bool, postgres: str, tmp_path: Path) -> None:
    ledger = f"{postgres}#together{os.getpid()}" if shared else "here.ledger"
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS shared")
        connection.execute("CREATE TABLE shared AS SELECT generate_series(1, 500) % 10 AS x")
    path = write_schema(tmp_path, postgres, name="shared", ledger=ledger)
    bn.open(path).create_ledger().close()
    together = threading.Barrier(4)
    done: list[str] = []

    def run() -> None:
        here = bn.open(path)
        plan = here.plan(QUESTION, epsilon="0.6")
        together.wait(60)
        try:
            here.release(plan)
            done.append("answered")
        except BudgetExceeded:
            done.append("refused")

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == ["answered", "refused", "refused", "refused"]
    assert bn.open(path).remaining().charges == 1
