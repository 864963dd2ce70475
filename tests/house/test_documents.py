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
