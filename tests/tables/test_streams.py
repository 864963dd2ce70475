"""What [stream] may say, and how it is refused."""

import re

import pytest

from banister.errors import BadValue
from banister.release.streams.example import SCHEMA
from banister.tables.schema import Schema

GOOD = SCHEMA.replace("EVERY", "week").replace("PERIODS", "12")


def test_periods_have_their_days() -> None:
    stream = Schema.of_text(GOOD).stream
    assert stream is not None
    assert [str(day) for day in stream.days(12)] == ["2026-03-23", "2026-03-29"]
    assert stream.running
    months = GOOD.replace('"week"', '"month"').replace("2026-01-05", "2026-01-01")
    by_month = Schema.of_text(months.replace("periods = 12", "periods = 14")).stream
    assert by_month is not None
    assert [str(day) for day in by_month.days(14)] == ["2027-02-01", "2027-02-28"]


def test_a_stream_does_not_change_what_other_plans_are() -> None:
    without = Schema.of_text(GOOD[: GOOD.index("[stream]")])
    assert repr(Schema.of_text(GOOD)) == repr(without)
    assert Schema.of_text(GOOD) != without


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"week"', '"fortnight"', "every = 'fortnight' in [stream] must be day, week, month, quarter or year."),
        ("2026-01-05", '"2026-01-05"', "[stream] needs start, the first day that counts, without quotes"),
        ("2026-01-05", "2026-01-06", "start = 2026-01-06 in [stream] is not the first day of a week; that would be"),
        ("periods = 12\n", "", "[stream] needs periods, how many there will be at most"),
        ("periods = 12\n", "periods = 5000\n", "periods = 5000 in [stream] must be at most 4096"),
        ("person_periods = 1\n", "", "[stream] needs person_periods: in how many periods one person may count"),
        ("person_periods = 1\n", "person_periods = 0\n", "person_periods in [stream]"),
        ('date = "day"', 'date = "when"', "date = 'when' in [stream] must be a date column that [columns] declares."),
        ("2027-12-31", "2026-03-29", "The range of column 'day' must begin before 2026-01-05 and end after 2026-03-29"),
        ("2025-12-01", "2026-01-05", "The range of column 'day' must begin before 2026-01-05 and end after 2026-03-29"),
        ('person = "id"\n', "", "[stream] needs a person column in [source]"),
        ('date = "day"', 'dat = "day"', "'dat' in [stream] is not known"),
    ],
)
def test_a_wrong_stream_is_refused(old: str, new: str, said: str) -> None:
    assert old in GOOD
    with pytest.raises(BadValue, match=re.escape(said)):
        Schema.of_text(GOOD.replace(old, new))
