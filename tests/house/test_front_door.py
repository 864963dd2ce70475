"""Every door is sorted, complete, at its real address, and cheap to open."""

import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

DOORS = (
    "banister",
    *(
        f"banister.{name}"
        for name in ("accounting", "audit", "compare", "local", "parties", "publish", "release", "spread")
    ),
)
HEAVY = (
    "cryptography",
    "duckdb",
    "fastapi",
    "flint",
    "highspy",
    "matplotlib",
    "numpy",
    "pandas",
    "pyspark",
    "rich",
    "scipy",
    "sqlglot",
    "typer",
)


def door(name: str) -> ModuleType:
    return importlib.import_module(name)


@pytest.mark.parametrize("name", DOORS)
def test_all_is_sorted_and_every_name_exists(name: str) -> None:
    found = door(name)
    assert found.__all__ == sorted(set(found.__all__))
    assert set(found.__all__) <= set(dir(found))
    for public in found.__all__:
        assert getattr(found, public) is not None


@pytest.mark.parametrize("name", DOORS)
def test_a_name_that_is_not_there_is_answered_with_those_that_are(name: str) -> None:
    with pytest.raises(AttributeError, match=rf"{name} has no 'nothing'\. It has: [A-Z]"):
        _ = door(name).nothing


@pytest.mark.parametrize("name", DOORS)
def test_no_public_name_is_also_a_file_of_its_package(name: str) -> None:
    """Else `banister.local.design` would be a function or a module, depending on what was imported before."""
    found = door(name)
    files = {module.name for module in pkgutil.iter_modules([str(Path(found.__file__ or "").parent)])}
    modules = {public for public in found.__all__ if isinstance(getattr(found, public), ModuleType)}
    assert not files & (set(found.__all__) - modules)


def test_a_context_is_at_its_real_address() -> None:
    import banister.local
    from banister.local import design
    from banister.parties import Game

    assert sys.modules["banister.local"] is banister.local is getattr(banister, "local")  # noqa: B009
    assert design is banister.local.design
    assert Game is banister.parties.Game


@pytest.mark.parametrize("name", DOORS)
def test_importing_a_door_loads_no_heavy_library(name: str) -> None:
    code = f"import sys, {name}; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
