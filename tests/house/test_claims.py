"""What the README and the docs call exact, certified or optimal has a test that would fail if it were not."""

import ast
import re
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CLAIMS = tomllib.loads((ROOT / "docs" / "claims.toml").read_text(encoding="utf-8"))["claim"]
FIRST = ("index.md", "which.md", "gallery.md", "tutorial.md", "commands.md", "security.md", "limits.md", "notation.md")
"""Pages of the docs that stand beside the guide and are written by hand."""
WORD = re.compile(r"certified|optimal|\bexact", re.IGNORECASE)


def sections(text: str) -> dict[str, str]:
    """The text under each heading; headings are those outside of code."""
    found, title, inside = {"": ""}, "", False
    for line in text.splitlines():
        inside ^= line.startswith("```")
        if line.startswith("#") and not inside:
            title = line.lstrip("# ").strip()
            found[title] = ""
        found[title] = f"{found[title]}{line}\n"
    return found


def places() -> list[str]:
    """Every section of the README and every page written by hand that has one of the words."""
    readme = sections((ROOT / "README.md").read_text(encoding="utf-8"))
    found = [f"README.md#{title}" for title, text in readme.items() if WORD.search(text)]
    found += [f"docs/{page}" for page in FIRST if WORD.search((ROOT / "docs" / page).read_text(encoding="utf-8"))]
    for folder in ("guide", "math"):
        pages = sorted((ROOT / "docs" / folder).glob("*.md"))
        found += [f"docs/{folder}/{page.name}" for page in pages if WORD.search(page.read_text(encoding="utf-8"))]
    return found


@cache
def names_in(path: Path) -> frozenset[str]:
    """The names of the tests in a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


@pytest.mark.parametrize("place", places())
def test_what_is_claimed_has_a_test(place: str) -> None:
    assert any(claim["place"] == place for claim in CLAIMS), (
        f"{place} says exact, certified or optimal. Add it to docs/claims.toml with the tests that would fail if it "
        "were not, or say something else."
    )


@pytest.mark.parametrize("claim", CLAIMS, ids=[claim["place"] for claim in CLAIMS])
def test_the_words_and_the_tests_are_there(claim: dict[str, str | list[str]]) -> None:
    place, says, tests = str(claim["place"]), str(claim["says"]), claim["tests"]
    file, _, title = place.partition("#")
    text = (ROOT / file).read_text(encoding="utf-8")
    assert says in (sections(text)[title] if title else text).replace("\n", " "), f"{place} does not say {says!r}"
    assert tests
    for test in tests:
        path, _, name = test.partition("::")
        names = names_in(ROOT / path)
        assert any(each.startswith("test_") for each in names), f"{path} has no tests"
        assert not name or name in names, f"{path} has no {name}"
