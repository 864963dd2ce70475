"""The store of one collector: a file of SQLite.

What came last is one row (`fresh`), written anew in order by each commit; when it is full it goes into a small table,
and that one, when it is full, into the large one: a commit then changes few pages, also where there are a million
different reports. The log of SQLite holds each commit apart, so it is emptied after each of them, and what is deleted
is overwritten: one copy of the files at any moment shows one commit at most.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from banister.apps.collect.book import ALL_HOURS, ReportBook, Row, Spot, StorageFull, row_of, tally_of
from banister.apps.collect.fresh import FreshRows
from banister.errors import BadValue
from banister.local.collect.campaign import SignedCampaign
from banister.local.collect.tally import Tally

VERSION = 3
MOST_RECENT = 40_000
"""Rows of the small table at which it is added to the large one."""
_MOST_KNOWN = 4096
_TABLES = """
CREATE TABLE IF NOT EXISTS campaign(number INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL, text TEXT NOT NULL,
  shown INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS report(campaign INTEGER, question INTEGER, hour INTEGER, value, n INTEGER NOT NULL,
  PRIMARY KEY(campaign, question, hour, value)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS recent(campaign INTEGER, question INTEGER, hour INTEGER, value, n INTEGER NOT NULL,
  PRIMARY KEY(campaign, question, hour, value)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS running(campaign INTEGER, question INTEGER, hour INTEGER, reports INTEGER NOT NULL,
  commonest INTEGER NOT NULL, counts BLOB NOT NULL, PRIMARY KEY(campaign, question, hour)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS request(campaign INTEGER, key BLOB, PRIMARY KEY(campaign, key)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS fresh(only INTEGER PRIMARY KEY CHECK(only = 0), keys BLOB NOT NULL, counts TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS aside(campaign INTEGER, why TEXT, n INTEGER NOT NULL,
  PRIMARY KEY(campaign, why)) WITHOUT ROWID;
"""
_KNOWN = "SELECT 1 FROM request WHERE campaign=? AND key=?"
_KEPT = "INSERT INTO request VALUES(?,?)"
_FRESH = "INSERT INTO fresh VALUES(0,?,?) ON CONFLICT DO UPDATE SET keys=excluded.keys, counts=excluded.counts"
_COUNTED = "INSERT INTO recent VALUES(?,?,?,?,?) ON CONFLICT DO UPDATE SET n = n + excluded.n"
_ADDED = "INSERT INTO report SELECT * FROM recent WHERE true ON CONFLICT DO UPDATE SET n = n + excluded.n"
_TABLED = "SELECT * FROM report UNION ALL SELECT * FROM recent"
_LATELY = ", ".join(
    f"json_extract(one.value, '$[{place}]') AS {name}"
    for place, name in enumerate(("campaign", "question", "hour", "value", "n"))
)
_ALL = f"({_TABLED} UNION ALL SELECT {_LATELY} FROM fresh, json_each(fresh.counts) AS one)"
_OFTEN = f"SELECT coalesce(sum(n), 0) FROM ({_TABLED}) WHERE campaign=? AND question=? AND hour=? AND value=?"
_ASIDE = "INSERT INTO aside VALUES(?,?,?) ON CONFLICT DO UPDATE SET n = n + excluded.n"
_READ = "SELECT reports, commonest, counts FROM running WHERE campaign=? AND question=? AND hour=?"


class ReportStore(ReportBook):
    """One file. Whoever writes holds it alone."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._base = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            self._base.execute("PRAGMA journal_mode=WAL")
            self._base.execute("PRAGMA synchronous=FULL")
            self._base.execute("PRAGMA secure_delete=ON")
            self._base.execute("PRAGMA cache_size=-64000")
            found = self._base.execute("PRAGMA user_version").fetchone()[0]
            if found not in (0, 1, 2, VERSION):  # The earlier ones lack a table or two, and are otherwise the same.
                raise BadValue(f"'{path}' is a store of version {found}; this program writes version {VERSION}.")
            self._base.executescript(f"BEGIN IMMEDIATE;{_TABLES}PRAGMA user_version={VERSION};COMMIT;")
            if 0 < found < VERSION:
                self._base.execute("VACUUM")
            self._recent = int(self._base.execute("SELECT count(*) FROM recent").fetchone()[0])
            lately = self._base.execute("SELECT keys, counts FROM fresh").fetchone()
            self._fresh = FreshRows(*(lately or ()))
            self._empty_log()
        except sqlite3.Error as error:
            raise BadValue(f"'{path}' cannot be used as a store of reports: {error}.") from None
        self._known: dict[Spot, Tally] = {}
        super().__init__()

    def close(self) -> None:
        """Bring the log into the file; all rows are written anew in the order of their keys."""
        self._base.execute("VACUUM")
        self._base.close()

    def reports(self, campaign: int, question: int) -> Iterator[tuple[int, int | str, int]]:
        query = (
            f"SELECT hour, value, sum(n) FROM {_ALL} WHERE campaign=? AND question=? "
            "GROUP BY hour, value ORDER BY hour, value"
        )
        yield from self._base.execute(query, (campaign, question))

    def asides(self, campaign: int) -> dict[str, int]:
        rows = self._base.execute("SELECT why, n FROM aside WHERE campaign=? ORDER BY why", (campaign,))
        return {str(why): int(n) for why, n in rows}

    def stored(self, campaign: int) -> int:
        query = f"SELECT coalesce(sum(n), 0) FROM {_ALL} WHERE campaign=?"
        return int(self._base.execute(query, (campaign,)).fetchone()[0])

    @contextmanager
    def _commit(self) -> Iterator[None]:
        before = self._recent, self._fresh.copy()
        try:
            self._base.execute("BEGIN IMMEDIATE")
            yield
            if self._fresh.full:
                self._into_tables()
            self._base.execute(_FRESH, self._fresh.written())
            self._base.execute("COMMIT")
        except BaseException as error:  # Nothing is swallowed: a half-written batch is undone, whatever ended it.
            self._recent, self._fresh = before
            if self._base.in_transaction:
                self._base.execute("ROLLBACK")
            if isinstance(error, sqlite3.Error):
                raise StorageFull from error
            raise
        self._empty_log()

    def _empty_log(self) -> None:
        """Bring the last commit into the file; where somebody reads at the moment, the next commit does."""
        with suppress(sqlite3.Error):  # It is on disk already: no room in the file is said by the next commit.
            self._base.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _into_tables(self) -> None:
        """Many at a time and in order."""
        counts = self._fresh.counts()
        self._base.executemany(_KEPT, self._fresh.keys())
        self._base.executemany(_COUNTED, counts)
        self._recent, self._fresh = self._recent + len(counts), FreshRows()
        if self._recent >= MOST_RECENT:
            self._base.execute(_ADDED)
            self._base.execute("DELETE FROM recent")
            self._recent = 0

    def _texts(self) -> list[tuple[int, str, bool]]:
        return self._base.execute("SELECT number, text, shown FROM campaign ORDER BY name").fetchall()

    def _opened(self, signed: SignedCampaign, shown: bool) -> int:
        self._base.execute(
            "INSERT INTO campaign(name, text, shown) VALUES(?,?,?) "
            "ON CONFLICT(name) DO UPDATE SET shown=excluded.shown",
            (signed.name, signed.text, int(shown)),
        )
        return int(self._base.execute("SELECT number FROM campaign WHERE name=?", (signed.name,)).fetchone()[0])

    def _first(self, campaign: int, keys: list[bytes]) -> set[bytes]:
        new = {key for key in keys if not self._knows(campaign, key)}
        for key in new:
            self._fresh.keep(campaign, key)
        return new

    def _knows(self, campaign: int, key: bytes) -> bool:
        return self._fresh.knows(campaign, key) or self._base.execute(_KNOWN, (campaign, key)).fetchone() is not None

    def _count(self, place: Spot, counted: Mapping[int | str, int]) -> int:
        for value, often in counted.items():
            self._fresh.count(place, value, often)
        common = max(counted, key=lambda value: counted[value])
        return int(self._base.execute(_OFTEN, (*place, common)).fetchone()[0]) + self._fresh.often(place, common)

    def _total(self, place: Spot) -> Tally:
        found = self._known.get(place)
        if found is None:
            row = self._read(place)
            found = self._empty(*place[:2]) if row is None else tally_of(row)
        return found

    def _replace(self, changed: dict[Spot, Tally]) -> None:
        rows = [row_of(place, found) for place, found in changed.items()]
        self._base.executemany("INSERT OR REPLACE INTO running VALUES(?,?,?,?,?,?)", rows)

    def _set_aside(self, found: Counter[tuple[int, str]]) -> None:
        self._base.executemany(_ASIDE, [(*place, n) for place, n in found.items()])

    def _written(self, changed: dict[Spot, Tally], hour: int) -> None:
        self._known.update(changed)
        if len(self._known) > _MOST_KNOWN:  # Hours that are over are read again where somebody asks for them.
            self._known = {place: one for place, one in self._known.items() if place[2] in (hour, ALL_HOURS)}

    def _read(self, place: Spot) -> Row | None:
        row: Row | None = self._base.execute(_READ, place).fetchone()
        return row

    def _by_hour(self, campaign: int, question: int) -> list[tuple[int, int, int, bytes]]:
        return self._base.execute(
            "SELECT hour, reports, commonest, counts FROM running "
            "WHERE campaign=? AND question=? AND hour>=0 ORDER BY hour",
            (campaign, question),
        ).fetchall()
