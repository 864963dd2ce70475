"""The store on PostgreSQL: the same counts as the file's, several collectors at once, and nothing to link by."""

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import psycopg
import pytest

from banister.apps.collect.board import board
from banister.apps.collect.book import Batch, Heap, ReportBook
from banister.apps.collect.days import DayRows
from banister.apps.collect.postgres import PostgresReports, opened
from banister.apps.collect.site import collector
from banister.apps.collect.store import ReportStore
from banister.apps.web.gate import Place
from banister.errors import BadValue
from banister.keys import nonce
from banister.local import RandomizedResponse, SubsetSelection, UnaryEncoding
from banister.local.collect.tally import write_value
from tests.apps.collect.service import visitor
from tests.apps.web.visit import PORT
from tests.local.collect.campaigns import signed
from tests.seeded import SeededBits

SETS, BITS = SubsetSelection(1, 30, 8), UnaryEncoding(1, 70)
ASKED = signed(SETS, BITS, people=10_000)


@pytest.fixture
def address(postgres: str) -> str:
    with psycopg.connect(postgres, autocommit=True) as base:
        names = [row[0] for row in base.execute("SELECT tablename FROM pg_tables WHERE tablename LIKE 'collect%'")]
        for name in names:
            base.execute(f"DROP TABLE {name}")
    return postgres


def batch(key: bytes, count: int = 50, seed: int = 1) -> Batch:
    heaps = []
    for place, channel in enumerate((SETS, BITS)):
        drawn = channel.draw(np.arange(count) % channel.categories, SeededBits(seed))
        heaps.append(Heap(place, write_value(channel, drawn), drawn))
    return Batch(1, key, tuple(heaps))


def test_it_keeps_what_the_file_keeps(tmp_path: Path, address: str) -> None:
    books: list[ReportBook] = [ReportStore(tmp_path / "reports.db"), opened(address)]
    for book in books:
        assert book.add(ASKED, shown=True) == book.add(ASKED, shown=True) == 1
        for hour, (key, seed) in enumerate(((b"a" * 16, 1), (b"b" * 16, 2), (b"a" * 16, 3))):
            some = [batch(key, seed=seed), batch(key, seed=seed)]
            assert book.write(some, [(1, "unreadable")], 480_000 + hour) == (0 if seed == 3 else 1)
    one, other = books
    for place in (0, 1):
        assert list(one.reports(1, place)) == list(other.reports(1, place))
        pairs = [(one.total(1, place), other.total(1, place))]
        hours = zip(one.hours(1, place), other.hours(1, place), strict=True)
        pairs += [(mine, theirs) for (hour, mine), (same, theirs) in hours if hour == same]
        assert len(pairs) == 3
        for mine, theirs in pairs:
            assert np.array_equal(mine.counts, theirs.counts)
            assert (mine.reports, mine.commonest) == (theirs.reports, theirs.commonest)
    assert one.stored(1) == other.stored(1) == 200
    assert one.asides(1) == other.asides(1) == {"unreadable": 3}
    assert [(found.number, found.shown) for found in other.campaigns()] == [(1, True)]
    shown = [board(book, book.campaigns()[0], 480_002, DayRows()) for book in books]
    assert shown[0] == shown[1]
    other.close()
    again = opened(address)
    assert again.stored(1) == 200
    again.close()


def test_collectors_beside_each_other_lose_nothing_and_count_nothing_twice(address: str) -> None:
    books = [PostgresReports(address) for _ in range(3)]
    for book in books:
        book.add(ASKED, shown=False)
    keys = [bytes([place]) * 16 for place in range(12)]

    def all_of_it(book: ReportBook) -> int:
        return sum(book.write([batch(key)], (), 7) for key in keys)

    with ThreadPoolExecutor(3) as some:
        assert sum(some.map(all_of_it, books)) == 12
    for place in (0, 1):
        counted = Counter({value: count for _, value, count in books[0].reports(1, place)})
        assert counted.total() == books[1].total(1, place).reports == 600
    assert np.array_equal(books[0].total(1, 0).counts, 12 * SETS.tallied(batch(b"").heaps[0].values))
    for book in books:
        book.close()


def test_after_an_hour_nothing_shows_which_commit_wrote_what(address: str) -> None:
    book = PostgresReports(address)
    book.add(ASKED, shown=False)
    keys = [bytes.fromhex(nonce()) for _ in range(20)]
    for key in keys:
        book.write([batch(key, count=1)], (), 7)
    book.write([batch(bytes(16), count=1)], (), 8)
    with psycopg.connect(address) as base:
        for table in ("collect_request", "collect_report"):
            row = base.execute(f"SELECT count(DISTINCT xmin::text) FROM {table}").fetchone()
            assert row == (1,), "a row shows the transaction that wrote it"
        stored = [row[0] for row in base.execute("SELECT key FROM collect_request ORDER BY ctid")]
    assert stored == sorted([*keys, bytes(16)])
    book.close()


def test_a_server_that_goes_away_is_said_and_found_again(address: str) -> None:
    asked = signed(RandomizedResponse(1, categories=4))
    book = PostgresReports(address)
    book.add(asked, shown=False)
    service = collector(Place.loopback(PORT), book)
    someone, body = visitor(service), json.dumps({"key": nonce(), "reports": {"0": [2]}})
    with psycopg.connect(address, autocommit=True) as base:
        base.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'banister'")
    gone = someone.post(f"/c/{asked.name}/reports", content=body)
    assert gone.status_code == 507
    assert "Nothing was counted" in gone.json()["refused"]
    assert someone.post(f"/c/{asked.name}/reports", content=body).status_code == 204
    assert book.stored(1) == book.total(1, 0).reports == 1
    service.writer.close()


def test_what_is_no_database_or_of_another_version_is_refused(address: str) -> None:
    with pytest.raises(BadValue, match="cannot be used as a store of reports") as raised:
        PostgresReports("postgresql://someone:secret@127.0.0.1:1/none")
    assert "secret" not in str(raised.value)
    PostgresReports(address).close()
    with psycopg.connect(address, autocommit=True) as base:
        base.execute("UPDATE collect_version SET version = 9")
    with pytest.raises(BadValue, match="of version 9"):
        PostgresReports(address)
