"""The page on security names tests that are there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_attack_names_a_test_that_exists() -> None:
    page = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", page)
    assert len(named) > 30
    for file, name in named:
        assert f"def {name}(" in (ROOT / file).read_text(encoding="utf-8"), f"{file}::{name}"
    items = re.findall(r"^\| (\d+) \|", page, flags=re.MULTILINE)
    assert [int(item) for item in items] == list(range(1, 24))
