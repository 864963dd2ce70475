"""Imports go downwards only, and never sideways between rooms of the same floor (docs/decisions/0002)."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "banister"
FLOORS = {
    "errors": 0,
    "core": 1,
    "sampling": 2,
    "mechanisms": 3,
    "local": 3,
    "parties": 3,
    "tables": 3,
    "spread": 3,
    "accounting": 3,
    "engines": 4,
    "recipes": 5,
    "apps": 6,
}
RIM_ONLY = {"duckdb", "highspy", "matplotlib", "psycopg", "pyspark", "sqlglot", "pyarrow", "pandas", "polars", "mbi"}
CHANCE = {"random", "secrets", "numpy.random", "os.urandom"}
CLOCKS = {"time", "datetime"}
FILES = sorted(SOURCE.rglob("*.py"))


def room(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imports(path: Path) -> set[str]:
    """Every module that a file imports, at the top or inside a function."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_go_downwards(path: Path) -> None:
    here = room(path)
    if here == "__init__":
        return
    for name in imports(path):
        if not name.startswith("banister."):
            continue
        there = name.split(".")[1]
        if there not in FLOORS:
            assert here == "apps", f"{path} imports the front door"
            continue
        assert there == here or FLOORS[there] < FLOORS[here], f"{path} imports {name}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_chance_time_and_outside_libraries_stay_in_their_rooms(path: Path) -> None:
    here = room(path)
    names = imports(path)
    tops = {name.split(".")[0] for name in names}
    if here != "sampling":
        assert not any(name == c or name.startswith(c + ".") for name in names for c in CHANCE), path
        assert "np.random" not in path.read_text(encoding="utf-8"), path
    if here not in ("engines", "apps"):
        assert not tops & CLOCKS, path
    if here != "engines":
        assert not tops & RIM_ONLY, path
