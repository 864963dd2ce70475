"""Write the map of the house, docs/house.md, from the house itself: `make house`. A test notices when it is stale."""

import ast
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from walks import WALKS, walk

SOURCE = Path(__file__).parents[1] / "src" / "banister"
HOME = Path(__file__).with_name("house.md")
FLOORS = (
    ("apps",),
    ("audit", "compare", "papers"),
    ("release", "publish", "local", "parties", "spread"),
    ("questions",),
    ("tables",),
    ("accounting",),
    ("mechanisms",),
    ("sampling", "show", "work"),
    ("core", "errors", "need", "files", "clock", "keys", "foreign", "forks", "doors"),
)
TOP = """# The house

Made by `make house` from the code itself; a test holds it to be up to date. [Decision 2](decisions/0002-floors.md) says
why the floors are as they are, `tests/house/test_layers.py` holds them.

## The floors

A file imports from floors below and from its own room; contexts (release, publish, local, parties, spread) never see
each other. Each context's door is its package: `banister.local` is `bn.local`.
"""
WAYS = """
## The walks

Which files a job passes, in the order in which each is first entered.
"""


def first_line(path: Path) -> str:
    """What a file says it is, in its first line."""
    words = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").split("\n")[0]
    return words.replace("|", "\\|")


def said(place: str) -> str:
    return first_line(SOURCE / place)


def floors() -> str:
    lines = ["| floor | room | what it is |", "|---|---|---|"]
    for height, rooms in zip(range(len(FLOORS) - 1, -1, -1), FLOORS, strict=True):
        for room in rooms:
            package = SOURCE / room / "__init__.py"
            path = package if package.exists() else SOURCE / f"{room}.py"
            if path.exists():
                lines.append(f"| {height} | `{room}` | {first_line(path)} |")
    return "\n".join(lines)


def rooms() -> str:
    """Every room with its files."""
    parts = []
    for package in sorted(path.parent for path in SOURCE.rglob("__init__.py")):
        if package == SOURCE:
            continue
        name = package.relative_to(SOURCE).as_posix()
        files = sorted(path for path in package.glob("*.py") if path.name != "__init__.py")
        if files:
            rows = [f"| `{path.stem}` | {first_line(path)} |" for path in files]
            parts.append("\n".join([f"### {name}", "", "| file | what it is |", "|---|---|", *rows, ""]))
    return "\n".join(parts)


def walks() -> str:
    parts = []
    for name, (title, _) in WALKS.items():
        files = walk(name)
        rows = [f"{place}. `{path}`: {said(path)}" for place, path in enumerate(files, 1)]
        parts.append("\n".join([f"### {title}", "", *rows, ""]))
    return "\n".join(parts)


def text() -> str:
    """The whole page."""
    return "\n".join([TOP, floors(), WAYS, walks(), "## The rooms", "", rooms()])


if __name__ == "__main__":
    HOME.write_text(text(), encoding="utf-8")
