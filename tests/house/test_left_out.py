"""What is left out is said: Spark without Java, and what `make run` does not install."""

import os
import re
import subprocess
import sys
import tomllib
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


def test_what_make_run_installs_is_the_rest_without_scipy_and_the_solver() -> None:
    project = tomllib.loads((HOUSE / "pyproject.toml").read_text(encoding="utf-8"))
    left_out = {need for need in project["project"]["dependencies"] if need.startswith(("scipy", "highspy"))}
    assert set(project["dependency-groups"]["run"]) == set(project["project"]["dependencies"]) - left_out
    every = set(re.findall(r"^\S+==\S+", (HOUSE / "requirements.lock").read_text(encoding="utf-8"), flags=re.MULTILINE))
    small = re.findall(r"^\S+==\S+", (HOUSE / "requirements-run.lock").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert set(small) < every
    assert not any(line.startswith(("scipy", "highspy")) for line in small)


def test_the_main_job_does_without_scipy_and_what_does_not_says_what_to_do(tmp_path: Path) -> None:
    """The commands of `make run`, where neither library can be found."""
    for name in ("scipy", "highspy"):
        text = f"raise ModuleNotFoundError(\"No module named '{name}'\", name='{name}')\n"
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    lines = re.findall(
        r"^\t\$\(BIN\)/banister ((?:.*\\\n)*.*)", (HOUSE / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    assert len(lines) == 4
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    program = [sys.executable, "-c", "from banister.apps.cli import main; main()"]

    def banister(*words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [*program, *words],
            env={**os.environ, "PYTHONPATH": path},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )

    for line in lines:
        done = banister(*line.replace("\\\n", " ").split())
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "build" / "health" / "answers.html").is_file()
    refused = banister("noise", "--epsilon", "1", "--delta", "1e-6", "--sensitivity", "3", "--integer")
    assert refused.returncode == 1
    assert "make setup" in refused.stderr
    assert "Traceback" not in refused.stderr
