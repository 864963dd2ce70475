"""Ingest: counted once, after the commit, with one sentence for whatever cannot be counted, and nothing to link by."""

import io
import json
import sqlite3
import threading
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from banister.apps.collect.board import board
from banister.apps.collect.ingest import Bucket
from banister.apps.collect.site import Service
from banister.apps.collect.store import ReportStore
from banister.errors import BadValue
from banister.keys import nonce
from banister.local import HadamardResponse, RandomizedResponse, SubsetSelection, UnaryEncoding
from banister.local.collect.campaign import SignedCampaign
from banister.local.collect.repeat import Repetition
from banister.local.collect.tally import write_value
from tests.apps.collect.service import KEY, opened, visitor
from tests.apps.web.visit import owner
from tests.local.collect.campaigns import signed
from tests.seeded import SeededBits

FOUR = RandomizedResponse(1, categories=4)


def reports_of(asked: SignedCampaign) -> str:
    return f"/c/{asked.name}/reports"


def body(reports: object, key: object = KEY) -> str:
    return json.dumps({"key": key, "reports": reports})


def file_of(service: Service) -> ReportStore:
    store = service.writer.store
    assert isinstance(store, ReportStore)
    return store


def test_a_report_is_counted_once_however_often_it_is_sent(tmp_path: Path) -> None:
    asked = signed(FOUR)
    service = opened(tmp_path, asked)
    someone = visitor(service)
    for _ in range(3):
        assert someone.post(reports_of(asked), content=body({"0": [2]})).status_code == 204
    assert someone.post(reports_of(asked), content=body({"0": [2, 1]}, nonce())).status_code == 204
    assert service.writer.store.total(1, 0).counts.tolist() == [0, 1, 2, 0]
    assert service.writer.store.stored(1) == 3
    service.writer.close()


@pytest.mark.parametrize(
    ("content", "status", "words"),
    [
        ("", 422, "not JSON"),
        ("[" * 100_000, 422, "not JSON"),
        ("[]", 422, "a key and reports"),
        (json.dumps({"key": KEY, "reports": {"0": [1]}, "age": 7}), 422, "a key and reports"),
        (body({"0": [1]}, "7"), 422, "32 digits"),
        (body({"0": [1]}, 7), 422, "32 digits"),
        (body([1]), 422, "number of their question"),
        (body({}), 422, "number of their question"),
        (body({"1": [1]}), 422, "numbered from 0 to 0"),
        (body({"²": [1]}), 422, "numbered from 0 to 0"),
        (body({"0": []}), 422, "1 to 10000 reports"),
        (body({"0": 1}), 422, "1 to 10000 reports"),
        (body({"0": [1] * 10_001}), 422, "1 to 10000 reports"),
        (body({"0": [4]}), 422, "from 0 to 3"),
        (body({"0": [True]}), 422, "whole number"),
        (body({"0": ["1"]}), 422, "whole number"),
        ('{"key": "' + KEY + '", "reports": {"0": [NaN]}}', 422, "whole number"),
        ("x" * 600_000, 413, "at most"),
    ],
)
def test_what_cannot_be_a_report_is_set_aside_and_counted(
    tmp_path: Path, content: str, status: int, words: str
) -> None:
    asked = signed(FOUR)
    service = opened(tmp_path, asked)
    found = visitor(service).post(reports_of(asked), content=content)
    assert found.status_code == status
    assert words in found.json()["refused"]
    service.writer.close()
    store = ReportStore(tmp_path / "reports.db")
    assert store.stored(1) == 0
    assert sum(store.asides(1).values()) == 1


def test_a_campaign_of_another_name_or_version_takes_nothing(tmp_path: Path) -> None:
    asked, other = signed(FOUR), signed(FOUR, title="Another version")
    found = visitor(opened(tmp_path, asked)).post(reports_of(other), content=body({"0": [1]}))
    assert found.status_code == 404
    assert "No campaign of this name" in found.json()["refused"]


def test_after_its_last_day_nothing_is_counted_and_on_it_everything(tmp_path: Path) -> None:
    asked, days = signed(FOUR, until="2026-11-17"), ["2026-11-17"]
    someone = visitor(opened(tmp_path, asked, day=lambda: days[0]))
    assert someone.post(reports_of(asked), content=body({"0": [1]})).status_code == 204
    days[0] = "2026-11-18"
    late = someone.post(reports_of(asked), content=body({"0": [1]}, nonce()))
    assert late.status_code == 410
    assert "ended on 2026-11-17" in late.json()["refused"]


