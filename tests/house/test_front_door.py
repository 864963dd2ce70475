"""The front door is sorted, complete, and cheap to open."""

import ast
import subprocess
import sys
from pathlib import Path

import banister


def test_all_is_sorted_and_every_name_exists() -> None:
    listed = Path(banister.__file__).with_suffix(".pyi").read_text(encoding="utf-8").split("__all__ = ")[1]
    assert banister.__all__ == sorted(ast.literal_eval(listed.split("]")[0] + "]"))
    for name in banister.__all__:
        assert getattr(banister, name) is not None


def test_importing_banister_loads_no_heavy_library() -> None:
    heavy = [
        "numpy",
        "flint",
        "cryptography",
        "scipy",
        "matplotlib",
        "highspy",
        "duckdb",
        "sqlglot",
        "pyspark",
        "pandas",
        "typer",
        "rich",
    ]
    code = f"import sys, banister; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
