"""How plans, looks and drafts show themselves: short as text, whole in a notebook; and how a look is said in words."""

import re
from datetime import date
from pathlib import Path

import pandas as pd
import pytest

import banister as bn
from banister.errors import BadValue
from banister.release.drafting.draft import Draft
from banister.release.drafting.found import FoundTable
from banister.release.drafting.proposals import propose
from banister.release.profile.words import about, each
from banister.tables.columns import Kind

LONGEST = 100


def table(ledger: Path) -> bn.Dataset:
    rows = range(4000)
    frame = pd.DataFrame(
        {"id": [i // 2 for i in rows], "cost": [1500 + i // 8 for i in rows], "ward": ["a", "b"] * 2000}
    )
    return bn.Table(
        frame.assign(came=pd.Timestamp(2020, 5, 1)),
        person="id",
        neighbours="add-remove",
        rows=2,
        groups=2,
        columns={
            "cost": bn.Integer(0, 9000),
            "ward": bn.Category(["a", "b"]),
            "came": bn.Dates("2020-01-01", "2020-12-31"),
        },
        budget=bn.Guarantee(100, "1e-5"),
        ledger=str(ledger),
    )


def test_what_a_notebook_shows_has_a_short_repr_and_a_page(tmp_path: Path) -> None:
    data = table(tmp_path / "shown.ledger")
    draft = Draft(found=FoundTable.of_header("stays.csv", b"patient,age,ward"), ledger="stays.ledger")
    for one in (
        data,
        data.plan("SELECT COUNT(*) FROM data; SELECT AVG(cost) FROM data", epsilon=1),
        data.plan_look(epsilon=1, delta="1e-6"),
        draft,
        bn.least_noise(epsilon=1, sensitivity=1, cost="squared"),
    ):
        assert len(repr(one)) <= LONGEST, repr(one)
        assert "<table" in one._repr_html_()
    assert "patient" in draft._repr_html_()


def test_days_may_be_texts() -> None:
    ends = [date(2020, 1, 1), date(2020, 12, 31)]
    assert bn.Timestamps("2020-01-01", "2020-12-31").content()["range"] == ends
    with pytest.raises(BadValue, match="'2020-13-01' must be a day such as '2024-12-31'"):
        bn.Dates("2020-01-01", "2020-13-01").content()


def test_a_look_sets_thousands_apart_but_not_in_dates(tmp_path: Path) -> None:
    data = table(tmp_path / "shown.ledger")
    look = data.look(data.plan_look(epsilon=50, delta="1e-6"))
    found = {column.name: column for column in look.columns}
    assert "half at 1\u00a0024 to 2\u00a0047" in about(found["cost"])
    assert "1024" not in about(found["cost"])
    assert "2020-" in about(found["came"])
    assert each(found["ward"]) == "95% of people have at most 2 of its values."


def test_thousands_are_apart_wherever_numbers_are_shown(tmp_path: Path) -> None:
    data = table(tmp_path / "shown.ledger")
    question = "SELECT COUNT(*) FROM data"
    look = data.look(data.plan_look(epsilon=50, delta="1e-6"))
    data.release(data.plan(question, epsilon=1)).report(tmp_path / "a.html")
    report = (tmp_path / "a.html").read_text()
    for page in (data._repr_html_(), look._repr_html_(), data.plan(question, epsilon=1)._repr_html_(), report):
        words = re.sub(
            r"<[^>]*>|[0-9a-f]{20,}|20\d\d-\d\d|&#?\w+;", " ", re.sub(r"<style.*?</style>", "", page, flags=re.S)
        )
        assert not re.findall(r"(?<![\d.#])\d{4,}", words)
    assert "0 to 9\u00a0000" in data._repr_html_()
    assert "1\u00a0024 to 2\u00a0047" in "".join(re.findall(r"<svg.*?</svg>", look._repr_html_(), re.S))


def test_german_compounds_are_known_by_their_end() -> None:
    def of(name: str) -> Kind | None:
        return propose(FoundTable.of_header("a.csv", name.encode()).columns[0]).kind

    assert (of("Aufnahmedatum"), of("Gesamtkosten"), of("Geburtsjahr")) == (Kind.DATE, Kind.NUMBER, Kind.INTEGER)
    assert [of("Fallnummer"), of("Report")] == [None, None]