def test_too_many_at_once_are_asked_to_come_again(tmp_path: Path) -> None:
    asked = signed(FOUR)
    service = opened(tmp_path, asked)
    now = [0.0]
    service.ingest.bucket = Bucket(1, 2, clock=lambda: now[0])
    someone = visitor(service)
    seen = [someone.post(reports_of(asked), content=body({"0": [1]}, nonce())).status_code for _ in range(3)]
    assert seen == [204, 204, 429]
    now[0] = 1.0
    assert someone.post(reports_of(asked), content=body({"0": [1]}, nonce())).status_code == 204


def test_a_full_disk_is_said_and_nothing_is_counted(tmp_path: Path) -> None:
    asked = signed(SubsetSelection(1, 100, 27))
    service = opened(tmp_path, asked)
    base, some = file_of(service)._base, list(range(5000))
    base.execute(f"PRAGMA max_page_count={base.execute('PRAGMA page_count').fetchone()[0]}")
    full = visitor(service).post(reports_of(asked), content=body({"0": some}))
    assert full.status_code == 507
    assert "no room left" in full.json()["refused"]
    assert service.writer.store.total(1, 0).reports == service.writer.store.stored(1) == 0
    base.execute("PRAGMA max_page_count=1000000")
    assert visitor(service).post(reports_of(asked), content=body({"0": some})).status_code == 204
    assert service.writer.store.total(1, 0).reports == service.writer.store.stored(1) == 5000


@pytest.mark.parametrize(
    "channel",
    [FOUR, SubsetSelection(1, 30, 8), HadamardResponse(1, 30), UnaryEncoding(1, 70)],
    ids=lambda channel: channel.kind,
)
def test_totals_are_those_of_the_stored_reports_after_a_restart(tmp_path: Path, channel: RandomizedResponse) -> None:
    asked = signed(channel, people=10_000)
    service = opened(tmp_path, asked)
    drawn = channel.draw(np.arange(900) % channel.categories, SeededBits(1))
    someone = visitor(service)
    for first in range(0, 900, 90):
        sent = write_value(channel, drawn[first : first + 90])
        assert someone.post(reports_of(asked), content=body({"0": sent}, nonce())).status_code == 204
    service.writer.close()
    again = opened(tmp_path)
    store = again.writer.store
    total = store.total(1, 0)
    assert total.reports == store.stored(1) == 900
    assert np.array_equal(total.counts, channel.tallied(drawn))
    assert sum(found.reports for _, found in store.hours(1, 0)) == 900
    page = owner(again.site).get("/d/1")
    assert page.status_code == 200
    assert "900" in page.text


def test_what_came_last_is_added_to_the_rest_and_counted_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("banister.apps.collect.store.MOST_RECENT", 180)
    monkeypatch.setattr("banister.apps.collect.fresh.MOST_FRESH", 40)
    asked, sent = signed(SubsetSelection(1, 30, 8)), [value % 90 for value in range(325)]
    service = opened(tmp_path, asked, hour=lambda: 7)
    someone, store = visitor(service), file_of(service)
    for first in range(0, 325, 25):
        assert (
            someone.post(reports_of(asked), content=body({"0": sent[first : first + 25]}, nonce())).status_code == 204
        )
        rows = [tuple(row) for row in store.reports(1, 0)]
        assert rows == [(7, value, count) for value, count in sorted(Counter(sent[: first + 25]).items())]
        assert store.stored(1) == store.total(1, 0).reports == first + 25
    assert store.total(1, 0).commonest == 4
    parts = [store._base.execute(f"SELECT sum(n) FROM {name}").fetchone()[0] for name in ("report", "recent")]
    assert parts == [200, 100]  # And 25 that came last.
    with pytest.MonkeyPatch.context() as broken:  # A commit that fails while it is added leaves both as they were.
        broken.setattr("banister.apps.collect.store.MOST_RECENT", 120)
        broken.setattr("banister.apps.collect.store._ADDED", "INSERT INTO nowhere VALUES(1)")
        full = someone.post(reports_of(asked), content=body({"0": sent[:25]}, nonce()))
    assert full.status_code == 507
    assert store.stored(1) == store.total(1, 0).reports == 325


