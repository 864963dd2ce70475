"""The collector's drill, briefly: `python -m tests.drills.collect` does it a thousand times."""

import subprocess
import sys
from pathlib import Path


def test_a_killed_collector_neither_forgets_nor_counts_twice() -> None:
    """In a process of its own, since the drill forks."""
    drill = [sys.executable, "-m", "tests.drills.collect", "6"]
    done = subprocess.run(drill, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "none lost, none twice, totals equal" in done.stdout
