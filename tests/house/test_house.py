"""The map of the house is what the house is."""

import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_the_map_is_up_to_date(tmp_path: Path) -> None:
    """Run by itself, so that nothing another test has loaded or kept is taken for part of a walk."""
    code = f"import sys; sys.path.insert(0, {str(DOCS)!r}); import house; print(house.text(), end='')"
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert made.stdout == (DOCS / "house.md").read_text(encoding="utf-8"), "docs/house.md is stale: make house"
