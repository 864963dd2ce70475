"""Estimates over time: a row a day. Days that are over do not change, so their rows are worked out once."""

import datetime
from collections.abc import Sequence

from banister.apps.collect.book import Running
from banister.local.collect.tally import Tally, estimate

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
        rows = []
        for day in sorted(days, reverse=True)[:MOST_DAYS]:
            reports = sum(found.reports for found in days[day])
            named = (running.number, place, day, reports)
            if named not in self._known:
                if len(self._known) >= _MOST_KNOWN:
                    self._known.clear()
                self._known[named] = _row(running, place, day, days[day])
            rows.append(self._known[named])
        return rows


def _row(running: Running, place: int, day: int, parts: Sequence[Tally]) -> DayRow:
    campaign = running.signed.campaign
    asked, found = campaign.questions[place], parts[0]
    for part in parts[1:]:
        found = found.plus(part)
    told = estimate(asked.channel, campaign.repetition, found)
    held = told.intervals(CONFIDENCE)
    cells = [
        f"{100 * min(max(told.frequencies[x], 0), 1):.1f} [{100 * held.lower[x]:.0f}, {100 * held.upper[x]:.0f}]"
        for x in range(min(MOST_ANSWERS, len(asked.labels)))
    ]
    words = (datetime.date(1970, 1, 1) + datetime.timedelta(days=day)).isoformat()
    return words, found.reports, cells
