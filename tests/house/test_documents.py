"""What the code says about papers and what the documents say about the code stay true."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
KEY = re.compile(r"\[([A-Z][A-Za-z]*\d\d[a-z]?)\]")


def test_every_cited_key_is_in_the_references() -> None:
    known = set(KEY.findall((ROOT / "docs" / "references.md").read_text(encoding="utf-8")))
    cited = {}
    for path in [*(ROOT / "src").rglob("*.py"), *(ROOT / "docs").rglob("*.md")]:
        for key in KEY.findall(path.read_text(encoding="utf-8")):
            cited[key] = path
    assert not {key: str(path) for key, path in cited.items() if key not in known}


def test_no_decision_is_longer_than_forty_lines() -> None:
    for path in (ROOT / "docs" / "decisions").glob("*.md"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 40, path


def test_decisions_are_numbered_without_gaps() -> None:
    found = sorted((ROOT / "docs" / "decisions").glob("*.md"))
    assert [int(path.name[:4]) for path in found] == list(range(1, len(found) + 1))
    for number, path in enumerate(found, start=1):
        assert path.read_text(encoding="utf-8").startswith(f"# {number}. "), path


def test_a_decision_that_is_named_is_there() -> None:
    here = {path.name for path in (ROOT / "docs" / "decisions").glob("*.md")}
    pages = [*(ROOT / "src").rglob("*.py"), *(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md"), ROOT / "pyproject.toml"]
    for path in pages:
        named = set(re.findall(r"decisions/(\d{4}[\w-]*\.md)", path.read_text(encoding="utf-8")))
        assert named <= here, f"{path}: {named - here}"


def test_each_key_stands_once_in_the_references() -> None:
    text = (ROOT / "docs" / "references.md").read_text(encoding="utf-8")
    keys = re.findall(r"(?m)^- \*\*\[(\w+)\]\*\*", text)
    assert sorted(set(keys)) == sorted(keys)
