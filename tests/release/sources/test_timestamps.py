"""Timestamps: the same seconds, hours and days on every engine, by the clocks that are declared, whatever is stored."""

import datetime
from collections.abc import Callable, Sequence
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from banister.errors import BadValue, Refused
from banister.release.run import works
from banister.release.sources.duckdb import DuckDBSource
from banister.release.sources.open import open_source
from banister.release.work import Source
from banister.tables.schema import Schema
from banister.tables.zones import shifts_of
from tests.release.sources.conftest import SPARK
from tests.release.sources.places import planned
from tests.seeded import SeededBits

BERLIN = ZoneInfo("Europe/Berlin")
LOW, HIGH = datetime.datetime(2023, 3, 20), datetime.datetime(2023, 10, 31, 23, 59, 59)
START = datetime.datetime(1970, 1, 1)
TEXT = """
[source]
table = "{table}"
neighbours = "add-remove"
[columns]
t = {{ kind = "timestamp", range = [2023-03-20, 2023-10-31]{zone} }}
d = {{ kind = "date", range = [2023-03-20, 2023-10-31]{zone} }}
"""
MOMENTS = (
    "2023-03-26 00:59:59.999999",
    "2023-03-26 01:00:00",
    "2023-03-26 02:30:00.5",
    "2023-03-26 23:00:00",
    "2023-10-29 00:30:00",
    "2023-10-29 01:30:00",
    "2023-07-01 22:00:00",
    "2023-07-01 21:59:59.999999",
    "2023-10-31 23:30:00",
    "2023-03-19 23:30:00",
    "0001-01-01 00:00:00",
    "1900-01-01 00:00:00",
    "1969-12-31 23:59:59.5",
    "9999-12-31 23:59:59.999999",
)
ENDS = ("infinity", "-infinity")
"""PostgreSQL has moments that are on no clock; elsewhere they are the furthest that can be stored."""

QUESTIONS = (
    "SELECT DATE_TRUNC('hour', t) AS h, COUNT(*) FROM data GROUP BY h",
    "SELECT HOUR(t) AS h, MINUTE(t) AS m, EXTRACT(SECOND FROM t) AS s, COUNT(*) FROM data GROUP BY 1, 2, 3",
    "SELECT t, COUNT(*) FROM data GROUP BY t",
    "SELECT DATE_TRUNC('week', t) AS w, ISODOW(t) AS d, COUNT(*) FROM data GROUP BY w, d",
    "SELECT WEEK(t) AS w, DAY(t) AS d, COUNT(*) FROM data GROUP BY ALL",
    "SELECT d, COUNT(*) FROM data GROUP BY d",
    "SELECT SUM(CAST(t AS TIME)), COUNT(t) FROM data WHERE CAST(t AS TIME) >= TIME '02:30'",
    "SELECT MEDIAN(t) FROM data WHERE t BETWEEN '2023-03-26 03:00:00' AND DATE '2023-10-29' OR t IS NULL",
    "SELECT SUM(t - TIMESTAMP '2023-01-01 12:00:00') FROM data",
    "SELECT COUNT(*) FROM data WHERE t >= TIMESTAMP '2023-03-27 02:00:00' - INTERVAL '36 hours' AND "
    "t < TIMESTAMP '2023-10-29 23:00:00' + INTERVAL 90 MINUTE AND t::TIME <> '23:30'",
)


def schema(table: str, *, zoned: bool) -> Schema:
    return Schema.of_text(TEXT.format(table=table, zone=', zone = "Europe/Berlin"' if zoned else ""))


def clock(text: str, *, zoned: bool) -> datetime.datetime:
    """What a clock shows, held in the range."""
    if text in ENDS:
        return HIGH if text == "infinity" else LOW
    found = datetime.datetime.fromisoformat(text)
    if zoned and 1 < found.year < 9999:
        found = found.replace(tzinfo=datetime.UTC).astimezone(BERLIN).replace(tzinfo=None)
    return min(max(found.replace(microsecond=0), LOW), HIGH)


def totals(
    source: Source, asked: Schema, *, second_line: bool = False, questions: Sequence[str] = QUESTIONS
) -> list[list[list[int]]]:
    parts = [part for question in questions for part in planned(question, asked).parts]
    found = []
    for work in (work for part in parts for work in works(part, SeededBits(1))):
        added = source.guarded_totals(work) if second_line else source.totals(work)  # type: ignore[attr-defined]
        found.append(added.values.tolist())
    return found


