"""Estimates over time: a row a day. Days that are over do not change, so their rows are worked out once."""

import datetime
from collections.abc import Sequence

from banister.apps.collect.book import Running
from banister.local.collect.tally import Tally, added, estimate
from banister.local.estimates import intervals_of_all

CONFIDENCE = 0.95
DAY = 24
MOST_DAYS = 30
MOST_ANSWERS = 6
_MOST_KNOWN = 20_000
DayRow = tuple[str, int, Sequence[str]]
"""A day, its reports, and the shares of the first answers with their intervals."""
Place = tuple[int, int, int, int]
"""A campaign's number, a question, a day, and how many reports there are of it: more of them make another row."""


class DayRows:
    """Rows that were worked out before, by what they are about."""

    def __init__(self) -> None:
        self._known: dict[Place, DayRow] = {}

    def of(self, running: Running, place: int, hours: Sequence[tuple[int, Tally]]) -> list[DayRow]:
        """The latest days of a question, the latest first."""
        days: dict[int, list[Tally]] = {}
        for hour, found in hours:
            days.setdefault(hour // DAY, []).append(found)
        latest = sorted(days, reverse=True)[:MOST_DAYS]
        named = {day: (running.number, place, day, sum(found.reports for found in days[day])) for day in latest}
        new = [day for day in latest if named[day] not in self._known]
        if len(self._known) + len(new) > _MOST_KNOWN:
            self._known, new = {}, latest
        for day, row in zip(new, _rows(running, place, new, [days[day] for day in new]), strict=True):
            self._known[named[day]] = row
        return [self._known[named[day]] for day in latest]


def _rows(running: Running, place: int, days: Sequence[int], parts: Sequence[Sequence[Tally]]) -> list[DayRow]:
    """The rows of some days, all intervals together: a month of twenty questions has six hundred."""
    campaign = running.signed.campaign
    asked = campaign.questions[place]
    told = [estimate(asked.channel, campaign.repetition, added(each)) for each in parts]
    found: list[DayRow] = []
    for day, one, held in zip(days, told, intervals_of_all(told, CONFIDENCE), strict=True):
        cells = [
            f"{100 * min(max(one.frequencies[x], 0), 1):.1f} [{100 * held.lower[x]:.0f}, {100 * held.upper[x]:.0f}]"
            for x in range(min(MOST_ANSWERS, len(asked.labels)))
        ]
        words = (datetime.date(1970, 1, 1) + datetime.timedelta(days=day)).isoformat()
        found.append((words, one.people, cells))
    return found
