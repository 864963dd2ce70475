"""Imports go downwards only, and never sideways between contexts (docs/decisions/0002)."""

import ast
import subprocess
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "banister"
FLOORS = {
    "errors": 0,
    "doors": 0,
    "need": 0,
    "clock": 0,
    "files": 0,
    "keys": 0,
    "foreign": 0,
    "forks": 0,
    "core": 0,
    "consent": 1,
    "sampling": 1,
    "show": 1,
    "work": 1,
    "mechanisms": 2,
    "accounting": 3,
    "tables": 4,
    "questions": 5,
    "release": 6,
    "publish": 6,
    "local": 6,
    "parties": 6,
    "spread": 6,
    "audit": 7,
    "compare": 7,
    "papers": 7,
    "apps": 8,
}
GROUND = 0
"""The rooms of the ground floor may see each other; everywhere else a room sees itself and what is below."""
CORE = ("exact", "programs", "laws", "composition", "privacy")
"""Inside the core, too, imports go one way: from the last of these to the first."""
LIBRARIES = {
    "duckdb": (
        "release/sources/duckdb.py",
        "release/sources/local.py",
        "audit/canaries/duckdb.py",
        "audit/targets/duckdb.py",
        "tables/frames/",
        "publish/sketches/",
        "spread/lab/readers/parquet.py",
    ),
    "highspy": ("core/programs/highs.py",),
    "matplotlib": (
        "show/",
        "papers/",
        "local/pictures.py",
        "publish/distortion_figure.py",
        "spread/lab/drawn/pictures.py",
    ),
    "pandas": ("tables/frames/",),
    "polars": ("tables/frames/",),
    "psycopg": (
        "release/sources/postgres.py",
        "accounting/stores/postgres",
        "apps/collect/postgres.py",
        "audit/targets/postgres.py",
    ),
    "pyarrow": ("tables/frames/",),
    "pyspark": ("release/sources/spark.py", "tables/frames/counted_spark.py"),
    "sqlglot": ("questions/", "release/sources/"),
    "cryptography": ("keys.py", "sampling/bits.py", "apps/wildfire/identity.py", "apps/wildfire/store.py"),
    "typer": ("apps/",),
    "fastapi": (
        "apps/web/",
        "apps/studio/",
        "apps/collect/",
        "apps/team/",
        "apps/wildfire/site.py",
        "apps/wildfire/pages/",
    ),
    "jinja2": ("apps/web/site.py",),
    "starlette": (
        "apps/web/",
        "apps/studio/",
        "apps/collect/",
        "apps/team/",
        "apps/wildfire/site.py",
        "apps/wildfire/pages/",
    ),
    "pydantic": ("apps/team/bodies.py",),
    "authlib": ("apps/team/openid.py",),
    "joserfc": ("apps/team/openid.py",),
    "sqlcipher3": ("apps/wildfire/store.py",),
    "segno": ("apps/wildfire/pages/qr.py",),
    "PIL": ("apps/wildfire/pictures.py",),
    "uvicorn": ("apps/web/serve.py", "apps/team/serve.py"),
    "rich": ("apps/", "show/", "work/", "spread/lab/drawn/terminal.py"),
}
"""Which files may know an outside library."""
CHANCE = {"random", "secrets", "numpy.random", "os.urandom"}
CLOCKS = {"time", "datetime"}
TIMED = ("apps", "clock", "work")
CALENDARS = (
    "accounting/stores/",
    "questions/reading/values/dates.py",
    "release/run.py",
    "release/sources/",
    "show/budget.py",
    "tables/",
)
"""Files that speak of dates, or wait, without asking what time it is."""
FILES = sorted(SOURCE.rglob("*.py"))


def place(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def room(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imports(path: Path) -> set[str]:
    """Every module that a file imports: at the top, inside a function, or by a string."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Call) and _called(node) in ("import_module", "__import__", "load_module"):
            found |= {_text(argument) for argument in node.args[:1]}
    return found


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _text(node: ast.expr) -> str:
    """A module's name in a string; of an f-string what stands before its first field."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant):
        return str(node.values[0].value)
    return ""


def upward(here: str, there: str) -> bool:
    """Whether a room may not see another."""
    if here == there:
        return False
    return FLOORS[there] >= FLOORS[here] and not FLOORS[there] == FLOORS[here] == GROUND


@pytest.mark.parametrize("path", FILES, ids=place)
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
        assert not upward(here, there), f"{path} imports {name}"
        if here == there == "core":
            inner = path.relative_to(SOURCE).parts[1]
            assert CORE.index(name.split(".")[2]) <= CORE.index(inner), f"{path} imports {name}"


def test_an_import_by_a_string_is_seen(tmp_path: Path) -> None:
    written = tmp_path / "lazy.py"
    written.write_text('from importlib import import_module\nfound = import_module("banister.apps.cli")\n')
    assert "banister.apps.cli" in imports(written)
    assert upward("release", "apps")
    assert upward("release", "publish")


@pytest.mark.parametrize("path", FILES, ids=place)
def test_chance_time_and_outside_libraries_stay_in_their_rooms(path: Path) -> None:
    here, where = room(path), place(path)
    names = imports(path)
    tops = {name.split(".")[0] for name in names}
    if here not in ("sampling", "keys"):
        assert not any(name == c or name.startswith(c + ".") for name in names for c in CHANCE), path
        assert "np.random" not in path.read_text(encoding="utf-8"), path
    if here not in TIMED and not where.startswith(CALENDARS):
        assert not tops & CLOCKS, path
    for library, homes in LIBRARIES.items():
        assert library not in tops or where.startswith(homes), f"{where} imports {library}"


def test_nothing_is_tracked_that_should_be_ignored() -> None:
    """An environment or a build that is tracked would be put in the place of everybody's own."""
    root = SOURCE.parents[1]
    if not (root / ".git").exists():
        pytest.skip("This is a copy without its history.")
    found = subprocess.run(
        ["git", "ls-files", "--cached", "--ignored", "--exclude-from=.gitignore"],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout == ""
