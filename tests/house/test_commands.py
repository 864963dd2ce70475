"""Every command has help and a documented example, and the command reference is up to date."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import typer

from banister.apps.cli import build

HEAVY = ("cryptography", "duckdb", "flint", "matplotlib", "numpy", "pandas", "scipy", "sqlglot")
"""What takes a tenth of a second or so to load."""
DOCS = Path(__file__).parents[2] / "docs"


def reference() -> ModuleType:
    spec = importlib.util.spec_from_file_location("reference", DOCS / "reference.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


COMMANDS = [
    (path, command)
    for path, command in reference().walk(typer.main.get_command(build()), "banister")
    if not hasattr(command, "commands")
]


def test_the_reference_is_not_stale() -> None:
    kept = (DOCS / "command-reference.md").read_text(encoding="utf-8")
    assert kept == reference().text(), "Run `make reference`."


@pytest.mark.parametrize(("path", "command"), COMMANDS, ids=[path for path, _ in COMMANDS])
def test_a_command_has_help_and_an_example(path: str, command: Any) -> None:
    assert command.help
    assert all(getattr(parameter, "help", "given") for parameter in command.params), path
    pages = [DOCS.parent / "README.md", DOCS / "commands.md", *(DOCS / "guide").glob("*.md")]
    written = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    words = r"\s+".join(map(re.escape, path.split()))  # a line may end inside a command
    assert re.search(rf"(\$ |`){words}\b", written), f"no example of `{path}` in the documents"


def loaded_by(*words: str) -> set[str]:
    """Those of the heavy libraries that are loaded after a command has run."""
    code = (
        "import sys; from banister.apps.cli import build; "
        f"build()({list(words)!r}, standalone_mode=False); print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(HEAVY) & set(done.stderr.split())


@pytest.mark.parametrize("words", [("--help",), ("local", "--help"), ("plan", "--help"), ("version",)])
def test_help_starts_quickly(words: tuple[str, ...]) -> None:
    assert not loaded_by(*words)


def test_a_plan_loads_neither_an_engine_nor_what_draws(tmp_path: Path) -> None:
    """Loading them would take longer than planning; `scipy.special` alone is a third of a second."""
    health = tmp_path / "health"
    loaded_by("demo", str(health))
    found = loaded_by("plan", str(health / "health.toml"), str(health / "questions.sql"), "--epsilon", "0.3")
    assert found <= {"flint", "numpy", "sqlglot"}