def stored_us(text: str) -> int:
    far = {"infinity": 2**63 - 1, "-infinity": 1 - 2**63}
    if text in far:
        return far[text]
    return int(np.datetime64(text, "us").astype(np.int64))


def in_duckdb(rows: Sequence[str | None], folder: Path, zoned: bool, request: pytest.FixtureRequest) -> Source:
    times = [None if text is None else stored_us(text) for text in rows]
    kind = pa.timestamp("us", tz="UTC" if zoned else None)
    frame = pa.table({"t": pa.array(times, type=kind), "d": pa.array(times, type=kind)})
    return DuckDBSource(schema("x", zoned=zoned), folder=folder, frames={"data": frame})


def in_postgres(rows: Sequence[str | None], folder: Path, zoned: bool, request: pytest.FixtureRequest) -> Source:
    import psycopg

    address = request.getfixturevalue("postgres")
    kind = "TIMESTAMPTZ" if zoned else "TIMESTAMP"
    with psycopg.connect(address) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute("DROP TABLE IF EXISTS data")
        connection.execute(f"CREATE TABLE data (t {kind}, d {kind})".encode())
        connection.cursor().executemany("INSERT INTO data VALUES (%s, %s)", [(row, row) for row in rows])
        name = connection.execute("SELECT current_database()").fetchone()
        assert name is not None
        connection.execute(f"ALTER DATABASE {name[0]} SET TimeZone = 'Asia/Tokyo'".encode())

    def as_it_was() -> None:
        with psycopg.connect(address) as connection:
            connection.execute(f"ALTER DATABASE {name[0]} RESET TimeZone".encode())

    request.addfinalizer(as_it_was)
    return open_source(schema(address, zoned=zoned), folder=folder, frames={})


def in_spark(rows: Sequence[str | None], folder: Path, zoned: bool, request: pytest.FixtureRequest) -> Source:
    session = request.getfixturevalue("spark")
    kind = "TIMESTAMP" if zoned else "TIMESTAMP_NTZ"
    lines = ", ".join("(NULL)" if row is None else f"({row})" for row in map(_spark_micros, rows))
    moment = "TIMESTAMP_MICROS(u)" if zoned else "TIMESTAMP_NTZ '1970-01-01' + MAKE_DT_INTERVAL(0, 0, 0, u / 1000000)"
    frame = session.sql(
        f"SELECT CAST({moment} AS {kind}) AS t, CAST({moment} AS {kind}) AS d FROM VALUES {lines} AS v(u)"
    ).coalesce(1)
    return open_source(schema("x", zoned=zoned), folder=folder, frames={"data": frame})


def _spark_micros(text: str | None) -> int | None:
    far = {"infinity": "9999-12-31 00:00:00", "-infinity": "0001-01-01 00:00:00"}
    return None if text is None else stored_us(far.get(text, text))


PLACES: dict[str, Callable[..., Source]] = {"duckdb": in_duckdb, "postgres": in_postgres, "spark": in_spark}


