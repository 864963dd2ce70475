"""Small tables of visits, for examples of counts that go on."""

from pathlib import Path

from banister.files import whole_text
from banister.release.dataset import Dataset
from banister.release.dataset import open as open_dataset
from banister.tables.schema import Schema

SCHEMA = """[source]
table = "visits.csv"
person = "id"
neighbours = "add-remove"
rows = 1

[budget]
epsilon = 1
delta = 1e-6
ledger = "visits.ledger"

[columns]
day = { kind = "date", range = [2025-12-01, 2027-12-31] }

[stream]
date = "day"
every = "EVERY"
start = 2026-01-05
periods = PERIODS
person_periods = 1
"""


def days_of_a_year() -> Dataset:
    """A schema of daily running totals over a year; its table is not there, as a plan needs none."""
    text = SCHEMA.replace("EVERY", "day").replace("PERIODS", "365")
    return Dataset(Schema.of_text(text), folder=Path(), frames={})


def write_visits(folder: str | Path) -> Dataset:
    """A table of a hundred visits in the first four weeks, and its schema with twelve weekly periods."""
    place = Path(folder)
    rows = "".join(f"{person},2026-01-{5 + person % 27:02d}\n" for person in range(100))
    whole_text(place / "visits.csv", "id,day\n" + rows)
    whole_text(place / "visits.toml", SCHEMA.replace("EVERY", "week").replace("PERIODS", "12"))
    return open_dataset(place / "visits.toml")
