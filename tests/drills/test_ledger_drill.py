"""The ledger's drill in its short form; `make drill` runs the long one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.drills import ledger

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("seed", [2, 17, 22])
def test_a_short_drill_holds(seed: int) -> None:
    """In a program of its own, since it forks, and since a test's other threads must not be forked with it."""
    command = [sys.executable, "-m", "tests.drills.ledger", "--events", "300", "--seed", str(seed)]
    memory = (
        {"TMPDIR": "/dev/shm"} if os.access("/dev/shm", os.W_OK) else {}
    )  # Many syncs, and no crash of the machine.
    environment = os.environ | memory
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "granted of 200 that fit" in done.stdout


def test_the_verdict_notices_a_charge_that_was_lost(tmp_path: Path) -> None:
    """The judge itself is tried: a grant that the ledger does not hold is found, and so is one too many."""
    import random

    import banister as bn

    stage = ledger.Stage(tmp_path, 20, random.Random(1))
    with bn.Ledger.create(
        stage.ledger, budget=bn.Guarantee(1), neighbours=bn.Neighbours.REPLACE, questions=bn.AsYouGo()
    ) as made:
        ledger.Pen(stage, "a").charge(made, stage, times=3)
    assert "3 granted of 20" in ledger.judged(stage)
    ledger.Pen(stage, "b").write("granted b-1")
    with pytest.raises(AssertionError, match="is not in the ledger"):
        ledger.judged(stage)
    ledger.Pen(stage, "c").write("\n".join(f"granted c-{number}" for number in range(20)))
    with pytest.raises(AssertionError, match="more was granted"):
        ledger.judged(stage)
    stage.ledger.unlink()
    with pytest.raises(AssertionError, match="more was granted"):
        ledger.judged(stage)  # Also where the ledger itself cannot be opened any more.