def test_nothing_that_is_kept_links_two_reports(tmp_path: Path) -> None:
    """No address, no agent, no key beside a report, no time finer than the hour, and no order of insertion."""
    asked = signed(FOUR, RandomizedResponse(1, categories=3))
    service = opened(tmp_path, asked)
    someone = visitor(service)
    headers = {"user-agent": "Telltale/1", "x-forwarded-for": "203.0.113.7"}
    keys = [nonce() for _ in range(20)]
    for place, key in enumerate(keys):
        sent = body({"0": [place % 4], "1": [place % 3]}, key)
        assert someone.post(reports_of(asked), content=sent, headers=headers).status_code == 204
    service.writer.close()
    data = (tmp_path / "reports.db").read_bytes()
    assert b"Telltale" not in data
    assert b"203.0.113" not in data
    base = sqlite3.connect(tmp_path / "reports.db")
    tables = ("report", "recent", "request", "fresh")
    columns = {name: [row[1] for row in base.execute(f"PRAGMA table_info({name})")] for name in tables}
    counted = ["campaign", "question", "hour", "value", "n"]
    alone = {"request": ["campaign", "key"], "fresh": ["only", "keys", "counts"]}
    assert columns == {"report": counted, "recent": counted, **alone}
    for name in ("report", "recent", "request"):
        with pytest.raises(sqlite3.OperationalError, match="no such column"):
            base.execute(f"SELECT rowid FROM {name}")
    ((lately, counts),) = base.execute("SELECT keys, counts FROM fresh").fetchall()
    assert lately == b"".join(bytes(3) + b"\1" + bytes.fromhex(key) for key in sorted(keys))
    assert json.loads(counts) == sorted(json.loads(counts))
    # After the store was closed not even the places in the file have the order in which requests came.
    places = [data.find(bytes.fromhex(key)) for key in keys]
    assert sorted(keys, key=lambda key: places[keys.index(key)]) in (sorted(keys), sorted(keys, reverse=True))


@pytest.mark.parametrize(("fresh", "asks"), [(1000, "01"), (8, "1")], ids=["few requests", "many requests"])
def test_a_copy_of_the_running_store_shows_no_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fresh: int, asks: str
) -> None:
    """One copy at any moment, as after a kill: no log of commits, no traces of rows before, no order within pages."""
    monkeypatch.setattr("banister.apps.collect.fresh.MOST_FRESH", fresh)
    asked = signed(SubsetSelection(1, 100, 27), FOUR, people=10_000)
    service = opened(tmp_path, asked, hour=lambda: 7)
    someone, keys = visitor(service), [nonce() for _ in range(40)]
    for place, key in enumerate(keys):
        sent = body({name: [(7919 * place) % (9900, 4)[int(name)]] for name in asks}, key)
        assert someone.post(reports_of(asked), content=sent).status_code == 204
    files = {path.name: path.read_bytes() for path in tmp_path.iterdir() if not path.name.endswith("-shm")}
    assert files.pop("reports.db-wal") == b""
    (data,) = files.values()
    places = [data.find(bytes.fromhex(key)) for key in keys]
    assert min(places) > 0
    assert [data.count(bytes.fromhex(key)) for key in keys] == [1] * 40
    for first in range(0, 40, fresh):  # Within what went into the tables together, only the order of the keys.
        some = range(first, min(first + fresh, 40))
        found = [keys[place] for place in sorted(some, key=lambda place: places[place])]
        assert found in (sorted(found), sorted(found, reverse=True))
    assert service.writer.store.stored(1) == service.writer.store.total(1, 1).reports * len(asks) == 40 * len(asks)
    for key in keys:  # Whether a key is in the tables or came last, it counts once.
        assert someone.post(reports_of(asked), content=body({"1": [1]}, key)).status_code == 204
    assert service.writer.store.stored(1) == 40 * len(asks)
    service.writer.close()


def test_the_log_says_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    asked = signed(FOUR)
    visitor(opened(tmp_path, asked)).post(reports_of(asked), content="rubbish")
    out, err = capfd.readouterr()
    assert out == err == ""


def test_open_pages_have_no_cookie_and_the_dashboard_wants_a_token(tmp_path: Path) -> None:
    asked = signed(FOUR)
    service = opened(tmp_path, asked)
    someone = visitor(service)
    for path in (f"/a/{asked.name}", f"/c/{asked.name}", "/a/client.mjs", f"/r/{asked.name}", "/openapi.json"):
        found = someone.get(path)
        assert found.status_code == 200, path
        assert "set-cookie" not in found.headers
    assert someone.get(f"/c/{asked.name}").text == asked.text
    assert someone.get("/d/1").status_code == 403
    assert someone.get(f"/a/{'0' * 64}").status_code == 404
    assert someone.get(f"{reports_of(asked)}").status_code == 405
    assert someone.delete(f"/c/{asked.name}").status_code == 405


