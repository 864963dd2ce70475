"""What the service keeps, in SQLite: campaigns, how often each report came in each hour, totals, and keys of requests.

Reports are a multiset: a row says how often a report came in an hour, so reports have no rows of their own that could
be linked, and no order. Keys of requests are in a table of their own, under the keys themselves, without a time.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from banister.errors import BadValue
from banister.local.channels.base import Values
from banister.local.collect.campaign import SignedCampaign, read_campaign
from banister.local.collect.tally import Tally, empty, tally

VERSION = 1
ALL_HOURS = -1
"""The hour under which the total of all hours stands."""
_TABLES = """
CREATE TABLE IF NOT EXISTS campaign(number INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL, text TEXT NOT NULL,
  shown INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS report(campaign INTEGER, question INTEGER, hour INTEGER, value, n INTEGER NOT NULL,
  PRIMARY KEY(campaign, question, hour, value)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS running(campaign INTEGER, question INTEGER, hour INTEGER, reports INTEGER NOT NULL,
  commonest INTEGER NOT NULL, counts BLOB NOT NULL, PRIMARY KEY(campaign, question, hour)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS request(campaign INTEGER, key BLOB, PRIMARY KEY(campaign, key)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS aside(campaign INTEGER, why TEXT, n INTEGER NOT NULL,
  PRIMARY KEY(campaign, why)) WITHOUT ROWID;
"""
_COUNTED = "INSERT INTO report VALUES(?,?,?,?,?) ON CONFLICT DO UPDATE SET n = n + excluded.n"
_OFTEN = "SELECT n FROM report WHERE campaign=? AND question=? AND hour=? AND value=?"
_ASIDE = "INSERT INTO aside VALUES(?,?,?) ON CONFLICT DO UPDATE SET n = n + excluded.n"


@dataclass(frozen=True, slots=True, eq=False)
class Heap:
    """The reports of one request to one question: as they came, and checked."""

    question: int
    sent: list[int | str]
    values: Values


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """One request: its campaign, the key that names it, and its reports."""

    campaign: int
    key: bytes
    heaps: tuple[Heap, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Running:
    """A campaign that is open here: its number in the store, and whether its results are shown to everybody."""

    number: int
    signed: SignedCampaign
    shown: bool


class ReportStore:
    """One file. Whoever writes holds it alone; everything of a commit is on disk when `write` comes back."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._base = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            self._base.execute("PRAGMA journal_mode=WAL")
            self._base.execute("PRAGMA synchronous=FULL")
            found = self._base.execute("PRAGMA user_version").fetchone()[0]
            if found not in (0, VERSION):
                raise BadValue(f"'{path}' is a store of version {found}; this program writes version {VERSION}.")
            self._base.executescript(f"BEGIN IMMEDIATE;{_TABLES}PRAGMA user_version={VERSION};COMMIT;")
        except sqlite3.Error as error:
            raise BadValue(f"'{path}' cannot be used as a store of reports: {error}.") from None
        self._known: dict[tuple[int, int, int], Tally] = {}
        self._campaigns: dict[int, SignedCampaign] = {one.number: one.signed for one in self.campaigns()}

    def close(self) -> None:
        """Bring the log into the file; all rows are written anew in the order of their keys."""
        self._base.execute("VACUUM")
        self._base.close()

    def add(self, signed: SignedCampaign, *, shown: bool) -> int:
        """Open a campaign; one that is open already keeps its reports."""
        self._base.execute(
            "INSERT INTO campaign(name, text, shown) VALUES(?,?,?) "
            "ON CONFLICT(name) DO UPDATE SET shown=excluded.shown",
            (signed.name, signed.text, int(shown)),
        )
        number = int(self._base.execute("SELECT number FROM campaign WHERE name=?", (signed.name,)).fetchone()[0])
        self._campaigns[number] = signed
        return number

    def campaigns(self) -> list[Running]:
        """All campaigns, checked again."""
        rows = self._base.execute("SELECT number, text, shown FROM campaign ORDER BY name").fetchall()
        return [Running(number, read_campaign(text), bool(shown)) for number, text, shown in rows]

    def write(self, batches: Sequence[Batch], asides: Iterable[tuple[int, str]], hour: int) -> int:
        """Count all batches whose key is new, in one commit; gives how many were. Nothing is counted on an error."""
        changed: dict[tuple[int, int, int], Tally] = {}
        try:
            self._base.execute("BEGIN IMMEDIATE")
            # In the order of the keys, so that a commit does not show in which order its requests came.
            new = [batch for batch in sorted(batches, key=lambda one: one.key) if self._first(batch)]
            heaps: dict[tuple[int, int], list[Heap]] = {}
            for batch in new:
                for heap in batch.heaps:
                    heaps.setdefault((batch.campaign, heap.question), []).append(heap)
            for (campaign, question), some in sorted(heaps.items()):
                counted = Counter(value for heap in some for value in heap.sent)
                rows = ((campaign, question, hour, value, counted[value]) for value in sorted(counted))
                self._base.executemany(_COUNTED, rows)
                more = self._tally(campaign, question, some)
                common = counted.most_common(1)[0][0]
                often = self._base.execute(_OFTEN, (campaign, question, hour, common)).fetchone()[0]
                more = Tally(more.counts, more.reports, max(more.commonest, int(often)))
                for when in (hour, ALL_HOURS):
                    place = (campaign, question, when)
                    changed[place] = self._running(*place).plus(more)
            self._base.executemany("INSERT OR REPLACE INTO running VALUES(?,?,?,?,?,?)", map(_row, changed.items()))
            self._base.executemany(_ASIDE, [(*found, n) for found, n in Counter(asides).items()])
            self._base.execute("COMMIT")
        except BaseException:  # Nothing is swallowed: a half-written batch is undone, whatever ended it.
            if self._base.in_transaction:
                self._base.execute("ROLLBACK")
            raise
        self._known.update(changed)
        if len(self._known) > 4096:  # Hours that are over are read again where somebody asks for them.
            self._known = {place: one for place, one in self._known.items() if place[2] in (hour, ALL_HOURS)}
        return len(new)

    def total(self, campaign: int, question: int) -> Tally:
        """The running total of a question."""
        row = self._base.execute(_READ, (campaign, question, ALL_HOURS)).fetchone()
        return self._empty(campaign, question) if row is None else _tally_of(row)

    def hours(self, campaign: int, question: int) -> list[tuple[int, Tally]]:
        """The totals of each hour, in order."""
        rows = self._base.execute(
            "SELECT hour, reports, commonest, counts FROM running "
            "WHERE campaign=? AND question=? AND hour>=0 ORDER BY hour",
            (campaign, question),
        ).fetchall()
        return [(int(row[0]), _tally_of(row[1:])) for row in rows]

    def reports(self, campaign: int, question: int) -> Iterator[tuple[int, int | str, int]]:
        """(hour, report, how often it came), in the order of hours and reports."""
        query = "SELECT hour, value, n FROM report WHERE campaign=? AND question=? ORDER BY hour, value"
        yield from self._base.execute(query, (campaign, question))

    def asides(self, campaign: int) -> dict[str, int]:
        """How many requests were set aside, by what was wrong."""
        rows = self._base.execute("SELECT why, n FROM aside WHERE campaign=? ORDER BY why", (campaign,))
        return {str(why): int(n) for why, n in rows}

    def stored(self, campaign: int) -> int:
        """How many reports are stored, counted one by one; for who checks the totals."""
        query = "SELECT coalesce(sum(n), 0) FROM report WHERE campaign=?"
        return int(self._base.execute(query, (campaign,)).fetchone()[0])

    def _first(self, batch: Batch) -> bool:
        done = self._base.execute("INSERT INTO request VALUES(?,?) ON CONFLICT DO NOTHING", (batch.campaign, batch.key))
        return done.rowcount == 1

    def _tally(self, campaign: int, question: int, heaps: list[Heap]) -> Tally:
        asked = self._campaigns[campaign].campaign
        return tally(asked.questions[question].channel, asked.repetition, np.concatenate([one.values for one in heaps]))

    def _running(self, campaign: int, question: int, hour: int) -> Tally:
        found = self._known.get((campaign, question, hour))
        if found is None:
            row = self._base.execute(_READ, (campaign, question, hour)).fetchone()
            found = self._empty(campaign, question) if row is None else _tally_of(row)
        return found

    def _empty(self, campaign: int, question: int) -> Tally:
        asked = self._campaigns[campaign].campaign
        return empty(asked.questions[question].channel, asked.repetition)


_READ = "SELECT reports, commonest, counts FROM running WHERE campaign=? AND question=? AND hour=?"


def _tally_of(row: tuple[int, int, bytes]) -> Tally:
    return Tally(np.frombuffer(row[2], dtype="<i8").astype(np.int64), int(row[0]), int(row[1]))


def _row(item: tuple[tuple[int, int, int], Tally]) -> tuple[int, int, int, int, int, bytes]:
    (campaign, question, hour), found = item
    return campaign, question, hour, found.reports, found.commonest, found.counts.astype("<i8").tobytes()
