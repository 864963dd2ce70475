"""The store of a large collector, or of several processes that collect together: PostgreSQL.

The server keeps rows in the order in which they came, and beside each the transaction that wrote it, which would link a
request's key to its reports. So at every new hour, and at the end, both tables are written anew, in the order of their
keys and by one transaction.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, cast

from banister.apps.collect.book import ReportBook, Row, Spot, StorageFull, row_of, tally_of
from banister.apps.collect.store import ReportStore
from banister.errors import BadValue, MissingExtra
from banister.local.collect.campaign import SignedCampaign
from banister.local.collect.tally import Tally

if TYPE_CHECKING:
    import psycopg

SCHEMES = ("postgresql://", "postgres://")
VERSION = 1
_TURN = "SELECT pg_advisory_xact_lock(42414550)"
"""Whoever writes has its turn: totals are read, added to and written under one lock."""
_TABLES = """
CREATE TABLE IF NOT EXISTS collect_version(version integer PRIMARY KEY);
CREATE TABLE IF NOT EXISTS collect_campaign(number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text UNIQUE NOT NULL, text text NOT NULL, shown boolean NOT NULL);
CREATE TABLE IF NOT EXISTS collect_report(campaign integer, question integer, hour bigint, value text COLLATE "C",
  n bigint NOT NULL, PRIMARY KEY(campaign, question, hour, value));
CREATE TABLE IF NOT EXISTS collect_running(campaign integer, question integer, hour bigint, reports bigint NOT NULL,
  commonest bigint NOT NULL, counts bytea NOT NULL, PRIMARY KEY(campaign, question, hour));
