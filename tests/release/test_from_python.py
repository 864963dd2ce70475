"""Tables from Python values, and how everything looks in a notebook."""

from datetime import date
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import banister as bn
from banister.errors import BadValue
from banister.release.from_python import Declared

DAY = date(2024, 3, 1)
FRAME = pd.DataFrame(
    {"id": [1, 1, 2], "age": [30, 31, 70], "cost": [1.5, 2.25, 9.0], "ward": ["n", "s", "n"], "day": DAY}
)
COLUMNS: dict[str, Declared] = {
    "age": bn.Integer(0, 120),
    "cost": bn.Decimals(0, 100, step=0.25),
    "ward": bn.Category(["n", "s"]),
    "day": bn.Dates(date(2024, 1, 1), date(2024, 12, 31)),
}


def table(frame: object = FRAME, ledger: str = "") -> bn.Dataset:
    return bn.Table(
        frame,
        person="id",
        neighbours="add-remove",
        rows=2,
        groups=2,
        columns=COLUMNS,
        budget=bn.Guarantee(100),
        ledger=ledger,
    )


@pytest.mark.parametrize("frame", [FRAME, pl.from_pandas(FRAME), pa.Table.from_pandas(FRAME)])
def test_a_frame_is_answered_by_what_python_declares(frame: object, tmp_path: Path) -> None:
    found = table(frame, str(tmp_path / "t.ledger"))
    answers = found.release(
        found.plan("SELECT ward, COUNT(*) AS n, SUM(cost) AS t FROM data GROUP BY ward", epsilon=90)
    )
    assert [row["n"] for row in answers.table] == [2, 1]
    assert found.remaining().charges == 1


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    with pytest.raises(BadValue, match=r"A DataFrame does not say whom.*bn\.Table\(frame"):
        bn.open(FRAME)  # type: ignore[arg-type]
    with pytest.raises(BadValue, match=r"columns\['age'\] is a tuple"):
        bn.Table(FRAME, neighbours="replace", columns={"age": (0, 120)})  # type: ignore[dict-item]
    with pytest.raises(BadValue, match="from low to high"):
        bn.Table(FRAME, neighbours="replace", columns={"age": bn.Integer(5, 1)})
    with pytest.raises(BadValue, match="neighbours = 'both'"):
        bn.Table(FRAME, neighbours="both", columns=COLUMNS)
    plain = bn.Table(FRAME, neighbours="replace", columns=COLUMNS)
    with pytest.raises(BadValue, match=r"needs a \[budget\]"):
        plain.release(plain.plan("SELECT COUNT(*) FROM data", epsilon=1))


def test_answers_go_to_polars_and_arrow_also_by_the_capsule(tmp_path: Path) -> None:
    found = table(FRAME, str(tmp_path / "t.ledger"))
    answers = found.release(
        found.plan("SELECT ward, COUNT(*) AS n, MEDIAN(day) AS d FROM data GROUP BY ward", epsilon=90)
    )
    assert answers.to_polars()["n"].to_list() == [2, 1]
    assert [str(value) for value in answers.to_arrow().column("ward")] == ["n", "s"]
    assert pa.table(answers).num_rows == 2
    assert pl.DataFrame(answers[0]).shape == answers.to_polars().shape


def test_everything_shows_itself_in_a_notebook_and_nothing_of_the_rows(tmp_path: Path) -> None:
    found = table(FRAME, str(tmp_path / "t.ledger"))
    plan = found.plan('SELECT ward, COUNT(*) AS "<b>" FROM data GROUP BY ward', epsilon=1)
    answers = found.release(plan)
    profile = found.look(found.plan_look(epsilon=1))
    shown = [one._repr_html_() for one in (found, plan, answers, answers[0], profile)]
    assert all("<table>" in html or "<div" in html for html in shown)
    assert not any("<b>" in html for html in shown)
    assert "0 to 120" in shown[0]
    assert "2024-01-01 to 2024-12-31" in shown[0]
    assert repr(found) == "Dataset('frame', 4 columns)"
    assert "9.0" not in shown[0] + repr(found)
