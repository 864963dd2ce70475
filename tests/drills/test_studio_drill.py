"""The studio's drill, briefly: `python -m tests.drills.studio` does it at length."""

import random
from pathlib import Path

import pytest

from tests.drills.studio import drill


@pytest.mark.slow
def test_a_killed_studio_neither_forgets_nor_pays_twice(tmp_path: Path) -> None:
    counts = drill(tmp_path, requests=6, chance=random.Random(7))
    assert counts["kills"] >= 1
    assert 0 < counts["charges"] <= counts["requests"]
