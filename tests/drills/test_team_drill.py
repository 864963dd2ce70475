"""The team's drill, briefly: `python -m tests.drills.team` does it at length."""

import random
from pathlib import Path

import pytest

from tests.drills.team import drill


@pytest.mark.slow
def test_a_killed_server_neither_forgets_nor_pays_twice(tmp_path: Path) -> None:
    counts = drill(tmp_path, requests=9, chance=random.Random(7), epsilon="0.1")
    assert counts["kills"] >= 1
    assert counts["charges"] + counts["waiting"] == 9
    assert counts["waiting"] > 0