CREATE TABLE IF NOT EXISTS collect_request(campaign integer, key bytea, PRIMARY KEY(campaign, key));
CREATE TABLE IF NOT EXISTS collect_aside(campaign integer, why text, n bigint NOT NULL, PRIMARY KEY(campaign, why));
INSERT INTO collect_version SELECT 1 WHERE NOT EXISTS (SELECT FROM collect_version);
"""
_ANEW = """
CREATE TEMP TABLE mixed ON COMMIT DROP AS SELECT * FROM {table};
TRUNCATE {table};
INSERT INTO {table} SELECT * FROM mixed ORDER BY {order};
DROP TABLE mixed;
"""
_ORDERS = {"collect_request": "campaign, key", "collect_report": "campaign, question, hour, value"}
_FIRST = """
INSERT INTO collect_request SELECT %s, key FROM unnest(%s::bytea[]) AS given(key) ON CONFLICT DO NOTHING RETURNING key
"""
_COUNTED = """
INSERT INTO collect_report SELECT %s, %s, %s, value, n FROM unnest(%s::text[], %s::bigint[]) AS given(value, n)
ON CONFLICT (campaign, question, hour, value) DO UPDATE SET n = collect_report.n + excluded.n
RETURNING n
"""
_REPLACED = """
INSERT INTO collect_running VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT (campaign, question, hour)
DO UPDATE SET reports = excluded.reports, commonest = excluded.commonest, counts = excluded.counts
"""
_ASIDE = """
INSERT INTO collect_aside VALUES (%s, %s, %s) ON CONFLICT (campaign, why) DO UPDATE SET n = collect_aside.n + excluded.n
"""
_READ = "SELECT reports, commonest, counts FROM collect_running WHERE campaign=%s AND question=%s AND hour=%s"


class PostgresReports(ReportBook):
    """The tables collect_* of a database. Several processes may collect into it."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._hour: int | None = None
        self._base = self._connected()
        with self._said(), self._base.transaction():
            self._base.execute(_TURN)
            self._base.execute(_TABLES)
            versions = [row[0] for row in self._base.execute("SELECT version FROM collect_version")]
            if versions != [VERSION]:
                self._base.close()
                raise BadValue(f"The database holds reports of version {versions[0]}; this program writes {VERSION}.")
        super().__init__()

    def close(self) -> None:
        """Write both tables anew in the order of their keys, and end."""
        with self._commit():
            self._anew()
        self._base.close()

    def reports(self, campaign: int, question: int) -> Iterator[tuple[int, int | str, int]]:
        packed = self._campaigns[campaign].campaign.questions[question].channel.packed
        with self._said(), self._base.transaction(), self._base.cursor("reports") as rows:
            rows.execute(
                "SELECT hour, value, n FROM collect_report WHERE campaign=%s AND question=%s "
                "ORDER BY hour, length(value), value",
                (campaign, question),
            )
            for hour, value, count in rows:
                yield int(str(hour)), str(value) if packed else int(str(value)), int(str(count))

    def asides(self, campaign: int) -> dict[str, int]:
        rows = self._rows("SELECT why, n FROM collect_aside WHERE campaign=%s ORDER BY why", (campaign,))
        return {str(why): int(str(n)) for why, n in rows}

    def stored(self, campaign: int) -> int:
        (row,) = self._rows("SELECT coalesce(sum(n), 0)::bigint FROM collect_report WHERE campaign=%s", (campaign,))
        return int(str(row[0]))

    @contextmanager
    def _commit(self) -> Iterator[None]:
        from psycopg import Error

        try:
            if self._base.closed:  # The server went away: what was not committed is not counted.
                self._base = self._connected()
            with self._base.transaction():
                self._base.execute(_TURN)
                yield
        except (Error, BadValue) as error:
            raise StorageFull from error

    def _texts(self) -> list[tuple[int, str, bool]]:
        rows = self._rows("SELECT number, text, shown FROM collect_campaign ORDER BY name", ())
        return cast("list[tuple[int, str, bool]]", rows)

    def _opened(self, signed: SignedCampaign, shown: bool) -> int:
        query = (
            "INSERT INTO collect_campaign(name, text, shown) VALUES (%s, %s, %s) "
            "ON CONFLICT (name) DO UPDATE SET shown = excluded.shown RETURNING number"
        )
        (row,) = self._rows(query, (signed.name, signed.text, shown))
        return int(str(row[0]))

    def _first(self, campaign: int, keys: list[bytes]) -> set[bytes]:
        return {cast(bytes, row[0]) for row in self._base.execute(_FIRST, (campaign, keys))}

    def _count(self, place: Spot, counted: Mapping[int | str, int]) -> int:
        ordered = sorted(counted.items(), key=lambda item: (len(str(item[0])), str(item[0])))
        values, counts = [str(value) for value, _ in ordered], [count for _, count in ordered]
        rows = self._base.execute(_COUNTED, (*place, values, counts)).fetchall()
        return max(int(str(row[0])) for row in rows)

    def _total(self, place: Spot) -> Tally:
        row = self._read(place)
        return self._empty(*place[:2]) if row is None else tally_of(row)

    def _replace(self, changed: dict[Spot, Tally]) -> None:
        with self._base.cursor() as cursor:
            cursor.executemany(_REPLACED, [row_of(place, found) for place, found in changed.items()])

    def _set_aside(self, found: Counter[tuple[int, str]]) -> None:
        with self._base.cursor() as cursor:
            cursor.executemany(_ASIDE, [(*place, n) for place, n in found.items()])

    def _written(self, changed: dict[Spot, Tally], hour: int) -> None:
        if self._hour not in (None, hour):
            with self._commit():
                self._anew()
        self._hour = hour

    def _read(self, place: Spot) -> Row | None:
        rows = self._rows(_READ, place)
        return cast(Row, rows[0]) if rows else None

    def _by_hour(self, campaign: int, question: int) -> list[tuple[int, int, int, bytes]]:
        query = (
            "SELECT hour, reports, commonest, counts FROM collect_running "
            "WHERE campaign=%s AND question=%s AND hour>=0 ORDER BY hour"
        )
        return cast("list[tuple[int, int, int, bytes]]", self._rows(query, (campaign, question)))

    def _anew(self) -> None:
        for table, order in _ORDERS.items():
            self._base.execute(_ANEW.format(table=table, order=order))

    def _rows(self, query: str, given: tuple[object, ...]) -> list[tuple[object, ...]]:
        with self._said():
            return self._base.execute(query, given).fetchall()

    def _connected(self) -> "psycopg.Connection[tuple[object, ...]]":
        try:
            import psycopg
        except ModuleNotFoundError as error:
            raise MissingExtra.naming("psycopg", "postgres") from error
        with self._said():
            return psycopg.connect(
                self._address,
                autocommit=True,
                connect_timeout=10,
                options="-c synchronous_commit=on",
                application_name="banister",
            )

    @contextmanager
    def _said(self) -> Iterator[None]:
        from psycopg import Error

        try:
            yield
        except Error as error:  # The address may hold a password, so it is not shown.
            kind = type(error).__name__
            raise BadValue(f"The database cannot be used as a store of reports ({kind}). Check its address.") from None


def opened(where: str) -> ReportBook:
    """The store that an argument names: the address of a PostgreSQL database, or a file."""
    return PostgresReports(where) if where.startswith(SCHEMES) else ReportStore(Path(where))
