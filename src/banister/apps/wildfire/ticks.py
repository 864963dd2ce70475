"""The node's clock: whole ticks that go on through sleep and restarts, and never back, whatever the calendar says."""

import time

from banister.spread.node.messages import Tick

LONGEST_AWAY = 3 * 86_400
"""Seconds that a restart may add: so long posts live. A clock that jumped a year ahead ends no more than that."""


class Clock:
    """Ticks since the node was first started.

    >>> Clock(5, before=None).now()
    0
    >>> Clock(5, before=(100, time.time() + 9e7)).now()
    100
    """

    def __init__(self, tick_seconds: float, *, before: tuple[Tick, float] | None) -> None:
        self.tick_seconds = tick_seconds
        tick, wall = before if before is not None else (0, time.time())
        passed = min(max(time.time() - wall, 0.0), LONGEST_AWAY)
        self._base = tick + int(passed / tick_seconds)
        self._start = time.clock_gettime(time.CLOCK_BOOTTIME)

    def now(self) -> Tick:
        """The tick of this moment."""
        return self._base + int((time.clock_gettime(time.CLOCK_BOOTTIME) - self._start) / self.tick_seconds)

    def wall(self) -> float:
        """The time of day, for the next start."""
        return time.time()
