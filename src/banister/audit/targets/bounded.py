"""Another program, run with a limit on its time; when it is over, so is whatever it started."""

import os
import signal
import subprocess
from contextlib import suppress
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended, and what it wrote."""

    code: int
    out: str
    err: str


def run_within(program: str | list[str], given: str, *, seconds: float, folder: str | None = None) -> Ended | None:
    """Run it on a text; None when it took longer. A text as program is a line for the shell.

    >>> run_within("cat; exit 4", "yes", seconds=10)
    Ended(code=4, out='yes', err='')
    """
    started = subprocess.Popen(
        program,
        shell=isinstance(program, str),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="backslashreplace",
        start_new_session=True,
        cwd=folder,
    )
    with started:
        try:
            out, err = started.communicate(given, timeout=seconds)
        except BaseException as error:
            # Its children hold the pipes as well: only the whole group's end lets us go on.
            with suppress(ProcessLookupError):
                os.killpg(started.pid, signal.SIGKILL)
            if isinstance(error, subprocess.TimeoutExpired):
                return None
            raise
    return Ended(started.returncode, out, err)