@pytest.mark.parametrize("zoned", [False, True], ids=["clock", "zone"])
@pytest.mark.parametrize("place", ["duckdb", "postgres", SPARK])
def test_every_engine_shows_what_a_clock_shows(
    place: str, zoned: bool, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Against what Python says of the same moments: hours, days, weeks and times of day, also around turned clocks."""
    rows = [*MOMENTS, *ENDS, None]
    source, asked = PLACES[place](rows, tmp_path, zoned, request), schema("x", zoned=zoned)
    shown = [clock(text, zoned=zoned) for text in rows if text is not None]
    # Planning the week of a zone's clocks can take more memory than Spark's driver has (docs/limits.md).
    questions = [q for q in QUESTIONS if not (zoned and place == "spark" and "WEEK(t)" in q)]
    found = dict(zip(questions, totals(source, asked, questions=questions), strict=True))
    by_hour = np.zeros(226 * 24, dtype=int)
    by_day = np.zeros(226, dtype=int)
    for moment in shown:
        by_hour[int((moment - LOW).total_seconds()) // 3600] += 1
        by_day[(moment - LOW).days] += 1
    assert found[QUESTIONS[0]] == [by_hour.tolist()]
    first, last = (datetime.datetime(2023, *day) for day in ((3, 25, 14), (10, 30, 0, 30)))
    between = sum(first <= moment < last and moment.time() != datetime.time(23, 30) for moment in shown)
    assert found[QUESTIONS[9]] == [[between]]
    assert found[QUESTIONS[2]] == found[QUESTIONS[5]] == [by_day.tolist()]
    clocks = np.zeros((24, 60, 60), dtype=int)
    for moment in shown:
        clocks[moment.hour, moment.minute, moment.second] += 1
    assert found[QUESTIONS[1]] == [clocks.ravel().tolist()]
    weeks, days = np.zeros((33, 7), dtype=int), np.zeros((33, 31), dtype=int)  # From week 12 to 44.
    for moment in shown:
        weeks[(moment - LOW).days // 7, moment.isoweekday() - 1] += 1
        days[moment.isocalendar().week - 12, moment.day - 1] += 1
    assert found[QUESTIONS[3]] == [weeks.ravel().tolist()]
    assert found.get(QUESTIONS[4], [days.ravel().tolist()]) == [days.ravel().tolist()]
    late = [m for m in shown if m.time() >= datetime.time(2, 30)]
    assert found[QUESTIONS[6]][-1][0] == len(late)
    assert totals(source, asked, second_line=True, questions=questions) == list(found.values())


FRAMES: dict[str, Callable[[pa.Table], object]] = {
    "arrow": lambda frame: frame,
    "batch": lambda frame: frame.to_batches()[0],
    "pandas": lambda frame: frame.to_pandas(),
    "polars": lambda frame: pl.from_arrow(frame),
    "lazy": lambda frame: pl.from_arrow(frame).lazy(),  # type: ignore[union-attr]
}


@pytest.mark.parametrize("made", FRAMES)
@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_no_moment_of_a_frame_is_too_far_away(unit: str, made: str, tmp_path: Path) -> None:
    """Was: DuckDB counts a frame's seconds and milliseconds with a zone in microseconds, and one moment for which there
    are too many stopped both lines; nanoseconds with a zone, pandas' own, were refused."""
    long = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    near = int(datetime.datetime(2023, 7, 1, 22, tzinfo=datetime.UTC).timestamp()) * long
    moments = [near, 2**63 - 1, 1 - 2**63, 2**62, -(2**62), None]
    for zone in (None, "UTC", "Europe/Berlin"):
        asked = schema("x", zoned=zone is not None)
        column = pa.array(moments, pa.int64()).cast(pa.timestamp(unit, tz=zone))
        frame = FRAMES[made](pa.table({"t": column, "d": column}))
        source = DuckDBSource(asked, folder=tmp_path, frames={"data": frame})
        some = (QUESTIONS[0], QUESTIONS[5])
        found = totals(source, asked, questions=some)
        assert found == totals(source, asked, questions=some, second_line=True)
        (by_hour,), (by_day,) = found
        assert by_hour[104 * 24 if zone else 103 * 24 + 22] == 1
        assert by_day[104 if zone else 103] == 1
        assert sum(by_hour) <= 5


def test_a_stream_of_coarse_moments_is_refused_before_a_row_is_read(tmp_path: Path) -> None:
    column = pa.array([0], pa.int64()).cast(pa.timestamp("s", tz="UTC"))
    stream = pa.table({"t": column, "d": column}).to_reader()
    with pytest.raises(BadValue, match="Column 't' counts moments in coarse units, and a RecordBatchReader is read"):
        DuckDBSource(schema("x", zoned=True), folder=tmp_path, frames={"data": stream})


def test_a_file_says_how_far_from_utc_its_clocks_were(tmp_path: Path) -> None:
    lines = ["2023-07-01 23:30:00", "2023-07-01T21:30:00Z", "2023-07-01T23:30:00.5+02:00", "2023-07-02 06:30 +0900"]
    missing = ["infinity+02:00", "yesterday", "2023-02-30 10:00", ""]
    (tmp_path / "t.csv").write_text("t,d\n" + "".join(f"{line},{line}\n" for line in [*lines, *missing]))
    for zoned, there in ((True, 4), (False, 1)):
        asked = schema("t.csv", zoned=zoned)
        source = DuckDBSource(asked, folder=tmp_path, frames={})
        (by_hour,) = totals(source, asked)[0]
        assert by_hour[103 * 24 + 23] == sum(by_hour) == there
        if zoned:
            assert totals(source, asked)[5][0][103] == there


def test_days_first_and_a_time_behind(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("t;d\n01.07.2023 08:15;01.07.2023\n02.07.2023;02.07.2023\n3.7.23 x;x\n")
    text = TEXT.format(table="t.csv", zone="").replace("neigh", 'separator = ";"\ndate_format = "%d.%m.%Y"\nneigh')
    asked = Schema.of_text(text)
    (by_hour,) = totals(DuckDBSource(asked, folder=tmp_path, frames={}), asked)[0]
    assert [place for place, count in enumerate(by_hour) if count] == [103 * 24 + 8, 104 * 24]


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("SELECT HOUR(d), COUNT(*) FROM data GROUP BY 1", 'no time of day. Declare the column with kind = "timestamp"'),
        ("SELECT AVG(t) FROM data", "dates cannot be added up"),
        ("SELECT SUM(t * 2) FROM data", "a timestamp, and a number is needed"),
        ("SELECT COUNT(*) FROM data WHERE t > '2023-07-01 25:00'", "neither a number nor a date"),
        ("SELECT COUNT(*) FROM data WHERE CAST(t AS TIME) > TIME '8'", "no time of day. Write it as TIME '08:30'"),
        ("SELECT COUNT(*) FROM data WHERE t AT TIME ZONE 'UTC' > '2023-07-01'", "Declare the zone in the schema"),
        ("SELECT EXTRACT(DOW FROM t), COUNT(*) FROM data GROUP BY 1", "take ISODOW"),
        ("SELECT DATE_TRUNC('second', t), COUNT(*) FROM data GROUP BY 1", "goes back to one of: minute, hour, day"),
    ],
)
def test_what_has_no_time_or_no_sum_is_refused(question: str, words: str) -> None:
    with pytest.raises(Refused) as caught:
        planned(question, schema("x", zoned=False))
    assert words in str(caught.value)
    assert "line 1" in str(caught.value)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('kind = "timestamp", range = [2023-01-01, 2023-12-31], zone = "Mars/Crater"', "is no time zone that this"),
        ('kind = "timestamp", range = [0001-01-01, 2023-12-31], zone = "UTC"', "the years 1900 to 2100"),
        ('kind = "date", range = [2023-01-01, 2023-12-31], every = "hour"', "every of column 't' must be one of: day"),
        ('kind = "timestamp", range = [0, 1]', "must be two dates from early to late"),
    ],
)
def test_a_column_of_times_is_declared_right_or_refused(line: str, words: str) -> None:
    with pytest.raises(BadValue) as caught:
        Schema.of_text(f"[columns]\nt = {{ {line} }}")
    assert words in str(caught.value)


