"""The one clock: the time of day, for what is written down. Nothing that is drawn or decided depends on it."""

import time
from datetime import UTC, datetime


def now() -> str:
    """This moment, in universal time, e.g. 2026-03-01T09:30:00.123456Z."""
    return datetime.now(UTC).isoformat(timespec="microseconds")[:-6] + "Z"  # Half the time that strftime takes.


def pause(seconds: float) -> None:
    """Do nothing for a while, so that somebody can look."""
    time.sleep(seconds)


def lap() -> float:
    """Seconds of a clock that only goes on, to say how long something took."""
    return time.perf_counter()
