"""What copies its process behind Python's back, in a process that has no other threads.

A thread that holds a lock when its process is copied is not in the copy, and nobody opens the lock there: a worker of
the tests, with its browsers and servers, once waited for such a child for ever.
"""

import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parent
FILES = ("test_forks.py", "core/exact/test_working.py", "sampling/test_bits.py")


def test_copies_of_a_process_without_threads() -> None:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "no:xdist",
        "-m",
        "threadless",
        *(str(TESTS / name) for name in FILES),
    ]
    done = subprocess.run(command, cwd=TESTS.parent, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_all_of_them_are_in_these_files() -> None:
    marked = {str(path.relative_to(TESTS)) for path in TESTS.rglob("*.py") if "mark.threadless" in path.read_text()}
    assert marked - {Path(__file__).name} == set(FILES)
