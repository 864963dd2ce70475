"""A bound on what a node sends and receives, for links that cost by the gigabyte.

Each hour has its share of the month. When it is used up all links are closed, and nobody is answered, until the next
hour of the calendar: so those who have bounds are there together, at the beginning of each hour. Frames go at every
tick whether they mean something or not, so when the share is used up says how many links there were, and nothing about
posts.
A slower tick would need the whole crowd's consent; fewer friends and a slower crowd are the other two ways.
"""

from collections.abc import Callable
from fractions import Fraction

from banister import need
from banister.core.exact.written import Number

HOUR = 3600
HOURS = 30 * 24
FRAME_COST = 1152 + 22 + 2 * 52
"""Bytes by which a frame is counted: a relay's cell, what TLS, TCP and IP put around it, and TCP's answer."""
KNOCK_COST = 8192
"""By which a connection is counted: its handshake, whether a link came of it or not."""
LEAST_GB, MOST_GB = Fraction(1, 20), 100_000


class TrafficLimit:
    """How much of this hour's share is used.

    >>> one = TrafficLimit(0.72, wall=lambda: 7200.0, keep=lambda kept: None)
    >>> one.count(1_000_000 // FRAME_COST, 0); one.is_open()
    True
    >>> one.count(2, 0); one.is_open()
    False
    """

    def __init__(
        self, gigabytes: float, *, wall: Callable[[], float], keep: Callable[[str], None], kept: str = ""
    ) -> None:
        self.gigabytes = gigabytes
        self._wall, self._keep = wall, keep
        words = kept.split()
        self._hour, self._used = (int(words[0]), int(words[1])) if len(words) == 2 else (-1, 0)
        self._written = self._used

    @property
    def share(self) -> int:
        """Bytes an hour, both ways; none without a limit."""
        return int(self.gigabytes * 1e9 / HOURS)

    def count(self, frames: int, knocks: int) -> None:
        """So many frames went or came, and so many connections began. It is on disk before it is used: a restart gives
        nothing anew."""
        if not self.gigabytes:
            return
        self._turn()
        self._used += frames * FRAME_COST + knocks * KNOCK_COST
        if self._used > self._written:
            self._written = self._used + self.share // 32
            self._keep(f"{self._hour} {self._written}")

    def _turn(self) -> None:
        hour = int(self._wall() // HOUR)
        if hour != self._hour:
            self._hour, self._used, self._written = hour, 0, 0

    def is_open(self) -> bool:
        """Whether links may be up."""
        if not self.gigabytes:
            return True
        self._turn()
        return self._used < self.share

    def again_seconds(self) -> int:
        """Until the next hour."""
        return HOUR - int(self._wall()) % HOUR


def limit_of(gigabytes: Number) -> float:
    """A limit as it was asked for: 0 for none."""
    asked = need.exact("limit", gigabytes)
    return float(need.between("limit", asked, LEAST_GB, MOST_GB, "It is in GB a month; 0 is none.")) if asked else 0.0


def minutes_an_hour(gigabytes: float, tick_seconds: float, friends: int) -> float:
    """How long the links are up in each hour.

    >>> round(minutes_an_hour(1, 5, 4)), minutes_an_hour(0, 5, 4)
    (11, 60.0)
    """
    if not gigabytes:
        return 60.0
    share = gigabytes * 1e9 / HOURS - friends * KNOCK_COST
    return min(60.0, max(share, 0) / (2 * friends * FRAME_COST / tick_seconds) / 60)
