"""A machine without Java is told that Spark was left out; continuous integration leaves nothing out."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HOUSE = Path(__file__).parents[2]
NEEDED = {"BANISTER_NEED_POSTGRES", "BANISTER_NEED_SPARK", "BANISTER_NEED_BROWSER"}
ONE = "tests/release/sources/test_gone.py::test_a_table_that_is_gone_costs_nothing"


def without_java(folder: Path, **more: str) -> "subprocess.CompletedProcess[str]":
    """One test of Spark, where no program called java can be found."""
    kept = {name: value for name, value in os.environ.items() if name not in ("JAVA_HOME", *NEEDED)}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-k", "spark", ONE],
        env={**kept, "PATH": str(folder), **more},
        cwd=HOUSE,
        capture_output=True,
        text=True,
        check=False,
    )


def test_spark_is_left_out_aloud(tmp_path: Path) -> None:
    done = without_java(tmp_path)
    assert done.returncode == 0, done.stdout
    assert "LEFT OUT: 1 tests, as no Spark session could be started: install Java 17" in done.stdout


def test_where_spark_is_needed_it_is_not_left_out(tmp_path: Path) -> None:
    done = without_java(tmp_path, BANISTER_NEED_SPARK="1")
    assert done.returncode == 1
    assert "no Spark session could be started" in done.stdout
    assert "LEFT OUT" not in done.stdout


@pytest.mark.parametrize("name", sorted(NEEDED))
def test_continuous_integration_needs_every_engine(name: str) -> None:
    lines = (HOUSE / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert f"export {name}=1" in lines
    assert lines[-1] == "exec make test"
