"""The checkers of proofs stand alone: short, exact, and with nothing of the package in them."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

HOME = Path(__file__).parents[2] / "src" / "banister" / "audit" / "checkers"
FILES = sorted(path for path in HOME.glob("*.py") if path.name != "__init__.py")
ALLOWED = {"collections.abc", "decimal", "fractions", "hashlib", "itertools", "json", "math", "typing"}
SHARED = {"_whole", "exp_bounds", "fraction", "fractions", "shown"}
"""What several of them need is written in each, word for word the same."""


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_checker_is_short_and_imports_the_standard_library_alone(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) < 400
    found = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            found.add(str(node.module))
    assert found <= ALLOWED


def test_all_checkers_together_can_be_read_in_an_afternoon() -> None:
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in FILES) <= 1500


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_checker_uses_no_floating_point(path: Path) -> None:
    for node in ast.walk(tree(path)):
        assert not (isinstance(node, ast.Constant) and isinstance(node.value, float)), ast.dump(node)
        assert not (isinstance(node, ast.Name) and node.id == "float")


def test_what_they_share_is_the_same_in_each() -> None:
    texts: dict[str, set[str]] = {}
    for path in FILES:
        for node in tree(path).body:
            if isinstance(node, ast.FunctionDef) and node.name in SHARED:
                texts.setdefault(node.name, set()).add(ast.unparse(node))
    assert set(texts) == SHARED
    assert all(len(kinds) == 1 for kinds in texts.values())


def test_a_checker_runs_where_there_is_no_package(tmp_path: Path) -> None:
    """Two files copied elsewhere, an isolated interpreter, and a proof."""
    from banister.audit import prove_domination

    for name in ("envelope.py", "domination.py"):
        (tmp_path / name).write_bytes((HOME / name).read_bytes())
    proof = prove_domination((("3/4", "1/4"), ("1/4", "3/4")), (("1/2", "1/2"), ("1/3", "2/3"))).save(tmp_path / "p")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import envelope, domination; "
        f"body = envelope.opened(open({str(proof)!r}).read()); "
        "print(domination.check(body['claim'], body['witness'])); "
        "assert not any(name.startswith('banister') for name in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("the first pair dominates the second")
