"""Whoever writes a file for people goes through the one writer in `files.py`."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "banister"
OWN = {
    "files.py": "It is the writer.",
    "audit/targets/child.py": "It answers through the pipe that started it; what foreign code prints goes nowhere.",
    "show/canvas.py": "It draws into memory.",
    "work/checkpoints.py": "A log grows line by line; a torn line is noticed.",
    "apps/team/store.py": "A database has its own ways to be whole; it is made for its owner alone.",
    "release/sources/kept.py": "It makes an empty file to learn the time of the file system, and takes it away.",
    "accounting/stores/hold.py": "It holds a file by locks, and marks it; it fills none.",
    "accounting/stores/sqlite.py": "A database has its own ways to be whole.",
    "accounting/stores/sqlite_names.py": "It gives a database that was made whole its name, and syncs both.",
    "accounting/stores/witness.py": "A witness is rewritten in place under its lock, and synced.",
}
DRAFTS = {"draft", "temporary"}
"""What a callback of `whole` calls the file that it is given."""


def writes(node: ast.Call) -> bool:
    """Whether a call opens, fills or moves a file that is no draft of the one writer."""
    called = node.func
    if not isinstance(called, ast.Attribute | ast.Name):
        return False
    name = called.attr if isinstance(called, ast.Attribute) else called.id
    owner = called.value.id if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) else ""
    if owner in DRAFTS:
        return False
    if name in ("write_text", "write_bytes", "savefig", "mkstemp", "NamedTemporaryFile", "mkdir", "makedirs"):
        return True
    modes = [
        arg.value for arg in (*node.args, *(word.value for word in node.keywords)) if isinstance(arg, ast.Constant)
    ]
    opens = name == "open" and any(isinstance(mode, str) and set(mode) <= set("wxabt+") for mode in modes if mode)
    return opens or (owner == "os" and name in ("open", "replace", "rename", "link", "fdopen"))


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_files_are_written_by_the_one_writer(path: Path) -> None:
    place = path.relative_to(SOURCE).as_posix()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = [node.lineno for node in ast.walk(tree) if isinstance(node, ast.Call) and writes(node)]
    assert not found or place in OWN, f"{place} writes by itself in lines {found}; use banister.files."


@pytest.mark.parametrize(
    "text",
    [
        "path.write_text('x')",
        "path.open('w')",
        "open(path, 'xb')",
        "path.open(mode='a')",
        "os.replace(a, b)",
        "figure.savefig(path)",
        "(folder / 'a').write_bytes(b'')",
    ],
)
def test_the_rule_sees_writers(text: str) -> None:
    assert any(isinstance(node, ast.Call) and writes(node) for node in ast.walk(ast.parse(text)))


@pytest.mark.parametrize(
    "text", ["path.open()", "open(path, 'rb')", "temporary.write_text('x')", "text.replace('a', 'b')"]
)
def test_the_rule_lets_readers_pass(text: str) -> None:
    assert not any(isinstance(node, ast.Call) and writes(node) for node in ast.walk(ast.parse(text)))
