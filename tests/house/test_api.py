"""Every public name of every door is reachable, documented, and has an example that runs."""

import ast
import doctest
import importlib
import importlib.util
import inspect
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PARSER = doctest.DocTestParser()


def pages() -> ModuleType:
    spec = importlib.util.spec_from_file_location("api", DOCS / "api.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


API = pages()
NAMES = [(door, name) for door in API.DOORS for name in importlib.import_module(door).__all__]
SHARED = [(door, title) for door, examples in API.EXAMPLES.items() for title in examples]


def texts(value: object) -> Iterator[str]:
    """The docstrings in which an example of a thing may stand: its own, or of a class also those of its members."""
    yield inspect.getdoc(value) or ""
    members = vars(value).values() if inspect.isclass(value) or isinstance(value, ModuleType) else ()
    for member in members:
        yield getattr(getattr(member, "__func__", member), "__doc__", None) or ""


def said_of_a_constant(door: str, name: str) -> str:
    """The text that follows a constant in the file of its door."""
    body = ast.parse(inspect.getsource(importlib.import_module(door))).body
    for line, after in pairwise(body):
        targets = line.targets if isinstance(line, ast.Assign) else [getattr(line, "target", None)]
        named = any(isinstance(target, ast.Name) and target.id == name for target in targets)
        if named and isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            return str(after.value.value)
    return ""


@pytest.mark.parametrize(("door", "name"), NAMES, ids=[f"{door}.{name}" for door, name in NAMES])
def test_a_public_name_is_documented_and_has_an_example(door: str, name: str) -> None:
    value = getattr(importlib.import_module(door), name)
    own = value.__doc__ if callable(value) or isinstance(value, ModuleType) else said_of_a_constant(door, name)
    assert own, f"{door}.{name} has no docstring"
    assert not own.startswith(f"{name}("), f"{door}.{name} has only the docstring that dataclasses write"
    if isinstance(value, ModuleType) and value.__name__ in API.DOORS:
        return
    shared = "".join(API.EXAMPLES.get(door, {}).values())
    known = any(PARSER.get_examples(text) for text in texts(value)) or re.search(rf"\b{name}\b", shared)
    assert known, f"{door}.{name} has no example: put a doctest of a few lines into its docstring"


@pytest.mark.slow
@pytest.mark.parametrize(("door", "title"), SHARED)
def test_an_example_of_several_names_runs(door: str, title: str) -> None:
    """Those in docstrings are run by `make doctest`."""
    found = PARSER.get_doctest(API.EXAMPLES[door][title], {}, title, None, None)
    told: list[str] = []
    assert doctest.DocTestRunner().run(found, out=told.append).failed == 0, "".join(told)


@pytest.mark.parametrize("door", API.DOORS)
def test_the_page_of_a_door_is_up_to_date_and_in_the_contents(door: str) -> None:
    assert (DOCS / "api" / f"{door}.md").read_text(encoding="utf-8") == API.text(door), "Run `make api`."
    assert f"\napi/{door}\n" in (DOCS / "index.md").read_text(encoding="utf-8")


def test_sharp_tools_open_with_a_warning() -> None:
    page = API.text("banister.mechanisms")
    assert page.index("Nothing that is drawn here is charged to a ledger") < page.index("\n## ")