def test_the_dashboard_and_its_files(tmp_path: Path) -> None:
    asked = signed(FOUR, RandomizedResponse(1, categories=2))
    hours = [500_000]
    service = opened(tmp_path, asked, hour=lambda: hours[0])
    someone, analyst = visitor(service), owner(service.site)
    assert "None is open" not in analyst.get("/").text
    assert analyst.get("/d/1/estimates.csv").status_code == 422
    for day in range(2):
        hours[0] = 500_000 + 24 * day
        sent = body({"0": [0] * 200 + [1] * 100, "1": [1] * 50}, nonce())
        assert someone.post(reports_of(asked), content=sent).status_code == 204
    shown = analyst.get("/d/1").text
    assert "Question 1?" in shown
    assert "worth" in shown
    assert "By day" in shown
    assert "the most in one is 350." in shown
    lines = analyst.get("/d/1/estimates.csv").text.splitlines()
    assert len(lines) == 1 + 4 + 2
    assert analyst.get("/d/1/estimates.parquet").content[:4] == b"PAR1"
    reports = analyst.get("/d/1/reports-0.csv").text.splitlines()
    assert reports[0] == "channel,report"
    assert len(reports) == 601
    table = pq.read_table(io.BytesIO(analyst.get("/d/1/reports-0.parquet").content))
    assert [(row["channel"], str(row["report"])) for row in table.to_pylist()] == [
        tuple(line.split(",")) for line in reports[1:]
    ]
    assert analyst.get("/d/1/reports-0.txt").status_code == 422
    assert analyst.get("/d/1/reports-7.csv").status_code == 422
    assert analyst.get("/d/9").status_code == 422
    assert "Question 1?" in someone.get(f"/r/{asked.name}").text


def test_public_results_are_made_once_however_many_ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not in the loop that takes reports, and anew only after some seconds: nobody stalls the collector with it."""
    made: list[str] = []

    def counted(*given: object) -> object:
        made.append(threading.current_thread().name)
        return board(*given)  # type: ignore[arg-type]

    monkeypatch.setattr("banister.apps.collect.site.board", counted)
    monkeypatch.setattr("banister.apps.collect.site.PUBLIC_SECONDS", 1e9)
    asked = signed(FOUR)
    service = opened(tmp_path, asked, hour=lambda: 7)
    someone = visitor(service)
    for place in range(3):
        assert someone.post(reports_of(asked), content=body({"0": [place]}, nonce())).status_code == 204
        assert "0 reports" not in someone.get(f"/r/{asked.name}").text
    assert len(made) == 1
    assert "AnyIO worker thread" in made[0]
    monkeypatch.setattr("banister.apps.collect.site.PUBLIC_SECONDS", 0.0)
    assert "3 reports" in someone.get(f"/r/{asked.name}").text
    assert "3 reports" in someone.get(f"/r/{asked.name}").text
    assert len(made) == 2
    assert someone.get(f"/r/{'0' * 64}").status_code == 404


def test_stuffed_reports_raise_a_doubt(tmp_path: Path) -> None:
    asked = signed(HadamardResponse(1, 30), people=10_000)
    service = opened(tmp_path, asked)
    someone = visitor(service)
    for _ in range(10):
        assert someone.post(reports_of(asked), content=body({"0": [7] * 100}, nonce())).status_code == 204
    assert "do not fit the channel" in owner(service.site).get("/d/1").text


def test_a_store_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "reports.db").write_text("no database at all, only some words that are long enough to be read" * 20)
    with pytest.raises(BadValue, match="cannot be used as a store"):
        ReportStore(tmp_path / "reports.db")
    with sqlite3.connect(tmp_path / "later.db") as base:
        base.execute("PRAGMA user_version=7")
    with pytest.raises(BadValue, match="store of version 7"):
        ReportStore(tmp_path / "later.db")


def test_repeated_answers_are_estimated_after_their_second_step(tmp_path: Path) -> None:
    asked = signed(FOUR, repetition=Repetition("permanent", rounds=3, second=2))
    service = opened(tmp_path, asked)
    sent = body({"0": [0] * 300 + [1] * 100 + [2] * 100 + [3] * 100})
    assert visitor(service).post(reports_of(asked), content=sent).status_code == 204
    assert "answer 0" in owner(service.site).get("/d/1").text
