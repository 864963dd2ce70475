"""The front door is sorted, complete, and cheap to open."""

import subprocess
import sys

import banister


def test_all_is_sorted_and_every_name_exists() -> None:
    assert banister.__all__ == sorted(banister.__all__)
    for name in banister.__all__:
        assert getattr(banister, name) is not None


def test_importing_banister_loads_no_heavy_library() -> None:
    heavy = ["scipy", "matplotlib", "highspy", "duckdb", "sqlglot", "pyspark", "pandas", "typer", "rich"]
    code = f"import sys, banister; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
