"""Time zones as whole numbers: when clocks are turned, and how many seconds they are ahead of UTC from then on.

Engines have lists of their own, of different years. So the one of this machine is read when a schema is, and written
into the query: all engines then agree, and no moment makes any of them fail.
"""

from bisect import bisect_right
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from banister.core.exact.search import halved
from banister.errors import BadValue

DAY = 86_400
"""Seconds of a day."""

KNOWN = (-25567, 47846)
"""The first day of 1900 and the last of 2100: what is said about clocks beyond is no more than a guess."""

_LOOK_EVERY = DAY // 4
"""Clocks are never turned twice in so short a time."""

_START = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Shifts:
    """How far clocks are ahead of UTC: `ahead[0]` before the first turn, `ahead[k]` from the k-th on, in seconds."""

    turns: tuple[int, ...]
    ahead: tuple[int, ...]

    def at(self, moment: int) -> int:
        """How far clocks are ahead at a moment, in seconds since 1970 by UTC.

        >>> shifts_of("Europe/Berlin", 19000, 19400).at(19000 * 86400)
        3600
        """
        return self.ahead[bisect_right(self.turns, moment)]

    def utc_of(self, second: int) -> int:
        """The moment at which clocks show a second; where they skip or repeat it, one near by."""
        return second - self.at(second - self.at(second))


def check_zone(name: str) -> str:
    """The name of a zone, if this machine knows it."""
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise BadValue(
            f"zone = {name[:40]!r} is no time zone that this machine knows. Write it as in "
            '"Europe/Berlin" or "UTC"; where no zone at all is known, install the package tzdata.'
        ) from None
    return name


@lru_cache(maxsize=64)
def shifts_of(zone: str, first: int, last: int) -> Shifts:
    """When clocks of a zone are turned between two days, and by how much they are ahead in between.

    >>> summer = shifts_of("Europe/Berlin", 19000, 19365)  # from January 2022 to January 2023
    >>> summer.ahead, [str(_START + timedelta(seconds=turn))[:16] for turn in summer.turns]
    ((3600, 7200, 3600), ['2022-03-27 01:00', '2022-10-30 01:00'])
    """
    clocks = ZoneInfo(zone)
    start, end = (first - 1) * DAY, (last + 2) * DAY
    turns: list[int] = []
    ahead = [_ahead(clocks, start)]
    for moment in range(start + _LOOK_EVERY, end + 1, _LOOK_EVERY):
        found = _ahead(clocks, moment)
        if found != ahead[-1]:
            turns.append(_turn(clocks, moment - _LOOK_EVERY, moment))
            ahead.append(found)
    return Shifts(tuple(turns), tuple(ahead))


def _ahead(clocks: ZoneInfo, moment: int) -> int:
    found = (_START + timedelta(seconds=moment)).astimezone(clocks).utcoffset()
    return 0 if found is None else round(found.total_seconds())


def _turn(clocks: ZoneInfo, before: int, after: int) -> int:
    """The first second with the new time."""
    old = _ahead(clocks, before)
    return halved(lambda moment: _ahead(clocks, moment) != old, before, after)[1]
