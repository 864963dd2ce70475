"""The examples on the pages run, and give what the pages say."""

import doctest
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
FENCE = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PAGES = sorted(
    page
    for page in (*(DOCS / "guide").glob("*.md"), *(DOCS / "math").glob("*.md"))
    if ">>> " in page.read_text("utf-8")
)


@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_the_examples_of_a_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them one after the other, in an empty folder; only blocks that show what comes out."""
    monkeypatch.chdir(tmp_path)
    blocks = [block for block in FENCE.findall(page.read_text(encoding="utf-8")) if ">>> " in block]
    found = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page.name, str(page), 0)
    told: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert runner.run(found, out=told.append).failed == 0, "".join(told)