def test_a_question_without_the_odd_column_is_answered(tmp_path: Path) -> None:
    """A column that is stored as something else blocks the questions that use it, and no other."""
    asked = schema("x", zoned=False)
    moments = pa.table({"t": pa.array([0], pa.timestamp("us", tz="UTC")), "d": pa.array([19500], pa.date32())})
    source = DuckDBSource(asked, folder=tmp_path, frames={"data": moments})

    def count(question: str) -> int:
        return int(source.totals(works(planned(question, asked).parts[0], SeededBits(1))[0]).values.sum())

    assert count("SELECT d, COUNT(*) FROM data GROUP BY d") == 1
    with pytest.raises(BadValue, match="Declare by whose clocks days and hours count"):
        count("SELECT t, COUNT(*) FROM data GROUP BY t")


def test_clocks_are_turned_when_the_zone_says_so() -> None:
    for zone in ("Europe/Berlin", "America/St_Johns", "Africa/Casablanca", "Australia/Lord_Howe", "Asia/Kathmandu"):
        shifts, clocks = shifts_of(zone, 17000, 20000), ZoneInfo(zone)
        probes = [turn + near for turn in shifts.turns for near in (-1, 0, 1)] + list(range(17000, 20000, 97))
        for moment in probes:
            here = datetime.datetime.fromtimestamp(moment, tz=clocks).utcoffset()
            assert here is not None
            assert moment < 10**6 or shifts.at(moment) == here.total_seconds()
